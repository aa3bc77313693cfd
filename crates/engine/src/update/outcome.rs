//! What is asked of an update, and what it tells.

use crate::audit::standing::{Equality, Finding, Standing};
use crate::audit::{Options as AuditOptions, Report as AuditReport};
use crate::error::Error;
use crate::task::BadLine;
use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use truesum_manifest::Time;
use truesum_manifest::path::display_safe;

/// How far somebody agrees to a kind of change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Consent {
    /// Not at all.
    #[default]
    Withheld,
    /// As far as nothing speaks against it.
    Safe,
    /// Also where something does.
    All,
}

/// What an update relies on that does not read every file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuickTrust {
    /// The times in the entries. An entry without one is read; a manifest without any is refused.
    Times,
    /// Also the manifest's own date, for entries without a time. A copy of a manifest has another date than the reading it records.
    Date,
}

/// What is asked of an update. All defaults are the strict ones: only files that are not listed are added.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How manifests and files are read, and which folder.
    pub audit: AuditOptions,
    /// Whether entries follow files that were written to.
    pub refresh: Consent,
    /// Whether entries go whose files are missing.
    pub prune: Consent,
    /// Whether entries of files that moved get the new name.
    pub rename: bool,
    /// Whether files stay unread whose size and times say that they are as listed, and by which times.
    pub quick: Option<QuickTrust>,
    /// Write although some file or folder could not be read.
    pub partial: bool,
    /// Write although no entry is left.
    pub allow_empty: bool,
    /// Write nothing.
    pub dry_run: bool,
}

/// What was done about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Nothing: its entry, if it has one, is what it was.
    Kept,
    /// It has an entry now.
    Added,
    /// Its entry says what it is now.
    Refreshed,
    /// Its entry has its new name.
    Renamed,
    /// Its entry is gone.
    Removed,
}

impl Action {
    /// All of them.
    pub const ALL: [Action; 5] =
        [Action::Kept, Action::Added, Action::Refreshed, Action::Renamed, Action::Removed];
}

/// Why nothing is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// So many files or folders could not be read.
    Unread(u64),
    /// So many lines are malformed.
    Malformed(u64),
    /// The folder holds none of the listed files.
    EmptyRoot(PathBuf),
    /// A file system that belongs there is not mounted.
    Unmounted(PathBuf),
    /// So many listed files are missing, of so many.
    TooMany(u64, u64),
    /// This folder holds listed files, and is empty now.
    EmptyFolder(PathBuf),
    /// No entry would be left.
    NothingLeft,
    /// Most listed files were found without this folder, or with it, before their names: another folder is meant.
    OtherFolder(PathBuf),
    /// No entry has a time by which a file could be left unread.
    NoTimes,
    /// No line under a key fits the one given.
    OtherKey,
    /// This file, which no line that could be used lists, has its name on one that could not.
    Listed(PathBuf),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |path: &Path| display_safe(path.as_os_str().as_bytes());
        match self {
            Refusal::Unread(1) => f.write_str("a file or folder could not be read"),
            Refusal::Unread(count) => write!(f, "{count} files or folders could not be read"),
            Refusal::Malformed(1) => f.write_str("a line is malformed"),
            Refusal::Malformed(count) => write!(f, "{count} lines are malformed"),
            Refusal::EmptyRoot(root) => {
                write!(
                    f,
                    "{} contains none of the files in the manifest: is a disk not mounted?",
                    shown(root)
                )
            }
            Refusal::Unmounted(place) => {
                write!(f, "{}: the file system is not mounted", shown(place))
            }
            Refusal::TooMany(missing, listed) => {
                write!(f, "{missing} of {listed} files in the manifest are missing, more than half")
            }
            Refusal::EmptyFolder(folder) => {
                write!(f, "{} is empty but should contain files: is a disk not mounted?", shown(folder))
            }
            Refusal::OtherFolder(folder) => {
                write!(
                    f,
                    "most entries would only gain or lose {} at the start of their names",
                    shown(folder)
                )
            }
            Refusal::NoTimes => f.write_str("--quick: no entry of the manifest has a time"),
            Refusal::NothingLeft => f.write_str("no entry would be left"),
            Refusal::OtherKey => {
                f.write_str("no keyed line matches the given key, which is probably not the manifest's")
            }
            Refusal::Listed(name) => {
                write!(f, "{} is not new: a line that could not be used contains its name", shown(name))
            }
        }
    }
}

/// Something that an update tells.
#[derive(Debug)]
pub enum Event<'e> {
    /// What a file is that is not as listed, or was not, and what was done about it. In the order of names, after everything.
    File(&'e Finding<'e>, Action),
    /// A line of the manifest that is no entry, or contradicts one before it.
    Malformed(&'e Path, &'e BadLine),
    /// The manifest could not be read, changed or written, or a folder not be listed.
    Failed(&'e Error),
    /// Nothing is written, and why.
    Refused(&'e Refusal),
}

/// Takes what an update tells. Its error ends the update.
pub type Tell<'t> = dyn FnMut(Event<'_>) -> io::Result<()> + 't;

/// The counts of an update.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What an audit would say now: files that were added, refreshed and renamed are as listed, those removed are not listed.
    /// `listed` is what was listed before.
    pub audit: AuditReport,
    /// How often each was done.
    actions: [u64; Action::ALL.len()],
    /// Listed files that were not read, for they seemed to be as listed.
    pub unread: u64,
    /// Detached signatures of the manifest that no line lists: they are not added.
    pub signatures: u64,
    /// Files beside the folder that holds all listed ones, where no folder was named: they are not added.
    pub beside: u64,
    /// Whether there is a new manifest.
    pub written: bool,
    /// Whether there is none although something was to be changed.
    pub refused: bool,
    /// Whether something would be changed, were this no dry run.
    pub pending: bool,
    /// Whether the manifest lists itself with a digest it does not have, which no update can mend: a new line is another file.
    pub lists_itself: bool,
    /// Whether the manifest had other names (hard links), which keep what it was.
    pub has_other_names: bool,
    /// The time that a new manifest keeps, if it does: lines stay of files that were written to after it.
    pub keeps_time: Option<Time>,
}

impl Report {
    /// How often this was done; in a dry run, would be.
    pub fn count_of(&self, action: Action) -> u64 {
        self.actions[action as usize]
    }

    pub(super) fn count(&mut self, audit: &mut AuditReport, standing: Standing, action: Action) {
        self.actions[action as usize] += 1;
        match action {
            Action::Kept => audit.add(standing),
            Action::Added | Action::Refreshed | Action::Renamed => audit.add(Standing::Same),
            Action::Removed => {}
        }
    }

    /// What all this means for the manifest as it is now: what an audit of it would. One that a dry run leaves as it is does not
    /// list what is there.
    pub fn equality(&self) -> Equality {
        let nothing = self.audit.nothing && self.count_of(Action::Added) == 0;
        match (AuditReport { nothing, ..self.audit.clone() }).equality() {
            Equality::Equal if self.refused => Equality::NotAsAsked,
            Equality::Equal if self.pending => Equality::Different,
            equality => equality,
        }
    }
}
