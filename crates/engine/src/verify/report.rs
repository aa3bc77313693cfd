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
use truesum_manifest::{Format, Rule, Signer};

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
    NotAsRequested,
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
            Conclusion::NotAsRequested | Conclusion::NothingVerified => 2,
            Conclusion::Interrupted => 130,
        }
    }
}

/// The counts and the overall result of a check. Each aspect of the check fills its own part.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub(super) entries: EntryReport,
    pub(super) missing: MissingReport,
    pub(super) unexpected: UnexpectedReport,
    pub(super) bags: BagReport,
    pub(super) discovery: DiscoveryReport,
    pub(super) required: Required,
    /// Requested names that matched no entry.
    pub(super) unmatched: u64,
    pub(super) interrupted: bool,
    strict: bool,
    exact: bool,
    moved_passes: bool,
}

/// The part of the report about the entries of all manifests: the sum of [`Checked`].
#[derive(Clone, Debug, Default)]
pub(super) struct EntryReport {
    pub(crate) counts: Summary,
    pub(crate) entries: u64,
    pub(crate) ignored: u64,
    pub(crate) omitted: u64,
    pub(crate) left_out: u64,
    pub(crate) deferred: u64,
    pub(crate) never_read: Option<u64>,
    pub(crate) still_failed: u64,
    pub(crate) not_tamper_evident: BTreeMap<String, u64>,
    pub(crate) unmarked: u64,
    /// Files of which a digest in the name is required, and which have none.
    pub(crate) unaddressed: u64,
    pub(crate) unsigned: u64,
    pub(crate) unread: u64,
    pub(crate) empty: u64,
    pub(crate) not_begun: u64,
}

/// The part of the report about missing files that were searched for under other names.
#[derive(Clone, Debug, Default)]
pub(super) struct MissingReport {
    pub(crate) counts: Summary,
    pub(crate) ignored: u64,
    pub(crate) moved: u64,
    pub(crate) renamed: u64,
    pub(crate) not_renamed: u64,
    /// Folders that could not be opened.
    pub(crate) unread: u64,
}

/// The part of the report about files that are in no manifest.
#[derive(Clone, Debug, Default)]
pub(super) struct UnexpectedReport {
    pub(crate) files: u64,
    pub(crate) own: u64,
    pub(crate) signatures: u64,
    pub(crate) cut: bool,
    pub(crate) unreadable: u64,
}

/// The part of the report about the completeness of bags.
#[derive(Clone, Debug, Default)]
pub(super) struct BagReport {
    pub(crate) faults: u64,
    pub(crate) unreadable: u64,
    /// OCFL objects without content files, of which only the inventories are verified.
    pub(crate) without_content: u64,
}

/// The part of the report about the search for manifests below folders.
#[derive(Clone, Debug, Default)]
pub(super) struct DiscoveryReport {
    /// The number of manifests found; `None` if manifests were specified.
    pub(crate) found: Option<u64>,
    pub(crate) missing: u64,
    pub(crate) skipped: u64,
    /// Manifests that could not be used, and folders without any.
    pub(crate) unread: u64,
    pub(crate) unreadable: u64,
}

/// Names that must be verified and have not been so far, without `./` and doubled slashes.
#[derive(Clone, Debug, Default)]
pub(super) struct Required(pub BTreeSet<PathBuf>);

impl Required {
    /// Removes the names of a verified entry, in the manifest and of its file.
    pub(super) fn note_verified(&mut self, job: &Job) {
        for name in [&job.name, job.path()] {
            if self.0.is_empty() {
                return;
            }
            self.0.remove(Path::new(OsStr::from_bytes(&plain(name))));
        }
    }
}

