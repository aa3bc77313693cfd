//! Edits entries of a manifest and leaves all other bytes unchanged.
//!
//! Unchanged lines are copied, a changed line keeps its formatting, and new lines are appended. A
//! format that is written only as a whole is rewritten, but only if that loses nothing
//! ([`editable`]). The caller reads the result back to make sure that it has exactly the expected
//! entries ([`reads_back`]).

mod formatting;
mod rewrite;
pub mod rules;

use crate::entry::Entry;
use crate::format::{Format, Heading, Options, Reading, Unrepresentable, Writing};
use crate::line::{Line, Place, ReadError};
use crate::lines::LINE_LIMIT;
use crate::path::display_safe;
use crate::reader::Reader;
use formatting::Formatting;
use std::fmt;
use std::io::{self, Read, Write};

/// A decision about an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Keep the entry, byte for byte.
    Keep,
    /// Remove the line of the entry.
    Drop,
    /// Replace the entry with this one.
    Replace(Box<Entry>),
}

/// The changes to a manifest. They are requested more than once and must be the same each time.
pub trait Changes {
    /// Starts again at the beginning of the manifest.
    fn begin(&mut self);
    /// Returns the decision about the next entry.
    fn of(&mut self, line: &Line) -> Edit;
    /// Returns the next entry to add. This is called after the last entry of the manifest.
    fn added(&mut self) -> Option<Entry>;
}

/// A function that opens the manifest at its beginning, with the same bytes each time.
pub type Open<'o> = dyn FnMut() -> io::Result<Box<dyn Read + 'o>> + 'o;

/// An error that prevented an edit.
#[derive(Debug)]
pub enum EditError {
    /// Reading the manifest failed.
    Read(io::Error),
    /// Writing the output failed.
    Write(io::Error),
    /// The manifest cannot be edited without losing information.
    Refused(Uneditable),
}

/// A reason why a manifest cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Uneditable {
    /// Its format can only be read.
    ReadOnly(&'static Format),
    /// Its format has digests of pieces that span files.
    Pieces(&'static Format),
    /// It is signed, and the signature would become invalid.
    Signed,
    /// It is encoded in UTF-16.
    Encoded,
    /// Its format can only be rewritten completely, and some of its content would be lost.
    Whole(&'static Format),
    /// This line has content that would be lost if it were rewritten.
    Line(Place),
    /// The format cannot hold the entry with this name.
    Entry(Vec<u8>, Unrepresentable),
    /// The result would not be read back correctly.
    Misread,
}

impl fmt::Display for Uneditable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Uneditable::ReadOnly(format) => write!(f, "the {} format can only be read", format.name),
            Uneditable::Pieces(format) => {
                write!(f, "the {} format contains piece digests, which cannot be updated", format.name)
            }
            Uneditable::Signed => f.write_str("it is signed, and its signature would become invalid"),
            Uneditable::Encoded => f.write_str("it is written in UTF-16"),
            Uneditable::Whole(format) => write!(
                f,
                "the {} format can only be rewritten completely, and this manifest has content that would be lost",
                format.name
            ),
            Uneditable::Line(at) => write!(f, "the content at {at} would be lost"),
            Uneditable::Entry(name, why) => write!(f, "{}: cannot be written: {why}", display_safe(name)),
            Uneditable::Misread => f.write_str("the result would not be read back correctly"),
        }
    }
}

impl std::error::Error for Uneditable {}

impl EditError {
    fn read(error: ReadError) -> EditError {
        match error {
            ReadError::Io(error) => EditError::Read(error),
            // Bad lines are skipped or refused before this point.
            ReadError::Line(error) => EditError::Refused(Uneditable::Line(error.at)),
        }
    }
}

/// A way to edit a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    /// Replace single lines.
    Lines,
    /// Rewrite the complete manifest.
    Whole,
}

fn method(format: &'static Format) -> Result<Method, Uneditable> {
    match (&format.writing, &format.reading) {
        (Writing::No, _) | (_, Reading::Packed { .. } | Reading::Not(_)) => Err(Uneditable::ReadOnly(format)),
        _ if format.capabilities.pieces.is_some() => Err(Uneditable::Pieces(format)),
        (Writing::Entries(_), Reading::Lines { .. }) => Ok(Method::Lines),
        (Writing::Manifest(begin), Reading::Lines { .. })
            if begin(&Heading::default()).is_self_contained() =>
        {
            Ok(Method::Lines)
        }
        _ => Ok(Method::Whole),
    }
}

