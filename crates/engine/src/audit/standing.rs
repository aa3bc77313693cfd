//! What became of a file between what is listed and what is found, and what that makes of the whole.

use crate::content::Facts;
use crate::error::Error;
use crate::task::BadLine;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use truesum_hash::Digest;

/// What became of a file. The rules are those of docs/reference/audit.md, "Categories".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// Under its name, with its content.
    Same,
    /// Under its name, with other content.
    Changed,
    /// Under its name with other content, although its modification time is the recorded one: nobody wrote to it.
    Corrupt,
    /// Under its name with other content and an earlier modification time: an older version came back.
    Restored,
    /// Its name is not there, nor is its content under a new name.
    Missing,
    /// Not listed, and its content is listed under no name.
    New,
    /// A listed name is not there, and its content is under this new name.
    Moved,
    /// A listed name is not there, and a file with its size and modification time but other content is under this new name.
    MovedModified,
    /// Not listed, with the content that is listed under another name, which is there or was found moved.
    Copied,
    /// Not listed, with the content of another file that is not listed either.
    Duplicated,
    /// There, but it could not be read to its end, or changed meanwhile.
    Unreadable,
    /// Both sides have it, but no algorithm by which to compare.
    Unknown,
}

impl Standing {
    /// All of them.
    pub const ALL: [Standing; 12] = [
        Standing::Same,
        Standing::Changed,
        Standing::Corrupt,
        Standing::Restored,
        Standing::Missing,
        Standing::New,
        Standing::Moved,
        Standing::MovedModified,
        Standing::Copied,
        Standing::Duplicated,
        Standing::Unreadable,
        Standing::Unknown,
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Standing::Same => "same",
            Standing::Changed => "changed",
            Standing::Corrupt => "corrupt",
            Standing::Restored => "restored",
            Standing::Missing => "missing",
            Standing::New => "new",
            Standing::Moved => "moved",
            Standing::MovedModified => "moved-modified",
            Standing::Copied => "copied",
            Standing::Duplicated => "duplicated",
            Standing::Unreadable => "unreadable",
            Standing::Unknown => "unknown",
        }
    }
}

/// What is said of one file.
#[derive(Debug)]
pub struct Finding<'f> {
    /// What became of it.
    pub standing: Standing,
    /// Its name: the new one, of a file that has one.
    pub name: &'f Path,
    /// The name that its content is listed under ([`Standing::Moved`], [`Standing::Copied`]), or that of the first new file
    /// with it ([`Standing::Duplicated`]).
    pub from: Option<&'f Path>,
    /// What is listed of it.
    pub listed: Option<Facts>,
    /// What was found of it, where it is not what is listed.
    pub found: Option<Facts>,
    /// Why it is [`Standing::Unreadable`].
    pub error: Option<&'f Error>,
}

/// Something that a comparison tells.
#[derive(Debug)]
pub enum Event<'e> {
    /// What became of a file. In the order of names, after everything was read.
    Finding(&'e Finding<'e>),
    /// A line of this manifest that is no entry, or contradicts one before it.
    Malformed(&'e Path, &'e BadLine),
    /// A manifest that could not be read, or a folder that could not be listed.
    Failed(&'e Error),
}

/// What the whole comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equality {
    /// Every listed file is there as it is listed, and there is no other.
    Equal,
    /// The same of those that were selected. Of the others nothing is known.
    PartEqual,
    /// Some file is not.
    Different,
    /// No difference was seen, but not everything was compared: a malformed line, no common algorithm, nothing listed.
    NotAsAsked,
    /// Stopped before its end.
    Interrupted,
}

impl Equality {
    /// Returns the exit status for it: 0 if equal, 1 if different, 2 if not everything was compared, 130 if interrupted (a program that
    /// knows the signal adds its number to 128 instead).
    pub fn exit_status(self) -> u8 {
        match self {
            Equality::Equal | Equality::PartEqual => 0,
            Equality::Different => 1,
            Equality::NotAsAsked => 2,
            Equality::Interrupted => 130,
        }
    }
}

