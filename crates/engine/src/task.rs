//! The tasks of a run, and the sink that receives their results.

use crate::error::Error;
use crate::job::{Job, Outcome};
use std::path::PathBuf;
use std::{fmt, io};
use truesum_manifest::{LineError, Place, Reason};

/// A task: a file to read, or a notice to pass on in order.
#[derive(Debug)]
pub enum Task {
    /// A file to read.
    File(Job),
    /// A notice that is passed to the sink when its turn comes.
    Notice(Notice),
}

/// Notices that are reported in addition to outcomes.
#[derive(Debug)]
pub enum Notice {
    /// A folder that could not be listed, or a file that could not be examined. It counts as unreadable.
    Failed(Error),
    /// A symbolic link that was not followed.
    Link(PathBuf),
    /// A dangling symbolic link.
    Dangling(PathBuf),
    /// A device, pipe or socket that was not read.
    Special(PathBuf, &'static str),
    /// The run's own output.
    Own(PathBuf),
    /// A temporary file of this program, which was not read.
    Temporary(PathBuf),
    /// A state file of `scrub` under its default name, which was not read.
    State(PathBuf),
    /// A malformed line in a manifest. It counts as malformed.
    Malformed(BadLine),
}

readable! {
    /// A malformed line in a manifest.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct BadLine {
        /// The position of the line.
        at: Place,
        /// The reason.
        reason: String => &str,
        /// Whether the only problem is that its digest needs a key, which was not given.
        lacks_key: bool,
    }
}

impl BadLine {
    /// Returns a line at this position that is malformed for this reason.
    pub fn new(at: Place, reason: String) -> BadLine {
        BadLine { at, reason, lacks_key: false }
    }
}

impl From<LineError> for BadLine {
    fn from(error: LineError) -> BadLine {
        let lacks_key = matches!(error.reason, Reason::Key(_));
        BadLine { at: error.at, reason: error.reason.to_string(), lacks_key }
    }
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.at.describe(&self.reason, f)
    }
}

/// Receives outcomes. An error of the sink ends the run.
pub trait Sink {
    /// Receives the outcome of a file.
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()>;
    /// Receives a notice.
    fn notice(&mut self, notice: Notice) -> io::Result<()>;
    /// Called when everything known so far has been delivered, so that buffered output can be flushed.
    fn pause(&mut self) -> io::Result<()> {
        Ok(())
    }
}
