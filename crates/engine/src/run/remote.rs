//! Objects that are not in a file system. A [`Remote`] opens them for the workers of a run.

use crate::error::Error;
use crate::io::version::Version;
use crate::job::Job;
use crate::progress::Progress;
use crate::task::Task;
use std::fmt;
use std::io;
use std::sync::Arc;
use truesum_hash::Spec;

/// A store of objects that cannot be opened by system calls.
///
/// An object that changed during the read is [`Cause::Changed`](crate::Cause::Changed), and a missing one is an error of
/// kind `NotFound`. All functions return soon after the run was stopped.
pub trait Remote: fmt::Debug + Send + Sync {
    /// Returns the name of the store in messages: a URL without secrets.
    fn name(&self) -> String;

    /// Returns the number of objects to open at the same time. A run starts as many workers,
    /// because opening an object takes a long time, but no more of them hash at the same time than
    /// there are threads.
    fn connections(&self) -> usize;

    /// Lists the objects, in the order of their names, as jobs with these algorithms; objects whose names cannot be
    /// file names are reported. The list ends when the run is stopped, and ends with a notice of the failure if it is
    /// incomplete.
    fn list(&self, specs: &Arc<[Spec]>, progress: &Progress) -> Box<dyn Iterator<Item = Task> + Send>;

    /// Opens the object of a job: the listed version, or else the current one. An object of at most [`SMALL`] bytes is
    /// then in memory.
    ///
    /// # Errors
    /// Fails if the object does not exist or cannot be read, or if the run was stopped.
    fn open(&self, job: &Job, progress: &Progress) -> Result<Box<dyn Version>, Error>;

    /// Opens the current version of an object, to be read at arbitrary offsets and recognized later.
    ///
    /// # Errors
    /// Fails if the object does not exist, cannot be read or has no versions, or if the run was stopped.
    fn version(&self, name: &[u8], progress: &Progress) -> Result<Box<dyn Version>, Error>;
}

/// The digests that a store of objects records, as one side of a comparison: no object is read.
pub trait StoredDigests: fmt::Debug + Send + Sync {
    /// Returns the name of the store in messages: a URL without secrets.
    fn name(&self) -> String;

    /// Lists the objects as [`Remote::list`] does, with no algorithms.
    fn list(&self, progress: &Progress) -> Box<dyn Iterator<Item = Task> + Send>;

    /// Requests the digests of listed objects, and passes each object on with its size and digests, in the same order.
    ///
    /// # Errors
    /// Returns the errors of `each`. Failures of the store are passed on.
    fn digests(
        &self,
        listed: &mut (dyn Iterator<Item = Task> + Send),
        progress: &Progress,
        each: &mut dyn FnMut(StoredEntry) -> io::Result<()>,
    ) -> io::Result<()>;
}

/// An object of [`StoredDigests`].
#[derive(Debug)]
pub enum StoredEntry {
    /// An object with the digests that the store records for it.
    Object(Job),
    /// An object for which the store records no usable digest, and the reason.
    WithoutDigest(Job, Error),
    /// An object whose digests could not be requested.
    Unreadable(Job, Error),
    /// A failure of the listing, or a listed object whose name cannot be that of a file.
    Failed(Error),
}

/// The action of an error because of which a listing is incomplete ([`Error::action`]).
pub const LIST: &str = "list";

/// The maximum size of an object that is received at once. A worker opens no more objects while it holds as many bytes.
pub const SMALL: u64 = 4 << 20;
