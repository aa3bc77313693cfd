//! Splits bytes into lines: encodings, terminators and the limit on the length of a line.
//!
//! Memory use is bounded by [`LINE_LIMIT`] and one buffer for any input. No byte is searched twice
//! for a terminator.

use crate::scan;
use std::io::{self, Read};
use std::ops::Range;

/// Maximum length of a line in bytes, without its terminator.
pub const LINE_LIMIT: usize = 1 << 20;

/// Number of bytes requested from the reader at a time, and examined to recognize a manifest.
pub(crate) const CHUNK: usize = 64 << 10;

/// A byte that does not occur in valid UTF-8. It marks invalid UTF-16 in decoded text.
const INVALID: u8 = 0xff;

/// The encoding of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    /// Not determined yet.
    Unknown,
    /// Bytes that are not decoded.
    Bytes,
    /// UTF-16 with this byte order, decoded to UTF-8.
    Utf16(Endian),
}

/// The order of the two bytes in a code unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Endian {
    Little,
    Big,
}

/// An incomplete character at the end of a chunk of UTF-16: an odd byte, or the first code unit of
/// a surrogate pair.
#[derive(Debug, Default)]
struct PartialCharacter {
    odd: Option<u8>,
    high: Option<u16>,
}

/// A line of the input, without its terminator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawLine<'a> {
    /// The bytes of the line.
    Bytes(&'a [u8]),
    /// The line has more than [`LINE_LIMIT`] bytes.
    TooLong,
    /// The line is not valid UTF-16, although the input starts as UTF-16.
    NotUtf16,
}

/// The lines of an input.
pub struct Lines<R> {
    reader: R,
    encoding: Encoding,
    /// Decoded text: `start..` has not been returned yet, and `start..scanned` has no terminator.
    text: Vec<u8>,
    start: usize,
    scanned: usize,
    /// The chunk that was read last.
    chunk: Vec<u8>,
    half: PartialCharacter,
    terminator: u8,
    number: u64,
    at_end: bool,
    /// The offset of `text` in the input.
    base: u64,
    /// The range of the last line in the input, including its terminator.
    span: Range<u64>,
}

impl<R: Read> Lines<R> {
    /// Creates a reader of lines that end with LF. A byte order mark selects the encoding and is
    /// dropped.
    pub fn decoded(reader: R) -> Lines<R> {
        Lines::with_encoding(reader, Encoding::Unknown)
    }

    /// Creates a reader of lines that end with LF, without decoding.
    pub fn raw(reader: R) -> Lines<R> {
        Lines::with_encoding(reader, Encoding::Bytes)
    }

    fn with_encoding(reader: R, encoding: Encoding) -> Lines<R> {
        Lines {
            reader,
            encoding,
            text: Vec::new(),
            start: 0,
            scanned: 0,
            chunk: Vec::new(),
            half: PartialCharacter::default(),
            terminator: b'\n',
            number: 0,
            at_end: false,
            base: 0,
            span: 0..0,
        }
    }

    /// Sets the byte that ends the lines from here on: LF or NUL.
    pub(crate) fn set_terminator(&mut self, terminator: u8) {
        self.terminator = terminator;
        self.scanned = self.start;
    }

    /// Returns the number of the last line returned, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the first 64 KiB that have not been returned yet, or all of them if there are fewer.
    ///
    /// # Errors
    /// Fails if the reader fails. Interrupted reads are repeated.
    pub(crate) fn peek(&mut self) -> io::Result<&[u8]> {
        while self.text.len() - self.start < CHUNK && !self.at_end {
            self.fill()?;
        }
        // The length is limited, because the amount of text in memory depends on how a pipe
        // delivers it.
        let text = &self.text[self.start..];
        Ok(&text[..text.len().min(CHUNK)])
    }

    /// Returns whether [`Lines::peek`] returned everything up to the end of the input.
    pub(crate) fn at_end(&self) -> bool {
        self.at_end && self.text.len() - self.start <= CHUNK
    }

    /// Returns everything that has not been returned yet, or `None` if it has more than `limit`
    /// bytes.
    ///
    /// # Errors
    /// Fails if the reader fails. Interrupted reads are repeated.
    pub(crate) fn rest(&mut self, limit: usize) -> io::Result<Option<Vec<u8>>> {
        while !self.at_end {
            if self.text.len() - self.start > limit {
                return Ok(None);
            }
            self.fill()?;
        }
        let mut rest = std::mem::take(&mut self.text);
        rest.drain(..std::mem::take(&mut self.start));
        self.scanned = 0;
        Ok((rest.len() <= limit).then_some(rest))
    }

