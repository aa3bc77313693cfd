//! Which file next: tasks from the iterator to workers, within a window, the largest first where all are known.

use crate::io::open::Root;
use crate::job::Job;
use crate::progress::Progress;
use crate::run::alone::alone;
use crate::run::event::{Batch, Told};
use crate::run::frontier::Frontier;
use crate::task::Task;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use truesum_hash::Spec;

/// How far workers may run ahead of what was handed out, in tasks: the bound on outcomes that wait for their turn.
const WINDOW: u64 = 1 << 14;
/// Bytes of names in a window. Where names are long, it holds fewer tasks.
const NAMES: usize = 16 << 20;
/// A worker that waits does so until it may take this many tasks, and the shortest window is no shorter.
const ROOM: u64 = 64;
/// A list of at most this many tasks is looked at as a whole first.
const KNOWN: usize = 4096;
/// Tasks taken from the iterator at a time.
const BATCH: usize = 32;
/// Starting a thread takes about as long as hashing this many bytes.
const THREAD_COST: u64 = 1 << 17;

/// Gives jobs to workers.
pub(crate) struct Feeder<'a> {
    feed: Mutex<Feed<'a>>,
    frontier: Frontier,
    /// How many threads have something to do.
    pub useful_threads: usize,
    /// Threads asked for.
    threads: usize,
    /// Jobs in all, where that is known.
    known_jobs: Option<usize>,
    /// Set by a worker that mostly waits for disks.
    waiting: AtomicBool,
    /// Held by the one worker that reads a spinning disk.
    turn: Mutex<()>,
}

struct Feed<'a> {
    /// Jobs already taken from the iterator, the next one last.
    ready: Vec<Assigned>,
    /// Notices already taken from the iterator.
    told: Batch,
    tasks: &'a mut (dyn Iterator<Item = Task> + Send),
    next: u64,
    /// Files found, those of earlier runs with the same counters among them.
    found: u64,
    progress: &'a Progress,
    /// Jobs taken from the iterator.
    jobs: u64,
    /// No more tasks are taken from the iterator.
    ended: bool,
    /// The longest name so far.
    longest: usize,
}

/// A job and its place in the order of tasks.
pub(crate) struct Assigned {
    pub place: u64,
    pub job: Job,
    /// Whether this file would outlast all others in a lane, and so gets a core and the best kernel for one message.
    /// Nothing where that could not be known.
    pub alone: Option<bool>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Feeder<'a> {
    pub(crate) fn new(
        tasks: &'a mut (dyn Iterator<Item = Task> + Send),
        root: &Root,
        threads: usize,
        progress: &'a Progress,
    ) -> Feeder<'a> {
        let (ready, told, found) = (Vec::new(), Vec::new(), progress.found());
        let mut feed =
            Feed { ready, told, tasks, next: 0, found, progress, jobs: 0, ended: false, longest: 1 };
        let mut bytes = feed.take(KNOWN);
        let mut useful_threads = threads;
        let mut known_jobs = None;
        if feed.ended {
            known_jobs = Some(feed.ready.len());
            bytes = match &mut feed.ready[..] {
                // One file by itself needs no plan, and no question for its size.
                [only] => {
                    only.alone = Some(true);
                    None
                }
                _ => Some(feed.largest_first(root, threads)),
            };
            useful_threads =
                threads.min(feed.ready.len()).min(1 + (bytes.unwrap_or(0) / THREAD_COST) as usize);
        }
        // The size of a single one is known when it is opened.
        if known_jobs != Some(1) {
            progress.add_found_bytes(bytes);
        }
        Feeder {
            feed: Mutex::new(feed),
            frontier: Frontier::new(),
            useful_threads,
            threads,
            known_jobs,
            waiting: AtomicBool::new(false),
            turn: Mutex::new(()),
        }
    }

    /// Waits for the turn to read a spinning disk.
    pub(crate) fn turn(&self) -> MutexGuard<'_, ()> {
        lock(&self.turn)
    }

    /// Tells that a worker mostly waits for disks.
    pub(crate) fn tell_waiting(&self) {
        self.waiting.store(true, Relaxed);
    }

    /// Whether a worker told so since the last time this was asked.
    pub(crate) fn take_waiting(&self) -> bool {
        self.waiting.load(Relaxed) && self.waiting.swap(false, Relaxed)
    }

    /// Jobs found, done or to do: those taken, and those that are to come for certain.
    pub(crate) fn found(&self) -> u64 {
        let feed = lock(&self.feed);
        let least = if feed.ended { 0 } else { feed.tasks.size_hint().0 as u64 };
        feed.jobs + least
    }

    /// Whether there is one job in all.
    pub(crate) fn is_single(&self) -> bool {
        self.known_jobs == Some(1)
    }

    /// How many threads one file may take for itself: all that the other files leave idle.
    pub(crate) fn idle_threads(&self) -> usize {
        self.known_jobs.map_or(1, |jobs| self.threads.saturating_sub(jobs - 1).max(1))
    }

    /// Takes up to `most` jobs, and notices on the way. Waits for the window to move on only if `idle`: a worker that holds
    /// anything may be the one that everybody waits for. Returns false at the end of all jobs.
    pub(crate) fn pull(&self, most: usize, idle: bool, jobs: &mut Vec<Assigned>, told: &mut Batch) -> bool {
        loop {
            let mut feed = lock(&self.feed);
            let room = match self.frontier.place() {
                Some(handed_out) => (handed_out + feed.window()).saturating_sub(feed.next),
                None => {
                    feed.ended = true;
                    feed.ready.clear();
                    0
                }
            };
            if feed.ready.is_empty() && !feed.ended && room > 0 {
                let batch = BATCH.max(most).min(room as usize);
                let bytes = feed.take(batch);
                feed.progress.add_found_bytes(bytes);
            }
            told.append(&mut feed.told);
            // Towards the end, what is left is shared: the other threads would have nothing to do.
            let share = if feed.ended { feed.ready.len().div_ceil(self.useful_threads.max(1)) } else { most };
            let rest = feed.ready.len().saturating_sub(most.min(share));
            jobs.extend(feed.ready.drain(rest..).rev());
            if !jobs.is_empty() || !told.is_empty() || !idle {
                return !(feed.ended && feed.ready.is_empty() && jobs.is_empty());
            }
            if feed.ended && feed.ready.is_empty() {
                return false;
            }
            let until = (feed.next + ROOM).saturating_sub(feed.window());
            drop(feed);
            self.frontier.wait(until);
        }
    }

    /// Moves the window on: all tasks before `place` were handed out.
    pub(crate) fn handed_out(&self, place: u64) {
        self.frontier.advance(place);
    }

    /// Where workers wait, and what they close when they leave.
    pub(crate) fn frontier(&self) -> &Frontier {
        &self.frontier
    }
}