getters! {
    Report {
        /// Entries that were selected; all of them without a selection.
        entries: u64 = [entries.entries];
        /// Entries whose files have another name. They are not included in the missing ones.
        moved: u64 = [missing.moved];
        /// Files that were renamed to their name in the manifest.
        renamed: u64 = [missing.renamed];
        /// Files that should have been renamed, but could not be.
        not_renamed: u64 = [missing.not_renamed];
        /// Files without a digest in their names, in a check of files with one.
        unmarked: u64 = [entries.unmarked];
        /// Files that are in no manifest.
        unlisted: u64 = [unexpected.files];
        /// Violations of the rules for bags, such as missing or extra files.
        incomplete: u64 = [bags.faults];
        /// Manifests and files without the required signature.
        unsigned: u64 = [entries.unsigned];
        /// Files of this program next to those in the manifests ([`Search::own`](crate::verify::Search::own)).
        own: u64 = [unexpected.own];
        /// Detached signatures of the manifests, which the manifests cannot contain.
        signatures: u64 = [unexpected.signatures];
        /// Whether there may be more files that are in no manifest.
        is_cut: bool = [unexpected.cut];
        /// Manifests that were read, but nothing in them was verified.
        empty: u64 = [entries.empty];
        /// Objects in manifests that have no digest because they are not regular files.
        omitted: u64 = [entries.omitted];
        /// Entries that were not selected.
        left_out: u64 = [entries.left_out];
        /// Selected entries that are deferred to a later run.
        deferred: u64 = [entries.deferred];
        /// Deferred entries that no run has read yet; `None` if no state of earlier runs is stored.
        never_read: Option<u64> = [entries.never_read];
        /// Deferred entries that failed when they were last read.
        still_failed: u64 = [entries.still_failed];
        /// Requested names that matched no entry.
        unmatched: u64 = [unmatched];
        /// Manifests found by a search of folders; `None` if manifests were specified.
        manifests: Option<u64> = [discovery.found];
        /// Manifests expected by [`Options::expect_manifests`] that a search of folders did not find.
        missing_manifests: u64 = [discovery.missing];
        /// Files that are named like manifests and were skipped by a search of folders: symbolic links, and files in
        /// formats that such a search does not check.
        skipped_manifests: u64 = [discovery.skipped];
        /// Manifests that were not started when the check was stopped.
        not_begun: u64 = [entries.not_begun];
        /// Whether files that only have a different name are accepted.
        moved_pass: bool = [moved_passes];
    }
}

impl Report {
    /// Returns the report of a check that has not started yet.
    pub(super) fn new(options: &Options) -> Report {
        let required = options.required.iter().map(|name| plain_path(name.as_os_str())).collect();
        Report {
            required: Required(required),
            strict: !options.read.lenient,
            exact: options.unlisted == Unlisted::Refused,
            moved_passes: options.moved_passes,
            ..Report::default()
        }
    }

    /// Returns the entries by result. Skipped ones are not included in the missing ones.
    pub fn counts(&self) -> Summary {
        let mut counts = self.entries.counts.clone();
        counts += self.missing.counts.clone();
        counts.unreadable += self.unexpected.unreadable + self.bags.unreadable + self.discovery.unreadable;
        counts.interrupted |= self.interrupted;
        counts
    }

    /// Returns the entries that were skipped because their files are missing, with [`Options::ignore_missing`].
    pub fn ignored(&self) -> u64 {
        self.entries.ignored + self.missing.ignored
    }

    /// Returns the manifests that could not be opened or not read to their end.
    pub fn unread(&self) -> u64 {
        self.entries.unread + self.missing.unread + self.discovery.unread
    }

    /// Returns the number of entries per algorithm for which a matching digest does not rule out tampering.
    pub fn not_tamper_evident(&self) -> &BTreeMap<String, u64> {
        &self.entries.not_tamper_evident
    }

    /// Returns the names that had to be verified and were not, without `./` and doubled slashes.
    pub fn not_verified(&self) -> impl Iterator<Item = &Path> {
        self.required.0.iter().map(PathBuf::as_path)
    }

