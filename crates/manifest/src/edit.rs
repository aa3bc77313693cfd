//! Changes entries of a manifest and leaves every other byte as it is.
//!
//! Nothing is made anew that can stay: lines are copied, a changed line keeps the spelling it had, and new ones come last.
//! A format whose text is one whole is written anew only where that loses nothing ([`editable`]). What was made is read
//! back, and every entry must be there that should ([`edit`]).

mod hand;
mod whole;

use crate::entry::Entry;
use crate::format::{Format, Heading, Options, Reading, Unholdable, Writing};
use crate::line::{Line, Place, ReadError};
use crate::lines::LINE_LIMIT;
use crate::path::display_safe;
use crate::reader::Reader;
use hand::Hand;
use std::fmt;
use std::io::{self, Read, Write};

/// What becomes of an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// It stays, byte for byte.
    Keep,
    /// Its line goes.
    Drop,
    /// It says this instead.
    Replace(Box<Entry>),
}

/// What is to be changed. It is asked several times over, and must say the same each time.
pub trait Changes {
    /// The manifest begins.
    fn begin(&mut self);
    /// What becomes of the next entry.
    fn of(&mut self, line: &Line) -> Edit;
    /// After the last entry: the next one to be added.
    fn added(&mut self) -> Option<Entry>;
}

/// Opens a manifest at its beginning, always the same bytes.
pub type Open<'o> = dyn FnMut() -> io::Result<Box<dyn Read + 'o>> + 'o;

/// Why nothing was changed.
#[derive(Debug)]
pub enum EditError {
    /// The manifest could not be read to its end.
    Read(io::Error),
    /// The output failed.
    Write(io::Error),
    /// It cannot be done without a loss.
    Refused(Uneditable),
}

/// Why a manifest cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Uneditable {
    /// Its format is only read.
    ReadOnly(&'static Format),
    /// It has digests of pieces, which run across its files.
    Pieces(&'static Format),
    /// Its signature would be that of another text.
    Signed,
    /// It is UTF-16.
    Encoded,
    /// Its format is written as a whole, and this one holds more than that would.
    Whole(&'static Format),
    /// What this line says cannot be said anew without losing some of it.
    Line(Place),
    /// The format cannot hold the entry of this name.
    Entry(Vec<u8>, Unholdable),
    /// It would be read back as something else.
    Misread,
}

impl fmt::Display for Uneditable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Uneditable::ReadOnly(format) => write!(f, "the format {} can only be read", format.name),
            Uneditable::Pieces(format) => {
                write!(f, "the digests of a {} cover pieces that span its files", format.name)
            }
            Uneditable::Signed => f.write_str("it is signed, and its signature would become invalid"),
            Uneditable::Encoded => f.write_str("it is written in UTF-16"),
            Uneditable::Whole(format) => write!(
                f,
                "the format {} can only be rewritten completely, and this manifest has content that would be lost",
                format.name
            ),
            Uneditable::Line(at) => write!(f, "{at}: contains information that would be lost"),
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
            // Bad lines are passed over before.
            ReadError::Line(error) => EditError::Refused(Uneditable::Line(error.at)),
        }
    }
}

/// How a manifest is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Line by line.
    Lines,
    /// Written anew.
    Whole,
}

fn way(format: &'static Format) -> Result<Way, Uneditable> {
    match (&format.writing, &format.reading) {
        (Writing::No, _) | (_, Reading::Packed { .. } | Reading::Not(_)) => Err(Uneditable::ReadOnly(format)),
        _ if format.holds.pieces.is_some() => Err(Uneditable::Pieces(format)),
        (Writing::Entries(_), Reading::Lines { .. }) => Ok(Way::Lines),
        (Writing::Manifest(begin), Reading::Lines { .. }) if begin(&Heading::default()).stands_alone() => {
            Ok(Way::Lines)
        }
        _ => Ok(Way::Whole),
    }
}

