//! Distributes tasks from an iterator to workers, within a window, and the largest first if all are known and the files
//! need not be read in order.

use crate::io::memory_limit::fitting;
use crate::io::open::FolderCache;
use crate::job::Job;
use crate::progress::Progress;
use crate::run::alone::alone;
use crate::run::config::Config;
use crate::run::event::{Batch, WorkerEvent};
use crate::run::frontier::Frontier;
use crate::run::order::{ReadOrder, SORTED};
use crate::task::Task;
use crossbeam_channel::{Receiver, Sender, bounded};
use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use truesum_hash::Spec;

/// The maximum number of tasks that workers may be ahead of the delivered outcomes. It limits the
/// number of outcomes that wait for earlier ones.
const WINDOW: u64 = 1 << 14;
/// The maximum total size in bytes of the names in a window. If names are long, a window contains
/// fewer tasks.
const NAMES: usize = 16 << 20;
/// The number of tasks that must be available before a waiting worker continues. The shortest
/// window is at least as long.
const MIN_READY: u64 = 64;
/// The maximum length of a list whose tasks are all examined before the first one is handed out.
const MAX_EXAMINED: usize = 4096;
/// The number of tasks taken from the iterator at a time.
const BATCH: usize = 32;
/// The number of bytes that can be hashed in the time it takes to start a thread.
const THREAD_COST: u64 = 1 << 17;
/// The number of bytes that can be hashed in the time it takes to open, examine and close a file.
const FILE_COST: u64 = 1 << 12;

/// Distributes jobs to workers.
pub(crate) struct Feeder<'a> {
    feed: Mutex<Feed<'a>>,
    config: &'a Config,
    frontier: Frontier,
    /// The number of threads that have something to do.
    pub(crate) useful_threads: usize,
    /// The requested number of threads.
    threads: usize,
    /// The total number of jobs, if known.
    known_jobs: Option<usize>,
    /// Whether one worker reads the files in order.
    in_order: bool,
    /// Set by a worker that mostly waits for disks.
    waiting: AtomicBool,
    /// Held by the one worker that reads a spinning disk.
    disk: Mutex<()>,
    /// A channel with one message for each worker that may hash at the same time, if there are more
    /// workers than that.
    permits: Option<(Sender<()>, Receiver<()>)>,
}

/// The right to hash, which is returned when it is dropped.
pub(crate) struct Permit<'a>(&'a Sender<()>);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

struct Feed<'a> {
    /// Jobs taken from the iterator, the next one last.
    ready: Vec<Assigned>,
    /// Notices taken from the iterator.
    events: Batch,
    tasks: &'a mut (dyn Iterator<Item = Task> + Send),
    next: u64,
    /// The number of files found, including those of earlier runs with the same counters.
    found: u64,
    progress: &'a Progress,
    /// The number of jobs taken from the iterator.
    jobs: u64,
    /// Whether no more tasks are taken from the iterator.
    ended: bool,
    /// The length of the longest name so far.
    longest: usize,
    /// The maximum number of tasks in progress, if names are short.
    most: u64,
}

