//! What a format is: one row says how it is recognised, read and written.

mod style;

use crate::algorithm::algorithm_from_name;
use crate::entry::Entry;
use crate::line::Reason;
use std::fmt;
use truesum_hash::Spec;

pub use style::{Mode, Spelling, Style};

/// One format of manifests.
pub struct Format {
    /// The name people type: lower case, unique.
    pub name: &'static str,
    /// Endings of file names that tell it, in lower case.
    pub file_names: &'static [&'static str],
    /// What it is and who writes it, in one line.
    pub summary: &'static str,
    /// What ends a line: LF or NUL.
    pub terminator: u8,
    /// Whether a line (decoded, without the blanks in front, perhaps cut) can be of no other text than this format's.
    pub sniff: fn(&[u8]) -> bool,
    /// A parser of its lines, in order.
    pub parse: fn(&Options) -> Box<dyn Parse + Send>,
    /// Appends the lines of one entry, or nothing and says why not.
    pub write: fn(&Entry, &Style, &mut Vec<u8>) -> Result<(), Unholdable>,
}

/// A parser of lines. It may remember earlier lines.
pub trait Parse {
    /// The entry of a line (without its terminator), or `None` where it says nothing: blank lines, comments, headers.
    ///
    /// # Errors
    /// Why it is no line of this format.
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason>;
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Format({})", self.name)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

/// What is known of a manifest before it is read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Algorithms asked for: a line of any other is a bad line. Empty: whatever the manifest says.
    pub asked: Vec<Spec>,
    /// The algorithm that the manifest's name tells ([`crate::algorithm_from_name`]): lines without a tag are of it.
    pub named: Option<Spec>,
    /// The format; `None` recognises it.
    pub format: Option<&'static Format>,
    /// The manifest's name, for formats that are recognised by it.
    pub file_name: Option<Vec<u8>>,
    /// Accept digests that are too short to verify anything.
    pub allow_weak: bool,
}

impl Options {
    /// The options that a manifest's name tells.
    pub fn for_name(file_name: &[u8]) -> Options {
        Options {
            named: algorithm_from_name(file_name),
            file_name: Some(file_name.to_vec()),
            ..Options::default()
        }
    }

    /// The algorithms a digest without a tag may be of; none means that its length decides.
    pub(crate) fn expected(&self) -> &[Spec] {
        if self.asked.is_empty() { self.named.as_slice() } else { &self.asked }
    }
}

/// Why a format cannot hold an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unholdable {
    /// It has no digest.
    NoDigest,
    /// Its name is empty.
    EmptyName,
    /// Its name holds a NUL byte.
    Nul,
    /// Among several digests one whose algorithm a line without a tag does not tell.
    Untagged(Spec),
    /// Two digests of the same algorithm.
    Twice(Spec),
    /// A digest that is not as long as its algorithm says.
    Length(Spec),
}

impl fmt::Display for Unholdable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unholdable::NoDigest => f.write_str("no digest"),
            Unholdable::EmptyName => f.write_str("no file name"),
            Unholdable::Nul => f.write_str("the name holds a NUL byte"),
            Unholdable::Untagged(spec) => {
                write!(f, "lines without a tag cannot tell that a digest is {spec}")
            }
            Unholdable::Twice(spec) => write!(f, "two digests of {spec}"),
            Unholdable::Length(spec) => write!(f, "the digest is not as long as one of {spec}"),
        }
    }
}

impl std::error::Error for Unholdable {}
