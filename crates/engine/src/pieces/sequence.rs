//! Bytes of several files laid end to end, cut into pieces: units of small pieces are hashed in lanes on other threads, while the
//! next ones are read; large pieces are hashed as they come. Memory is that of a few units.

use crate::io::room::{is_tight, thread};
use crate::pieces::UNIT;
use crossbeam_channel::{Receiver, Sender, bounded};
use std::collections::VecDeque;
use std::ops::Range;
use std::thread::Scope;
use truesum_hash::{Hasher, Spec, finish_many, update_many};

/// Pieces hashed at a time: more than there are lanes.
const TOGETHER: usize = 64;
/// Bytes of a unit where memory is short.
const SMALL_UNIT: u64 = 1 << 17;
/// Most units under way.
const UNDER_WAY: usize = 16;

/// Takes what becomes of pieces, in order.
pub(crate) trait Take {
    /// Digests of pieces that follow each other, the first of this number: those of each algorithm one after the other.
    /// A piece that is `absent` lacks bytes, and its digest says nothing; where there is no word of that, it is there.
    fn pieces(&mut self, first: u64, digests: &[Vec<u8>], absent: &[bool]);
    /// Whole pieces, by the bytes they cover, of which nothing is there.
    fn absent(&mut self, range: Range<u64>);
}

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
    digests: Vec<Vec<u8>>,
    absent: Vec<bool>,
}

/// Cuts the bytes of a sequence.
pub(crate) struct Sequence {
    specs: Vec<Spec>,
    /// Threads that hash units. Where there is no room for one, they are hashed here.
    threads: usize,
    covered: Range<u64>,
    piece_len: u64,
    /// Pieces of a unit; 0 where a piece is larger than a unit.
    per_unit: u64,
    /// Where in the sequence the next byte lies.
    at: u64,
    /// The large piece under way.
    hashers: Vec<Hasher>,
    /// What of the pieces under way is not there.
    absent: Vec<bool>,
    /// The small pieces under way.
    bytes: Vec<u8>,
    work: Sender<Work>,
    under_way: VecDeque<Receiver<Done>>,
    most: usize,
    spare: Vec<Vec<u8>>,
}

