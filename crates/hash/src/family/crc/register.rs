//! The register of a CRC: folded if it has up to 64 bits, otherwise with tables of 128 bits.

use super::folding::Folding;
use super::sliced::Tables;
use crate::algorithm::{Crc, Parameters};
use crate::digest::Digest;
use std::sync::{Mutex, PoisonError};

/// A register in use.
#[derive(Clone)]
pub(super) enum Register {
    Folded(u64, &'static Folding),
    /// The remainder, in the highest bits.
    Wide(u128, &'static Tables<u128>),
}

impl Register {
    /// Returns a register with this remainder.
    pub(super) fn holding(parameters: &Parameters, remainder: u128) -> Register {
        match Folding::of(parameters) {
            Some(folding) => Register::Folded(folding.register(remainder, parameters.width), folding),
            None => Register::Wide(remainder << spare(parameters), wide_tables(parameters.poly << spare(parameters))),
        }
    }

    /// Sets the remainder.
    pub(super) fn set_remainder(&mut self, parameters: &Parameters, remainder: u128) {
        match self {
            Register::Folded(register, folding) => *register = folding.register(remainder, parameters.width),
            Register::Wide(register, _) => *register = remainder << spare(parameters),
        }
    }

    pub(super) fn update(&mut self, parameters: &Parameters, data: &[u8]) {
        match self {
            Register::Folded(register, folding) => *register = folding.update(*register, data),
            Register::Wide(register, tables) => *register = tables.update(*register, data, parameters.refin),
        }
    }

    /// Returns the value for output.
    pub(super) fn value(&self, parameters: &Parameters) -> u128 {
        match self {
            // Nothing has to be mirrored, as in all common CRCs.
            Register::Folded(register, folding) if parameters.refin == parameters.refout => {
                folding.mirrored_like_register(*register, parameters.width) ^ parameters.xorout
            }
            _ => parameters.value(self.remainder(parameters)),
        }
    }

    /// Returns the remainder so far.
    pub(super) fn remainder(&self, parameters: &Parameters) -> u128 {
        match self {
            Register::Folded(register, folding) => folding.remainder(*register, parameters.width),
            Register::Wide(register, _) => register >> spare(parameters),
        }
    }
}

/// Returns the value of a part of a message.
pub(crate) fn of_part(crc: &Crc, data: &[u8]) -> Digest {
    let parameters = &crc.parameters;
    let mut register = Register::holding(parameters, parameters.init);
    register.update(parameters, data);
    crc.digest(register.value(parameters))
}

fn spare(parameters: &Parameters) -> u32 {
    u128::BITS - u32::from(parameters.width)
}

/// Returns the tables for a polynomial of up to 128 bits. They are never freed, because only a few are ever requested.
fn wide_tables(poly: u128) -> &'static Tables<u128> {
    static CREATED: Mutex<Vec<(u128, &'static Tables<u128>)>> = Mutex::new(Vec::new());
    let mut made = CREATED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, tables)) = made.iter().find(|(known, _)| *known == poly) {
        return tables;
    }
    let tables = &*Box::leak(Tables::new(poly));
    made.push((poly, tables));
    tables
}
