//! Mending damaged ranges from a second copy.
//!
//! Only granules that the stored tree calls damaged are touched, and of these only the blocks that differ. Each is verified
//! before it is written (the copy's granule has the tree's hash) and after (so has the mended file's).

use crate::error::{Cause, Error};
use crate::io::open::{Root, Special};
use crate::io::read::Guarded;
use crate::io::source::Source;
use crate::progress::Progress;
use crate::tree::locate::{Difference, Judgement, Length, hash_granule, verify};
use crate::tree::store::Store;
use std::fs::{File, OpenOptions};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;
use truesum_hash::Digest;

/// Bytes compared and written at a time.
const BLOCK: usize = 4096;

/// What is done to one damaged granule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mend {
    /// Its bytes.
    pub range: Range<u64>,
    /// Whether the copy has the right ones.
    pub possible: bool,
    /// Bytes that were written, or would be: whole blocks that differ.
    pub writes: u64,
}

/// Whether to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Only say what would be done.
    DryRun,
    /// Do it.
    Write,
}

/// Mends a file from `copy`, as far as the copy has the right bytes. Returns what was found before, and what was done.
/// `trusted` is a digest known from elsewhere: the tree must be its tree.
///
/// A file that is too long stays so: nothing is known of the bytes at its end. Nothing is done by a tree that is not sound or
/// not the one trusted: the judgement says so.
///
/// # Errors
/// A file cannot be read or written.
pub fn repair(
    path: &[u8],
    store: &Store,
    trusted: Option<&Digest>,
    copy: &[u8],
    mode: Mode,
    threads: usize,
    progress: &Progress,
) -> Result<(Difference, Vec<Mend>), Error> {
    let report = verify(path, store, trusted, threads, progress)?;
    if !matches!(report.judgement, Judgement::Good | Judgement::FileDamaged) {
        return Ok((report, Vec::new()));
    }
    let header = store.header();
    let damaged: Vec<u64> = (0..header.granules())
        .filter(|&granule| {
            let range = header.range(granule);
            report.damaged.iter().any(|bad| bad.start < range.end && range.start < bad.end)
        })
        .collect();
    let other = Guarded::open(&Root::Anywhere, copy, Special::Refuse)?;
    let source = Source::new(&other, copy, progress);
    let name = Path::new(std::ffi::OsStr::from_bytes(path));
    let file = OpenOptions::new().read(true).write(mode == Mode::Write).open(name);
    let file = file.map_err(|error| Error::io(path, "open", error))?;
    let mut mends = Vec::new();
    for granule in damaged {
        let range = header.range(granule);
        let here = range.end <= source.size;
        let possible = here
            && hash_granule(source, header, granule, range.start)? == store.get(granule..granule + 1)?[0];
        let writes = if possible { mend(&file, path, source, &range, mode)? } else { 0 };
        mends.push(Mend { range, possible, writes });
    }
    if mode == Mode::Write && mends.iter().any(|mend| mend.possible) {
        file.sync_all().map_err(|error| Error::io(path, "write", error))?;
        check(path, store, &mends, progress)?;
    }
    Ok((report, mends))
}

/// Writes the blocks of a range that differ from the copy's; returns their bytes.
fn mend(file: &File, path: &[u8], copy: Source<'_>, range: &Range<u64>, mode: Mode) -> Result<u64, Error> {
    let (mut good, mut found) = (vec![0; 1 << 20], vec![0; 1 << 20]);
    let mut written = 0;
    for start in range.clone().step_by(good.len()) {
        let len = (range.end - start).min(good.len() as u64) as usize;
        copy.read(&mut good[..len], start)?;
        // What cannot be read, for whatever reason, is written.
        let readable = read_to_end(file, &mut found[..len], start);
        for (index, right) in good[..len].chunks(BLOCK).enumerate() {
            let at = index * BLOCK;
            if at + right.len() <= readable && found[at..at + right.len()] == *right {
                continue;
            }
            written += right.len() as u64;
            if mode == Mode::Write {
                let offset = start + at as u64;
                file.write_all_at(right, offset).map_err(|error| Error::io(path, "write", error))?;
            }
        }
    }
    Ok(written)
}

/// Bytes that can be read from `start` on.
fn read_to_end(file: &File, buffer: &mut [u8], start: u64) -> usize {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], start + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    filled
}

/// Reads what was written and compares it with the tree.
fn check(path: &[u8], store: &Store, mends: &[Mend], progress: &Progress) -> Result<(), Error> {
    let file = Guarded::open(&Root::Anywhere, path, Special::Refuse)?;
    let source = Source::new(&file, path, progress);
    let header = store.header();
    let mended = (0..header.granules())
        .filter(|&granule| mends.iter().any(|mend| mend.possible && mend.range == header.range(granule)));
    for granule in mended {
        if hash_granule(source, header, granule, header.range(granule).start)?
            != store.get(granule..granule + 1)?[0]
        {
            let why = format!("bytes from {} on are not what was written", header.range(granule).start);
            return Err(Error::new(path, "mend", Cause::Other(why)));
        }
    }
    Ok(())
}

impl Difference {
    /// Whether mending all damaged ranges makes the file good.
    pub fn can_be_mended(&self) -> bool {
        self.judgement == Judgement::FileDamaged && !matches!(self.length, Length::Grown(_))
    }
}
