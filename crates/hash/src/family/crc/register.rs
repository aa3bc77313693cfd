//! The register of a CRC as bytes go in.
//!
//! Where it can, `crc-fast` folds by carry-less multiplication, else it goes by tables. It has the widths 16, 32 and 64. Another
//! becomes one of 64 bits, for a remainder by `P` is one by `P x^k`, divided by `x^k`; but not where a byte's lowest bit
//! comes first, for there it takes for granted that the polynomial ends in 1.

use super::sliced::Sliced;
use crate::algorithm::{Crc, Parameters};
use crate::digest::Digest as Value;
use crc_fast::{CrcParams, Digest};

/// A register under way.
#[derive(Clone)]
#[allow(clippy::large_enum_variant, reason = "the large one is the usual one")]
pub(super) enum Register {
    /// One of `crc-fast` with this width.
    Folded(Digest, u32),
    Sliced(Sliced),
}

impl Register {
    /// One that holds this remainder.
    pub(super) fn holding(crc: &Crc, remainder: u128) -> Register {
        let parameters = &crc.parameters;
        let width = u32::from(parameters.width);
        match crc.made_for {
            Some(algorithm) => {
                let register = word(parameters, remainder, width);
                Register::Folded(Digest::new_with_init_state(algorithm, register), width)
            }
            None => match folded_as(parameters) {
                Some(bits) => {
                    let poly = (parameters.poly << (bits - width)) as u64;
                    let register = word(parameters, remainder, bits);
                    // Of 16 bits it takes the start as the catalogue has it, and holds it mirrored.
                    let init = match parameters.refin && bits == 16 {
                        true => (register as u16).reverse_bits().into(),
                        false => register,
                    };
                    let folding = CrcParams::new("", bits as u8, poly, init, parameters.refin, 0, 0);
                    Register::Folded(Digest::new_with_params(folding), bits)
                }
                None => Register::Sliced(Sliced::new(parameters, remainder)),
            },
        }
    }

    /// One for a message that begins.
    pub(super) fn new(crc: &Crc) -> Register {
        match crc.made_for {
            Some(algorithm) => Register::made(crc, Digest::new(algorithm)),
            None => Register::holding(crc, crc.parameters.init),
        }
    }

    /// One of a CRC that `crc-fast` has code for.
    pub(super) fn made(crc: &Crc, digest: Digest) -> Register {
        Register::Folded(digest, crc.parameters.width.into())
    }

    /// Begins anew.
    pub(super) fn reset(&mut self, crc: &Crc) {
        match self {
            Register::Folded(digest, _) if crc.made_for.is_some() => digest.reset(),
            _ => *self = Register::new(crc),
        }
    }

    pub(super) fn update(&mut self, data: &[u8]) {
        match self {
            Register::Folded(digest, _) => digest.update(data),
            Register::Sliced(sliced) => sliced.update(data),
        }
    }

    /// The remainder so far.
    pub(super) fn remainder(&self, parameters: &Parameters) -> u128 {
        match self {
            Register::Folded(digest, width) => {
                let register = u128::from(digest.get_state());
                match parameters.refin {
                    true => parameters.mirrored(register),
                    false => register >> (width - u32::from(parameters.width)),
                }
            }
            Register::Sliced(sliced) => sliced.remainder(),
        }
    }

    /// What is shown.
    pub(super) fn value(&self, crc: &Crc) -> u128 {
        match self {
            Register::Folded(digest, _) if crc.made_for.is_some() => digest.finalize().into(),
            _ => crc.parameters.value(self.remainder(&crc.parameters)),
        }
    }
}

/// The value of a part of a message.
pub(crate) fn of_part(crc: &Crc, data: &[u8]) -> Value {
    let mut register = Register::new(crc);
    register.update(data);
    crc.digest(register.value(crc))
}

/// The width that `crc-fast` can fold it in.
fn folded_as(parameters: &Parameters) -> Option<u32> {
    let width = u32::from(parameters.width);
    match parameters.refin {
        true => (matches!(width, 16 | 32 | 64) && parameters.poly & 1 == 1).then_some(width),
        false => (width <= u64::BITS).then_some(u64::BITS),
    }
}

/// A remainder as `crc-fast` holds it in a register of `width` bits: from the lowest bit on where a byte's lowest bit comes first.
fn word(parameters: &Parameters, remainder: u128, width: u32) -> u64 {
    let register = match parameters.refin {
        true => parameters.mirrored(remainder),
        false => remainder << (width - u32::from(parameters.width)),
    };
    register as u64
}