    /// Returns the overall result. Only [`Conclusion::Verified`], or [`Conclusion::PartVerified`] for the selected
    /// entries, is a success.
    pub fn verdict(&self) -> Conclusion {
        // Destructured, so that a new count does not compile until its meaning is decided here.
        // `counts`, `unreadable` and `unread` are in `self.counts()` and `self.unread()`; all other
        // fields that are not bound are not failures.
        let Report {
            strict,
            exact,
            moved_passes,
            required,
            unmatched,
            interrupted: _,
            entries: _,
            missing: _,
            unexpected: _,
            bags: _,
            discovery: _,
        } = self;
        let EntryReport {
            still_failed,
            unsigned,
            empty,
            counts: _,
            unread: _,
            omitted: _,
            // Selections make the check partial (`is_part`).
            left_out: _,
            deferred: _,
            never_read: _,
            // Not zero only after an interruption, which alone determines the result.
            not_begun: _,
            entries: _,
            ignored: _,
            not_tamper_evident: _,
            unmarked: _,
            unaddressed,
        } = &self.entries;
        let MissingReport { moved, not_renamed, counts: _, unread: _, ignored: _, renamed: _ } =
            &self.missing;
        let UnexpectedReport { files: unlisted, unreadable: _, own: _, signatures: _, cut: _ } =
            &self.unexpected;
        let BagReport { faults, unreadable: _, without_content } = &self.bags;
        let DiscoveryReport { missing, unread: _, unreadable: _, found: _, skipped: _ } = &self.discovery;
        let counts = self.counts();
        let failed = counts.failed() > 0
            || *faults > 0
            || *unsigned > 0
            || *still_failed > 0
            || *missing > 0
            || (*exact && *unlisted > 0)
            || (!moved_passes && *moved > 0)
            || !required.0.is_empty();
        let not_as_asked = self.unread() > 0
            || *empty > 0
            || *not_renamed > 0
            || *unmatched > 0
            || counts.unverified > counts.exempt
            || *unaddressed > 0
            || (*strict && counts.malformed > 0);
        match () {
            () if counts.interrupted => Conclusion::Interrupted,
            () if failed => Conclusion::Failed,
            () if counts.verified + moved + without_content == 0 => Conclusion::NothingVerified,
            () if not_as_asked => Conclusion::NotAsRequested,
            () if self.is_part() => Conclusion::PartVerified,
            () => Conclusion::Verified,
        }
    }

    /// Returns whether only some of the entries were selected or scheduled for this run.
    pub fn is_part(&self) -> bool {
        self.entries.left_out + self.entries.deferred > 0
    }

    /// Returns whether the selection left nothing to check.
    pub fn nothing_selected(&self) -> bool {
        self.is_part() && self.entries.entries == 0
    }
}

impl EntryReport {
    /// Adds the result for one manifest.
    pub(super) fn add(&mut self, checked: &Checked) {
        self.counts += checked.counts.clone();
        self.ignored += checked.ignored;
        self.entries += checked.entries;
        self.omitted += checked.omitted;
        self.left_out += checked.left_out;
        self.deferred += checked.deferred;
        self.never_read = checked.never_read.or(self.never_read);
        self.still_failed += checked.still_failed;
        self.unread += u64::from(checked.failed.is_some());
        self.empty += u64::from(checked.nothing_verified());
        for (names, entries) in &checked.not_tamper_evident {
            *self.not_tamper_evident.entry(names.clone()).or_default() += entries;
        }
    }
}

