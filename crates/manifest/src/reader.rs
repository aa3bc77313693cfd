//! Reads manifests of any format: turns bytes into entries, one after the other, in bounded memory.
//!
//! A read error is never treated as the end of a manifest, and a bad line does not end the reading.
//! A million bad lines with hardly any entries among them do, with an error for the complete file:
//! it is not a manifest, and could be made to take seconds. A document is read completely before
//! its first entry is returned, because only its end shows whether it is valid.

mod conditions;
mod omitted;

use crate::comment::is_comment;
use crate::digest::{is_gnu_line, is_line_in_base32};
use crate::entry::Entry;
use crate::format::{Format, Head, Options, Parse, Parts, Reading, SyntaxReader};
use crate::formats::mixed::appended::is_foreign;
use crate::formats::signature;
use crate::line::{Line, LineError, Place, ReadError, Reason};
use crate::lines::{Lines, RawLine};
use crate::rule::Rules;
use crate::scan;
use crate::signed::Signed;
use crate::table;
use conditions::checked;
pub use omitted::Omitted;
use omitted::OmittedObjects;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// A reader of manifests.
pub struct Reader<R> {
    lines: Lines<R>,
    options: Options,
    /// The format and the source of entries, selected after the beginning was read.
    chosen: Option<(&'static Format, Source)>,
    /// The number of CRs before each LF that belong to the line end: two if a program converted
    /// line ends twice.
    crs: usize,
    signed: Signed,
    /// The format that the input was unpacked from, if it was packed.
    packed: Option<&'static Format>,
    ended: bool,
    /// The numbers of entries and of bad lines so far.
    good: u64,
    bad: u64,
    /// True if the last item is the content of the last line, and not an entry that was held back.
    by_line: bool,
    unread: Vec<(String, u64)>,
    omitted: OmittedObjects,
    /// The rules so far. The reader of the content of a packed manifest shares them.
    rules: Arc<Mutex<Rules>>,
    /// The number of comments so far.
    comments: u64,
}

/// The kind of program that signed a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signer {
    /// An OpenPGP program, with a cleartext signature.
    OpenPgp,
    /// signify, with the message in the same file.
    Signify,
    /// A signer of Android packages; the signature is in the package itself.
    Package,
}

/// The error for a set of known digests.
const SET: &str = "this is a set of known digests, not a manifest of files, so there is nothing to verify; \
    to find files whose digests are in it: truesum audit --known SET FOLDER";

/// Number of bad lines that are read before their share is checked.
const BAD_LINE_LIMIT: u64 = 1 << 20;
/// Number of bad lines per entry above which they are noise.
const NOISE_RATIO: u64 = 16;

/// Maximum number of unsupported algorithms that are counted by name.
const UNREAD: usize = 16;
/// The name that represents all further algorithms.
const OTHERS: &str = "others";

/// The source of entries.
enum Source {
    Lines(Box<dyn Parse + Send>, SyntaxReader),
    Parts(Parts),
}

impl Source {
    /// Returns a source without entries.
    fn of(error: LineError) -> Source {
        Source::Parts(Box::new(std::iter::once(Err(error))))
    }
}

impl<R: Read> Reader<R> {
    /// Creates a reader that recognizes the encoding, the format and a signature around the text.
    /// Nothing is read yet.
    pub fn new(reader: R, options: Options) -> Reader<R> {
        let options = Options { assumed: Arc::default(), ..options };
        Reader {
            lines: if table::is_raw(&options) { Lines::raw(reader) } else { Lines::decoded(reader) },
            options,
            chosen: None,
            crs: 1,
            signed: Signed::No,
            packed: None,
            ended: false,
            good: 0,
            bad: 0,
            by_line: false,
            unread: Vec::new(),
            omitted: OmittedObjects::default(),
            rules: Arc::default(),
            comments: 0,
        }
    }

