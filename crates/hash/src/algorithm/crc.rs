//! CRCs by their parameters, and arithmetic with remainders by their polynomials.
//!
//! The parameters are those of Ross Williams' model ("A Painless Guide to CRC Error Detection Algorithms", 1993), as the
//! catalogue of parametrised CRC algorithms (<https://reveng.sourceforge.io/crc-catalogue/all.htm>) writes them. A *remainder* is
//! what the register holds, the coefficient of the highest power in its highest bit, whatever `refin` is; a *value* is what
//! is shown: mirrored if `refout`, and with `xorout`.

use crate::digest::Digest;

/// What tells one CRC from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Bits of the register, 1 to 127: the degree of the polynomial.
    pub width: u8,
    /// The polynomial without its highest power.
    pub poly: u128,
    /// What the register holds before the first byte.
    pub init: u128,
    /// Whether a byte's lowest bit comes first.
    pub refin: bool,
    /// Whether the register is mirrored before it is shown.
    pub refout: bool,
    /// What the register is combined with (exclusive or) last of all.
    pub xorout: u128,
}

impl Parameters {
    /// Bytes of a value.
    pub const fn bytes(&self) -> usize {
        self.width.div_ceil(8) as usize
    }

    const fn mask(&self) -> u128 {
        (1 << self.width) - 1
    }

    /// A register read from its other end.
    pub(crate) const fn mirrored(&self, register: u128) -> u128 {
        register.reverse_bits() >> (u128::BITS - self.width as u32)
    }

    /// What is shown of a remainder.
    pub(crate) const fn value(&self, remainder: u128) -> u128 {
        let shown = if self.refout { self.mirrored(remainder) } else { remainder };
        shown ^ self.xorout
    }

    /// The remainder of which this is shown.
    pub(crate) const fn remainder(&self, value: u128) -> u128 {
        let shown = value ^ self.xorout;
        if self.refout { self.mirrored(shown) } else { shown }
    }

    const fn times_x(&self, remainder: u128) -> u128 {
        let carry = remainder >> (self.width - 1) & 1;
        (remainder << 1 & self.mask()) ^ (carry * self.poly)
    }

    const fn product(&self, a: u128, b: u128) -> u128 {
        let (mut product, mut bit) = (0, self.width);
        while bit > 0 {
            bit -= 1;
            product = self.times_x(product) ^ ((b >> bit & 1) * a);
        }
        product
    }

    /// The remainder after as many zero bytes: their power of the polynomial times it.
    pub(crate) fn behind_zeros(&self, remainder: u128, bytes: u64) -> u128 {
        let byte = (0..8).fold(1, |power, _| self.times_x(power));
        let mut power = 1;
        for bit in (0..u64::BITS - bytes.leading_zeros()).rev() {
            power = self.product(power, power);
            if bytes >> bit & 1 == 1 {
                power = self.product(power, byte);
            }
        }
        self.product(remainder, power)
    }

    /// The remainder after these bytes, bit by bit.
    pub(crate) fn behind(&self, remainder: u128, bytes: &[u8]) -> u128 {
        bytes.iter().fold(remainder, |remainder, &byte| {
            let byte = if self.refin { byte.reverse_bits() } else { byte };
            (0..8).rev().fold(remainder, |remainder, bit| {
                self.times_x(remainder ^ u128::from(byte >> bit & 1) << (self.width - 1))
            })
        })
    }
}

/// A CRC, and what goes into it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crc {
    /// Its parameters.
    pub(crate) parameters: Parameters,
    /// Whether the message's length follows it, as its fewest bytes, the least first (POSIX `cksum`).
    pub(crate) length_suffix: bool,
}

impl Crc {
    /// Of the message and nothing else.
    pub(crate) const fn of(parameters: Parameters) -> Crc {
        Crc { parameters, length_suffix: false }
    }

    /// What stands behind a message of `size` bytes where the length does: so many of these bytes.
    pub(crate) fn suffix(&self, size: u64) -> ([u8; 8], usize) {
        (size.to_le_bytes(), (u64::BITS - size.leading_zeros()).div_ceil(8) as usize)
    }

    /// A value as a digest: the number in as many bytes as it needs, big-endian.
    pub(crate) fn digest(&self, value: u128) -> Digest {
        match self.parameters.bytes() {
            len @ ..=8 => Digest::number(value as u64, len),
            len => Digest::new(&value.to_be_bytes()[16 - len..]),
        }
    }

    /// The value of a part and of the `len` bytes that follow it: `crc(A || B) = x^(8|B|) (crc(A) + init) + crc(B)`.
    pub(crate) fn join(&self, first: u128, second: u128, len: u64) -> u128 {
        let parameters = &self.parameters;
        let moved = parameters.behind_zeros(parameters.remainder(first) ^ parameters.init, len);
        parameters.value(moved ^ parameters.remainder(second))
    }
}