    /// Returns the next line, or `None` at the end of the input.
    ///
    /// # Errors
    /// Fails if the reader fails. Interrupted reads are repeated. An incomplete line before the
    /// error is not returned.
    #[expect(clippy::should_implement_trait, reason = "lines borrow the buffer")]
    pub fn next(&mut self) -> io::Result<Option<RawLine<'_>>> {
        let mut too_long = false;
        loop {
            let found = scan::find_byte(&self.text[self.scanned..], self.terminator);
            let end = match found {
                Some(at) => self.scanned + at,
                None if self.at_end => {
                    if self.start == self.text.len() && !too_long {
                        return Ok(None);
                    }
                    self.text.len()
                }
                None => {
                    self.scanned = self.text.len();
                    if self.text.len() - self.start > LINE_LIMIT {
                        too_long = true;
                        self.start = self.text.len();
                    }
                    self.fill()?;
                    continue;
                }
            };
            let begin = self.start;
            self.start = (end + 1).min(self.text.len());
            self.scanned = self.start;
            self.number += 1;
            self.span = self.base + begin as u64..self.base + self.start as u64;
            let line = &self.text[begin..end];
            return Ok(Some(if too_long || line.len() > LINE_LIMIT {
                RawLine::TooLong
            } else if matches!(self.encoding, Encoding::Utf16(_)) && line.contains(&INVALID) {
                RawLine::NotUtf16
            } else {
                RawLine::Bytes(line)
            }));
        }
    }

    /// Returns whether the text was decoded, so that it differs from the bytes of the input.
    pub(crate) fn is_decoded(&self) -> bool {
        matches!(self.encoding, Encoding::Utf16(_))
    }

    /// Returns the range of the last line in the input, including its terminator. Returns `None` if
    /// the input was decoded or the line is too long.
    pub(crate) fn span(&self) -> Option<Range<u64>> {
        let in_place =
            self.encoding == Encoding::Bytes && self.span.end - self.span.start <= LINE_LIMIT as u64;
        in_place.then(|| self.span.clone())
    }

    /// Reads and decodes one chunk.
    fn fill(&mut self) -> io::Result<()> {
        if self.start > 0 {
            scan::count(self.text.len() - self.start);
            self.text.drain(..self.start);
            self.base += self.start as u64;
            self.scanned -= self.start;
            self.start = 0;
        }
        self.chunk.resize(CHUNK, 0);
        loop {
            let len = read(&mut self.reader, &mut self.chunk)?;
            self.at_end = len == 0;
            if let Encoding::Utf16(endian) = self.encoding {
                decode(&mut self.half, endian, &self.chunk[..len], &mut self.text);
                return Ok(());
            }
            self.text.extend_from_slice(&self.chunk[..len]);
            if self.encoding == Encoding::Bytes {
                return Ok(());
            }
            // A pipe may deliver the byte order mark in parts.
            if self.text.len() >= 3 || self.at_end {
                self.recognize();
                return Ok(());
            }
        }
    }

    /// Selects the encoding by the byte order mark.
    fn recognize(&mut self) {
        let (encoding, mark) = match self.text.as_slice() {
            [0xef, 0xbb, 0xbf, ..] => (Encoding::Bytes, 3),
            [0xff, 0xfe, ..] => (Encoding::Utf16(Endian::Little), 2),
            [0xfe, 0xff, ..] => (Encoding::Utf16(Endian::Big), 2),
            _ => (Encoding::Bytes, 0),
        };
        self.encoding = encoding;
        if let Encoding::Utf16(endian) = encoding {
            let bytes = std::mem::take(&mut self.text);
            decode(&mut self.half, endian, &bytes[mark..], &mut self.text);
            if self.at_end {
                decode(&mut self.half, endian, &[], &mut self.text);
            }
        } else {
            self.text.drain(..mark);
            self.base = mark as u64;
        }
    }
}

/// Appends UTF-16 as UTF-8. No bytes mean the end of the input: an incomplete character is then
/// invalid.
fn decode(half: &mut PartialCharacter, endian: Endian, bytes: &[u8], text: &mut Vec<u8>) {
    if bytes.is_empty() {
        if half.high.take().is_some() | half.odd.take().is_some() {
            text.push(INVALID);
        }
        return;
    }
    let odd = half.odd.take();
    let mut rest = odd.iter().chain(bytes).copied();
    while let Some(first) = rest.next() {
        let Some(second) = rest.next() else {
            half.odd = Some(first);
            break;
        };
        let unit = match endian {
            Endian::Little => u16::from_le_bytes([first, second]),
            Endian::Big => u16::from_be_bytes([first, second]),
        };
        match (half.high.take(), unit) {
            (Some(high), 0xdc00..=0xdfff) => {
                push(text, 0x10000 + ((u32::from(high) - 0xd800) << 10) + (u32::from(unit) - 0xdc00));
            }
            (high, unit) => {
                if high.is_some() {
                    text.push(INVALID);
                }
                match unit {
                    0xd800..=0xdbff => half.high = Some(unit),
                    0xdc00..=0xdfff => text.push(INVALID),
                    _ => push(text, u32::from(unit)),
                }
            }
        }
    }
}

