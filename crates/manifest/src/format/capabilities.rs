//! The information that a format can hold. Writers consult it, so that no information is lost
//! without a report.

use super::writing::Unrepresentable;
use crate::entry::Entry;
use truesum_hash::{Spec, find};

readable! {
    /// The information that an entry of a format can hold.
    #[derive(Clone, Copy, Debug)]
    pub struct Capabilities {
        /// The algorithms.
        algorithms: Algorithms,
        /// The source that determines the algorithm of a digest.
        algorithm_source: AlgorithmSource,
        /// The file names.
        names: Names,
        /// True if the format holds the file's size.
        size: bool,
        /// True if the format holds the file's modification time.
        mtime: bool,
        /// The bytes that pieces divide, if the format holds digests of pieces.
        pieces: Option<PieceLayout>,
        /// True if a manifest may have digests of pieces that locate damage, alone or in addition to
        /// others.
        locates: bool,
        /// True if the format is a set of known digests, whose names do not refer to files in a folder.
        set: bool,
        /// True if names may be from `file:` URLs without their leading slash, so that they are relative to the folder of
        /// the manifest or absolute.
        file_urls: bool,
    }
    private {
        /// See [`Capabilities::exempts`].
        exempt: fn(&[u8]) -> bool,
    }
}

/// The bytes that are divided into pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceLayout {
    /// All files one after the other, with SHA-1 digests as in version 1 torrents.
    Concatenated,
    /// Each file separately, with nodes of a SHA-256 tree as in version 2 torrents.
    PerFile,
    /// Both. Zeros after each file make the next one start with a piece.
    Hybrid,
}

/// The algorithms that a format can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithms {
    /// All algorithms.
    Any,
    /// The algorithms with these names, with digests of their default length.
    Only(&'static [&'static str]),
}

/// The source that determines the algorithm of a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlgorithmSource {
    /// The manifest itself: a tag, the heading of a column, or the format.
    Manifest,
    /// Only the manifest's name, the user, or the length of the digest.
    Elsewhere,
    /// Only the manifest's name, which is also the only evidence for the format.
    FileName,
}

/// The file names that a format can hold. No format can hold a name with a NUL byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// All names.
    Bytes,
    /// All names except those that a format without escapes would truncate or lose.
    Literal {
        /// Bytes that must not occur in a name: line ends, and bytes that readers treat as a
        /// separator.
        forbidden: &'static [u8],
        /// Bytes that a name must not start with.
        not_first: &'static [u8],
        /// Bytes that a name must not end with.
        not_last: &'static [u8],
    },
    /// Names of components separated by `/`, none of which is empty, `.` or `..`.
    Components,
}

impl Capabilities {
    /// Holds any name and digests of any algorithm, but nothing else.
    pub const DIGESTS: Capabilities = Capabilities {
        algorithms: Algorithms::Any,
        algorithm_source: AlgorithmSource::Manifest,
        names: Names::Bytes,
        size: false,
        mtime: false,
        pieces: None,
        locates: false,
        set: false,
        file_urls: false,
        exempt: |_| false,
    };

    /// Returns whether the rules of the format exempt an entry with this name from having a digest.
    pub fn exempts(&self, name: &[u8]) -> bool {
        (self.exempt)(name)
    }

    /// Returns whether the format can hold digests of this algorithm.
    pub fn algorithm(&self, spec: &Spec) -> bool {
        match self.algorithms {
            Algorithms::Any => true,
            Algorithms::Only(names) => {
                names.iter().any(|name| find(name).is_some_and(|row| Spec::new(row) == *spec))
            }
        }
    }

    /// Returns the algorithm to compute for this format if none was requested.
    pub fn usual_algorithm(&self) -> Spec {
        let name = match self.algorithms {
            Algorithms::Only([name, ..]) => name,
            Algorithms::Only([]) | Algorithms::Any => "sha256",
        };
        Spec::new(find(name).expect("a row of the table of algorithms"))
    }

    /// Returns the entry as it is read back: without the information that the format cannot store
    /// and that a check does not need.
    #[must_use]
    pub fn as_read(&self, entry: &Entry) -> Entry {
        let mut entry = entry.clone();
        self.drop_unrepresented(&mut entry);
        entry
    }

    /// Removes the information that is missing from [`Capabilities::as_read`].
    pub(crate) fn drop_unrepresented(&self, entry: &mut Entry) {
        entry.size = entry.size.filter(|_| self.size);
        entry.mtime = entry.mtime.filter(|_| self.mtime);
        entry.unread.clear();
        entry.attributes.clear();
        entry.alternatives.clear();
        if self.pieces.is_none() {
            entry.pieces.clear();
        }
    }

    /// Fails if the format cannot hold the name or the digests of an entry.
    pub(crate) fn check(&self, entry: &Entry) -> Result<(), Unrepresentable> {
        if let Some((spec, _)) = entry.digests.iter().find(|(spec, _)| !self.algorithm(spec)) {
            return Err(Unrepresentable::Algorithm(spec.clone()));
        }
        let path = entry.path.as_slice();
        match self.names {
            Names::Bytes => {}
            Names::Literal { forbidden, not_first, not_last } => {
                if let Some(&byte) = path.iter().find(|byte| forbidden.contains(byte)) {
                    return Err(Unrepresentable::Byte(byte));
                }
                let is = |byte: Option<&u8>, of: &[u8]| byte.is_some_and(|byte| of.contains(byte));
                if is(path.first(), not_first) || is(path.last(), not_last) {
                    return Err(Unrepresentable::Edge);
                }
            }
            Names::Components => {
                let empty = |part: &[u8]| matches!(part, b"" | b"." | b"..");
                if path.split(|&byte| byte == b'/').any(empty) {
                    return Err(Unrepresentable::Components);
                }
            }
        }
        Ok(())
    }
}
