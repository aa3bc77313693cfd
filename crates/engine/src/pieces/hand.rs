//! What the threads of a scan take next: data or a hole, ascending, nobody far ahead of the slowest.

use crate::error::Error;
use crate::io::source::Source;
use crate::pieces::UNIT;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use truesum_hash::tree::{Merkle, Plan};

/// What a thread may be ahead of the slowest one, for each thread: digests that wait for earlier ones.
const AHEAD: u64 = 64;

/// Hands out the units of a file, or its pieces where they are large leaves, each once.
pub(super) struct Hand<'a> {
    source: Source<'a>,
    /// Whose pieces are handed out one by one; otherwise units are.
    leaves: Option<&'a Plan>,
    /// Whether holes are handed out as such; otherwise they are read like data.
    zeros: bool,
    threads: u64,
    /// Most that are taken at a time.
    most: usize,
    rest: Mutex<Remaining>,
    moved: Condvar,
    /// Held while something is taken and read, one after the other, as disks and the kernel's read-ahead like it.
    turn: Mutex<()>,
}

/// What there is to hand out: numbers of units or leaves.
#[derive(Default)]
struct Remaining {
    /// Still to come, ascending.
    wanted: std::vec::IntoIter<Range<u64>>,
    current: Range<u64>,
    /// The data found last, in bytes.
    data: Range<u64>,
    /// The first of what each thread is at.
    taken: Vec<u64>,
    failed: Option<Error>,
}

/// What to do with something taken.
pub(super) enum Work {
    /// Read and hash these units or leaves.
    Read(Vec<u64>),
    /// They are zeros.
    Hole(Range<u64>),
}

/// Something taken, until it is done.
pub(super) struct Taken<'h, 'a> {
    hand: &'h Hand<'a>,
    first: u64,
    pub work: Work,
}

impl Drop for Taken<'_, '_> {
    fn drop(&mut self) {
        let mut rest = lock(&self.hand.rest);
        if let Some(at) = rest.taken.iter().position(|&first| first == self.first) {
            rest.taken.swap_remove(at);
        }
        drop(rest);
        self.hand.moved.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Hand<'a> {
    pub(super) fn new(
        source: Source<'a>,
        leaves: Option<&'a Plan>,
        zeros: bool,
        threads: usize,
        (wanted, most): (Vec<Range<u64>>, usize),
    ) -> Hand<'a> {
        Hand {
            source,
            leaves,
            zeros,
            threads: threads as u64,
            most,
            rest: Mutex::new(Remaining { wanted: wanted.into_iter(), ..Remaining::default() }),
            moved: Condvar::new(),
            turn: Mutex::new(()),
        }
    }

    /// Waits for the turn to take something and read it.
    pub(super) fn turn(&self) -> MutexGuard<'_, ()> {
        lock(&self.turn)
    }

    /// Takes note of an error: nothing more is handed out.
    pub(super) fn fail(&self, error: Error) {
        lock(&self.rest).failed.get_or_insert(error);
    }

    /// Whether a thread failed, or the run was stopped.
    pub(super) fn ended_early(&self) -> bool {
        self.source.progress.stopped() || lock(&self.rest).failed.is_some()
    }

    /// How it ended.
    ///
    /// # Errors
    /// The first one that a thread told; the run was stopped.
    pub(super) fn end(self) -> Result<(), Error> {
        match self.rest.into_inner().unwrap_or_else(PoisonError::into_inner).failed {
            Some(error) => Err(error),
            None if self.source.progress.stopped() => Err(Error::interrupted(self.source.path)),
            None => Ok(()),
        }
    }

    /// Counts zeros that are done.
    pub(super) fn passed(&self, items: &Range<u64>) {
        let end = self.leaves.map_or_else(|| items.end * UNIT, |plan| plan.piece(items.end - 1).end);
        self.source.progress.add_bytes(end - self.start(items.start));
    }

    /// Where the bytes of a unit or a leaf begin.
    fn start(&self, item: u64) -> u64 {
        self.leaves.map_or_else(|| item * UNIT, |plan| plan.piece(item).start)
    }

    /// The next work; `None` when there is no more, one thread failed, or the run was stopped.
    pub(super) fn take(&self) -> Option<Taken<'_, 'a>> {
        let mut rest = lock(&self.rest);
        let ahead = AHEAD.max(2 * self.most as u64) * self.threads;
        loop {
            if rest.failed.is_some() || self.source.progress.stopped() {
                return None;
            }
            while rest.current.is_empty() {
                rest.current = rest.wanted.next()?;
            }
            match rest.taken.iter().min() {
                Some(slowest) if rest.current.start >= slowest + ahead => {
                    rest = self.moved.wait(rest).unwrap_or_else(PoisonError::into_inner);
                }
                _ => break,
            }
        }
        let first = rest.current.start;
        let mut data_end = u64::MAX;
        if self.zeros {
            let start = self.start(first);
            if rest.data.end <= start {
                rest.data =
                    self.source.data_from(start).map_err(|error| rest.failed.get_or_insert(error)).ok()?;
            }
            // A short piece at the end is no run of zeros.
            let whole = |plan: &Plan| plan.merkle().map_or_else(|| plan.piece(0).end, Merkle::leaf_size);
            let len = self.leaves.map_or(UNIT, whole);
            let free = (rest.data.start / len).min(rest.current.end);
            if free > first {
                rest.current.start = free;
                rest.taken.push(first);
                return Some(Taken { hand: self, first, work: Work::Hole(first..free) });
            }
            data_end = rest.data.end.div_ceil(len);
        }
        let mut items = Vec::with_capacity(self.most);
        while items.len() < self.most {
            match rest.current.next() {
                Some(item) => items.push(item),
                // Leaves need not be neighbours to be hashed side by side.
                None if self.leaves.is_some() => match rest.wanted.next() {
                    Some(range) => rest.current = range,
                    None => break,
                },
                None => break,
            }
            if rest.current.start >= data_end {
                break;
            }
        }
        rest.taken.push(first);
        Some(Taken { hand: self, first, work: Work::Read(items) })
    }
}
