//! Writes entries in a format. An entry that the format cannot hold is refused by name, and the rest is written.

use crate::entry::Entry;
use crate::format::{Format, Style, Unholdable};
use std::fmt;
use std::io::{self, Write};

/// Writes entries, one after the other.
pub struct Writer<W: Write> {
    out: W,
    format: &'static Format,
    style: Style,
    lines: Vec<u8>,
}

/// Why an entry was not written.
#[derive(Debug)]
pub enum WriteError {
    /// The format cannot hold it. Nothing of it was written; the next entry may be.
    Refused(Unholdable),
    /// The output failed, perhaps in the middle of a line.
    Io(io::Error),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Refused(why) => why.fmt(f),
            WriteError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WriteError {}

impl<W: Write> Writer<W> {
    /// A writer of this format. It does not buffer: each entry is one `write_all`.
    pub fn new(out: W, format: &'static Format, style: Style) -> Writer<W> {
        Writer { out, format, style, lines: Vec::new() }
    }

    /// Writes one entry.
    ///
    /// # Errors
    /// The format cannot hold the entry, or the output failed.
    pub fn write(&mut self, entry: &Entry) -> Result<(), WriteError> {
        self.lines.clear();
        append(entry, self.format, &self.style, &mut self.lines).map_err(WriteError::Refused)?;
        self.out.write_all(&self.lines).map_err(WriteError::Io)
    }

    /// Flushes the output and gives it back.
    ///
    /// # Errors
    /// The output's.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Appends the lines of one entry to `out`.
///
/// # Errors
/// The format cannot hold the entry; `out` is as it was.
pub fn append(entry: &Entry, format: &Format, style: &Style, out: &mut Vec<u8>) -> Result<(), Unholdable> {
    if entry.path.is_empty() {
        return Err(Unholdable::EmptyName);
    }
    if entry.path.contains(&0) {
        return Err(Unholdable::Nul);
    }
    if entry.digests.is_empty() {
        return Err(Unholdable::NoDigest);
    }
    if let Some((spec, _)) = entry.digests.iter().find(|(spec, digest)| spec.digest_len() != digest.len()) {
        return Err(Unholdable::Length(spec.clone()));
    }
    let before = out.len();
    (format.write)(entry, style, out).inspect_err(|_| out.truncate(before))
}
