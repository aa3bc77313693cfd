//! The options, events and counts of an update.

use crate::audit::status::{Equality, FileStatus, Finding};
use crate::audit::{Options as AuditOptions, Report as AuditReport};
use crate::error::Error;
use crate::task::BadLine;
use crate::verify::options::ReadOptions;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use truesum_fs::name::OsStrExt;
use truesum_manifest::edit::Uneditable;
use truesum_manifest::path::display_safe;
use truesum_manifest::{Rule, Time};

/// The extent to which a kind of change is permitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Consent {
    /// Never.
    #[default]
    Withheld,
    /// Unless there is evidence against it.
    Safe,
    /// Always.
    All,
}

/// The times that an update relies on if it does not read every file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuickTrust {
    /// The times in the entries. A file whose entry has no time is read; a manifest without any times is rejected.
    Times,
    /// The times in the entries and, for entries without a time, the manifest's own date. If the
    /// manifest was copied, its date may differ from the time at which its files were read.
    Date,
}

options! {
    /// The options of an update. The defaults are the strictest ones: only files that are not in the manifest are added.
    #[derive(Clone, Debug, Default)]
    pub struct Options {
        /// The options for reading manifests and files, and the folder.
        audit: AuditOptions,
        /// The permission to refresh entries of modified files.
        refresh: Consent,
        /// The permission to remove entries of missing files.
        prune: Consent,
        /// Whether entries of moved files get the new name.
        rename: bool,
        /// The times used to decide that a file need not be read because its size and time match the
        /// manifest. `None` reads every file.
        quick: Option<QuickTrust>,
        /// Write the manifest even if some file or folder could not be read.
        partial: bool,
        /// Write the manifest even if it has no entries left.
        allow_empty: bool,
        /// The rules about files that are not in the manifest. Other rules than the stored ones are refused unless
        /// `set_rules` is set. `None` uses the stored ones.
        rules: Option<Vec<Rule>>,
        /// Whether the stored rules are replaced with `rules`, or deleted.
        set_rules: bool,
        /// The time and the host that a new list of a history records as its creation.
        made: Option<(Time, String)>,
        /// Do not write anything.
        dry_run: bool,
    }
}

impl Options {
    /// Changes how manifests and files are read.
    #[must_use]
    pub fn map_read(self, change: impl FnOnce(ReadOptions) -> ReadOptions) -> Options {
        Options { audit: self.audit.map_read(change), ..self }
    }
}

getters! {
    Options {
        /// Returns the options of the comparison.
        get_audit: &AuditOptions = [&audit];
        /// Returns the permission to refresh entries of modified files.
        get_refresh: Consent = [refresh];
        /// Returns the permission to remove entries of missing files.
        get_prune: Consent = [prune];
        /// Returns whether entries of moved files get the new name.
        get_rename: bool = [rename];
        /// Returns whether the manifest is written even if something could not be read.
        get_partial: bool = [partial];
        /// Returns whether nothing is written.
        get_dry_run: bool = [dry_run];
    }
}

/// The action taken for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Nothing: its entry, if it has one, is unchanged.
    Kept,
    /// An entry was added.
    Added,
    /// Its entry was refreshed.
    Refreshed,
    /// Its entry was renamed.
    Renamed,
    /// Its entry was removed.
    Removed,
}

impl Action {
    /// All values.
    pub const ALL: [Action; 5] =
        [Action::Kept, Action::Added, Action::Refreshed, Action::Renamed, Action::Removed];
}

/// The reason why nothing is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The number of files or folders that could not be read.
    Unread(u64),
    /// The number of malformed lines.
    Malformed(u64),
    /// The folder contains none of the files in the manifest.
    EmptyRoot(PathBuf),
    /// A file system that belongs there is not mounted.
    Unmounted(PathBuf),
    /// This many of this many files in the manifest are missing.
    TooMany(u64, u64),
    /// This folder contained files in the manifest, and is empty now.
    EmptyFolder(PathBuf),
    /// No entry would be left.
    NothingLeft,
    /// Most files in the manifest exist if this folder is added to or removed from their names, so
    /// the names are probably relative to another folder.
    OtherFolder(PathBuf),
    /// No entry has a time that would allow a file not to be read.
    NoTimes,
    /// No keyed line matches the given key.
    OtherKey,
    /// The stored rules differ from the requested ones.
    OtherRules(Vec<Rule>),
    /// This file would be added, but its name is on a malformed line.
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
                    "{} contains none of the files in the manifest (perhaps a disk is not mounted)",
                    shown(root)
                )
            }
            Refusal::Unmounted(place) => {
                write!(f, "{}: the file system is not mounted", shown(place))
            }
            Refusal::TooMany(missing, listed) => {
                write!(f, "more than half of the files in the manifest are missing ({missing} of {listed})")
            }
            Refusal::EmptyFolder(folder) => {
                write!(
                    f,
                    "{} is empty but should contain files (perhaps a disk is not mounted)",
                    shown(folder)
                )
            }
            Refusal::OtherFolder(folder) => {
                write!(
                    f,
                    "most names would only gain or lose the prefix {}, so the folder is probably wrong",
                    shown(folder)
                )
            }
            Refusal::NoTimes => f.write_str("--quick: no entry in the manifest has a modification time"),
            Refusal::NothingLeft => f.write_str("no entries would be left"),
            Refusal::OtherKey => f.write_str(
                "no keyed line matches the given key, which is probably not the key of the manifest",
            ),
            Refusal::OtherRules(stored) if stored.is_empty() => f.write_str("no rules are stored in it"),
            Refusal::OtherRules(stored) => {
                let stored: Vec<String> =
                    stored.iter().map(|rule| display_safe(rule.to_string().as_bytes())).collect();
                write!(f, "the stored rules are: {}", stored.join(", "))
            }
            Refusal::Listed(name) => {
                write!(
                    f,
                    "{} might already be in the manifest (a malformed line contains its name)",
                    shown(name)
                )
            }
        }
    }
}