/// A job and its position in the order of tasks.
pub(crate) struct Assigned {
    pub(crate) place: u64,
    pub(crate) job: Job,
    /// Whether this file would take longer in a lane than all others, and so gets a core and the best single-message
    /// kernel. `None` if that could not be determined.
    pub(crate) alone: Option<bool>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Feeder<'a> {
    pub(crate) fn new(
        tasks: &'a mut (dyn Iterator<Item = Task> + Send),
        config: &'a Config,
        threads: usize,
        progress: &'a Progress,
    ) -> Feeder<'a> {
        let (ready, events, found) = (Vec::new(), Vec::new(), progress.found());
        let most = if config.reads.order.is_sorted() { SORTED } else { WINDOW };
        let mut feed =
            Feed { ready, events, tasks, next: 0, found, progress, jobs: 0, ended: false, longest: 1, most };
        let mut bytes =
            feed.take(if config.reads.order.is_sorted() { SORTED as usize } else { MAX_EXAMINED });
        let connections = config.remote.as_ref().map(|remote| fitting(remote.connections()));
        let in_order = config.reads_in_order();
        let mut useful_threads = if in_order { 1 } else { connections.unwrap_or(threads) };
        let mut known_jobs = None;
        if feed.ended {
            known_jobs = Some(feed.ready.len());
            bytes = match &mut feed.ready[..] {
                // A single file needs no plan and no lookup of its size.
                [only] => {
                    only.alone = Some(true);
                    None
                }
                jobs if in_order || config.reads.order != ReadOrder::Fast => {
                    let mut sizes = Sizes::new(config);
                    total(jobs.iter().map(|next| sizes.of(&next.job)))
                }
                _ => feed.largest_first(config, threads),
            };
            useful_threads = useful_threads.min(feed.ready.len());
            if connections.is_none() {
                // A single file has no size here and gets one worker, which divides it among
                // threads if its digests allow that (`Feeder::idle_threads`).
                let work = bytes.unwrap_or(0).saturating_add(feed.ready.len() as u64 * FILE_COST);
                useful_threads = useful_threads.min(1 + (work / THREAD_COST) as usize);
            }
        }
        feed.sort(config);
        // The size of a single file is determined when it is opened.
        if known_jobs != Some(1) {
            progress.add_found_bytes(bytes);
        }
        let permits = (useful_threads > threads).then(|| {
            let (give, take) = bounded(threads);
            for _ in 0..threads {
                let _ = give.send(());
            }
            (give, take)
        });
        Feeder {
            feed: Mutex::new(feed),
            config,
            frontier: Frontier::new(),
            useful_threads,
            threads,
            known_jobs,
            in_order,
            waiting: AtomicBool::new(false),
            disk: Mutex::new(()),
            permits,
        }
    }

    /// Waits until this worker may read the spinning disk.
    pub(crate) fn lock_disk(&self) -> MutexGuard<'_, ()> {
        lock(&self.disk)
    }

    /// Waits until this worker may hash, if there are more workers than threads that may.
    pub(crate) fn permit(&self) -> Option<Permit<'_>> {
        let (give, take) = self.permits.as_ref()?;
        take.recv().ok().map(|()| Permit(give))
    }

    /// Reports that a worker mostly waits for disks.
    pub(crate) fn note_waiting(&self) {
        self.waiting.store(true, Relaxed);
    }

    /// Returns whether a worker has reported this since the last call.
    pub(crate) fn take_waiting(&self) -> bool {
        // A hint that may come late. Without the load, every batch would write to a shared cache
        // line.
        self.waiting.load(Relaxed) && self.waiting.swap(false, Relaxed)
    }

    /// Returns the number of jobs found, finished or not: those taken, and those that are certain to follow.
    pub(crate) fn found(&self) -> u64 {
        let feed = lock(&self.feed);
        let least = if feed.ended { 0 } else { feed.tasks.size_hint().0 as u64 };
        feed.jobs + least
    }

    /// Returns whether there is exactly one job.
    pub(crate) fn is_single(&self) -> bool {
        self.known_jobs == Some(1)
    }

    /// Returns how many threads one file may use: all that the other files leave idle.
    pub(crate) fn idle_threads(&self) -> usize {
        if self.in_order {
            return self.threads;
        }
        self.known_jobs.map_or(1, |jobs| self.threads.saturating_sub(jobs - 1).max(1))
    }

    /// Takes up to `most` jobs, and the notices between them. Waits for the window to move only if
    /// `idle`, because a worker that holds something must not wait: all others may be waiting for
    /// it. Returns false at the end of all jobs.
    pub(crate) fn pull(&self, most: usize, idle: bool, jobs: &mut Vec<Assigned>, events: &mut Batch) -> bool {
        loop {
            // The iterator runs under this lock, which gives tasks their order. The lock of the
            // frontier is only ever taken inside this one, or alone.
            let mut feed = lock(&self.feed);
            let room = match self.frontier.place() {
                Some(handed_out) => (handed_out + feed.window()).saturating_sub(feed.next),
                None => {
                    feed.ended = true;
                    feed.ready.clear();
                    0
                }
            };
            // Tasks that are sorted are taken together, after all earlier ones were delivered.
            let is_sorted = self.config.reads.order.is_sorted();
            let least = if is_sorted { feed.window() } else { 1 };
            if feed.ready.is_empty() && !feed.ended && room >= least {
                let batch = if is_sorted { room as usize } else { BATCH.max(most).min(room as usize) };
                let bytes = feed.take(batch);
                feed.progress.add_found_bytes(bytes);
                feed.sort(self.config);
            }
            events.append(&mut feed.events);
            // A worker hashes files that go alone one after the other, while others may have nothing to do.
            let goes_alone = feed.ready.last().is_some_and(|next| next.alone == Some(true));
            let most = if goes_alone { 1 } else { most };
            // Towards the end, the remaining jobs are shared, so that the other threads are not idle.
            let share = if feed.ended { feed.ready.len().div_ceil(self.useful_threads.max(1)) } else { most };
            let rest = feed.ready.len().saturating_sub(most.min(share));
            jobs.extend(feed.ready.drain(rest..).rev());
            if !jobs.is_empty() || !events.is_empty() || !idle {
                return !(feed.ended && feed.ready.is_empty() && jobs.is_empty());
            }
            if feed.ended && feed.ready.is_empty() {
                return false;
            }
            // Waiting for `MIN_READY` tasks instead of one saves a wake-up for each outcome. The window
            // has at least `MIN_READY` tasks, so this position is not after `next`: everything before it
            // was taken and will be delivered.
            let until = match is_sorted {
                true => feed.next,
                false => (feed.next + MIN_READY).saturating_sub(feed.window()),
            };
            drop(feed);
            self.frontier.wait(until);
        }
    }

    /// Moves the window: all tasks before `place` have been delivered.
    pub(crate) fn handed_out(&self, place: u64) {
        self.frontier.advance(place);
    }

    /// Returns the frontier where workers wait, and which they close when they leave.
    pub(crate) fn frontier(&self) -> &Frontier {
        &self.frontier
    }
}

