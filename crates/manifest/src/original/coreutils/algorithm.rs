//! The algorithms as GNU coreutils 9.11 names them, in the order of its messages (`cksum --help`).

use truesum_hash::{Spec, SpecError};

/// An algorithm of `cksum -a`.
#[derive(Debug, PartialEq, Eq)]
pub struct Checksum {
    /// What `-a` calls it.
    pub name: &'static str,
    /// What tagged lines and messages call it.
    pub tag: &'static str,
    /// Length of the digest in bits; 0 where `-l` or the digest must say it.
    pub bits: usize,
    /// How a line of it looks.
    pub form: DigestForm,
    lengths: Lengths,
}

/// How a line of an algorithm looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigestForm {
    /// Five decimal digits and the number of blocks of 1024 bytes. Never checked.
    Bsd,
    /// A decimal sum and the number of blocks of 512 bytes. Never checked.
    Sysv,
    /// A decimal check and the number of bytes. Never checked.
    Crc,
    /// A digest, with a tag or without.
    Digest,
}

/// Which lengths a digest may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lengths {
    One,
    /// Algorithms of their own under one name: our names for them are this and the bits.
    Family(&'static str),
    /// Any multiple of 8 bits up to the usual length.
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

/// Every algorithm of coreutils.
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

/// Lengths of the members of a family, in bits.
pub(super) const FAMILY_BITS: [usize; 4] = [224, 256, 384, 512];

/// The row that `-a` calls so, which must be the whole name.
pub fn by_name(name: &[u8]) -> Option<&'static Checksum> {
    ALGORITHMS.iter().find(|row| row.name.as_bytes() == name)
}

/// The row with this tag, which must be whole.
pub(super) fn by_tag(tag: &[u8]) -> Option<&'static Checksum> {
    ALGORITHMS.iter().find(|row| row.tag.as_bytes() == tag)
}

impl Checksum {
    /// What computes it, with a digest of `bits` bits.
    ///
    /// # Errors
    /// The algorithm has no digest of this length.
    pub fn spec(&self, bits: usize) -> Result<Spec, SpecError> {
        match self.lengths {
            Lengths::Family(prefix) => format!("{prefix}{bits}").parse(),
            Lengths::One | Lengths::Bytes => self.name.parse::<Spec>()?.with_bits(bits),
        }
    }

    /// The tag of a line with a digest of `bits` bits.
    pub fn tag_of(&self, bits: usize) -> String {
        match self.lengths {
            Lengths::Family(_) => self.spec(bits).map_or_else(|_| self.tag.to_owned(), |spec| spec.tag()),
            _ if bits < self.bits => format!("{}-{bits}", self.tag),
            _ => self.tag.to_owned(),
        }
    }

    /// Whether lines of it are checked.
    pub(super) fn is_checked(&self) -> bool {
        self.form == DigestForm::Digest
    }

    /// Whether the digest in a line may have one of several lengths.
    pub(super) fn has_lengths(&self) -> bool {
        self.lengths != Lengths::One
    }

    /// Whether it is a name for several algorithms.
    pub(super) fn is_family(&self) -> bool {
        matches!(self.lengths, Lengths::Family(_))
    }

    /// Whether a digest may have this length.
    pub(super) fn allows(&self, bits: usize) -> bool {
        match self.lengths {
            Lengths::One => bits == self.bits,
            Lengths::Family(_) => FAMILY_BITS.contains(&bits),
            Lengths::Bytes => 0 < bits && bits <= self.bits && bits.is_multiple_of(8),
        }
    }

    /// Whether the other is one of the algorithms that this is a name for.
    pub(super) fn covers(&self, other: &Checksum) -> bool {
        let member = |spec: Spec| other.spec(other.bits).is_ok_and(|other| other == spec);
        self == other || (self.is_family() && self.spec(other.bits).is_ok_and(member))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_is_in_the_table_of_hashes() {
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
    fn a_family_covers_its_members_alone() {
        let covered = |name: &[u8]| -> Vec<&str> {
            let family = by_name(name).unwrap();
            ALGORITHMS.iter().filter(|row| family.covers(row)).map(|row| row.name).collect()
        };
        assert_eq!(covered(b"sha2"), ["sha224", "sha256", "sha384", "sha512", "sha2"]);
        assert_eq!(covered(b"sha3"), ["sha3"]);
        assert_eq!(covered(b"md5"), ["md5"]);
    }
}
