//! CRCs by their parameters, and arithmetic with remainders of polynomials.
//!
//! The parameters are those of Ross Williams' model ("A Painless Guide to CRC Error Detection Algorithms", 1993), as
//! used by the catalogue of parametrised CRC algorithms (<https://reveng.sourceforge.io/crc-catalogue/all.htm>). A
//! *remainder* is the content of the register, with the coefficient of the highest power in its highest bit, regardless
//! of `refin`; a *value* is what is printed: mirrored if `refout`, and combined with `xorout`.

use crate::digest::Digest;

readable! {
    /// The parameters of a CRC.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Parameters {
        /// The number of bits of the register, 1 to 127: the degree of the polynomial.
        width: u8,
        /// The polynomial without its highest power.
        poly: u128,
        /// The initial value of the register.
        init: u128,
        /// True if the lowest bit of a byte is processed first.
        refin: bool,
        /// True if the register is mirrored for output.
        refout: bool,
        /// The value that is finally combined with the register (exclusive or).
        xorout: u128,
    }
}

impl Parameters {
    /// Returns the size of a value in bytes.
    pub const fn bytes(&self) -> usize {
        self.width.div_ceil(8) as usize
    }

    const fn mask(&self) -> u128 {
        (1 << self.width) - 1
    }

    /// Returns a register with its bits in reverse order.
    pub(crate) const fn mirrored(&self, register: u128) -> u128 {
        register.reverse_bits() >> (u128::BITS - self.width as u32)
    }

    /// Returns the value of a remainder.
    pub(crate) const fn value(&self, remainder: u128) -> u128 {
        let shown = if self.refout { self.mirrored(remainder) } else { remainder };
        shown ^ self.xorout
    }

    /// Returns the remainder of a value.
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

    /// Returns the remainder after this many zero bytes: their power of the polynomial times the remainder.
    pub(crate) fn after_zeros(&self, remainder: u128, bytes: u64) -> u128 {
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

    /// Returns the remainder after these bytes, computed bit by bit.
    pub(crate) fn after(&self, remainder: u128, bytes: &[u8]) -> u128 {
        bytes.iter().fold(remainder, |remainder, &byte| {
            let byte = if self.refin { byte.reverse_bits() } else { byte };
            (0..8).rev().fold(remainder, |remainder, bit| {
                self.times_x(remainder ^ u128::from(byte >> bit & 1) << (self.width - 1))
            })
        })
    }
}

/// A CRC, and what it covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crc {
    /// Its parameters.
    pub(crate) parameters: Parameters,
    /// True if the message is followed by its length in as few bytes as possible, the least significant first (POSIX
    /// `cksum`).
    pub(crate) length_suffix: bool,
}

impl Crc {
    /// Returns the CRC of the message alone.
    pub(crate) const fn of(parameters: Parameters) -> Crc {
        Crc { parameters, length_suffix: false }
    }

    /// Returns what follows a message of `size` bytes if the length is included: the number of bytes used of the array,
    /// and the array.
    pub(crate) fn suffix(&self, size: u64) -> ([u8; 8], usize) {
        (size.to_le_bytes(), (u64::BITS - size.leading_zeros()).div_ceil(8) as usize)
    }

    /// Returns a value as a digest: a big-endian number with as many bytes as needed.
    pub(crate) fn digest(&self, value: u128) -> Digest {
        match self.parameters.bytes() {
            len @ ..=8 => Digest::number(value as u64, len),
            len => Digest::new(&value.to_be_bytes()[16 - len..]),
        }
    }

    /// Returns the value of a part followed by `len` more bytes: `crc(A || B) = x^(8|B|) (crc(A) + init) + crc(B)`.
    pub(crate) fn join(&self, first: u128, second: u128, len: u64) -> u128 {
        let parameters = &self.parameters;
        let moved = parameters.after_zeros(parameters.remainder(first) ^ parameters.init, len);
        parameters.value(moved ^ parameters.remainder(second))
    }
}