/// Whether a manifest can be changed; if so its format. What it says is not looked at further than that takes.
///
/// # Errors
/// Why it cannot, or it cannot be read.
pub fn editable(open: &mut Open<'_>, options: &Options) -> Result<&'static Format, EditError> {
    let mut reader = Reader::new(open().map_err(EditError::Read)?, options.clone());
    if let Some(Err(ReadError::Io(error))) = reader.next() {
        return Err(EditError::Read(error));
    }
    let format = reader.format().ok_or(EditError::Refused(Uneditable::Misread))?;
    let way = way(format).map_err(EditError::Refused)?;
    let fault = match () {
        () if reader.signer().is_some() => Some(Uneditable::Signed),
        () if reader.is_decoded() => Some(Uneditable::Encoded),
        () if way == Way::Whole && !whole::is_reproduced(open, options, format)? => {
            Some(Uneditable::Whole(format))
        }
        () => None,
    };
    fault.map_or(Ok(format), |why| Err(EditError::Refused(why)))
}

/// Writes the manifest with these changes. What was written is to be held against them by [`reads_back`] before it is used.
///
/// # Errors
/// It cannot be read, written, or changed without a loss; what was written then is worth nothing.
pub fn edit(
    open: &mut Open<'_>,
    options: &Options,
    changes: &mut dyn Changes,
    out: &mut dyn Write,
) -> Result<(), EditError> {
    let format = editable(open, options)?;
    changes.begin();
    match way(format).map_err(EditError::Refused)? {
        Way::Whole => whole::write(open, options, format, changes, out),
        Way::Lines => lines(open, options, format, changes, out),
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
    let mut hand = Hand::new(format);
    while let Some(item) = reader.next() {
        let line = match item {
            Ok(line) => line,
            Err(ReadError::Line(_)) => continue,
            Err(error) => return Err(EditError::read(error)),
        };
        let change = changes.of(&line);
        if change == Edit::Keep && hand.knows(&line.entry) {
            continue;
        }
        let span = reader.span().ok_or(EditError::Refused(Uneditable::Line(line.at)))?;
        copy.until(span.start, out)?;
        let text = copy.line(span.end)?;
        hand.learn(&text, &line.entry);
        match change {
            Edit::Keep => copy.put(&text, out)?,
            Edit::Drop => {}
            Edit::Replace(entry) => {
                let text = hand.instead(&text, &line.entry, &entry).map_err(|why| match why {
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
        let text = hand.new_lines(&entry).map_err(refused)?;
        // The last line of a text may lack its end.
        if copy.last.is_some_and(|last| last != hand.terminator()) {
            copy.put(hand.line_end(), out)?;
        }
        copy.put(&text, out)?;
    }
    Ok(())
}

/// The old text, which goes over to the new one but for what is taken out.
struct Copy<'o> {
    from: Box<dyn Read + 'o>,
    /// How much of it was read.
    at: u64,
    /// The last byte written.
    last: Option<u8>,
}

impl Copy<'_> {
    fn put(&mut self, text: &[u8], out: &mut dyn Write) -> Result<(), EditError> {
        self.last = text.last().copied().or(self.last);
        out.write_all(text).map_err(EditError::Write)
    }

    /// Copies up to this byte, or to the end.
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

    /// Takes the bytes up to this one out.
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

/// Whether a reader of what was made finds just what it should: every entry and every bad line that was to stay, in order,
/// what was to be changed as it was to be, and then what was to be added.
///
/// # Errors
/// One of the two could not be read.
pub fn reads_back(
    old: impl Read,
    new: impl Read,
    options: &Options,
    changes: &mut dyn Changes,
) -> io::Result<bool> {
    let mut found = Reader::new(new, options.clone());
    let old = Reader::new(old, options.clone());
    let Some(mut next) = Next::of(&mut found)? else { return Ok(false) };
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
        if !next.says(&expected)? {
            return Ok(false);
        }
    }
    while let Some(entry) = changes.added() {
        if !next.says(&entry)? {
            return Ok(false);
        }
    }
    Ok(next.item.is_none())
}

/// What is read back, one item ahead.
struct Next<'r, R> {
    reader: &'r mut Reader<R>,
    format: &'static Format,
    item: Option<Result<Line, String>>,
}

impl<'r, R: Read> Next<'r, R> {
    fn of(reader: &'r mut Reader<R>) -> io::Result<Option<Next<'r, R>>> {
        let item = item(reader)?;
        let Some(format) = reader.format() else { return Ok(None) };
        Ok(Some(Next { reader, format, item }))
    }

    fn is_fault(&mut self, reason: &str) -> io::Result<bool> {
        let is = matches!(&self.item, Some(Err(found)) if found == reason);
        self.item = item(self.reader)?;
        Ok(is)
    }

    /// Whether the next items say this of one file: some formats have a line for each digest.
    fn says(&mut self, entry: &Entry) -> io::Result<bool> {
        let expected = self.format.holds.kept(entry);
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
