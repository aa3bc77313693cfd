//! What a format can hold. Nothing that a format loses is lost in silence: a writer asks here.

use super::writing::Unholdable;
use crate::entry::Entry;
use truesum_hash::{Spec, find};

/// What an entry of a format can say.
#[derive(Clone, Copy, Debug)]
pub struct Holds {
    /// Which algorithms.
    pub algorithms: Algorithms,
    /// What tells the algorithm of a digest.
    pub told: Told,
    /// Which names.
    pub names: Names,
    /// The file's size.
    pub size: bool,
    /// When the file was last written.
    pub mtime: bool,
    /// Digests of pieces, and what these are cut from.
    pub pieces: Option<Cut>,
    /// Whether what is read may say where a file is damaged: digests of pieces, beside others or alone.
    pub locates: bool,
    /// Whether it is a set of known digests, whose names are of no folder.
    pub set: bool,
    /// Whether an entry of this name has no digest by the format's own rules, so that none is missing there.
    pub exempt: fn(&[u8]) -> bool,
}

/// What pieces are cut from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// All files laid end to end: SHA-1, as version 1 of torrents has it.
    Joined,
    /// Each file for itself: nodes of a tree of SHA-256, as version 2 has it.
    Each,
    /// Both, where zeros behind each file let the next one begin with a piece.
    Both,
}

/// Which algorithms a format can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithms {
    /// All.
    Any,
    /// Those of these names, at their usual length.
    Only(&'static [&'static str]),
}

/// What tells the algorithm of a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// The manifest: a tag, a column's heading, or the format as such.
    Here,
    /// Only the manifest's name, the user, or the digest's length.
    Elsewhere,
    /// Only the manifest's name, by which alone the format is known too.
    ByName,
}

/// Which names a format can hold. None holds a NUL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Any.
    Bytes,
    /// Any but those that a format without escapes would cut or lose.
    Literal {
        /// Bytes that no name may hold: line ends, and what readers take for a separator.
        nowhere: &'static [u8],
        /// Bytes that no name may begin with.
        not_first: &'static [u8],
        /// Bytes that no name may end with.
        not_last: &'static [u8],
    },
    /// Any that can be cut into folders by `/`, without empty ones, `.` and `..`.
    Components,
}

impl Holds {
    /// Names and digests, whatever the name and the algorithm, and nothing else.
    pub const DIGESTS: Holds = Holds {
        algorithms: Algorithms::Any,
        told: Told::Here,
        names: Names::Bytes,
        size: false,
        mtime: false,
        pieces: None,
        locates: false,
        set: false,
        exempt: |_| false,
    };

    /// Whether digests of this algorithm.
    pub fn algorithm(&self, spec: &Spec) -> bool {
        match self.algorithms {
            Algorithms::Any => true,
            Algorithms::Only(names) => {
                names.iter().any(|name| find(name).is_some_and(|row| Spec::new(row) == *spec))
            }
        }
    }

    /// The algorithm to compute for this format where nobody named one.
    pub fn usual_algorithm(&self) -> Spec {
        let name = match self.algorithms {
            Algorithms::Only([name, ..]) => name,
            Algorithms::Only([]) | Algorithms::Any => "sha256",
        };
        Spec::new(find(name).expect("a row of the table of algorithms"))
    }

    /// The entry as it comes back: without what the format drops because a check does well without it.
    #[must_use]
    pub fn kept(&self, entry: &Entry) -> Entry {
        Entry {
            path: entry.path.clone(),
            size: entry.size.filter(|_| self.size),
            mtime: entry.mtime.filter(|_| self.mtime),
            digests: entry.digests.clone(),
            unread: Vec::new(),
            pieces: if self.pieces.is_some() { entry.pieces.clone() } else { Vec::new() },
        }
    }

    /// Refuses an entry whose name or digests the format cannot hold.
    pub(crate) fn check(&self, entry: &Entry) -> Result<(), Unholdable> {
        if let Some((spec, _)) = entry.digests.iter().find(|(spec, _)| !self.algorithm(spec)) {
            return Err(Unholdable::Algorithm(spec.clone()));
        }
        let path = entry.path.as_slice();
        match self.names {
            Names::Bytes => {}
            Names::Literal { nowhere, not_first, not_last } => {
                if let Some(&byte) = path.iter().find(|byte| nowhere.contains(byte)) {
                    return Err(Unholdable::Byte(byte));
                }
                let is = |byte: Option<&u8>, of: &[u8]| byte.is_some_and(|byte| of.contains(byte));
                if is(path.first(), not_first) || is(path.last(), not_last) {
                    return Err(Unholdable::Edge);
                }
            }
            Names::Components => {
                let empty = |part: &[u8]| matches!(part, b"" | b"." | b"..");
                if path.split(|&byte| byte == b'/').any(empty) {
                    return Err(Unholdable::Components);
                }
            }
        }
        Ok(())
    }
}
