//! A run with its counters, the signals that end it, and its progress line.

use crate::console::Console;
use crate::exit::Exit;
use crate::output;
use crate::progress::{Display, Line};
use std::ffi::OsStr;
use std::io;
use std::sync::Arc;
use truesum::hash::Spec;
use truesum::tree::reading::Reading;
use truesum::{Error, FileResult, Job, Kind, Mapping, Notice, Outcome, Progress, Remote, Sink, Task};
use truesum_fs::name::OsStrExt;
use truesum_fs::signals::Signals;

/// The counters, signals and progress line of one run. The default has no signal handlers and no
/// progress line, for runs that end almost immediately.
#[derive(Default)]
pub struct Watch {
    pub progress: Arc<Progress>,
    pub signals: Signals,
    /// The store of the only file that is read, if it is an object.
    pub remote: Option<Arc<dyn Remote>>,
}

impl Watch {
    /// Installs signal handlers and starts the progress line. `size` is that of the only file, if
    /// known.
    pub fn start(line: Line, size: Option<u64>, console: &mut Console) -> Watch {
        let progress = Arc::new(Progress::default());
        let signals = Signals::install(progress.stop_signal()).unwrap_or_default();
        console.display = Some(Display::start(&progress, &signals, line, size));
        Watch { progress, signals, remote: None }
    }

    /// Returns the watch for a run on one file of this size.
    pub fn of_one(size: Option<u64>, console: &mut Console) -> Watch {
        Watch::start(Line::on_terminal(), size, console)
    }

    /// Returns the exit status after a failure: that of the signal, if one ended the run; otherwise
    /// it depends on whether the error belongs to the file or to the request.
    pub fn failed(&self, error: &Error, console: &mut Console) -> Exit {
        console.display = None;
        console.failure(error);
        let failed = match (error.kind(), error.action()) {
            (Kind::Undivided | Kind::Replaced, _) | (_, "write") => Exit::NotAsRequested,
            _ => Exit::Failed,
        };
        self.signals.ended_by().map_or(failed, Exit::Signal)
    }

    /// Prints the result of the run, or why there is none.
    pub fn print(&self, result: Result<String, Error>, console: &mut Console) -> Exit {
        console.display = None;
        match result {
            Ok(text) => output::print(&text, console),
            Err(error) => self.failed(&error, console),
        }
    }

    /// Returns the options for reading a file for a tree, with this many threads (0: one per core).
    /// Mapping is allowed, because this process belongs to the program.
    pub fn reading(&self, threads: usize) -> Reading<'_> {
        let remote = self.remote.as_deref();
        Reading::new(&self.progress).threads(threads).remote(remote).mapping(Mapping::Guarded)
    }

    /// Returns the digests of one file.
    ///
    /// # Errors
    /// Fails if it was not read to its end.
    pub fn digests(&self, name: &OsStr, specs: &[Spec], threads: usize) -> Result<FileResult, Error> {
        struct One(Option<Result<FileResult, Error>>);
        impl Sink for One {
            fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
                self.0 = Some(outcome.result);
                Ok(())
            }
            fn notice(&mut self, _: Notice) -> io::Result<()> {
                Ok(())
            }
        }
        let specs: Arc<[Spec]> = specs.into();
        // The name of an object is the last part of its URL.
        let last = || name.as_bytes().rsplit(|&byte| byte == b'/').next().map(<[u8]>::to_vec);
        let open = self.remote.as_ref().and_then(|_| last());
        let mut tasks = std::iter::once(Task::File(Job::argument(name, &specs).with_open(open)));
        let remote = self.remote.clone();
        let config = truesum::Config::default().threads(threads).remote(remote).mapping(Mapping::Guarded);
        let mut sink = One(None);
        let name = name.as_bytes();
        let fail = |error: io::Error| Error::io(name, "read", error);
        truesum::run(&config, &mut tasks, &self.progress, &mut sink).map_err(fail)?;
        let stopped = || Error::new(name, "read", truesum::Cause::Other("interrupted".to_owned()));
        sink.0.unwrap_or_else(|| Err(stopped()))
    }
}