/// The counts of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub(crate) counts: [u64; Standing::ALL.len()],
    /// Entries and files of the first side, by name.
    pub listed: u64,
    /// Files read to their end.
    pub read: u64,
    /// Bytes of those files.
    pub bytes: u64,
    /// Files of either side that were not selected, as far as they were met: what lies in a folder that is left out is not.
    pub left_out: [u64; 2],
    /// The manifests that were read, each with its own SHA-256 if that was asked for.
    pub manifests: Vec<(PathBuf, Option<Digest>)>,
    /// Lines that are no entry.
    pub malformed: u64,
    /// Manifests that could not be read, and folders that could not be listed.
    pub failed: u64,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
    /// The algorithms that each side has digests of.
    pub algorithms: [BTreeSet<String>; 2],
    /// Those of `algorithms` by which an equal digest does not tell tampering.
    pub not_tamper_evident: BTreeSet<String>,
    /// Files of the first side of whose digests none tells tampering.
    pub weak: u64,
    /// Whether files that moved pass.
    pub moved_passes: bool,
    /// Whether malformed lines pass.
    pub lenient: bool,
    /// Whether one of the sides lists nothing that could be compared.
    pub nothing: bool,
}

impl Report {
    /// How many files have this standing.
    pub fn count(&self, standing: Standing) -> u64 {
        self.counts[standing as usize]
    }

    pub(crate) fn add(&mut self, standing: Standing) {
        self.counts[standing as usize] += 1;
    }

    /// Whether not everything was to be compared.
    pub fn is_part(&self) -> bool {
        self.left_out != [0, 0]
    }

    /// What all this means. Only [`Equality::Equal`] is good news, and [`Equality::PartEqual`] of what was selected.
    pub fn equality(&self) -> Equality {
        // Destructured, so that a new count does not compile until somebody decides what it means.
        let Report {
            counts,
            malformed,
            failed,
            interrupted,
            moved_passes,
            lenient,
            nothing,
            left_out,
            // What was read, by what, and how strong it is says nothing of equality.
            listed: _,
            read: _,
            bytes: _,
            manifests: _,
            algorithms: _,
            not_tamper_evident: _,
            weak: _,
        } = self;
        let passes = |standing: Standing| match standing {
            Standing::Same | Standing::Unknown => true,
            Standing::Moved => *moved_passes,
            Standing::Changed
            | Standing::Corrupt
            | Standing::Restored
            | Standing::Missing
            | Standing::New
            | Standing::MovedModified
            | Standing::Copied
            | Standing::Duplicated
            | Standing::Unreadable => false,
        };
        let different =
            Standing::ALL.into_iter().any(|standing| !passes(standing) && counts[standing as usize] > 0);
        let malformed = *malformed > 0 && !lenient;
        match () {
            () if *interrupted => Equality::Interrupted,
            () if different => Equality::Different,
            () if malformed || *failed > 0 || *nothing || counts[Standing::Unknown as usize] > 0 => {
                Equality::NotAsAsked
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
    fn nothing_but_the_same_files_is_equal() {
        for standing in Standing::ALL {
            let mut report = Report::default();
            report.add(Standing::Same);
            report.add(standing);
            let expected = match standing {
                Standing::Same => Equality::Equal,
                Standing::Unknown => Equality::NotAsAsked,
                _ => Equality::Different,
            };
            assert_eq!(report.equality(), expected, "{standing:?}");
            let accepted = Report { moved_passes: true, ..report.clone() };
            let expected = if standing == Standing::Moved { Equality::Equal } else { expected };
            assert_eq!(accepted.equality(), expected, "{standing:?}");
        }
        for (report, equality) in [
            (Report { malformed: 1, ..Report::default() }, Equality::NotAsAsked),
            (Report { malformed: 1, lenient: true, ..Report::default() }, Equality::Equal),
            (Report { failed: 1, ..Report::default() }, Equality::NotAsAsked),
            (Report { left_out: [0, 1], ..Report::default() }, Equality::PartEqual),
            (Report { left_out: [1, 0], failed: 1, ..Report::default() }, Equality::NotAsAsked),
            (Report { nothing: true, ..Report::default() }, Equality::NotAsAsked),
            (Report { interrupted: true, ..Report::default() }, Equality::Interrupted),
        ] {
            assert_eq!(report.equality(), equality);
        }
    }
}
