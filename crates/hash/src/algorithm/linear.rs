//! Checksums that can be computed in parts: those of two adjacent parts give that of both.

use super::crc::Crc;
use crate::digest::Digest;

/// A checksum that can be combined from those of parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Linear {
    /// A CRC.
    Crc(Crc),
    /// Adler-32 of RFC 1950.
    Adler32,
}

impl Linear {
    /// Returns the value of a part followed by `len` more bytes.
    pub fn join(self, first: &Digest, second: &Digest, len: u64) -> Digest {
        let (a, b) = (value(first), value(second));
        match self {
            Linear::Crc(crc) => crc.digest(crc.join(a, b, len)),
            Linear::Adler32 => {
                // RFC 1950: the low half is 1 + the sum of bytes, the high half the sum of those sums.
                const MODULUS: u64 = 65521;
                let (a, b) = (a as u64, b as u64);
                let (low, high) = (a & 0xffff, a >> 16);
                let moved = (len % MODULUS) * (low + MODULUS - 1) % MODULUS;
                let high = (high + (b >> 16) + moved) % MODULUS;
                let low = (low + (b & 0xffff) + MODULUS - 1) % MODULUS;
                Digest::number(high << 16 | low, 4)
            }
        }
    }

    /// Returns the checksum of a message of `size` bytes with this value.
    pub fn close(self, whole: Digest, size: u64) -> Digest {
        let Linear::Crc(crc @ Crc { length_suffix: true, parameters, .. }) = self else {
            return whole;
        };
        let (bytes, len) = crc.suffix(size);
        let remainder = parameters.after(parameters.remainder(value(&whole)), &bytes[..len]);
        crc.digest(parameters.value(remainder))
    }
}

fn value(digest: &Digest) -> u128 {
    digest.as_bytes().iter().fold(0, |value, byte| value << 8 | u128::from(*byte))
}
