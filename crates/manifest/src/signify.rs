//! Parses keys and signatures of signify and minisign: a line with a comment, then a line of
//! base64. This module does not verify signatures.
//!
//! Sources: the manual pages signify(1) and minisign(1), and the formats described on the website
//! of minisign.

use crate::{radix, scan};

/// The text before the untrusted comment, which no signature covers.
const UNTRUSTED: &[u8] = b"untrusted comment:";
/// The text before the trusted comment, which the second signature covers.
const TRUSTED: &[u8] = b"trusted comment: ";

/// The eight bytes that identify a key in a signature.
pub type KeyId = [u8; 8];

readable! {
    /// A public key.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PublicKey {
        /// The identifier of the key.
        id: KeyId,
        /// The point of the Ed25519 key.
        point: [u8; 32],
    }
}

readable! {
    /// A signature.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Signature<'t> {
        /// The identifier of the key that made the signature.
        id: KeyId,
        /// True if the BLAKE2b-512 digest of the message is signed, and not the message itself.
        is_prehashed: bool,
        /// The signature itself.
        bytes: [u8; 64],
        /// The addition of minisign: a comment, and the signature of the first signature and this
        /// comment.
        trusted: Option<(&'t [u8], [u8; 64])>,
        /// The message, if it follows in the same file.
        message: Option<&'t [u8]>,
    }
}

impl PublicKey {
    /// Parses the file of a public key: a comment and a line of base64, or only that line. Returns
    /// `None` if it is invalid.
    pub fn parse(text: &[u8]) -> Option<PublicKey> {
        let mut lines =
            text.split(|&byte| byte == b'\n').map(without_cr).filter(|line| !scan::is_empty(line));
        let first = lines.next()?;
        let line = if first.starts_with(UNTRUSTED) { lines.next()? } else { first };
        let bytes: [u8; 42] = radix::base64(scan::trim(line))?.try_into().ok()?;
        if lines.next().is_some() || &bytes[..2] != b"Ed" {
            return None;
        }
        Some(PublicKey { id: bytes[2..10].try_into().ok()?, point: bytes[10..].try_into().ok()? })
    }
}

/// The bytes of a secret key of minisign.
///
/// A plain record.
pub struct SecretKey {
    /// The algorithms of signature, key derivation and checksum (2 bytes each), then salt, limits, key and checksum.
    pub bytes: [u8; 158],
}

impl SecretKey {
    /// Parses the file of a secret key: a comment and a line of base64. Returns `None` if it is invalid.
    pub fn parse(text: &[u8]) -> Option<SecretKey> {
        let (comment, rest) = line(text)?;
        let bytes: [u8; 158] = radix::base64(line(rest)?.0)?.try_into().ok()?;
        let is_known = matches!(&bytes[..6], b"EdScB2" | b"Ed\0\0B2");
        (comment.starts_with(UNTRUSTED) && is_known).then_some(SecretKey { bytes })
    }

    /// Returns whether the key is encrypted with a password.
    pub fn is_encrypted(&self) -> bool {
        self.bytes[2..4] != [0; 2]
    }

    /// Returns whether there is a checksum: minisign writes none into keys without a password.
    pub fn has_checksum(&self) -> bool {
        self.bytes[126..] != [0; 32]
    }
}

impl<'t> Signature<'t> {
    /// Parses a signature, and the message if one follows. Returns `None` if it is invalid.
    pub fn parse(text: &'t [u8]) -> Option<Signature<'t>> {
        let (first, rest) = line(text)?;
        let (second, rest) = line(rest)?;
        let bytes: [u8; 74] = radix::base64(second)?.try_into().ok()?;
        let is_prehashed = match &bytes[..2] {
            b"Ed" => false,
            b"ED" => true,
            _ => return None,
        };
        if !first.starts_with(UNTRUSTED) {
            return None;
        }
        let (trusted, message) = match rest.strip_prefix(TRUSTED) {
            Some(_) => {
                let (comment, rest) = line(rest)?;
                let (global, rest) = line(rest)?;
                let global: [u8; 64] = radix::base64(global)?.try_into().ok()?;
                // No signature covers text after this line.
                if !scan::all(rest, |byte| byte.is_ascii_whitespace()) {
                    return None;
                }
                (Some((&comment[TRUSTED.len()..], global)), None)
            }
            // Only minisign signs digests, and it always signs a comment too: without one, the file
            // is truncated.
            None if is_prehashed => return None,
            None => (None, Some(rest).filter(|rest| !rest.is_empty())),
        };
        Some(Signature {
            id: bytes[2..10].try_into().ok()?,
            is_prehashed,
            bytes: bytes[10..].try_into().ok()?,
            trusted,
            message,
        })
    }
}

/// Returns the identifier of a key as programs show it: its bytes as a little-endian number.
pub fn shown(id: KeyId) -> String {
    format!("{:016X}", u64::from_le_bytes(id))
}

fn without_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Returns the first line and the text after it.
fn line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = scan::find(text, |byte| byte == b'\n').unwrap_or(text.len());
    (end > 0).then(|| (without_cr(&text[..end]), text.get(end + 1..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "untrusted comment: minisign public key B05DC48B79BD4330\n\
        RWQwQ715i8RdsF1gnm66YeqO0nbOsBYUSDPQFwDnWRh8vPdjslpIV+83\n";
    const SIGNATURE: &str = "untrusted comment: signature from minisign secret key\n\
        RUQwQ715i8RdsFUTbEJhPX7XalCSPbwtceqcLgTFZM4rjcj4/SkUHqSqi4TAx0z3ChHk3NJ157YhofqFnh7EtgA7OxOlT5F4vwc=\n\
        trusted comment: trusted words\n\
        zeqHiM38w7NTn+O0ezdfrb3BUxoWw2d0eX8OMzDxX0puUludOf+ZuVsZ0ue6eDt86ZOVtPO3RRHC8qTQbwyxDQ==\n";

    #[test]
    fn minisign_keys_and_signatures_are_parsed() {
        let key = PublicKey::parse(KEY.as_bytes()).unwrap();
        assert_eq!(shown(key.id), "B05DC48B79BD4330");
        assert_eq!(PublicKey::parse(KEY.lines().nth(1).unwrap().as_bytes()), Some(key.clone()));
        let found = Signature::parse(SIGNATURE.as_bytes()).unwrap();
        assert!(found.is_prehashed && found.id == key.id && found.message.is_none());
        assert_eq!(found.trusted.unwrap().0, b"trusted words");
        assert!(Signature::parse(SIGNATURE.replace('\n', "\r\n").as_bytes()).is_some());
    }

    #[test]
    fn truncated_or_extended_signatures_are_rejected() {
        for text in ["", "a", &KEY[..60], &KEY.replace("RWQ", "RWR1"), &format!("{KEY}{KEY}")] {
            assert_eq!(PublicKey::parse(text.as_bytes()), None, "{text}");
        }
        let lines: Vec<&str> = SIGNATURE.lines().collect();
        for text in [
            lines[..1].join("\n"),
            lines[..2].join("\n"),
            lines[..3].join("\n"),
            lines[1..].join("\n"),
            format!("{SIGNATURE}SHA256 (a) = 0\n"),
            SIGNATURE.replace("RUQ", "RUE"),
        ] {
            assert_eq!(Signature::parse(text.as_bytes()), None, "{text}");
        }
        let embedded = format!("{}\n{}\nSHA256 (a) = 0\n", lines[0], lines[1].replacen("RUQ", "RWQ", 1));
        assert_eq!(Signature::parse(embedded.as_bytes()).unwrap().message, Some(&b"SHA256 (a) = 0\n"[..]));
    }
}
