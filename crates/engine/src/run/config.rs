//! How a run reads and hashes.

use crate::io::file_id::FileId;
use crate::io::mapping::Mapping;
use crate::io::open::{Root, Special};
use crate::io::room::fitting;
use crate::run::order::Order;
use crate::run::remote::Remote;
use std::sync::{Arc, OnceLock};

/// How a run reads and hashes.
#[derive(Debug)]
pub struct Config {
    /// Where the jobs' names lead.
    pub root: Root,
    /// Which kinds of file are read.
    pub special: Special,
    /// Threads that read and hash; 0 means one for each core. Where the address space is limited there may be fewer.
    pub threads: usize,
    /// Whether files may be mapped.
    pub mapping: Mapping,
    /// Whether outcomes come in the order of the tasks or as they are ready.
    pub order: Order,
    /// Files that are passed over: the run's own output, as `(device, inode)`.
    pub own: Vec<FileId>,
    /// Where the files are, if they lie in no file system.
    pub remote: Option<Arc<dyn Remote>>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            root: Root::Anywhere,
            special: Special::Refuse,
            threads: 0,
            mapping: Mapping::Never,
            order: Order::Stable,
            own: Vec::new(),
            remote: None,
        }
    }
}

/// How many threads this process may run at once, by its processors, its control group, and its address space where that is
/// limited (`ulimit -v`). Asked once: it takes longer than hashing a small file.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| fitting(std::thread::available_parallelism().map_or(1, usize::from)))
}