    /// Returns the format, once the first item was requested. A manifest that is not recognized is
    /// read as GNU lines.
    pub fn format(&self) -> Option<&'static Format> {
        self.chosen.as_ref().map(|(format, _)| *format)
    }

    /// Returns whether the algorithm of an entry so far was assumed from the length of its digest, because neither the
    /// manifest, its name nor the caller specifies it.
    pub fn assumes_algorithm(&self) -> bool {
        self.options.assumed.load(Ordering::Relaxed)
    }

    /// Returns the kind of signer, once the first item was requested. The signature is not
    /// verified.
    pub fn signer(&self) -> Option<Signer> {
        match self.format() {
            _ if self.signed != Signed::No => Some(Signer::OpenPgp),
            Some(format) if *format == signature::SIGNIFY => Some(Signer::Signify),
            _ => None,
        }
    }

    /// Returns the names in [`Entry::unread`] of all entries so far, each with its number of
    /// entries.
    pub fn all_unread(&self) -> &[(String, u64)] {
        &self.unread
    }

    /// Returns the objects so far that are not regular files and have no digests, by kind. They are
    /// not among the entries. Directories are known only at the end.
    pub fn omitted(&self) -> &[Omitted] {
        self.omitted.all()
    }

    /// Returns the rules so far, which may be on any line.
    pub fn rules(&self) -> Rules {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the number of comments so far that are not rules, in a format in which users write
    /// comments.
    pub fn comments(&self) -> u64 {
        self.comments
    }

    fn unread(&mut self, name: &str) {
        match self.unread.iter().position(|(known, _)| known == name) {
            Some(at) => self.unread[at].1 += 1,
            None if self.unread.len() < UNREAD => self.unread.push((name.to_owned(), 1)),
            None if self.unread.len() == UNREAD => self.unread.push((OTHERS.to_owned(), 1)),
            None => self.unread[UNREAD].1 += 1,
        }
    }

    /// Returns whether the bytes had to be decoded, once the first item was requested.
    pub(crate) fn is_decoded(&self) -> bool {
        self.lines.is_decoded()
    }

    /// Returns the range in the input of the line that contains the last entry, including its line
    /// end. Returns `None` if no single line contains it, or if the text had to be decoded.
    pub(crate) fn span(&self) -> Option<Range<u64>> {
        if self.by_line { self.lines.span() } else { None }
    }

    fn choose(&mut self) -> io::Result<(&'static Format, Source)> {
        let file_name = self.options.file_name.as_deref();
        self.lines.peek()?;
        let complete = self.lines.at_end();
        let text = self.lines.peek()?;
        // Only lines of text can have a signature around them.
        let inside = if table::terminator(text) == 0 { text } else { Signed::inside(text) };
        let head = Head { text: inside, complete };
        if let (Some(outer), None) = (self.packed, self.options.format)
            && is_binary(text)
            && table::detect(head, None).is_none_or(|row| row.terminator() == Some(b'\n'))
        {
            let what = format!("not a manifest (binary data compressed with {})", outer.name);
            let error = LineError { at: Place::Byte(0), reason: Reason::Message(what) };
            return Ok((outer, Source::of(error)));
        }
        let row = self.options.format.unwrap_or_else(|| table::choose(head, file_name));
        self.options.in_base32 =
            row.terminator().is_some_and(|terminator| head.lines(terminator).any(is_line_in_base32));
        self.options.assumed.store(false, Ordering::Relaxed);
        let end = text.iter().rposition(|&byte| byte == b'\n');
        let is_doubled = end
            .is_some_and(|end| text[..end].split(|&byte| byte == b'\n').all(|line| line.ends_with(b"\r\r")))
            && is_text(text);
        if row.capabilities.set && !self.options.allow_set {
            return Err(io::Error::new(io::ErrorKind::InvalidData, SET));
        }
        let source = match row.reading {
            Reading::Lines { terminator, parser } => {
                if terminator == b'\n' {
                    self.signed = Signed::sniff(text);
                }
                self.lines.set_terminator(terminator);
                self.crs = usize::from(terminator == b'\n') + usize::from(terminator == b'\n' && is_doubled);
                Source::Lines(parser(&self.options), SyntaxReader::new(row.syntax))
            }
            Reading::Document { limit, parse } => {
                let Some(text) = self.lines.rest(limit)? else {
                    return Ok((row, Source::of(too_long(limit))));
                };
                let text = if is_doubled { without_doubled_cr(&text) } else { text };
                if let Some(rules) = row.rules {
                    *self.rules.lock().unwrap_or_else(PoisonError::into_inner) = rules(&text).into();
                }
                let foreign = foreign_lines(&text, SyntaxReader::new(row.syntax));
                let found = parse(text, &self.options);
                found.map_or_else(Source::of, |parts| Source::Parts(with_foreign_lines(parts, foreign)))
            }
            Reading::Packed { limit, unpack } => {
                // A file that is packed twice is not a manifest, and its content might never end.
                if let Some(outer) = self.packed {
                    let reason = Reason::Message(format!("{} in {}: not a manifest", row.name, outer.name));
                    let error = LineError { at: Place::Byte(0), reason };
                    return Ok((row, Source::of(error)));
                }
                let Some(packed) = self.lines.rest(limit)? else {
                    return Ok((row, Source::of(too_long(limit))));
                };
                Source::Parts(unpacked(row, unpack(packed), self.options.unpacked(), self.rules.clone()))
            }
            Reading::Not(what) => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    what.message(self.options.file_name.as_deref()),
                ));
            }
        };
        Ok((row, source))
    }

    /// Returns whether very many lines were read and nearly all of them were bad.
    fn is_noise(&self) -> bool {
        self.bad >= BAD_LINE_LIMIT && self.bad / NOISE_RATIO > self.good && !self.options.allow_noise
    }

    /// Returns the next item that is not an object without a digest.
    fn found_file(&mut self) -> Option<Result<Line, ReadError>> {
        loop {
            match self.found() {
                Some(Err(ReadError::Line(LineError { reason: Reason::NotAFile(kind, path), .. }))) => {
                    self.omitted.add(kind, path);
                }
                None => {
                    self.omitted.end();
                    return None;
                }
                found => return found,
            }
        }
    }

    /// Returns the next item after checking it. If there are millions of bad lines, most of the
    /// time would be spent on moving results that are as large as an entry. The final error is
    /// therefore created where a bad line is found.
    fn found(&mut self) -> Option<Result<Line, ReadError>> {
        if self.chosen.is_none() {
            match self.choose() {
                Ok(chosen) => self.chosen = Some(chosen),
                Err(error) => return Some(Err(ReadError::Io(error))),
            }
        }
        let crs = self.crs;
        let (row, source) = self.chosen.as_mut()?;
        if let Source::Lines(parser, syntax) = source {
            self.by_line = true;
            loop {
                parser.at(Place::Line(self.lines.number() + 1));
                let result = match self.lines.next() {
                    Err(error) => return Some(Err(ReadError::Io(error))),
                    Ok(None) => break,
                    Ok(Some(raw)) => {
                        let context = (*row, &*self.rules, &mut self.comments);
                        read_line(raw, &mut self.signed, context, parser.as_mut(), syntax, crs)
                    }
                };
                let at = Place::Line(self.lines.number());
                match result {
                    Ok(None) => {}
                    Ok(Some(entry)) => return Some(checked(Line { at, entry }, &self.options)),
                    Err(reason) => return Some(Err(ReadError::Line(LineError { at, reason }))),
                }
            }
            self.by_line = false;
            let at = Place::Line(self.lines.number());
            let missing = self.signed.finish().err().map(|reason| Err(LineError { at, reason }));
            let last = parser.last().transpose().map(|last| Place::Line(at.number() + 1).found(last));
            *source = Source::Parts(Box::new(parser.deferred().into_iter().chain(last).chain(missing)));
        }
        let Source::Parts(rest) = source else { return None };
        match rest.next() {
            None => {
                self.ended = true;
                None
            }
            Some(Ok(line)) => Some(checked(line, &self.options)),
            Some(Err(error)) => Some(Err(ReadError::Line(error))),
        }
    }
}