/// An event of an update.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'e> {
    /// The result for a file that does not, or did not, match the manifest, and the action taken.
    /// Reported in the order of names, at the end.
    File(&'e Finding<'e>, Action),
    /// A line of the manifest that is malformed or contradicts an earlier one.
    Malformed(&'e Path, &'e BadLine),
    /// The manifest could not be read, changed or written, or a folder could not be listed.
    Failed(&'e Error),
    /// The format or content of the manifest does not allow the change: the error, and the reason as a value.
    Uneditable(&'e Error, &'e Uneditable),
    /// Nothing is written, for this reason.
    Refused(&'e Refusal),
}

/// Receives the events of an update. Returning an error stops it.
pub type Observer<'t> = dyn FnMut(Event<'_>) -> io::Result<()> + 't;

readable! {
    /// The counts of an update.
    #[derive(Clone, Debug, Default)]
    pub struct Report {
        /// The result that an audit would have now: added, refreshed and renamed files match, removed ones are not in the
        /// manifest. `listed` is the number of entries before.
        audit: AuditReport => &AuditReport,
        /// Files in the manifest that were not read because they appeared to match.
        unread: u64,
        /// Detached signatures of the manifest that are not in it. They are not added.
        signatures: u64,
        /// Files outside the folder that contains all files in the manifest, if no folder was specified. They are not
        /// added.
        outside: u64,
        /// Files with the name of an entry that belongs to another file, such as a diverted file of a Debian package. They
        /// are not added.
        taken: u64,
        /// Missing files that were not renamed because it is uncertain which file with their content is the moved one.
        doubtful: u64,
        /// Changed files whose entries were kept only because refreshing was not permitted: their times show an edit.
        refreshable: u64,
        /// Whether a new manifest was written.
        written: bool,
        /// Whether the manifest was not written although there were changes.
        refused: bool,
        /// Whether there are changes that a dry run did not write.
        pending: bool,
        /// Whether the manifest contains an incorrect digest of itself, which no update can fix: a new line changes the
        /// file.
        lists_itself: bool,
        /// Whether the manifest had other names (hard links), which keep the old content.
        has_other_names: bool,
        /// Entries of files that new rules exclude. They are kept.
        excluded: u64,
        /// The time that a new manifest keeps, if any: lines remain for files that were modified after it.
        keeps_time: Option<Time>,
    }
    private {
        /// The time of the new manifest, if it is that of the old one.
        date: Option<Time>,
        /// The number of times each action was taken.
        actions: [u64; Action::ALL.len()],
    }
}

impl Report {
    /// Returns how often this action was taken, or would be in a dry run.
    pub fn count_of(&self, action: Action) -> u64 {
        self.actions[action as usize]
    }

    pub(super) fn count(&mut self, audit: &mut AuditReport, status: FileStatus, action: Action) {
        self.actions[action as usize] += 1;
        match action {
            Action::Kept => audit.add(status),
            Action::Added | Action::Refreshed | Action::Renamed => audit.add(FileStatus::Same),
            Action::Removed => {}
        }
    }

    /// Returns the overall result for the current manifest, as an audit of it would. After a dry run, the manifest
    /// still does not match the files.
    pub fn equality(&self) -> Equality {
        let nothing = self.audit.nothing && self.count_of(Action::Added) == 0;
        match (AuditReport { nothing, ..self.audit.clone() }).equality() {
            Equality::Equal | Equality::PartEqual if self.refused => Equality::NotAsRequested,
            Equality::Equal | Equality::PartEqual if self.pending => Equality::Different,
            equality => equality,
        }
    }

    /// Returns whether the files would match the manifest if the dry run had written it.
    pub fn is_only_pending(&self) -> bool {
        let written = Report { pending: false, ..self.clone() };
        self.pending && matches!(written.equality(), Equality::Equal | Equality::PartEqual)
    }
}