impl Feed<'_> {
    /// How many tasks may be under way.
    fn window(&self) -> u64 {
        ((NAMES / self.longest) as u64).clamp(ROOM, WINDOW)
    }

    /// Takes tasks from the iterator, unless the run was stopped. Returns the sum of the sizes that manifests state, if all are known.
    fn take(&mut self, most: usize) -> Option<u64> {
        let mut bytes = Some(0u64);
        for taken in 0..most as u64 {
            if taken >= self.window() {
                break;
            }
            let Some(task) = (if self.progress.stopped() { None } else { self.tasks.next() }) else {
                self.ended = true;
                break;
            };
            let place = self.next;
            self.next += 1;
            match task {
                Task::File(job) => {
                    self.found += 1;
                    self.jobs += 1;
                    self.longest = self.longest.max(job.path().len());
                    bytes = bytes.zip(job.size).map(|(sum, size)| sum.saturating_add(size));
                    self.ready.push(Assigned { place, job, alone: None });
                }
                Task::Tell(notice) => self.told.push((place, Told::Notice(notice))),
            }
        }
        self.ready.reverse();
        // What is told instead of being read is among the least to come, and leaves it again.
        let (least, most) = if self.ended { (0, Some(0)) } else { self.tasks.size_hint() };
        let exact = most == Some(least);
        self.progress.set_found(self.found + least as u64, exact);
        // The tasks that are still to come count as found, but their sizes are not known.
        if exact && !self.ended { None } else { bytes }
    }

    /// Asks all files for their sizes, puts the largest where they start first, and says which go alone. Returns the sum of the
    /// sizes.
    fn largest_first(&mut self, root: &Root, threads: usize) -> u64 {
        let mut sized: Vec<(u64, Assigned)> =
            self.ready.drain(..).map(|assigned| (size(&assigned.job, root), assigned)).collect();
        // A stable sort by size, and the ready jobs are taken from the end.
        sized.sort_by_key(|(size, _)| *size);
        let total: u64 = sized.iter().map(|(size, _)| size).sum();
        // Lists of one algorithm are the rule; where several are, those of the largest file decide.
        let specs: &[Spec] = sized.last().map_or(&[], |(_, assigned)| &assigned.job.specs);
        let sizes: Vec<u64> = sized.iter().rev().map(|(size, _)| *size).collect();
        let first = sized.len() - alone(&sizes, specs, threads);
        for (at, (_, assigned)) in sized.iter_mut().enumerate() {
            assigned.alone = Some(at >= first);
        }
        self.ready.extend(sized.into_iter().map(|(_, assigned)| assigned));
        total
    }
}

/// A file's size, as far as it can be had before the file is opened.
fn size(job: &Job, root: &Root) -> u64 {
    let (root, path) = job.way(root);
    root.size(path)
}
