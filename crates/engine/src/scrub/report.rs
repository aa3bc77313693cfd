//! The report of a run: a finding for each file that is not intact, and counts.

use crate::audit::{FileStatus, Finding};
use crate::error::Error;
use crate::scrub::coverage::Coverage;
use std::io;
use std::path::PathBuf;

/// Receives the events of a run. Returning an error stops it.
pub type Observer<'t> = dyn FnMut(Event<'_>) -> io::Result<()> + 't;

/// An event of a run.
#[derive(Debug)]
pub enum Event<'e> {
    /// The status of a file that was read, is missing, or failed in an earlier run.
    Finding(&'e Finding<'e>, Treatment),
    /// The status of a manifest or bag of a collection.
    Manifest(&'e Finding<'e>, Treatment),
    /// A folder that could not be listed, or a file that could not be examined.
    Failed(&'e Error),
}

/// The effect of a finding on the result and the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// The content is the recorded one.
    Intact,
    /// The content is the recorded one again, after a failure.
    Recovered,
    /// This run replaced the corrupt file with a copy, and read the recorded content from it.
    Repaired,
    /// The policy accepts the difference, and the state was updated.
    Accepted,
    /// The difference is a failure. The recorded content remains the one to compare with.
    Failed,
    /// The file failed in an earlier run and was not read in this one.
    StillFailed,
}

impl Treatment {
    /// Returns whether the result of the run is a failure because of it.
    pub fn is_failure(self) -> bool {
        matches!(self, Treatment::Failed | Treatment::StillFailed)
    }
}

readable! {
    /// The counts of a run.
    #[derive(Clone, Debug, Default)]
    pub struct Report {
        /// Files read completely.
        read: u64,
        /// Bytes of those files.
        bytes: u64,
        /// Files found in the tree.
        files: u64,
        /// New, modified and failed files that were not read because a limit was reached.
        deferred: u64,
        /// Folders that could not be listed and files that could not be examined.
        failed: u64,
        /// Corrupt files that were repaired. They are not counted as corrupt.
        repaired: u64,
        /// Entries removed because new rules exclude their files.
        excluded: u64,
        /// Files that may be manifests and are not used, so the files that only they list are not verified.
        skipped: u64,
        /// One of them.
        skipped_file: Option<PathBuf> as Option<&PathBuf>,
        /// Whether this is the first run of the state.
        created: bool,
        /// Whether the run was stopped before its end.
        interrupted: bool,
        /// How recently the files were verified, at the end of the run.
        coverage: Option<Coverage> as Option<&Coverage>,
    }
    private {
        counts: [u64; FileStatus::ALL.len()],
        failures: [u64; FileStatus::ALL.len()],
        /// New files that were recorded in this run.
        recorded: u64,
    }
}

impl Report {
    pub(crate) fn add(&mut self, status: FileStatus, treatment: Treatment) {
        self.counts[status as usize] += 1;
        self.failures[status as usize] += u64::from(treatment.is_failure());
    }

    /// Adds a repaired file, which was counted as a corrupt one if this run read it, and otherwise as a deferred one.
    pub(crate) fn add_repaired(&mut self, was_read: bool) {
        self.repaired += 1;
        match was_read {
            true => {
                self.counts[FileStatus::Corrupt as usize] -= 1;
                self.failures[FileStatus::Corrupt as usize] -= 1;
            }
            false => self.deferred = self.deferred.saturating_sub(1),
        }
    }

    /// Returns the number of files with this status, whether accepted or not.
    pub fn count(&self, status: FileStatus) -> u64 {
        self.counts[status as usize]
    }

    /// Returns the number of files with this status that are failures.
    pub fn failures_of(&self, status: FileStatus) -> u64 {
        self.failures[status as usize]
    }

    /// Returns the number of files that are failures, and of folders that could not be listed.
    pub fn failures(&self) -> u64 {
        self.failures.iter().sum::<u64>() + self.failed
    }

    /// Returns the exit status: 0 if nothing is wrong, 1 if something is, 130 if the run was interrupted.
    pub fn exit_status(&self) -> u8 {
        match () {
            () if self.interrupted => 130,
            () if self.failures() > 0 => 1,
            () => 0,
        }
    }
}
