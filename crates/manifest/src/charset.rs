//! Character encodings of manifests that state theirs elsewhere, as bags do in `bagit.txt`. Text is decoded to UTF-8.

use std::io::{self, Read};

/// A character encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charset(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Utf8,
    /// One byte for each character, as in Latin-1 except for those in the table.
    Bytes(&'static [(u8, char)]),
    /// ASCII: other bytes are invalid.
    Ascii,
    /// The order of bytes, unless a byte order mark states it.
    Utf16 {
        is_little: bool,
    },
}

/// The characters of ISO-8859-15 that differ from Latin-1.
const LATIN9: &[(u8, char)] =
    &[(0xa4, '€'), (0xa6, 'Š'), (0xa8, 'š'), (0xb4, 'Ž'), (0xb8, 'ž'), (0xbc, 'Œ'), (0xbd, 'œ'), (0xbe, 'Ÿ')];

/// The characters of Windows-1252 that differ from Latin-1. Bytes without a character are `INVALID`.
const CP1252: &[(u8, char)] = &[
    (0x80, '€'),
    (0x81, INVALID),
    (0x82, '‚'),
    (0x83, 'ƒ'),
    (0x84, '„'),
    (0x85, '…'),
    (0x86, '†'),
    (0x87, '‡'),
    (0x88, 'ˆ'),
    (0x89, '‰'),
    (0x8a, 'Š'),
    (0x8b, '‹'),
    (0x8c, 'Œ'),
    (0x8d, INVALID),
    (0x8e, 'Ž'),
    (0x8f, INVALID),
    (0x90, INVALID),
    (0x91, '‘'),
    (0x92, '’'),
    (0x93, '“'),
    (0x94, '”'),
    (0x95, '•'),
    (0x96, '–'),
    (0x97, '—'),
    (0x98, '˜'),
    (0x99, '™'),
    (0x9a, 'š'),
    (0x9b, '›'),
    (0x9c, 'œ'),
    (0x9d, INVALID),
    (0x9e, 'ž'),
    (0x9f, 'Ÿ'),
];

const INVALID: char = char::REPLACEMENT_CHARACTER;

/// The names of encodings in the registry of IANA, in lower case. Without a byte order mark, UTF-16 is big-endian (RFC
/// 2781).
const CHARSETS: &[(&str, Kind)] = &[
    ("utf-8", Kind::Utf8),
    ("utf8", Kind::Utf8),
    ("us-ascii", Kind::Ascii),
    ("ascii", Kind::Ascii),
    ("iso-8859-1", Kind::Bytes(&[])),
    ("iso8859-1", Kind::Bytes(&[])),
    ("iso_8859-1", Kind::Bytes(&[])),
    ("latin1", Kind::Bytes(&[])),
    ("iso-8859-15", Kind::Bytes(LATIN9)),
    ("iso8859-15", Kind::Bytes(LATIN9)),
    ("iso_8859-15", Kind::Bytes(LATIN9)),
    ("windows-1252", Kind::Bytes(CP1252)),
    ("cp1252", Kind::Bytes(CP1252)),
    ("utf-16", Kind::Utf16 { is_little: false }),
    ("utf16", Kind::Utf16 { is_little: false }),
    ("utf-16be", Kind::Utf16 { is_little: false }),
    ("utf-16le", Kind::Utf16 { is_little: true }),
];

impl Charset {
    /// The encoding that is not decoded.
    pub const UTF8: Charset = Charset(Kind::Utf8);

    /// Returns the encoding with this name, in any letter case.
    pub fn named(name: &str) -> Option<Charset> {
        CHARSETS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, kind)| Charset(*kind))
    }

    /// Decodes a complete text. Returns `None` if it is not valid.
    pub fn decode(self, text: Vec<u8>) -> Option<String> {
        match self.0 {
            Kind::Utf8 => String::from_utf8(text).ok(),
            _ => {
                let mut decoded = String::new();
                self.reader(&text[..]).read_to_string(&mut decoded).ok()?;
                Some(decoded)
            }
        }
    }

    /// Returns a reader that decodes text to UTF-8. It fails at the first invalid character. A byte order mark is dropped.
    pub fn reader<R: Read>(self, reader: R) -> Decoder<R> {
        Decoder { reader, kind: self.0, begun: false, rest: Vec::new(), text: Vec::new(), at: 0 }
    }
}

/// A reader that decodes text to UTF-8.
pub struct Decoder<R> {
    reader: R,
    kind: Kind,
    begun: bool,
    /// Bytes of an incomplete character.
    rest: Vec<u8>,
    /// Decoded text, which was returned up to `at`.
    text: Vec<u8>,
    at: usize,
}

fn invalid() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the text is not valid in its character encoding")
}

