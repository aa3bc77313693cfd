//! Bytes to lines: encodings, terminators and the limit on a line's length.
//!
//! Memory is bounded by [`LINE_LIMIT`] and one buffer whatever the input; no byte is scanned for a terminator twice.

use crate::scan;
use std::io::{self, Read};

/// Longest line read, in bytes without its terminator.
pub const LINE_LIMIT: usize = 1 << 20;

/// Bytes asked of the reader at a time, and looked at to recognise a manifest.
pub(crate) const CHUNK: usize = 64 << 10;

/// A byte that valid UTF-8 never has: marks what was not valid UTF-16.
const INVALID: u8 = 0xff;

/// How the bytes spell text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    /// Not looked at yet.
    Unknown,
    /// As they are.
    Bytes,
    /// UTF-16 with this byte order, decoded to UTF-8.
    Utf16(Endian),
}

/// Which byte of a unit comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Endian {
    Little,
    Big,
}

/// One line as it was found, without its terminator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawLine<'a> {
    /// The bytes.
    Bytes(&'a [u8]),
    /// More than [`LINE_LIMIT`] bytes.
    TooLong,
    /// Not valid UTF-16, in a text that begins as UTF-16.
    NotUtf16,
}

/// The lines of a reader.
pub struct Lines<R> {
    reader: R,
    encoding: Encoding,
    /// Decoded text: `start..` is not handed out yet, `start..scanned` has no terminator.
    text: Vec<u8>,
    start: usize,
    scanned: usize,
    /// What a chunk ended with in the middle of a character: an odd byte, the first half of a pair.
    odd: Option<u8>,
    high: Option<u16>,
    terminator: u8,
    number: u64,
    at_end: bool,
}

impl<R: Read> Lines<R> {
    /// Lines ended by LF; a byte order mark chooses the encoding and is dropped.
    pub fn decoded(reader: R) -> Lines<R> {
        Lines::with_encoding(reader, Encoding::Unknown)
    }

    /// Lines ended by LF, bytes as they are.
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
            odd: None,
            high: None,
            terminator: b'\n',
            number: 0,
            at_end: false,
        }
    }

    /// What ends a line from here on: LF or NUL.
    pub(crate) fn set_terminator(&mut self, terminator: u8) {
        self.terminator = terminator;
        self.scanned = self.start;
    }

    /// The number of the last line handed out, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The first 64 KiB of what is not handed out yet, or all of it where there is less.
    ///
    /// # Errors
    /// The reader's; an interrupted read is repeated.
    pub(crate) fn peek(&mut self) -> io::Result<&[u8]> {
        while self.text.len() - self.start < CHUNK && !self.at_end {
            self.fill()?;
        }
        Ok(&self.text[self.start..])
    }

    /// The next line; `None` only where the reader said that it ends.
    ///
    /// # Errors
    /// The reader's; an interrupted read is repeated. A line that was begun is not handed out.
    #[expect(clippy::should_implement_trait, reason = "lines borrow the buffer")]
    pub fn next(&mut self) -> io::Result<Option<RawLine<'_>>> {
        let mut too_long = false;
        loop {
            let terminator = self.terminator;
            let found = scan::find(&self.text[self.scanned..], |byte| byte == terminator);
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

    /// Reads and decodes one chunk.
    fn fill(&mut self) -> io::Result<()> {
        self.text.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        if let Encoding::Utf16(endian) = self.encoding {
            let mut chunk = [0; CHUNK / 4];
            let len = read(&mut self.reader, &mut chunk)?;
            self.decode(endian, &chunk[..len]);
            if len == 0 {
                self.at_end = true;
            }
            return Ok(());
        }
        loop {
            let filled = self.text.len();
            self.text.resize(filled + CHUNK, 0);
            let result = read(&mut self.reader, &mut self.text[filled..]);
            self.text.truncate(filled + result.as_ref().map_or(0, |&len| len));
            self.at_end = result? == 0;
            // A pipe may give the byte order mark in parts.
            if self.encoding != Encoding::Unknown {
                return Ok(());
            }
            if self.text.len() >= 3 || self.at_end {
                self.recognise();
                return Ok(());
            }
        }
    }

    /// Chooses the encoding by the byte order mark.
    fn recognise(&mut self) {
        let (encoding, mark) = match self.text.as_slice() {
            [0xef, 0xbb, 0xbf, ..] => (Encoding::Bytes, 3),
            [0xff, 0xfe, ..] => (Encoding::Utf16(Endian::Little), 2),
            [0xfe, 0xff, ..] => (Encoding::Utf16(Endian::Big), 2),
            _ => (Encoding::Bytes, 0),
        };
        self.encoding = encoding;
        if let Encoding::Utf16(endian) = encoding {
            let bytes = std::mem::take(&mut self.text);
            self.decode(endian, &bytes[mark..]);
            if self.at_end {
                self.decode(endian, &[]);
            }
        } else {
            self.text.drain(..mark);
        }
    }

    /// Appends UTF-16 as UTF-8. No bytes mean the end: what is left over then is invalid.
    fn decode(&mut self, endian: Endian, bytes: &[u8]) {
        if bytes.is_empty() {
            if self.high.take().is_some() | self.odd.take().is_some() {
                self.text.push(INVALID);
            }
            return;
        }
        let odd = self.odd.take();
        let mut rest = odd.iter().chain(bytes).copied();
        while let Some(first) = rest.next() {
            let Some(second) = rest.next() else {
                self.odd = Some(first);
                break;
            };
            let unit = match endian {
                Endian::Little => u16::from_le_bytes([first, second]),
                Endian::Big => u16::from_be_bytes([first, second]),
            };
            match (self.high.take(), unit) {
                (Some(high), 0xdc00..=0xdfff) => {
                    let code = 0x10000 + ((u32::from(high) - 0xd800) << 10) + (u32::from(unit) - 0xdc00);
                    push(&mut self.text, code);
                }
                (high, unit) => {
                    if high.is_some() {
                        self.text.push(INVALID);
                    }
                    match unit {
                        0xd800..=0xdbff => self.high = Some(unit),
                        0xdc00..=0xdfff => self.text.push(INVALID),
                        _ => {
                            push(&mut self.text, u32::from(unit));
                        }
                    }
                }
            }
        }
    }
}

/// Appends a character as UTF-8; the caller has paired the surrogates.
fn push(text: &mut Vec<u8>, code: u32) {
    let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// One read; an interrupted one is repeated.
fn read(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
