//! Bytes of several files laid end to end, cut into pieces: units of small pieces are hashed in lanes on other threads, while the
//! next ones are read; large pieces are hashed as they come. Memory is that of a few units.

use crate::io::room::{is_tight, thread};
use crate::pieces::UNIT;
use crate::pieces::recipe::{Cooked, Large, Recipe};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::thread::Scope;
use truesum_manifest::{Cuts, PieceList};

/// Bytes of a unit where memory is short.
const SMALL_UNIT: u64 = 1 << 17;
/// Most units under way.
const UNDER_WAY: usize = 16;

/// Takes what becomes of pieces, in order.
pub(crate) trait Take {
    /// What pieces that follow each other came to, the first of this number: for each recipe one after the other.
    /// A piece that is `absent` lacks bytes, and its digest says nothing; where there is no word of that, it is there.
    fn pieces(&mut self, first: u64, digests: &[Cooked], absent: &[bool]);
    /// Whole pieces, by the bytes they cover, of which nothing is there.
    fn absent(&mut self, range: Range<u64>);
}

/// Pieces gathered to be hashed together.
#[derive(Default)]
struct Unit {
    bytes: Vec<u8>,
    /// Where each piece ends in `bytes`, and where it begins in the sequence.
    pieces: Vec<(usize, u64)>,
    /// The first piece.
    first: u64,
    /// What of its pieces is not there.
    absent: Vec<bool>,
}

/// A unit for another thread.
struct Work {
    unit: Unit,
    done: Sender<(Unit, Vec<Cooked>)>,
}

/// Cuts the bytes of a sequence.
pub(crate) struct Sequence {
    recipes: Arc<[Recipe]>,
    /// Threads that hash units. Where there is no room for one, they are hashed here.
    threads: usize,
    cuts: Cuts,
    /// Most bytes of a unit; a longer piece is hashed as it comes.
    most_bytes: u64,
    /// Where in the sequence the next byte lies.
    at: u64,
    /// The piece under way or next, and its bytes; behind the last there is none.
    number: u64,
    piece: Range<u64>,
    /// The large piece under way.
    large: Vec<Large>,
    /// The small pieces under way, the last of them perhaps not whole.
    unit: Unit,
    work: Sender<Work>,
    under_way: VecDeque<Receiver<(Unit, Vec<Cooked>)>>,
    most: usize,
    spare: Vec<Unit>,
}

/// Most pieces of a unit: what is kept of each is more than its bytes where these are few.
const MOST_PIECES: usize = 1 << 14;

/// Behind all pieces.
const NONE: Range<u64> = u64::MAX..u64::MAX;

