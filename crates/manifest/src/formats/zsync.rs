//! zsync: name, length and SHA-1 digest of one file, and for each of its blocks a rolling
//! checksum and a truncated MD4 digest.
//!
//! The MD4 digests are so short that a match proves nothing. They locate damage; the SHA-1 digest
//! shows whether there is any.

use crate::digest::is_long_hex;
use crate::entry::{Boundaries, PieceList};
use crate::formats::mixed::appended::is_appended;
use crate::formats::prelude::*;
use crate::records::{Records, refused};

pub(crate) static ZSYNC: Format = Format {
    name: "zsync",
    file_names: &[".zsync"],
    summary: "zsync: name, size and SHA-1 of a file, with checksums of its blocks; locates damage",
    capabilities: Capabilities { size: true, locates: true, ..Capabilities::DIGESTS },
    sniff: |head| head.begins(&[b"zsync: "]),
    reading: Reading::document(64 << 20, parse),
    ..Format::DEFAULT
};

/// A block up to this size may be longer than the file.
const SMALL: u64 = 16 << 20;

/// Maximum block size in bytes. zsync itself uses a few KiB.
const LONGEST: u64 = 1 << 30;

/// The block parameters in the header.
#[derive(Default)]
struct Blocks {
    size: Option<u64>,
    len: Option<u64>,
    /// Lengths of the truncated rolling checksum and MD4 digest of a block, in bytes.
    checksum_lens: Option<(usize, usize)>,
}

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    let end = text.windows(2).position(|pair| pair == b"\n\n");
    scan::count(text.len());
    let end = end.ok_or(refused(text.len(), "the header is truncated"))?;
    let mut records = Records::default();
    records.begin(0);
    let mut seen: Vec<&[u8]> = Vec::new();
    let mut blocks = Blocks::default();
    for line in text[..end].split(|&byte| byte == b'\n') {
        let Some((key, value)) = scan::cut(line, b':') else {
            return Err(refused(0, "a header line without a colon"));
        };
        let value = scan::trim(value);
        if is_appended(line) || key != b"SHA-1" && is_long_hex(value) {
            return Err(refused(0, "a digest under an unknown key in the header"));
        }
        if !matches!(key, b"Filename" | b"Length" | b"SHA-1" | b"Blocksize" | b"Hash-Lengths") {
            continue;
        }
        if seen.contains(&key) {
            return Err(refused(0, "a duplicate header line"));
        }
        seen.push(key);
        match key {
            b"Filename" => records.name(value),
            b"Length" => {
                blocks.size = scan::decimal(value);
                records.size(value);
            }
            b"Blocksize" => blocks.len = scan::decimal(value),
            b"Hash-Lengths" => blocks.checksum_lens = checksum_lens(value),
            _ => records.digest(b"sha1", value),
        }
    }
    let found = records.read(options);
    if !options.locating {
        return Ok(found);
    }
    let list = list(&blocks, &text[end + 2..]).map_err(|what| refused(end + 2, what))?;
    Ok(Box::new(found.map(move |found| {
        let mut line = found?;
        line.entry.pieces.extend(list.clone());
        Ok(line)
    })))
}

/// Returns the last two numbers of `SEQUENCE,ROLLING,STRONG`, or `None` if they are invalid.
fn checksum_lens(value: &[u8]) -> Option<(usize, usize)> {
    let mut numbers = value.split(|&byte| byte == b',').map(scan::decimal);
    let (_, rolling, strong) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let sound = (1..=4).contains(&rolling) && (3..=16).contains(&strong) && numbers.next().is_none();
    sound.then_some((rolling as usize, strong as usize))
}

/// Returns the piece list with the checksums that follow the header; `None` for an empty file.
fn list(blocks: &Blocks, sums: &[u8]) -> Result<Option<PieceList>, &'static str> {
    let size = blocks.size.ok_or("the header does not specify the file size, or not as a number")?;
    let len = blocks.len.ok_or("the header does not specify the block size, or not as a number")?;
    let (rolling, strong) = blocks.checksum_lens.ok_or("the header does not specify the checksum lengths")?;
    if !len.is_power_of_two() {
        return Err("the block size is not a power of two");
    }
    // The last block is padded with zeros, whose amount must be limited by the size of the file.
    if len > size.clamp(SMALL, LONGEST).next_power_of_two() {
        return Err("the block size exceeds the file size or the maximum of 1 GiB");
    }
    let count = size.div_ceil(len);
    let bytes = count.checked_mul((rolling + strong) as u64);
    if bytes != Some(sums.len() as u64) {
        return Err("the number of checksums does not match the number of blocks (truncated or damaged)");
    }
    let Some(spec) = find("md4").map(Spec::new).filter(|_| count > 0) else { return Ok(None) };
    let rows = || sums.chunks_exact(rolling + strong);
    let digests: Vec<u8> = rows().flat_map(|row| &row[rolling..]).copied().collect();
    let weak: Vec<u8> = rows().flat_map(|row| &row[..rolling]).copied().collect();
    let end = count.checked_mul(len).ok_or("invalid size")?;
    let cuts = Boundaries::Equal { covered: 0..end, len };
    let list = PieceList::of(spec, cuts, digests.into(), strong);
    Ok(list.and_then(|list| list.with_sums(rolling, weak.into())).map(PieceList::padded))
}
