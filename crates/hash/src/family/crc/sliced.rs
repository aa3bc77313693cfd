//! CRCs that are not folded: eight bytes at a time, each by a table of its own.
//!
//! The register is 128 bits wide whatever the CRC's width, and holds the remainder in its highest bits: a remainder by `P` is
//! one by `P x^k`, divided by `x^k`. Where a byte's lowest bit comes first, bytes are turned round before they go in.

use crate::algorithm::Parameters;
use std::sync::{Mutex, PoisonError};

/// Bytes at a time.
const STEP: usize = 8;

/// What each byte of a step adds to the register behind it.
type Tables = [[u128; 256]; STEP];

/// A register under way.
#[derive(Clone)]
pub(super) struct Sliced {
    register: u128,
    tables: &'static Tables,
    refin: bool,
    spare: u32,
}

impl Sliced {
    /// One that holds this remainder.
    pub(super) fn new(parameters: &Parameters, remainder: u128) -> Sliced {
        let spare = u128::BITS - u32::from(parameters.width);
        let tables = tables(parameters.poly << spare);
        Sliced { register: remainder << spare, tables, refin: parameters.refin, spare }
    }

    /// The remainder so far.
    pub(super) fn remainder(&self) -> u128 {
        self.register >> self.spare
    }

    pub(super) fn update(&mut self, data: &[u8]) {
        let (steps, rest) = data.as_chunks::<STEP>();
        let mut register = self.register;
        for step in steps {
            // Its first byte uppermost.
            let word = match self.refin {
                true => u64::from_le_bytes(*step).reverse_bits(),
                false => u64::from_be_bytes(*step),
            };
            let word = (register >> 64) as u64 ^ word;
            register = self.tables.iter().zip(word.to_be_bytes()).fold(register << 64, |sum, (table, byte)| {
                sum ^ table[usize::from(byte)]
            });
        }
        for &byte in rest {
            let byte = if self.refin { byte.reverse_bits() } else { byte };
            let index = (register >> 120) as u8 ^ byte;
            register = register << 8 ^ self.tables[STEP - 1][usize::from(index)];
        }
        self.register = register;
    }
}

/// The tables of a polynomial of degree 128. They stay: there are only as many as polynomials are asked for.
fn tables(poly: u128) -> &'static Tables {
    static MADE: Mutex<Vec<(u128, &'static Tables)>> = Mutex::new(Vec::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, tables)) = made.iter().find(|(known, _)| *known == poly) {
        return tables;
    }
    let mut tables = Box::new([[0; 256]; STEP]);
    for (byte, entry) in (0..=255u128).zip(&mut tables[STEP - 1]) {
        *entry = (0..8).fold(byte << 120, |sum, _| (sum << 1) ^ ((sum >> 127) * poly));
    }
    for step in (0..STEP - 1).rev() {
        for byte in 0..256 {
            let behind = tables[step + 1][byte];
            tables[step][byte] = behind << 8 ^ tables[STEP - 1][(behind >> 120) as usize];
        }
    }
    let tables = &*Box::leak(tables);
    made.push((poly, tables));
    tables
}
