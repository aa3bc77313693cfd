//! Recipes of BitBake: `SRC_URI` and `SRC_URI[NAME.ALGsum]`. Nothing is executed or expanded.

use crate::digest::{is_long_hex, is_nearly, tagged};
use crate::entry::Entry;
use crate::format::{Claim, Format, Head, Holds, Options, Parts, Reading, Sign, Writing};
use crate::line::{Line, LineError, Place, Reason};
use crate::scan;
use std::collections::HashMap;

pub(crate) static YOCTO: Format = Format {
    name: "yocto",
    file_names: &[".bb"],
    summary: "SRC_URI[sha256sum] of a recipe of BitBake, which is never executed",
    holds: Holds::DIGESTS,
    sniff: |head: &Head<'_>| {
        let at = head.lines(b'\n').position(|line| sum(line).is_some())?;
        Some(Claim { sign: Sign::Mark, at })
    },
    reading: Reading::Document { limit: 16 << 20, parse },
    writing: Writing::No,
    tagged: None,
};

/// Name, algorithm and digest of `SRC_URI[name.sha256sum] = "..."`.
fn sum(line: &[u8]) -> Option<(&[u8], &str, &[u8])> {
    let rest = line.strip_prefix(b"SRC_URI[")?;
    let (key, rest) = scan::cut(rest, b']')?;
    let value = scan::trim(scan::trim(rest).strip_prefix(b"=")?);
    let digest = value.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let dot = key.iter().rposition(|&byte| byte == b'.');
    let (name, tag) = dot.map_or((&b""[..], key), |at| (&key[..at], &key[at + 1..]));
    Some((name, std::str::from_utf8(tag).ok()?.strip_suffix("sum")?, digest))
}

/// Whether a line that is none of a digest is one that is damaged: `KEY[NAME] = "DIGEST"` of another key, or of another form.
fn is_damaged(line: &[u8]) -> bool {
    let word =
        &line[..scan::find(line, |byte| matches!(byte, b'[' | b' ' | b'=' | b'"')).unwrap_or(line.len())];
    let quoted = line.split(|&byte| byte == b'"').any(is_long_hex);
    let indexed = line.get(word.len()) == Some(&b'[') && (word == b"SRC_URI" || is_nearly(word, b"SRC_URI"));
    (indexed || quoted && !word.starts_with(b"SRCREV")) && !line.starts_with(b"#")
}

/// Names of the files of `SRC_URI = "..."`, with what sums call them.
fn sources(text: &[u8]) -> HashMap<Vec<u8>, Vec<u8>> {
    let mut found = HashMap::new();
    let mut open = false;
    for line in text.split(|&byte| byte == b'\n') {
        let value = match line.strip_prefix(b"SRC_URI").map(scan::trim_start) {
            Some(rest) if !rest.starts_with(b"[") => scan::cut(rest, b'"').map(|(_, value)| value),
            None if open => Some(line),
            _ => None,
        };
        let Some(value) = value else { continue };
        open = scan::trim(line.strip_suffix(b"\r").unwrap_or(line)).ends_with(b"\\");
        for uri in value.split(|byte| matches!(byte, b' ' | b'\t' | b'"' | b'\\' | b'\r')) {
            let mut parts = uri.split(|&byte| byte == b';');
            let path = parts.next().unwrap_or_default();
            if !path.windows(3).any(|part| part == b"://") {
                continue;
            }
            let mut file = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
            let mut name = &b""[..];
            for part in parts {
                file = part.strip_prefix(b"downloadfilename=").unwrap_or(file);
                name = part.strip_prefix(b"name=").unwrap_or(name);
            }
            if !file.is_empty() {
                found.entry(name.to_vec()).or_insert_with(|| file.to_vec());
            }
        }
    }
    found
}

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    let sources = sources(&text);
    let mut parts = Vec::new();
    let mut begin = 0;
    for line in text.split(|&byte| byte == b'\n') {
        let at = Place::Byte(begin);
        begin += line.len() as u64 + 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Some((name, algorithm, digest)) = sum(line) else {
            if is_damaged(line) {
                let reason = Reason::Part("nearly a digest of SRC_URI");
                parts.push(Err(LineError { at, reason }));
            }
            continue;
        };
        let found = match sources.get(name) {
            None => Err(Reason::Part("no source of SRC_URI has this name")),
            // What only BitBake knows.
            Some(file) if file.contains(&b'$') => continue,
            Some(file) => {
                tagged(algorithm, digest, options).map(|(spec, digest)| Entry::new(file, spec, digest))
            }
        };
        parts.push(match found {
            Ok(entry) => Ok(Line { at, entry }),
            Err(reason) => Err(LineError { at, reason }),
        });
    }
    Ok(Box::new(parts.into_iter()))
}
