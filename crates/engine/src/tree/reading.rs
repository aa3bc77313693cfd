//! The settings with which the functions of this module read a file.

use crate::error::Error;
use crate::io::mapping::Mapping;
use crate::io::open::{Root, Special};
use crate::io::read::Guarded;
use crate::io::source::Source;
use crate::progress::Progress;
use crate::run::config::cores;
use crate::run::remote::Remote;

options! {
    /// The settings for reading a file, reporting progress, and stopping the work.
    #[derive(Clone, Copy)]
    pub struct Reading<'a> {
        /// The root from which the file's name is resolved.
        root: &'a Root,
        /// The number of threads that read and hash; 0 means one per core.
        threads: usize,
        /// Whether the file may be mapped.
        mapping: Mapping,
        /// The progress. [`Progress::stop`] ends the work early, with an error.
        progress: &'a Progress,
        /// The store that the file's name refers to, if it is not in a file system. Digests, pieces and stored trees
        /// can be computed and compared there, but not functions that read a file sequentially.
        remote: Option<&'a dyn Remote>,
    }
}

static ANYWHERE: Root = Root::Anywhere;

impl<'a> Reading<'a> {
    /// Returns settings for a name without limits, all cores, and no mapping.
    pub fn new(progress: &'a Progress) -> Reading<'a> {
        Reading { root: &ANYWHERE, threads: 0, mapping: Mapping::Never, progress, remote: None }
    }

    /// Opens a regular file.
    pub(super) fn open(&self, path: &[u8]) -> Result<Guarded, Error> {
        match self.remote {
            Some(remote) => Guarded::of_version(remote.version(path, self.progress)?),
            None => Guarded::open(self.root, path, Special::Refuse),
        }
    }

    /// Returns a source for reading an open file at arbitrary offsets, mapped if that is allowed and helps.
    pub(super) fn source<'s>(&self, file: &'s Guarded, path: &'s [u8]) -> Source<'s>
    where
        'a: 's,
    {
        Source::new(file, path, self.mapping, self.progress)
    }

    /// Returns a source that reads the file into memory in pieces.
    pub(super) fn unmapped<'s>(&self, file: &'s Guarded, path: &'s [u8]) -> Source<'s>
    where
        'a: 's,
    {
        Source::new(file, path, Mapping::Never, self.progress)
    }

    pub(super) fn thread_count(&self) -> usize {
        match self.threads {
            0 => cores(),
            threads => threads,
        }
    }
}
