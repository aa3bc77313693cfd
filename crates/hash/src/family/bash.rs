//! The hash of STB 34.101.77-2020 (bash), a standard of Belarus: section 7, based on the permutation of section 6.
//!
//! Each block replaces the beginning of the state, which is then permuted. The longer the digest, the shorter the block.

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{MAX_WORDS, State, Tail, output_le64, portable};
use crate::word::unroll;

macro_rules! row {
    ($name:literal $tag:literal $alias:literal $bits:literal $chain:ident, $check:literal) => {
        Algorithm {
            name: $name,
            tag: $tag,
            aliases: &[$alias],
            digest_len: $bits / 8,
            status: Status::Secure("STB 34.101.77-2020"),
            summary: concat!("Belarusian standard hash, ", $bits, " bits"),
            check: $check,
            tree_id: Some($name),
            kind: Kind::Blocks { chain: &$chain, init },
            ..Algorithm::PLAIN
        }
    };
}

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    row!("bash256" "BASH256" "bash-256" 256 BASH_256, "775324881f80a651f5b55c04257d8d9da5a822561f587e836851e9427313ff67"),
    row!("bash384" "BASH384" "bash-384" 384 BASH_384, "792a2df8d2dcebb3acf3969a6622a5def2890678a5e2b5d6caec623b476f59ac0949401d243e4a7d2acd23f50d6d68de"),
    row!("bash512" "BASH512" "bash-512" 512 BASH_512, "9ccc9d625761a642ba28186101cdd1d2a99052b1b452e0686b987a4b17cc10e7ff31b2c8fda87f7c4a16f01f5e55c849c4932c14df3efbd909d8184a81c8f16e"),
];

/// The number of words in the state.
const WORDS: usize = 24;

macro_rules! chain {
    ($name:ident, $words:literal) => {
        portable! {
            static $name: Chain {
                state: Word64 of [u64; WORDS],
                block: [[u8; 8]; $words],
                compress: compress,
                pad: pad,
                last_blocks: 1,
                output: output_le64,
            }
        }
    };
}
chain!(BASH_256, 16);
chain!(BASH_384, 12);
chain!(BASH_512, 8);

/// Returns the initial state: zeros, and a quarter of the security level, which is half the digest length in bits.
fn init(params: &Params) -> State {
    let mut state = [0; MAX_WORDS];
    state[WORDS - 1] = params.digest_len as u64;
    state
}

/// Appends the bits 01 and zeros.
fn pad(_: &mut State, tail: &mut Tail, buffered: usize, _: u64) -> usize {
    tail[buffered] = 0x40;
    1
}

/// The constants of the rounds: the states of a linear feedback shift register (section 6.2).
const CONSTANTS: [u64; 24] = {
    let mut constants = [0x3bf5_080a_c8ba_94b1; 24];
    let mut round = 1;
    while round < constants.len() {
        let before: u64 = constants[round - 1];
        constants[round] = before >> 1 ^ if before & 1 == 1 { 0xdc2b_e199_7fe0_d8ae } else { 0 };
        round += 1;
    }
    constants
};

/// The rotations of each column: those of the first one, multiplied by seven for each further column.
const ROTATIONS: [[u32; 4]; 8] = {
    let mut rotations = [[8, 53, 14, 1]; 8];
    let mut i = 4;
    while i < 4 * 8 {
        rotations[i / 4][i % 4] = rotations[i / 4 - 1][i % 4] * 7 % 64;
        i += 1;
    }
    rotations
};

/// The source of each word after a round.
const PLACES: [usize; WORDS] =
    [15, 10, 9, 12, 11, 14, 13, 8, 17, 16, 19, 18, 21, 20, 23, 22, 6, 3, 0, 5, 2, 7, 4, 1];

/// Substitutes the bits of a column of three words (section 6.1).
#[inline(always)]
fn substitute([a, b, c]: [u64; 3], [m1, n1, m2, n2]: [u32; 4]) -> [u64; 3] {
    let sum = a ^ b ^ c;
    let mixed = b ^ sum.rotate_left(n1);
    let second = a.rotate_left(m1) ^ mixed;
    let third = c ^ c.rotate_left(m2) ^ mixed.rotate_left(n2);
    [sum ^ (!third | second), second ^ (sum | third), third ^ (sum & second)]
}

/// Permutes the state (section 6.2).
#[inline(always)]
fn permute(s: &mut [u64; WORDS]) {
    for constant in CONSTANTS {
        unroll!(column in 8, from 0 => {
            [s[column], s[8 + column], s[16 + column]] =
                substitute([s[column], s[8 + column], s[16 + column]], ROTATIONS[column]);
        });
        *s = PLACES.map(|place| s[place]);
        s[WORDS - 1] ^= constant;
    }
}

/// Processes the blocks of a message.
fn compress<const N: usize>(state: &mut [u64; WORDS], blocks: &[[[u8; 8]; N]]) {
    for block in blocks {
        for (word, bytes) in state.iter_mut().zip(block) {
            *word = u64::from_le_bytes(*bytes);
        }
        permute(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table A.1: the words are given as bytes.
    #[test]
    fn substitution_matches_the_standard() {
        let word = |bytes: u64| bytes.swap_bytes();
        assert_eq!(
            substitute(
                [word(0xb194_bac8_0a08_f53b), word(0xe12b_dc1a_e282_57ec), word(0xe9de_e72c_8f0c_0fa6)],
                ROTATIONS[0]
            ),
            [word(0x479e_7612_9979_dc5f), word(0x0f2b_2c93_ed12_8edd), word(0x4100_9b1b_112d_fef3)]
        );
    }
}
