//! The algorithms as coreutils names them, in the order of its messages.

use truesum::hash::{Spec, SpecError};

/// An algorithm of `cksum -a`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Algorithm {
    /// What `-a` calls it.
    pub name: &'static str,
    /// What tagged lines and messages call it.
    pub tag: &'static str,
    /// Length of the digest in bits; 0 where `-l` must say it.
    pub bits: usize,
    pub line: Line,
}

/// How a line of an algorithm looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Five decimal digits and the number of blocks of 1024 bytes.
    Bsd,
    /// A decimal sum and the number of blocks of 512 bytes.
    Sysv,
    /// A decimal check and the number of bytes.
    Crc,
    /// A digest, with a tag or without.
    Digest,
}

const fn row(name: &'static str, tag: &'static str, bits: usize, line: Line) -> Algorithm {
    Algorithm { name, tag, bits, line }
}

pub(super) static ALGORITHMS: &[Algorithm] = &[
    row("bsd", "BSD", 16, Line::Bsd),
    row("sysv", "SYSV", 16, Line::Sysv),
    row("crc", "CRC", 32, Line::Crc),
    row("crc32b", "CRC32B", 32, Line::Crc),
    row("md5", "MD5", 128, Line::Digest),
    row("sha1", "SHA1", 160, Line::Digest),
    row("sha224", "SHA224", 224, Line::Digest),
    row("sha256", "SHA256", 256, Line::Digest),
    row("sha384", "SHA384", 384, Line::Digest),
    row("sha512", "SHA512", 512, Line::Digest),
    row("sha2", "SHA2", 0, Line::Digest),
    row("sha3", "SHA3", 0, Line::Digest),
    row("blake2b", "BLAKE2b", 512, Line::Digest),
    row("sm3", "SM3", 256, Line::Digest),
];

/// The row with this name, which must be whole.
pub(super) fn find(name: &[u8]) -> Option<&'static Algorithm> {
    ALGORITHMS.iter().find(|row| row.name.as_bytes() == name)
}

impl Algorithm {
    /// What computes it, with a digest of `bits` bits.
    ///
    /// # Errors
    /// The algorithm has no digest of this length.
    pub(super) fn spec(&self, bits: usize) -> Result<Spec, SpecError> {
        match self.name {
            "sha2" => format!("sha{bits}").parse(),
            "sha3" => format!("sha3-{bits}").parse(),
            name => name.parse::<Spec>()?.with_bits(bits),
        }
    }

    /// The tag of a line with a digest of `bits` bits.
    pub(super) fn tag_of(&self, bits: usize) -> String {
        match self.name {
            "sha2" => format!("SHA{bits}"),
            "sha3" => format!("SHA3-{bits}"),
            _ if bits < self.bits => format!("{}-{bits}", self.tag),
            _ => self.tag.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_is_in_the_table_of_hashes() {
        for row in ALGORITHMS {
            let lengths: &[usize] = if row.bits == 0 { &[224, 256, 384, 512] } else { &[row.bits] };
            for &bits in lengths {
                let spec = row.spec(bits).unwrap();
                assert_eq!(spec.digest_len() * 8, bits, "{}", row.name);
                if row.line == Line::Digest {
                    assert_eq!(spec.tag(), row.tag_of(bits), "{}", row.name);
                }
            }
        }
    }
}
