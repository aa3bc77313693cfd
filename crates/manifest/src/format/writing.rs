//! The ways to write a format, and the reasons why an entry cannot be written.

use super::style::{Heading, Style};
use crate::entry::Entry;
use crate::path::NAME_LIMIT;
use std::fmt;
use truesum_hash::{Digest, Spec};

/// A way to write a format.
#[derive(Clone, Copy)]
pub enum Writing {
    /// The format cannot be written.
    No,
    /// Entries are independent, in any order, with no other text. Appends the lines of an entry, or
    /// returns the reason why the format cannot hold it.
    Entries(fn(&Entry, &Style, &mut Vec<u8>) -> Result<(), Unrepresentable>),
    /// There is text before, between or after the entries.
    Manifest(fn(&Heading) -> Box<dyn Compose + Send>),
}

/// A composer of manifests. Each call appends everything that can be written so far. If a call
/// fails, the text is unchanged.
pub trait Compose {
    /// Appends the text before the first entry.
    fn begin(&mut self, text: &mut Vec<u8>) {
        let _ = text;
    }

    /// Appends an entry.
    ///
    /// # Errors
    /// Fails if the format cannot hold the entry. Other entries can still be added.
    fn entry(&mut self, entry: &Entry, text: &mut Vec<u8>) -> Result<(), Unrepresentable>;

    /// Returns whether the lines of an entry are complete, wherever they are below the heading.
    fn is_self_contained(&self) -> bool {
        false
    }

    /// Appends the text after the last entry. In some formats, this is all of the text.
    ///
    /// # Errors
    /// Fails if the entries do not form a manifest.
    fn end(&mut self, text: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        let _ = text;
        Ok(())
    }
}

impl Entry {
    /// Returns the digest for a format that holds one digest of a file.
    ///
    /// # Errors
    /// The entry has several.
    pub(crate) fn only_digest(&self) -> Result<&(Spec, Digest), Unrepresentable> {
        match self.digests.as_slice() {
            [only] => Ok(only),
            digests => Err(Unrepresentable::Twice(digests[0].0.clone())),
        }
    }

    /// Checks an entry for a format that holds one digest of each algorithm.
    ///
    /// # Errors
    /// Two digests have the same algorithm.
    pub(crate) fn has_no_algorithm_twice(&self) -> Result<(), Unrepresentable> {
        for (at, (spec, _)) in self.digests.iter().enumerate() {
            if self.digests[..at].iter().any(|(other, _)| other == spec) {
                return Err(Unrepresentable::Twice(spec.clone()));
            }
        }
        Ok(())
    }
}

/// A reason why a format cannot hold an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unrepresentable {
    /// The entry has no digest.
    NoDigest,
    /// The name is empty.
    EmptyName,
    /// The name contains a NUL byte.
    Nul,
    /// The name is longer than readers accept.
    NameTooLong,
    /// The line would be longer than readers accept.
    LineTooLong,
    /// The name contains this byte, which the format cannot escape.
    Byte(u8),
    /// Readers would not treat the first or last character of the name as a part of it.
    Edge,
    /// The name is absolute, or has an empty component, `.` or `..`.
    Components,
    /// The format cannot hold digests of this algorithm.
    Algorithm(Spec),
    /// The algorithms of the entry differ from those in the manifest's header.
    Columns,
    /// The size of the file is unknown.
    NoSize,
    /// The size is greater than that of any file.
    Size,
    /// The entry has no digests of pieces, or they do not match those of earlier entries.
    Pieces,
    /// One of several digests has this algorithm, which a line without a tag cannot show.
    Untagged(Spec),
    /// The entry has two digests of this algorithm.
    Twice(Spec),
    /// The length of a digest does not match this algorithm.
    Length(Spec),
    /// The format is written as a whole, not entry by entry.
    NotEntryByEntry,
    /// The format holds one file, or files of one folder, and the name is not such a one.
    AnotherFolder,
    /// The format can only be read.
    ReadOnly,
}

impl fmt::Display for Unrepresentable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unrepresentable::NoDigest => f.write_str("no digest"),
            Unrepresentable::EmptyName => f.write_str("no file name"),
            Unrepresentable::Nul => f.write_str("the name contains a NUL byte"),
            Unrepresentable::NameTooLong => write!(f, "the name has more than {NAME_LIMIT} bytes"),
            Unrepresentable::LineTooLong => f.write_str("the line would be too long"),
            Unrepresentable::Byte(byte) => {
                write!(
                    f,
                    "the name contains '{}', which cannot be escaped in this format",
                    byte.escape_ascii()
                )
            }
            Unrepresentable::Edge => f.write_str("the first or last character of the name would be lost"),
            Unrepresentable::Components => f.write_str(
                "this format cannot store absolute names or names with a component that is empty, '.' or '..'",
            ),
            Unrepresentable::AnotherFolder => {
                f.write_str("this format holds one file, or the files of one folder, sorted by path")
            }
            Unrepresentable::Algorithm(spec) => write!(f, "{spec} cannot be stored in this format"),
            Unrepresentable::Columns => {
                f.write_str("the algorithms differ from those in the manifest's header")
            }
            Unrepresentable::Size => f.write_str("invalid size"),
            Unrepresentable::NoSize => f.write_str("unknown size"),
            Unrepresentable::Pieces => {
                f.write_str("its piece digests are missing or incompatible with those of other files")
            }
            Unrepresentable::Untagged(spec) => {
                write!(f, "without a tag, the digest would not be recognized as {spec}")
            }
            Unrepresentable::Twice(spec) => write!(f, "two {spec} digests"),
            Unrepresentable::Length(spec) => write!(f, "wrong digest length for {spec}"),
            Unrepresentable::ReadOnly => f.write_str("this format can only be read"),
            Unrepresentable::NotEntryByEntry => f.write_str("this format cannot be written entry by entry"),
        }
    }
}

impl std::error::Error for Unrepresentable {}
