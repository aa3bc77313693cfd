//! Describes what a service stores for an object in addition to its bytes.

use data_encoding::BASE64;
use truesum::hash::{Digest, Spec};

/// A checksum stored by a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checksum {
    /// The name of the algorithm in this library; `s3-sha256` and similar for checksums of parts.
    pub algorithm: &'static str,
    /// Its value, with the number of parts for a checksum of parts.
    pub digest: Digest,
}

/// The size and the checksums of an object, as reported by a service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectMetadata {
    /// Size of the object in bytes.
    pub size: u64,
    /// Its checksums.
    pub checksums: Vec<Checksum>,
    /// The number of parts it was uploaded in, if reported.
    pub parts: Option<u64>,
}

impl Checksum {
    /// Parses a checksum as in headers: Base64, followed by the number of parts for checksums of parts.
    ///
    /// # Errors
    /// The text is not a checksum.
    pub(crate) fn base64(algorithm: &'static str, value: &str, composite: bool) -> Result<Checksum, String> {
        let bad = || format!("the service reports an invalid {algorithm} checksum");
        let (text, parts) = match value.rsplit_once('-') {
            Some((text, parts)) => (text, Some(parts.parse::<u64>().map_err(|_| bad())?)),
            None => (value, None),
        };
        let digest = Digest::new(&BASE64.decode(text.as_bytes()).map_err(|_| bad())?);
        let of_parts = match algorithm {
            "sha256" => "s3-sha256",
            "sha1" => "s3-sha1",
            "crc32" => "s3-crc32",
            "crc32c" => "s3-crc32c",
            _ => "",
        };
        match parts {
            Some(parts @ 1..) if !of_parts.is_empty() => {
                Ok(Checksum { algorithm: of_parts, digest: digest.with_parts(parts) })
            }
            None if !composite => Ok(Checksum { algorithm, digest }),
            // Without its number of parts, a composite checksum is not comparable, but others of the object may be.
            None if !of_parts.is_empty() => Ok(Checksum { algorithm: of_parts, digest }),
            _ => Err(bad()),
        }
    }

    /// Interprets an ETag as the MD5 of the object, or of the MD5s of its parts; `None` if it is something else.
    pub(crate) fn etag(text: &str) -> Option<Checksum> {
        let text = text.trim().trim_matches('"');
        let (hex, parts) = match text.split_once('-') {
            Some((hex, parts)) => (hex, Some(parts.parse::<u64>().ok().filter(|&parts| parts > 0)?)),
            None => (text, None),
        };
        let digest = Digest::from_hex(hex.as_bytes()).ok().filter(|digest| digest.len() == 16)?;
        Some(match parts {
            Some(parts) => Checksum { algorithm: "s3-etag", digest: digest.with_parts(parts) },
            None => Checksum { algorithm: "md5", digest },
        })
    }

    /// Returns whether a digest of this algorithm is of the same kind.
    pub(crate) fn is_of(&self, spec: &Spec) -> bool {
        let plain = !(spec.is_keyed() || spec.is_seeded() || spec.is_customized());
        plain && spec.algorithm().name() == self.algorithm && spec.digest_len() == self.digest.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "25f9e794323b453885f5181f1b624d0b";

    #[test]
    fn etags_are_parsed_as_md5_or_multipart() {
        let whole = Checksum::etag(&format!("\"{MD5}\"")).unwrap();
        assert_eq!((whole.algorithm, whole.digest.parts()), ("md5", None));
        let parts = Checksum::etag(&format!("{MD5}-3")).unwrap();
        assert_eq!((parts.algorithm, parts.digest.parts()), ("s3-etag", Some(3)));
        for other in ["", "\"\"", "0x8D4BCC2E4835CD0", "x-1", &format!("{MD5}-0"), &format!("{MD5}00")] {
            assert_eq!(Checksum::etag(other), None, "{other}");
        }
    }

    #[test]
    fn base64_checksums_are_parsed_with_their_part_count() {
        let crc = Checksum::base64("crc32", "y/Q5Jg==", false).unwrap();
        assert_eq!((crc.algorithm, crc.digest.to_string()), ("crc32", "cbf43926".to_owned()));
        let composite = Checksum::base64("crc32", "y/Q5Jg==-2", true).unwrap();
        assert_eq!((composite.algorithm, composite.digest.parts()), ("s3-crc32", Some(2)));
        let uncounted = Checksum::base64("crc32", "y/Q5Jg==", true).unwrap();
        assert_eq!((uncounted.algorithm, uncounted.digest.parts()), ("s3-crc32", None));
        for (value, composite) in [("?", false), ("y/Q5Jg==-0", true), ("y/Q5Jg==-x", true)] {
            assert!(Checksum::base64("crc32", value, composite).is_err(), "{value}");
        }
        assert!(Checksum::base64("crc64nvme", "y/Q5JjQ5Jjk=-2", true).is_err(), "there is no such thing");
    }
}