impl<R: Read> Decoder<R> {
    /// Decodes these bytes, which are the last ones if there are none.
    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut push = |c: char| match c {
            INVALID => Err(invalid()),
            c => {
                self.text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                Ok(())
            }
        };
        match self.kind {
            Kind::Utf8 | Kind::Ascii if bytes.is_ascii() => self.text.extend_from_slice(bytes),
            Kind::Utf8 | Kind::Ascii => return Err(invalid()),
            Kind::Bytes(table) => {
                for &byte in bytes {
                    let found = table.iter().find(|(known, _)| *known == byte);
                    push(found.map_or(char::from(byte), |(_, c)| *c))?;
                }
            }
            Kind::Utf16 { is_little } => {
                self.rest.extend_from_slice(bytes);
                if bytes.is_empty() {
                    return if self.rest.is_empty() { Ok(()) } else { Err(invalid()) };
                }
                let mut is_little = is_little;
                if !self.begun && self.rest.len() >= 2 {
                    self.begun = true;
                    let mark = [self.rest[0], self.rest[1]];
                    if matches!(mark, [0xff, 0xfe] | [0xfe, 0xff]) {
                        is_little = mark[0] == 0xff;
                        self.kind = Kind::Utf16 { is_little };
                        self.rest.drain(..2);
                    }
                }
                let unit = |pair: &[u8]| match is_little {
                    true => u16::from_le_bytes([pair[0], pair[1]]),
                    false => u16::from_be_bytes([pair[0], pair[1]]),
                };
                let mut units: Vec<u16> = self.rest.chunks_exact(2).map(unit).collect();
                // The other half of a surrogate pair may follow.
                units.pop_if(|unit| (0xd800..0xdc00).contains(unit));
                char::decode_utf16(units.iter().copied()).try_for_each(|c| push(c.unwrap_or(INVALID)))?;
                self.rest.drain(..2 * units.len());
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.kind == Kind::Utf8 {
            return self.reader.read(buffer);
        }
        while self.at == self.text.len() {
            (self.text, self.at) = (Vec::new(), 0);
            let mut chunk = [0; 8 << 10];
            let len = self.reader.read(&mut chunk)?;
            self.push(&chunk[..len])?;
            if len == 0 {
                return Ok(0);
            }
        }
        let len = buffer.len().min(self.text.len() - self.at);
        buffer[..len].copy_from_slice(&self.text[self.at..self.at + len]);
        self.at += len;
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns one byte at a time.
    struct ByteAtATime<'a>(&'a [u8]);

    impl Read for ByteAtATime<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let len = self.0.len().min(1);
            self.0.read(&mut buffer[..len])
        }
    }

    #[test]
    fn text_is_decoded_for_any_read_size() {
        let text = "d41d  data/é𝄞 ü\n";
        let bytes = |little: bool, text: &str| -> Vec<u8> {
            let unit = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
            text.encode_utf16().flat_map(unit).collect()
        };
        let marked = format!("\u{feff}{text}");
        for (name, encoded, expected) in [
            ("UTF-16", bytes(false, text), text),
            ("UTF-16", bytes(true, &marked), text),
            ("UTF-16BE", bytes(false, &marked), text),
            ("utf-16le", bytes(true, text), text),
            ("ISO-8859-1", b"a\xe9\x80\xa4".to_vec(), "aé\u{80}¤"),
            ("ISO-8859-15", b"a\xe9\xa4".to_vec(), "aé€"),
            ("Windows-1252", b"a\xe9\x80\xa4".to_vec(), "aé€¤"),
            ("us-ascii", b"a".to_vec(), "a"),
            ("UTF-8", text.as_bytes().to_vec(), text),
        ] {
            let charset = Charset::named(name).unwrap();
            assert_eq!(charset.decode(encoded.clone()).as_deref(), Some(expected), "{name}");
            let mut single = String::new();
            charset.reader(ByteAtATime(&encoded)).read_to_string(&mut single).unwrap();
            assert_eq!(single, expected, "{name}");
        }
    }

    #[test]
    fn invalid_text_and_unknown_names_are_rejected() {
        for (name, encoded) in [
            ("us-ascii", &b"\xe9"[..]),
            ("windows-1252", b"\x81"),
            ("utf-16", b"\0a\0"),
            ("utf-16", b"\xd8\0"),
            ("utf-16", b"\xdc\0\0a"),
            ("utf-8", b"\xff"),
        ] {
            assert_eq!(Charset::named(name).unwrap().decode(encoded.to_vec()), None, "{name} {encoded:?}");
        }
        for name in ["", "utf-7", "ISO-8859-2", "latin"] {
            assert_eq!(Charset::named(name), None, "{name}");
        }
    }
}