impl Sequence {
    /// A sequence whose bytes from `at` on come next, cut so. Threads live until this is dropped.
    pub(crate) fn new<'s>(
        recipes: Vec<Recipe>,
        at: u64,
        cuts: Cuts,
        threads: usize,
        scope: &'s Scope<'s, '_>,
    ) -> Sequence {
        let most_bytes = if is_tight() { SMALL_UNIT } else { UNIT };
        let most = (2 * threads).clamp(2, UNDER_WAY);
        let recipes: Arc<[Recipe]> = recipes.into();
        let (work, queue) = bounded::<Work>(most);
        let covered = cuts.covered();
        // Little to hash needs no second thread, and large pieces are hashed as they come.
        let units = (covered.end - covered.start) / most_bytes;
        let small = cuts.piece(0).is_none_or(|first| first.end - first.start <= most_bytes);
        let threads = if !small || units == 0 || is_tight() { 0 } else { threads.min(units as usize + 1) };
        let start = |_: &usize| {
            let (queue, recipes) = (queue.clone(), recipes.clone());
            let work = move || {
                while let Ok(Work { unit, done }) = queue.recv() {
                    let digests = digests(&recipes, &unit);
                    // Nobody waits for it after a stop.
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
            under_way: VecDeque::new(),
            most,
            spare: Vec::new(),
        }
    }

    /// The next bytes.
    pub(crate) fn bytes(&mut self, mut bytes: &[u8], take: &mut dyn Take) {
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(self.room().min(bytes.len() as u64) as usize);
            if self.is_covered() {
                match self.is_large() {
                    true => self.large.iter_mut().for_each(|large| large.update(now)),
                    false => self.unit.bytes.extend_from_slice(now),
                }
            }
            self.move_on(now.len() as u64, take);
            bytes = rest;
        }
    }

    /// Bytes that are zero without being in a file.
    pub(crate) fn zeros(&mut self, count: u64, take: &mut dyn Take) {
        self.fill(count, false, take);
    }

    /// What lies between files, or behind the last.
    pub(crate) fn between(&mut self, list: &PieceList, gap: Range<u64>, take: &mut dyn Take) {
        for (count, zeros) in list.between(gap) {
            self.fill(count, !zeros, take);
        }
    }

    /// Bytes that are not there.
    pub(crate) fn absent(&mut self, count: u64, take: &mut dyn Take) {
        self.fill(count, true, take);
    }

    /// Fills up the piece under way and begins the last one; whole pieces between them are passed over.
    fn fill(&mut self, mut count: u64, absent: bool, take: &mut dyn Take) {
        while count > 0 {
            if self.at == self.piece.start && self.piece.end - self.at <= count && self.piece != NONE {
                self.submit(take);
                self.settle(0, take);
                let from = self.at;
                self.pass(from.saturating_add(count));
                take.absent(from..self.at);
                count -= self.at - from;
                continue;
            }
            let room = self.room().min(count);
            if self.is_covered() {
                if absent {
                    self.mark();
                }
                match self.is_large() {
                    // What nothing can be said of needs no digest.
                    true if absent || self.unit.absent.first() == Some(&true) => {}
                    true => self.large.iter_mut().for_each(|large| large.zeros(room)),
                    false => self.unit.bytes.resize(self.unit.bytes.len() + room as usize, 0),
                }
            }
            self.move_on(room, take);
            count -= room;
        }
    }

    /// Passes over pieces that end before `end`.
    fn pass(&mut self, end: u64) {
        let next = match &self.cuts {
            Cuts::Equal { covered, .. } if end >= covered.end => self.cuts.count(),
            _ => self.cuts.at(end),
        };
        let last = self.cuts.piece(next.saturating_sub(1)).map_or(self.at, |last| last.end);
        (self.number, self.at) = (next, last.max(self.at));
        self.piece = self.cuts.piece(next).unwrap_or(NONE);
    }

    fn is_covered(&self) -> bool {
        self.piece.contains(&self.at)
    }

    /// Whether the piece under way is hashed as it comes.
    fn is_large(&self) -> bool {
        self.piece.end - self.piece.start > self.most_bytes
    }

    /// Bytes until the end of the piece, or of what is not covered.
    fn room(&self) -> u64 {
        if self.at < self.piece.start { self.piece.start - self.at } else { self.piece.end - self.at }
    }

    /// Marks the piece under way as one that is not there.
    fn mark(&mut self) {
        let piece = if self.is_large() { 0 } else { self.unit.pieces.len() };
        let absent = &mut self.unit.absent;
        absent.resize(absent.len().max(piece + 1), false);
        absent[piece] = true;
    }

    /// Moves on over bytes that end no later than the piece they lie in.
    fn move_on(&mut self, count: u64, take: &mut dyn Take) {
        let was_covered = self.is_covered();
        self.at += count;
        if was_covered && self.at == self.piece.end {
            self.end_piece(take);
        }
    }

    /// Ends the piece under way, which is whole.
    fn end_piece(&mut self, take: &mut dyn Take) {
        if self.is_large() {
            // What was gathered before comes first.
            let absent = std::mem::take(&mut self.unit.absent);
            self.submit(take);
            self.settle(0, take);
            let start = self.piece.start;
            let digests: Vec<Cooked> = self.large.iter_mut().map(|large| large.finish(start)).collect();
            take.pieces(self.number, &digests, &absent);
        } else {
            if self.unit.pieces.is_empty() {
                self.unit.first = self.number;
            }
            self.unit.pieces.push((self.unit.bytes.len(), self.piece.start));
        }
        self.number += 1;
        self.piece = self.cuts.piece(self.number).unwrap_or(NONE);
        let next = if self.piece == NONE { u64::MAX } else { self.piece.end - self.piece.start };
        let full = (self.unit.bytes.len() as u64).saturating_add(next) > self.most_bytes;
        if full || self.unit.pieces.len() >= MOST_PIECES {
            self.submit(take);
        }
    }

    /// Sends the small pieces that were gathered, all of them whole, to be hashed.
    fn submit(&mut self, take: &mut dyn Take) {
        if self.unit.pieces.is_empty() {
            return;
        }
        let unit = std::mem::replace(&mut self.unit, self.spare.pop().unwrap_or_default());
        if self.threads == 0 {
            take.pieces(unit.first, &digests(&self.recipes, &unit), &unit.absent);
            return self.recycle(unit);
        }
        let (done, receiver) = bounded(1);
        self.settle(self.most - 1, take);
        self.under_way.push_back(receiver);
        // The threads live as long as this does.
        let _ = self.work.send(Work { unit, done });
    }

    /// Keeps the memory of a unit.
    fn recycle(&mut self, mut unit: Unit) {
        unit.bytes.clear();
        unit.pieces.clear();
        unit.absent.clear();
        self.spare.push(unit);
    }

    /// Waits until no more than `most` units are under way.
    fn settle(&mut self, most: usize, take: &mut dyn Take) {
        while self.under_way.len() > most {
            let Some(receiver) = self.under_way.pop_front() else { return };
            let Ok((unit, digests)) = receiver.recv() else { return };
            take.pieces(unit.first, &digests, &unit.absent);
            self.recycle(unit);
        }
    }

    /// Ends what pieces cover here, if that was not known before: the last piece may be shorter.
    pub(crate) fn end_here(&mut self, take: &mut dyn Take) {
        if let Cuts::Equal { covered, .. } = &mut self.cuts {
            covered.end = self.at;
        }
        if self.is_covered() && self.at > self.piece.start {
            // How long it was going to be decided how it was hashed.
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

    /// Ends the sequence: what it lacks is not there, and what is under way is waited for.
    pub(crate) fn end(&mut self, take: &mut dyn Take) {
        let end = self.cuts.covered().end;
        if self.piece != NONE && self.at < end {
            self.fill(end - self.at, true, take);
        }
        self.submit(take);
        self.settle(0, take);
    }
}

/// What the pieces of a unit come to, for each recipe.
fn digests(recipes: &[Recipe], unit: &Unit) -> Vec<Cooked> {
    let mut from = 0;
    let of = |&(end, start): &(usize, u64)| (&unit.bytes[std::mem::replace(&mut from, end)..end], start);
    let pieces: Vec<(&[u8], u64)> = unit.pieces.iter().map(of).collect();
    recipes.iter().map(|recipe| recipe.cook(&pieces)).collect()
}
