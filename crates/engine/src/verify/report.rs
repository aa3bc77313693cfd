//! The counts and the overall result of a check. This is the only place where a complete check is declared "verified".

use crate::error::Error;
use crate::job::{Job, Summary};
use crate::select::names::{plain, plain_path};
use crate::verify::options::{Options, Unlisted};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use truesum_fs::name::OsStrExt;
use truesum_hash::{Digest, Spec};
use truesum_manifest::{Format, Signer};

/// The overall result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// There was at least one entry, every entry was read to its end and matches, and all other
    /// requirements were met.
    Verified,
    /// The same holds for the selected entries. The others were not read, so nothing is known about
    /// them.
    PartVerified,
    /// At least one file is not known to be good: it differs, is missing or unreadable, changed
    /// while it was read, was required but not verified, or is not in the manifest although all
    /// files must be.
    Failed,
    /// No file failed, but not everything could be done: a manifest could not be read, nothing in it was verified, it
    /// has malformed lines, or it has entries without a digest although its format requires one.
    NotAsAsked,
    /// Nothing failed, and nothing was verified.
    NothingVerified,
    /// The check was stopped before its end.
    Interrupted,
}

impl Conclusion {
    /// Returns the exit status: 0 if everything requested was done and matched, 1 if a file failed, 2 if not everything
    /// was done, 130 if the check was interrupted (a program that knows the signal returns 128 plus its number
    /// instead).
    pub fn exit_status(self) -> u8 {
        match self {
            Conclusion::Verified | Conclusion::PartVerified => 0,
            Conclusion::Failed => 1,
            Conclusion::NotAsAsked | Conclusion::NothingVerified => 2,
            Conclusion::Interrupted => 130,
        }
    }
}

/// The counts and the overall result of a check.
#[derive(Clone, Debug)]
pub struct Report {
    /// Entries by result. Skipped ones are not included in the missing ones.
    pub counts: Summary,
    /// Entries that were selected; all of them without a selection.
    pub entries: u64,
    /// Entries that were skipped because their files are missing, with [`Options::ignore_missing`].
    pub ignored: u64,
    /// Entries whose files have another name. They are not included in the missing ones.
    pub moved: u64,
    /// Files that were renamed to their name in the manifest.
    pub renamed: u64,
    /// Files that should have been renamed, but could not be.
    pub not_renamed: u64,
    /// Files without a digest in their names, in a check of files with one.
    pub unmarked: u64,
    /// Files that are in no manifest.
    pub unlisted: u64,
    /// Violations of the rules for bags, such as missing or extra files.
    pub incomplete: u64,
    /// Manifests and files without the required signature.
    pub unsigned: u64,
    /// Files of this program next to those in the manifests ([`Search::own`](crate::verify::unlisted::Search::own)).
    pub own: u64,
    /// Detached signatures of the manifests, which the manifests cannot contain.
    pub signatures: u64,
    /// Whether there may be more files that are in no manifest.
    pub cut: bool,
    /// The number of entries per algorithm for which a matching digest does not rule out tampering.
    pub not_tamper_evident: BTreeMap<String, u64>,
    /// Manifests that could not be opened or not read to their end.
    pub unread: u64,
    /// Manifests that were read, but nothing in them was verified.
    pub empty: u64,
    /// Names that had to be verified and were not, without `./` and doubled slashes.
    pub not_verified: BTreeSet<PathBuf>,
    /// Entries that were not selected.
    pub left_out: u64,
    /// Selected entries that are deferred to a later run.
    pub deferred: u64,
    /// Deferred entries that failed when they were last read.
    pub still_failed: u64,
    /// Requested names that matched no entry.
    pub unmatched: u64,
    /// Manifests found by a search of folders; `None` if manifests were specified.
    pub manifests: Option<u64>,
    /// Manifests expected by [`Options::expect_manifests`] that a search of folders did not find.
    pub missing_manifests: u64,
    /// Files that are named like manifests and were skipped by a search of folders: symbolic links, and files in formats
    /// that such a search does not check.
    pub skipped_manifests: u64,
    /// Manifests that were not started when the check was stopped.
    pub not_begun: u64,
    strict: bool,
    exact: bool,
    moved_passes: bool,
}

