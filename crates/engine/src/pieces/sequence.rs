//! The concatenated bytes of several files, divided into pieces. Units of small pieces are hashed in SIMD lanes on
//! other threads while the next ones are read; large pieces are hashed as their bytes arrive. Only a few units are in
//! memory.

use crate::io::memory_limit::{is_tight, thread};
use crate::pieces::UNIT;
use crate::pieces::recipe::{LargePiece, PieceResults, Recipe};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::thread::Scope;
use truesum_manifest::{Boundaries, PieceList};

/// The size of a unit if memory is scarce.
const SMALL_UNIT: u64 = 1 << 17;
/// The maximum number of units in progress.
const MAX_IN_PROGRESS: usize = 16;

/// Receives the results for pieces, in order.
pub(crate) trait PieceSink {
    /// Receives the results for consecutive pieces, starting with this number: the digests of each recipe in turn. A
    /// piece marked `absent` lacks bytes, and its digest is meaningless; without marks, all pieces are complete.
    fn pieces(&mut self, first: u64, digests: &[PieceResults], absent: &[bool]);
    /// Receives the byte range of complete pieces for which there is no data.
    fn absent(&mut self, range: Range<u64>);
}

/// Pieces that are hashed together.
#[derive(Default)]
struct Unit {
    bytes: Vec<u8>,
    /// The end of each piece in `bytes`, and its start in the sequence.
    pieces: Vec<(usize, u64)>,
    /// The number of the first piece.
    first: u64,
    /// Whether each of its pieces is absent.
    absent: Vec<bool>,
}

/// A unit for another thread.
struct Work {
    unit: Unit,
    done: Sender<(Unit, Vec<PieceResults>)>,
}

/// Divides the bytes of a sequence.
pub(crate) struct Sequence {
    recipes: Arc<[Recipe]>,
    /// The threads that hash units. If none can be started, units are hashed on the calling thread.
    threads: usize,
    cuts: Boundaries,
    /// The maximum size of a unit; a longer piece is hashed as it arrives.
    most_bytes: u64,
    /// The position of the next byte in the sequence.
    at: u64,
    /// The number and range of the current or next piece; none after the last.
    number: u64,
    piece: Range<u64>,
    /// The large piece in progress.
    large: Vec<LargePiece>,
    /// The small pieces in progress. The last one may be incomplete.
    unit: Unit,
    work: Sender<Work>,
    in_progress: VecDeque<Receiver<(Unit, Vec<PieceResults>)>>,
    most: usize,
    spare: Vec<Unit>,
}

/// The maximum number of pieces in a unit: for tiny pieces, the bookkeeping is larger than the bytes.
const MOST_PIECES: usize = 1 << 14;

/// A range after all pieces.
const NONE: Range<u64> = u64::MAX..u64::MAX;

