//! Which entries of a manifest are checked.

use crate::io::open::Root;
use crate::job::Job;
use crate::select::Selection;
use crate::select::names::plain;
use rustix::fs::FileType;
use truesum_manifest::Time;

/// Picks entries by a selection.
#[derive(Debug, Default)]
pub(crate) struct Picking {
    select: Selection,
    /// Whether the sample has taken one.
    taken: bool,
}

/// What becomes of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pick {
    /// It is checked.
    In,
    /// It is not.
    Out,
    /// It would be, but for the sample. Of these, the one with the least key is checked if the sample took none.
    Spare(u64),
}

impl Picking {
    pub(crate) fn new(select: &Selection) -> Picking {
        Picking { select: select.clone(), taken: false }
    }

    /// Whether the sample took none of what was asked so far.
    pub(crate) fn is_empty(&self) -> bool {
        !self.taken
    }

    /// What becomes of an entry whose file lies below `root`.
    pub(crate) fn pick(&mut self, job: &Job, root: &Root) -> Pick {
        let found = || {
            let stat = root.stat(job.path(), true).ok()?;
            let time = Time { seconds: stat.st_mtime, nanos: stat.st_mtime_nsec as u32 };
            FileType::from_raw_mode(stat.st_mode).is_file().then_some((stat.st_size as u64, time))
        };
        if !self.select.has_name(job.path()) || !self.select.has_facts((job.size, job.mtime), found) {
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
