//! The bytes of a sequence, cut into pieces: units of small pieces are hashed on other threads, large pieces as they come.

use super::judge::{Judge, State};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::collections::VecDeque;
use std::ops::Range;
use std::thread::Scope;
use truesum_hash::{Digest, Hasher, finish_many, update_many};
use truesum_manifest::Pieces;

/// Bytes of a unit, if its pieces are not larger.
const UNIT: u64 = 1 << 20;
/// Pieces hashed at a time: more than there are lanes.
const TOGETHER: usize = 64;
/// Most units under way.
const UNDER_WAY: usize = 16;

/// A unit and its pieces, for another thread.
struct Work {
    bytes: Vec<u8>,
    /// The first piece.
    first: u64,
    /// What of its pieces is not there.
    absent: Vec<bool>,
    done: Sender<Done>,
}

/// A unit that was hashed.
struct Done {
    bytes: Vec<u8>,
    first: u64,
    states: Vec<State>,
}

/// Cuts the bytes of a sequence.
pub(super) struct Units {
    lists: Vec<Pieces>,
    covered: Range<u64>,
    piece_len: u64,
    /// Pieces of a unit; 0 where a piece is larger than a unit.
    per_unit: u64,
    /// Where in the sequence the next byte lies.
    at: u64,
    /// What is known of the piece that is under way, where pieces are large.
    hashers: Vec<Hasher>,
    absent: Vec<bool>,
    bytes: Vec<u8>,
    work: Sender<Work>,
    under_way: VecDeque<Receiver<Done>>,
    most: usize,
    spare: Vec<Vec<u8>>,
}

