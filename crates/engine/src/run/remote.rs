//! Objects that are not in a file system. An implementation of [`Remote`] takes the place of the workers of a run.

use crate::error::Error;
use crate::io::version::Version;
use crate::job::Summary;
use crate::progress::Progress;
use crate::run::order::Order;
use crate::task::{Sink, Task};
use std::fmt;
use std::io;
use std::sync::Arc;
use truesum_hash::Spec;

/// A store of objects that cannot be opened by system calls.
///
/// The rules for the workers of a run apply here as well: a digest is returned only for bytes that were all read, to
/// the end, from a single version. An object that changed during the read is [`Cause::Changed`](crate::Cause::Changed),
/// and a missing one is an error of kind `NotFound`.
pub trait Remote: fmt::Debug + Send + Sync {
    /// Returns the name of the store in messages: a URL without secrets.
    fn name(&self) -> String;

    /// Lists the objects, in the order of their names, as jobs with these algorithms; objects whose names cannot be
    /// file names are reported. The list ends when the run is stopped, and ends with a notice of the failure if it is
    /// incomplete.
    fn list(&self, specs: &Arc<[Spec]>, progress: &Progress) -> Box<dyn Iterator<Item = Task> + Send>;

    /// Runs tasks like [`run`](crate::run()), with names that refer to this store; 0 threads means one per core.
    ///
    /// # Errors
    /// Returns the error of the sink.
    fn run(
        &self,
        threads: usize,
        order: Order,
        tasks: &mut (dyn Iterator<Item = Task> + Send),
        progress: &Progress,
        sink: &mut dyn Sink,
    ) -> io::Result<Summary>;

    /// Opens the current version of an object, to be read at arbitrary offsets.
    ///
    /// # Errors
    /// Fails if the object does not exist, cannot be read or has no versions, or if the run was stopped.
    fn version(&self, name: &[u8], progress: &Progress) -> Result<Box<dyn Version>, Error>;
}
