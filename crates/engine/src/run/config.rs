//! The configuration of a run.

use crate::error::Error;
use crate::io::file_id::FileId;
use crate::io::mapping::Mapping;
use crate::io::memory_limit::fitting;
use crate::io::open::{Root, Special};
use crate::io::read::Guarded;
use crate::run::order::{Order, ReadMode};
use crate::run::remote::Remote;
use std::fs::File;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use truesum_fs::metadata::Metadata;

options! {
    /// The configuration of a run: how it opens, reads and hashes files.
    #[derive(Debug)]
    pub struct Config {
        /// The root from which the names of jobs are resolved.
        root: Root,
        /// The types of files that are read.
        special: Special,
        /// The number of threads that read and hash; 0 means one per core. With limited address space, there may be fewer.
        threads: usize,
        /// How files are read.
        reads: ReadMode,
        /// Whether files may be mapped.
        mapping: Mapping,
        /// Whether outcomes are delivered in the order of the tasks or as soon as they are ready.
        order: Order,
        /// The maximum time between two calls of [`Sink::pause`](crate::task::Sink::pause), even if no outcome arrives.
        interval: Option<Duration>,
        /// Files that are skipped: the run's own output, as `(device, inode)`.
        own: Vec<FileId>,
        /// The store that contains the files, if they are not in a file system.
        remote: Option<Arc<dyn Remote>>,
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            root: Root::Anywhere,
            special: Special::Refuse,
            threads: 0,
            reads: ReadMode::default(),
            mapping: Mapping::Never,
            order: Order::Stable,
            interval: None,
            own: Vec::new(),
            remote: None,
        }
    }
}

impl Config {
    /// Starts to read an open file of a job.
    ///
    /// # Errors
    /// Fails under the same conditions as [`Guarded::of`].
    pub(crate) fn guarded(&self, file: File, stat: Metadata, name: &[u8]) -> Result<Guarded, Error> {
        let file = Guarded::of(file, stat, name)?;
        Ok(if self.reads.drop_cache { file.without_caching() } else { file })
    }

    /// Returns whether a file is read to its end before the next one, in the order of the tasks. A single thread does
    /// this even if it was not requested, except for objects in a store, which are requested in advance.
    pub(crate) fn reads_in_order(&self) -> bool {
        self.reads.sequential || self.threads == 1 && self.remote.is_none()
    }
}

/// Returns how many threads this process may run at once, according to its processors, its control group, and its
/// address space if that is limited (`ulimit -v`). Determined once, because it takes longer than hashing a small file.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| fitting(std::thread::available_parallelism().map_or(1, usize::from)))
}
