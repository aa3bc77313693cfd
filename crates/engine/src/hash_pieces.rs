//! Digests of the pieces of concatenated files, as in a torrent, or of the pieces of each file, or both.
//!
//! A piece may contain the end of one file and the beginning of the next, so a single unreadable file makes all digests
//! unavailable. Each file is read once, even if both kinds are needed.

use crate::error::Error;
use crate::job::{FileResult, Findings, Job, Outcome, Summary};
use crate::pieces::recipe::{PieceResults, Recipe};
use crate::pieces::sequence::{PieceSink, Sequence};
use crate::progress::Progress;
use crate::run::config::{Config, cores};
use crate::run::read_file::{SLICE, read_file};
use crate::task::{Notice, Sink, Task};
use std::ffi::OsString;
use std::io;
use std::ops::Range;
use truesum_fs::name::OsStringExt;
use truesum_hash::Spec;
use truesum_manifest::{Boundaries, PieceLayout, PieceList};

/// Piece lengths that are chosen by default, as powers of two.
const DEFAULT_LENGTHS: Range<u32> = 14..25;
/// The maximum number of pieces, if longer pieces are available.
const MAX_PIECES: u64 = 2000;

/// The algorithm for pieces of all files concatenated.
const JOINED: &str = "sha1";
/// The algorithm for pieces of each file.
const EACH: &str = "bt2-pieces-root";

/// The digests of the pieces of all files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PieceDigests {
    /// The lists for each successful outcome, in order: one list for each way to divide, that of all files concatenated
    /// first.
    Complete(Vec<Vec<PieceList>>),
    /// A file was not read completely, so there are none.
    Incomplete,
    /// The run was stopped, so there are none.
    Stopped,
}

