//! CRCs of up to 64 bits by carry-less multiplication (Gopal et al., "Fast CRC Computation for Generic Polynomials
//! Using PCLMULQDQ Instruction", Intel 2009): sixteen bytes `H x^64 + L` that are `d` bits before others are equivalent
//! to `H (x^(d+64) mod P) + L (x^d mod P)` in the place of the others.
//!
//! A polynomial with less than 64 bits becomes `P x^k`, so that all registers have 64 bits: the remainder is in the
//! highest bits or, if the lowest bit of a byte is processed first, the mirrored value. A product of mirrored factors
//! is the mirrored product times `x`, so mirrored constants have a power less.
#![allow(unsafe_code)]

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod body;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod factors;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::sliced::Tables;
use crate::algorithm::Parameters;
#[cfg(target_arch = "aarch64")]
use crate::block::cpu::PMULL;
#[cfg(target_arch = "x86_64")]
use crate::block::cpu::{AVX2, AVX512, CLMUL, SSSE3, VPCLMUL};
use crate::block::cpu::{self, Features};
use crate::block::forced;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use factors::Factors;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The number of bits of the registers.
pub(super) const WIDTH: u32 = u64::BITS;

/// The constants of a polynomial. Words of pairs are in the order of the halves of a vector: if the lowest bit of a
/// byte is processed first, the lower half is `H`, otherwise `L`.
pub(super) struct Folding {
    refin: bool,
    /// The polynomial without its highest power.
    poly: u64,
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    factors: Factors,
    tables: OnceLock<Box<Tables<u64>>>,
}

impl Folding {
    const fn new(poly: u64, refin: bool) -> Folding {
        Folding {
            refin,
            poly: if refin { poly.reverse_bits() } else { poly },
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            factors: Factors::new(poly, refin),
            tables: OnceLock::new(),
        }
    }

    /// Returns the constants of a polynomial. They are never freed, because only a few are ever requested.
    pub(super) fn of(parameters: &Parameters) -> Option<&'static Folding> {
        static CREATED: Mutex<Vec<&'static Folding>> = Mutex::new(Vec::new());
        let spare = WIDTH.checked_sub(parameters.width.into())?;
        let (poly, refin) = ((parameters.poly << spare) as u64, parameters.refin);
        let held = if refin { poly.reverse_bits() } else { poly };
        let is_it = |known: &Folding| known.poly == held && known.refin == refin;
        if let Some(known) = COMMON.iter().find(|known| is_it(known)) {
            return Some(known);
        }
        let mut made = CREATED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = made.iter().find(|known| is_it(known)) {
            return Some(known);
        }
        let new: &Folding = Box::leak(Box::new(Folding::new(poly, refin)));
        made.push(new);
        Some(new)
    }

    /// Returns a remainder as a register.
    pub(super) fn register(&self, remainder: u128, width: u8) -> u64 {
        self.to_word_order((remainder as u64) << (WIDTH - u32::from(width)))
    }

    /// Returns the remainder in a register.
    pub(super) fn remainder(&self, register: u64, width: u8) -> u128 {
        u128::from(self.to_word_order(register) >> (WIDTH - u32::from(width)))
    }

    /// Returns the same value, mirrored if the register is.
    pub(super) fn mirrored_like_register(&self, register: u64, width: u8) -> u128 {
        u128::from(if self.refin { register } else { register >> (WIDTH - u32::from(width)) })
    }

    /// Returns the register after these bytes.
    pub(super) fn update(&'static self, register: u64, data: &[u8]) -> u64 {
        static SELECTED: OnceLock<[&Row; 2]> = OnceLock::new();
        let [short, long] = SELECTED.get_or_init(|| {
            let row = |len| ROWS.iter().find(|row| row.serves(len)).expect("the last row serves all");
            [row(0), row(usize::MAX)]
        });
        let row = if data.len() < long.from { short } else { long };
        // SAFETY: `serves` tested for the features for which the code is compiled.
        unsafe { (row.advance)(self, register, data) }
    }

    /// Processes eight bytes at a time, with tables.
    ///
    /// # Safety
    /// There are no requirements; the signature is that of the other rows.
    unsafe fn by_tables(&'static self, register: u64, data: &[u8]) -> u64 {
        let tables = self.tables.get_or_init(|| Tables::new(self.to_word_order(self.poly)));
        self.to_word_order(tables.update(self.to_word_order(register), data, self.refin))
    }

    /// Returns a word, mirrored if this polynomial's words are.
    fn to_word_order(&self, register: u64) -> u64 {
        if self.refin { register.reverse_bits() } else { register }
    }
}