/// Returns the error for a document of more than `limit` bytes.
fn too_long(limit: usize) -> LineError {
    LineError { at: Place::Byte(limit as u64), reason: Reason::DocumentTooLong(limit) }
}

/// Returns whether a text starts like a program, an archive or an image. A file of zeros does not
/// count as such: it is rejected for its size.
fn is_binary(text: &[u8]) -> bool {
    let first = &text[..text.len().min(512)];
    scan::count(first.len());
    first.first() != Some(&0) && first.contains(&0)
}

/// Returns whether a text has no control characters other than those of layout.
fn is_text(text: &[u8]) -> bool {
    scan::count(text.len());
    text.iter().all(|byte| !byte.is_ascii_control() || byte.is_ascii_whitespace())
}

/// Returns a text whose lines end with CR CR LF with CR LF instead.
fn without_doubled_cr(text: &[u8]) -> Vec<u8> {
    let is_surplus = |at: &usize| text[*at..].starts_with(b"\r\r\n");
    (0..text.len()).filter(|at| !is_surplus(at)).map(|at| text[at]).collect()
}

/// Returns the entries of content that was unpacked from the format `row`, whatever its own format
/// is.
fn unpacked(
    row: &'static Format,
    reader: Box<dyn Read + Send>,
    options: Options,
    rules: Arc<Mutex<Rules>>,
) -> Parts {
    let inner = Reader { packed: Some(row), rules, ..Reader::new(reader, options) };
    Box::new(inner.map(|item| match item {
        Ok(line) => Ok(line),
        Err(ReadError::Line(error)) => Err(error),
        Err(ReadError::Io(error)) => {
            let why = format!("compressed with {}: {error}", row.name);
            Err(LineError { at: Place::Byte(0), reason: Reason::Message(why) })
        }
    }))
}

/// A line of a document that has the form of a checksum line of another program. A document may consist of such lines, so
/// the type is small; documents are smaller than 4 GiB.
struct ForeignLine {
    number: u32,
    /// Its offsets; empty if an entry is from this line.
    span: Range<u32>,
}

