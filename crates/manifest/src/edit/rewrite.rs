//! Edits manifests that can be written only as a whole: rewrites them if that loses nothing.

use super::{Changes, Edit, EditError, Open, Uneditable};
use crate::entry::Entry;
use crate::format::{Format, Heading, Options};
use crate::line::ReadError;
use crate::reader::Reader;
use crate::writer::{WriteError, Writer};
use std::io::{self, BufRead, BufReader, Read, Write};
use truesum_hash::Spec;

/// The line ends of a text, which a writer does not choose.
#[derive(Clone, Copy)]
struct LineEnds {
    /// True if lines end with CR and LF.
    cr: bool,
    /// True if the last line has an end.
    last: bool,
}

impl LineEnds {
    /// Returns the end of a line.
    fn bytes(self) -> &'static [u8] {
        if self.cr { b"\r\n" } else { b"\n" }
    }

    fn of(open: &mut Open<'_>) -> io::Result<LineEnds> {
        let mut text = BufReader::new(open()?);
        let mut line = Vec::new();
        text.read_until(b'\n', &mut line)?;
        let (cr, mut last) = (line.ends_with(b"\r\n"), line.last().copied());
        loop {
            let part = text.fill_buf()?;
            let Some(&byte) = part.last() else { return Ok(LineEnds { cr, last: last == Some(b'\n') }) };
            last = Some(byte);
            let len = part.len();
            text.consume(len);
        }
    }
}

/// An output with these line ends.
struct LineEndWriter<W> {
    out: W,
    ends: LineEnds,
    /// True if a line has ended whose end is not written yet.
    is_pending: bool,
}

impl<W: Write> LineEndWriter<W> {
    fn new(out: W, ends: LineEnds) -> LineEndWriter<W> {
        LineEndWriter { out, ends, is_pending: false }
    }

    /// Writes the end of the last line, if it has one, and returns the output.
    fn finish(mut self) -> io::Result<W> {
        if self.ends.last && self.is_pending {
            self.out.write_all(self.ends.bytes())?;
        }
        Ok(self.out)
    }
}

impl<W: Write> Write for LineEndWriter<W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let end = self.ends.bytes();
        let body = text.strip_suffix(b"\n");
        let mut written =
            if std::mem::replace(&mut self.is_pending, body.is_some()) { end } else { b"" }.to_vec();
        for (number, line) in body.unwrap_or(text).split(|&byte| byte == b'\n').enumerate() {
            if number > 0 {
                written.extend_from_slice(end);
            }
            written.extend_from_slice(line);
        }
        self.out.write_all(&written)?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns whether writing the old entries again produces the old text byte for byte. If so, it has
/// nothing that a writer would lose.
pub(super) fn is_reproduced(
    open: &mut Open<'_>,
    options: &Options,
    format: &'static Format,
) -> Result<bool, EditError> {
    let old = BufReader::new(open().map_err(EditError::Read)?);
    let reader = Reader::new(open().map_err(EditError::Read)?, options.clone());
    let ends = LineEnds::of(open).map_err(EditError::Read)?;
    let mut writer: Option<Writer<LineEndWriter<ComparingWriter<_>>>> = None;
    let mut old = Some(LineEndWriter::new(ComparingWriter { old, differs: false }, ends));
    for item in reader {
        let entry = match item {
            Ok(line) => line.entry,
            Err(ReadError::Line(_)) => return Ok(false),
            Err(error) => return Err(EditError::read(error)),
        };
        let writer = match (&mut writer, old.take()) {
            (Some(writer), _) => writer,
            (none, Some(same)) => none.insert(Writer::new(same, format, &heading(&entry))),
            (None, None) => return Ok(false),
        };
        match writer.write(&entry) {
            Ok(()) => {}
            Err(WriteError::Refused(_)) => return Ok(false),
            Err(WriteError::Io(error)) => return Err(EditError::Read(error)),
        }
        if writer.get_mut().out.differs {
            return Ok(false);
        }
    }
    // A manifest without entries does not show which heading it needs.
    let Some(writer) = writer else { return Ok(false) };
    let mut same = match writer.finish() {
        Ok(same) => same.finish().map_err(EditError::Read)?,
        Err(WriteError::Refused(_)) => return Ok(false),
        Err(WriteError::Io(error)) => return Err(EditError::Read(error)),
    };
    let more = same.old.read(&mut [0]).map_err(EditError::Read)?;
    Ok(!same.differs && more == 0)
}

/// Returns the heading of a manifest whose first entry is this.
fn heading(first: &Entry) -> Heading {
    let specs: Vec<Spec> = first.digests.iter().map(|(spec, _)| spec.clone()).collect();
    Heading { specs, ..Heading::default() }
}

/// A writer that compares its input with the old text.
struct ComparingWriter<R> {
    old: R,
    differs: bool,
}

impl<R: Read> Write for ComparingWriter<R> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let mut expected = vec![0; text.len()];
        match self.old.read_exact(&mut expected) {
            Ok(()) => self.differs |= expected != text,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => self.differs = true,
            Err(error) => return Err(error),
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Rewrites the complete manifest with the changes.
pub(super) fn write(
    open: &mut Open<'_>,
    options: &Options,
    format: &'static Format,
    changes: &mut dyn Changes,
    out: &mut dyn Write,
) -> Result<(), EditError> {
    let reader = Reader::new(open().map_err(EditError::Read)?, options.clone());
    let mut out = Some(LineEndWriter::new(out, LineEnds::of(open).map_err(EditError::Read)?));
    let mut writer = None;
    let mut put = |old: &Entry, entry: Option<&Entry>| -> Result<(), EditError> {
        let writer = match out.take() {
            Some(out) => writer.insert(Writer::new(out, format, &heading(old))),
            None => writer.as_mut().ok_or(EditError::Refused(Uneditable::Misread))?,
        };
        let Some(entry) = entry else { return Ok(()) };
        writer.write(entry).map_err(|error| match error {
            WriteError::Refused(why) => EditError::Refused(Uneditable::Entry(entry.path.clone(), why)),
            WriteError::Io(error) => EditError::Write(error),
        })
    };
    for item in reader {
        let line = item.map_err(EditError::read)?;
        match changes.of(&line) {
            Edit::Keep => put(&line.entry, Some(&line.entry))?,
            Edit::Drop => put(&line.entry, None)?,
            Edit::Replace(entry) => put(&line.entry, Some(&entry))?,
        }
    }
    while let Some(entry) = changes.added() {
        put(&entry, Some(&entry))?;
    }
    match writer.map(Writer::finish) {
        None => Ok(()),
        Some(Ok(out)) => out.finish().map(drop).map_err(EditError::Write),
        Some(Err(WriteError::Io(error))) => Err(EditError::Write(error)),
        Some(Err(WriteError::Refused(why))) => Err(EditError::Refused(Uneditable::Entry(Vec::new(), why))),
    }
}
