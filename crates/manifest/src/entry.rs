//! An [`Entry`]: the information about one file in a manifest.

mod object;
pub(crate) mod pairs;
mod pieces;
mod time;

pub use object::ObjectKind;
pub use pieces::{Boundaries, Piece, PieceComparison, PieceHashing, PieceList, SIZE_LIMIT};
pub use time::Time;

use truesum_hash::{Digest, Spec};

/// Maximum number of algorithms in an entry. Writers and readers share it, so that everything
/// written can be read, and no line takes long to read.
pub const MAX_ALGORITHMS: usize = 1024;

/// The information about one file in a manifest. Only the path is always present.
///
/// A plain record: callers build it with `..Entry::default()`, because it may get more fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// The name as spelled in the manifest, without escapes. It is stored as bytes because it need
    /// not be text.
    pub path: Vec<u8>,
    /// The size of the file in bytes.
    pub size: Option<u64>,
    /// The modification time of the file.
    pub mtime: Option<Time>,
    /// The digests of the complete file, in the manifest's order.
    pub digests: Vec<(Spec, Digest)>,
    /// Digests that the manifest accepts in place of the one of the same algorithm in `digests`.
    pub alternatives: Vec<(Spec, Digest)>,
    /// Names of unsupported algorithms whose digests the manifest has in addition to others. Those
    /// digests are not compared.
    pub unread: Vec<String>,
    /// Names of other attributes of the file that the manifest has and truesum does not read, such
    /// as its permissions. Only with [`Options::attributes`](crate::Options::attributes).
    pub attributes: Vec<String>,
    /// Whether the format has folders as well, and the manifest leaves open whether this is one.
    pub untyped: bool,
    /// Digests of pieces of the file, one item for each algorithm. They do not protect bytes
    /// outside the pieces.
    pub pieces: Vec<PieceList>,
}

impl Entry {
    /// Creates an entry with one digest and nothing else.
    pub fn new(path: &[u8], spec: Spec, digest: Digest) -> Entry {
        Entry { path: path.to_vec(), digests: vec![(spec, digest)], ..Entry::default() }
    }
}
