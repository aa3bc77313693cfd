//! Lines with the size of the file between the digest and the name: `DIGEST SIZE NAME`, and
//! `DIGEST ALGORITHM SIZE NAME` as in Mozilla's `.checksums` files.
//!
//! A number after the digest may also be the beginning of a name in `md5 -r` output. It is a size
//! only if every line has one, without a leading zero, and not after the two characters that end
//! the digest in GNU lines. The size is compared, so a wrong reading cannot verify a file.

use crate::algorithm::algorithm_in_heading;
use crate::digest::{is_hex, is_long_hex, tagged, untagged};
use crate::formats::mixed::is_damaged;
use crate::formats::prelude::*;

pub(crate) static SIZED: Format = Format {
    name: "sized",
    summary: "digest, size and name, or digest, algorithm, size and name (Mozilla .checksums)",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff,
    reading: Reading::lines(|options| LineParser::of(options, row)),
    ..Format::DEFAULT
};

/// The cells of a line.
struct Cells<'a> {
    digest: &'a [u8],
    tag: Option<&'a str>,
    size: u64,
    name: &'a [u8],
}

fn split(line: &[u8]) -> Option<Cells<'_>> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let end = scan::find(line, scan::is_blank)?;
    let digest = &line[..end];
    let gap = line[end..].len() - scan::trim_start(&line[end..]).len();
    if !(is_long_hex(digest) || is_crc(digest)) || gap == 2 {
        return None;
    }
    let (first, rest) = scan::word(&line[end + gap..]);
    let tag = std::str::from_utf8(first).ok().filter(|tag| tag.len() <= 16 && tag.parse::<Spec>().is_ok());
    let (size, name) = if tag.is_some() { scan::word(rest) } else { (first, rest) };
    let plain = size == b"0" || !size.starts_with(b"0");
    let size = scan::decimal(size).filter(|_| plain && !name.is_empty())?;
    Some(Cells { digest, tag, size, name: name.strip_prefix(b"*").unwrap_or(name) })
}

/// Returns true for the digits of a CRC-32. A list in which none is a letter may be one of `cksum`.
fn is_crc(digest: &[u8]) -> bool {
    digest.len() == 8 && is_hex(digest)
}

fn is_skipped(line: &[u8]) -> bool {
    scan::is_empty(line) || line.starts_with(b"#")
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let mut is_hex = false;
    let claim = head.whole(|line| match is_skipped(line) && algorithm_in_heading(line).is_none() {
        true => Some(false),
        false => split(line).map(|cells| {
            is_hex |= !scan::all(cells.digest, |byte| byte.is_ascii_digit());
            true
        }),
    });
    claim.filter(|_| is_hex)
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if is_skipped(line) {
        let as_digit = || [b"3", line.get(1..).unwrap_or_default()].concat();
        let damaged = is_damaged(line) || split(&as_digit()).is_some();
        return if damaged { Err(Reason::DamagedComment) } else { Ok(None) };
    }
    let cells = split(line).ok_or(Reason::NotALine)?;
    let (spec, digest) = match cells.tag {
        Some(tag) => tagged(tag, cells.digest, options)?,
        None => untagged(cells.digest, options)?,
    };
    Ok(Some(Entry { size: Some(cells.size), ..Entry::new(cells.name, spec, digest) }))
}
