//! Files by digests of pieces: a torrent's, whose pieces run across the ends of files, or those of one file.
//!
//! The files of one sequence are read once, in order, each to its end with the proof that belongs to a read. Their bytes are
//! cut into units of whole pieces, which other threads hash in lanes while the next ones are read; memory is that of a few
//! units. Lists of pieces that are cut otherwise are compared in the same read. A piece that holds bytes of a file that could not be read is known to nobody, and one that differs is damage of
//! every file it holds bytes of: which of them, its digest does not tell.

mod file;
mod join;
mod judge;
mod panel;

use crate::error::{Cause, Error};
use crate::job::{Findings, Job, Outcome};
use crate::progress::Progress;
use crate::run::config::{Config, cores};
use crate::run::read_file::{SLICE, read_file};
use crate::task::Sink;
use crate::verify::picking::Pick;
pub use file::Pieced;
use file::end_of;
pub(crate) use file::{judged_by, lots, size_of};
pub use join::Join;
use panel::Panel;
use std::io;
use std::iter::Peekable;
use std::sync::Arc;
use truesum_manifest::PieceList;

/// The files of those sequences of which one is picked, and how many others there are. A piece may hold bytes of several, so
/// that one is not verified without its neighbours. Where only a sample leaves all out, one sequence is picked.
pub(crate) fn picked(files: Vec<Pieced>, mut pick: impl FnMut(&Job) -> Pick) -> (Vec<Pieced>, u64) {
    let all = files.len();
    let (mut chosen, mut spare) = (Vec::new(), None);
    let mut files = files.into_iter().peekable();
    while let Some(sequence) = next_sequence(&mut files) {
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

/// The files that follow each other in one sequence of pieces.
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

/// Verifies files and hands out what became of each, in order. Returns how many were not reached when it was stopped.
///
/// # Errors
/// Those of the sink.
pub fn verify(
    files: Vec<Pieced>,
    config: &Config,
    progress: &Progress,
    sink: &mut dyn Sink,
) -> io::Result<u64> {
    let mut left = files.len() as u64;
    let mut files = files.into_iter().peekable();
    while let Some(mut sequence) = next_sequence(&mut files) {
        settle(&mut sequence[0], config);
        let pieces = sequence[0].pieces.clone();
        let mut told = 0;
        let mut hand_out = |outcome: Outcome| {
            told += 1;
            sink.outcome(outcome)
        };
        self::sequence(sequence, &pieces, config, progress, &mut hand_out)?;
        left -= told;
        sink.pause()?;
        if progress.stopped() {
            break;
        }
    }
    Ok(left)
}

/// Settles where a file of unknown size ends: where it does now, if that is in the last piece; else as far as pieces could reach.
fn settle(file: &mut Pieced, config: &Config) {
    if file.job.size.is_some() || !file.pieces[0].is_open() {
        return;
    }
    let (root, path) = file.job.way(&config.root);
    let size = root.size(path);
    // All of them must leave it open, or none says that the file is as long as another does.
    let fitting: Option<Vec<PieceList>> = file.pieces.iter().map(|list| list.of_size(size)).collect();
    file.job.size = Some(if fitting.is_some() { size } else { size_of(file) });
    file.pieces = fitting.unwrap_or_else(|| file.pieces.clone());
}

/// Whether a file is the next one of the sequence that these pieces are cut from.
fn follows(pieces: &[PieceList], end: u64, next: &Pieced) -> bool {
    let start = next.pieces[0].file_start();
    start > 0 && start >= end && Arc::ptr_eq(pieces[0].digests(), next.pieces[0].digests())
}

/// The files of one sequence.
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
        let mut panel = Panel::new(pieces, at, threads, scope);
        let mut buffer = vec![0; SLICE];
        for file in files {
            if progress.stopped() {
                return Ok(());
            }
            let (start, size) = (file.pieces[0].file_start(), size_of(&file));
            let job = file.job;
            panel.between(at..start);
            progress.set_current(&job.name);
            let mut given = 0;
            let result = read_file(&job, config, progress, &mut buffer, &mut |bytes| {
                let count = (size - given).min(bytes.len() as u64);
                panel.bytes(&bytes[..count as usize]);
                given += count;
            });
            panel.absent(size - given);
            if progress.stopped() {
                return Ok(());
            }
            let own = || Error::new(&job.name, "read", Cause::Other("this run writes to it".to_owned()));
            let result = result.and_then(|found| found.ok_or_else(own));
            let result = result.map(|found| found.with_pieces(Findings::default()));
            at = start + size;
            // Where no size is listed, bytes behind the last piece are known to nobody.
            let end = match (&result, job.size) {
                (Ok(found), None) => at.max(start + found.size()),
                _ => at,
            };
            panel.file(start..end, Outcome { job, result });
            progress.add_file();
            panel.hand_out(hand_out)?;
        }
        panel.end(at, hand_out)
    })
}