/// Returns whether rules can be stored in a manifest in this format so that it can still be edited: the format has
/// comments, and it is not rewritten completely.
pub fn can_store_rules(format: &'static Format) -> bool {
    format.comment().is_some() && method(format) == Ok(Method::Lines)
}

/// Returns the format of a manifest if the manifest can be edited. Reads only as much of it as this
/// requires.
///
/// # Errors
/// Fails if the manifest cannot be edited or cannot be read.
pub fn editable(open: &mut Open<'_>, options: &Options) -> Result<&'static Format, EditError> {
    let mut reader = Reader::new(open().map_err(EditError::Read)?, options.clone());
    if let Some(Err(ReadError::Io(error))) = reader.next() {
        return Err(EditError::Read(error));
    }
    let format = reader.format().ok_or(EditError::Refused(Uneditable::Misread))?;
    let method = method(format).map_err(EditError::Refused)?;
    let fault = match () {
        () if reader.signer().is_some() => Some(Uneditable::Signed),
        () if reader.is_decoded() => Some(Uneditable::Encoded),
        () if method == Method::Whole && !rewrite::is_reproduced(open, options, format)? => {
            Some(Uneditable::Whole(format))
        }
        () => None,
    };
    fault.map_or(Ok(format), |why| Err(EditError::Refused(why)))
}

/// Writes the manifest with these changes. Before using the result, compare it with the changes by
/// calling [`reads_back`].
///
/// # Errors
/// Fails if the manifest cannot be read, written, or edited without losing information. The output
/// is then unusable.
pub fn edit(
    open: &mut Open<'_>,
    options: &Options,
    changes: &mut dyn Changes,
    out: &mut dyn Write,
) -> Result<(), EditError> {
    let format = editable(open, options)?;
    changes.begin();
    match method(format).map_err(EditError::Refused)? {
        Method::Whole => rewrite::write(open, options, format, changes, out),
        Method::Lines => lines(open, options, format, changes, out),
    }
}

fn lines(
    open: &mut Open<'_>,
    options: &Options,
    format: &'static Format,
    changes: &mut dyn Changes,
    out: &mut dyn Write,
) -> Result<(), EditError> {
    let mut copy = Copy { from: open().map_err(EditError::Read)?, at: 0, last: None };
    let mut reader = Reader::new(open().map_err(EditError::Read)?, options.clone());
    let mut formatting = Formatting::new(format);
    while let Some(item) = reader.next() {
        let line = match item {
            Ok(line) => line,
            Err(ReadError::Line(_)) => continue,
            Err(error) => return Err(EditError::read(error)),
        };
        let change = changes.of(&line);
        if change == Edit::Keep && formatting.is_learned(&line.entry) {
            continue;
        }
        let span = reader.span().ok_or(EditError::Refused(Uneditable::Line(line.at)))?;
        copy.until(span.start, out)?;
        let text = copy.line(span.end)?;
        formatting.learn(&text, &line.entry);
        match change {
            Edit::Keep => copy.put(&text, out)?,
            Edit::Drop => {}
            Edit::Replace(entry) => {
                let text = formatting.instead(&text, &line.entry, &entry).map_err(|why| match why {
                    Some(why) => EditError::Refused(Uneditable::Entry(entry.path.clone(), why)),
                    None => EditError::Refused(Uneditable::Line(line.at)),
                })?;
                copy.put(&text, out)?;
            }
        }
    }
    copy.until(u64::MAX, out)?;
    while let Some(entry) = changes.added() {
        let refused = |why| EditError::Refused(Uneditable::Entry(entry.path.clone(), why));
        let text = formatting.new_lines(&entry).map_err(refused)?;
        // The last line of a text may lack its line end.
        if copy.last.is_some_and(|last| last != formatting.terminator()) {
            copy.put(formatting.line_end(), out)?;
        }
        copy.put(&text, out)?;
    }
    Ok(())
}

/// The old text, which is copied to the new one except for the lines that are taken out.
struct Copy<'o> {
    from: Box<dyn Read + 'o>,
    /// The number of bytes read so far.
    at: u64,
    /// The last byte written.
    last: Option<u8>,
}

