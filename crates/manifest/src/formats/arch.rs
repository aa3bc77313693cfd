//! Sources of Arch Linux packages: `PKGBUILD` and `.SRCINFO`. The n-th digest belongs to the n-th
//! source of the same architecture.
//!
//! A `PKGBUILD` is never executed: variables with literal values are substituted, and a name that
//! requires a shell is an error that quotes it.

mod shell;

use crate::digest::{is_long_hex, is_nearly, of_bytes, tagged};
use crate::formats::prelude::*;
use crate::records::refused;
use shell::{UNKNOWN, Variables};
use std::collections::BTreeMap;
use std::ops::Range;

pub(crate) static ARCH: Format = Format {
    name: "arch",
    file_names: &["pkgbuild", ".srcinfo"],
    summary: "sources and checksums in a PKGBUILD or .SRCINFO; the file is not executed",
    sniff: |head: &Head<'_>| {
        let flat = head.lines(b'\n').any(|line| line.starts_with(b"pkgbase = "));
        let claim = head.marked(|line| sums(line, flat))?;
        let script =
            head.lines(b'\n').any(|line| line.starts_with(b"pkgname=") || line.starts_with(b"pkgbase="));
        (flat || script).then_some(claim)
    },
    syntax: Syntax::Shell,
    reading: Reading::document(16 << 20, parse),
    ..Format::DEFAULT
};

/// Returns true if the line begins an array of digests.
fn sums(line: &[u8], flat: bool) -> bool {
    let Some((key, value)) = scan::cut(scan::trim_start(line), b'=') else { return false };
    let key = scan::trim_end(key);
    let key = std::str::from_utf8(key).unwrap_or_default();
    array(key).is_some_and(|(algorithm, _)| algorithm.is_some()) && (flat || value.starts_with(b"("))
}

/// Returns the algorithm of an array (`None` for sources) and the architecture that it applies to
/// (empty for all).
fn array(key: &str) -> Option<(Option<&str>, &str)> {
    let (name, architecture) = key.split_once('_').unwrap_or((key, ""));
    match name {
        "source" => Some((None, architecture)),
        "b2sums" => Some((Some("blake2b"), architecture)),
        "cksums" => Some((Some(CKSUM), architecture)),
        name => Some((
            Some(name.strip_suffix("sums").filter(|name| name.starts_with("sha") || *name == "md5")?),
            architecture,
        )),
    }
}

/// The algorithm whose digests are decimal numbers.
const CKSUM: &str = "cksum";

/// Parses a digest of an array for this algorithm.
fn digest(algorithm: &str, text: &[u8], options: &Options) -> Result<(Spec, Digest), Reason> {
    if algorithm != CKSUM {
        return tagged(algorithm, text, options);
    }
    let sum = scan::decimal(text).and_then(|sum| u32::try_from(sum).ok());
    of_bytes(CKSUM, &sum.ok_or(Reason::Part("not a 32-bit decimal number"))?.to_be_bytes(), options)
}

/// An item of an array.
struct Item {
    /// The range of its text in the document.
    range: Range<usize>,
    /// The number of its line.
    line: usize,
    value: Vec<u8>,
}

impl Item {
    fn place(&self) -> Place {
        Place::Byte(self.range.start as u64)
    }
}

type Items = Vec<Item>;

/// Arrays by architecture and algorithm (`None` for sources).
type Arrays = BTreeMap<(String, Option<String>), Items>;

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    let flat = text.split(|&byte| byte == b'\n').any(|line| line.starts_with(b"pkgbase = "));
    let mut arrays = Arrays::new();
    if flat {
        read_flat(&text, &mut arrays)?;
    } else {
        read_script(&text, &mut arrays)?
    }
    let mut parts = Vec::new();
    for ((architecture, algorithm), digests) in &arrays {
        let Some(algorithm) = algorithm else {
            let any = arrays.keys().any(|(of, algorithm)| of == architecture && algorithm.is_some());
            if let (Some(first), false) = (digests.first(), any) {
                let reason = Reason::Part("sources without digests");
                parts.push(Err(LineError { at: first.place(), reason }));
            }
            continue;
        };
        let none = Items::new();
        let sources = arrays.get(&(architecture.clone(), None)).unwrap_or(&none);
        if sources.len() != digests.len() {
            let at = digests.first().map_or(Place::Byte(0), Item::place);
            return Err(LineError { at, reason: Reason::Part("the numbers of digests and sources differ") });
        }
        for (source, digest) in sources.iter().zip(digests) {
            let at = digest.place();
            // An intentionally missing digest: that of a repository, or of a source with a
            // signature.
            if digest.value == b"SKIP" {
                continue;
            }
            let name = file(&source.value);
            parts.push(
                at.found(match name.contains(&UNKNOWN) {
                    true => Err(unknown(&text, source)),
                    false => self::digest(algorithm, &digest.value, options)
                        .map(|(spec, digest)| Entry::new(&name, spec, digest))
                        .map_err(|reason| reason.of(&name)),
                }),
            );
        }
    }
    Ok(Box::new(parts.into_iter()))
}

/// Maximum length of a source that a message quotes, in bytes.
const QUOTED: usize = 100;

/// Returns the error for a source that has no literal name.
fn unknown(text: &[u8], source: &Item) -> Reason {
    let range = source.range.start..source.range.end.min(source.range.start + QUOTED);
    let quoted = String::from_utf8_lossy(&text[range]);
    Reason::Message(format!("only a shell can expand the source on line {}: {quoted}", source.line))
}

/// The number of a line at an offset, which only increases.
struct LineNumber {
    at: usize,
    line: usize,
}