impl Units {
    /// For lists of digests of the same pieces. Threads live until this is dropped.
    pub(super) fn new<'s>(lists: &[Pieces], threads: usize, scope: &'s Scope<'s, '_>) -> Units {
        let (covered, piece_len) = (lists[0].covered(), lists[0].piece_len().max(1));
        let per_unit = UNIT / piece_len;
        let most = (2 * threads).clamp(2, UNDER_WAY);
        let (work, queue) = bounded::<Work>(most);
        // Little to hash needs no second thread.
        let units = (covered.end - covered.start) / UNIT;
        let threads = if per_unit == 0 { 0 } else { threads.min(units as usize + 1) };
        for _ in 0..threads {
            let (queue, lists) = (queue.clone(), lists.to_vec());
            scope.spawn(move || {
                while let Ok(Work { bytes, first, absent, done }) = queue.recv() {
                    let states = states(&lists, &bytes, first, &absent);
                    // Nobody waits for it after a stop.
                    let _ = done.send(Done { bytes, first, states });
                }
            });
        }
        Units {
            hashers: lists.iter().map(|list| list.spec().hasher()).collect(),
            lists: lists.to_vec(),
            at: covered.start.min(lists[0].file_start()),
            covered,
            piece_len,
            per_unit,
            absent: Vec::new(),
            bytes: Vec::new(),
            work,
            under_way: VecDeque::new(),
            most,
            spare: Vec::new(),
        }
    }

    /// The next bytes.
    pub(super) fn bytes(&mut self, mut bytes: &[u8], judge: &mut Judge) {
        while !bytes.is_empty() {
            let room = self.room().min(bytes.len() as u64) as usize;
            let (now, rest) = bytes.split_at(room);
            self.take(
                now.len() as u64,
                |units| match units.per_unit {
                    0 => units.hashers.iter_mut().for_each(|hasher| hasher.update(now)),
                    _ => units.bytes.extend_from_slice(now),
                },
                judge,
            );
            bytes = rest;
        }
    }

    /// Bytes that are zero without being in a file.
    pub(super) fn zeros(&mut self, count: u64, judge: &mut Judge) {
        self.fill(count, false, judge);
    }

    /// Bytes that are not there.
    pub(super) fn absent(&mut self, count: u64, judge: &mut Judge) {
        self.fill(count, true, judge);
    }

    /// Fills up the piece under way and begins the last one; whole pieces between them are passed over.
    fn fill(&mut self, mut count: u64, absent: bool, judge: &mut Judge) {
        while count > 0 {
            let inside = self.covered.contains(&self.at);
            let fresh = inside && (self.at - self.covered.start).is_multiple_of(self.piece_len);
            let whole =
                (count / self.piece_len * self.piece_len).min(self.covered.end.saturating_sub(self.at));
            if fresh && whole >= self.piece_len {
                self.submit(judge);
                self.settle(0, judge);
                let whole = whole / self.piece_len * self.piece_len;
                judge.unknown(self.at..self.at + whole);
                (self.at, count) = (self.at + whole, count - whole);
                continue;
            }
            let room = self.room().min(count);
            self.take(
                room,
                |units| match (units.per_unit, absent) {
                    (0, true) => units.mark(),
                    (0, false) => units.hashers.iter_mut().for_each(|hasher| hasher.update_zeros(room)),
                    (_, absent) => {
                        if absent {
                            units.mark();
                        }
                        let len = units.bytes.len() + room as usize;
                        units.bytes.resize(len, 0);
                    }
                },
                judge,
            );
            count -= room;
        }
    }

    /// Bytes until the end of the piece, or of what is not covered.
    fn room(&self) -> u64 {
        if self.at < self.covered.start {
            self.covered.start - self.at
        } else if self.at < self.covered.end {
            let into = (self.at - self.covered.start) % self.piece_len;
            (self.piece_len - into).min(self.covered.end - self.at)
        } else {
            u64::MAX - self.at
        }
    }

    /// Marks the piece under way as one that is not there.
    fn mark(&mut self) {
        let first = self.bytes.len() as u64 / self.piece_len;
        let piece = if self.per_unit == 0 { 0 } else { first as usize };
        self.absent.resize(self.absent.len().max(piece + 1), false);
        self.absent[piece] = true;
    }

    /// Takes bytes that end no later than the piece they lie in.
    fn take(&mut self, count: u64, put: impl FnOnce(&mut Units), judge: &mut Judge) {
        let inside = self.covered.contains(&self.at);
        if inside {
            put(self);
        }
        self.at += count;
        let into = self.at.saturating_sub(self.covered.start);
        if inside && (into.is_multiple_of(self.piece_len) || self.at == self.covered.end) {
            let full = self.per_unit != 0 && self.bytes.len() as u64 >= self.per_unit * self.piece_len;
            if self.per_unit == 0 || full || self.at == self.covered.end {
                self.submit(judge);
            }
        }
    }

    /// Sends what was gathered, whole pieces, to be hashed.
    fn submit(&mut self, judge: &mut Judge) {
        let absent = std::mem::take(&mut self.absent);
        let into = self.at - self.covered.start.min(self.at);
        if self.per_unit == 0 {
            let first = into.saturating_sub(1) / self.piece_len;
            if into == 0 || (into.is_multiple_of(self.piece_len) && judge.known() >= self.at) {
                return;
            }
            let digests: Vec<Digest> = self.hashers.iter_mut().map(Hasher::finish_reset).collect();
            let good = self.lists.iter().zip(&digests).all(|(list, digest)| is_digest(list, first, digest));
            let state = if absent.first() == Some(&true) { State::Unknown } else { State::of(good) };
            judge.pieces(first, &[state]);
            return;
        }
        if self.bytes.is_empty() {
            return;
        }
        let pieces = (self.bytes.len() as u64).div_ceil(self.piece_len);
        let first = into.div_ceil(self.piece_len) - pieces;
        let next = self.spare.pop().unwrap_or_default();
        let bytes = std::mem::replace(&mut self.bytes, next);
        let (done, receiver) = bounded(1);
        self.settle(self.most - 1, judge);
        self.under_way.push_back(receiver);
        // The threads live as long as this does.
        let _ = self.work.send(Work { bytes, first, absent, done });
    }

    /// Waits until no more than `most` units are under way.
    fn settle(&mut self, most: usize, judge: &mut Judge) {
        while self.under_way.len() > most {
            let Some(receiver) = self.under_way.pop_front() else { return };
            let Ok(Done { mut bytes, first, states }) = receiver.recv() else { return };
            bytes.clear();
            self.spare.push(bytes);
            judge.pieces(first, &states);
        }
    }

    /// Ends the sequence: what is under way is waited for.
    pub(super) fn end(&mut self, judge: &mut Judge) {
        // A sequence that ends within a piece has no last digest.
        if self.covered.contains(&self.at) {
            self.fill(self.covered.end - self.at, true, judge);
        }
        if self.per_unit != 0 {
            self.submit(judge);
            self.settle(0, judge);
        }
    }
}

/// Whether this is the listed digest of a piece.
fn is_digest(list: &Pieces, piece: u64, digest: &Digest) -> bool {
    let len = list.spec().digest_len();
    let at = piece as usize * len;
    list.digests().get(at..at + len) == Some(digest.as_bytes())
}

/// What becomes of the pieces of a unit.
fn states(lists: &[Pieces], bytes: &[u8], first: u64, absent: &[bool]) -> Vec<State> {
    let pieces: Vec<&[u8]> = bytes.chunks(lists[0].piece_len() as usize).collect();
    let mut states = vec![State::Good; pieces.len()];
    for list in lists {
        let mut hashers: Vec<Hasher> = pieces.iter().take(TOGETHER).map(|_| list.spec().hasher()).collect();
        for (group, pieces) in pieces.chunks(TOGETHER).enumerate() {
            let mut refs: Vec<&mut Hasher> = hashers[..pieces.len()].iter_mut().collect();
            update_many(&mut refs, pieces);
            for (at, digest) in finish_many(&mut refs).iter().enumerate() {
                let at = group * TOGETHER + at;
                if !is_digest(list, first + at as u64, digest) {
                    states[at] = State::Damaged;
                }
            }
        }
    }
    for (state, _) in states.iter_mut().zip(absent).filter(|(_, absent)| **absent) {
        *state = State::Unknown;
    }
    states
}
