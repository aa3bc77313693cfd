//! Digests without a name: the sidecar `FILE.sha256` of Maven, NuGet, kubectl and many others, which
//! may name the algorithm (`SHA256: DIGEST`, or in a heading), or standard input as the file (`DIGEST  -`).
//!
//! The file name is the manifest's own name without its extension. A second digest could not be
//! assigned to a file, so both are rejected, unless each line names another algorithm.

use crate::algorithm::{NamedAlgorithm, algorithm_in_heading, algorithm_on_own_line};
use crate::comment::is_comment;
use crate::digest::{MIN_DIGITS, XXH3, contains_like, is_hex, is_long_hex, of_bytes, tagged, untagged};
use crate::formats::loose::tag;
use crate::formats::mixed::not_above;
use crate::formats::mixed::tagged::{Tagged, split as split_tagged};
use crate::formats::prelude::*;
use std::borrow::Cow;

pub(crate) static BARE: Format = Format {
    name: "bare",
    summary: "a single digest without a name, in a file such as NAME.sha256",
    sniff,
    reading: Reading::lines(|options| {
        Box::new(Bare {
            options: options.clone(),
            place: Place::Line(1),
            deferred: None,
            text: Vec::new(),
            is_labeled: true,
            alone: None,
        })
    }),
    ..Format::DEFAULT
};

/// Extensions of files that contain digests, but do not specify their algorithm.
const ENDINGS: &str = "sha sri nix c4 hash hashes digest digests checksum checksums sum sums integrity";

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let lines =
        || head.lines(b'\n').enumerate().filter(|(_, line)| !scan::is_empty(line) && !is_text(trim(line)));
    let (at, first) = lines().next()?;
    // The name of an algorithm above lines with labels may be the name of a file (`loose`).
    let is_alone = |line: &[u8]| algorithm_on_own_line(trim(line)).is_some();
    let is_own = is_bare(first) && lines().all(|(_, line)| is_bare(line))
        || !head.lines(b'\n').any(is_alone)
            && labeled(first).is_some()
            && lines().all(|(_, line)| labeled(line).is_some());
    let is_wrapped = || {
        let joined =
            lines().skip(1).try_fold(trim(first).to_vec(), |text, (_, line)| joined(&text, trim(line)));
        lines().nth(1).is_some() && joined.is_some_and(|text| is_bare(&text))
    };
    let is_own = is_own || is_wrapped();
    let is_piped = piped(first).is_some() && lines().nth(1).is_none();
    // The line of a program that read standard input has the form of another format as well.
    let sign = if is_piped { Sign::Mark } else { Sign::Whole };
    (is_own || is_piped).then_some(Claim { sign, at })
}

/// Returns a digest that was wrapped by `xxd -p` (60 digits on a line) or `base64` (64 or 76 characters) with the text of
/// one more line, or `None` if the line does not continue it. Digests of other numbers of bytes could be those of several
/// files.
fn joined(text: &[u8], line: &[u8]) -> Option<Vec<u8>> {
    const IN_BASE64: usize = 88;
    let joined = [text, line].concat();
    let is_hex = is_hex(&joined) && text.len().is_multiple_of(60) && line.len() <= 60 && joined.len() <= 128;
    let is_base64 = || {
        matches!(text.len(), 64 | 76)
            && joined.len() == IN_BASE64
            && joined.ends_with(b"==")
            && !text.ends_with(b"=")
            && Digest::from_base64(&joined).is_ok()
    };
    (!text.is_empty() && !line.is_empty() && (is_hex || is_base64())).then_some(joined)
}

/// Returns true for a comment, or a heading with the name of the algorithm.
fn is_text(line: &[u8]) -> bool {
    is_comment(line) || algorithm_in_heading(line).is_some() || algorithm_on_own_line(line).is_some()
}

/// Splits `SHA256: DIGEST`, `SHA256 = DIGEST`, `SHA256 DIGEST` or `SHA256 checksum: DIGEST` into algorithm and
/// digest. The algorithm is empty after a label such as `Checksum:`.
fn labeled(line: &[u8]) -> Option<(&str, &[u8])> {
    let line = trim(line);
    let gap = scan::rfind(line, scan::is_blank)?;
    let (label, digest) = (scan::trim_end(&line[..gap]), &line[gap + 1..]);
    let marked = label.strip_suffix(b":").or(label.strip_suffix(b"=")).map(scan::trim_end);
    let is_general = |label: &[u8]| LABELS.iter().any(|known| known.eq_ignore_ascii_case(label));
    let tag = match marked {
        Some(label) if is_general(label) => "",
        Some(label) => tag(label)?,
        None => std::str::from_utf8(label)
            .ok()
            .filter(|label| label.len() <= 16 && label.parse::<Spec>().is_ok())?,
    };
    (is_long_hex(digest) || tag.is_empty() && prefixed(digest).is_some()).then_some((tag, digest))
}

/// Labels that do not name the algorithm.
const LABELS: &[&[u8]] = &[b"hash", b"checksum", b"digest", b"stdin"];

