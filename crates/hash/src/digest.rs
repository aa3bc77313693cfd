//! A digest: the output of an algorithm, and its encodings.
//!
//! Digests of up to 64 bytes (all except long XOF output) are stored inline, so a million of them need no allocation. A
//! multipart digest (the ETag of an S3 upload) includes the number of parts, which every encoding appends after a
//! hyphen.

use data_encoding::{BASE32_NOPAD, BASE64, HEXLOWER, HEXUPPER};
use std::fmt;

/// The maximum length of a digest that is stored without an allocation, in bytes.
const INLINE: usize = 64;

/// The output of a hash: 1 byte or more. Equality compares the bytes and the number of parts.
#[derive(Clone)]
pub struct Digest {
    bytes: Bytes,
    /// The number of parts; 0 for a digest without parts.
    parts: u64,
}

#[derive(Clone)]
enum Bytes {
    Inline { len: u8, bytes: [u8; INLINE] },
    Long(Box<[u8]>),
}

/// A text that is not a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DigestError;

impl fmt::Display for DigestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a digest in hexadecimal or base64")
    }
}

impl std::error::Error for DigestError {}

impl Digest {
    /// Returns the digest with these bytes.
    pub fn new(bytes: &[u8]) -> Digest {
        Digest::from_fn(bytes.len(), |place| place.copy_from_slice(bytes))
    }

    /// Returns a digest of `len` bytes written by `write`.
    pub(crate) fn from_fn(len: usize, write: impl FnOnce(&mut [u8])) -> Digest {
        let bytes = if len <= INLINE {
            let mut bytes = [0; INLINE];
            write(&mut bytes[..len]);
            Bytes::Inline { len: len as u8, bytes }
        } else {
            let mut bytes = vec![0; len];
            write(&mut bytes);
            Bytes::Long(bytes.into())
        };
        Digest { bytes, parts: 0 }
    }

    /// Returns the digest for a number of `len` bytes, 1 to 8, big-endian. It is filled directly, because a copy of
    /// variable length would be noticeable for short checksums.
    pub(crate) fn number(value: u64, len: usize) -> Digest {
        let mut bytes = [0; INLINE];
        bytes[..8].copy_from_slice(&(value << (8 * (8 - len))).to_be_bytes());
        Digest { bytes: Bytes::Inline { len: len as u8, bytes }, parts: 0 }
    }

    /// Returns the same bytes as a digest with this number of parts.
    pub fn with_parts(self, parts: u64) -> Digest {
        Digest { parts, ..self }
    }

    /// Returns the number of parts of a multipart digest.
    pub fn parts(&self) -> Option<u64> {
        Some(self.parts).filter(|&parts| parts > 0)
    }

    fn with_part_count(&self, bytes: String) -> String {
        match self.parts {
            0 => bytes,
            parts => format!("{bytes}-{parts}"),
        }
    }

    /// Returns the bytes, in the order in which the algorithm's standard prints them.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Inline { len, bytes } => &bytes[..usize::from(*len)],
            Bytes::Long(bytes) => bytes,
        }
    }

    /// Returns the length in bytes.
    #[expect(clippy::len_without_is_empty, reason = "a digest is never empty")]
    pub fn len(&self) -> usize {
        self.as_bytes().len()
    }

    /// Returns lower-case hexadecimal, two characters per byte.
    pub fn to_hex(&self) -> String {
        self.with_part_count(HEXLOWER.encode(self.as_bytes()))
    }

    /// Appends what [`Digest::to_hex`] returns to a text, without an allocation of its own.
    pub fn append_hex(&self, text: &mut Vec<u8>) {
        let (bytes, start) = (self.as_bytes(), text.len());
        text.resize(start + 2 * bytes.len(), 0);
        HEXLOWER.encode_mut(bytes, &mut text[start..]);
        if let Some(parts) = self.parts() {
            text.extend_from_slice(format!("-{parts}").as_bytes());
        }
    }

    /// Returns upper-case hexadecimal.
    pub fn to_hex_upper(&self) -> String {
        self.with_part_count(HEXUPPER.encode(self.as_bytes()))
    }

    /// Returns standard base64 with padding (RFC 4648 section 4), as written by `cksum --base64`.
    pub fn to_base64(&self) -> String {
        self.with_part_count(BASE64.encode(self.as_bytes()))
    }

    /// Returns lower-case base32 without padding (RFC 4648 section 6), as written by RHash.
    pub fn to_base32(&self) -> String {
        self.with_part_count(BASE32_NOPAD.encode(self.as_bytes()).to_ascii_lowercase())
    }

    /// Parses hexadecimal in either case. An odd number of characters, an empty text, and any other character are
    /// errors. The number of parts may follow after a hyphen.
    pub fn from_hex(text: &[u8]) -> Result<Digest, DigestError> {
        if let Some(digest) = of_digits(text) {
            return Ok(digest);
        }
        let (text, parts) = split_parts(text)?;
        of_digits(text).map(|digest| digest.with_parts(parts)).ok_or(DigestError)
    }

    /// Parses standard base64 with exact padding. The number of parts may follow after a hyphen.
    pub fn from_base64(text: &[u8]) -> Result<Digest, DigestError> {
        let (text, parts) = split_parts(text)?;
        match BASE64.decode(text) {
            Ok(bytes) if !bytes.is_empty() => Ok(Digest::new(&bytes).with_parts(parts)),
            _ => Err(DigestError),
        }
    }
}

