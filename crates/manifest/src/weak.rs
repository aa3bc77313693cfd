//! The evidence given by a matching digest: which algorithms reveal tampering, and which digests
//! are too short to verify anything.

use truesum_hash::{Lengths, Spec, Status};

/// Minimum number of bits of a digest of variable length.
pub const MIN_BITS: usize = 128;

/// The evidence given by a matching digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// The file is the original one: no other file with this digest can be made.
    TamperEvident,
    /// The file was not damaged by accident, but someone could have changed it. The text is the
    /// reason.
    NotTamperEvident(&'static str),
    /// The digest is so short that it may match by chance or by trying. It is rejected unless
    /// requested.
    TooShort,
    /// Only parts of the file were hashed. The digest is rejected unless its algorithm is requested
    /// by name.
    Sampled,
}

/// Returns the evidence given by a matching digest of this algorithm and length.
///
/// Only a digest shortened below [`MIN_BITS`] is rejected. A 32-bit checksum does not claim to be
/// more, but a hash function shortened to 8 bits has a name that users trust.
pub fn verdict(spec: &Spec) -> Strength {
    let row = spec.algorithm();
    let bits = spec.digest_len() * 8;
    if matches!(row.status(), Status::Sampled(_)) {
        Strength::Sampled
    } else if !row.status().tamper_evident() {
        Strength::NotTamperEvident(row.status().reason())
    } else if bits >= MIN_BITS {
        Strength::TamperEvident
    } else if row.lengths() == Lengths::Fixed {
        Strength::NotTamperEvident("a digest of fewer than 128 bits")
    } else {
        Strength::TooShort
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strength_follows_status_and_length() {
        for (name, expected) in [
            ("sha256", Some(Strength::TamperEvident)),
            ("blake2b-128", Some(Strength::TamperEvident)),
            ("blake2b-120", Some(Strength::TooShort)),
            ("shake128-64", Some(Strength::TooShort)),
            ("md5", None),
            ("crc32", None),
            ("xxh128", None),
        ] {
            let found = verdict(&name.parse().unwrap());
            match expected {
                Some(expected) => assert_eq!(found, expected, "{name}"),
                None => assert!(matches!(found, Strength::NotTamperEvident(_)), "{name}: {found:?}"),
            }
        }
    }
}
