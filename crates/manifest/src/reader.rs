//! Reads manifests of any format: turns bytes into entries, one after the other, in bounded memory.
//!
//! A read error is never treated as the end of a manifest, and a bad line does not end the reading.
//! A million bad lines with hardly any entries among them do, with an error for the complete file:
//! it is not a manifest, and could be made to take seconds. A document is read completely before
//! its first entry is returned, because only its end shows whether it is valid.

use crate::entry::{Entry, PieceList, SIZE_LIMIT};
use crate::format::{Format, Head, Options, Parse, Parts, Reading};
use crate::formats::signature;
use crate::line::{Line, LineError, Place, ReadError, Reason};
use crate::lines::{Lines, RawLine};
use crate::path::NAME_LIMIT;
use crate::scan;
use crate::signed::Signed;
use crate::table;
use std::io::{self, Read};
use std::ops::Range;
use truesum_hash::{Key, Spec};

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
const SET: &str = "this is a set of known digests, not a manifest of files, so there is nothing to verify: \
    to find the files that are in it: truesum audit --known SET FOLDER";

/// Number of bad lines that are read before their share is checked.
const MANY: u64 = 1 << 20;
/// Number of bad lines per entry above which they are noise.
const NOISE: u64 = 16;

/// Maximum number of unsupported algorithms that are counted by name.
const UNREAD: usize = 16;
/// The name that stands for all further algorithms.
const OTHERS: &str = "others";

/// The source of entries.
enum Source {
    Lines(Box<dyn Parse + Send>),
    Parts(Parts),
}

