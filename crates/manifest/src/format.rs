//! The table of formats: one row is all there is to say of one.
//!
//! Adding a format: write its file, add one row here. Recognition, `truesum list`, conversion and the round-trip tests
//! follow from the row.

use crate::entry::Entry;
use crate::line::Reason;
use crate::reader::Options;
use crate::{bsd, gnu, json};
use std::fmt;
use truesum_hash::{Digest, Spec};

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

/// Every format, in the order they are recognised.
pub static FORMATS: &[&Format] = &[&json::JSONL, &bsd::BSD, &gnu::GNU, &bsd::BSD_Z, &gnu::GNU_Z];

/// The row with this name.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|row| row.name == name)
}

/// The format of a manifest by its beginning (decoded text, up to 64 KiB), else by its name.
pub fn detect(head: &[u8], file_name: Option<&[u8]>) -> Option<&'static Format> {
    let terminator = terminator(head);
    // The first line that says anything decides, so that one strange line does not change the format of all.
    let lines = head.split(|&byte| byte == terminator).map(crate::scan::trim_start);
    let by_content = lines.filter(|line| !line.is_empty()).find_map(|line| {
        FORMATS.iter().copied().find(|row| row.terminator == terminator && (row.sniff)(line))
    });
    let by_name = || {
        let name = file_name?.to_ascii_lowercase();
        FORMATS.iter().copied().find(|row| row.file_names.iter().any(|end| name.ends_with(end.as_bytes())))
    };
    by_content.or_else(by_name)
}

/// NUL if the lines end so: the first NUL is the end, or what follows it begins like a line. A NUL elsewhere is in
/// the middle of a line, and a fault of it.
pub(crate) fn terminator(head: &[u8]) -> u8 {
    let Some(nul) = head.iter().position(|&byte| byte == 0) else { return b'\n' };
    let is_line = |line: &[u8]| gnu::starts_with_digest(line) || bsd::split(line).is_some();
    let rest = &head[nul + 1..];
    let next = rest.split(|&byte| byte == 0).next().unwrap_or_default();
    if is_line(&head[..nul]) && (rest.is_empty() || is_line(next)) { 0 } else { b'\n' }
}

/// How digests are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spelling {
    /// Lower-case hexadecimal.
    #[default]
    Hex,
    /// Upper-case hexadecimal.
    HexUpper,
    /// Base64 with padding.
    Base64,
}

impl Spelling {
    /// The digest so spelled.
    pub fn of(self, digest: &Digest) -> String {
        match self {
            Spelling::Hex => digest.to_hex(),
            Spelling::HexUpper => digest.to_hex_upper(),
            Spelling::Base64 => digest.to_base64(),
        }
    }
}

/// The mode character of GNU lines. It says nothing on systems without text files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A blank.
    #[default]
    Text,
    /// An asterisk.
    Binary,
}

impl Mode {
    pub(crate) fn char(self) -> u8 {
        match self {
            Mode::Text => b' ',
            Mode::Binary => b'*',
        }
    }
}

/// What a writer may choose within a format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// How digests are spelled.
    pub spelling: Spelling,
    /// The mode character, where the format has one.
    pub mode: Mode,
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn rows_have_unique_names_and_say_what_they_are() {
        let mut seen = HashSet::new();
        for row in FORMATS {
            assert!(seen.insert(row.name), "{} twice", row.name);
            assert_eq!(format(row.name), Some(*row));
            assert!(row.summary.len() > 20 && matches!(row.terminator, 0 | b'\n'), "{}", row.name);
            assert_eq!(row.name.ends_with("-z"), row.terminator == 0, "{}", row.name);
            assert!(row.file_names.iter().all(|end| *end == end.to_ascii_lowercase()), "{}", row.name);
        }
    }

    #[test]
    fn every_row_recognises_what_it_writes_and_leaves_the_others_alone() {
        let sha256: Spec = "sha256".parse().unwrap();
        let entry = Entry::new(b"a", sha256.clone(), sha256.digest(b"a"));
        for row in FORMATS {
            let mut text = Vec::new();
            (row.write)(&entry, &Style::default(), &mut text).unwrap();
            assert_eq!(detect(&text, None), Some(*row), "{}", row.name);
            // The content decides, not the name.
            assert_eq!(detect(&text, Some(b"x.jsonl")), Some(*row), "{}", row.name);
        }
        assert_eq!(detect(b"", None), None);
        assert_eq!(detect(b"hello world\n", None), None);
        assert_eq!(detect(b"hello world\n", Some(b"X.JSONL")).map(|row| row.name), Some("jsonl"));
        assert_eq!(detect(b"", Some(b"SHA256SUMS")).map(|row| row.name), Some("gnu"));
    }
}
