//! Files by name and content: sets of files, and files with the same content under different names.

pub(crate) mod pairing;
pub(crate) mod set;

use truesum_hash::{Digest, Spec};
use truesum_manifest::Time;

readable! {
    /// The known facts about a file on one side.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Facts {
        /// Length in bytes.
        size: Option<u64>,
        /// The modification time.
        mtime: Option<Time>,
        /// The digests, or none if none were needed.
        digests: Vec<(Spec, Digest)> => &[(Spec, Digest)],
    }
}

impl Facts {
    /// Returns these facts.
    pub fn new(size: Option<u64>, mtime: Option<Time>, digests: Vec<(Spec, Digest)>) -> Facts {
        Facts { size, mtime, digests }
    }
}
