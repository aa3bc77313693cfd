//! What a run is given, one task after the other, and where what comes of them goes.

use crate::error::Error;
use crate::job::{Job, Outcome};
use std::path::PathBuf;
use std::{fmt, io};
use truesum_manifest::{LineError, Place, Reason};

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
    Link(PathBuf),
    /// A symbolic link to nothing.
    Dangling(PathBuf),
    /// A device, pipe or socket that was not read.
    Special(PathBuf, &'static str),
    /// The run's own output.
    Own(PathBuf),
    /// A temporary file of this program, which was not read.
    Temporary(PathBuf),
    /// A manifest's line that is no entry. It counts as malformed.
    Malformed(BadLine),
}

/// A line of a manifest that is no entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Where it is.
    pub at: Place,
    /// What is wrong with it.
    pub reason: String,
    /// Whether it is this alone that its digest needs a key which is not there.
    pub lacks_key: bool,
}

impl From<LineError> for BadLine {
    fn from(error: LineError) -> BadLine {
        let lacks_key = matches!(error.reason, Reason::Key(_));
        BadLine { at: error.at, reason: error.reason.to_string(), lacks_key }
    }
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.reason)
    }
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
