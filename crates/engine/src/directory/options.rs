//! What is asked of the digest of a tree.

use crate::directory::kind::Kind;
use crate::io::mapping::Mapping;
use crate::walk;

/// Which digest of a tree, of which of its files, and how they are read.
#[derive(Debug)]
pub struct Options {
    /// Which digest.
    pub kind: Kind,
    /// What of the tree counts. Links are never followed and special files never read, whatever this says of them.
    pub walk: walk::Options,
    /// Threads that read and hash; 0 means one for each core.
    pub threads: usize,
    /// Whether files may be mapped.
    pub mapping: Mapping,
}

impl Options {
    /// This digest of everything in a tree, on all cores.
    pub fn new(kind: Kind) -> Options {
        Options { kind, walk: walk::Options::default(), threads: 0, mapping: Mapping::Never }
    }
}
