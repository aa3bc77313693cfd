//! BitBake recipes: `SRC_URI` and `SRC_URI[NAME.ALGsum]`. Nothing is executed: variables with
//! literal values and those derived from the recipe's file name (BitBake User Manual, section
//! 3.1) are substituted, and a file name that only BitBake can compute is an error.

use crate::digest::{contains_like, is_long_hex, is_nearly, tagged};
use crate::formats::prelude::*;
use std::collections::HashMap;

pub(crate) static YOCTO: Format = Format {
    name: "yocto",
    file_names: &[".bb"],
    summary: "SRC_URI[sha256sum] in a BitBake recipe; the recipe is not executed",
    sniff: |head| head.marked(|line| sum(line).is_some()),
    syntax: Syntax::Shell,
    reading: Reading::document(16 << 20, parse),
    ..Format::DEFAULT
};

/// Splits `SRC_URI[name.sha256sum] = "..."` into name, algorithm and digest.
fn sum(line: &[u8]) -> Option<(&[u8], &str, &[u8])> {
    let rest = line.strip_prefix(b"SRC_URI[")?;
    let (key, rest) = scan::cut(rest, b']')?;
    let value = scan::trim(scan::trim(rest).strip_prefix(b"=")?);
    let digest = value.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let dot = key.iter().rposition(|&byte| byte == b'.');
    let (name, tag) = dot.map_or((&b""[..], key), |at| (&key[..at], &key[at + 1..]));
    Some((name, std::str::from_utf8(tag).ok()?.strip_suffix("sum")?, digest))
}

/// Returns true if a line without a valid digest is probably a damaged one: `KEY[NAME] =
/// "DIGEST"` with another key or in another form.
fn is_damaged(line: &[u8]) -> bool {
    let word =
        &line[..scan::find(line, |byte| matches!(byte, b'[' | b' ' | b'=' | b'"')).unwrap_or(line.len())];
    let quoted = line.split(|&byte| byte == b'"').any(is_long_hex);
    let indexed = line.get(word.len()) == Some(&b'[') && (word == b"SRC_URI" || is_nearly(word, b"SRC_URI"));
    // The first character may be damaged to a comment mark.
    match line {
        [b'#', rest @ ..] => indexed && !rest.starts_with(b"SRC_URI"),
        // Values are in quotes, and tasks are indented.
        [first, ..] if !line.contains(&b'"') => !scan::is_blank(*first) && contains_like(line),
        _ => indexed || quoted && !word.starts_with(b"SRCREV"),
    }
}

/// Variables by name. A variable without a value may have another value in BitBake than the
/// recipe suggests.
type Variables = HashMap<Vec<u8>, Option<Vec<u8>>>;

/// Maximum length of an expanded text in bytes.
const LONGEST: usize = 4 << 10;

/// Returns the variables that `name_version.bb` and lines `NAME = "VALUE"` define.
fn variables(text: &[u8], file_name: Option<&[u8]>) -> Variables {
    let mut known = Variables::new();
    let base = file_name.and_then(|name| name.rsplit(|&byte| byte == b'/').next()).unwrap_or_default();
    if let Some(stem) = base.strip_suffix(b".bb") {
        let (name, version) = scan::cut(stem, b'_').unwrap_or((stem, b"1.0"));
        for (variable, value) in [(&b"PN"[..], name), (b"BPN", name), (b"PV", version)] {
            known.insert(variable.to_vec(), Some(value.to_vec()));
        }
        known.insert(b"BP".to_vec(), Some(b"${BPN}-${PV}".to_vec()));
    }
    let mut given = HashMap::<&[u8], Option<&[u8]>>::new();
    for line in scan::lines(text).map(|(_, line)| scan::trim_end(line)) {
        let len = line.iter().position(|byte| !byte.is_ascii_alphanumeric() && !b"_-".contains(byte));
        let Some((name, rest)) = len.filter(|&len| len > 0).map(|len| line.split_at(len)) else { continue };
        let rest = scan::trim_start(rest);
        let operators: [&[u8]; 4] = [b"??=", b"?=", b":=", b"="];
        let value = operators.iter().find_map(|operator| rest.strip_prefix(*operator)).map(scan::trim);
        let value = value.and_then(|value| {
            let mark = *value.first().filter(|byte| b"\"'".contains(byte))?;
            let value = value.get(1..)?.strip_suffix(&[mark])?;
            (!value.contains(&mark)).then_some(value)
        });
        // `NAME:append = ..`, `NAME += ..` and `NAME_append = ..` modify an existing value.
        let changes = [&b":"[..], b"+=", b".=", b"=+", b"=."].iter().any(|sign| rest.starts_with(sign));
        let (name, value) =
            match [&b"_append"[..], b"_prepend", b"_remove"].iter().find_map(|end| name.strip_suffix(*end)) {
                Some(name) => (name, None),
                None if value.is_none() && !changes => continue,
                None => (name, value),
            };
        let one = *given.entry(name).or_insert(value);
        if one != value {
            given.insert(name, None);
        }
    }
    known.extend(given.into_iter().map(|(name, value)| (name.to_vec(), value.map(<[u8]>::to_vec))));
    known
}

