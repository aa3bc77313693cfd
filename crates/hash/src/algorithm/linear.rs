//! Checksums that can be computed in parts: those of two neighbours give that of both.
//!
//! For a CRC of width w with start value I and final value X, `crc(A || B) = x^(8|B|) * (crc(A) ^ I ^ X) ^ crc(B)` in the
//! field of its polynomial, whatever I and X are. Adler-32 is a pair of sums, which add up.

use crate::digest::Digest;
use crc_fast::CrcAlgorithm;

/// A checksum that adds up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Linear {
    /// A CRC.
    Crc(Crc),
    /// Adler-32 of RFC 1950.
    Adler32,
}

/// The parameters of a CRC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crc {
    /// Width, polynomial, reflection, start and final value, as the catalogue of CRCs
    /// (<https://reveng.sourceforge.io/crc-catalogue/all.htm>) has them.
    pub(crate) parameters: CrcAlgorithm,
    /// Bytes of the digest: its width.
    pub(crate) len: usize,
    /// Whether the message's length follows it, as its fewest bytes, the least first (POSIX `cksum`).
    pub(crate) length_suffix: bool,
}

impl Crc {
    /// What stands behind a message of `size` bytes where the length does: so many of these bytes.
    pub(crate) fn suffix(&self, size: u64) -> ([u8; 8], usize) {
        (size.to_le_bytes(), (u64::BITS - size.leading_zeros()).div_ceil(8) as usize)
    }

    /// The CRC as a digest: the number, big-endian.
    pub(crate) fn digest(&self, value: u64) -> Digest {
        Digest::number(value, self.len)
    }
}

impl Linear {
    /// The value of a part and of the `len` bytes that follow it.
    pub fn join(self, first: &Digest, second: &Digest, len: u64) -> Digest {
        let (a, b) = (value(first), value(second));
        match self {
            Linear::Crc(crc) => crc.digest(crc_fast::checksum_combine(crc.parameters, a, b, len)),
            Linear::Adler32 => {
                // RFC 1950: the low half is 1 + the sum of bytes, the high half the sum of those sums.
                const MODULUS: u64 = 65521;
                let (low, high) = (a & 0xffff, a >> 16);
                let moved = (len % MODULUS) * (low + MODULUS - 1) % MODULUS;
                let high = (high + (b >> 16) + moved) % MODULUS;
                let low = (low + (b & 0xffff) + MODULUS - 1) % MODULUS;
                Digest::number(high << 16 | low, 4)
            }
        }
    }

    /// The checksum of a message of `size` bytes with this value.
    pub fn close(self, whole: Digest, size: u64) -> Digest {
        let Linear::Crc(crc @ Crc { length_suffix: true, .. }) = self else {
            return whole;
        };
        let (bytes, len) = crc.suffix(size);
        let suffix = crc.digest(crc_fast::checksum(crc.parameters, &bytes[..len]));
        self.join(&whole, &suffix, len as u64)
    }
}

fn value(digest: &Digest) -> u64 {
    digest.as_bytes().iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
}
