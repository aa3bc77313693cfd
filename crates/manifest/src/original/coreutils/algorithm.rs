//! The algorithms of GNU coreutils 9.11 under their names there, in the order of its messages
//! (`cksum --help`).

use truesum_hash::{Spec, SpecError};

readable! {
    /// An algorithm of `cksum -a`.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Checksum {
        /// The name for `-a`.
        name: &'static str,
        /// The name in tagged lines and messages.
        tag: &'static str,
        /// The length of the digest in bits; 0 if `-l` or the digest determines it.
        bits: usize,
        /// The form of its lines.
        form: DigestForm,
    }
    private {
        lengths: Lengths,
    }
}

/// The form of an algorithm's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigestForm {
    /// Five decimal digits and the number of blocks of 1024 bytes. Such lines are never checked.
    Bsd,
    /// A decimal sum and the number of blocks of 512 bytes. Such lines are never checked.
    Sysv,
    /// A decimal checksum and the number of bytes. Such lines are never checked.
    Crc,
    /// A digest, with or without a tag.
    Digest,
}

/// The lengths that a digest may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lengths {
    One,
    /// Several algorithms under one name. Their names in this project are this prefix and the
    /// number of bits.
    Family(&'static str),
    /// Any multiple of 8 bits up to the default length.
    Bytes,
}

const fn row(
    name: &'static str,
    tag: &'static str,
    bits: usize,
    form: DigestForm,
    lengths: Lengths,
) -> Checksum {
    Checksum { name, tag, bits, form, lengths }
}

/// All algorithms of coreutils.
pub static ALGORITHMS: &[Checksum] = &[
    row("bsd", "BSD", 16, DigestForm::Bsd, Lengths::One),
    row("sysv", "SYSV", 16, DigestForm::Sysv, Lengths::One),
    row("crc", "CRC", 32, DigestForm::Crc, Lengths::One),
    row("crc32b", "CRC32B", 32, DigestForm::Crc, Lengths::One),
    row("md5", "MD5", 128, DigestForm::Digest, Lengths::One),
    row("sha1", "SHA1", 160, DigestForm::Digest, Lengths::One),
    row("sha224", "SHA224", 224, DigestForm::Digest, Lengths::One),
    row("sha256", "SHA256", 256, DigestForm::Digest, Lengths::One),
    row("sha384", "SHA384", 384, DigestForm::Digest, Lengths::One),
    row("sha512", "SHA512", 512, DigestForm::Digest, Lengths::One),
    row("sha2", "SHA2", 0, DigestForm::Digest, Lengths::Family("sha")),
    row("sha3", "SHA3", 0, DigestForm::Digest, Lengths::Family("sha3-")),
    row("blake2b", "BLAKE2b", 512, DigestForm::Digest, Lengths::Bytes),
    row("sm3", "SM3", 256, DigestForm::Digest, Lengths::One),
];

/// The digest lengths of the members of a family, in bits.
pub(super) const FAMILY_BITS: [usize; 4] = [224, 256, 384, 512];

/// Returns the row with this name for `-a`, which must not be abbreviated.
pub fn by_name(name: &[u8]) -> Option<&'static Checksum> {
    ALGORITHMS.iter().find(|row| row.name.as_bytes() == name)
}

/// Returns the row with this tag, which must not be abbreviated.
pub(super) fn by_tag(tag: &[u8]) -> Option<&'static Checksum> {
    ALGORITHMS.iter().find(|row| row.tag.as_bytes() == tag)
}

impl Checksum {
    /// Returns the algorithm with a digest of `bits` bits.
    ///
    /// # Errors
    /// Fails if the algorithm has no digest of this length.
    pub fn spec(&self, bits: usize) -> Result<Spec, SpecError> {
        match self.lengths {
            Lengths::Family(prefix) => format!("{prefix}{bits}").parse(),
            Lengths::One | Lengths::Bytes => self.name.parse::<Spec>()?.with_bits(bits),
        }
    }

    /// Returns the tag of a line with a digest of `bits` bits.
    pub fn tag_of(&self, bits: usize) -> String {
        match self.lengths {
            Lengths::Family(_) => self.spec(bits).map_or_else(|_| self.tag.to_owned(), |spec| spec.tag()),
            _ if bits < self.bits => format!("{}-{bits}", self.tag),
            _ => self.tag.to_owned(),
        }
    }

    /// Returns whether lines of this algorithm can be checked.
    pub(super) fn is_checked(&self) -> bool {
        self.form == DigestForm::Digest
    }

    /// Returns whether digests in lines may have different lengths.
    pub(super) fn has_lengths(&self) -> bool {
        self.lengths != Lengths::One
    }

    /// Returns whether this is a name for several algorithms.
    pub(super) fn is_family(&self) -> bool {
        matches!(self.lengths, Lengths::Family(_))
    }

    /// Returns whether a digest may have this length.
    pub(super) fn allows(&self, bits: usize) -> bool {
        match self.lengths {
            Lengths::One => bits == self.bits,
            Lengths::Family(_) => FAMILY_BITS.contains(&bits),
            Lengths::Bytes => 0 < bits && bits <= self.bits && bits.is_multiple_of(8),
        }
    }

    /// Returns whether `other` is this algorithm or a member of this family.
    pub(super) fn covers(&self, other: &Checksum) -> bool {
        let member = |spec: Spec| other.spec(other.bits).is_ok_and(|other| other == spec);
        self == other || (self.is_family() && self.spec(other.bits).is_ok_and(member))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_coreutils_algorithm_is_supported() {
        for row in ALGORITHMS {
            let lengths: &[usize] = if row.is_family() { &FAMILY_BITS } else { &[row.bits] };
            for &bits in lengths {
                let spec = row.spec(bits).unwrap();
                assert_eq!(spec.digest_len() * 8, bits, "{}", row.name);
                assert!(row.allows(bits), "{}", row.name);
                if row.is_checked() {
                    assert_eq!(spec.tag(), row.tag_of(bits), "{}", row.name);
                }
            }
            assert_eq!((by_name(row.name.as_bytes()), by_tag(row.tag.as_bytes())), (Some(row), Some(row)));
        }
    }

    #[test]
    fn family_covers_only_its_members() {
        let covered = |name: &[u8]| -> Vec<&str> {
            let family = by_name(name).unwrap();
            ALGORITHMS.iter().filter(|row| family.covers(row)).map(|row| row.name).collect()
        };
        assert_eq!(covered(b"sha2"), ["sha224", "sha256", "sha384", "sha512", "sha2"]);
        assert_eq!(covered(b"sha3"), ["sha3"]);
        assert_eq!(covered(b"md5"), ["md5"]);
    }
}
