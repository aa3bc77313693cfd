//! Distributes work to the threads of a scan: data or holes, in ascending order, with a limit on the distance to the
//! slowest thread.

use crate::error::Error;
use crate::io::source::Source;
use crate::pieces::UNIT;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use truesum_hash::tree::{Merkle, Plan};

/// The number of units or leaves, per thread, by which a thread may be ahead of the slowest one.
/// This limits the digests that wait for earlier ones.
const AHEAD: u64 = 64;

/// Distributes the units of a file, or its pieces if they are large leaves, each once.
pub(super) struct WorkQueue<'a> {
    source: Source<'a>,
    /// The plan whose leaves are handed out individually; otherwise units are.
    leaves: Option<&'a Plan>,
    /// Whether holes are handed out as such; otherwise they are read like data.
    zeros: bool,
    threads: u64,
    /// The maximum number taken at a time.
    most: usize,
    rest: Mutex<Remaining>,
    moved: Condvar,
    /// Held while something is taken and read, because disks and the kernel's read-ahead work best sequentially.
    disk: Mutex<()>,
}

/// The remaining work: numbers of units or leaves.
#[derive(Default)]
struct Remaining {
    /// The remaining ranges, ascending.
    wanted: std::vec::IntoIter<Range<u64>>,
    current: Range<u64>,
    /// The most recently found data, in bytes.
    data: Range<u64>,
    /// The first item that each thread is working on.
    taken: Vec<u64>,
    failed: Option<Error>,
}

/// A work item.
pub(super) enum Work {
    /// Read and hash these units or leaves.
    Read(Vec<u64>),
    /// These are zeros.
    Hole(Range<u64>),
}

/// A work item in progress.
pub(super) struct WorkItem<'h, 'a> {
    queue: &'h WorkQueue<'a>,
    first: u64,
    pub(crate) work: Work,
}

impl Drop for WorkItem<'_, '_> {
    fn drop(&mut self) {
        let mut rest = lock(&self.queue.rest);
        if let Some(at) = rest.taken.iter().position(|&first| first == self.first) {
            rest.taken.swap_remove(at);
        }
        drop(rest);
        self.queue.moved.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> WorkQueue<'a> {
    pub(super) fn new(
        source: Source<'a>,
        leaves: Option<&'a Plan>,
        zeros: bool,
        threads: usize,
        (wanted, most): (Vec<Range<u64>>, usize),
    ) -> WorkQueue<'a> {
        WorkQueue {
            source,
            leaves,
            zeros,
            threads: threads as u64,
            most,
            rest: Mutex::new(Remaining { wanted: wanted.into_iter(), ..Remaining::default() }),
            moved: Condvar::new(),
            disk: Mutex::new(()),
        }
    }

    /// Waits until this thread may take and read the next item.
    pub(super) fn lock_disk(&self) -> MutexGuard<'_, ()> {
        lock(&self.disk)
    }

    /// Records an error; nothing more is handed out.
    pub(super) fn fail(&self, error: Error) {
        // No wake-up is needed: a thread that waits in `take` waits for the item of another one,
        // and every item ends with a wake-up, however its thread ends (`WorkItem::drop`).
        lock(&self.rest).failed.get_or_insert(error);
    }

    /// Returns whether a thread failed or the run was stopped.
    pub(super) fn ended_early(&self) -> bool {
        self.source.progress.stopped() || lock(&self.rest).failed.is_some()
    }

    /// Returns the result.
    ///
    /// # Errors
    /// Returns the first error of a thread, or that the run was stopped.
    pub(super) fn end(self) -> Result<(), Error> {
        match self.rest.into_inner().unwrap_or_else(PoisonError::into_inner).failed {
            Some(error) => Err(error),
            None if self.source.progress.stopped() => Err(Error::interrupted(self.source.path)),
            None => Ok(()),
        }
    }

    /// Counts zeros as done.
    pub(super) fn passed(&self, items: &Range<u64>) {
        let end = self.leaves.map_or_else(|| items.end * UNIT, |plan| plan.piece(items.end - 1).end);
        self.source.progress.add_bytes(end - self.start(items.start));
    }

    /// Returns the offset of a unit or leaf.
    fn start(&self, item: u64) -> u64 {
        self.leaves.map_or_else(|| item * UNIT, |plan| plan.piece(item).start)
    }

    /// Returns the next work item, or `None` if there are no more, a thread failed, or the run was stopped.
    pub(super) fn take(&self) -> Option<WorkItem<'_, 'a>> {
        let mut rest = lock(&self.rest);
        // Two windows per thread at least; otherwise threads would wait for each other all the
        // time.
        let ahead = AHEAD.max(2 * self.most as u64) * self.threads;
        loop {
            if rest.failed.is_some() || self.source.progress.stopped() {
                return None;
            }
            while rest.current.is_empty() {
                rest.current = rest.wanted.next()?;
            }
            // No deadlock: a thread drops its item before it takes the next one, so the slowest
            // item belongs to a thread that does not wait here.
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
            // One query per extent instead of one per item. If the file changes in between, the
            // proof is refused, whatever is read.
            if rest.data.end <= start {
                rest.data =
                    self.source.data_from(start).map_err(|error| rest.failed.get_or_insert(error)).ok()?;
            }
            // A short piece at the end is not a run of zeros.
            let whole = |plan: &Plan| plan.merkle().map_or_else(|| plan.piece(0).end, Merkle::leaf_size);
            let len = self.leaves.map_or(UNIT, whole);
            // Rounded down: an item that is partly data is read.
            let free = (rest.data.start / len).min(rest.current.end);
            if free > first {
                rest.current.start = free;
                rest.taken.push(first);
                return Some(WorkItem { queue: self, first, work: Work::Hole(first..free) });
            }
            // Rounded up: a window ends with the item that contains the end of the data, so that
            // the hole after it is handed out as such.
            data_end = rest.data.end.div_ceil(len);
        }
        let mut items = Vec::with_capacity(self.most);
        while items.len() < self.most {
            match rest.current.next() {
                Some(item) => items.push(item),
                // Leaves need not be adjacent to be hashed side by side.
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
        Some(WorkItem { queue: self, first, work: Work::Read(items) })
    }
}
