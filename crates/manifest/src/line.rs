//! A line of a manifest, and what can be wrong with it.
//!
//! Every refusal has its own [`Reason`], because "improperly formatted" sends people hunting.

use crate::entry::Entry;
use crate::path::display_safe;
use std::fmt;
use std::io;
use truesum_hash::{Spec, SpecError};

/// Most characters of a line that a message quotes.
const SHOWN: usize = 120;

/// Where in a manifest something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The line of this number, from 1.
    Line(u64),
    /// The byte of this number, from 0, in a document whose lines mean nothing.
    Byte(u64),
}

impl Place {
    /// Its number.
    pub fn number(self) -> u64 {
        match self {
            Place::Line(number) | Place::Byte(number) => number,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(number) => write!(f, "line {number}"),
            Place::Byte(number) => write!(f, "byte {number}"),
        }
    }
}

/// One good line, or part of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Where it is.
    pub at: Place,
    /// What it says.
    pub entry: Entry,
}

/// One bad line or part: it was skipped, and what follows is read. A document that is bad as a whole has one such error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    /// Where it is.
    pub at: Place,
    /// What is wrong with it.
    pub reason: Reason,
}

/// What a parser finds at one place: an entry or a fault.
pub type Found = Result<Line, LineError>;

/// Why a line was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// It looks like no line of this format.
    NotALine,
    /// The digest is as long as one, but has characters that no hexadecimal or base64 digest has.
    NotHex,
    /// There is no digest before the name.
    EmptyDigest,
    /// The digest has `found` characters; `spec` has `expected` hexadecimal digits.
    Length {
        /// The algorithm the line, the user or the manifest's name tells.
        spec: Spec,
        /// Characters found.
        found: usize,
    },
    /// Nothing tells the algorithm, and a digest of `digits` hexadecimal digits is not a usual one. The names are the
    /// algorithms that have that length.
    Untold {
        /// Hexadecimal digits found.
        digits: usize,
        /// Algorithms with such digests, if any.
        names: Vec<&'static str>,
    },
    /// Several of the algorithms asked for have this length.
    Ambiguous(Vec<String>),
    /// The tag names no algorithm, or a length that the algorithm does not have.
    Algorithm(SpecError),
    /// The line has another algorithm than those asked for.
    NotAsked(Spec),
    /// A digest that is too short to verify anything.
    Weak(Spec),
    /// A digest of parts of a file, which verifies nothing, and was not asked for by name.
    Sampled(Spec),
    /// The digest is under a key, and there is none.
    Key(Spec),
    /// No name.
    EmptyName,
    /// A NUL byte, which no file name holds.
    Nul,
    /// The line starts with a backslash, so that backslashes in the name must be `\\`, `\n` or `\r`; one is not.
    BadEscape,
    /// One character between digest and name where earlier lines have two: a name with a leading blank could pass for
    /// another name if both were accepted in one manifest.
    Mixed,
    /// A comment that would be a good line if its first character were a hexadecimal digit.
    DamagedComment,
    /// More than [`LINE_LIMIT`](crate::LINE_LIMIT) bytes.
    LineTooLong,
    /// A name of more than [`NAME_LIMIT`](crate::NAME_LIMIT) bytes.
    NameTooLong,
    /// The text is UTF-16, and this line is not.
    Encoding,
    /// Text outside the signed part of a signed manifest.
    Unsigned,
    /// A line of the signed part that starts with a dash and is not escaped.
    DashEscape,
    /// The manifest ends before its signature does.
    CutSignature,
    /// What is wrong, in words that may quote the text.
    Said(String),
    /// A document with more bytes than are read of one.
    DocumentTooLong(usize),
    /// It has digests of pieces, and whoever reads cannot verify pieces.
    Pieces,
    /// No size that a file can have.
    Size,
    /// A part of a document that is not what its format wants there.
    Part(&'static str),
}

impl Reason {
    /// The name, where it is one of no algorithm that there is here: other digests of the same file may do then. A known algorithm
    /// whose parameters are wrong is a fault.
    pub(crate) fn unknown(&self) -> Option<&str> {
        match self {
            Reason::Algorithm(SpecError::Unknown(name) | SpecError::NotHere(name)) => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NotALine => f.write_str("not a checksum line"),
            Reason::NotHex => f.write_str("the digest is not hexadecimal"),
            Reason::EmptyDigest => f.write_str("no digest"),
            Reason::Length { spec, found } => {
                let digits = spec.digest_len() * 2;
                write!(f, "wrong digest length for {spec}: {found} characters, not {digits}")
            }
            Reason::Untold { digits, names } if names.is_empty() => {
                write!(f, "no algorithm has a digest of {digits} hexadecimal digits")
            }
            Reason::Untold { digits, names } => {
                write!(
                    f,
                    "several algorithms have digests of {digits} hexadecimal digits ({})",
                    names.join(", ")
                )
            }
            Reason::Ambiguous(names) => {
                write!(f, "the digest could be any of {}", names.join(", "))
            }
            // It may quote the manifest, whose bytes are not to reach a terminal.
            Reason::Algorithm(error) => error.to_string().chars().try_for_each(|c| match c.is_control() {
                true => write!(f, "{}", c.escape_default()),
                false => write!(f, "{c}"),
            }),
            Reason::NotAsked(spec) => write!(f, "{spec} is not one of the specified algorithms"),
            Reason::Weak(spec) => {
                write!(
                    f,
                    "a digest of {} bits ({spec}) is too short to verify anything",
                    spec.digest_len() * 8
                )
            }
            Reason::Sampled(spec) => {
                write!(
                    f,
                    "{spec} verifies nothing: {}; to compare it anyway: -a {spec}",
                    spec.algorithm().status.reason()
                )
            }
            Reason::Key(spec) => write!(f, "{spec} needs a key"),
            Reason::EmptyName => f.write_str("no file name"),
            Reason::Nul => f.write_str("contains a NUL byte"),
            Reason::BadEscape => f.write_str("invalid backslash escape in the name"),
            Reason::Mixed => f.write_str("one character before the name where earlier lines have two"),
            Reason::DamagedComment => f.write_str("a comment that looks like a damaged entry"),
            Reason::LineTooLong => f.write_str("line too long"),
            Reason::NameTooLong => f.write_str("name too long"),
            Reason::Encoding => f.write_str("not valid UTF-16"),
            Reason::Unsigned => f.write_str("text outside the signed part"),
            Reason::DashEscape => f.write_str("a line of the signed part begins with an unescaped dash"),
            Reason::CutSignature => f.write_str("the signature is truncated"),
            Reason::DocumentTooLong(limit) => write!(f, "the document is larger than {limit} bytes"),
            Reason::Pieces => f.write_str("it has digests of pieces, which this command cannot verify"),
            Reason::Size => f.write_str("invalid size"),
            Reason::Part(what) => f.write_str(what),
            // It may quote the line.
            Reason::Said(what) => match what.char_indices().nth(SHOWN) {
                Some((end, _)) => write!(f, "{}...", display_safe(&what.as_bytes()[..end])),
                None => f.write_str(&display_safe(what.as_bytes())),
            },
        }
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.reason)
    }
}

impl std::error::Error for LineError {}

/// What ends or interrupts the reading of a manifest.
#[derive(Debug)]
pub enum ReadError {
    /// A bad line. Reading goes on with the next one.
    Line(LineError),
    /// The manifest could not be read to its end: what was read so far says nothing of the rest. Nothing follows.
    Io(io::Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Line(error) => error.fmt(f),
            ReadError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {}
