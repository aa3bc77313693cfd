//! Objects in a manifest that have no digest because they are not regular files. A reader counts them instead of returning
//! entries, so that callers can report them.

use crate::entry::ObjectKind;
use crate::path::{FOLDER_LIMIT, display_safe};
use std::collections::BTreeSet;
use std::fmt;
use truesum_hash::readable;

readable! {
    /// The objects of one kind in a manifest.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Omitted {
        /// The kind of these objects.
        kind: ObjectKind,
        /// The number of objects.
        count: u64,
        /// The name of the first one.
        first: Vec<u8> => &[u8],
    }
}

impl fmt::Display for Omitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, [one, many]) = (display_safe(&self.first), self.kind.words());
        match self.count {
            1 => write!(f, "1 {one} ({name})"),
            count => write!(f, "{count} {many} (first: {name})"),
        }
    }
}

/// The objects that a reader has found so far.
#[derive(Default)]
pub(super) struct OmittedObjects {
    counts: Vec<Omitted>,
    /// Directories in which nothing has been found so far.
    empty: BTreeSet<Vec<u8>>,
}

impl OmittedObjects {
    /// Counts an object.
    pub(super) fn add(&mut self, kind: ObjectKind, path: Vec<u8>) {
        self.below(&path);
        match kind {
            ObjectKind::Directory if path.is_empty() || path == b"." => {}
            ObjectKind::Directory => drop(self.empty.insert(path)),
            kind => self.count(kind, path),
        }
    }

    fn count(&mut self, kind: ObjectKind, path: Vec<u8>) {
        match self.counts.iter_mut().find(|known| known.kind == kind) {
            Some(known) => known.count += 1,
            None => self.counts.push(Omitted { kind, count: 1, first: path }),
        }
    }

    /// Notes that the directories that contain this path are not empty.
    pub(super) fn below(&mut self, path: &[u8]) {
        if self.empty.is_empty() {
            return;
        }
        for end in (1..path.len().min(FOLDER_LIMIT)).filter(|&at| path[at] == b'/') {
            self.empty.remove(&path[..end]);
        }
    }

    /// Counts the directories in which nothing was found.
    pub(super) fn end(&mut self) {
        for path in std::mem::take(&mut self.empty) {
            self.count(ObjectKind::Directory, path);
        }
    }

    /// Returns the objects by kind.
    pub(super) fn all(&self) -> &[Omitted] {
        &self.counts
    }
}