/// Names that programs write for standard input.
const INPUTS: &[&[u8]] = &[b"-", b"stdin", b"(stdin)", b"/dev/stdin", b"standard input"];

/// Splits a line of a program that read standard input: `DIGEST  -`, `(stdin)= DIGEST` or
/// `SHA256(stdin)= DIGEST`. The tag is empty if there is none.
fn piped(line: &[u8]) -> Option<Tagged<'_>> {
    let line = trim(line);
    if let Some(found) = split_tagged(line) {
        let is_input = INPUTS.contains(&found.name) && !found.digest.is_empty();
        return is_input.then_some(found);
    }
    let (digest, name) = scan::word(line);
    let is_digest = digest.len() >= MIN_DIGITS && is_hex(digest.strip_prefix(XXH3).unwrap_or(digest));
    let name = name.strip_prefix(b"*").unwrap_or(name);
    (is_digest && INPUTS.contains(&name)).then_some(Tagged { tag: "", name, digest })
}

/// Separators between the bytes of a digest: those of `openssl dgst -c`, of .NET, and of certutil in Windows 7.
const SEPARATORS: &[u8] = b":- ";

/// Returns a digest in quotes, behind `0x` or with separators between all its bytes, without these.
fn plain(line: &[u8]) -> Cow<'_, [u8]> {
    let line = match line {
        [b'"', inner @ .., b'"'] | [b'\'', inner @ .., b'\''] => inner,
        [b'0', b'x' | b'X', digits @ ..] if is_long_hex(digits) => digits,
        line => line,
    };
    let Some(mark) = line.get(2).filter(|mark| SEPARATORS.contains(mark)) else { return Cow::Borrowed(line) };
    let is_byte = |byte: &[u8]| byte.len() == 2 && is_hex(byte);
    let mut bytes = line.split(|byte| byte == mark);
    let is_digest = line.len() < 3 * 64 && line.len() >= 3 * 16 - 1 && bytes.all(is_byte);
    if !is_digest {
        return Cow::Borrowed(line);
    }
    Cow::Owned(line.iter().copied().filter(|byte| byte != mark).collect())
}

/// Returns true if the line consists of digests only.
fn is_bare(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // More than one blank after the digest may be a file name that consists of blanks.
    let line = line.strip_suffix(b" ").unwrap_or(line);
    let line = &*plain(line);
    if line.len() > 4096 || line.last().copied().is_some_and(scan::is_blank) {
        return false;
    }
    let mut words = line.split(|&byte| scan::is_blank(byte)).filter(|word| !word.is_empty());
    let first = words.next();
    match (first, words.next()) {
        (Some(word), None) => {
            word.len() >= MIN_DIGITS && is_hex(word.strip_prefix(XXH3).unwrap_or(word))
                || word.len() >= 24 && word.ends_with(b"=") && Digest::from_base64(word).is_ok()
                || word.starts_with(b"c4") && word.len() == 90
                || prefixed(word).is_some()
        }
        (Some(word), Some(second)) => is_sri(word) && is_sri(second) && words.all(is_sri),
        _ => false,
    }
}

fn is_sri(word: &[u8]) -> bool {
    prefixed(word).is_some_and(|(_, mark, _)| mark == b'-')
}

/// Splits `sha256:...` or `sha256-...` into algorithm, separator and digest.
fn prefixed(word: &[u8]) -> Option<(&str, u8, &[u8])> {
    let at = scan::find(&word[..word.len().min(16)], |byte| matches!(byte, b':' | b'-'))?;
    let name = std::str::from_utf8(&word[..at]).ok()?;
    let plain = word.len() - at > 22 && !scan::all(&word[..at], |byte| byte.is_ascii_digit());
    (plain && name.parse::<Spec>().is_ok()).then_some((name, word[at], &word[at + 1..]))
}

fn trim(line: &[u8]) -> &[u8] {
    scan::trim(line.strip_suffix(b"\r").unwrap_or(line))
}

struct Bare {
    options: Options,
    place: Place,
    /// The first line, until it is known to be the only one.
    deferred: Option<(Place, Result<Entry, Reason>)>,
    /// The digest in the first line, and in the lines that continue it.
    text: Vec<u8>,
    /// True if all lines so far name their algorithms.
    is_labeled: bool,
    /// The line with nothing but the name of an algorithm, until a digest follows.
    alone: Option<Vec<u8>>,
}

const SEVERAL_DIGESTS: Reason = Reason::Part("several digests without file names");

impl Bare {
    fn entry(&self, line: &[u8]) -> Result<Entry, Reason> {
        if let Some((tag, digest)) = labeled(line) {
            let found = match tag {
                "" => self.digest(digest)?,
                tag => tagged(tag, digest, &self.options)?,
            };
            return Ok(Entry { path: self.name()?, digests: vec![found], ..Entry::default() });
        }
        if let Some(Tagged { tag, name, digest }) = piped(line) {
            let found = match tag {
                "" => untagged(digest, &self.options)?,
                tag => tagged(tag, digest, &self.options)?,
            };
            // Without a sidecar's name, it is a file with the name that the line has.
            let path = self.name().unwrap_or_else(|_| name.to_vec());
            return Ok(Entry { path, digests: vec![found], ..Entry::default() });
        }
        let mut digests = Vec::new();
        for word in line.split(|&byte| scan::is_blank(byte)).filter(|word| !word.is_empty()) {
            digests.push(self.digest(word)?);
        }
        Ok(Entry { path: self.name()?, digests, ..Entry::default() })
    }

