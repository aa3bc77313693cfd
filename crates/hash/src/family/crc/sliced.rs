//! CRCs without folding: eight bytes at a time, each with its own table.
//!
//! The register has the size of a word, whatever the width of the CRC, and contains the remainder in its highest bits:
//! a remainder by `P` is one by `P x^k`, divided by `x^k`. If the lowest bit of a byte is processed first, bytes are
//! mirrored before they are added.

use std::ops::{BitXor, BitXorAssign};

/// The number of bytes processed at a time.
const STEP: usize = 8;

/// A register.
pub(super) trait Register: Copy + BitXor<Output = Self> + BitXorAssign + 'static {
    const ZERO: Self;
    /// Returns a register with this byte at the top, followed by zeros.
    fn of(byte: u8) -> Self;
    fn uppermost(self) -> u8;
    /// Returns the eight topmost bytes.
    fn upper(self) -> u64;
    /// Returns what follows these.
    fn lower(self) -> Self;
    /// Returns what follows the topmost byte.
    fn without_uppermost(self) -> Self;
    /// Returns the product with `x`.
    fn times_x(self, poly: Self) -> Self;
}

macro_rules! register {
    ($($word:ty)*) => {
        $(impl Register for $word {
            const ZERO: Self = 0;
            fn of(byte: u8) -> Self {
                Self::from(byte) << (Self::BITS - 8)
            }
            fn uppermost(self) -> u8 {
                (self >> (Self::BITS - 8)) as u8
            }
            fn upper(self) -> u64 {
                (self >> (Self::BITS - 64)) as u64
            }
            fn lower(self) -> Self {
                self.checked_shl(64).unwrap_or(0)
            }
            fn without_uppermost(self) -> Self {
                self << 8
            }
            fn times_x(self, poly: Self) -> Self {
                (self << 1) ^ ((self >> (Self::BITS - 1)) * poly)
            }
        })*
    };
}
register! { u64 u128 }

/// The contribution of each byte of a step to the register after it.
pub(super) struct Tables<T>([[T; 256]; STEP]);

impl<T: Register> Tables<T> {
    /// Returns the tables for a polynomial as wide as the register, without its highest power.
    pub(super) fn new(poly: T) -> Box<Tables<T>> {
        let mut tables = Box::new(Tables([[T::ZERO; 256]; STEP]));
        for (byte, entry) in (0..=255).zip(&mut tables.0[STEP - 1]) {
            *entry = (0..8).fold(T::of(byte), |sum, _| sum.times_x(poly));
        }
        for step in (0..STEP - 1).rev() {
            for byte in 0..256 {
                let next = tables.0[step + 1][byte];
                let carried = tables.0[STEP - 1][usize::from(next.uppermost())];
                tables.0[step][byte] = next.without_uppermost() ^ carried;
            }
        }
        tables
    }

    /// Returns the register after these bytes.
    pub(super) fn update(&self, mut register: T, data: &[u8], refin: bool) -> T {
        let (steps, rest) = data.as_chunks::<STEP>();
        for step in steps {
            // The first byte at the top.
            let word = match refin {
                true => u64::from_le_bytes(*step).reverse_bits(),
                false => u64::from_be_bytes(*step),
            };
            let word = register.upper() ^ word;
            register = self.0.iter().zip(word.to_be_bytes()).fold(register.lower(), |sum, (table, byte)| {
                sum ^ table[usize::from(byte)]
            });
        }
        for &byte in rest {
            let byte = if refin { byte.reverse_bits() } else { byte };
            register = register.without_uppermost() ^ self.0[STEP - 1][usize::from(register.uppermost() ^ byte)];
        }
        register
    }
}
