//! CRCs that are not folded: eight bytes at a time, each by a table of its own.
//!
//! The register is as wide as a word whatever the CRC's width, and holds the remainder in its highest bits: a remainder by `P`
//! is one by `P x^k`, divided by `x^k`. Where a byte's lowest bit comes first, bytes are turned round before they go in.

use std::ops::{BitXor, BitXorAssign};

/// Bytes at a time.
const STEP: usize = 8;

/// A register.
pub(super) trait Register: Copy + BitXor<Output = Self> + BitXorAssign + 'static {
    const ZERO: Self;
    /// With this byte uppermost, and zeros.
    fn of(byte: u8) -> Self;
    fn uppermost(self) -> u8;
    /// The eight uppermost bytes.
    fn upper(self) -> u64;
    /// Behind these.
    fn lower(self) -> Self;
    /// Behind the uppermost.
    fn behind(self) -> Self;
    /// Times `x`.
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
            fn behind(self) -> Self {
                self << 8
            }
            fn times_x(self, poly: Self) -> Self {
                (self << 1) ^ ((self >> (Self::BITS - 1)) * poly)
            }
        })*
    };
}
register! { u64 u128 }

/// What each byte of a step adds to the register behind it.
pub(super) struct Tables<T>([[T; 256]; STEP]);

impl<T: Register> Tables<T> {
    /// Those of a polynomial as wide as the register, without its highest power.
    pub(super) fn new(poly: T) -> Box<Tables<T>> {
        let mut tables = Box::new(Tables([[T::ZERO; 256]; STEP]));
        for (byte, entry) in (0..=255).zip(&mut tables.0[STEP - 1]) {
            *entry = (0..8).fold(T::of(byte), |sum, _| sum.times_x(poly));
        }
        for step in (0..STEP - 1).rev() {
            for byte in 0..256 {
                let behind = tables.0[step + 1][byte];
                let carried = tables.0[STEP - 1][usize::from(behind.uppermost())];
                tables.0[step][byte] = behind.behind() ^ carried;
            }
        }
        tables
    }

    /// The register after these bytes.
    pub(super) fn update(&self, mut register: T, data: &[u8], refin: bool) -> T {
        let (steps, rest) = data.as_chunks::<STEP>();
        for step in steps {
            // Its first byte uppermost.
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
            register = register.behind() ^ self.0[STEP - 1][usize::from(register.uppermost() ^ byte)];
        }
        register
    }
}
