//! What a check came to: counts, and the one place where "verified" is said of a whole.

use crate::error::Error;
use crate::job::Summary;
use crate::select::names::{plain, plain_path};
use crate::verify::options::{Options, Unlisted};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use truesum_hash::{Digest, Spec};
use truesum_manifest::{Format, Signer};

/// What all counts of a check together mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// There was an entry, and every one was read to its end and is equal; nothing else that was asked for is amiss.
    Verified,
    /// The same of those that were selected. The others were not read, so that nothing is known of the whole.
    PartVerified,
    /// At least one file is not known to be good: it differs, is missing or unreadable, changed while it was read, was
    /// required and not verified, or is not listed where all must be.
    Failed,
    /// No file failed, but not all was done as asked: a manifest could not be read, nothing in it was verified, it has
    /// malformed lines, or entries without a digest that its format does not mean to be so.
    NotAsAsked,
    /// Nothing failed, and nothing was verified at all.
    NothingVerified,
    /// The check was stopped before its end.
    Interrupted,
}

impl Conclusion {
    /// Returns the exit status for it: 0 if everything requested was done and matched, 1 if a file failed, 2 if not everything was done,
    /// 130 if the check was interrupted (a program that knows the signal adds its number to 128 instead).
    pub fn exit_status(self) -> u8 {
        match self {
            Conclusion::Verified | Conclusion::PartVerified => 0,
            Conclusion::Failed => 1,
            Conclusion::NotAsAsked | Conclusion::NothingVerified => 2,
            Conclusion::Interrupted => 130,
        }
    }
}

/// The counts of a check, and what they mean.
#[derive(Clone, Debug)]
pub struct Report {
    /// Entries, by what became of them. Those passed over are not among the missing.
    pub counts: Summary,
    /// Entries that were selected: all, unless a selection was asked for.
    pub entries: u64,
    /// Entries whose files were not there and were passed over, as [`Options::ignore_missing`] asks.
    pub ignored: u64,
    /// Entries whose files have another name. They are not among the missing.
    pub moved: u64,
    /// Files that got the name they are listed under.
    pub renamed: u64,
    /// Files that should have, and did not.
    pub not_renamed: u64,
    /// Files that carry no CRC-32 in their names, where those that do are verified.
    pub unmarked: u64,
    /// Files found that no manifest lists.
    pub unlisted: u64,
    /// What bags lack or have too much, as their own rules say.
    pub incomplete: u64,
    /// Manifests and files that are not signed as asked.
    pub unsigned: u64,
    /// Files of this program beside those listed ([`Search::own`](crate::verify::unlisted::Search::own)).
    pub own: u64,
    /// Detached signatures of the manifests, which cannot list them.
    pub signatures: u64,
    /// Whether there may be more files that are not listed.
    pub cut: bool,
    /// Entries by algorithms whose equal digest does not tell tampering: how many, by the algorithms' names.
    pub not_tamper_evident: BTreeMap<String, u64>,
    /// Manifests that could not be opened, or not read to their end.
    pub unread: u64,
    /// Manifests that were read and of which nothing was verified.
    pub empty: u64,
    /// Names that had to be verified and were not, without `./` and doubled slashes.
    pub not_verified: BTreeSet<PathBuf>,
    /// Entries that were not selected.
    pub left_out: u64,
    /// Entries that were selected, and whose turn is another time.
    pub not_in_turn: u64,
    /// Those of them that failed when they were read last.
    pub still_failed: u64,
    /// Names asked for that matched no entry.
    pub unmatched: u64,
    /// Manifests found by a search of folders, and `None` where manifests were named.
    pub manifests: Option<u64>,
    /// How many manifests fewer a search of folders found than [`Options::expect_manifests`].
    pub missing_manifests: u64,
    /// Manifests that were not begun when the check was stopped.
    pub not_begun: u64,
    strict: bool,
    exact: bool,
    moved_passes: bool,
}

impl Report {
    /// Removes a name from those that must be verified.
    pub(super) fn note_verified(&mut self, name: &[u8]) {
        if !self.not_verified.is_empty() {
            self.not_verified.remove(Path::new(OsStr::from_bytes(&plain(name))));
        }
    }

