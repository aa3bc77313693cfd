//! Text encodings of digests, one row each, with a name, a writer and a reader.
//!
//! Sources: RFC 4648 (base16, base32, base64), Nix, Bitcoin's base58, ZeroMQ's RFC 32 (Z85), Bubble
//! Babble (Huima 2000, `ssh-keygen -B`), and the prefixes of multibase
//! (<https://github.com/multiformats/multibase>).

use crate::radix;
use data_encoding::{BASE32_NOPAD, BASE64, BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER, HEXUPPER};

readable! {
    /// A text encoding of bytes.
    #[derive(Debug)]
    pub struct Encoding {
        /// The name of the encoding.
        name: &'static str,
        /// The letter that precedes it in multibase, if it has one.
        multibase: Option<char>,
        /// Typical uses, and properties that distinguish it from other encodings.
        summary: &'static str,
    }
    private {
        write: fn(&[u8]) -> Option<String>,
        read: fn(&[u8]) -> Option<Vec<u8>>,
    }
}

impl PartialEq for Encoding {
    /// Compares the names, which are unique.
    fn eq(&self, other: &Encoding) -> bool {
        self.name == other.name
    }
}

impl Eq for Encoding {}

macro_rules! encodings {
    ($($name:literal $letter:expr, $summary:literal, $write:expr, $read:expr;)*) => {
        /// All encodings of digests.
        pub static ENCODINGS: &[Encoding] = &[$(Encoding {
            name: $name,
            multibase: $letter,
            summary: $summary,
            write: $write,
            read: $read,
        }),*];
    };
}

encodings! {
    "hex" Some('f'), "most manifests", |bytes| Some(HEXLOWER.encode(bytes)), |text| HEXLOWER.decode(text).ok();
    "hexupper" Some('F'), "certificates, Windows", |bytes| Some(HEXUPPER.encode(bytes)), |text| HEXUPPER.decode(text).ok();
    "base32" Some('b'), "Gnutella, DC++, IPFS; lower case without padding",
        |bytes| Some(BASE32_NOPAD.encode(bytes).to_ascii_lowercase()),
        |text| (!text.iter().any(u8::is_ascii_uppercase)).then(|| radix::base32(text))?;
    "base32upper" Some('B'), "base32 in upper case without padding", |bytes| Some(BASE32_NOPAD.encode(bytes)),
        |text| (!text.iter().any(u8::is_ascii_lowercase)).then(|| radix::base32(text))?;
    "nix32" None, "Nix; custom alphabet, last byte first", |bytes| Some(radix::to_nix32(bytes)), radix::from_nix32;
    "base58" Some('z'), "IPFS; Bitcoin's alphabet", |bytes| Some(radix::to_base58(bytes)), radix::from_base58;
    "base64" None, "cksum, web pages, cloud storage; with padding", |bytes| Some(BASE64.encode(bytes)), |text| BASE64.decode(text).ok();
    "base64nopad" Some('m'), "base64 without padding",
        |bytes| Some(BASE64_NOPAD.encode(bytes)), |text| BASE64_NOPAD.decode(text).ok();
    "base64url" Some('u'), "file names and URLs; without padding",
        |bytes| Some(BASE64URL_NOPAD.encode(bytes)), |text| BASE64URL_NOPAD.decode(text).ok();
    "multibase-hex" None, "multiformats; base16 with the prefix f", |bytes| multibase('f', bytes), |text| of_multibase('f', text);
    "multibase-base32" None, "IPFS; base32 with the prefix b", |bytes| multibase('b', bytes), |text| of_multibase('b', text);
    "multibase-base58" None, "IPFS, DID keys; base58 with the prefix z", |bytes| multibase('z', bytes), |text| of_multibase('z', text);
    "multibase-base64" None, "base64 with the prefix m", |bytes| multibase('m', bytes), |text| of_multibase('m', text);
    "multibase-base64url" None, "W3C Data Integrity; base64url with the prefix u", |bytes| multibase('u', bytes), |text| of_multibase('u', text);
    "z85" None, "ZeroMQ; five characters for every four bytes", radix::to_z85, radix::from_z85;
    "bubblebabble" None, "pronounceable words with a checksum",
        |bytes| Some(radix::to_bubble_babble(bytes)), radix::from_bubble_babble;
}

