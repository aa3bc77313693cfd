//! Reads a manifest of any line-based format: bytes in, entries out, one after the other, in bounded memory.
//!
//! A read error is never taken for the end, and a bad line never ends the reading.

use crate::format::{Format, Options, Parse};
use crate::line::{Line, LineError, ReadError, Reason};
use crate::lines::{Lines, RawLine};
use crate::path::NAME_LIMIT;
use crate::signed::Signed;
use crate::table;
use std::io::Read;

/// Reads a manifest line by line.
pub struct Reader<R> {
    lines: Lines<R>,
    options: Options,
    /// Chosen when the beginning has been seen.
    chosen: Option<(&'static Format, Box<dyn Parse + Send>)>,
    signed: Signed,
    ended: bool,
}

impl<R: Read> Reader<R> {
    /// A reader that recognises encoding, format and wrapping by itself. Nothing is read yet.
    pub fn new(reader: R, options: Options) -> Reader<R> {
        Reader { lines: Lines::decoded(reader), options, chosen: None, signed: Signed::No, ended: false }
    }

    /// The format, once the first line was asked for. A manifest that looks like none is read as GNU lines.
    pub fn format(&self) -> Option<&'static Format> {
        self.chosen.as_ref().map(|(format, _)| *format)
    }

    fn choose(&mut self) -> std::io::Result<()> {
        let head = self.lines.peek()?;
        let file_name = self.options.file_name.as_deref();
        let row = self.options.format.unwrap_or_else(|| table::choose(head, file_name));
        if row.terminator == b'\n' {
            self.signed = Signed::sniff(head);
        }
        self.lines.set_terminator(row.terminator);
        self.chosen = Some((row, (row.parse)(&self.options)));
        Ok(())
    }

    /// The next line that says something.
    fn line(&mut self) -> Result<Option<Line>, ReadError> {
        if self.chosen.is_none() {
            self.choose().map_err(ReadError::Io)?;
        }
        loop {
            let raw = self.lines.next().map_err(ReadError::Io)?;
            let result = match raw {
                None => {
                    self.ended = true;
                    let cut = std::mem::replace(&mut self.signed, Signed::No).finish();
                    let line = self.lines.number();
                    return cut.map(|()| None).map_err(|reason| ReadError::Line(LineError { line, reason }));
                }
                Some(RawLine::TooLong) => Err(Reason::LineTooLong),
                Some(RawLine::NotUtf16) => Err(Reason::Encoding),
                Some(RawLine::Bytes(line)) => {
                    let Some((row, parser)) = &mut self.chosen else { return Ok(None) };
                    let line = match line {
                        [line @ .., b'\r'] if row.terminator == b'\n' => line,
                        line => line,
                    };
                    match self.signed.step(line) {
                        Ok(Some(line)) => parser.line(line),
                        Ok(None) => Ok(None),
                        Err(reason) => Err(reason),
                    }
                }
            };
            let number = self.lines.number();
            let entry = match result {
                Ok(None) => continue,
                Ok(Some(entry)) if entry.path.is_empty() => Err(Reason::EmptyName),
                Ok(Some(entry)) if entry.path.contains(&0) => Err(Reason::Nul),
                Ok(Some(entry)) if entry.path.len() > NAME_LIMIT => Err(Reason::NameTooLong),
                Ok(Some(entry)) => Ok(entry),
                Err(reason) => Err(reason),
            };
            return match entry {
                Ok(entry) => Ok(Some(Line { number, entry })),
                Err(reason) => Err(ReadError::Line(LineError { line: number, reason })),
            };
        }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Line, ReadError>;

    /// The next entry or bad line. After [`ReadError::Io`], and after the end, `None`.
    fn next(&mut self) -> Option<Result<Line, ReadError>> {
        if self.ended {
            return None;
        }
        let next = self.line().transpose();
        self.ended |= matches!(next, Some(Err(ReadError::Io(_))));
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
    fn a_line_of_8_mib_is_one_bad_line() {
        let text = format!("{MD5}  {}\n{MD5}  beta\n", "n".repeat(8 << 20));
        let mut reader = Reader::new(text.as_bytes(), Options::default());
        assert_eq!(reader.next().unwrap().unwrap_err().to_string(), "line 1: line too long");
        assert_eq!(reader.next().unwrap().unwrap().entry.path, b"beta");
        assert!(reader.next().is_none());
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
}
