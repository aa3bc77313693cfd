//! Files that lie in no file system: whoever can read them stands in for the workers of a run.

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

/// Where files lie that no system call opens.
///
/// What holds for the workers of a run holds here: a digest only of bytes that were read, all of one version and to the end; what
/// changed meanwhile is [`Cause::Changed`](crate::Cause::Changed), and what is not there an error whose kind is `NotFound`.
pub trait Remote: fmt::Debug + Send + Sync {
    /// What stands here for all names: a URL without anything secret.
    fn name(&self) -> String;

    /// The files there, in the order of their names, as jobs with these algorithms; what cannot be one is told. It ends when the
    /// run is stopped, and with a notice of the failure where a list could not be had to its end.
    fn list(&self, specs: &Arc<[Spec]>, progress: &Progress) -> Box<dyn Iterator<Item = Task> + Send>;

    /// As [`run`](crate::run()), with the names of jobs leading here; 0 threads are one for each core.
    ///
    /// # Errors
    /// The sink's.
    fn run(
        &self,
        threads: usize,
        order: Order,
        tasks: &mut (dyn Iterator<Item = Task> + Send),
        progress: &Progress,
        sink: &mut dyn Sink,
    ) -> io::Result<Summary>;

    /// Opens the version of a file that is there now, to be read by place.
    ///
    /// # Errors
    /// It is not there, cannot be read, or has no versions; it was told to stop.
    fn version(&self, name: &[u8], progress: &Progress) -> Result<Box<dyn Version>, Error>;
}
