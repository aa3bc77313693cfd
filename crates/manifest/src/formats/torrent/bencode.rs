//! Bencoding (BEP 3): integers `i42e`, strings `4:spam`, lists `l...e`, and dictionaries `d...e`
//! with sorted keys.
//!
//! The parser is a cursor over the bytes and allocates no memory. It rejects everything that
//! programs could interpret in different ways: unsorted or duplicate keys, numbers with leading
//! zeros, and data after the end.

use crate::formats::prelude::*;

/// Maximum nesting depth.
const DEPTH: usize = 64;

/// A position in a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    text: &'a [u8],
    /// Offset of the next byte.
    pub(super) at: usize,
    depth: usize,
}

type Read<T> = Result<T, LineError>;

impl<'a> Cursor<'a> {
    /// Creates a cursor to the value at offset `at`.
    pub(super) fn new(text: &'a [u8], at: usize) -> Cursor<'a> {
        Cursor { text, at, depth: 0 }
    }

    /// Returns an error at the current position.
    pub(super) fn fault<T>(&self, what: &'static str) -> Read<T> {
        Err(LineError { at: Place::Byte(self.at as u64), reason: Reason::Part(what) })
    }

    fn peek(&self) -> Read<u8> {
        match self.text.get(self.at) {
            Some(&byte) => Ok(byte),
            None => self.fault("the torrent is truncated"),
        }
    }

    /// Skips the given byte.
    ///
    /// # Errors
    /// The next byte is a different one.
    fn expect(&mut self, byte: u8, what: &'static str) -> Read<()> {
        if self.peek()? != byte {
            return self.fault(what);
        }
        self.at += 1;
        Ok(())
    }

    /// Returns true at the end of the document.
    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// Parses a number up to the byte `end`, and skips that byte.
    fn number(&mut self, end: u8, what: &'static str) -> Read<u64> {
        let rest = &self.text[self.at..];
        let digits = scan::find(&rest[..rest.len().min(21)], |byte| !byte.is_ascii_digit())
            .unwrap_or(rest.len().min(21));
        let text = std::str::from_utf8(&rest[..digits]).unwrap_or_default();
        let plain = text == "0" || !text.starts_with('0');
        let Some(number) = text.parse().ok().filter(|_| plain) else { return self.fault(what) };
        self.at += digits;
        self.expect(end, what)?;
        Ok(number)
    }

    /// Parses an integer from 0 to 2^63 - 1.
    pub(super) fn unsigned(&mut self) -> Read<u64> {
        let start = *self;
        self.expect(b'i', "not a number")?;
        let number = self.number(b'e', "not a non-negative integer")?;
        if number > i64::MAX as u64 { start.fault("a number that is too large") } else { Ok(number) }
    }

    /// Parses a string.
    pub(super) fn string(&mut self) -> Read<&'a [u8]> {
        let what = "not a string";
        let len = self.number(b':', what)?;
        let end = usize::try_from(len).ok().and_then(|len| self.at.checked_add(len));
        match end.and_then(|end| Some((end, self.text.get(self.at..end)?))) {
            Some((end, string)) => {
                self.at = end;
                Ok(string)
            }
            None => self.fault("the torrent is truncated"),
        }
    }

    /// Calls `member` with each key of a dictionary. It must parse or skip the value.
    pub(super) fn dictionary(
        &mut self,
        mut member: impl FnMut(&'a [u8], &mut Cursor<'a>) -> Read<()>,
    ) -> Read<()> {
        self.expect(b'd', "not a dictionary")?;
        self.enter()?;
        let mut last: Option<&[u8]> = None;
        while self.peek()? != b'e' {
            let key_at = *self;
            let key = self.string()?;
            if last.is_some_and(|last| last >= key) {
                return key_at.fault("dictionary keys are not sorted or not unique");
            }
            last = Some(key);
            member(key, self)?;
        }
        self.leave();
        Ok(())
    }

    /// Calls `item` for each item of a list. It must parse or skip the item.
    pub(super) fn list(&mut self, mut item: impl FnMut(&mut Cursor<'a>) -> Read<()>) -> Read<()> {
        self.expect(b'l', "not a list")?;
        self.enter()?;
        while self.peek()? != b'e' {
            item(self)?;
        }
        self.leave();
        Ok(())
    }

    fn enter(&mut self) -> Read<()> {
        self.depth += 1;
        if self.depth > DEPTH { self.fault("nested too deeply") } else { Ok(()) }
    }

    /// Skips the `e` of a list or dictionary.
    fn leave(&mut self) {
        self.depth -= 1;
        self.at += 1;
    }

    /// Skips any value.
    pub(super) fn skip(&mut self) -> Read<()> {
        match self.peek()? {
            b'i' => {
                self.at += 1;
                if self.peek()? == b'-' {
                    self.at += 1;
                    let number = *self;
                    return match self.number(b'e', "not a number")? {
                        0 => number.fault("not a number"),
                        _ => Ok(()),
                    };
                }
                self.number(b'e', "not a number").map(|_| ())
            }
            b'l' => self.list(Cursor::skip),
            b'd' => self.dictionary(|_, value| value.skip()),
            _ => self.string().map(|_| ()),
        }
    }
}

/// Appends a string.
pub(super) fn string_into(string: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{}:", string.len()).as_bytes());
    out.extend_from_slice(string);
}

/// Appends an integer.
pub(super) fn unsigned_into(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("i{number}e").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(text: &[u8]) -> Result<usize, String> {
        let mut cursor = Cursor::new(text, 0);
        cursor.skip().map(|()| cursor.at).map_err(|error| error.to_string())
    }

    #[test]
    fn complete_values_are_skipped() {
        for text in [
            "i0e",
            "i-7e",
            "i18446744073709551615e",
            "0:",
            "4:spam",
            "le",
            "l4:spami3ee",
            "de",
            "d1:ai1e1:bdee",
        ] {
            assert_eq!(skipped(text.as_bytes()), Ok(text.len()), "{text}");
        }
        let deep = [b"l".repeat(DEPTH), b"e".repeat(DEPTH)].concat();
        assert_eq!(skipped(&deep), Ok(deep.len()));
    }

    #[test]
    fn ambiguous_bencode_is_an_error() {
        for (text, message) in [
            ("i01e", "byte 1: not a number"),
            ("i-0e", "byte 2: not a number"),
            ("ie", "byte 1: not a number"),
            ("i+1e", "byte 1: not a number"),
            ("i99999999999999999999e", "byte 1: not a number"),
            ("i1", "byte 2: the torrent is truncated"),
            ("04:spam", "not a string"),
            ("5:spam", "byte 2: the torrent is truncated"),
            ("99999999999999999999:", "not a string"),
            ("x", "not a string"),
            ("l", "byte 1: the torrent is truncated"),
            ("d1:bi1e1:ai1ee", "byte 7: dictionary keys are not sorted or not unique"),
            ("d1:ai1e1:ai1ee", "byte 7: dictionary keys are not sorted or not unique"),
            ("di1ei2ee", "byte 1: not a string"),
        ] {
            assert_eq!(skipped(text.as_bytes()), Err(message.to_owned()), "{text}");
        }
        let deep = b"l".repeat(DEPTH + 1);
        assert_eq!(skipped(&deep), Err(format!("byte {}: nested too deeply", DEPTH + 1)));
    }
}