    fn digest(&self, word: &[u8]) -> Result<(Spec, Digest), Reason> {
        if let Some(bytes) = radix::c4(word) {
            return of_bytes("sha512", &bytes, &self.options);
        }
        let Some((name, mark, digest)) = prefixed(word) else { return untagged(word, &self.options) };
        if mark == b'-' || is_hex(digest) {
            return tagged(name, digest, &self.options);
        }
        match radix::from_nix32(digest) {
            Some(bytes) => of_bytes(name, &bytes, &self.options),
            None => tagged(name, digest, &self.options),
        }
    }

    /// Returns the name of the file that the caller specified, or the manifest's own name without its extension.
    fn name(&self) -> Result<Vec<u8>, Reason> {
        let unknown =
            Reason::Part("a digest without a file name, and the manifest's name does not imply one");
        if let Some(subject) = &self.options.subject {
            return Ok(subject.clone());
        }
        let path = self.options.file_name.as_deref().unwrap_or_default();
        let base = &path[scan::rfind(path, |byte| byte == b'/').map_or(0, |at| at + 1)..];
        let cut = |name: &[u8]| -> Option<(usize, String)> {
            let dot = name.iter().rposition(|&byte| byte == b'.')?;
            Some((dot, std::str::from_utf8(&name[dot + 1..]).ok()?.to_ascii_lowercase()))
        };
        let mut name = base;
        let is_text = cut(name).filter(|(_, ending)| ending == "txt");
        if let Some((dot, _)) = is_text {
            name = &name[..dot];
        }
        let names_algorithm = |ending: &str| {
            let bare = ending.strip_suffix("sum").unwrap_or(ending);
            ENDINGS.split(' ').any(|known| known == ending)
                || bare.parse::<Spec>().is_ok()
                || self.options.unsupported.is_some()
        };
        let end = match cut(name) {
            Some((dot, ending)) if names_algorithm(&ending) => dot,
            // The lines of `x.zip.txt` name their algorithms, so its name need not.
            Some(_) if is_text.is_some() && self.is_labeled => name.len(),
            _ => {
                let dash =
                    name.iter().rposition(|&byte| matches!(byte, b'-' | b'_')).ok_or(unknown.clone())?;
                let ending = std::str::from_utf8(&name[dash + 1..]).map_err(|_| unknown.clone())?;
                if !names_algorithm(&ending.to_ascii_lowercase()) {
                    return Err(unknown);
                }
                dash
            }
        };
        if end == 0 { Err(unknown) } else { Ok(name[..end].to_vec()) }
    }
}

impl Parse for Bare {
    fn at(&mut self, place: Place) {
        self.place = place;
    }

    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        let line = &*plain(trim(line));
        if line.is_empty() {
            return Ok(None);
        }
        let alone = algorithm_on_own_line(line);
        let before = if alone.is_some() { self.alone.replace(line.to_vec()) } else { None };
        if let Some(stated) = alone.or_else(|| algorithm_in_heading(line)) {
            (self.options.named, self.options.unsupported) = match stated {
                NamedAlgorithm::Known(spec) => (Some(spec), None),
                NamedAlgorithm::Other(name) => (None, Some(name)),
            };
            return before.map_or(Ok(None), |name| Err(not_above(&name)));
        }
        if is_comment(line) {
            return if contains_like(line) { Err(Reason::DamagedComment) } else { Ok(None) };
        }
        if let (Some(name), Some(_)) = (self.alone.take(), labeled(line)) {
            return Err(not_above(&name));
        }
        self.is_labeled &= labeled(line).is_some();
        if let Some(text) = joined(&self.text, line) {
            let entry = self.entry(&text);
            self.deferred = self.deferred.take().map(|(place, _)| (place, entry));
            self.text = text;
            return Ok(None);
        }
        let entry = self.entry(line);
        let Some((_, first)) = &mut self.deferred else {
            self.deferred = Some((self.place, entry));
            self.text = line.to_vec();
            return Ok(None);
        };
        self.text.clear();
        // Lines that name different algorithms are for the same file.
        if let (true, Ok(known), Ok(entry)) = (self.is_labeled, first.as_mut(), &entry)
            && known.digests.iter().all(|(spec, _)| *spec != entry.digests[0].0)
        {
            known.digests.extend(entry.digests.iter().cloned());
            return Ok(None);
        }
        *first = Err(SEVERAL_DIGESTS);
        Err(SEVERAL_DIGESTS)
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        self.alone.take().map_or(Ok(None), |name| Err(not_above(&name)))
    }

    fn has_kept_line(&self) -> bool {
        self.deferred.is_some()
    }

    fn deferred(&mut self) -> Vec<LineResult> {
        self.deferred.take().into_iter().map(|(at, entry)| at.found(entry)).collect()
    }
}