impl Report {
    /// Removes the names of an entry, in the manifest and of its file, from those that must be verified.
    pub(super) fn note_verified(&mut self, job: &Job) {
        for name in [&job.name, job.path()] {
            if self.not_verified.is_empty() {
                return;
            }
            self.not_verified.remove(Path::new(OsStr::from_bytes(&plain(name))));
        }
    }

    /// Returns the report of a check that has not started yet.
    pub(super) fn new(options: &Options) -> Report {
        Report {
            counts: Summary::default(),
            entries: 0,
            ignored: 0,
            moved: 0,
            renamed: 0,
            not_renamed: 0,
            unmarked: 0,
            unlisted: 0,
            incomplete: 0,
            unsigned: 0,
            own: 0,
            signatures: 0,
            cut: false,
            not_tamper_evident: BTreeMap::new(),
            unread: 0,
            empty: 0,
            not_verified: options.required.iter().map(|name| plain_path(name.as_os_str())).collect(),
            left_out: 0,
            deferred: 0,
            still_failed: 0,
            unmatched: 0,
            manifests: None,
            missing_manifests: 0,
            skipped_manifests: 0,
            not_begun: 0,
            strict: !options.lenient,
            exact: options.unlisted == Unlisted::Refused,
            moved_passes: options.moved_passes,
        }
    }

    /// Returns the overall result. Only [`Conclusion::Verified`], or [`Conclusion::PartVerified`] for the selected
    /// entries, is a success.
    pub fn verdict(&self) -> Conclusion {
        // Destructured, so that a new count does not compile until its meaning is decided here.
        let Report {
            counts,
            moved,
            not_renamed,
            unlisted,
            incomplete,
            unsigned,
            unread,
            empty,
            not_verified,
            still_failed,
            unmatched,
            missing_manifests,
            strict,
            exact,
            moved_passes,
            // Selections make the check partial (`is_part`).
            left_out: _,
            deferred: _,
            // Not zero only after an interruption, which alone determines the result.
            not_begun: _,
            // Reported, but not failures with these options.
            entries: _,
            ignored: _,
            renamed: _,
            unmarked: _,
            own: _,
            signatures: _,
            cut: _,
            not_tamper_evident: _,
            manifests: _,
            skipped_manifests: _,
        } = self;
        let failed = counts.failed() > 0
            || *incomplete > 0
            || *unsigned > 0
            || *still_failed > 0
            || *missing_manifests > 0
            || (*exact && *unlisted > 0)
            || (!moved_passes && *moved > 0)
            || !not_verified.is_empty();
        let not_as_asked = *unread > 0
            || *empty > 0
            || *not_renamed > 0
            || *unmatched > 0
            || counts.unverified > counts.exempt
            || (*strict && counts.malformed > 0);
        match () {
            () if counts.interrupted => Conclusion::Interrupted,
            () if failed => Conclusion::Failed,
            () if counts.verified + moved == 0 => Conclusion::NothingVerified,
            () if not_as_asked => Conclusion::NotAsAsked,
            () if self.is_part() => Conclusion::PartVerified,
            () => Conclusion::Verified,
        }
    }

    /// Returns whether only some of the entries were selected or scheduled for this run.
    pub fn is_part(&self) -> bool {
        self.left_out + self.deferred > 0
    }

    /// Returns whether the selection left nothing to check.
    pub fn nothing_selected(&self) -> bool {
        self.is_part() && self.entries == 0
    }

    /// Returns whether files that only have a different name are accepted.
    pub fn moved_pass(&self) -> bool {
        self.moved_passes
    }

    /// Adds the result for one manifest.
    pub(super) fn add(&mut self, checked: &Checked) {
        self.counts += checked.counts.clone();
        self.ignored += checked.ignored;
        self.entries += checked.entries;
        self.left_out += checked.left_out;
        self.deferred += checked.deferred;
        self.still_failed += checked.still_failed;
        self.unread += u64::from(checked.failed.is_some());
        self.empty += u64::from(checked.nothing_verified());
        for (names, entries) in &checked.not_tamper_evident {
            *self.not_tamper_evident.entry(names.clone()).or_default() += entries;
        }
    }
}

