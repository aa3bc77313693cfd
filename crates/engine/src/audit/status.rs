//! The result for each file of a comparison, and the overall result.

use crate::content::Facts;
use crate::error::Error;
use crate::task::BadLine;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use truesum_hash::Digest;
use truesum_manifest::Rule;

/// The category of a file in a comparison. The rules are in docs/reference/audit.md, "Categories".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileStatus {
    /// Same name, same content.
    Same,
    /// Same name, different content.
    Changed,
    /// Same name and recorded modification time, but different content: the file was not written to.
    Corrupt,
    /// Same name, different content and an earlier modification time: an older version was restored.
    Restored,
    /// The name does not exist, and its content does not exist under a new name.
    Missing,
    /// Not in the manifest, and neither is its content.
    New,
    /// A name in the manifest does not exist, but its content exists under this new name.
    Moved,
    /// A name in the manifest does not exist, but a file with its size and modification time and different content
    /// exists under this new name.
    MovedModified,
    /// Not in the manifest, but its content is in the manifest under another name, which exists or was found moved.
    Copied,
    /// Not in the manifest, with the content of another file that is not in the manifest.
    Duplicated,
    /// The file exists, but could not be read to its end or changed during the read.
    Unreadable,
    /// Both sides have the file, but no common algorithm to compare it, or its pieces do not show whether it matches.
    Unknown,
}

impl FileStatus {
    /// All values.
    pub const ALL: [FileStatus; 12] = [
        FileStatus::Same,
        FileStatus::Changed,
        FileStatus::Corrupt,
        FileStatus::Restored,
        FileStatus::Missing,
        FileStatus::New,
        FileStatus::Moved,
        FileStatus::MovedModified,
        FileStatus::Copied,
        FileStatus::Duplicated,
        FileStatus::Unreadable,
        FileStatus::Unknown,
    ];

    /// Returns the word for the value in output.
    pub fn word(self) -> &'static str {
        match self {
            FileStatus::Same => "same",
            FileStatus::Changed => "changed",
            FileStatus::Corrupt => "corrupt",
            FileStatus::Restored => "restored",
            FileStatus::Missing => "missing",
            FileStatus::New => "new",
            FileStatus::Moved => "moved",
            FileStatus::MovedModified => "moved-modified",
            FileStatus::Copied => "copied",
            FileStatus::Duplicated => "duplicated",
            FileStatus::Unreadable => "unreadable",
            FileStatus::Unknown => "unknown",
        }
    }
}

readable! {
    /// The result for one file.
    #[derive(Debug)]
    pub struct Finding<'f> {
        /// The category of the file.
        status: FileStatus,
        /// The name of the file: the new name if it was moved.
        name: &'f Path,
        /// The name of the content in the manifest ([`FileStatus::Moved`], [`FileStatus::Copied`]), or the name of the
        /// first new file with the same content ([`FileStatus::Duplicated`]).
        from: Option<&'f Path>,
        /// The number of files with the same content that are equally likely to be the other name of a
        /// [`FileStatus::Moved`] file; `from` is the first of them. 1 if the move is certain.
        candidates: u32,
        /// The facts in the manifest.
        listed: Option<Facts> as Option<&Facts>,
        /// The facts found, if they differ from the manifest.
        found: Option<Facts> as Option<&Facts>,
        /// The reason why the file is [`FileStatus::Unreadable`].
        error: Option<&'f Error>,
    }
}

/// An event of a comparison.
#[derive(Debug)]
pub enum Event<'e> {
    /// The result for one file. Results are reported in the order of names, after everything has been read.
    Finding(&'e Finding<'e>),
    /// A line of this manifest that is malformed or contradicts an earlier one.
    Malformed(&'e Path, &'e BadLine),
    /// Something that was not compared and does not count as a difference, with the reason.
    Doubtful(&'e Error),
    /// A manifest that could not be read, or a folder that could not be listed.
    Failed(&'e Error),
}

/// The overall result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equality {
    /// Every file matches, and there are no other files.
    Equal,
    /// Every selected file matches. Nothing is known about the others.
    PartEqual,
    /// At least one file differs.
    Different,
    /// No difference was found, but not everything was compared: a malformed line, no common algorithm, or an empty
    /// list.
    NotAsRequested,
    /// The comparison was stopped before its end.
    Interrupted,
}

impl Equality {
    /// Returns the exit status: 0 if equal, 1 if different, 2 if not everything was compared, 130 if interrupted (a
    /// program that knows the signal returns 128 plus its number instead).
    pub fn exit_status(self) -> u8 {
        match self {
            Equality::Equal | Equality::PartEqual => 0,
            Equality::Different => 1,
            Equality::NotAsRequested => 2,
            Equality::Interrupted => 130,
        }
    }
}

