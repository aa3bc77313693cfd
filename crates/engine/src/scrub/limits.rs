//! The limits of one run.

use crate::scrub::plan::weight;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The files and bytes in the first batch of a run with a time limit; later ones are as large as the measured rate
/// allows.
const FIRST: (u64, u64) = (64, 64 << 20);

/// Limits and what was used of them.
#[derive(Debug)]
pub(crate) struct Limits {
    began: Instant,
    max_time: Option<Duration>,
    max_bytes: Option<u64>,
    /// The weight of due files to read, if not all of them are.
    share: AtomicU64,
    bytes: AtomicU64,
    due: AtomicU64,
    is_spent: AtomicBool,
    /// Whether a new file or one that failed is read.
    has_new: AtomicBool,
}

impl Limits {
    pub(crate) fn new(max_bytes: Option<u64>, max_time: Option<Duration>) -> Limits {
        let (bytes, due, is_spent, has_new) = Default::default();
        Limits {
            began: Instant::now(),
            max_time,
            max_bytes,
            share: AtomicU64::new(u64::MAX),
            bytes,
            due,
            is_spent,
            has_new,
        }
    }

    /// Sets the weight of due files to read.
    pub(crate) fn set_share(&self, share: u64) {
        self.share.store(share, Relaxed);
    }

    /// Returns whether a run is limited in a way that may prevent it from reading everything that is due.
    pub(crate) fn is_hard(&self) -> bool {
        self.max_time.is_some() || self.max_bytes.is_some()
    }

    /// Returns whether a file may be read, and counts it if so. The first file always may; otherwise, a file that is
    /// larger than the limit would never be read.
    pub(crate) fn grant(&self, size: u64) -> bool {
        let is_first = self.bytes.load(Relaxed) == 0 && self.due.load(Relaxed) == 0;
        self.take(size, is_first)
    }

    /// Returns the same for a new file or one that failed. One of these is read in every run, even if modified files used up
    /// the limit.
    pub(crate) fn grant_new(&self, size: u64) -> bool {
        self.take(size, !self.has_new.swap(true, Relaxed))
    }

    /// Counts a file that is within the limits, or that must be read in spite of them. Returns false for others.
    fn take(&self, size: u64, is_required: bool) -> bool {
        let bytes = self.bytes.load(Relaxed);
        let is_late = self.max_time.is_some_and(|limit| self.began.elapsed() >= limit);
        let is_too_much = self.max_bytes.is_some_and(|limit| bytes.saturating_add(size) > limit);
        if (is_late || is_too_much) && !is_required {
            return false;
        }
        self.bytes.store(bytes.saturating_add(size).max(1), Relaxed);
        true
    }

    /// Returns the same for a file that is due. The share ends with the file that reaches it, and no file follows one
    /// that may not be read.
    pub(crate) fn grant_due(&self, size: u64) -> bool {
        let due = self.due.load(Relaxed);
        // New and modified files do not use up what due files need: one of these is read in every run.
        if self.is_spent() || due >= self.share.load(Relaxed) || !self.take(size, due == 0) {
            self.is_spent.store(true, Relaxed);
            return false;
        }
        self.due.store(due.saturating_add(weight(size)), Relaxed);
        true
    }

    /// Returns whether no further due file may be read.
    pub(crate) fn is_spent(&self) -> bool {
        self.is_spent.load(Relaxed)
    }

    /// Returns the number of files and bytes to hand out before the time is tested again: as many as take about a
    /// quarter of the remaining time, so that it is not exceeded by much. `done` is the number of files and bytes read.
    pub(crate) fn batch(&self, done: (u64, u64)) -> (u64, u64) {
        let Some(limit) = self.max_time else { return (u64::MAX, u64::MAX) };
        let (spent, (files, bytes)) = (self.began.elapsed(), done);
        let part = limit.saturating_sub(spent).as_secs_f64() / spent.as_secs_f64().max(1e-3) / 4.0;
        if files == 0 {
            FIRST
        } else {
            (((files as f64 * part) as u64).max(1), ((bytes as f64 * part) as u64).max(1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_file_is_always_read_and_others_only_within_the_limit() {
        for (sizes, most, number) in [
            (&[5, 5, 5][..], Some(10), 2),
            (&[11, 1], Some(10), 1),
            (&[0, 11, 1], Some(10), 1),
            (&[u64::MAX, u64::MAX], Some(u64::MAX), 2),
            (&[3, 3], None, 2),
        ] {
            let limits = Limits::new(most, None);
            let granted = sizes.iter().take_while(|&&size| limits.grant(size)).count();
            assert_eq!(granted, number, "{sizes:?}");
        }
    }

    #[test]
    fn only_one_new_file_is_read_beyond_the_limit() {
        // regression: two were read, and a file beyond the limit did not count, so that smaller ones followed it.
        let limits = Limits::new(Some(10), None);
        assert!(limits.grant_new(11) && !limits.grant_new(11) && !limits.grant(1));
        let limits = Limits::new(Some(10), None);
        assert!(limits.grant(5) && limits.grant_new(1000) && !limits.grant(1) && !limits.grant_new(1));
        assert!(limits.grant_due(1000) && !limits.grant_due(1));
    }

    #[test]
    fn one_due_file_is_read_even_if_new_files_used_up_the_limit() {
        let limits = Limits::new(Some(10), None);
        assert!(limits.grant(10) && !limits.grant(1));
        assert!(limits.grant_due(1000) && !limits.grant_due(1));
        // A file that exceeds the limit counts, so that no smaller one follows it.
        let limits = Limits::new(Some(10), None);
        assert!(limits.grant(5) && limits.grant_due(1000) && !limits.grant_due(1));
        let limits = Limits::new(None, None);
        limits.set_share(5000);
        assert!(limits.grant_due(0) && limits.grant_due(1 << 20) && !limits.grant_due(0));
    }
}
