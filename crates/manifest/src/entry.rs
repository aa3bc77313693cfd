//! An [`Entry`]: what a manifest says of one file.

pub(crate) mod pairs;
mod pieces;
mod time;

pub use pieces::{Cuts, Made, Piece, PieceList, SIZE_LIMIT};
pub use time::Time;

use truesum_hash::{Digest, Spec};

/// Most algorithms of one entry: what is written can be read, and no line makes its reader slow.
pub const MAX_ALGORITHMS: usize = 1024;

/// What a manifest says of one file. Only the path is always there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// The name as the manifest spells it, unescaped. Bytes: nothing says that a name is text.
    pub path: Vec<u8>,
    /// Length of the file in bytes.
    pub size: Option<u64>,
    /// When the file was last written.
    pub mtime: Option<Time>,
    /// The digests of the whole file, in the manifest's order.
    pub digests: Vec<(Spec, Digest)>,
    /// Names of algorithms that there are not here, and of which the manifest has a digest of it beside others: nobody compared those.
    pub unread: Vec<String>,
    /// Digests of parts of it, one item for each algorithm. They say nothing of bytes that no piece covers.
    pub pieces: Vec<PieceList>,
}

impl Entry {
    /// An entry with one digest and nothing else.
    pub fn new(path: &[u8], spec: Spec, digest: Digest) -> Entry {
        Entry { path: path.to_vec(), digests: vec![(spec, digest)], ..Entry::default() }
    }
}