impl LineNumber {
    fn advance(&mut self, text: &[u8], at: usize) -> usize {
        self.line += text[self.at..at].iter().filter(|&&byte| byte == b'\n').count();
        self.at = at;
        self.line
    }
}

/// Returns the file name of a source: the part before `::`, or the last component of a URL.
fn file(source: &[u8]) -> Vec<u8> {
    let cut = source.windows(2).position(|pair| pair == b"::");
    let name = cut.map_or(source, |at| &source[..at]);
    if !radix::is_url(name) {
        return name.to_vec();
    }
    let end = name.iter().position(|&byte| byte == b'?' || byte == b'#').unwrap_or(name.len());
    name[..end].rsplit(|&byte| byte == b'/').next().unwrap_or_default().to_vec()
}

/// Returns true if an unknown key is probably a damaged key of a source or digest array: it
/// resembles a known key, ends in `sums`, or its value is a digest.
fn is_damaged(key: &[u8], value: &[u8]) -> bool {
    const KEYS: &str = "source cksums md5sums sha1sums sha224sums sha256sums sha384sums sha512sums b2sums";
    let keys = || KEYS.split(' ').map(str::as_bytes);
    let key = key.split(|&byte| byte == b'_').next().unwrap_or_default();
    let near = keys().any(|known| key != known && is_nearly(key, known));
    let other = key.ends_with(b"sums") && !keys().any(|known| key == known);
    // OpenPGP fingerprints have as many digits as SHA-1.
    near || other || is_long_hex(value) && key != b"validpgpkeys"
}

/// Returns true if a line outside the arrays probably belongs to a damaged one: its parenthesis
/// is missing, its key is damaged, or it contains a digest.
fn is_lost(line: &[u8]) -> bool {
    let (key, value) = scan::cut(line, b'=').unwrap_or_default();
    let begins = value.starts_with(b"(");
    let known = || array(std::str::from_utf8(key).unwrap_or_default()).is_some();
    let mark = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\'' | b'"' | b'(' | b')' | b'=');
    // Git commits and OpenPGP fingerprints have 40 digits and may occur anywhere.
    let digest = || line.split(mark).any(|word| is_long_hex(word) && word.len() != 40);
    scan::count(line.len());
    (begins && is_damaged(key, b"")) || known() || (digest() && !scan::trim_start(line).starts_with(b"#"))
}

const DAMAGED: &str = "a source or digest array that is damaged or uses unsupported syntax";

fn read_flat(text: &[u8], arrays: &mut Arrays) -> Result<(), LineError> {
    for (number, (at, line)) in scan::lines(text).enumerate() {
        if let Some((key, value)) = scan::cut(scan::trim(line), b'=') {
            let key = std::str::from_utf8(scan::trim_end(key)).unwrap_or_default();
            if let Some((algorithm, architecture)) = array(key) {
                let key = (architecture.to_owned(), algorithm.map(str::to_owned));
                let (range, value) = (at..at + line.len(), scan::trim(value).to_vec());
                arrays.entry(key).or_default().push(Item { range, line: number + 1, value });
            } else if is_damaged(key.as_bytes(), scan::trim(value)) {
                return Err(refused(at, DAMAGED));
            }
        } else if !scan::is_empty(line) && !scan::trim_start(line).starts_with(b"#") {
            return Err(refused(at, "a line without a key"));
        }
    }
    Ok(())
}

fn read_script(text: &[u8], arrays: &mut Arrays) -> Result<(), LineError> {
    let mut variables = Variables::new(text.len());
    let mut number = LineNumber { at: 0, line: 1 };
    let mut at = 0;
    while at < text.len() {
        let end = text[at..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |end| at + end);
        let line = &text[at..end];
        let begun = scan::cut(line, b'=').and_then(|(key, value)| {
            let (algorithm, architecture) = array(std::str::from_utf8(key).ok()?)?;
            value
                .starts_with(b"(")
                .then(|| (architecture.to_owned(), algorithm.map(str::to_owned), key.len() + 2))
        });
        let Some((architecture, algorithm, offset)) = begun else {
            if is_lost(line) {
                return Err(refused(at, DAMAGED));
            }
            variables.line(line);
            at = end + 1;
            continue;
        };
        if variables.is_in_a_block() {
            return Err(refused(at, "an array in a conditional block, which is not supported"));
        }
        let (items, behind) = items(text, at + offset, &variables, &mut number)?;
        arrays.insert((architecture, algorithm), items);
        at = behind;
    }
    Ok(())
}

/// Parses the words of an array up to the closing parenthesis, and returns them with the offset
/// of the byte after it.
fn items(
    text: &[u8],
    begin: usize,
    variables: &Variables,
    number: &mut LineNumber,
) -> Result<(Items, usize), LineError> {
    let cut = refused(begin, "an array without a closing parenthesis");
    let mut items = Items::new();
    let mut at = begin;
    scan::count(text.len().min(begin));
    loop {
        match text.get(at) {
            None => return Err(cut),
            Some(b')') => return Ok((items, at + 1)),
            Some(b' ' | b'\t' | b'\n' | b'\r') => at += 1,
            Some(b'\\') if text.get(at + 1) == Some(&b'\n') => at += 2,
            Some(b'#') => {
                at += text[at..].iter().position(|&byte| byte == b'\n').ok_or_else(|| cut.clone())?;
            }
            Some(_) => {
                let first = at;
                let word = variables.word(text, &mut at).filter(|_| at > first).ok_or_else(|| cut.clone())?;
                let (range, line) = (first..at, number.advance(text, first));
                items.extend(variables.braces(word).into_iter().map(|value| Item {
                    range: range.clone(),
                    line,
                    value,
                }));
            }
        }
    }
}
