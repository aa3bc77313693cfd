//! Reads a manifest of any format: bytes in, entries out, one after the other, in bounded memory.
//!
//! A read error is never taken for the end, and a bad line never ends the reading; a million of them that are nearly all there is
//! do, as an error of the whole: such a file is no manifest, and could be made to cost seconds. A document is read whole before its
//! first entry is given, because its end says whether it is one.

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

/// Reads a manifest.
pub struct Reader<R> {
    lines: Lines<R>,
    options: Options,
    /// Chosen when the beginning has been seen.
    chosen: Option<(&'static Format, Source)>,
    signed: Signed,
    /// What it was packed as, if it was.
    packed: Option<&'static Format>,
    ended: bool,
    /// Entries and bad lines so far.
    good: u64,
    bad: u64,
    /// Whether what was found last is what the last line says, and not what was held back.
    by_line: bool,
    unread: Vec<(String, u64)>,
}

/// Which program signed a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signer {
    /// One of OpenPGP, clear-signing.
    OpenPgp,
    /// signify, with the message in the same file.
    Signify,
    /// One of Android packages, in the package itself.
    Package,
}

/// Why a set of known digests is not read.
const SET: &str = "this is a set of known digests, not a manifest of files, so there is nothing to verify: \
    to find the files that are in it: truesum audit --known SET FOLDER";

/// So many bad lines are read before it is asked whether anything else is there.
const MANY: u64 = 1 << 20;
/// So many of them to each entry are noise.
const NOISE: u64 = 16;

/// Most names remembered of algorithms that there are not.
const UNREAD: usize = 16;
/// What stands for all others.
const OTHERS: &str = "others";

/// Where entries come from.
enum Source {
    Lines(Box<dyn Parse + Send>),
    Parts(Parts),
}

impl<R: Read> Reader<R> {
    /// A reader that recognises encoding, format and wrapping by itself. Nothing is read yet.
    pub fn new(reader: R, options: Options) -> Reader<R> {
        Reader {
            lines: if table::is_raw(&options) { Lines::raw(reader) } else { Lines::decoded(reader) },
            options,
            chosen: None,
            signed: Signed::No,
            packed: None,
            ended: false,
            good: 0,
            bad: 0,
            by_line: false,
            unread: Vec::new(),
        }
    }