readable! {
    /// The counts of a comparison.
    #[derive(Clone, Debug, Default)]
    pub struct Report {
        /// Entries or files of the first side, by name.
        listed: u64,
        /// Files read to their end.
        read: u64,
        /// Bytes of those files.
        bytes: u64,
        /// Files and folders of either side that are not selected. An excluded folder counts as one, because the files
        /// in it are not visited.
        left_out: [u64; 2],
        /// The manifests that were read, each with its own SHA-256 if requested.
        manifests: Vec<(PathBuf, Option<Digest>)> => &[(PathBuf, Option<Digest>)],
        /// The rules of the manifests that were applied to files that are not in them.
        rules: Vec<Rule> => &[Rule],
        /// Malformed lines.
        malformed: u64,
        /// Manifests that could not be read, and folders that could not be listed.
        failed: u64,
        /// Whether the comparison was stopped before its end.
        interrupted: bool,
        /// The algorithms of the digests on each side.
        algorithms: [BTreeSet<String>; 2] => &[BTreeSet<String>; 2],
        /// Whether each side has digests of pieces, which are not compared.
        pieces: [bool; 2] => &[bool; 2],
        /// The subset of `algorithms` for which a matching digest does not rule out tampering.
        not_tamper_evident: BTreeSet<String> => &BTreeSet<String>,
        /// Files of the first side whose digests do not rule out tampering.
        weak: u64,
        /// Whether moved files count as equal.
        moved_passes: bool,
        /// Whether malformed lines are accepted.
        lenient: bool,
        /// Whether one of the sides has nothing that could be compared.
        nothing: bool,
        /// Files that are [`FileStatus::Unknown`] because their pieces do not show whether they match.
        undecided: u64,
        /// Whether such files share a damaged piece, so that at least one of them differs.
        shares_damage: bool,
    }
    private {
        counts: [u64; FileStatus::ALL.len()],
    }
}

impl Report {
    /// Returns the number of files with this standing.
    pub fn count(&self, status: FileStatus) -> u64 {
        self.counts[status as usize]
    }

    pub(crate) fn add(&mut self, status: FileStatus) {
        self.counts[status as usize] += 1;
    }

    /// Counts files that are the same on both sides.
    pub(crate) fn add_same(&mut self, files: u64) {
        self.counts[FileStatus::Same as usize] += files;
    }

    /// Returns whether only part of the files was selected.
    pub fn is_part(&self) -> bool {
        self.left_out != [0, 0]
    }

    /// Returns the overall result. Only [`Equality::Equal`], or [`Equality::PartEqual`] for the selected files, is a
    /// success.
    pub fn equality(&self) -> Equality {
        // Destructured, so that a new count does not compile until its meaning is decided here.
        let Report {
            counts,
            malformed,
            failed,
            interrupted,
            moved_passes,
            lenient,
            nothing,
            left_out,
            shares_damage,
            undecided: _,
            // Which files were read, with which algorithms, and how strong they are does not affect equality.
            listed: _,
            read: _,
            bytes: _,
            manifests: _,
            rules: _,
            algorithms: _,
            pieces: _,
            not_tamper_evident: _,
            weak: _,
        } = self;
        let passes = |status: FileStatus| match status {
            FileStatus::Same | FileStatus::Unknown => true,
            FileStatus::Moved => *moved_passes,
            FileStatus::Changed
            | FileStatus::Corrupt
            | FileStatus::Restored
            | FileStatus::Missing
            | FileStatus::New
            | FileStatus::MovedModified
            | FileStatus::Copied
            | FileStatus::Duplicated
            | FileStatus::Unreadable => false,
        };
        let different = *shares_damage
            || FileStatus::ALL.into_iter().any(|status| !passes(status) && counts[status as usize] > 0);
        let malformed = *malformed > 0 && !lenient;
        // A folder without any file of the manifest was selected, or a selection without any file.
        let nothing = *nothing || *left_out != [0, 0] && counts.iter().all(|count| *count == 0);
        match () {
            () if *interrupted => Equality::Interrupted,
            () if different => Equality::Different,
            () if malformed || *failed > 0 || nothing || counts[FileStatus::Unknown as usize] > 0 => {
                Equality::NotAsRequested
            }
            () if *left_out != [0, 0] => Equality::PartEqual,
            () => Equality::Equal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_identical_files_are_equal() {
        for status in FileStatus::ALL {
            let mut report = Report::default();
            report.add(FileStatus::Same);
            report.add(status);
            let expected = match status {
                FileStatus::Same => Equality::Equal,
                FileStatus::Unknown => Equality::NotAsRequested,
                _ => Equality::Different,
            };
            assert_eq!(report.equality(), expected, "{status:?}");
            let accepted = Report { moved_passes: true, ..report.clone() };
            let expected = if status == FileStatus::Moved { Equality::Equal } else { expected };
            assert_eq!(accepted.equality(), expected, "{status:?}");
        }
        let mut same = Report::default();
        same.add(FileStatus::Same);
        for (report, equality) in [
            (Report { malformed: 1, ..Report::default() }, Equality::NotAsRequested),
            (Report { malformed: 1, lenient: true, ..Report::default() }, Equality::Equal),
            (Report { failed: 1, ..Report::default() }, Equality::NotAsRequested),
            (Report { left_out: [0, 1], ..same }, Equality::PartEqual),
            (Report { left_out: [1, 0], ..Report::default() }, Equality::NotAsRequested),
            (Report { left_out: [1, 0], failed: 1, ..Report::default() }, Equality::NotAsRequested),
            (Report { nothing: true, ..Report::default() }, Equality::NotAsRequested),
            (Report { interrupted: true, ..Report::default() }, Equality::Interrupted),
        ] {
            assert_eq!(report.equality(), equality);
        }
    }
}