impl Feed<'_> {
    /// Returns the maximum number of tasks in progress.
    fn window(&self) -> u64 {
        ((NAMES / self.longest) as u64).clamp(MIN_READY, self.most)
    }

    /// Takes tasks from the iterator, unless the run was stopped. Returns the sum of the sizes that
    /// manifests state, if all are known.
    fn take(&mut self, most: usize) -> Option<u64> {
        let mut bytes = Some(0u64);
        // `ready` is empty here: it is reversed below, so that the next job is last.
        for taken in 0..most as u64 {
            // Long names make the window shorter while it is filled.
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
                    bytes = bytes.zip(known_size(&job)).map(|(sum, size)| sum.saturating_add(size));
                    self.ready.push(Assigned { place, job, alone: None });
                }
                Task::Notice(notice) => self.events.push((place, WorkerEvent::Notice(notice))),
            }
        }
        self.ready.reverse();
        // The lower bound may include notices; it shrinks when they are taken.
        let (least, most) = if self.ended { (0, Some(0)) } else { self.tasks.size_hint() };
        let exact = most == Some(least);
        self.progress.set_found(self.found + least as u64, exact);
        // The remaining tasks count as found, but their sizes are not known.
        if exact && !self.ended { None } else { bytes }
    }

    /// Sorts the jobs that were taken, if that was requested. Jobs with the same position keep their order.
    fn sort(&mut self, config: &Config) {
        // Ready jobs are taken from the end, so the first one must be last.
        match config.reads.order {
            ReadOrder::Fast | ReadOrder::Given => {}
            ReadOrder::Size => {
                let mut sizes = Sizes::new(config);
                self.ready.sort_by_cached_key(|assigned| sizes.of(&assigned.job));
            }
            ReadOrder::Physical if config.remote.is_some() => {}
            ReadOrder::Physical => self.ready.sort_by_cached_key(|assigned| {
                let (root, path) = assigned.job.root_and_name(&config.root);
                let placement = if assigned.job.stdin { None } else { root.placement(path) };
                Reverse((placement.is_none(), placement))
            }),
        }
    }

    /// Determines the sizes of all files, sorts the jobs so that the largest are started first, and decides which go
    /// alone. Returns the sum of the sizes, if all are known.
    fn largest_first(&mut self, config: &Config, threads: usize) -> Option<u64> {
        // Files of unknown size sort before all others and so are started last.
        let mut sizes = Sizes::new(config);
        let mut sized: Vec<(Option<u64>, Assigned)> =
            self.ready.drain(..).map(|assigned| (sizes.of(&assigned.job), assigned)).collect();
        // A stable sort by size; ready jobs are taken from the end.
        sized.sort_by_key(|(size, _)| *size);
        let total = total(sized.iter().map(|(size, _)| *size));
        // Usually there is one list of algorithms; if there are several, that of the largest file decides.
        let specs: &[Spec] = sized.last().map_or(&[], |(_, assigned)| &assigned.job.specs);
        let sizes: Vec<u64> = sized.iter().rev().map(|(size, _)| size.unwrap_or(0)).collect();
        let first = sized.len() - alone(&sizes, specs, threads);
        for (at, (_, assigned)) in sized.iter_mut().enumerate() {
            assigned.alone = Some(at >= first);
        }
        self.ready.extend(sized.into_iter().map(|(_, assigned)| assigned));
        total
    }
}

/// Returns the sum of these sizes, if all are known.
fn total(mut sizes: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    // Sparse files can have any size, so that the sum of three overflows.
    sizes.try_fold(0u64, |sum, size| Some(sum.saturating_add(size?)))
}

/// Determines the sizes of files before they are opened.
struct Sizes<'c> {
    config: &'c Config,
    folders: FolderCache<'c>,
}

impl<'c> Sizes<'c> {
    fn new(config: &'c Config) -> Sizes<'c> {
        Sizes { config, folders: FolderCache::new(&config.root) }
    }

    /// Returns a file's size as far as it can be determined.
    fn of(&mut self, job: &Job) -> Option<u64> {
        if self.config.remote.is_some() {
            return known_size(job);
        }
        let (root, path) = job.root_and_name(&self.config.root);
        Some(if std::ptr::eq(root, &self.config.root) { self.folders.size(path) } else { root.size(path) })
    }
}

/// Returns a file's size according to the list that names it.
fn known_size(job: &Job) -> Option<u64> {
    job.listed.as_ref().map(|listed| listed.size).or(job.size)
}
