//! Files by name and content: sets of them, and which have one content under different names.

pub(crate) mod pairing;
pub(crate) mod set;

use truesum_hash::{Digest, Spec};
use truesum_manifest::Time;

/// What is known of a file on one side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Length in bytes.
    pub size: Option<u64>,
    /// When it was last written.
    pub mtime: Option<Time>,
    /// Its digests; none where none was needed.
    pub digests: Vec<(Spec, Digest)>,
}