    /// The format, once the first line was asked for. A manifest that looks like none is read as GNU lines.
    pub fn format(&self) -> Option<&'static Format> {
        self.chosen.as_ref().map(|(format, _)| *format)
    }

    /// Who signed it, once the first line was asked for. The signature was not verified.
    pub fn signer(&self) -> Option<Signer> {
        match self.format() {
            _ if self.signed != Signed::No => Some(Signer::OpenPgp),
            Some(format) if *format == signature::SIGNIFY => Some(Signer::Signify),
            _ => None,
        }
    }

    /// What was listed of entries so far beside what their digests are: the [`Entry::unread`] names, and of how many entries.
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

    /// Whether its bytes had to be decoded, once the first line was asked for.
    pub(crate) fn is_decoded(&self) -> bool {
        self.lines.is_decoded()
    }

    /// Where in the input the line stands, its end included, that the entry found last is said by; `None` where no line alone
    /// says it, or where the text had to be decoded.
    pub(crate) fn span(&self) -> Option<Range<u64>> {
        if self.by_line { self.lines.span() } else { None }
    }

    fn choose(&mut self) -> io::Result<(&'static Format, Source)> {
        let file_name = self.options.file_name.as_deref();
        self.lines.peek()?;
        let complete = self.lines.at_end();
        let text = self.lines.peek()?;
        // Only lines of text are ever wrapped.
        let inside = if table::terminator(text) == 0 { text } else { Signed::inside(text) };
        let head = Head { text: inside, complete };
        if let (Some(outer), None) = (self.packed, self.options.format)
            && is_binary(text)
            && table::detect(head, None).is_none_or(|row| row.terminator() == Some(b'\n'))
        {
            let what = format!("the data compressed with {} is binary, not a manifest", outer.name);
            let error = LineError { at: Place::Byte(0), reason: Reason::Said(what) };
            return Ok((outer, Source::Parts(Box::new(std::iter::once(Err(error))))));
        }
        let row = self.options.format.unwrap_or_else(|| table::choose(head, file_name));
        if row.holds.set && !self.options.allow_set {
            return Err(io::Error::new(io::ErrorKind::InvalidData, SET));
        }
        let source = match row.reading {
            Reading::Lines { terminator, parser } => {
                if terminator == b'\n' {
                    self.signed = Signed::sniff(text);
                }
                self.lines.set_terminator(terminator);
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
                // What is packed twice is no manifest, and might be without an end.
                if let Some(outer) = self.packed {
                    let reason = Reason::Said(format!("{} in {}: not a manifest", row.name, outer.name));
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

    /// Whether nearly all of very many lines were bad.
    fn is_noise(&self) -> bool {
        self.bad >= MANY && self.bad / NOISE > self.good && !self.options.allow_noise
    }

    /// What stands next, checked. Of millions of bad lines most time would go by in moving results that are as large as an entry:
    /// so a bad line is made what is handed out where it is found.
    fn found(&mut self) -> Option<Result<Line, ReadError>> {
        if self.chosen.is_none() {
            match self.choose() {
                Ok(chosen) => self.chosen = Some(chosen),
                Err(error) => return Some(Err(ReadError::Io(error))),
            }
        }
        let (row, source) = self.chosen.as_mut()?;
        if let Source::Lines(parser) = source {
            let cr = row.terminator() == Some(b'\n');
            self.by_line = true;
            loop {
                parser.at(Place::Line(self.lines.number() + 1));
                let result = match self.lines.next() {
                    Err(error) => return Some(Err(ReadError::Io(error))),
                    Ok(None) => break,
                    Ok(Some(raw)) => read_line(raw, &mut self.signed, parser.as_mut(), cr),
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

/// Whether a beginning is that of a program, an archive or an image, and of no text. Nothing but zeros is refused for its size.
fn is_binary(text: &[u8]) -> bool {
    let first = &text[..text.len().min(512)];
    scan::count(first.len());
    first.first() != Some(&0) && first.contains(&0)
}

/// A line that may be an entry of any format, with the key that its digests need.
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

/// The entries of what was packed as `row`, in whatever format that is.
fn unpacked(row: &'static Format, reader: Box<dyn Read + Send>, options: Options) -> Parts {
    let inner = Reader { packed: Some(row), ..Reader::new(reader, options) };
    Box::new(inner.map(|item| match item {
        Ok(line) => Ok(line),
        Err(ReadError::Line(error)) => Err(error),
        Err(ReadError::Io(error)) => {
            let why = format!("compressed with {}: {error}", row.name);
            Err(LineError { at: Place::Byte(0), reason: Reason::Said(why) })
        }
    }))
}

/// What a line says.
fn read_line(
    raw: RawLine<'_>,
    signed: &mut Signed,
    parser: &mut dyn Parse,
    drop_cr: bool,
) -> Result<Option<Entry>, Reason> {
    let line = match raw {
        RawLine::TooLong => return Err(Reason::LineTooLong),
        RawLine::NotUtf16 => return Err(Reason::Encoding),
        RawLine::Bytes([line @ .., b'\r']) if drop_cr => line,
        RawLine::Bytes(line) => line,
    };
    match signed.step(line)? {
        // In no format of lines does a name or anything else have one.
        Some(line) if scan::find(line, |byte| byte == 0).is_some() => Err(Reason::Nul),
        Some(line) => parser.line(line),
        None => Ok(None),
    }
}

/// What no entry of any format may be.
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
    } else if let Some(spec) = unasked(entry, options) {
        Some(Reason::NotAsked(spec))
    } else if entry.digests.is_empty() && entry.pieces.is_empty() && !options.allow_undigested {
        Some(Reason::EmptyDigest)
    } else {
        None
    }
}

/// The algorithm of an entry's pieces, where they are all that it has and others were asked for.
fn unasked(entry: &Entry, options: &Options) -> Option<Spec> {
    let asked = |list: &PieceList| options.asked.contains(list.spec());
    let alone = !options.asked.is_empty() && entry.digests.is_empty() && !entry.pieces.iter().any(asked);
    entry.pieces.first().filter(|_| alone).map(|list| list.spec().clone())
}

/// Brings the file's name to digests that it is part of.
fn under_name(entry: &mut Entry) -> Result<(), Reason> {
    let name = entry.path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    for (spec, _) in entry.digests.iter_mut().filter(|(spec, _)| spec.lacks_name()) {
        *spec = Spec::info_hash(name, None).map_err(Reason::Algorithm)?;
    }
    Ok(())
}

/// Brings the key to digests that need one.
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

    /// The next entry or bad line. After [`ReadError::Io`], and after the end, `None`.
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
            // What counts is the name, not its spelling.
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
            let (mut good, mut bad, mut told) = (0, 0, None);
            for item in Reader::new(text, options(allow_noise)) {
                match item {
                    Ok(_) => good += 1,
                    Err(ReadError::Line(_)) => bad += 1,
                    Err(ReadError::Io(error)) => told = Some(error.to_string()),
                }
            }
            (good, bad, told)
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

    /// Beginnings and pieces that, repeated, have made parsers quadratic.
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

    /// Takes minutes without optimisation: `tests/run` asks for it with.
    #[test]
    #[ignore = "64 MiB of each; cargo test --release -p truesum-manifest --lib -- --ignored"]
    fn work_stays_in_proportion_to_64_mib_of_anything() {
        const SIZE: usize = 64 << 20;
        // Nanoseconds that this thread had a processor: others are at work beside.
        let on_cpu = || {
            let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
            told.split(' ').next().and_then(|time| time.parse::<u64>().ok()).unwrap_or(0) / 1_000_000
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
