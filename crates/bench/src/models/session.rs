//! What every run carries: whether to stop, how to show progress, what to write down of itself.

use super::effort::Scope;
use super::progress::{Progress, Silent};
use crate::measure::environment::{Environment, load};
use crate::record::{Record, SCHEMA, utc};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// One run under way.
pub struct Session<'a> {
    stop: &'a AtomicBool,
    /// Shows how far the run is.
    pub progress: Box<dyn Progress + 'a>,
    command: String,
    /// How much is asked for.
    pub scope: Scope,
    start: Instant,
}

impl<'a> Session<'a> {
    /// A run that shows no progress. When `stop` becomes true it ends soon and keeps what was measured; `command` is what
    /// repeats it.
    pub fn new(stop: &'a AtomicBool, command: &str) -> Session<'a> {
        Session {
            stop,
            progress: Box::new(Silent),
            command: command.to_owned(),
            scope: Scope::default(),
            start: Instant::now(),
        }
    }

    /// The same with progress shown.
    pub fn with_progress(mut self, progress: impl Progress + 'a) -> Session<'a> {
        self.progress = Box::new(progress);
        self
    }

    /// The same with what the command line says of any run.
    pub fn within(mut self, scope: Scope) -> Session<'a> {
        self.scope = scope;
        self
    }

    /// The same with another beginning: an hour ago all time is over, and in an hour none is spent yet, however long work
    /// takes here.
    #[cfg(test)]
    pub(crate) fn begun(mut self, start: Instant) -> Session<'a> {
        self.start = start;
        self
    }

    /// Whether somebody asked for an end.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Seconds since the run began.
    pub fn elapsed(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// An empty record of this run; `path` is the file or directory measured, if any.
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
            notes: Vec::new(),
            stream: None,
        }
    }

    /// Completes a record at the end of its run.
    pub fn finish(&mut self, record: &mut Record) {
        self.progress.clear();
        record.seconds = self.elapsed();
        record.interrupted = self.stopped();
        record.environment.load_after = load();
        record.judge_noise();
    }
}