    /// A report in which nothing was done yet.
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
            not_in_turn: 0,
            still_failed: 0,
            unmatched: 0,
            manifests: None,
            missing_manifests: 0,
            not_begun: 0,
            strict: !options.lenient,
            exact: options.unlisted == Unlisted::Refused,
            moved_passes: options.moved_passes,
        }
    }

    /// What all this means. Only [`Conclusion::Verified`] is good news, and [`Conclusion::PartVerified`] of what was selected.
    pub fn verdict(&self) -> Conclusion {
        // Destructured, so that a new count does not compile until somebody decides what it means.
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
            // Selections make it a part (`is_part`).
            left_out: _,
            not_in_turn: _,
            // Only after an interruption, which decides by itself.
            not_begun: _,
            // Reported, and by the options no failure.
            entries: _,
            ignored: _,
            renamed: _,
            unmarked: _,
            own: _,
            signatures: _,
            cut: _,
            not_tamper_evident: _,
            manifests: _,
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

    /// Whether not everything that is listed was to be checked.
    pub fn is_part(&self) -> bool {
        self.left_out + self.not_in_turn > 0
    }

    /// Whether the selection left nothing to check.
    pub fn nothing_selected(&self) -> bool {
        self.is_part() && self.entries == 0
    }

    /// Whether files pass that only have another name.
    pub fn moved_pass(&self) -> bool {
        self.moved_passes
    }

    /// Adds what one manifest came to.
    pub(super) fn add(&mut self, checked: &Checked) {
        self.counts += checked.counts.clone();
        self.ignored += checked.ignored;
        self.entries += checked.entries;
        self.left_out += checked.left_out;
        self.not_in_turn += checked.not_in_turn;
        self.still_failed += checked.still_failed;
        self.unread += u64::from(checked.failed.is_some());
        self.empty += u64::from(checked.nothing_verified());
        for (names, entries) in &checked.not_tamper_evident {
            *self.not_tamper_evident.entry(names.clone()).or_default() += entries;
        }
    }
}

/// What one manifest came to.
#[derive(Debug, Default)]
pub struct Checked {
    /// Its entries, by what became of them. Those passed over are not among the missing.
    pub counts: Summary,
    /// Entries passed over.
    pub ignored: u64,
    /// Entries whose files are not there and are looked for under other names once all manifests were read.
    pub sought: u64,
    /// Entries found in it that were selected.
    pub entries: u64,
    /// Entries found in it that were not.
    pub left_out: u64,
    /// Entries that were selected, and whose turn is another time; they are not among `entries`.
    pub not_in_turn: u64,
    /// Those of them that failed when they were read last.
    pub still_failed: u64,
    /// The SHA-256 of the manifest itself, if that was asked for and it was read to its end.
    pub digest: Option<Digest>,
    /// Its format, as asked for or recognised; `None` if it was not read so far.
    pub format: Option<&'static Format>,
    /// Who signed it, where nobody verified that.
    pub unverified_signature: Option<Signer>,
    /// As in [`Report`].
    pub not_tamper_evident: BTreeMap<String, u64>,
    /// An algorithm that nothing but the length of a digest tells.
    pub guessed: Option<Spec>,
    /// Why it was not read to its end.
    pub failed: Option<Error>,
}

impl Checked {
    /// Whether it lists something, and none of it was selected.
    pub fn all_left_out(&self) -> bool {
        self.entries == 0 && self.left_out > 0
    }

    /// Whether it was read whole, nothing in it failed, and nothing was verified.
    pub fn nothing_verified(&self) -> bool {
        let Summary { interrupted, verified, .. } = self.counts;
        self.failed.is_none()
            && !interrupted
            && verified + self.sought == 0
            && self.counts.failed() == 0
            && !self.all_left_out()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_verified_entries_alone_is_verified() {
        let nothing = || Report::new(&Options { lenient: true, ..Options::default() });
        let good = || Report { counts: Summary { verified: 1, ..Summary::default() }, ..nothing() };
        assert_eq!(good().verdict(), Conclusion::Verified);
        assert_eq!(nothing().verdict(), Conclusion::NothingVerified);
        type Spoil = fn(&mut Report);
        let spoil: [(Spoil, Conclusion); 19] = [
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
            (|report| report.not_in_turn = 1, Conclusion::PartVerified),
            (|report| report.still_failed = 1, Conclusion::Failed),
            (|report| report.counts.interrupted = true, Conclusion::Interrupted),
        ];
        for (at, (spoil, conclusion)) in spoil.into_iter().enumerate() {
            let mut report = good();
            spoil(&mut report);
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
