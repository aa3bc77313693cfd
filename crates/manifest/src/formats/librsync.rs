//! Signatures written by `rdiff signature` (librsync): a rolling checksum and an MD4 or BLAKE2b
//! digest, possibly truncated, of each block of a file.
//!
//! Neither the file's name nor its size is part of the signature: the file may end anywhere in
//! the last block. Rolling checksums serve to find blocks at other offsets and are ignored,
//! because the digests are stronger evidence for a block at its own offset.

use super::nameless::{self, LIMIT, ROW};
use crate::entry::{Boundaries, PieceList, SIZE_LIMIT};
use crate::formats::prelude::*;
use crate::records::refused;

pub(crate) static RDIFF: Format = Format {
    name: "rdiff",
    summary: "block signature written by rdiff (librsync); locates damage",
    capabilities: Capabilities { locates: true, ..Capabilities::DIGESTS },
    sniff: |head| Claim::mark(spec(head.text).is_some()),
    reading: Reading::document(LIMIT, parse),
    ..ROW
};

/// Size of the header in bytes: magic number, block size, and length of the truncated digests.
const HEADER: usize = 12;
/// Size of a rolling checksum in bytes.
const ROLLING: usize = 4;

/// Returns the algorithm that the magic number specifies for the blocks.
fn spec(text: &[u8]) -> Option<&'static str> {
    match text.get(..4)? {
        b"rs\x016" | b"rs\x01F" => Some("md4"),
        b"rs\x017" | b"rs\x01G" => Some("blake2b-256"),
        _ => None,
    }
}

fn be32(text: &[u8], at: usize) -> Option<usize> {
    text.get(at..at + 4).map(|bytes| bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let spec: Option<Spec> = spec(&text).and_then(|name| name.parse().ok());
    let spec = spec.ok_or(refused(0, "not an rdiff signature"))?;
    let (Some(len), Some(kept)) = (be32(&text, 4), be32(&text, 8)) else {
        return Err(refused(text.len(), "the header is truncated"));
    };
    if len == 0 || !(1..=spec.digest_len()).contains(&kept) {
        return Err(refused(4, "invalid block size or digest length"));
    }
    let rows = text[HEADER..].chunks_exact(ROLLING + kept);
    if !rows.remainder().is_empty() {
        return Err(refused(text.len(), "the last block's digest is truncated"));
    }
    let end = (rows.len() as u64).checked_mul(len as u64).filter(|end| (1..=SIZE_LIMIT).contains(end));
    let end = end.ok_or(refused(HEADER, "the signature has no blocks, or too many"))?;
    let digests: Vec<u8> = rows.flat_map(|row| &row[ROLLING..]).copied().collect();
    let path = nameless::name(options, &[".sig", ".rsig", ".signature"])?;
    let pieces =
        PieceList::of(spec, Boundaries::Equal { covered: 0..end, len: len as u64 }, digests.into(), kept);
    let pieces = pieces.ok_or(refused(HEADER, "the numbers of digests and blocks differ"))?;
    Ok(nameless::only(path, None, vec![pieces.ending_with_file()]))
}