/// Appends a character as UTF-8. The caller has combined surrogate pairs.
fn push(text: &mut Vec<u8>, code: u32) {
    let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Reads once, but repeats an interrupted read.
fn read(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peek_returns_the_same_however_the_input_is_delivered() {
        // regression: it returned all that was in memory, so that a pipe could be read in another format than a file.
        for len in [CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK] {
            let text = vec![b'x'; len];
            let (first, rest) = text.split_at(len.min(CHUNK - 1));
            let mut whole = Lines::raw(&text[..]);
            let mut parts = Lines::raw(io::Read::chain(first, rest));
            for found in [whole.peek().unwrap().len(), parts.peek().unwrap().len()] {
                assert_eq!(found, len.min(CHUNK));
            }
            assert_eq!((whole.at_end(), parts.at_end()), (len < CHUNK, len < CHUNK), "{len}");
        }
    }
    use proptest::prelude::*;

    /// Returns a description of each line: short lines as they are, the length of long ones, and
    /// errors.
    fn all(lines: &mut Lines<impl Read>) -> Vec<String> {
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push(match line {
                RawLine::Bytes(line) if line.len() < 32 => String::from_utf8_lossy(line).into_owned(),
                RawLine::Bytes(line) => line.len().to_string(),
                RawLine::TooLong => "too long".to_owned(),
                RawLine::NotUtf16 => "not utf-16".to_owned(),
            });
        }
        found
    }

    #[test]
    fn line_limit_is_exact() {
        let mut text = vec![b'a'; LINE_LIMIT];
        text.extend_from_slice(b"\nb\n");
        assert_eq!(all(&mut Lines::raw(&text[..])), [LINE_LIMIT.to_string(), "b".to_owned()]);
        text.insert(0, b'a');
        assert_eq!(all(&mut Lines::raw(&text[..])), ["too long", "b"]);
        let long = vec![b'a'; LINE_LIMIT * 5];
        assert_eq!(all(&mut Lines::raw(&long[..])), ["too long"]);
        let wide: Vec<u8> = [0xff, 0xfe].into_iter().chain([b'a', 0].repeat(LINE_LIMIT + 1)).collect();
        assert_eq!(all(&mut Lines::decoded(&wide[..])), ["too long"]);
    }

    #[test]
    fn memory_is_bounded_for_any_line() {
        let endless = std::io::repeat(b'a').take(64 << 20);
        let mut lines = Lines::raw(endless);
        assert_eq!(lines.next().unwrap(), Some(RawLine::TooLong));
        assert!(lines.text.capacity() <= 4 * LINE_LIMIT, "{}", lines.text.capacity());
    }

    /// A reader that fails after its last byte. Every other read is interrupted.
    struct FailingReader<'a>(&'a [u8], bool);

    impl Read for FailingReader<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            match self.0.read(buffer)? {
                0 => Err(io::Error::other("disk")),
                len => Ok(len),
            }
        }
    }

    #[test]
    fn read_error_is_not_the_end() {
        for text in [&b""[..], b"a", b"a\nb"] {
            let mut lines = Lines::decoded(FailingReader(text, false));
            let mut whole = 0;
            let error = loop {
                match lines.next() {
                    Ok(Some(RawLine::Bytes(_))) => whole += 1,
                    Ok(other) => panic!("{other:?} before the error"),
                    Err(error) => break error,
                }
            };
            assert_eq!(error.to_string(), "disk");
            assert_eq!(whole, text.iter().filter(|&&byte| byte == b'\n').count());
        }
    }

    proptest! {
        #[test]
        fn lines_match_a_split(text in "[a\n]{0,200}", chunk in 1usize..7) {
            struct Chunks<'a>(&'a [u8], usize);
            impl Read for Chunks<'_> {
                fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                    let len = buffer.len().min(self.1).min(self.0.len());
                    self.0.read(&mut buffer[..len])
                }
            }
            let mut expected: Vec<&str> = text.split('\n').collect();
            if expected.last() == Some(&"") {
                expected.pop();
            }
            let lengths = |line: &&str| if line.len() < 32 { (*line).to_owned() } else { line.len().to_string() };
            let expected: Vec<String> = expected.iter().map(lengths).collect();
            prop_assert_eq!(&all(&mut Lines::raw(Chunks(text.as_bytes(), chunk))), &expected);
            let wide: Vec<u8> = [0xfe, 0xff].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect();
            prop_assert_eq!(&all(&mut Lines::decoded(Chunks(&wide, chunk))), &expected);
        }

        #[test]
        fn utf16_is_decoded_like_the_standard_library(units in prop::collection::vec(any::<u16>(), 0..60)) {
            let mut expected = String::new();
            let mut faults = false;
            for c in char::decode_utf16(units.iter().copied()) {
                faults |= c.is_err();
                expected.push(c.unwrap_or('\u{fffd}'));
            }
            prop_assume!(!expected.contains('\n') && !expected.is_empty());
            let bytes: Vec<u8> = [0xff, 0xfe].into_iter().chain(units.iter().flat_map(|u| u.to_le_bytes())).collect();
            let mut lines = Lines::decoded(&bytes[..]);
            match lines.next().unwrap() {
                Some(RawLine::Bytes(line)) => prop_assert_eq!((line, faults), (expected.as_bytes(), false)),
                Some(RawLine::NotUtf16) => prop_assert!(faults),
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}
