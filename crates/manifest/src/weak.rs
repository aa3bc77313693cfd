//! What an equal digest proves: which algorithms show tampering, and which digests are too short for anything.

use truesum_hash::{Lengths, Spec, Status};

/// Fewest bits a digest of free length must have.
pub const MIN_BITS: usize = 128;

/// What an equal digest of some algorithm proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// Nobody can make another file with this digest.
    TamperEvident,
    /// The file was not damaged by accident; somebody could have changed it. The text says why.
    NotTamperEvident(&'static str),
    /// Cut so short that equal digests happen by chance or by trying: refused unless asked for.
    TooShort,
    /// Only parts of a file are looked at: refused unless asked for by name.
    Sampled,
}

/// What an equal digest of this algorithm and length proves.
///
/// Only a digest cut below [`MIN_BITS`] is refused: a checksum of 32 bits claims nothing else, but a hash function
/// of 8 bits wears a name that people trust.
pub fn verdict(spec: &Spec) -> Strength {
    let row = spec.algorithm();
    let bits = spec.digest_len() * 8;
    if matches!(row.status, Status::Sampled(_)) {
        Strength::Sampled
    } else if !row.status.tamper_evident() {
        Strength::NotTamperEvident(row.status.reason())
    } else if bits >= MIN_BITS {
        Strength::TamperEvident
    } else if row.lengths == Lengths::Fixed {
        Strength::NotTamperEvident("a digest of fewer than 128 bits")
    } else {
        Strength::TooShort
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_status_and_length() {
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
