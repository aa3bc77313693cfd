//! The run: tasks in, outcomes out, on all cores.
//!
//! Workers pull jobs from one feeder, keep as many files open as their kernel has lanes, read a slice of each and hash
//! all slices at once. Outcomes come back to the calling thread, which hands them to the [`Sink`] in the order of the tasks.
//! Memory is bounded: jobs run a bounded number ahead of what was handed out, and a worker's buffers have a fixed size.

use crate::error::Error;
use crate::feed::Feeder;
use crate::job::{Job, Outcome, Summary};
use crate::links::Links;
use crate::open::{Root, Special};
use crate::progress::Progress;
use crate::worker::Worker;
use std::collections::VecDeque;
use std::io;
use std::sync::OnceLock;
use truesum_manifest::LineError;

/// How a run reads and hashes.
#[derive(Debug)]
pub struct Config {
    /// Where the jobs' names lead.
    pub root: Root,
    /// Which kinds of file are read.
    pub special: Special,
    /// Threads that read and hash; 0 means one for each core.
    pub threads: usize,
    /// Whether outcomes come in the order of the tasks or as they are ready.
    pub order: Order,
    /// Files that are passed over: the run's own output, as `(device, inode)`.
    pub own: Vec<(u64, u64)>,
}

/// The order of outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// That of the tasks.
    Stable,
    /// As they are ready.
    AsReady,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            root: Root::Anywhere,
            special: Special::Refuse,
            threads: 0,
            order: Order::Stable,
            own: Vec::new(),
        }
    }
}

/// One thing to do, or to tell in its turn.
#[derive(Debug)]
pub enum Task {
    /// A file to read.
    File(Job),
    /// Something to hand to the sink when its turn comes.
    Tell(Notice),
}

/// What is told beside outcomes.
#[derive(Debug)]
pub enum Notice {
    /// A folder that could not be listed, or a file that could not be looked at. It counts as unreadable.
    Failed(Error),
    /// A symbolic link that was not followed.
    Link(Vec<u8>),
    /// A symbolic link to nothing.
    Dangling(Vec<u8>),
    /// A device, pipe or socket that was not read.
    Special(Vec<u8>, &'static str),
    /// The run's own output.
    Own(Vec<u8>),
    /// A manifest's line that is no entry.
    Malformed(LineError),
}

/// Where outcomes go. An error of the sink ends the run.
pub trait Sink {
    /// A file's outcome.
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()>;
    /// Something to tell.
    fn notice(&mut self, notice: Notice) -> io::Result<()>;
    /// Everything that is known by now was handed out: the time to flush what was buffered.
    fn pause(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What comes back from workers.
pub(crate) enum Event {
    Outcome(Outcome),
    Notice(Notice),
}

/// Events in the order workers made them, with their place in the order of tasks.
pub(crate) type Batch = Vec<(u64, Event)>;

/// How many threads this process may run at once, by its processors and its control group. Asked once: it takes longer
/// than hashing a small file.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Runs all tasks and hands what comes of them to the sink.
///
/// # Errors
/// The sink's.
pub fn run(
    config: &Config,
    tasks: &mut (dyn Iterator<Item = Task> + Send),
    progress: &Progress,
    sink: &mut dyn Sink,
) -> io::Result<Summary> {
    let threads = match config.threads {
        0 => cores(),
        threads => threads,
    };
    let links = Links::default();
    let feeder = Feeder::new(tasks, &config.root, threads, progress);
    let mut output = Output {
        sink,
        summary: Summary::default(),
        waiting: VecDeque::new(),
        next: 0,
        order: config.order,
        feeder: &feeder,
    };
    if feeder.useful_threads < 2 {
        let mut result = Ok(());
        Worker::new(config, &feeder, &links, progress, threads).work(&mut |batch| {
            if result.is_ok() {
                result = output.take(batch);
            }
            result.is_ok()
        });
        result?;
    } else {
        run_threads(config, &feeder, &links, progress, &mut output)?;
    }
    let mut summary = output.summary;
    summary.interrupted = progress.stopped();
    Ok(summary)
}

fn run_threads(
    config: &Config,
    feeder: &Feeder<'_>,
    links: &Links,
    progress: &Progress,
    output: &mut Output<'_, '_>,
) -> io::Result<()> {
    let (send, receive) = crossbeam_channel::unbounded::<Message>();
    // Threads beyond the cores are for disks that can serve many reads at a time; a number that was asked for is kept.
    let most = if config.threads == 0 { feeder.useful_threads.max(READERS) } else { feeder.useful_threads };
    std::thread::scope(|scope| {
        let start = |threads: usize| {
            let end = Ended(send.clone());
            let work = move || {
                let mut deliver = |batch| end.0.send(Message::Batch(batch)).is_ok();
                Worker::new(config, feeder, links, progress, threads).work(&mut deliver);
            };
            std::thread::Builder::new().name("hash".to_owned()).spawn_scoped(scope, work).is_ok()
        };
        // Every attempt ends with one message, also that of a thread that could not be started.
        let mut running = feeder.useful_threads;
        let mut started = (0..running).filter(|_| start(feeder.useful_threads)).count();
        if started == 0 {
            // This thread does the work, and finds its batches in the channel.
            let end = Ended(send.clone());
            let mut deliver = |batch| end.0.send(Message::Batch(batch)).is_ok();
            Worker::new(config, feeder, links, progress, 1).work(&mut deliver);
            (running, started) = (running + 1, 1);
        }
        while running > 0 {
            match receive.recv() {
                Ok(Message::Batch(batch)) => {
                    if started < most && feeder.take_waiting() {
                        start(most);
                        (started, running) = (started + 1, running + 1);
                    }
                    if let Err(error) = output.take(batch) {
                        feeder.close();
                        return Err(error);
                    }
                }
                Ok(Message::Ended) => running -= 1,
                Err(_) => break,
            }
        }
        Ok(())
    })
}

/// Most threads that read at the same time when disks are what a run waits for.
const READERS: usize = 16;

/// What workers send.
enum Message {
    Batch(Batch),
    Ended,
}

/// Tells the end of a worker, however it ends.
struct Ended(crossbeam_channel::Sender<Message>);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.send(Message::Ended);
    }
}

/// Puts events back into the order of tasks and hands them out.
struct Output<'a, 'f> {
    sink: &'a mut dyn Sink,
    summary: Summary,
    waiting: VecDeque<Option<Event>>,
    next: u64,
    order: Order,
    feeder: &'a Feeder<'f>,
}

impl Output<'_, '_> {
    fn take(&mut self, batch: Batch) -> io::Result<()> {
        for (place, event) in batch {
            if self.order == Order::AsReady {
                self.hand_out(event)?;
                self.next += 1;
                continue;
            }
            let index = (place - self.next) as usize;
            if index >= self.waiting.len() {
                self.waiting.resize_with(index + 1, || None);
            }
            self.waiting[index] = Some(event);
        }
        while let Some(Some(_)) = self.waiting.front() {
            let event = self.waiting.pop_front().flatten();
            self.next += 1;
            event.map_or(Ok(()), |event| self.hand_out(event))?;
        }
        self.feeder.handed_out(self.next);
        self.sink.pause()
    }

    fn hand_out(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Outcome(outcome) => {
                self.summary.count(&outcome);
                self.sink.outcome(outcome)
            }
            Event::Notice(notice) => {
                self.summary.unreadable += u64::from(matches!(notice, Notice::Failed(_)));
                self.sink.notice(notice)
            }
        }
    }
}
