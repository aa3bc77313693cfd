//! `MANIFEST` of the distribution sets of FreeBSD: name, SHA-256, number of files, name of the set, description and default,
//! separated by tabs.

use crate::digest::{is_long_hex, tagged};
use crate::formats::prelude::*;

pub(crate) static FREEBSD_DIST: Format = Format {
    name: "freebsd-dist",
    summary: "MANIFEST of FreeBSD's distribution sets: name, SHA-256, number of files and description",
    capabilities: Capabilities { algorithms: Algorithms::Only(&["sha256"]), ..Capabilities::DIGESTS },
    sniff: |head| head.whole(|line| split(line).map(|_| true)),
    reading: Reading::lines(|options| LineParser::of(options, row)),
    ..Format::DEFAULT
};

/// Splits a line into the name and the digest.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut cells = line.strip_suffix(b"\r").unwrap_or(line).split(|&byte| byte == b'\t');
    let (name, digest, count) = (cells.next()?, cells.next()?, cells.next()?);
    let (_, description, default) = (cells.next()?, cells.next()?, cells.next()?);
    scan::count(line.len());
    let is_row = cells.next().is_none()
        && !name.is_empty()
        && is_long_hex(digest)
        && scan::decimal(count).is_some()
        && description.starts_with(b"\"")
        && matches!(default, b"on" | b"off");
    is_row.then_some((name, digest))
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if scan::is_empty(line) {
        return Ok(None);
    }
    let (name, digest) = split(line).ok_or(Reason::NotALine)?;
    let (spec, digest) = tagged("sha256", digest, options)?;
    Ok(Some(Entry::new(name, spec, digest)))
}