/// The result for one manifest.
#[derive(Debug, Default)]
pub struct Checked {
    /// Its entries by result. Skipped ones are not included in the missing ones.
    pub counts: Summary,
    /// Entries that were skipped.
    pub ignored: u64,
    /// Entries whose files are missing and are searched for under other names after all manifests have been read.
    pub missing: u64,
    /// Entries found so far that are selected.
    pub entries: u64,
    /// Entries found so far that are not selected.
    pub left_out: u64,
    /// Selected entries that are deferred to a later run; they are not included in `entries`.
    pub deferred: u64,
    /// Deferred entries that failed when they were last read.
    pub still_failed: u64,
    /// The SHA-256 of the manifest itself, if requested and the manifest was read to its end.
    pub digest: Option<Digest>,
    /// Its format, specified or detected; `None` if the manifest was not read that far.
    pub format: Option<&'static Format>,
    /// The signer, if the signature was not verified.
    pub unverified_signature: Option<Signer>,
    /// As in [`Report`].
    pub not_tamper_evident: BTreeMap<String, u64>,
    /// An algorithm that was determined only by the digest length.
    pub guessed: Option<Spec>,
    /// The reason why it was not read to its end.
    pub failed: Option<Error>,
}

impl Checked {
    /// Returns whether it has entries, none of which is selected.
    pub fn all_left_out(&self) -> bool {
        self.entries == 0 && self.left_out > 0
    }

    /// Returns whether it was read completely, nothing in it failed, and nothing was verified.
    pub fn nothing_verified(&self) -> bool {
        let Summary { interrupted, verified, .. } = self.counts;
        self.failed.is_none()
            && !interrupted
            && verified + self.missing == 0
            && self.counts.failed() == 0
            && !self.all_left_out()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_fully_verified_reports_are_verified() {
        let nothing = || Report::new(&Options { lenient: true, ..Options::default() });
        let good = || Report { counts: Summary { verified: 1, ..Summary::default() }, ..nothing() };
        assert_eq!(good().verdict(), Conclusion::Verified);
        assert_eq!(nothing().verdict(), Conclusion::NothingVerified);
        type Change = fn(&mut Report);
        let change: [(Change, Conclusion); 19] = [
            (|report| report.moved = 1, Conclusion::Failed),
            (|report| report.not_renamed = 1, Conclusion::NotAsAsked),
            (|report| report.counts.mismatched = 1, Conclusion::Failed),
            (|report| report.counts.missing = 1, Conclusion::Failed),
            (|report| report.counts.changed = 1, Conclusion::Failed),
            (|report| report.counts.unreadable = 1, Conclusion::Failed),
            (|report| (report.exact, report.unlisted) = (true, 1), Conclusion::Failed),
            (|report| report.not_verified.extend(["a".into()]), Conclusion::Failed),
            (|report| report.incomplete = 1, Conclusion::Failed),
            (|report| report.unread = 1, Conclusion::NotAsAsked),
            (|report| report.empty = 1, Conclusion::NotAsAsked),
            (|report| (report.counts.unverified, report.counts.exempt) = (2, 1), Conclusion::NotAsAsked),
            (|report| (report.strict, report.counts.malformed) = (true, 1), Conclusion::NotAsAsked),
            (|report| report.counts.verified = 0, Conclusion::NothingVerified),
            (|report| report.unmatched = 1, Conclusion::NotAsAsked),
            (|report| report.left_out = 1, Conclusion::PartVerified),
            (|report| report.deferred = 1, Conclusion::PartVerified),
            (|report| report.still_failed = 1, Conclusion::Failed),
            (|report| report.counts.interrupted = true, Conclusion::Interrupted),
        ];
        for (at, (change, conclusion)) in change.into_iter().enumerate() {
            let mut report = good();
            change(&mut report);
            assert_eq!(report.verdict(), conclusion, "{at}");
        }
        for allowed in [
            Report { moved: 3, moved_passes: true, ..good() },
            Report { moved: 3, moved_passes: true, ..nothing() },
            Report { unlisted: 3, ..good() },
            Report { ignored: 3, ..good() },
            Report { counts: Summary { malformed: 3, ..good().counts }, ..good() },
            Report { counts: Summary { unverified: 1, exempt: 1, ..good().counts }, ..good() },
        ] {
            assert_eq!(allowed.verdict(), Conclusion::Verified, "{allowed:?}");
        }
    }
}
