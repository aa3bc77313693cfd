//! Shabal (Bresson, Canteaut, Chevallier-Mames, Clavier, Fuhr, Gouget, Icart, Misarsky, Naya-Plasencia, Paillier,
//! Pornin, Reinhard, Thuillet & Videau: "Shabal, a submission to NIST's cryptographic hash algorithm competition",
//! 2008).
//!
//! Three buffers A, B and C of 12, 16 and 16 words of 32 bits, and a block counter. All digest lengths share everything
//! except the initial state, which is the state after two blocks that contain the length. The digest is the end of B
//! after the last block has been processed four times.

use crate::algorithm::{Params, Status, rows};
use crate::block::{State, Tail, portable, state};
use crate::word::unroll;
use std::sync::LazyLock;

const SHABAL: Status = Status::Secure(
    "SHA-3 second-round candidate; the only known attacks are distinguishers for the permutation (Aumasson et al. 2009)",
);

rows! {
    SHABAL;
    "shabal192" "SHABAL-192" ["shabal-192"], 24 CHAIN, "Shabal, 192 bits", "2186596cb97a1d6f5793435c421cffacb2dd48f0662afafc";
    "shabal224" "SHABAL-224" ["shabal-224"], 28 CHAIN, "Shabal, 224 bits", "ec6cdeb23483f0231fffb50795c81332905cf8ff07475201905a5f3e";
    "shabal256" "SHABAL-256" ["shabal-256"], 32 CHAIN, "Shabal, 256 bits; Burstcoin", "f6bb7171c193ee787b1d82c1c0c8271980f4d6735ae8598936df92faa65ca6a0";
    "shabal384" "SHABAL-384" ["shabal-384"], 48 CHAIN, "Shabal, 384 bits", "8a634edebc4b3ff3dc2a9211a7e12dab7814c6f3a907c861864ab61486ed4ff85770271bb60c4d33f43f61e297d86290";
    "shabal512" "SHABAL-512" ["shabal-512"], 64 CHAIN, "Shabal, 512 bits", "47472582b04131f1de929cc6ee174d7726b8b0315a8e3be9d98d5548c6850fab1176c9ab26c9436a0693b718a48a486ea8081dda4adc8d1cf75eec0608e0eceb";
}

/// The initial states by digest length.
static BEGINNINGS: LazyLock<Vec<(usize, State)>> =
    LazyLock::new(|| ROWS.iter().map(|row| (row.digest_len, begin(row.digest_len))).collect());

portable! {
    static CHAIN: Chain {
        // Two of Shabal's words in each, because a state has 47 of them.
        state: Word64 of [u64; WORDS],
        block: [[u8; 4]; 16],
        compress: compress,
        pad: pad,
        last_blocks: 4,
        output: output,
    }
}

/// The positions in the state of the buffers, the number of the next block, and its increment per block.
const A: usize = 0;
const B: usize = 6;
const C: usize = 14;
const NUMBER: usize = 22;
const STEP: usize = 23;
const WORDS: usize = 24;

/// Returns the state after the two blocks whose words count up from the length in bits, numbered -1 and 0.
fn begin(digest_len: usize) -> State {
    let mut begun = state(&[]);
    begun[NUMBER] = u64::MAX;
    begun[STEP] = 1;
    let mut blocks = [[0; 4]; 32];
    for (word, value) in blocks.iter_mut().zip(8 * digest_len as u32..) {
        *word = value.to_le_bytes();
    }
    compress(begun.first_chunk_mut().expect("a state has more words"), blocks.as_chunks().0);
    begun
}

fn init(params: &Params) -> State {
    let of_length = BEGINNINGS.iter().find(|(len, _)| *len == params.digest_len);
    of_length.expect("there is a row for each length").1
}

/// Appends a one bit and zeros. The block and its number are then repeated. What [`compress`] subtracts from C at the
/// end of a block is added again to B, which was C before, when the same block comes next.
fn pad(state: &mut State, tail: &mut Tail, buffered: usize, _: u64) -> usize {
    tail[buffered] = 0x80;
    for again in 1..4 {
        tail.copy_within(..64, 64 * again);
    }
    state[STEP] = 0;
    4
}

/// Writes the end of B, which has been exchanged with C.
fn output(state: &State, digest: &mut [u8]) {
    let mut bytes = [[0; 8]; 8];
    for (bytes, word) in bytes.iter_mut().zip(&state[C..C + 8]) {
        *bytes = word.to_le_bytes();
    }
    digest.copy_from_slice(&bytes.as_flattened()[64 - digest.len()..]);
}

/// Returns the words of a buffer, two from each word of the state.
#[inline(always)]
fn words<const N: usize>(pairs: &[u64]) -> [u32; N] {
    std::array::from_fn(|i| (pairs[i / 2] >> (i % 2 * 32)) as u32)
}

/// Processes the blocks of a message.
fn compress(state: &mut [u64; WORDS], blocks: &[[[u8; 4]; 16]]) {
    let mut a: [u32; 12] = words(&state[A..B]);
    let mut b: [u32; 16] = words(&state[B..C]);
    let mut c: [u32; 16] = words(&state[C..NUMBER]);
    for block in blocks {
        let m = block.map(u32::from_le_bytes);
        for i in 0..16 {
            b[i] = b[i].wrapping_add(m[i]).rotate_left(17);
        }
        let number: [u32; 2] = words(&state[NUMBER..STEP]);
        a[0] ^= number[0];
        a[1] ^= number[1];
        macro_rules! step {
            ($i:ident, $first:literal) => {
                let j = $first + $i;
                let sum = a[j % 12] ^ c[(24 - $i) % 16] ^ a[(j + 11) % 12].rotate_left(15).wrapping_mul(5);
                let other = b[($i + 13) % 16] ^ !b[($i + 6) % 16] & b[($i + 9) % 16] ^ m[$i];
                a[j % 12] = sum.wrapping_mul(3) ^ other;
                b[$i] = !(b[$i].rotate_left(1) ^ a[j % 12]);
            };
        }
        unroll!(i in 16 => { step!(i, 0); });
        unroll!(i in 16 => { step!(i, 16); });
        unroll!(i in 16 => { step!(i, 32); });
        for i in 0..12 {
            for added in [3, 11, 15] {
                a[i] = a[i].wrapping_add(c[(i + added) % 16]);
            }
        }
        for i in 0..16 {
            (b[i], c[i]) = (c[i].wrapping_sub(m[i]), b[i]);
        }
        state[NUMBER] = state[NUMBER].wrapping_add(state[STEP]);
    }
    for (pair, [low, high]) in state.iter_mut().zip([&a[..], &b, &c].concat().as_chunks().0) {
        *pair = u64::from(*low) | u64::from(*high) << 32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initial_states_match_the_specification() {
        // From its appendix A.2: the first words of A, B and C for 256 bits.
        let begun = begin(32);
        assert_eq!([begun[A] as u32, begun[B] as u32, begun[C] as u32], [0x52f8_4552, 0xb555_c6ee, 0xb405_f031]);
        assert_eq!(begun[NUMBER], 1);
    }
}