impl Sequence {
    /// A sequence whose bytes from `at` on come next. Pieces cover the bytes of `covered`. Threads live until this is dropped.
    pub(crate) fn new<'s>(
        specs: &[Spec],
        at: u64,
        covered: Range<u64>,
        piece_len: u64,
        threads: usize,
        scope: &'s Scope<'s, '_>,
    ) -> Sequence {
        let piece_len = piece_len.max(1);
        let unit = if is_tight() { SMALL_UNIT } else { UNIT };
        let per_unit = unit / piece_len;
        let most = (2 * threads).clamp(2, UNDER_WAY);
        let (work, queue) = bounded::<Work>(most);
        // Little to hash needs no second thread, and large pieces are hashed as they come.
        let units = (covered.end - covered.start) / unit;
        let threads = if per_unit == 0 || is_tight() { 0 } else { threads.min(units as usize + 1) };
        let start = |_: &usize| {
            let (queue, specs) = (queue.clone(), specs.to_vec());
            let work = move || {
                while let Ok(Work { bytes, first, absent, done }) = queue.recv() {
                    let digests = digests(&specs, &bytes, piece_len);
                    // Nobody waits for it after a stop.
                    let _ = done.send(Done { bytes, first, digests, absent });
                }
            };
            thread("hash").is_some_and(|builder| builder.spawn_scoped(scope, work).is_ok())
        };
        let threads = (0..threads).filter(start).count();
        Sequence {
            specs: specs.to_vec(),
            threads,
            hashers: specs.iter().map(Spec::hasher).collect(),
            at,
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
    pub(crate) fn bytes(&mut self, mut bytes: &[u8], take: &mut dyn Take) {
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(self.room().min(bytes.len() as u64) as usize);
            if self.is_covered() {
                match self.per_unit {
                    0 => self.hashers.iter_mut().for_each(|hasher| hasher.update(now)),
                    _ => self.bytes.extend_from_slice(now),
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

    /// Bytes that are not there.
    pub(crate) fn absent(&mut self, count: u64, take: &mut dyn Take) {
        self.fill(count, true, take);
    }

    /// Fills up the piece under way and begins the last one; whole pieces between them are passed over.
    fn fill(&mut self, mut count: u64, absent: bool, take: &mut dyn Take) {
        while count > 0 {
            let fresh = self.is_covered() && (self.at - self.covered.start).is_multiple_of(self.piece_len);
            let whole = count.min(self.covered.end.saturating_sub(self.at)) / self.piece_len * self.piece_len;
            if fresh && whole > 0 {
                self.submit(take);
                self.settle(0, take);
                take.absent(self.at..self.at + whole);
                (self.at, count) = (self.at + whole, count - whole);
                continue;
            }
            let room = self.room().min(count);
            if self.is_covered() {
                if absent {
                    self.mark();
                }
                match self.per_unit {
                    0 if absent => {}
                    0 => self.hashers.iter_mut().for_each(|hasher| hasher.update_zeros(room)),
                    _ => self.bytes.resize(self.bytes.len() + room as usize, 0),
                }
            }
            self.move_on(room, take);
            count -= room;
        }
    }

    fn is_covered(&self) -> bool {
        self.covered.contains(&self.at)
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
        let piece = if self.per_unit == 0 { 0 } else { (self.bytes.len() as u64 / self.piece_len) as usize };
        self.absent.resize(self.absent.len().max(piece + 1), false);
        self.absent[piece] = true;
    }

    /// Moves on over bytes that end no later than the piece they lie in.
    fn move_on(&mut self, count: u64, take: &mut dyn Take) {
        let was_covered = self.is_covered();
        self.at += count;
        let ends = (self.at.saturating_sub(self.covered.start)).is_multiple_of(self.piece_len);
        let last = self.at == self.covered.end;
        if !was_covered || !(ends || last) {
            return;
        }
        if self.per_unit == 0 {
            self.large(take);
        } else if last || self.bytes.len() as u64 >= self.per_unit * self.piece_len {
            self.submit(take);
        }
    }

    /// Ends the large piece under way.
    fn large(&mut self, take: &mut dyn Take) {
        let first = (self.at - self.covered.start - 1) / self.piece_len;
        let digests: Vec<Vec<u8>> =
            self.hashers.iter_mut().map(|hasher| hasher.finish_reset().as_bytes().to_vec()).collect();
        take.pieces(first, &digests, &std::mem::take(&mut self.absent));
    }

    /// Sends the small pieces that were gathered, all of them whole, to be hashed.
    fn submit(&mut self, take: &mut dyn Take) {
        if self.bytes.is_empty() {
            return;
        }
        let absent = std::mem::take(&mut self.absent);
        let pieces = (self.bytes.len() as u64).div_ceil(self.piece_len);
        let first = (self.at - self.covered.start).div_ceil(self.piece_len) - pieces;
        if self.threads == 0 {
            take.pieces(first, &digests(&self.specs, &self.bytes, self.piece_len), &absent);
            return self.bytes.clear();
        }
        let bytes = std::mem::replace(&mut self.bytes, self.spare.pop().unwrap_or_default());
        let (done, receiver) = bounded(1);
        self.settle(self.most - 1, take);
        self.under_way.push_back(receiver);
        // The threads live as long as this does.
        let _ = self.work.send(Work { bytes, first, absent, done });
    }

    /// Waits until no more than `most` units are under way.
    fn settle(&mut self, most: usize, take: &mut dyn Take) {
        while self.under_way.len() > most {
            let Some(receiver) = self.under_way.pop_front() else { return };
            let Ok(Done { mut bytes, first, digests, absent }) = receiver.recv() else { return };
            bytes.clear();
            self.spare.push(bytes);
            take.pieces(first, &digests, &absent);
        }
    }

    /// Ends what pieces cover here, if that was not known before: the last piece may be shorter.
    pub(crate) fn end_here(&mut self, take: &mut dyn Take) {
        let into = self.at - self.covered.start;
        self.covered.end = self.at;
        if self.per_unit == 0 && !into.is_multiple_of(self.piece_len) {
            self.large(take);
        }
        self.end(take);
    }

    /// Ends the sequence: what it lacks is not there, and what is under way is waited for.
    pub(crate) fn end(&mut self, take: &mut dyn Take) {
        if self.is_covered() {
            self.fill(self.covered.end - self.at, true, take);
        }
        self.submit(take);
        self.settle(0, take);
    }
}

/// The digests of the pieces of a unit, for each algorithm one after the other.
fn digests(specs: &[Spec], bytes: &[u8], piece_len: u64) -> Vec<Vec<u8>> {
    let pieces: Vec<&[u8]> = bytes.chunks(piece_len as usize).collect();
    let of = |spec: &Spec| {
        let mut all = Vec::with_capacity(pieces.len() * spec.digest_len());
        let mut hashers: Vec<Hasher> = pieces.iter().take(TOGETHER).map(|_| spec.hasher()).collect();
        for pieces in pieces.chunks(TOGETHER) {
            let mut refs: Vec<&mut Hasher> = hashers[..pieces.len()].iter_mut().collect();
            update_many(&mut refs, pieces);
            finish_many(&mut refs).iter().for_each(|digest| all.extend_from_slice(digest.as_bytes()));
        }
        all
    };
    specs.iter().map(of).collect()
}
