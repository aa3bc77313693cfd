//! SPDX documents as tag-value pairs: files with `FileName` and `FileChecksum`, and packages with
//! `PackageFileName` and `PackageChecksum`.

use crate::digest::{contains_like, could_hold_digest, is_long_hex, is_nearly};
use crate::formats::mixed::appended::is_bare;
use crate::formats::prelude::*;
use crate::records::{Records, refused, stopped};

pub(crate) static SPDX: Format = Format {
    name: "spdx",
    file_names: &[".spdx"],
    summary: "SPDX tag-value documents: checksums of files and of package files",
    sniff: |head| head.marked(|line| line.starts_with(b"SPDXVersion:")),
    syntax: Syntax::TagValue,
    reading: Reading::document(64 << 20, parse),
    ..Format::DEFAULT
};

/// Tags of names, each followed by the tag of the digests of that file.
const TAGS: [(&str, &str); 2] = [("FileName", "FileChecksum"), ("PackageFileName", "PackageChecksum")];

/// The beginnings of all other tags whose values may contain digests.
const OTHER_TAGS: &[&str] = &[
    "SPDX",
    "Document",
    "External",
    "Package",
    "File",
    "Snippet",
    "Relationship",
    "License",
    "Annotat",
    "Review",
    "Creat",
];

const OPENING: &[u8] = b"<text>";
const CLOSING: &[u8] = b"</text>";

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let mut records = Records::default();
    // The tag of the digests of the last file.
    let mut digests = None;
    let mut is_text = false;
    for (begin, line) in scan::lines(&text) {
        if options.stopped() {
            return Err(stopped(begin));
        }
        let holds = |mark: &[u8]| scan::contains(line, mark);
        // A text may have several lines, none of which is a tag.
        if is_text {
            if is_bare(line) || is_member(line) {
                records.bad(begin, "a digest in a text");
            } else if is_tag_of_file(line) {
                records.bad(begin, "a tag of a file in a text, whose </text> may be missing");
            }
            is_text = !holds(CLOSING);
            continue;
        }
        is_text = holds(OPENING) && !holds(CLOSING);
        let line = scan::trim(line);
        let (tag, value) =
            scan::cut(line, b':').map_or((line, &b""[..]), |(tag, value)| (tag, scan::trim(value)));
        if let Some((_, digest)) = TAGS.iter().find(|(name, _)| name.as_bytes() == tag) {
            records.begin(begin);
            records.name(value);
            digests = Some(*digest);
        } else if tag == b"PackageName" {
            // Digests of a package whose file has no name.
            digests = None;
        } else if TAGS.iter().any(|(_, digest)| digest.as_bytes() == tag) {
            if digests.is_none_or(|known| known.as_bytes() != tag) {
                records.begin(begin);
                digests = None;
            }
            match scan::cut(value, b':') {
                Some((algorithm, digest)) => records.digest(scan::trim(algorithm), scan::trim(digest)),
                None => records.fault("a digest without its algorithm"),
            }
        } else if !is_tag(tag) && contains_like(line) {
            records.bad(begin, "a digest under an unknown tag");
            digests = None;
        } else if is_digest(tag, value)
            || scan::cut(value, b':').is_some_and(|(tag, value)| is_digest(tag, scan::trim(value)))
            || TAGS.iter().any(|(name, digest)| {
                [name, digest].iter().any(|known| {
                    is_nearly(tag, known.as_bytes())
                        || line.starts_with(known.as_bytes())
                        || value
                            .windows(known.len() + 1)
                            .any(|part| part.strip_suffix(b":").is_some_and(|part| part == known.as_bytes()))
                })
            })
        {
            records.bad(begin, "an unknown tag that resembles the tag of a file or digest");
            digests = None;
        }
    }
    if is_text {
        return Err(refused(text.len(), "a <text> without </text>"));
    }
    Ok(records.read(options))
}

/// Returns true for a line with the tag of a file, a package or a digest.
fn is_tag_of_file(line: &[u8]) -> bool {
    let known = TAGS.iter().flat_map(|(name, digest)| [*name, *digest]).chain(["PackageName"]);
    let tag = scan::cut(line, b':').map_or(&b""[..], |(tag, _)| scan::trim(tag));
    known.into_iter().any(|known| is_nearly(tag, known.as_bytes()))
}

/// Returns true for a key of digests with a digest, as programs print them in YAML.
fn is_member(line: &[u8]) -> bool {
    scan::cut(scan::trim(line), b':').is_some_and(|(key, value)| {
        let is_key = |key| super::json::of_entry(key).1;
        std::str::from_utf8(key).is_ok_and(is_key) && could_hold_digest(value)
    })
}

/// Returns true for a tag of SPDX.
fn is_tag(tag: &[u8]) -> bool {
    scan::all(tag, |byte| byte.is_ascii_alphanumeric())
        && OTHER_TAGS.iter().any(|begin| tag.starts_with(begin.as_bytes()))
}

/// Returns true for the name of an algorithm and a digest.
fn is_digest(algorithm: &[u8], digest: &[u8]) -> bool {
    let name = std::str::from_utf8(algorithm).unwrap_or_default();
    is_long_hex(digest) && name.parse::<Spec>().is_ok()
}
