//! What a run is given, one task after the other, and where what comes of them goes.

use crate::error::Error;
use crate::job::{Job, Outcome};
use std::io;
use truesum_manifest::LineError;

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
    /// A temporary file of this program, which was not read.
    Temporary(Vec<u8>),
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
