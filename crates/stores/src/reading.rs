//! A run over objects: requests in the runtime, hashing on separate threads, outcomes in task order on the calling
//! thread.
//!
//! A bounded number of objects is opened ahead. Small ones arrive whole, and all that are available share the lanes of
//! the kernels; a large one is taken by one thread, which then starts to request its ranges. So memory holds at most
//! one small object for each request in progress, and a few ranges for each thread.

use crate::failure::Failure;
use crate::fetch::Begun;
use crate::pieces::{Folding, Pieces};
use crate::place::Place;
use crate::stored::{self, Answer};
use bytes::Bytes;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, select, unbounded};
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use truesum::hash::{Digest, Hasher, update_many};
use truesum::job;
use truesum::read::{CompleteRead, Counting};
use truesum::{Error, Found, Job, Notice, Order, Outcome, Progress, Task, cores, thread};

/// The interval for checking whether the run was stopped.
const LOOK: Duration = Duration::from_millis(100);
/// Limits the number of tasks that run ahead of the delivered outcomes.
const AHEAD: u64 = 4096;
/// The maximum number of objects hashed in parallel lanes.
const LANES: usize = 32;

/// Specifies how each object is processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It is read.
    Read,
    /// Its stored checksums are compared; if they are not sufficient, it is read, if `read` is set.
    Stored { read: bool },
}

/// The result of a task.
pub(crate) enum Done {
    Outcome(Outcome),
    Kept(Job, Result<Answer, Error>),
    Notice(Notice),
}

/// An object to hash.
struct Work {
    place: u64,
    job: Job,
    key: String,
    begun: Begun,
    started: Instant,
}

/// State shared by the threads of a run.
struct Shared<'a> {
    objects: &'a Place,
    progress: &'a Progress,
    /// True if the remaining results are no longer wanted.
    over: AtomicBool,
    /// Pieces of large objects, for idle threads.
    give: Sender<Pieces>,
    take: Receiver<Pieces>,
}

impl Shared<'_> {
    fn is_over(&self) -> bool {
        self.over.load(Relaxed) || self.progress.stopped()
    }
}

/// Runs all tasks and passes their results to `take`, in task order unless the configuration requests none.
///
/// # Errors
/// Returns the errors of `take`.
pub(crate) fn run(
    place: &Place,
    (threads, order): (usize, Order),
    mode: Mode,
    tasks: &mut (dyn Iterator<Item = Task> + Send),
    progress: &Progress,
    take: &mut dyn FnMut(Done) -> io::Result<()>,
) -> io::Result<()> {
    let threads = if threads == 0 { cores() } else { threads };
    let (give, pieces) = unbounded();
    let shared = Shared { objects: place, progress, over: AtomicBool::new(false), give, take: pieces };
    let (work_in, work) = unbounded();
    let (done_in, done) = unbounded();
    std::thread::scope(|scope| {
        let start = |_: &usize| {
            let (work, done_in, shared) = (work.clone(), done_in.clone(), &shared);
            thread("hash").is_some_and(|builder| {
                builder.spawn_scoped(scope, move || hash(&work, &done_in, shared)).is_ok()
            })
        };
        let started = (0..threads).filter(start).count();
        if started == 0 {
            return Err(io::Error::other("cannot start a thread"));
        }
        drop(work);
        let mut requests = JoinSet::new();
        let result = drive(&shared, order, mode, tasks, &mut requests, (work_in, done_in, done), take);
        shared.over.store(true, Relaxed);
        // Dropping the ends of the channels ends the threads.
        drop(requests);
        result
    })
}

type Channels = (Sender<Work>, Sender<(u64, Done)>, Receiver<(u64, Done)>);

