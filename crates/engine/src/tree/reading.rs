//! How the functions over trees read a file.

use crate::error::Error;
use crate::io::mapping::Mapping;
use crate::io::open::{Root, Special};
use crate::io::read::Guarded;
use crate::io::source::Source;
use crate::progress::Progress;
use crate::run::config::cores;
use crate::run::remote::Remote;

/// How a file is read, how far it is, and how it is stopped.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// Where the file's name leads from.
    pub root: &'a Root,
    /// Threads that read and hash; 0 means one for each core.
    pub threads: usize,
    /// Whether the file may be mapped.
    pub mapping: Mapping,
    /// How far it is. [`Progress::stop`] ends it early, with an error.
    pub progress: &'a Progress,
    /// Where the file's name leads instead, if it lies in no file system. Digests, pieces, stored trees and what is compared with
    /// them are read there; what reads a file from its beginning to its end is not.
    pub remote: Option<&'a dyn Remote>,
}

static ANYWHERE: Root = Root::Anywhere;

impl<'a> Reading<'a> {
    /// A name that leads anywhere, all cores, no mapping.
    pub fn new(progress: &'a Progress) -> Reading<'a> {
        Reading { root: &ANYWHERE, threads: 0, mapping: Mapping::Never, progress, remote: None }
    }

    /// A regular file under this name.
    pub(super) fn open(&self, path: &[u8]) -> Result<Guarded, Error> {
        match self.remote {
            Some(remote) => Guarded::of_version(remote.version(path, self.progress)?),
            None => Guarded::open(self.root, path, Special::Refuse),
        }
    }

    /// An open file to be read by place, mapped if that is allowed and of use.
    pub(super) fn source<'s>(&self, file: &'s Guarded, path: &'s [u8]) -> Source<'s>
    where
        'a: 's,
    {
        Source::new(file, path, self.mapping, self.progress)
    }

    /// The same, read piece by piece into memory.
    pub(super) fn unmapped<'s>(&self, file: &'s Guarded, path: &'s [u8]) -> Source<'s>
    where
        'a: 's,
    {
        Source::new(file, path, Mapping::Never, self.progress)
    }

    pub(super) fn threads(&self) -> usize {
        match self.threads {
            0 => cores(),
            threads => threads,
        }
    }
}
