//! A line of a manifest, and the errors that it can have.
//!
//! Every error has its own [`Reason`], because "improperly formatted" does not help users to find
//! the fault.

use crate::entry::{Entry, ObjectKind};
use crate::path::display_safe;
use std::fmt;
use std::io;
use truesum_hash::{Spec, SpecError};

/// Maximum number of characters of a line that a message quotes.
const SHOWN: usize = 200;

/// A position in a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The line with this number, from 1.
    Line(u64),
    /// The byte at this offset, from 0, in a document whose lines have no meaning.
    Byte(u64),
}

impl Default for Place {
    /// Returns the first line.
    fn default() -> Place {
        Place::Line(1)
    }
}

impl Place {
    /// Returns the number of the line or byte.
    pub fn number(self) -> u64 {
        match self {
            Place::Line(number) | Place::Byte(number) => number,
        }
    }

    /// Returns an entry or an error at this position.
    pub(crate) fn found(self, entry: Result<Entry, Reason>) -> LineResult {
        match entry {
            Ok(entry) => Ok(Line { at: self, entry }),
            Err(reason) => Err(LineError { at: self, reason }),
        }
    }

    /// Writes a message about this position. A message about the first byte concerns the document as a whole, and has
    /// no position.
    ///
    /// # Errors
    /// Returns the error of the formatter.
    pub fn describe(self, message: &dyn fmt::Display, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Byte(0) => write!(f, "{message}"),
            place => write!(f, "{place}: {message}"),
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

/// A valid line, or an entry of a document.
///
/// A plain record: callers take it apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The position of the line.
    pub at: Place,
    /// The entry in the line.
    pub entry: Entry,
}

/// A malformed line or part of a document. It was skipped, and reading continues after it. A
/// document that is malformed as a whole has one such error.
///
/// A plain record: callers take it apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    /// The position of the error.
    pub at: Place,
    /// The reason for the error.
    pub reason: Reason,
}

/// The result of a parser at one position: an entry or an error.
pub type LineResult = Result<Line, LineError>;