fn drive(
    shared: &Shared<'_>,
    order: Order,
    mode: Mode,
    tasks: &mut (dyn Iterator<Item = Task> + Send),
    requests: &mut JoinSet<()>,
    (work, done_in, done): Channels,
    take: &mut dyn FnMut(Done) -> io::Result<()>,
) -> io::Result<()> {
    let (objects, progress) = (shared.objects, shared.progress);
    let before = progress.found();
    let (mut place, mut jobs, mut under_way, mut all) = (0, 0, 0, false);
    let mut waiting = Waiting { order, next: 0, done: VecDeque::new() };
    loop {
        while !all && under_way < objects.window && place - waiting.next < AHEAD && !progress.stopped() {
            match tasks.next() {
                None => all = true,
                Some(Task::Notice(notice)) => {
                    waiting.add(place, Done::Notice(notice), take)?;
                    place += 1;
                }
                Some(Task::File(job)) => {
                    jobs += 1;
                    progress.add_found_bytes(job.listed.as_ref().map(|listed| listed.size).or(job.size));
                    under_way += 1;
                    match objects.key(&job) {
                        Ok(key) => begin(shared, requests, mode, (place, job, key), &work, &done_in),
                        Err(error) => drop(done_in.send((place, failed(job, error, mode)))),
                    }
                    place += 1;
                }
            }
            progress.set_found(before + jobs, all);
            // Waiting for a list may take longer than the results that are already available.
            while let Ok((place, result)) = done.try_recv() {
                under_way -= 1;
                waiting.add(place, result, take)?;
            }
        }
        // Finished results are delivered even after a stop.
        if (all && under_way == 0) || progress.stopped() {
            while let Ok((place, result)) = done.try_recv() {
                waiting.add(place, result, take)?;
            }
            return waiting.end(take);
        }
        match done.recv_timeout(LOOK) {
            Ok((place, result)) => {
                under_way -= 1;
                waiting.add(place, result, take)?;
                while requests.try_join_next().is_some() {}
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return waiting.end(take),
        }
    }
}

/// Returns the result for an error of a job.
fn failed(job: Job, error: Error, mode: Mode) -> Done {
    match mode {
        Mode::Read => Done::Outcome(Outcome { job, result: Err(error) }),
        Mode::Stored { .. } => Done::Kept(job, Err(error)),
    }
}

/// Requests the beginning of an object, or its stored checksums.
fn begin(
    shared: &Shared<'_>,
    requests: &mut JoinSet<()>,
    mode: Mode,
    (place, job, key): (u64, Job, String),
    work: &Sender<Work>,
    done: &Sender<(u64, Done)>,
) {
    let (source, work, done) = (shared.objects.source.clone(), work.clone(), done.clone());
    shared.progress.set_current(&job.name);
    let requested = async move {
        let started = Instant::now();
        let error = |job: &Job, failure: &Failure| Error::new(&job.name, "read", failure.cause());
        if let Mode::Stored { read } = mode {
            let answer = stored::compare(&source, &key, &job).await;
            if !(read && matches!(answer, Ok(Answer::Silent(_)))) {
                let answer = answer.map_err(|failure| error(&job, &failure));
                drop(done.send((place, Done::Kept(job, answer))));
                return;
            }
        }
        match source.begin(&key, job.listed.as_deref()).await {
            Ok(begun) => drop(work.send(Work { place, job, key, begun, started })),
            Err(failure) => {
                let result = Err(error(&job, &failure));
                drop(done.send((place, Done::Outcome(Outcome { job, result }))));
            }
        }
    };
    requests.spawn_on(requested, &shared.objects.runtime);
}

/// Results that wait for their turn.
struct Waiting {
    order: Order,
    next: u64,
    done: VecDeque<Option<Done>>,
}

impl Waiting {
    fn add(
        &mut self,
        place: u64,
        done: Done,
        take: &mut dyn FnMut(Done) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.order == Order::AsReady {
            self.next += 1;
            return take(done);
        }
        let at = (place - self.next) as usize;
        if at >= self.done.len() {
            self.done.resize_with(at + 1, || None);
        }
        self.done[at] = Some(done);
        while let Some(Some(_)) = self.done.front() {
            self.next += 1;
            self.done.pop_front().flatten().map_or(Ok(()), &mut *take)?;
        }
        Ok(())
    }

    /// Delivers the results that wait for a task aborted by a stop.
    fn end(self, take: &mut dyn FnMut(Done) -> io::Result<()>) -> io::Result<()> {
        self.done.into_iter().flatten().try_for_each(take)
    }
}

/// A hashing thread: takes all waiting small objects, or one large object.
fn hash(work: &Receiver<Work>, done: &Sender<(u64, Done)>, shared: &Shared<'_>) {
    loop {
        let mut next = select! {
            recv(work) -> first => match first {
                Ok(first) => Some(first),
                Err(_) => return,
            },
            recv(shared.take) -> pieces => {
                pieces.into_iter().for_each(Pieces::hash);
                continue;
            }
        };
        while let Some(one) = next.take() {
            if shared.is_over() {
                return;
            }
            if !is_here(&one) {
                let Work { place, job, key, begun, started } = one;
                let result = large(&job, key, &begun, shared);
                finish(shared, done, (place, job, started), result);
                continue;
            }
            let mut together = vec![one];
            while together.len() < LANES && next.is_none() {
                match work.try_recv() {
                    Ok(one) if is_here(&one) => together.push(one),
                    Ok(one) => next = Some(one),
                    Err(_) => break,
                }
            }
            small(together, done, shared);
        }
    }
}

/// Returns whether the whole object is in memory.
fn is_here(work: &Work) -> bool {
    work.begun.bytes.len() as u64 == work.begun.size
}

fn hashers(job: &Job, size: u64) -> Vec<Hasher> {
    job.specs.iter().map(|spec| spec.hasher_for_size(size)).collect()
}

fn small(objects: Vec<Work>, done: &Sender<(u64, Done)>, shared: &Shared<'_>) {
    let mut all: Vec<Vec<Hasher>> = objects.iter().map(|work| hashers(&work.job, work.begun.size)).collect();
    let mut pairs: Vec<(&mut Hasher, &[u8])> = Vec::new();
    for (hashers, work) in all.iter_mut().zip(&objects) {
        pairs.extend(hashers.iter_mut().map(|hasher| (hasher, &work.begun.bytes[..])));
    }
    // Adjacent hashers of the same algorithm share lanes.
    pairs.sort_by_key(|(hasher, _)| hasher.spec().algorithm().name);
    let (mut each, slices): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    update_many(&mut each, &slices);
    for (hashers, Work { place, job, begun, started, .. }) in all.into_iter().zip(objects) {
        shared.progress.add_bytes(begun.bytes.len() as u64);
        let mut counting = Counting::of(begun.size, begun.modified);
        counting.add(&begun.bytes);
        let whole = counting.finish().map_err(|cause| Error::new(&job.name, "read", cause));
        let read = whole.and_then(|whole| digests(&job, whole, hashers));
        finish(shared, done, (place, job, started), read);
    }
}

/// Reads a large object from beginning to end: on all threads if its digests can be combined from pieces.
fn large(
    job: &Job,
    key: String,
    begun: &Begun,
    shared: &Shared<'_>,
) -> Result<(CompleteRead, Vec<Digest>), Error> {
    let fail = |failure: &Failure| Error::new(&job.name, "read", failure.cause());
    if let Some(mut folding) = Folding::of(&job.specs, begun.size, &shared.give, &shared.take) {
        let whole = ranges(key, begun, shared, |start, bytes| folding.add(start, bytes));
        let whole = whole.map_err(|failure| fail(&failure))?;
        let digests = folding.finish().ok_or_else(|| fail(&Failure::wrong("a part of the object is missing")))?;
        return Ok((whole, digests));
    }
    let mut hashers = hashers(job, begun.size);
    let whole = ranges(key, begun, shared, |_, bytes| {
        let slices = vec![&bytes[..]; hashers.len()];
        update_many(&mut hashers.iter_mut().collect::<Vec<_>>(), &slices);
    });
    digests(job, whole.map_err(|failure| fail(&failure))?, hashers)
}

/// Passes on all bytes of a large object in order, each range with its offset.
fn ranges(
    key: String,
    begun: &Begun,
    shared: &Shared<'_>,
    mut show: impl FnMut(u64, Bytes),
) -> Result<CompleteRead, Failure> {
    let mut counting = Counting::of(begun.size, begun.modified);
    let mut next = |bytes: Bytes| {
        let (start, len) = (counting.seen(), bytes.len() as u64);
        counting.add(&bytes);
        show(start, bytes);
        shared.progress.add_bytes(len);
    };
    next(begun.bytes.clone());
    let runtime = &shared.objects.runtime;
    let entered = runtime.enter();
    let mut rest = shared.objects.source.rest(key, begun, begun.bytes.len() as u64);
    drop(entered);
    loop {
        if shared.is_over() {
            return Err(Failure::Unrequested("interrupted".to_owned()));
        }
        match runtime.block_on(async { tokio::time::timeout(LOOK, rest.recv()).await }) {
            Err(_) => {}
            Ok(Some(bytes)) => next(bytes?),
            Ok(None) => return counting.finish().map_err(|cause| Failure::wrong(cause.to_string())),
        }
    }
}

/// Returns the digests of an object that was read completely.
fn digests(
    job: &Job,
    whole: CompleteRead,
    mut hashers: Vec<Hasher>,
) -> Result<(CompleteRead, Vec<Digest>), Error> {
    Ok((whole, job::digests(&mut hashers, &job.name)?))
}

/// Sends the result of an object.
fn finish(
    shared: &Shared<'_>,
    done: &Sender<(u64, Done)>,
    (place, job, started): (u64, Job, Instant),
    read: Result<(CompleteRead, Vec<Digest>), Error>,
) {
    // An object that was interrupted by a stop has not failed: it counts as not reached.
    if shared.is_over() && read.is_err() {
        return;
    }
    let result = read.map(|(whole, digests)| Found::new(whole, digests, started));
    shared.progress.add_file();
    let _ = done.send((place, Done::Outcome(Outcome { job, result })));
}
