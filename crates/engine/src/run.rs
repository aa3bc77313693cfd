//! The run: processes tasks on all cores and produces their outcomes.
//!
//! Workers take jobs from one feeder, keep as many files open as their kernel has lanes, read a slice of each and hash
//! all slices at once. Outcomes are sent to the calling thread, which passes them to the [`Sink`] in the order of the
//! tasks. Memory is bounded: jobs are at most a fixed number ahead of the delivered outcomes, and the buffers of a
//! worker have a fixed size.

mod alone;
pub mod config;
mod event;
mod feed;
mod frontier;
pub(crate) mod links;
pub mod order;
mod output;
pub(crate) mod read_file;
pub mod remote;
#[cfg(test)]
mod tests;
mod worker;

use crate::io::memory_limit::{fitting, thread};
use crate::job::Summary;
use crate::progress::Progress;
use crate::task::{Sink, Task};
use config::{Config, cores};
use crossbeam_channel::RecvTimeoutError;
use event::Batch;
use feed::Feeder;
use links::Links;
use output::Output;
use std::io;
use worker::Worker;

/// Runs all tasks and passes their outcomes to the sink.
///
/// # Errors
/// Returns the error of the sink.
pub fn run(
    config: &Config,
    tasks: &mut (dyn Iterator<Item = Task> + Send),
    progress: &Progress,
    sink: &mut dyn Sink,
) -> io::Result<Summary> {
    run_with(config, &Links::default(), tasks, progress, sink)
}

/// Runs all tasks like [`run`]. `links` contains the results that earlier runs shared with this one, and gets those that
/// this run shares with later ones.
///
/// # Errors
/// Returns the error of the sink.
pub(crate) fn run_with(
    config: &Config,
    links: &Links,
    tasks: &mut (dyn Iterator<Item = Task> + Send),
    progress: &Progress,
    sink: &mut dyn Sink,
) -> io::Result<Summary> {
    let threads = match config.threads {
        0 => cores(),
        threads => fitting(threads),
    };
    let writers_unknown = progress.writers_unknown();
    let feeder = Feeder::new(tasks, config, threads, progress);
    let mut output = Output::new(sink, config.order, &feeder);
    // Without other threads, this thread does the work and delivers outcomes as it goes.
    let is_single = feeder.useful_threads < 2 && config.interval.is_none();
    if is_single || !run_threads(config, &feeder, links, progress, &mut output)? {
        let mut result = Ok(());
        Worker::new(config, &feeder, links, progress, threads).work(&mut |batch| {
            if result.is_ok() {
                result = output.take(batch);
            }
            result.is_ok()
        });
        result?;
    }
    let summary = output.end(progress.stopped())?;
    Ok(Summary { writers_unknown: progress.writers_unknown() - writers_unknown, ..summary })
}

/// Runs workers on separate threads. Returns false if none could be started. [`frontier`] explains how all of them end.
fn run_threads(
    config: &Config,
    feeder: &Feeder<'_>,
    links: &Links,
    progress: &Progress,
    output: &mut Output<'_, '_>,
) -> io::Result<bool> {
    let (send, receive) = crossbeam_channel::unbounded::<Message>();
    // More threads than cores help with disks that serve many reads at a time. A requested number
    // of threads is not exceeded.
    let more = config.threads == 0 && config.remote.is_none() && !config.reads_in_order();
    let most = if more { feeder.useful_threads.max(READERS) } else { feeder.useful_threads };
    std::thread::scope(|scope| {
        let start = |threads: usize| {
            let end = EndNotifier(send.clone());
            let work = move || {
                let mut deliver = |batch| end.0.send(Message::Batch(batch)).is_ok();
                Worker::new(config, feeder, links, progress, threads).work(&mut deliver);
            };
            thread("hash").is_some_and(|builder| builder.spawn_scoped(scope, work).is_ok())
        };
        // Every attempt to start a thread ends with one message, even if it fails.
        let mut running = feeder.useful_threads;
        let mut started = (0..running).filter(|_| start(feeder.useful_threads)).count();
        if started == 0 {
            return Ok(false);
        }
        while running > 0 {
            let message = match config.interval {
                Some(interval) => receive.recv_timeout(interval),
                None => receive.recv().map_err(RecvTimeoutError::from),
            };
            let delivered = match message {
                Ok(Message::Batch(batch)) => {
                    if started < most && feeder.take_waiting() {
                        start(most);
                        (started, running) = (started + 1, running + 1);
                    }
                    output.take(batch)
                }
                Ok(Message::Ended) => {
                    running -= 1;
                    Ok(())
                }
                Err(RecvTimeoutError::Timeout) => output.pause(),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if let Err(error) = delivered {
                // The remaining outcomes are not needed, so stop even in the middle of a huge file.
                progress.stop();
                feeder.frontier().close();
                return Err(error);
            }
        }
        Ok(true)
    })
}

/// The maximum number of threads that read at the same time if the run waits for disks.
const READERS: usize = 16;

/// A message from a worker.
enum Message {
    Batch(Batch),
    Ended,
}

/// Reports the end of a worker, however it ends.
struct EndNotifier(crossbeam_channel::Sender<Message>);

impl Drop for EndNotifier {
    fn drop(&mut self) {
        let _ = self.0.send(Message::Ended);
    }
}
