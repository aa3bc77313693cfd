//! How a format is written, and why an entry cannot be.

use super::style::{Heading, Style};
use crate::entry::Entry;
use crate::path::NAME_LIMIT;
use std::fmt;
use truesum_hash::Spec;

/// How a format is written.
#[derive(Clone, Copy)]
pub enum Writing {
    /// Not at all.
    No,
    /// Each entry for itself, in any order, with nothing around: appends its lines, or says why not.
    Entries(fn(&Entry, &Style, &mut Vec<u8>) -> Result<(), Unholdable>),
    /// With something before, between or after them.
    Manifest(fn(&Heading) -> Box<dyn Compose + Send>),
}

/// Puts a manifest together. Each call appends what can be written so far; after a refusal the text is as it was.
pub trait Compose {
    /// What stands before the first entry.
    fn begin(&mut self, text: &mut Vec<u8>) {
        let _ = text;
    }

    /// An entry.
    ///
    /// # Errors
    /// The format cannot hold it. The next one may be written.
    fn entry(&mut self, entry: &Entry, text: &mut Vec<u8>) -> Result<(), Unholdable>;

    /// Whether the lines of an entry say all there is to say of it, wherever below the heading they stand.
    fn stands_alone(&self) -> bool {
        false
    }

    /// What stands after the last entry: of some formats all of it.
    ///
    /// # Errors
    /// The entries make no manifest.
    fn end(&mut self, text: &mut Vec<u8>) -> Result<(), Unholdable> {
        let _ = text;
        Ok(())
    }
}

/// Why a format cannot hold an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unholdable {
    /// It has no digest.
    NoDigest,
    /// Its name is empty.
    EmptyName,
    /// Its name holds a NUL byte.
    Nul,
    /// Its name is longer than readers take.
    NameTooLong,
    /// Its line would be longer than readers take.
    LineTooLong,
    /// Its name holds this byte, which the format cannot escape.
    Byte(u8),
    /// Its name begins or ends with a character that would not be taken for a part of it.
    Edge,
    /// Its name cannot be cut into folders.
    Components,
    /// The format has no place for digests of this algorithm.
    Algorithm(Spec),
    /// It has other algorithms than those that the manifest's heading says.
    Columns,
    /// It has no size.
    NoSize,
    /// Its size is none that a file can have.
    Size,
    /// It has no digests of pieces, or others than the entries before it.
    Pieces,
    /// Among several digests one whose algorithm a line without a tag does not tell.
    Untagged(Spec),
    /// Two digests of the same algorithm.
    Twice(Spec),
    /// A digest that is not as long as its algorithm says.
    Length(Spec),
    /// The format is written as a whole, not entry by entry.
    NotAlone,
    /// The format is only read.
    ReadOnly,
}

impl fmt::Display for Unholdable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unholdable::NoDigest => f.write_str("no digest"),
            Unholdable::EmptyName => f.write_str("no file name"),
            Unholdable::Nul => f.write_str("the name contains a NUL byte"),
            Unholdable::NameTooLong => write!(f, "the name has more than {NAME_LIMIT} bytes"),
            Unholdable::LineTooLong => f.write_str("the line would be too long"),
            Unholdable::Byte(byte) => {
                write!(
                    f,
                    "the name contains '{}', which cannot be escaped in this format",
                    byte.escape_ascii()
                )
            }
            Unholdable::Edge => f.write_str("the first or last character of the name would be lost"),
            Unholdable::Components => {
                f.write_str("the name has an empty part, '.' or '..' where only folders are allowed")
            }
            Unholdable::Algorithm(spec) => write!(f, "{spec} cannot be stored in this format"),
            Unholdable::Columns => f.write_str("not the algorithms of the manifest's heading"),
            Unholdable::Size => f.write_str("invalid size"),
            Unholdable::NoSize => f.write_str("unknown size"),
            Unholdable::Pieces => {
                f.write_str("its piece digests are missing or do not fit those of the other files")
            }
            Unholdable::Untagged(spec) => {
                write!(f, "lines without a tag cannot show that a digest is {spec}")
            }
            Unholdable::Twice(spec) => write!(f, "two {spec} digests"),
            Unholdable::Length(spec) => write!(f, "the digest does not have the length of {spec}"),
            Unholdable::ReadOnly => f.write_str("this format can only be read"),
            Unholdable::NotAlone => f.write_str("this format cannot be written entry by entry"),
        }
    }
}

impl std::error::Error for Unholdable {}