impl Copy<'_> {
    fn put(&mut self, text: &[u8], out: &mut dyn Write) -> Result<(), EditError> {
        self.last = text.last().copied().or(self.last);
        out.write_all(text).map_err(EditError::Write)
    }

    /// Copies the text up to this offset, or to its end.
    fn until(&mut self, end: u64, out: &mut dyn Write) -> Result<(), EditError> {
        let mut buffer = [0; 16 << 10];
        while self.at < end {
            let most = (end - self.at).min(buffer.len() as u64) as usize;
            let read = self.read(&mut buffer[..most])?;
            if read == 0 {
                break;
            }
            self.put(&buffer[..read], out)?;
        }
        Ok(())
    }

    /// Returns the text up to this offset without copying it.
    fn line(&mut self, end: u64) -> Result<Vec<u8>, EditError> {
        let mut text = vec![0; (end - self.at).min(LINE_LIMIT as u64 + 2) as usize];
        let mut filled = 0;
        while filled < text.len() {
            match self.read(&mut text[filled..])? {
                0 => return Err(EditError::Read(io::ErrorKind::UnexpectedEof.into())),
                read => filled += read,
            }
        }
        Ok(text)
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, EditError> {
        loop {
            match self.from.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(EditError::Read(error)),
                Ok(read) => {
                    self.at += read as u64;
                    return Ok(read);
                }
            }
        }
    }
}

/// Returns whether a reader of the new text finds exactly what it should: every entry and every bad
/// line that was kept, with replacements in their places, and then the added entries.
///
/// # Errors
/// Fails if one of the two texts cannot be read.
pub fn reads_back(
    old: impl Read,
    new: impl Read,
    options: &Options,
    changes: &mut dyn Changes,
) -> io::Result<bool> {
    let mut found = Reader::new(new, options.clone());
    let old = Reader::new(old, options.clone());
    let Some(mut next) = Lookahead::of(&mut found)? else { return Ok(false) };
    changes.begin();
    for item in old {
        let expected = match item {
            Ok(line) => match changes.of(&line) {
                Edit::Keep => line.entry,
                Edit::Drop => continue,
                Edit::Replace(entry) => *entry,
            },
            Err(ReadError::Line(error)) => {
                if !next.is_fault(&error.reason.to_string())? {
                    return Ok(false);
                }
                continue;
            }
            Err(ReadError::Io(error)) => return Err(error),
        };
        if !next.matches(&expected)? {
            return Ok(false);
        }
    }
    while let Some(entry) = changes.added() {
        if !next.matches(&entry)? {
            return Ok(false);
        }
    }
    Ok(next.item.is_none())
}

/// A reader of the new text with a lookahead of one item.
struct Lookahead<'r, R> {
    reader: &'r mut Reader<R>,
    format: &'static Format,
    item: Option<Result<Line, String>>,
}

impl<'r, R: Read> Lookahead<'r, R> {
    fn of(reader: &'r mut Reader<R>) -> io::Result<Option<Lookahead<'r, R>>> {
        let item = item(reader)?;
        let Some(format) = reader.format() else { return Ok(None) };
        Ok(Some(Lookahead { reader, format, item }))
    }

    fn is_fault(&mut self, reason: &str) -> io::Result<bool> {
        let is = matches!(&self.item, Some(Err(found)) if found == reason);
        self.item = item(self.reader)?;
        Ok(is)
    }

    /// Returns whether the next items match this entry. Some formats have a line for each digest,
    /// so one entry may be several items.
    fn matches(&mut self, entry: &Entry) -> io::Result<bool> {
        let expected = self.format.capabilities.as_read(entry);
        let mut digests = &expected.digests[..];
        loop {
            let Some(Ok(Line { entry: found, .. })) = &self.item else { return Ok(false) };
            let count = found.digests.len();
            let same = found.path == expected.path
                && found.size == expected.size
                && found.mtime == expected.mtime
                && found.pieces == expected.pieces
                && digests.get(..count) == Some(&found.digests[..]);
            self.item = item(self.reader)?;
            if !same {
                return Ok(false);
            }
            digests = &digests[count..];
            if digests.is_empty() || count == 0 {
                return Ok(digests.is_empty());
            }
        }
    }
}

fn item<R: Read>(reader: &mut Reader<R>) -> io::Result<Option<Result<Line, String>>> {
    match reader.next() {
        None => Ok(None),
        Some(Ok(line)) => Ok(Some(Ok(line))),
        Some(Err(ReadError::Line(error))) => Ok(Some(Err(error.reason.to_string()))),
        Some(Err(ReadError::Io(error))) => Err(error),
    }
}

#[cfg(test)]
mod tests;