/// Returns the lines of a document of text that have the form of those of another program.
fn foreign_lines(text: &[u8], mut syntax: SyntaxReader) -> Vec<ForeignLine> {
    let lines = scan::lines(if is_text(text) { text } else { b"" }).zip(1..);
    let foreign = lines.filter(|((_, line), _)| is_foreign(line, syntax.fit(line)));
    let of = |((begin, line), number): ((usize, &[u8]), _)| ForeignLine {
        number,
        span: begin as u32..(begin + line.len()) as u32,
    };
    foreign.map(of).collect()
}

/// Returns the parts of a document and, if none of them is an error, an error for each of these lines that no part is from.
fn with_foreign_lines(mut parts: Parts, mut lines: Vec<ForeignLine>) -> Parts {
    if lines.is_empty() {
        return parts;
    }
    let mut reported = 0;
    Box::new(std::iter::from_fn(move || {
        let part = parts.next();
        let found = match &part {
            Some(Ok(Line { at: Place::Byte(at), .. })) => {
                let next = lines.partition_point(|line| u64::from(line.span.start) <= *at);
                next.checked_sub(1).filter(|&last| *at < u64::from(lines[last].span.end))
            }
            Some(Ok(Line { at: Place::Line(at), .. })) => {
                lines.binary_search_by_key(at, |line| u64::from(line.number)).ok()
            }
            Some(Err(_)) => {
                lines.clear();
                None
            }
            None => {
                reported += lines[reported..].iter().position(|line| !line.span.is_empty())? + 1;
                let at = Place::Line(lines[reported - 1].number.into());
                return Some(Err(LineError { at, reason: Reason::NotALine }));
            }
        };
        if let Some(line) = found.map(|at| &mut lines[at]) {
            line.span.end = line.span.start;
        }
        part
    }))
}

/// Returns whether a line may be a rule, without locking the rules for each line.
fn is_marked(line: &[u8]) -> bool {
    matches!(line, [b'#' | b';', b' ', b't', ..])
}

/// Returns a line without the byte order mark of a manifest that was appended to another one. Before anything else than a
/// comment or a digest, the mark may be part of a name.
fn without_mark(line: &[u8]) -> &[u8] {
    let rest = line.strip_prefix("\u{feff}".as_bytes());
    rest.filter(|rest| is_comment(rest) || is_gnu_line(rest)).unwrap_or(line)
}

/// Returns the entry in a line, or `None` if it has none.
fn read_line(
    raw: RawLine<'_>,
    signed: &mut Signed,
    (row, rules, comments): (&Format, &Mutex<Rules>, &mut u64),
    parser: &mut dyn Parse,
    syntax: &mut SyntaxReader,
    crs: usize,
) -> Result<Option<Entry>, Reason> {
    let line = match raw {
        RawLine::TooLong => return Err(Reason::LineTooLong),
        RawLine::NotUtf16 => return Err(Reason::Encoding),
        RawLine::Bytes(line) => {
            let count = line.iter().rev().take(crs).take_while(|&&byte| byte == b'\r').count();
            without_mark(&line[..line.len() - count])
        }
    };
    let known = || rules.lock().unwrap_or_else(PoisonError::into_inner);
    match signed.step(line)? {
        // No format of lines allows a NUL in a name or anywhere else.
        Some(line) if scan::find_byte(line, 0).is_some() => Err(Reason::Nul),
        Some(line) if is_marked(line) && known().line(line) => Ok(None),
        // A line that the format skips belongs to no file. If it is that of another program, it was appended.
        Some(line) => {
            let fit = syntax.fit(line);
            match parser.line(line)? {
                None if is_foreign(line, fit) && !parser.has_kept_line() => Err(Reason::NotALine),
                None => {
                    // In other formats, programs write comments themselves.
                    *comments += u64::from(["gnu", "bsd"].contains(&row.name) && is_comment(line));
                    if let Some(rules) = row.rules {
                        rules(line).into_iter().for_each(|rule| known().add(rule));
                    }
                    Ok(None)
                }
                found => Ok(found),
            }
        }
        None => Ok(None),
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Line, ReadError>;

    /// Returns the next entry or bad line. Returns `None` at the end and after [`ReadError::Io`].
    fn next(&mut self) -> Option<Result<Line, ReadError>> {
        if self.ended {
            return None;
        }
        let next = match self.is_noise() {
            true => {
                let why = format!(
                    "{} of the first {} lines could be read as entries, so the remaining lines were not read",
                    self.good,
                    self.good + self.bad
                );
                Some(Err(ReadError::Io(io::Error::new(io::ErrorKind::InvalidData, why))))
            }
            false => self.found_file(),
        };
        match &next {
            Some(Ok(line)) => {
                self.good += 1;
                self.omitted.below(&line.entry.path);
                line.entry.unread.iter().for_each(|name| self.unread(name));
            }
            Some(Err(ReadError::Line(_))) => self.bad += 1,
            Some(Err(ReadError::Io(_))) => self.ended = true,
            None => {}
        }
        next
    }
}

#[cfg(test)]
mod tests;
