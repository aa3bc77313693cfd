//! The options of a directory digest.

use crate::directory::kind::Kind;
use crate::io::mapping::Mapping;
use crate::walk;

options! {
    /// The kind of digest, the files to include, and how they are read.
    #[derive(Debug)]
    pub struct Options {
        /// The kind of digest.
        kind: Kind,
        /// The options of the walk, which select the objects to include. Links are never followed and
        /// special files never read, whatever these options specify.
        walk: walk::Options,
        /// The number of threads that read and hash; 0 means one per core.
        threads: usize,
        /// Whether files may be mapped.
        mapping: Mapping,
    }
}

impl Options {
    /// Returns the options for this digest of everything in a tree, on all cores.
    pub fn new(kind: Kind) -> Options {
        Options { kind, walk: walk::Options::default(), threads: 0, mapping: Mapping::Never }
    }
}