/// The most common polynomials, which need neither a lock nor any computation.
static COMMON: [Folding; 5] = [
    Folding::new(0x04c1_1db7 << 32, true),
    Folding::new(0x1edc_6f41 << 32, true),
    Folding::new(0xad93_d235_94c9_3659, true),
    Folding::new(0x42f0_e1eb_a9ea_3693, true),
    Folding::new(0x04c1_1db7 << 32, false),
];

/// Code for a set of CPU features.
struct Row {
    /// The name in `TRUESUM_KERNEL`.
    isa: &'static str,
    /// The message length from which it is faster than the following rows.
    from: usize,
    needs: Features,
    advance: unsafe fn(&'static Folding, u64, &[u8]) -> u64,
}

impl Row {
    fn serves(&self, len: usize) -> bool {
        let allowed = self.isa == PORTABLE || forced().is_none_or(|isa| isa == self.isa);
        self.from <= len && allowed && cpu::has(self.needs)
    }
}

const PORTABLE: &str = "portable";

/// Best first.
static ROWS: &[Row] = &[
    #[cfg(target_arch = "x86_64")]
    Row { isa: "avx512", from: 512, needs: CLMUL.and(VPCLMUL).and(AVX512), advance: x86::avx512 },
    #[cfg(target_arch = "x86_64")]
    Row { isa: "avx2", from: 512, needs: CLMUL.and(VPCLMUL).and(AVX2), advance: x86::avx2 },
    // Three-operand instructions avoid copies, which saves a sixth of the instructions.
    #[cfg(target_arch = "x86_64")]
    Row { isa: "avx2", from: 0, needs: CLMUL.and(AVX2), advance: x86::clmul_avx2 },
    #[cfg(target_arch = "x86_64")]
    Row { isa: "clmul", from: 0, needs: CLMUL.and(SSSE3), advance: x86::clmul },
    #[cfg(target_arch = "aarch64")]
    Row { isa: "pmull", from: 0, needs: PMULL, advance: arm::pmull },
    Row { isa: PORTABLE, from: 0, needs: Features::NONE, advance: Folding::by_tables },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_folding_kernel_matches_the_tables() {
        let data: Vec<u8> = (0..5000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 19) as u8).collect();
        let mut tried = 0;
        for folding in &COMMON {
            for row in ROWS.iter().filter(|row| cpu::has(row.needs)) {
                tried += 1;
                for len in (0..700).chain([1023, 1024, 1025, 2047, 2048, 2049, 4096, 4999]) {
                    for begin in [0, 1] {
                        let (register, data) = (0x0123_4567_89ab_cdef, &data[begin..begin + len.min(4999)]);
                        // SAFETY: the CPU has the features required by the row.
                        let found = unsafe { (row.advance)(folding, register, data) };
                        // SAFETY: there are no requirements.
                        let expected = unsafe { folding.by_tables(register, data) };
                        assert_eq!(found, expected, "{}: {len} bytes of {:x}", row.isa, folding.poly);
                    }
                }
            }
        }
        assert!(tried >= COMMON.len());
    }

    #[test]
    fn common_folding_constants_are_precomputed() {
        for row in super::super::ROWS {
            let crate::algorithm::Kind::Linear(crate::algorithm::Linear::Crc(crc)) = row.kind else { continue };
            let folding = Folding::of(&crc.parameters).unwrap();
            assert!(COMMON.iter().any(|known| std::ptr::eq(known, folding)), "{}", row.name);
        }
    }
}
