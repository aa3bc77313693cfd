//! Files that may be the same because they have the same size and modification time.

use crate::audit::same_time;
use crate::scrub::record::Record;
use std::collections::{BTreeSet, HashMap};
use truesum_manifest::Time;

/// The sizes and modification times of files.
#[derive(Default)]
pub(crate) struct Stamps(HashMap<Option<u64>, BTreeSet<Time>>);

impl Stamps {
    pub(crate) fn add(&mut self, size: Option<u64>, mtime: Option<Time>) {
        self.0.entry(size).or_default().extend(mtime);
    }

    /// Adds those of a file that may be corrupt, which an empty one cannot be.
    pub(crate) fn add_corruptible(&mut self, record: &Record) {
        if record.size != Some(0) {
            self.add(record.size, record.mtime);
        }
    }

    /// Returns whether one of the files had the same size and time.
    pub(crate) fn contain(&self, record: &Record) -> bool {
        let (Some(times), Some(time)) = (self.0.get(&record.size), record.mtime) else { return false };
        // Times that are the same differ by 14 hours at most.
        let at = |seconds: i64| Time { seconds: time.seconds.saturating_add(seconds), nanos: 0 };
        times.range(at(-54_000)..at(54_000)).any(|&other| same_time(other, time))
    }
}
