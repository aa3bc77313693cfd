//! Verifies files by piece digests: those of a torrent, whose pieces span files, or those of a single file.
//!
//! The files of one sequence are read once, in order, each to its end with the proof of a complete read. Their bytes
//! are divided into units of complete pieces, which other threads hash in SIMD lanes while the next ones are read; only
//! a few units are in memory. Piece lists with different divisions are compared in the same read. A piece that contains
//! bytes of a file that could not be read is unknown. One that differs is damage of every file it contains bytes of,
//! because its digest does not reveal which of them is damaged.

mod comparer;
mod comparers;
mod file;
mod join;

use crate::error::{Cause, Error};
use crate::job::{Findings, Job, Outcome};
use crate::progress::Progress;
use crate::run::config::{Config, cores};
use crate::run::read_file::{SLICE, read_file};
use crate::task::Sink;
use crate::verify::entries::filter::Pick;
use comparers::Comparers;
pub use file::Pieced;
use file::end_of;
pub(crate) use file::{by_division, size_of, verifying_algorithms};
pub use join::Join;
use std::io;
use std::iter::Peekable;
use std::sync::Arc;
use truesum_manifest::PieceList;

/// Returns the files of the sequences in which at least one file is selected, and the number of
/// other files. A piece may contain bytes of several files, so a file is not verified without its
/// neighbors. If only a sample excludes all of them, one sequence is selected.
pub(crate) fn picked(files: Vec<Pieced>, mut pick: impl FnMut(&Job) -> Pick) -> (Vec<Pieced>, u64) {
    let all = files.len();
    let (mut chosen, mut spare) = (Vec::new(), None);
    for sequence in sequences(files) {
        let picks: Vec<Pick> = sequence.iter().map(|file| pick(&file.job)).collect();
        let key =
            picks.iter().filter_map(|pick| if let Pick::Spare(key) = pick { Some(*key) } else { None }).min();
        match key {
            _ if picks.contains(&Pick::In) => chosen.extend(sequence),
            Some(key) if spare.as_ref().is_none_or(|(least, _)| key < *least) => {
                spare = Some((key, sequence))
            }
            _ => {}
        }
    }
    if let Some((_, sequence)) = spare.filter(|_| chosen.is_empty()) {
        chosen = sequence;
    }
    let left_out = all - chosen.len();
    (chosen, left_out as u64)
}

/// Divides files into sequences.
pub(crate) fn sequences(files: Vec<Pieced>) -> impl Iterator<Item = Vec<Pieced>> {
    let mut files = files.into_iter().peekable();
    std::iter::from_fn(move || next_sequence(&mut files))
}

/// Returns the consecutive files of one sequence of pieces.
fn next_sequence(files: &mut Peekable<impl Iterator<Item = Pieced>>) -> Option<Vec<Pieced>> {
    let first = files.next()?;
    let pieces = first.pieces.clone();
    let mut end = end_of(&first);
    let mut sequence = vec![first];
    while let Some(next) = files.next_if(|next| follows(&pieces, end, next)) {
        end = end_of(&next);
        sequence.push(next);
    }
    Some(sequence)
}

/// Verifies files and passes on the outcome of each, in order. Returns how many were not reached because the run was
/// stopped.
///
/// # Errors
/// Returns the error of the sink.
pub fn verify(
    files: Vec<Pieced>,
    config: &Config,
    progress: &Progress,
    sink: &mut dyn Sink,
) -> io::Result<u64> {
    let mut left = files.len() as u64;
    let mut files = files.into_iter().peekable();
    while let Some(mut sequence) = next_sequence(&mut files) {
        determine_end(&mut sequence[0], config);
        let pieces = sequence[0].pieces.clone();
        let mut finished = 0;
        let mut hand_out = |outcome: Outcome| {
            finished += 1;
            sink.outcome(outcome)
        };
        self::sequence(sequence, &pieces, config, progress, &mut hand_out)?;
        left -= finished;
        sink.pause()?;
        if progress.stopped() {
            break;
        }
    }
    Ok(left)
}

/// Determines where a file of unknown size ends: at its current end if that is in the last piece,
/// otherwise as far as pieces could reach.
fn determine_end(file: &mut Pieced, config: &Config) {
    if file.job.size.is_some() || !file.pieces[0].is_open() {
        return;
    }
    let (root, path) = file.job.root_and_name(&config.root);
    let size = root.size(path);
    // All lists must leave the size open; otherwise one of them determines it.
    let fitting: Option<Vec<PieceList>> = file.pieces.iter().map(|list| list.of_size(size)).collect();
    file.job.size = Some(if fitting.is_some() { size } else { size_of(file) });
    file.pieces = fitting.unwrap_or_else(|| file.pieces.clone());
}

/// Returns whether a file is the next one of the sequence from which these pieces are divided.
fn follows(pieces: &[PieceList], end: u64, next: &Pieced) -> bool {
    let start = next.pieces[0].file_start();
    start > 0 && start >= end && Arc::ptr_eq(pieces[0].digests(), next.pieces[0].digests())
}

/// Verifies the files of one sequence.
fn sequence(
    files: Vec<Pieced>,
    pieces: &[PieceList],
    config: &Config,
    progress: &Progress,
    hand_out: &mut dyn FnMut(Outcome) -> io::Result<()>,
) -> io::Result<()> {
    let threads = if config.threads == 0 { cores() } else { config.threads };
    std::thread::scope(|scope| {
        let starts = pieces.iter().map(|list| list.covered().start.min(list.file_start()));
        let mut at = starts.min().unwrap_or_default();
        let mut comparers = Comparers::new(pieces, at, threads, scope);
        let mut buffer = vec![0; SLICE];
        for file in files {
            if progress.stopped() {
                return Ok(());
            }
            let (start, size) = (file.pieces[0].file_start(), size_of(&file));
            let job = file.job;
            comparers.between(at..start);
            progress.set_current(&job.name);
            let mut given = 0;
            let result = read_file(&job, config, progress, &mut buffer, &mut |bytes| {
                let count = (size - given).min(bytes.len() as u64);
                comparers.bytes(&bytes[..count as usize]);
                given += count;
            });
            comparers.absent(size - given);
            if progress.stopped() {
                return Ok(());
            }
            let own = || Error::new(&job.name, "read", Cause::Other("this run writes to it".to_owned()));
            let result = result.and_then(|found| found.ok_or_else(own));
            let result = result.map(|found| found.with_pieces(Findings::default()));
            at = start + size;
            // If the size is not in the list, nothing is known about bytes after the last piece.
            let end = match (&result, job.size) {
                (Ok(found), None) => at.max(start + found.size()),
                _ => at,
            };
            comparers.file(start..end, Outcome { job, result });
            progress.add_file();
            comparers.hand_out(hand_out)?;
        }
        comparers.end(at, hand_out)
    })
}
