//! The files that `hash` and similar commands read.

use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::options::Reporting;
use crate::tasks::{Inputs, Tasks};
use std::path::PathBuf;
use std::sync::Arc;
use truesum::hash::Spec;
use truesum::{Config, FileId, Mapping, Order, Progress, ReadMode, Remote, Root, walk};

/// The files to hash, the algorithms, and how the files are read.
pub struct Reading {
    pub specs: Arc<[Spec]>,
    pub inputs: Inputs,
    /// The object store that contains the files, if one is specified.
    pub remote: Option<Arc<dyn Remote>>,
    pub walk: walk::Options,
    /// The folder that names are relative to; `None` keeps them as they were given.
    pub root: Option<PathBuf>,
    pub order: Order,
    /// How files are read.
    pub reads: ReadMode,
    pub reporting: Reporting,
}

impl Reading {
    /// Returns a reading of local files whose names are kept as they were given.
    pub fn local(specs: Arc<[Spec]>, inputs: Inputs, walk: walk::Options, reporting: Reporting) -> Reading {
        let (remote, root, order) = (None, None, Order::Stable);
        let reads = ReadMode::default();
        Reading { specs, inputs, remote, walk, root, order, reads, reporting }
    }

    /// Returns the engine's configuration. `own` are files that this run writes.
    pub fn engine(&self, own: Vec<FileId>) -> Config {
        Config::default()
            .root(Root::Anywhere)
            .special(self.walk.get_special())
            .threads(self.reporting.threads)
            .reads(self.reads)
            .mapping(Mapping::Guarded)
            .order(self.order)
            .own(own)
            .remote(self.remote.clone())
    }

    /// Returns the files as tasks.
    ///
    /// # Errors
    /// Fails if a list of names cannot be opened.
    pub fn tasks(&self, progress: &Progress) -> Result<Tasks, Refusal> {
        if let Some(remote) = &self.remote {
            return Ok(Tasks::of_remote(&**remote, &self.specs, progress));
        }
        let (walk, root) = (self.walk.clone(), self.root.clone());
        Tasks::new(&self.inputs, walk, root, self.specs.clone(), self.reporting.threads, progress)
    }
}

/// Reports an error if a list of names could not be read to its end.
pub fn list_failed(tasks: &Tasks, console: &mut Console) -> Exit {
    let Some(error) = tasks.list_error() else { return Exit::Done };
    console.failure(&error);
    Exit::NotAsRequested
}
