//! `.hash` files of Buildroot: algorithm, digest and name on each line.

use crate::digest::{is_long_hex, is_nearly, labeled};
use crate::formats::prelude::*;

pub(crate) static BUILDROOT: Format = Format {
    name: "buildroot",
    file_names: &[".hash"],
    summary: "Buildroot .hash file: algorithm, digest and name on each line",
    sniff,
    reading: Reading::lines(|options| LineParser::of(options, row)),
    ..Format::DEFAULT
};

/// The algorithms that Buildroot accepts.
const TYPES: &[&str] = &["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "none"];

fn split(line: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let (tag, rest) = scan::word(line);
    let (digest, name) = scan::word(rest);
    (tag, digest, scan::trim_end(name))
}

/// Returns true if a comment looks like a line whose first character was overwritten with `#`.
fn is_damaged(line: &[u8]) -> bool {
    let (tag, digest, name) = split(line);
    TYPES.iter().any(|known| is_nearly(tag, known.as_bytes()) && tag.len() == known.len())
        && is_long_hex(digest)
        && !name.is_empty()
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    head.whole_or_possible(|line| {
        if line.starts_with(b"#") {
            return Some(false);
        }
        let (tag, digest, name) = split(line);
        let is_type = TYPES.iter().any(|known| known.as_bytes() == tag);
        (is_type && (tag == b"none" || is_long_hex(digest)) && !name.is_empty()).then_some(true)
    })
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if scan::is_empty(line) || line.starts_with(b"#") {
        return if is_damaged(line) { Err(Reason::DamagedComment) } else { Ok(None) };
    }
    let (tag, digest, name) = split(line);
    if name.is_empty() {
        return Err(if digest.is_empty() { Reason::NotALine } else { Reason::EmptyName });
    }
    if tag == b"none" {
        return Ok(Some(Entry { path: name.to_vec(), ..Entry::default() }));
    }
    let (spec, digest) = labeled(tag, digest, options)?;
    Ok(Some(Entry::new(name, spec, digest)))
}
