//! Files by name and content: sets of files, and files with the same content under different names.

pub(crate) mod pairing;
pub(crate) mod set;

use truesum_hash::{Digest, Spec};
use truesum_manifest::Time;

/// The known facts about a file on one side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Length in bytes.
    pub size: Option<u64>,
    /// The modification time.
    pub mtime: Option<Time>,
    /// The digests, or none if none were needed.
    pub digests: Vec<(Spec, Digest)>,
}