/// Reads files in the order of the tasks and passes the outcome of each to the sink, with digests of the complete file
/// if its job requests any. Then returns the digests of the pieces.
///
/// `piece_len` is the length of a piece; by default it depends on the sizes of the files.
///
/// # Errors
/// Returns the error of the sink.
pub fn hash_pieces(
    cut: PieceLayout,
    piece_len: Option<u64>,
    config: &Config,
    tasks: Vec<Task>,
    progress: &Progress,
    sink: &mut dyn Sink,
) -> io::Result<(Summary, PieceDigests)> {
    let piece_len = piece_len.filter(|len| *len > 0).unwrap_or_else(|| default_length(&tasks, config));
    let threads = if config.threads == 0 { cores() } else { config.threads };
    let mut summary = Summary::default();
    let mut all_digests = AllDigests::default();
    let spec = |name: &str| name.parse::<Spec>().expect("a row of the table of algorithms");
    let (joined, each) = (spec(JOINED), spec(EACH));
    let mut files: Vec<(u64, Option<PieceList>)> = Vec::new();
    std::thread::scope(|scope| {
        let covered = 0..i64::MAX as u64;
        let cuts = Boundaries::Equal { covered, len: piece_len };
        let mut sequence = (cut != PieceLayout::PerFile)
            .then(|| Sequence::new(vec![Recipe::plain(&joined)], 0, cuts, threads, scope));
        let mut buffer = vec![0; SLICE];
        let mut total = Some(0u64);
        for task in tasks {
            if progress.stopped() {
                summary.interrupted = true;
                break;
            }
            let job = match task {
                Task::File(job) => job,
                Task::Notice(notice) => {
                    if let Notice::Failed(_) = &notice {
                        summary.unreadable += 1;
                        total = None;
                    }
                    sink.notice(notice)?;
                    continue;
                }
            };
            progress.set_current(&job.name);
            // The gap after the previous file, if each file begins with a new piece.
            let mut gap = match (cut, total) {
                (PieceLayout::Hybrid, Some(at)) => at.next_multiple_of(piece_len) - at,
                _ => 0,
            };
            let whole_gap = gap;
            let own = (cut != PieceLayout::Concatenated).then(|| size(&job, config));
            let threads = own.map_or(0, |size| if size > piece_len { threads } else { 0 });
            let mut own = own.map(|size| {
                let covered = 0..size.max(piece_len).next_multiple_of(piece_len);
                let cuts = Boundaries::Equal { covered, len: piece_len };
                (Sequence::new(vec![Recipe::plain(&each)], 0, cuts, threads, scope), AllDigests::default())
            });
            let mut empty = true;
            let mut give = |bytes: &[u8]| {
                empty &= bytes.is_empty();
                if let Some(sequence) = &mut sequence {
                    if !bytes.is_empty() {
                        sequence.zeros(std::mem::take(&mut gap), &mut all_digests);
                    }
                    sequence.bytes(bytes, &mut all_digests);
                }
                if let Some((own, all_digests)) = &mut own {
                    own.bytes(bytes, all_digests);
                }
            };
            match read_file(&job, config, progress, &mut buffer, &mut give) {
                Ok(None) => sink.notice(Notice::Own(OsString::from_vec(job.name).into()))?,
                result => {
                    if progress.stopped() {
                        summary.interrupted = true;
                        break;
                    }
                    let result = result.and_then(|found| found.ok_or_else(|| Error::interrupted(&job.name)));
                    let result = result.map(|found| found.with_pieces(Findings::default()));
                    let size = result.as_ref().ok().map(FileResult::size);
                    if let (Some(total), Some(size)) = (&mut total, size) {
                        *total += if empty { 0 } else { whole_gap };
                        let own = own.and_then(|(mut own, mut all_digests)| {
                            own.end_open_range(&mut all_digests);
                            PieceList::new(each.clone(), 0..size, piece_len, all_digests.digests.into())
                        });
                        files.push((*total, own));
                        *total += size;
                    } else {
                        total = None;
                    }
                    progress.add_file();
                    let outcome = Outcome { job, result };
                    summary.count(&outcome);
                    sink.outcome(outcome)?;
                }
            }
            sink.pause()?;
        }
        let total = match total {
            _ if summary.interrupted => return Ok((summary, PieceDigests::Stopped)),
            None => return Ok((summary, PieceDigests::Incomplete)),
            Some(total) => total,
        };
        let all = sequence.and_then(|mut sequence| {
            sequence.end_open_range(&mut all_digests);
            PieceList::new(joined.clone(), 0..total, piece_len, all_digests.digests.into())
        });
        let wanted = 1 + usize::from(cut == PieceLayout::Hybrid);
        let of = |(start, own): (u64, Option<PieceList>)| -> Vec<PieceList> {
            all.iter().map(|all| all.of_file_at(start)).chain(own).collect()
        };
        let pieces: Vec<Vec<PieceList>> = files.into_iter().map(of).collect();
        if pieces.iter().any(|lists| lists.len() != wanted) {
            return Err(io::Error::other(
                "the number of bytes read from a file differs from the size that the system reported",
            ));
        }
        Ok((summary, PieceDigests::Complete(pieces)))
    })
}

/// Returns the expected size of a file, or 0 if it is unknown.
fn size(job: &Job, config: &Config) -> u64 {
    let (root, path) = job.root_and_name(&config.root);
    root.size(path)
}

/// Returns the shortest length that does not result in too many pieces.
fn default_length(tasks: &[Task], config: &Config) -> u64 {
    let size = |task: &Task| match task {
        Task::File(job) => size(job, config),
        Task::Notice(_) => 0,
    };
    let total: u64 = tasks.iter().map(size).fold(0, u64::saturating_add);
    let len = DEFAULT_LENGTHS.map(|bits| 1 << bits).find(|len| total.div_ceil(*len) <= MAX_PIECES);
    len.unwrap_or(1 << (DEFAULT_LENGTHS.end - 1))
}

/// Stores the digests of all pieces.
#[derive(Default)]
struct AllDigests {
    digests: Vec<u8>,
}

impl PieceSink for AllDigests {
    fn pieces(&mut self, _: u64, digests: &[PieceResults], _: &[bool]) {
        self.digests.extend_from_slice(&digests[0].digests);
    }

    // A file that is read has no absent ranges.
    fn absent(&mut self, _: Range<u64>) {}
}
