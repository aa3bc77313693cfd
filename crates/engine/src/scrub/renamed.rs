//! The new files of a collection, any of which may be a missing file under another name.

use crate::audit::same_time;
use crate::scrub::record::Record;
use crate::scrub::scan::Entry;
use std::collections::{HashMap, HashSet};
use truesum_hash::Digest;

/// New files, and which of them have been paired with missing ones.
pub(crate) struct NewFiles {
    files: Vec<Entry>,
    paired: Vec<bool>,
    /// Which of them have the content of a missing file, and are therefore not a missing file with
    /// other content.
    known: Vec<bool>,
    by_digest: HashMap<Digest, Vec<usize>>,
    by_size: HashMap<Option<u64>, Vec<usize>>,
}

/// The result of searching for a file with the size and time of a missing one.
pub(crate) enum Similar {
    /// There is none with other content.
    None,
    /// The file with this number has other content.
    Damaged(usize),
    /// A file has no algorithm in common with the missing one, so it may be that file.
    Unknown,
}

impl NewFiles {
    pub(crate) fn new(files: Vec<Entry>) -> NewFiles {
        let (mut by_digest, mut by_size): (HashMap<_, Vec<usize>>, HashMap<_, Vec<usize>>) =
            Default::default();
        for (at, (_, record)) in files.iter().enumerate() {
            by_size.entry(record.size).or_default().push(at);
            record.digests.iter().for_each(|digest| by_digest.entry(digest.clone()).or_default().push(at));
        }
        let none = vec![false; files.len()];
        NewFiles { paired: none.clone(), known: none, files, by_digest, by_size }
    }

    /// Returns the number of a file with the content of a missing one.
    pub(crate) fn same(&self, before: &Record) -> Option<usize> {
        let mut candidates =
            before.digests.iter().filter_map(|digest| self.by_digest.get(digest)).flatten().copied();
        candidates.find(|&at| !self.paired[at] && has_same_content(before, &self.files[at].1) == Some(true))
    }

    /// Searches for a file with the size and time of a missing one. An empty file cannot be damaged.
    pub(crate) fn similar(&self, before: &Record) -> Similar {
        let is_time = |record: &Record| before.mtime.zip(record.mtime).is_some_and(|(a, b)| same_time(a, b));
        let files = self.by_size.get(&before.size).filter(|_| before.size.is_some_and(|size| size > 0));
        let files = files.into_iter().flatten().copied();
        let mut found = Similar::None;
        let is_open = |at: &usize| !self.paired[*at] && !self.known[*at];
        for at in files.filter(|at| is_open(at) && is_time(&self.files[*at].1)) {
            match has_same_content(before, &self.files[at].1) {
                Some(false) => return Similar::Damaged(at),
                Some(true) => {}
                None => found = Similar::Unknown,
            }
        }
        found
    }

    /// Records that the file with this number has the content of a missing one.
    pub(crate) fn note_same(&mut self, at: usize) {
        self.known[at] = true;
    }

    /// Returns the file with this number, which is not returned again for another missing one.
    pub(crate) fn pair(&mut self, at: usize) -> &Entry {
        self.paired[at] = true;
        &self.files[at]
    }

    /// Returns the names of the files that have been paired.
    pub(crate) fn into_paired(self) -> HashSet<Vec<u8>> {
        let paired = self.files.into_iter().zip(self.paired).filter(|(_, is_paired)| *is_paired);
        paired.map(|((name, _), _)| name).collect()
    }
}

/// Returns whether two records have the same content; `None` if they have no algorithm in common.
fn has_same_content(one: &Record, other: &Record) -> Option<bool> {
    let common = one.specs.iter().zip(&one.digests).filter_map(|(spec, digest)| {
        let at = other.specs.iter().position(|other| other == spec)?;
        Some(*digest == other.digests[at])
    });
    common.reduce(|one, other| one && other)
}