/// The value of each hexadecimal digit, and [`NOT_A_DIGIT`] for any other character.
const DIGITS: [u8; 256] = {
    let mut values = [NOT_A_DIGIT; 256];
    let mut value = 0;
    while value < 16 {
        values[b"0123456789abcdef"[value] as usize] = value as u8;
        values[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    values
};
const NOT_A_DIGIT: u8 = 0xff;

/// Returns the digest with these hexadecimal digits: an even number of at least two.
fn of_digits(text: &[u8]) -> Option<Digest> {
    if text.is_empty() || !text.len().is_multiple_of(2) {
        return None;
    }
    // All digits are decoded before any is tested: one branch for each would take most of the time.
    let mut all = 0;
    let digest = Digest::from_fn(text.len() / 2, |bytes| {
        for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            let [high, low] = [DIGITS[usize::from(pair[0])], DIGITS[usize::from(pair[1])]];
            all |= high | low;
            *byte = high << 4 | low;
        }
    });
    (all < 16).then_some(digest)
}

/// Splits off the number of parts after a hyphen; 0 without a hyphen.
fn split_parts(text: &[u8]) -> Result<(&[u8], u64), DigestError> {
    let Some(hyphen) = text.iter().position(|&byte| byte == b'-') else {
        return Ok((text, 0));
    };
    let number = std::str::from_utf8(&text[hyphen + 1..]).map_err(|_| DigestError)?;
    match number.parse::<u64>() {
        Ok(parts) if parts > 0 && parts.to_string() == number => Ok((&text[..hyphen], parts)),
        _ => Err(DigestError),
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Digest) -> bool {
        self.parts == other.parts && self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Digest {}

impl std::hash::Hash for Digest {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({})", self.to_hex())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_digest_are_equal() {
        let digest = Digest::new(&[0xde, 0xad, 0x00]);
        assert_eq!(digest.to_hex(), "dead00");
        assert_eq!(digest.to_hex_upper(), "DEAD00");
        let mut text = b"before ".to_vec();
        digest.append_hex(&mut text);
        digest.clone().with_parts(17).append_hex(&mut text);
        assert_eq!(text, b"before dead00dead00-17");
        assert_eq!(digest.to_base64(), "3q0A");
        assert_eq!(digest.to_base32(), "32wqa");
        assert_eq!(Digest::from_hex(b"DeAd00"), Ok(digest.clone()));
        assert_eq!(Digest::from_base64(b"3q0A"), Ok(digest));
    }

    #[test]
    fn every_byte_is_a_hexadecimal_digit_or_not() {
        for byte in 0..=u8::MAX {
            let value = char::from(byte).to_digit(16).map(|value| Digest::new(&[value as u8 | 0xa0]));
            assert_eq!(Digest::from_hex(&[b'a', byte]).ok(), value, "{byte:#x}");
            let value = char::from(byte).to_digit(16).map(|value| Digest::new(&[(value as u8) << 4 | 1]));
            assert_eq!(Digest::from_hex(&[byte, b'1']).ok(), value, "{byte:#x}");
        }
    }

    #[test]
    fn invalid_digest_texts_are_rejected() {
        for text in ["", "a", "0g", " 00", "00 ", "0\n"] {
            assert_eq!(Digest::from_hex(text.as_bytes()), Err(DigestError), "{text:?}");
        }
        for text in ["", "3q0", "3q0A=", "3q==0A==", "3q_A"] {
            assert_eq!(Digest::from_base64(text.as_bytes()), Err(DigestError), "{text:?}");
        }
    }

    #[test]
    fn part_count_is_part_of_the_digest() {
        let etag = Digest::new(&[0xde, 0xad]).with_parts(17);
        assert_eq!((etag.to_hex(), etag.to_base64()), ("dead-17".to_owned(), "3q0=-17".to_owned()));
        assert_eq!(Digest::from_hex(b"DEAD-17"), Ok(etag.clone()));
        assert_eq!(Digest::from_base64(b"3q0=-17"), Ok(etag.clone()));
        assert_ne!(Digest::new(&[0xde, 0xad]), etag);
        for text in
            ["dead-", "dead-0", "dead-07", "dead-+7", "dead--7", "dead-7-", "-7", "dead-99999999999999999999"]
        {
            assert_eq!(Digest::from_hex(text.as_bytes()), Err(DigestError), "{text}");
        }
    }

    #[test]
    fn long_digest_keeps_every_byte() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(Digest::new(&bytes).as_bytes(), bytes);
        assert_eq!(Digest::new(&bytes[..INLINE]).len(), INLINE);
    }
}