impl Sequence {
    /// Returns a sequence that is divided in this way and starts at `at`. Its threads live until it is dropped.
    pub(crate) fn new<'s>(
        recipes: Vec<Recipe>,
        at: u64,
        cuts: Boundaries,
        threads: usize,
        scope: &'s Scope<'s, '_>,
    ) -> Sequence {
        let most_bytes = if is_tight() { SMALL_UNIT } else { UNIT };
        let most = (2 * threads).clamp(2, MAX_IN_PROGRESS);
        let recipes: Arc<[Recipe]> = recipes.into();
        // `submit` waits for a result before it exceeds this number, so sending never blocks.
        let (work, queue) = bounded::<Work>(most);
        let covered = cuts.covered();
        // A small amount does not need a second thread, and large pieces are hashed as they arrive.
        let units = (covered.end - covered.start) / most_bytes;
        let small = cuts.piece(0).is_none_or(|first| first.end - first.start <= most_bytes);
        let threads = if !small || units == 0 || is_tight() { 0 } else { threads.min(units as usize + 1) };
        let start = |_: &usize| {
            let (queue, recipes) = (queue.clone(), recipes.clone());
            let work = move || {
                while let Ok(Work { unit, done }) = queue.recv() {
                    let digests = digests(&recipes, &unit);
                    // After a stop, the receiver is gone.
                    let _ = done.send((unit, digests));
                }
            };
            thread("hash").is_some_and(|builder| builder.spawn_scoped(scope, work).is_ok())
        };
        let threads = (0..threads).filter(start).count();
        let piece = cuts.piece(0).unwrap_or(NONE);
        Sequence {
            large: recipes.iter().map(Recipe::large).collect(),
            recipes,
            threads,
            cuts,
            most_bytes,
            at,
            number: 0,
            piece,
            unit: Unit::default(),
            work,
            in_progress: VecDeque::new(),
            most,
            spare: Vec::new(),
        }
    }

    /// Adds bytes.
    pub(crate) fn bytes(&mut self, mut bytes: &[u8], take: &mut dyn PieceSink) {
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(self.bytes_to_boundary().min(bytes.len() as u64) as usize);
            if self.is_covered() {
                match self.is_large() {
                    true => self.large.iter_mut().for_each(|large| large.update(now)),
                    false => self.unit.bytes.extend_from_slice(now),
                }
            }
            self.skip(now.len() as u64, take);
            bytes = rest;
        }
    }

    /// Adds zeros that are not part of a file.
    pub(crate) fn zeros(&mut self, count: u64, take: &mut dyn PieceSink) {
        self.fill(count, false, take);
    }

    /// Adds the gap between two files, or after the last one.
    pub(crate) fn between(&mut self, list: &PieceList, gap: Range<u64>, take: &mut dyn PieceSink) {
        for (count, zeros) in list.between(gap) {
            self.fill(count, !zeros, take);
        }
    }

    /// Adds bytes that are missing.
    pub(crate) fn absent(&mut self, count: u64, take: &mut dyn PieceSink) {
        self.fill(count, true, take);
    }

    /// Completes the current piece, skips complete pieces, and begins the last one.
    fn fill(&mut self, mut count: u64, absent: bool, take: &mut dyn PieceSink) {
        while count > 0 {
            // Complete pieces without data are skipped, because a hostile list can have any number.
            if self.at == self.piece.start && self.piece.end - self.at <= count && self.piece != NONE {
                self.submit(take);
                self.wait_until(0, take);
                let from = self.at;
                self.pass(from.saturating_add(count));
                take.absent(from..self.at);
                count -= self.at - from;
                continue;
            }
            let bytes_to_boundary = self.bytes_to_boundary().min(count);
            if self.is_covered() {
                if absent {
                    self.mark();
                }
                match self.is_large() {
                    // A piece without any known bytes needs no digest.
                    true if absent || self.unit.absent.first() == Some(&true) => {}
                    true => self.large.iter_mut().for_each(|large| large.zeros(bytes_to_boundary)),
                    false => self.unit.bytes.resize(self.unit.bytes.len() + bytes_to_boundary as usize, 0),
                }
            }
            self.skip(bytes_to_boundary, take);
            count -= bytes_to_boundary;
        }
    }

    /// Skips pieces that end before `end`.
    fn pass(&mut self, end: u64) {
        let next = match &self.cuts {
            // The last piece may be shorter, which `at` does not consider.
            Boundaries::Equal { covered, .. } if end >= covered.end => self.cuts.count(),
            _ => self.cuts.at(end),
        };
        let last = self.cuts.piece(next.saturating_sub(1)).map_or(self.at, |last| last.end);
        (self.number, self.at) = (next, last.max(self.at));
        self.piece = self.cuts.piece(next).unwrap_or(NONE);
    }

    fn is_covered(&self) -> bool {
        self.piece.contains(&self.at)
    }

    /// Returns whether the current piece is hashed as it arrives.
    fn is_large(&self) -> bool {
        self.piece.end - self.piece.start > self.most_bytes
    }

    /// Returns the number of bytes until the end of the piece, or until the next piece begins.
    fn bytes_to_boundary(&self) -> u64 {
        if self.at < self.piece.start { self.piece.start - self.at } else { self.piece.end - self.at }
    }

    /// Marks the current piece as absent.
    fn mark(&mut self) {
        // A large piece has no others in its unit, because `end_piece` submits those before it.
        let piece = if self.is_large() { 0 } else { self.unit.pieces.len() };
        let absent = &mut self.unit.absent;
        absent.resize(absent.len().max(piece + 1), false);
        absent[piece] = true;
    }

    /// Advances over bytes that do not extend beyond the current piece.
    fn skip(&mut self, count: u64, take: &mut dyn PieceSink) {
        let was_covered = self.is_covered();
        self.at += count;
        if was_covered && self.at == self.piece.end {
            self.end_piece(take);
        }
    }

    /// Ends the current piece, which is complete.
    fn end_piece(&mut self, take: &mut dyn PieceSink) {
        if self.is_large() {
            // Pieces collected earlier come first.
            let absent = std::mem::take(&mut self.unit.absent);
            self.submit(take);
            self.wait_until(0, take);
            let start = self.piece.start;
            let digests: Vec<PieceResults> = self.large.iter_mut().map(|large| large.finish(start)).collect();
            take.pieces(self.number, &digests, &absent);
        } else {
            if self.unit.pieces.is_empty() {
                self.unit.first = self.number;
            }
            self.unit.pieces.push((self.unit.bytes.len(), self.piece.start));
        }
        self.number += 1;
        self.piece = self.cuts.piece(self.number).unwrap_or(NONE);
        // The length of the next piece counts too, so that a large one never finds small ones in
        // its unit.
        let next = if self.piece == NONE { u64::MAX } else { self.piece.end - self.piece.start };
        let full = (self.unit.bytes.len() as u64).saturating_add(next) > self.most_bytes;
        if full || self.unit.pieces.len() >= MOST_PIECES {
            self.submit(take);
        }
    }

    /// Submits the collected small pieces, all of them complete, for hashing.
    fn submit(&mut self, take: &mut dyn PieceSink) {
        if self.unit.pieces.is_empty() {
            return;
        }
        let unit = std::mem::replace(&mut self.unit, self.spare.pop().unwrap_or_default());
        if self.threads == 0 {
            take.pieces(unit.first, &digests(&self.recipes, &unit), &unit.absent);
            return self.recycle(unit);
        }
        let (done, receiver) = bounded(1);
        // Results are passed on in the order of submission, so only the oldest one is awaited.
        self.wait_until(self.most - 1, take);
        self.in_progress.push_back(receiver);
        // The threads live as long as this value.
        let _ = self.work.send(Work { unit, done });
    }

    /// Keeps the memory of a unit for reuse.
    fn recycle(&mut self, mut unit: Unit) {
        unit.bytes.clear();
        unit.pieces.clear();
        unit.absent.clear();
        self.spare.push(unit);
    }

    /// Waits until at most `most` units are in progress.
    fn wait_until(&mut self, most: usize, take: &mut dyn PieceSink) {
        while self.in_progress.len() > most {
            let Some(receiver) = self.in_progress.pop_front() else { return };
            // This fails only if a hashing thread panicked; the scope of the threads passes the
            // panic on.
            let Ok((unit, digests)) = receiver.recv() else { return };
            take.pieces(unit.first, &digests, &unit.absent);
            self.recycle(unit);
        }
    }

    /// Ends the range covered by pieces here, if its end was not known before. The last piece may be shorter.
    pub(crate) fn end_open_range(&mut self, take: &mut dyn PieceSink) {
        if let Boundaries::Equal { covered, .. } = &mut self.cuts {
            covered.end = self.at;
        }
        if self.is_covered() && self.at > self.piece.start {
            // Its expected length determined how it was hashed.
            match self.is_large() {
                true => self.end_piece(take),
                false => {
                    self.piece.end = self.at;
                    self.end_piece(take);
                }
            }
        }
        self.end(take);
    }

    /// Ends the sequence: missing bytes are absent, and units in progress are awaited.
    pub(crate) fn end(&mut self, take: &mut dyn PieceSink) {
        let end = self.cuts.covered().end;
        if self.piece != NONE && self.at < end {
            self.fill(end - self.at, true, take);
        }
        self.submit(take);
        self.wait_until(0, take);
    }
}

/// Returns the digests of the pieces of a unit for each recipe.
fn digests(recipes: &[Recipe], unit: &Unit) -> Vec<PieceResults> {
    let mut from = 0;
    let of = |&(end, start): &(usize, u64)| (&unit.bytes[std::mem::replace(&mut from, end)..end], start);
    let pieces: Vec<(&[u8], u64)> = unit.pieces.iter().map(of).collect();
    recipes.iter().map(|recipe| recipe.finish(&pieces)).collect()
}