readable! {
    /// The result for one manifest.
    #[derive(Debug, Default)]
    pub struct Checked {
        /// Its entries by result. Skipped ones are not included in the missing ones.
        counts: Summary => &Summary,
        /// Entries that were skipped.
        ignored: u64,
        /// Entries whose files are missing and are searched for under other names after all manifests have been read.
        missing: u64,
        /// Entries found so far that are selected.
        entries: u64,
        /// Objects found so far that have no digest because they are not regular files.
        omitted: u64,
        /// Entries found so far that are not selected.
        left_out: u64,
        /// Selected entries that are deferred to a later run; they are not included in `entries`.
        deferred: u64,
        /// Deferred entries that no run has read yet; `None` if no state of earlier runs is stored.
        never_read: Option<u64>,
        /// Deferred entries that failed when they were last read.
        still_failed: u64,
        /// The SHA-256 of the manifest itself, if requested and the manifest was read to its end.
        digest: Option<Digest> as Option<&Digest>,
        /// Its format, specified or detected; `None` if the manifest was not read that far.
        format: Option<&'static Format>,
        /// The signer, if the signature was not verified.
        unverified_signature: Option<Signer>,
        /// The rules about files that are not in the manifest.
        rules: Vec<Rule> => &[Rule],
        /// As in [`Report`].
        not_tamper_evident: BTreeMap<String, u64> => &BTreeMap<String, u64>,
        /// An algorithm that was determined only by the digest length.
        guessed: Option<Spec> as Option<&Spec>,
        /// The reason why it was not read to its end.
        failed: Option<Error> as Option<&Error>,
    }
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
    use crate::verify::options::ReadOptions;

    #[test]
    fn only_fully_verified_reports_are_verified() {
        let nothing = || Report::new(&ReadOptions::default().lenient(true).into());
        let good = || {
            let mut report = nothing();
            report.entries.counts.verified = 1;
            report
        };
        assert_eq!(good().verdict(), Conclusion::Verified);
        assert_eq!(nothing().verdict(), Conclusion::NothingVerified);
        type Change = fn(&mut Report);
        let change: [(Change, Conclusion); 19] = [
            (|report| report.missing.moved = 1, Conclusion::Failed),
            (|report| report.missing.not_renamed = 1, Conclusion::NotAsRequested),
            (|report| report.entries.counts.mismatched = 1, Conclusion::Failed),
            (|report| report.entries.counts.missing = 1, Conclusion::Failed),
            (|report| report.entries.counts.changed = 1, Conclusion::Failed),
            (|report| report.entries.counts.unreadable = 1, Conclusion::Failed),
            (|report| (report.exact, report.unexpected.files) = (true, 1), Conclusion::Failed),
            (|report| report.required.0.extend(["a".into()]), Conclusion::Failed),
            (|report| report.bags.faults = 1, Conclusion::Failed),
            (|report| report.entries.unread = 1, Conclusion::NotAsRequested),
            (|report| report.entries.empty = 1, Conclusion::NotAsRequested),
            (
                |report| (report.entries.counts.unverified, report.entries.counts.exempt) = (2, 1),
                Conclusion::NotAsRequested,
            ),
            (
                |report| (report.strict, report.entries.counts.malformed) = (true, 1),
                Conclusion::NotAsRequested,
            ),
            (|report| report.entries.counts.verified = 0, Conclusion::NothingVerified),
            (|report| report.unmatched = 1, Conclusion::NotAsRequested),
            (|report| report.entries.left_out = 1, Conclusion::PartVerified),
            (|report| report.entries.deferred = 1, Conclusion::PartVerified),
            (|report| report.entries.still_failed = 1, Conclusion::Failed),
            (|report| report.entries.counts.interrupted = true, Conclusion::Interrupted),
        ];
        for (at, (change, conclusion)) in change.into_iter().enumerate() {
            let mut report = good();
            change(&mut report);
            assert_eq!(report.verdict(), conclusion, "{at}");
        }
        let allowed: [fn(&mut Report); 7] = [
            |report| (report.bags.without_content, report.entries.counts.verified) = (1, 0),
            |report| (report.missing.moved, report.moved_passes) = (3, true),
            |report| {
                (report.missing.moved, report.moved_passes, report.entries.counts.verified) = (3, true, 0);
            },
            |report| report.unexpected.files = 3,
            |report| report.entries.ignored = 3,
            |report| report.entries.counts.malformed = 3,
            |report| (report.entries.counts.unverified, report.entries.counts.exempt) = (1, 1),
        ];
        for (at, allow) in allowed.into_iter().enumerate() {
            let mut report = good();
            allow(&mut report);
            assert_eq!(report.verdict(), Conclusion::Verified, "{at}");
        }
    }
}