/// Expands the known variables of a text. `left` is the number of substitutions still allowed:
/// nested values could otherwise multiply the work.
fn expanded(text: &[u8], known: &Variables, deep: usize, left: &mut usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.windows(2).position(|pair| pair == b"${") {
        let Some(end) = rest[at..].iter().position(|&byte| byte == b'}').map(|end| at + end) else { break };
        out.extend(&rest[..at]);
        match known.get(&rest[at + 2..end]) {
            Some(Some(value)) if deep > 0 && *left > 0 => {
                *left -= 1;
                out.extend(expanded(value, known, deep - 1, left));
            }
            _ => out.extend(&rest[at..=end]),
        }
        rest = &rest[end + 1..];
        if out.len() > LONGEST {
            return text.to_vec();
        }
    }
    out.extend(rest);
    out
}

/// A source in `SRC_URI = "..."`.
struct Source {
    /// The offset and the number of its line.
    at: u64,
    line: usize,
    /// The name that checksums refer to.
    name: Vec<u8>,
    file: Vec<u8>,
    scheme: Vec<u8>,
}

/// Schemes of sources whose files BitBake verifies by digests. Files of the recipe itself
/// (`file://`) have none.
const DIGESTED: &[&[u8]] =
    &[b"http", b"https", b"ftp", b"ftps", b"sftp", b"s3", b"gs", b"az", b"crate", b"npm"];

fn sources(text: &[u8], known: &Variables) -> Vec<Source> {
    let (mut found, mut open) = (Vec::new(), false);
    let mut left = 1000 + text.len() / 16;
    for (number, (at, line)) in scan::lines(text).enumerate() {
        let value = match line.strip_prefix(b"SRC_URI").map(scan::trim_start) {
            Some(rest) if !rest.starts_with(b"[") => scan::cut(rest, b'"').map(|(_, value)| value),
            None if open => Some(line),
            _ => None,
        };
        let Some(value) = value else { continue };
        open = scan::trim(line).ends_with(b"\\");
        for uri in value.split(|byte| matches!(byte, b' ' | b'\t' | b'"' | b'\\' | b'\r')) {
            let uri = &expanded(uri, known, 4, &mut left)[..];
            let mut parts = uri.split(|&byte| byte == b';');
            let path = parts.next().unwrap_or_default();
            let Some(colon) = path.windows(3).position(|part| part == b"://") else { continue };
            let mut file = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
            let mut name = &b""[..];
            for part in parts {
                file = part.strip_prefix(b"downloadfilename=").unwrap_or(file);
                name = part.strip_prefix(b"name=").unwrap_or(name);
            }
            if !file.is_empty() {
                let (name, file, scheme) = (name.to_vec(), file.to_vec(), path[..colon].to_vec());
                found.push(Source { at: at as u64, line: number + 1, name, file, scheme });
            }
        }
    }
    found
}

/// Returns the first reference to a variable in a text.
fn variable(text: &[u8]) -> &[u8] {
    let begin = text.iter().position(|&byte| byte == b'$').unwrap_or(0);
    let end = text[begin..].iter().position(|&byte| byte == b'}').map_or(text.len(), |end| begin + end + 1);
    &text[begin..end]
}

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    let known = variables(&text, options.file_name.as_deref());
    let sources = sources(&text, &known);
    // Of several sources with a name, or without, a digest is that of one whose scheme has digests.
    let mut numbers: Vec<usize> = (0..sources.len()).collect();
    numbers.sort_by_key(|&number| !DIGESTED.contains(&&sources[number].scheme[..]));
    let mut by_name = HashMap::new();
    for number in numbers {
        by_name.entry(&sources[number].name[..]).or_insert(number);
    }
    let mut is_verified = vec![false; sources.len()];
    let mut parts: Vec<LineResult> = Vec::new();
    for (begin, line) in scan::lines(&text) {
        let at = Place::Byte(begin as u64);
        let Some((name, algorithm, digest)) = sum(line) else {
            if is_damaged(line) {
                let reason = Reason::Part("a line that resembles a SRC_URI checksum");
                parts.push(Err(LineError { at, reason }));
            }
            continue;
        };
        let number = by_name.get(name).copied();
        number.into_iter().for_each(|number| is_verified[number] = true);
        let found = match number.map(|number| &sources[number]) {
            None => Err(Reason::Part("the name in the checksum line does not match any source in SRC_URI")),
            Some(Source { file, line, .. }) if file.contains(&b'$') => {
                let message = format!(
                    "only BitBake can expand {} in the source on line {line}",
                    String::from_utf8_lossy(variable(file))
                );
                Err(Reason::Message(message))
            }
            Some(Source { file, .. }) => tagged(algorithm, digest, options)
                .map(|(spec, digest)| Entry::new(file, spec, digest))
                .map_err(|reason| reason.of(file)),
        };
        parts.push(at.found(found));
    }
    for source in sources.iter().zip(is_verified).filter(|(_, verified)| !verified).map(|(source, _)| source)
    {
        let reason = match &source.scheme[..] {
            b"file" => continue,
            scheme if DIGESTED.contains(&scheme) => Reason::EmptyDigest,
            _ => Reason::Part(
                "not verifiable: a source in version control is identified by a revision, not by a digest",
            ),
        };
        parts.push(Err(LineError { at: Place::Byte(source.at), reason: reason.of(&source.file) }));
    }
    parts.sort_by_key(|found| found.as_ref().map_or_else(|error| error.at, |line| line.at));
    Ok(Box::new(parts.into_iter()))
}
