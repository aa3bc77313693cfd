//! Checksums that can be computed in parts: those of two neighbours give that of both.
//!
//! For a CRC of width w with start value I and final value X, `crc(A || B) = x^(8|B|) * (crc(A) ^ I ^ X) ^ crc(B)` in the
//! field of its polynomial, whatever I and X are. Adler-32 is a pair of sums, which add up.

use crate::algorithm::Algorithm;
use crate::digest::Digest;
use crate::spec::Spec;
use crc_fast::CrcAlgorithm;

/// A checksum that adds up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Linear {
    /// A CRC.
    Crc(CrcAlgorithm),
    /// POSIX `cksum`: the CRC is followed by the message's length, which is known only at the end.
    Cksum,
    /// Adler-32 of RFC 1950.
    Adler32,
}

impl Linear {
    /// That of an algorithm, if it adds up.
    pub fn of(algorithm: &Algorithm) -> Option<Linear> {
        Some(match algorithm.name {
            "crc32" => Linear::Crc(CrcAlgorithm::Crc32IsoHdlc),
            "crc32c" => Linear::Crc(CrcAlgorithm::Crc32Iscsi),
            "crc64nvme" => Linear::Crc(CrcAlgorithm::Crc64Nvme),
            "crc64xz" => Linear::Crc(CrcAlgorithm::Crc64Xz),
            "crc" => Linear::Cksum,
            "adler32" => Linear::Adler32,
            _ => return None,
        })
    }

    /// The value of a part.
    pub fn part(self, spec: &Spec, data: &[u8]) -> Digest {
        match self {
            Linear::Cksum => digest(crc_fast::checksum(CrcAlgorithm::Crc32Cksum, data), 4),
            Linear::Crc(_) | Linear::Adler32 => spec.digest(data),
        }
    }

    /// The value of a part and of the `len` bytes that follow it.
    pub fn join(self, first: &Digest, second: &Digest, len: u64) -> Digest {
        let (a, b) = (value(first), value(second));
        match self {
            Linear::Crc(algorithm) => digest(crc_fast::checksum_combine(algorithm, a, b, len), first.len()),
            Linear::Cksum => digest(crc_fast::checksum_combine(CrcAlgorithm::Crc32Cksum, a, b, len), 4),
            Linear::Adler32 => {
                // RFC 1950: the low half is 1 + the sum of bytes, the high half the sum of those sums.
                const MODULUS: u64 = 65521;
                let (low, high) = (a & 0xffff, a >> 16);
                let moved = (len % MODULUS) * (low + MODULUS - 1) % MODULUS;
                let high = (high + (b >> 16) + moved) % MODULUS;
                let low = (low + (b & 0xffff) + MODULUS - 1) % MODULUS;
                digest(high << 16 | low, 4)
            }
        }
    }

    /// The checksum of a message of `size` bytes with this value.
    pub fn close(self, whole: Digest, size: u64) -> Digest {
        if self != Linear::Cksum {
            return whole;
        }
        let bytes = (u64::BITS - size.leading_zeros()).div_ceil(8) as usize;
        let length = digest(crc_fast::checksum(CrcAlgorithm::Crc32Cksum, &size.to_le_bytes()[..bytes]), 4);
        self.join(&whole, &length, bytes as u64)
    }
}

fn value(digest: &Digest) -> u64 {
    digest.as_bytes().iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

fn digest(value: u64, len: usize) -> Digest {
    Digest::new(&value.to_be_bytes()[8 - len..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ALGORITHMS;

    #[test]
    fn parts_of_any_length_join_to_the_whole() {
        let data: Vec<u8> = (0..70_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let mut seen = 0;
        for row in ALGORITHMS {
            let Some(linear) = Linear::of(row) else { continue };
            seen += 1;
            let spec = Spec::new(row);
            for len in [0, 1, 255, 256, 65_535, 70_000] {
                let whole = &data[..len];
                for cut in [0, 1, 7, 128, 256, 65_521, 65_536, len].into_iter().filter(|&cut| cut <= len) {
                    let (a, b) = whole.split_at(cut);
                    let joined = linear.join(&linear.part(&spec, a), &linear.part(&spec, b), b.len() as u64);
                    assert_eq!(joined, linear.part(&spec, whole));
                    let digest = linear.close(joined, len as u64);
                    assert_eq!(digest, spec.digest(whole), "{} of {cut} and {}", row.name, b.len());
                }
            }
        }
        assert_eq!(seen, 6, "a row of the table was renamed");
    }
}
