//! The blocks of a state file. Each has a kind, a number and a checksum, so that a block that was
//! changed, lost, repeated or exchanged is detected before anything in it is used.

use crate::error::{Cause, Error, StateFault};
use crate::io::state::MAGIC;
use std::fs::File;
use std::io;
use std::path::Path;
use truesum_fs::data::FileExt;
use truesum_fs::name::OsStrExt;
use truesum_hash::Spec;

/// Kind (1 byte), number (8), length of the content (4), checksum of these (4), checksum of these and the content (16).
const HEADER: usize = 33;
/// The position of the checksum of the kind, the number and the length.
const HEADER_CHECKSUM: usize = 13;
/// The position of the checksum that covers everything before it and the content.
const CHECKSUM: usize = 17;
/// The last byte of a block. It is not 0, so that a block that was written completely can be distinguished from one
/// that ends with zeros because only its length was stored.
const END: u8 = b'\n';
/// The length of the content at which a block is complete, in bytes.
pub(crate) const FULL: usize = 1 << 16;
/// The maximum length of the content: a block and one entry with the longest name.
const LONGEST: usize = 1 << 22;

/// The kind of content of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The properties of the state.
    Head = b'H' as isize,
    /// One run.
    Run = b'R' as isize,
    /// Entries, in ascending order of names.
    Entries = b'E' as isize,
    /// The end of the entries: how many there are.
    End = b'Z' as isize,
    /// Entries that were replaced, added or removed since then.
    Changes = b'C' as isize,
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::Head, Kind::Run, Kind::Entries, Kind::End, Kind::Changes];

    fn of(byte: u8) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// The position of the next block: its offset in the file in bytes, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) offset: u64,
    pub(crate) number: u64,
}

impl Position {
    /// The first block.
    pub(crate) const FIRST: Position = Position { offset: MAGIC.len() as u64, number: 0 };

    /// Returns the position after a block with this much content.
    pub(crate) fn after(self, content: usize) -> Position {
        Position { offset: self.offset + (HEADER + content + 1) as u64, number: self.number + 1 }
    }
}

/// The reason why there is no valid block at a position.
#[derive(Debug)]
pub(crate) enum NoBlock {
    /// The file ends here.
    End,
    /// The last block was not written completely: the file ends with the beginning of a block, followed by zeros at most.
    Torn,
    /// The block is damaged.
    Damaged(&'static str),
    /// The file cannot be read.
    Io(io::Error),
}

impl From<io::Error> for NoBlock {
    fn from(error: io::Error) -> NoBlock {
        NoBlock::Io(error)
    }
}

/// Appends a block.
pub(crate) fn put(kind: Kind, number: u64, content: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.push(kind as u8);
    out.extend_from_slice(&number.to_le_bytes());
    out.extend_from_slice(&(content.len() as u32).to_le_bytes());
    let check: [u8; CHECKSUM - HEADER_CHECKSUM] = checksum(&out[start..], &[]);
    out.extend_from_slice(&check);
    let check: [u8; HEADER - CHECKSUM] = checksum(&out[start..], content);
    out.extend_from_slice(&check);
    out.extend_from_slice(content);
    out.push(END);
}

/// Returns the first bytes of the BLAKE3 digest of (a part of) the header and the content.
fn checksum<const N: usize>(header: &[u8], content: &[u8]) -> [u8; N] {
    let spec: Spec = "blake3".parse().expect("a row of the table of algorithms");
    let digest = spec.digest(&[header, content].concat());
    std::array::from_fn(|at| digest.as_bytes()[at])
}

/// Returns the kind of the block at a position and the length of its content, without verifying them.
pub(crate) fn peek(file: &File, at: Position, end: u64) -> Result<(Kind, usize), NoBlock> {
    header(file, at, end).map(|(kind, len, _)| (kind, len))
}

fn header(file: &File, at: Position, end: u64) -> Result<(Kind, usize, [u8; HEADER]), NoBlock> {
    let left = end.saturating_sub(at.offset);
    if left == 0 {
        return Err(NoBlock::End);
    }
    let mut header = [0; HEADER];
    let available = left.min(HEADER as u64) as usize;
    file.read_exact_at(&mut header[..available], at.offset)?;
    let check: [u8; CHECKSUM - HEADER_CHECKSUM] = checksum(&header[..HEADER_CHECKSUM], &[]);
    let (kind, number) = (Kind::of(header[0]), at.number.to_le_bytes());
    let len = u32::from_le_bytes(std::array::from_fn(|at| header[9 + at])) as usize;
    match kind {
        // The length can be relied on.
        Some(kind) if check == header[HEADER_CHECKSUM..CHECKSUM] => match () {
            () if header[1..9] != number || len > LONGEST => {}
            () if available < HEADER => return Err(NoBlock::Torn),
            () => return Ok((kind, len, header)),
        },
        // At most a part of the header was written, and only that part is compared.
        _ => {
            let written = header.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            let is_begin = written < CHECKSUM
                && (kind.is_some() || written == 0)
                && (1..written.min(9)).all(|at| header[at] == number[at - 1]);
            if is_begin && is_zero(file, at.offset + available as u64, end)? {
                return Err(NoBlock::Torn);
            }
        }
    }
    Err(NoBlock::Damaged("this is not the header of the expected block"))
}

/// Returns the block at a position of a file with the length `end`.
pub(crate) fn read(file: &File, at: Position, end: u64) -> Result<(Kind, Vec<u8>), NoBlock> {
    let (kind, len, header) = header(file, at, end)?;
    let block_end = at.after(len).offset;
    if block_end > end {
        return Err(NoBlock::Torn);
    }
    let mut content = vec![0; len + 1];
    file.read_exact_at(&mut content, at.offset + HEADER as u64)?;
    let last = content.pop();
    let check: [u8; HEADER - CHECKSUM] = checksum(&header[..CHECKSUM], &content);
    if last == Some(END) && check == header[CHECKSUM..] {
        return Ok((kind, content));
    }
    // The system may have stored the length of the file before the data that was written last.
    let is_torn = last == Some(0) && is_zero(file, block_end, end)?;
    Err(if is_torn { NoBlock::Torn } else { NoBlock::Damaged("the checksum of the block does not match") })
}

/// Returns whether a part of a file contains only zeros.
fn is_zero(file: &File, mut offset: u64, end: u64) -> io::Result<bool> {
    let mut buffer = [0; 1 << 12];
    while offset < end {
        let len = (end - offset).min(buffer.len() as u64) as usize;
        file.read_exact_at(&mut buffer[..len], offset)?;
        if buffer[..len].iter().any(|&byte| byte != 0) {
            return Ok(false);
        }
        offset += len as u64;
    }
    Ok(true)
}

/// Returns the error for a position at which there is no valid block.
pub(crate) fn damaged(path: &Path, at: Position, error: NoBlock) -> Error {
    let name = path.as_os_str().as_bytes();
    let why = match error {
        NoBlock::Io(error) => return Error::io(name, "read", error),
        NoBlock::End | NoBlock::Torn => "the file is truncated",
        NoBlock::Damaged(why) => why,
    };
    let Position { offset, number } = at;
    Error::new(
        name,
        "verify",
        Cause::State(
            StateFault::Damaged,
            format!("the state file is damaged in block {number} at byte {offset}: {why}"),
        ),
    )
}
