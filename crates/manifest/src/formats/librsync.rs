//! What `rdiff signature` writes (librsync): of each block of a file a rolling checksum and an MD4 or a BLAKE2b, or their first bytes.
//!
//! Neither the file's name nor its size is in it: it may end anywhere in the last block. Rolling checksums are for finding blocks at
//! other places and are passed over, as the digests beside them say more of a block at its own.

use super::nameless::{self, LIMIT, ROW};
use crate::entry::{Cuts, PieceList, SIZE_LIMIT};
use crate::format::{Claim, Format, Holds, Options, Parts, Reading, Sign};
use crate::line::LineError;
use crate::records::refused;
use crate::scan;
use truesum_hash::Spec;

pub(crate) static RDIFF: Format = Format {
    name: "rdiff",
    summary: "block signature written by rdiff (librsync); locates damage",
    holds: Holds { locates: true, ..Holds::DIGESTS },
    sniff: |head| spec(head.text).map(|_| Claim { sign: Sign::Mark, at: 0 }),
    reading: Reading::Document { limit: LIMIT, parse },
    ..ROW
};

/// Magic number, bytes of a block, bytes kept of a digest.
const HEADER: usize = 12;
/// Bytes of a rolling checksum.
const ROLLING: usize = 4;

/// What the blocks of a file that begins so are hashed with.
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
        return Err(refused(text.len(), "the heading is truncated"));
    };
    if len == 0 || !(1..=spec.digest_len()).contains(&kept) {
        return Err(refused(4, "invalid block size or digest length"));
    }
    let rows = text[HEADER..].chunks_exact(ROLLING + kept);
    if !rows.remainder().is_empty() {
        return Err(refused(text.len(), "the last block's digest is truncated"));
    }
    let end = (rows.len() as u64).checked_mul(len as u64).filter(|end| (1..=SIZE_LIMIT).contains(end));
    let end = end.ok_or(refused(HEADER, "no blocks, or too many"))?;
    let digests: Vec<u8> = rows.flat_map(|row| &row[ROLLING..]).copied().collect();
    let path = nameless::name(options, &[".sig", ".rsig", ".signature"])?;
    let pieces = PieceList::of(spec, Cuts::Equal { covered: 0..end, len: len as u64 }, digests.into(), kept);
    let pieces = pieces.ok_or(refused(HEADER, "not the same number of digests and blocks"))?;
    Ok(nameless::only(path, None, vec![pieces.ending_with_file()]))
}