impl<R: Read> Reader<R> {
    /// Creates a reader that recognises the encoding, the format and a signature around the text.
    /// Nothing is read yet.
    pub fn new(reader: R, options: Options) -> Reader<R> {
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
        }
    }

    /// Returns the format, once the first item was requested. A manifest that is not recognised is
    /// read as GNU lines.
    pub fn format(&self) -> Option<&'static Format> {
        self.chosen.as_ref().map(|(format, _)| *format)
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
            return Ok((outer, Source::Parts(Box::new(std::iter::once(Err(error))))));
        }
        let row = self.options.format.unwrap_or_else(|| table::choose(head, file_name));
        let end = text.iter().rposition(|&byte| byte == b'\n');
        let is_doubled = end
            .is_some_and(|end| text[..end].split(|&byte| byte == b'\n').all(|line| line.ends_with(b"\r\r")));
        if row.holds.set && !self.options.allow_set {
            return Err(io::Error::new(io::ErrorKind::InvalidData, SET));
        }
        let source = match row.reading {
            Reading::Lines { terminator, parser } => {
                if terminator == b'\n' {
                    self.signed = Signed::sniff(text);
                }
                self.lines.set_terminator(terminator);
                self.crs = usize::from(terminator == b'\n') + usize::from(terminator == b'\n' && is_doubled);
                Source::Lines(parser(&self.options))
            }
            Reading::Document { limit, parse } => {
                let found = match self.lines.rest(limit)? {
                    Some(text) => parse(text, &self.options),
                    None => Err(LineError {
                        at: Place::Byte(limit as u64),
                        reason: Reason::DocumentTooLong(limit),
                    }),
                };
                Source::Parts(found.unwrap_or_else(|error| Box::new(std::iter::once(Err(error)))))
            }
            Reading::Packed { limit, unpack } => {
                // A file that is packed twice is not a manifest, and its content might never end.
                if let Some(outer) = self.packed {
                    let reason = Reason::Message(format!("{} in {}: not a manifest", row.name, outer.name));
                    let error = LineError { at: Place::Byte(0), reason };
                    return Ok((row, Source::Parts(Box::new(std::iter::once(Err(error))))));
                }
                let Some(packed) = self.lines.rest(limit)? else {
                    let error =
                        LineError { at: Place::Byte(limit as u64), reason: Reason::DocumentTooLong(limit) };
                    return Ok((row, Source::Parts(Box::new(std::iter::once(Err(error))))));
                };
                Source::Parts(unpacked(row, unpack(packed), self.options.unpacked()))
            }
            Reading::Not(what) => {
                return Err(io::Error::new(io::ErrorKind::InvalidData, what(&self.options)));
            }
        };
        Ok((row, source))
    }

    /// Returns whether very many lines were read and nearly all of them were bad.
    fn is_noise(&self) -> bool {
        self.bad >= MANY && self.bad / NOISE > self.good && !self.options.allow_noise
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
        let (_, source) = self.chosen.as_mut()?;
        if let Source::Lines(parser) = source {
            self.by_line = true;
            loop {
                parser.at(Place::Line(self.lines.number() + 1));
                let result = match self.lines.next() {
                    Err(error) => return Some(Err(ReadError::Io(error))),
                    Ok(None) => break,
                    Ok(Some(raw)) => read_line(raw, &mut self.signed, parser.as_mut(), crs),
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
            *source = Source::Parts(Box::new(parser.end().into_iter().chain(missing)));
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

/// Returns whether a text starts like a program, an archive or an image. A file of zeros does not
/// count as such: it is rejected for its size.
fn is_binary(text: &[u8]) -> bool {
    let first = &text[..text.len().min(512)];
    scan::count(first.len());
    first.first() != Some(&0) && first.contains(&0)
}

/// Checks the conditions for entries of all formats, and adds the name and the key that the digests
/// need.
fn checked(line: Line, options: &Options) -> Result<Line, ReadError> {
    let Line { at, mut entry } = line;
    let fault = fault(&entry, options)
        .or_else(|| under_name(&mut entry).err())
        .or_else(|| under_key(&mut entry, options).err());
    match fault {
        Some(reason) => Err(ReadError::Line(LineError { at, reason })),
        None => Ok(Line { at, entry }),
    }
}

/// Returns the entries of content that was unpacked from the format `row`, whatever its own format
/// is.
fn unpacked(row: &'static Format, reader: Box<dyn Read + Send>, options: Options) -> Parts {
    let inner = Reader { packed: Some(row), ..Reader::new(reader, options) };
    Box::new(inner.map(|item| match item {
        Ok(line) => Ok(line),
        Err(ReadError::Line(error)) => Err(error),
        Err(ReadError::Io(error)) => {
            let why = format!("compressed with {}: {error}", row.name);
            Err(LineError { at: Place::Byte(0), reason: Reason::Message(why) })
        }
    }))
}

/// Returns the entry in a line, or `None` if it has none.
fn read_line(
    raw: RawLine<'_>,
    signed: &mut Signed,
    parser: &mut dyn Parse,
    crs: usize,
) -> Result<Option<Entry>, Reason> {
    let line = match raw {
        RawLine::TooLong => return Err(Reason::LineTooLong),
        RawLine::NotUtf16 => return Err(Reason::Encoding),
        RawLine::Bytes(line) => {
            let count = line.iter().rev().take(crs).take_while(|&&byte| byte == b'\r').count();
            &line[..line.len() - count]
        }
    };
    match signed.step(line)? {
        // No format of lines allows a NUL in a name or anywhere else.
        Some(line) if scan::find(line, |byte| byte == 0).is_some() => Err(Reason::Nul),
        Some(line) => parser.line(line),
        None => Ok(None),
    }
}

/// Returns the reason why an entry is not acceptable in any format, or not with these options.
fn fault(entry: &Entry, options: &Options) -> Option<Reason> {
    if entry.path.is_empty() {
        Some(Reason::EmptyName)
    } else if entry.path.contains(&0) {
        Some(Reason::Nul)
    } else if entry.path.len() > NAME_LIMIT {
        Some(Reason::NameTooLong)
    } else if entry.size.is_some_and(|size| size > SIZE_LIMIT) {
        Some(Reason::Size)
    } else if !entry.pieces.is_empty() && !options.allow_pieces {
        Some(Reason::Pieces)
    } else if let Some(spec) = unrequested(entry, options) {
        Some(Reason::NotRequested(spec))
    } else if entry.digests.is_empty() && entry.pieces.is_empty() && !options.allow_undigested {
        Some(Reason::EmptyDigest)
    } else {
        None
    }
}

/// Returns the algorithm of an entry's pieces if the entry has nothing else and other algorithms
/// were requested.
fn unrequested(entry: &Entry, options: &Options) -> Option<Spec> {
    let requested = |list: &PieceList| options.requested.contains(list.spec());
    let alone =
        !options.requested.is_empty() && entry.digests.is_empty() && !entry.pieces.iter().any(requested);
    entry.pieces.first().filter(|_| alone).map(|list| list.spec().clone())
}

/// Adds the file's name to digests that depend on it.
fn under_name(entry: &mut Entry) -> Result<(), Reason> {
    let name = entry.path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    for (spec, _) in entry.digests.iter_mut().filter(|(spec, _)| spec.lacks_name()) {
        *spec = Spec::info_hash(name, None).map_err(Reason::Algorithm)?;
    }
    Ok(())
}

/// Adds the key to digests that need one.
fn under_key(entry: &mut Entry, options: &Options) -> Result<(), Reason> {
    for (spec, _) in entry.digests.iter_mut().filter(|(spec, _)| spec.lacks_key()) {
        *spec = match &options.key {
            Some(key) => spec.clone().with_key(Key::Secret(key.clone())).map_err(Reason::Algorithm)?,
            None if options.allow_keyless => continue,
            None => return Err(Reason::Key(spec.clone())),
        };
    }
    Ok(())
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
                let lines = format!("{} lines are not entries and only {} are", self.bad, self.good);
                Some(Err(ReadError::Io(io::Error::new(
                    io::ErrorKind::InvalidData,
                    lines + ", so the rest was not read",
                ))))
            }
            false => self.found(),
        };
        match &next {
            Some(Ok(line)) => {
                self.good += 1;
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
mod tests {
    use super::*;
    use crate::scan;

    const MD5: &str = "9dd4e461268c8034f5c8564e155c67a6";

    fn count(text: &[u8]) -> (usize, usize) {
        let (mut good, mut bad) = (0, 0);
        for item in Reader::new(text, Options::default()) {
            match item {
                Ok(_) => good += 1,
                Err(_) => bad += 1,
            }
        }
        (good, bad)
    }

    #[test]
    fn names_up_to_the_limit_are_read() {
        for (len, outcome) in [(NAME_LIMIT, (1, 0)), (NAME_LIMIT + 1, (0, 1))] {
            assert_eq!(count(format!("{MD5}  {}\n", "n".repeat(len)).as_bytes()), outcome);
            // The limit applies to the name, not to its escaped form.
            assert_eq!(count(format!("\\{MD5}  {}\n", "\\\\".repeat(len)).as_bytes()), outcome);
            assert_eq!(count(format!("MD5 ({}) = {MD5}\n", "n".repeat(len)).as_bytes()), outcome);
        }
    }

    #[test]
    fn a_document_ends_when_it_is_asked_to() {
        for text in [
            format!("{{\"files\":[{{\"path\":\"a\",\"md5\":\"{MD5}\"}}]}}"),
            format!("path,md5\na,{MD5}\n"),
            format!(
                "<dfxml><fileobject><filename>a</filename><hashdigest type='md5'>{MD5}</hashdigest></fileobject></dfxml>"
            ),
        ] {
            for stop in [false, true] {
                let options = Options { stop: Some(std::sync::Arc::new(stop.into())), ..Options::default() };
                let items: Vec<_> = Reader::new(text.as_bytes(), options).collect();
                assert_eq!(items.len(), 1, "{text}");
                assert_eq!(items[0].is_err(), stop, "{text}: {items:?}");
            }
        }
    }

    #[test]
    fn a_line_of_8_mib_is_one_bad_line() {
        let text = format!("{MD5}  {}\n{MD5}  beta\n", "n".repeat(8 << 20));
        let mut reader = Reader::new(text.as_bytes(), Options::default());
        assert_eq!(reader.next().unwrap().unwrap_err().to_string(), "line 1: line too long");
        assert_eq!(reader.next().unwrap().unwrap().entry.path, b"beta");
        assert!(reader.next().is_none());
    }

    #[test]
    fn a_million_bad_lines_are_no_manifest() {
        const ENTRY: &[u8] = b"900150983cd24fb0d6963f7d28e17f72  a\n";
        let options = |allow_noise| Options { allow_noise, ..Options::for_name(b"M") };
        let outcome = |text: &[u8], allow_noise| {
            let (mut good, mut bad, mut failure) = (0, 0, None);
            for item in Reader::new(text, options(allow_noise)) {
                match item {
                    Ok(_) => good += 1,
                    Err(ReadError::Line(_)) => bad += 1,
                    Err(ReadError::Io(error)) => failure = Some(error.to_string()),
                }
            }
            (good, bad, failure)
        };
        let noise = [&b"x\n".repeat(MANY as usize + 5)[..], ENTRY].concat();
        let why = format!("{MANY} lines are not entries and only 0 are, so the rest was not read");
        assert_eq!(outcome(&noise, false), (0, MANY, Some(why)));
        assert_eq!(outcome(&noise, true), (1, MANY + 5, None));
        assert_eq!(outcome(&noise[12..], false), (1, MANY - 1, None), "one less");
        let both = [ENTRY, &b"x\n".repeat(8)].concat().repeat(MANY as usize / 4);
        assert_eq!(
            outcome(&both, false),
            (MANY / 4, MANY * 2, None),
            "a list with as much between its lines"
        );
    }

    #[test]
    fn a_read_error_ends_the_reading_and_is_told_once() {
        let text = format!("{MD5}  a\n{MD5}  b");
        let failing = text.as_bytes().chain(Broken);
        let items: Vec<_> = Reader::new(failing, Options::default()).collect();
        assert!(matches!(items.last(), Some(Err(ReadError::Io(_)))), "{items:?}");
        assert!(!items.iter().flatten().any(|line| line.entry.path == b"b"), "a begun line is not a line");
    }

    struct Broken;

    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("disk"))
        }
    }

    /// Beginnings, and fragments that made parsers take quadratic time when repeated.
    const PIECES: &[(&str, &str)] = &[
        ("", "a"),
        ("", " "),
        ("", "\n"),
        ("", "\r"),
        ("", "("),
        ("MD5 (", ")"),
        ("MD5 (", ") = "),
        ("MD5 (a) =", " "),
        ("\\9dd4e461268c8034f5c8564e155c67a6  ", "\\\\"),
        ("9dd4e461268c8034f5c8564e155c67a6", " "),
        ("", "0"),
        ("", "="),
        ("", "#\n"),
        ("#", "0"),
        ("", "9dd4e461268c8034f5c8564e155c67a6  a\n"),
        ("", "MD5 (a) = 9dd4e461268c8034f5c8564e155c67a6\n"),
        ("9dd4e461268c8034f5c8564e155c67a6  a\0", "9dd4e461268c8034f5c8564e155c67a6  a\0"),
        ("9dd4e461268c8034f5c8564e155c67a6  a\0", "\0"),
        ("", "-----BEGIN PGP SIGNED MESSAGE-----\n"),
        ("-----BEGIN PGP SIGNED MESSAGE-----\n\n", "- -"),
        ("{\"a", "\\\""),
        ("{\"a\":", "["),
        ("{\"schema\":\"truesum-entry/1\",\"digests\":{", "\"md5\":\"\","),
        ("\u{feff}", "a\n"),
        ("", "a 9dd4e461\n"),
        ("a 9dd4e461\n", " 9dd4e461"),
        ("; Generated by x\na 9dd4e461\n", ";"),
        ("%%%% HASHDEEP-1.0\n", "%%%% size,"),
        ("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n", "1,"),
        ("%%%% HASHDEEP-1.0\n%%%% filename\na", " offset 0-1"),
        ("MD5 (a) = 9dd4e461268c8034f5c8564e155c67a6\n", "SIZE (a) = 1\n"),
        ("MD5Sum:\n", " 9dd4e461268c8034f5c8564e155c67a6 1 a\n"),
        ("#mtree\n", "a type=dir\n"),
        ("#mtree\n", "..\n"),
        ("#mtree\n", "a\\\n"),
        ("#mtree\n", "a #=9dd4e461268c8034f5c8564e155c67a6\n"),
        ("#mtree\n#a", "="),
        ("#mtree\n", "#mtree\n"),
        ("", "a.flac:9dd4e461268c8034f5c8564e155c67a6\n"),
        ("{\"files\":[{", "\"skein\":\"9dd4e461268c8034f5c8564e155c67a6\","),
        (
            "{\"algorithm\":\"md5\",\"files\":[",
            "{\"path\":\"a\",\"hash\":\"9dd4e461268c8034f5c8564e155c67a6\"},",
        ),
        ("path,md5,skein\n", "a,,9dd4e461268c8034f5c8564e155c67a6\n"),
        ("", "CertUtil: FAILED: 0\n"),
        ("", "a: 9DD4 E461 268C 8034 F5C8 564E 155C 67A6\n"),
        ("a: 9DD4 E461 268C 8034 F5C8 564E 155C 67A6\n", "   9DD4\n"),
        ("", "a,1,\n"),
        ("", "\"\","),
        ("magnet:?", "xt=urn:md5:0&"),
        ("Manifest-Version: 1\n", " a\n"),
        ("pkgname=a\nmd5sums=(", "a "),
        ("SRC_URI[md5sum] = \"0\"\n", "SRC_URI[md5sum] = \"0\"\n"),
        ("", "a  9dd4e461268c8034f5c8564e155c67a6  9dd4e461\n"),
        ("a", " 9dd4e461268c8034f5c8564e155c67a6"),
        ("d4:infod", "1:a"),
        ("d4:infod1:a", "l"),
        ("d4:infod5:filesl", "d6:lengthi0e4:pathl1:aee"),
        ("d4:infod5:filesld4:pathl", "1:a"),
        ("{\n\"a\":", "[1,"),
        ("{\n", "\"a\":\"b\","),
        ("[{\"a\":1},", "{\"name\":\"x\",\"md5\":\"9dd4e461268c8034f5c8564e155c67a6\"},"),
        ("<dfxml>", "<a>"),
        ("<dfxml>", "<fileobject><filename>a</filename></fileobject>"),
        ("<dfxml ", "a='b' "),
        ("<dfxml><fileobject><filename>", "&amp;"),
        ("", "<?a"),
        ("path,md5\n", "a,9dd4e461268c8034f5c8564e155c67a6\n"),
        ("path,md5\n", "\"\""),
        ("path,md5\n\"", "\"\""),
        ("path,md5", ",a"),
        ("version: 1\nfiles:\n", "  - url: a\n    sha512: b\n"),
        ("version: 1\npath: >-\n", "  a\n"),
        ("zsync: 1\n", "Filename: a\n"),
        ("PAR2\0PKT", "PAR2\0PKT"),
        ("PAR2\0PKT", "P"),
        ("PAR2\0PKT", "PAR2\0PKTL\0\0\0\0\0\0\0"),
    ];

    #[test]
    fn work_grows_with_the_input_and_no_faster() {
        for (begin, piece) in PIECES {
            let work = |size: usize| {
                let mut text = begin.as_bytes().to_vec();
                text.extend(piece.as_bytes().iter().cycle().take(size));
                scan::work(|| {
                    count(&text);
                })
            };
            let (small, large) = (work(512 << 10), work(1 << 20));
            assert!(large <= small * 5 / 2, "{begin:?} {piece:?}: {small} then {large}");
            assert!(large <= 24 << 20, "{begin:?} {piece:?}: {large} for 1 MiB");
        }
    }

    /// Takes minutes without optimisation; `tests/run` runs it with optimisation.
    #[test]
    #[ignore = "64 MiB of each; cargo test --release -p truesum-manifest --lib -- --ignored"]
    fn work_stays_in_proportion_to_64_mib_of_anything() {
        const SIZE: usize = 64 << 20;
        // Milliseconds of CPU time of this thread, because other threads run at the same time.
        let on_cpu = || {
            let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
            stat.split(' ').next().and_then(|time| time.parse::<u64>().ok()).unwrap_or(0) / 1_000_000
        };
        let mut times = Vec::new();
        for (begin, piece) in PIECES {
            let mut text = begin.as_bytes().to_vec();
            text.extend(piece.as_bytes().iter().cycle().take(SIZE));
            let began = on_cpu();
            let work = scan::work(|| {
                count(&text);
            });
            times.push((on_cpu() - began, begin, piece));
            assert!(work <= 24 * SIZE as u64, "{begin:?} {piece:?}: {work}");
        }
        times.sort();
        times.iter().rev().for_each(|(time, begin, piece)| println!("{time:5} ms {begin:?} {piece:?}"));
    }
}
