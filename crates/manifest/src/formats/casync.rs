//! The index of a file in a casync or desync store (`.caibx`): the end of each chunk, and its
//! SHA-512/256 or SHA-256 digest.
//!
//! The index of a directory (`.caidx`) has the same structure, but describes an archive of the
//! directory, which does not exist as a file. It is rejected.

use super::nameless::{self, LIMIT, ROW, le64};
use crate::entry::{PieceList, SIZE_LIMIT};
use crate::formats::prelude::*;
use crate::records::{refused, stopped};

pub(crate) static CAIBX: Format = Format {
    name: "caibx",
    file_names: &[".caibx", ".caidx"],
    summary: "chunk index of casync and desync; locates damage",
    sniff: |head| Claim::mark(is_index(head.text)),
    reading: Reading::document(LIMIT, parse),
    ..ROW
};

/// The magic numbers of the header, the table and its end, and the length of the header in bytes.
const INDEX: u64 = 0x9682_4d9c_7b12_9ff9;
const TABLE: u64 = 0xe75b_9e11_2f17_417d;
const TAIL: u64 = 0x4b4f_050e_5549_ecd1;
const HEADER: usize = 48;
/// Size of a table row in bytes: the end of the chunk, and its identifier.
const ROW_LEN: usize = 40;
/// Flag: chunks are identified by SHA-512/256 instead of SHA-256.
const SHA512_256: u64 = 1 << 61;
/// Flags for metadata in an archive of a directory: owners, modes, times, links, devices and so
/// on.
const OF_FOLDERS: u64 = (1 << 36) - 1;

fn is_index(text: &[u8]) -> bool {
    le64(text, 0) == Some(HEADER as u64) && le64(text, 8) == Some(INDEX)
}

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let cut = |at: usize| refused(at, "the index is truncated");
    if !is_index(&text) {
        return Err(refused(0, "not a casync index"));
    }
    let (flags, longest) = (le64(&text, 16).ok_or(cut(16))?, le64(&text, 40).ok_or(cut(40))?);
    if flags & OF_FOLDERS != 0 || has_extension(options, b".caidx") {
        return Err(refused(16, "the index of a folder (.caidx), not of a file"));
    }
    let spec = if flags & SHA512_256 == 0 { "sha256" } else { "sha512/256" };
    let spec = find(spec).map(Spec::new).ok_or(refused(16, "unsupported hash algorithm"))?;
    if le64(&text, HEADER) != Some(u64::MAX) || le64(&text, HEADER + 8) != Some(TABLE) {
        return Err(refused(HEADER, "no chunk table after the header"));
    }
    let first = HEADER + 16;
    let tail = text.len().checked_sub(ROW_LEN).filter(|tail| *tail >= first).ok_or(cut(text.len()))?;
    let is_tail = (tail - first).is_multiple_of(ROW_LEN)
        && le64(&text, tail) == Some(0)
        && le64(&text, tail + 8) == Some(0)
        && le64(&text, tail + 16) == Some(HEADER as u64)
        && le64(&text, tail + 24) == Some((text.len() - HEADER) as u64)
        && le64(&text, tail + 32) == Some(TAIL);
    if !is_tail {
        return Err(refused(tail, "the chunk table has no valid end marker (truncated or damaged)"));
    }
    let rows = text[first..tail].chunks_exact(ROW_LEN);
    let mut ranges = Vec::with_capacity(rows.len());
    let mut digests = Vec::with_capacity(rows.len() * 32);
    let mut start = 0;
    for (number, row) in rows.enumerate() {
        let at = first + number * ROW_LEN;
        if options.stopped() {
            return Err(stopped(at));
        }
        let end = le64(row, 0).filter(|end| *end > start && *end <= SIZE_LIMIT);
        let end = end.ok_or(refused(at, "a chunk with invalid bounds"))?;
        if end - start > longest {
            return Err(refused(at, "a chunk longer than the maximum in the header"));
        }
        ranges.push(start..end);
        digests.extend_from_slice(&row[8..]);
        start = end;
    }
    let path = nameless::name(options, &[".caibx"])?;
    let pieces = PieceList::of_ranges(spec, ranges, digests.into());
    let pieces = pieces.ok_or(refused(first, "the chunks are not contiguous"))?;
    Ok(nameless::only(path, Some(start), vec![pieces]))
}

/// Returns true if the manifest's own name ends with `ending`, ignoring case.
fn has_extension(options: &Options, ending: &[u8]) -> bool {
    options.file_name.as_deref().is_some_and(|name| name.to_ascii_lowercase().ends_with(ending))
}
