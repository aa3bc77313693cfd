//! Selects the entries of a manifest to check.

use crate::io::open::Root;
use crate::job::Job;
use crate::select::Selection;
use crate::select::names::plain;

/// Applies a selection to entries.
#[derive(Debug, Default)]
pub(crate) struct EntryFilter {
    select: Selection,
    /// Whether the sample has selected any entry.
    taken: bool,
}

/// The result for an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pick {
    /// It is checked.
    In,
    /// It is not checked.
    Out,
    /// It is excluded only by the sample. If the sample selects nothing, the one of these with the smallest key is
    /// checked.
    Spare(u64),
}

impl EntryFilter {
    pub(crate) fn new(select: &Selection) -> EntryFilter {
        EntryFilter { select: select.clone(), taken: false }
    }

    /// Returns whether the sample has selected none of the entries so far.
    pub(crate) fn is_empty(&self) -> bool {
        !self.taken
    }

    /// Returns the result for an entry whose file is below `root`.
    pub(crate) fn pick(&mut self, job: &Job, root: &Root) -> Pick {
        let found = || {
            let stat = root.stat(job.path(), true).ok()?;
            let time = stat.mtime();
            stat.kind().is_file().then_some((stat.size(), time))
        };
        if !self.select.selects([job.path(), &job.name], (job.size, job.mtime), found) {
            return Pick::Out;
        }
        let Some(sample) = self.select.sample() else { return Pick::In };
        let key = sample.key(&plain(job.path()));
        if !sample.takes(key) {
            return Pick::Spare(key);
        }
        self.taken = true;
        Pick::In
    }
}