impl Encoding {
    /// Encodes the bytes. Returns `None` if the encoding does not support this number of bytes.
    pub fn write(&self, bytes: &[u8]) -> Option<String> {
        (self.write)(bytes)
    }

    /// Decodes the text. Returns `None` if the text is invalid or decodes to no bytes.
    pub fn read(&self, text: &[u8]) -> Option<Vec<u8>> {
        (self.read)(text).filter(|bytes| !bytes.is_empty())
    }
}

/// Returns the encoding with this name, ignoring case.
pub fn encoding(name: &str) -> Option<&'static Encoding> {
    ENCODINGS.iter().find(|row| row.name.eq_ignore_ascii_case(name))
}

fn by_letter(letter: char) -> Option<&'static Encoding> {
    ENCODINGS.iter().find(|row| row.multibase == Some(letter))
}

fn multibase(letter: char, bytes: &[u8]) -> Option<String> {
    Some(format!("{letter}{}", by_letter(letter)?.write(bytes)?))
}

fn of_multibase(letter: char, text: &[u8]) -> Option<Vec<u8>> {
    by_letter(letter)?.read(text.strip_prefix(&[letter as u8])?)
}

/// Decodes multibase: the first letter selects the encoding of the rest.
pub fn from_multibase(text: &[u8]) -> Option<Vec<u8>> {
    let (letter, digits) = text.split_first()?;
    by_letter(char::from(*letter))?.read(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_round_trip_and_reject_invalid_text() {
        for row in ENCODINGS {
            for len in 1..=80u8 {
                let bytes: Vec<u8> =
                    (0..len).map(|at| if at < len % 4 { 0 } else { at.wrapping_mul(37) ^ len }).collect();
                let Some(text) = row.write(&bytes) else {
                    assert!(row.name == "z85" && len % 4 != 0, "{} of {len} bytes", row.name);
                    continue;
                };
                // Nix's base32 is used only for digests.
                if row.name != "nix32" || len <= 64 {
                    assert_eq!(row.read(text.as_bytes()).as_ref(), Some(&bytes), "{} {text}", row.name);
                }
                if let Some(letter) = row.multibase {
                    assert_eq!(
                        from_multibase(format!("{letter}{text}").as_bytes()),
                        Some(bytes),
                        "{}",
                        row.name
                    );
                }
                let spoilt = text.replacen(&text[..1], "~", 1);
                assert_eq!(row.read(spoilt.as_bytes()), None, "{} {spoilt}", row.name);
            }
            assert_eq!(row.read(b""), None);
            assert_eq!(encoding(&row.name.to_uppercase()), Some(row));
        }
    }

    #[test]
    fn encodings_match_published_values() {
        let spelled =
            |name: &str, bytes: &[u8]| encoding(name).and_then(|row| row.write(bytes)).unwrap_or_default();
        // RFC 32 of ZeroMQ.
        assert_eq!(spelled("z85", &[0x86, 0x4f, 0xd2, 0x6f, 0xb5, 0x59, 0xf7, 0x5b]), "HelloWorld");
        // Examples by Huima.
        assert_eq!(spelled("bubblebabble", b""), "xexax");
        assert_eq!(spelled("bubblebabble", b"1234567890"), "xesef-disof-gytuf-katof-movif-baxux");
        assert_eq!(spelled("bubblebabble", b"Pineapple"), "xigak-nyryk-humil-bosek-sonax");
        // Examples from the drafts of base58 and multibase.
        assert_eq!(spelled("base58", b"Hello World!"), "2NEpo7TZRRrLZSi2U");
        assert_eq!(spelled("base58", &[0, 0, 0x28, 0x7f, 0xb4, 0xcd]), "11233QC4");
        assert_eq!(spelled("base32", b"yes mani !"), "pfsxgidnmfxgsibb");
        assert_eq!(from_multibase(b"z7paNL19xttacUY").as_deref(), Some(&b"yes mani !"[..]));
        assert_eq!(from_multibase(b"uZnV0dXJl").as_deref(), Some(&b"future"[..]));
        assert_eq!(from_multibase(b"?abc"), None);
    }
}
