//! The state common to all runs: the stop flag, progress display, and the details to record.

use super::effort::Scope;
use super::progress::{Progress, Silent};
use crate::measure::environment::{Environment, load};
use crate::record::{Record, SCHEMA, utc};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The note on measurements of a program that was not optimized.
const DEBUG: &str = "this is a debug build, so its figures are meaningless: use cargo build --release";

/// One run in progress.
pub struct Session<'a> {
    stop: &'a AtomicBool,
    /// Displays the progress.
    pub progress: Box<dyn Progress + 'a>,
    command: String,
    /// Specifies how much to measure.
    pub scope: Scope,
    start: Instant,
}

impl<'a> Session<'a> {
    /// Returns a run without progress display. When `stop` becomes true, it ends soon and keeps its measurements;
    /// `command` is the command that repeats it.
    pub fn new(stop: &'a AtomicBool, command: &str) -> Session<'a> {
        Session {
            stop,
            progress: Box::new(Silent),
            command: command.to_owned(),
            scope: Scope::default(),
            start: Instant::now(),
        }
    }

    /// Sets the progress display.
    pub fn with_progress(mut self, progress: impl Progress + 'a) -> Session<'a> {
        self.progress = Box::new(progress);
        self
    }

    /// Sets the command-line options common to all runs.
    pub fn within(mut self, scope: Scope) -> Session<'a> {
        self.scope = scope;
        self
    }

    /// Sets the start time: with an hour ago, no time is left, and with an hour from now, none is used up, however long
    /// work takes here.
    #[cfg(test)]
    pub(crate) fn begun(mut self, start: Instant) -> Session<'a> {
        self.start = start;
        self
    }

    /// Returns whether a stop was requested.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns the seconds since the run started.
    pub fn elapsed(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Returns an empty record of this run; `path` is the measured file or directory, if any.
    pub fn record(&self, model: &str, path: Option<&Path>) -> Record {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Record {
            schema: SCHEMA,
            model: model.to_owned(),
            program: format!("truesum {}", env!("CARGO_PKG_VERSION")),
            command: self.command.clone(),
            started: utc(now),
            seconds: 0.0,
            interrupted: false,
            environment: Environment::now(path),
            summary: String::new(),
            input: String::new(),
            engines: Vec::new(),
            missing: Vec::new(),
            agreements: Vec::new(),
            measurements: Vec::new(),
            noise: None,
            notes: if cfg!(debug_assertions) { vec![DEBUG.to_owned()] } else { Vec::new() },
            stream: None,
        }
    }

    /// Completes a record at the end of its run.
    pub fn finish(&mut self, record: &mut Record) {
        self.progress.clear();
        record.seconds = self.elapsed();
        record.interrupted = self.stopped();
        record.environment.load_after = load();
        record.assess_noise();
    }
}