/// A reason why a line was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The text does not have the form of a line of this format.
    NotALine,
    /// The digest has the right length, but it contains characters of neither hexadecimal nor
    /// base64.
    NotHex,
    /// The digest before the name is missing.
    EmptyDigest,
    /// The digest has `found` characters, which is not the length of a digest of `spec`.
    Length {
        /// The algorithm determined by the line, the user or the manifest's name.
        spec: Spec,
        /// The number of characters found.
        found: usize,
    },
    /// Nothing determines the algorithm, and `digits` hexadecimal digits are not a common length.
    UnknownAlgorithm {
        /// The number of hexadecimal digits found.
        digits: usize,
        /// The algorithms with digests of this length, if any.
        names: Vec<&'static str>,
    },
    /// The lengths of the digests in the columns of RHash do not show their algorithms, which could be these.
    Columns(Vec<&'static str>),
    /// Several of the requested algorithms have this length.
    Ambiguous(Vec<String>),
    /// The tag does not name an algorithm, or has a length that the algorithm does not support.
    Algorithm(SpecError),
    /// The algorithm of the line was not requested.
    NotRequested(Spec),
    /// The digest is too short to verify anything.
    Weak(Spec),
    /// The digest covers only parts of a file, so it verifies nothing, and was not requested by
    /// name.
    Sampled(Spec),
    /// The digest needs a key, and no key is available.
    Key(Spec),
    /// The name is empty.
    EmptyName,
    /// The line contains a NUL byte, which no file name can contain.
    Nul,
    /// The line starts with a backslash, so each backslash in the name must be part of `\\`, `\n`
    /// or `\r`, and one is not.
    BadEscape,
    /// The line has one character between digest and name where earlier lines have two. If a
    /// manifest could have both, a name with a leading blank could pass for another name.
    Mixed,
    /// The line is a comment, but would be an entry if its first character were a hexadecimal
    /// digit.
    DamagedComment,
    /// The line has more than [`LINE_LIMIT`](crate::LINE_LIMIT) bytes.
    LineTooLong,
    /// The name has more than [`NAME_LIMIT`](crate::NAME_LIMIT) bytes.
    NameTooLong,
    /// The text is UTF-16, and this line is not valid UTF-16.
    Encoding,
    /// The line is outside the signed part of a signed manifest.
    Unsigned,
    /// The line is in the signed part and starts with a dash that is not escaped.
    DashEscape,
    /// The manifest ends before its signature does.
    CutSignature,
    /// A description of the error that may quote the text.
    Message(String),
    /// The document has more bytes than this limit.
    DocumentTooLong(usize),
    /// The entry has digests of pieces, and the caller cannot verify pieces.
    Pieces,
    /// The entry with this name describes an object that is not a regular file and has no digest. A
    /// reader counts it and does not return it.
    NotAFile(ObjectKind, Vec<u8>),
    /// The size is not a number, or greater than that of any file.
    Size,
    /// A part of a document does not conform to the format.
    Part(&'static str),
    /// The entry with this name is malformed.
    Of(Vec<u8>, Box<Reason>),
}

impl Reason {
    /// Adds the name of the entry to the reason, unless that is about the name itself or all entries
    /// have it.
    pub(crate) fn of(self, name: &[u8]) -> Reason {
        match self {
            Reason::EmptyName | Reason::NameTooLong | Reason::Pieces | Reason::Key(_) | Reason::Of(..) => {
                self
            }
            reason if name.is_empty() => reason,
            reason => Reason::Of(name.to_vec(), Box::new(reason)),
        }
    }

    /// Returns the reason without the name of the entry.
    pub fn cause(&self) -> &Reason {
        match self {
            Reason::Of(_, reason) => reason,
            reason => reason,
        }
    }

    /// Returns the name of the algorithm if it is unknown or unsupported. Other digests of the same
    /// file may then suffice. A known algorithm with invalid parameters is an error instead.
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
                write!(f, "wrong digest length for {spec} ({found} characters, not {digits})")
            }
            Reason::UnknownAlgorithm { digits, names } if names.is_empty() => {
                write!(f, "no algorithm has a digest of {digits} hexadecimal digits")
            }
            Reason::UnknownAlgorithm { digits, names } => {
                write!(
                    f,
                    "the algorithm is not specified; algorithms with digests of {digits} hexadecimal digits: {}",
                    names.join(", ")
                )
            }
            Reason::Columns(names) => write!(
                f,
                "the lengths of the digests do not show their algorithms; specify all of them, such as -a {}",
                names.join(",")
            ),
            Reason::Ambiguous(names) => {
                write!(f, "the digest could be any of {}", names.join(", "))
            }
            // The error may quote the manifest, whose control characters must not reach a terminal.
            Reason::Algorithm(error) => error.to_string().chars().try_for_each(|c| match c.is_control() {
                true => write!(f, "{}", c.escape_default()),
                false => write!(f, "{c}"),
            }),
            Reason::NotRequested(spec) => write!(f, "{spec} is not one of the specified algorithms"),
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
                    "{spec} covers only {}; to compare it anyway: -a {spec}",
                    spec.algorithm().status().reason()
                )
            }
            Reason::Key(spec) => write!(f, "{spec} needs a key"),
            Reason::EmptyName => f.write_str("no file name"),
            Reason::Nul => f.write_str("contains a NUL byte"),
            Reason::BadEscape => f.write_str("invalid backslash escape in the name"),
            Reason::Mixed => f.write_str("one separator character before the name, but two in earlier lines"),
            Reason::DamagedComment => f.write_str("a comment that looks like a damaged entry"),
            Reason::LineTooLong => f.write_str("line too long"),
            Reason::NameTooLong => f.write_str("name too long"),
            Reason::Encoding => f.write_str("not valid UTF-16"),
            Reason::Unsigned => f.write_str("text outside the signed part"),
            Reason::DashEscape => f.write_str("a line of the signed part begins with an unescaped dash"),
            Reason::CutSignature => f.write_str("the signature is truncated"),
            Reason::DocumentTooLong(limit) => write!(f, "the document is larger than {limit} bytes"),
            Reason::Pieces => f.write_str("contains digests of pieces, which this command cannot verify"),
            Reason::NotAFile(kind, name) => write!(f, "{}: {kind}, without a digest", display_safe(name)),
            Reason::Size => f.write_str("invalid size"),
            Reason::Part(what) => f.write_str(what),
            // The description may quote the line.
            Reason::Message(what) => match what.char_indices().nth(SHOWN) {
                Some((end, _)) => write!(f, "{}...", display_safe(&what.as_bytes()[..end])),
                None => f.write_str(&display_safe(what.as_bytes())),
            },
            Reason::Of(name, reason) => write!(f, "{}: {reason}", display_safe(name)),
        }
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.at.describe(&self.reason, f)
    }
}

impl std::error::Error for LineError {}

/// An error while reading a manifest.
#[derive(Debug)]
pub enum ReadError {
    /// The line is malformed. Reading continues with the next one.
    Line(LineError),
    /// The manifest could not be read to its end, so that the rest of it is unknown. No more items
    /// follow.
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

impl std::error::Error for ReadError {
    /// Returns the source of the wrapped error, whose message is that of this one.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReadError::Line(error) => error.source(),
            ReadError::Io(error) => error.source(),
        }
    }
}
