//! Whirlpool (Barreto and Rijmen; ISO/IEC 10118-3), the final version of 2003.
//!
//! In the portable row, substitution, shift and mixing of one byte are one lookup in a table of words; the eight tables (one for each column)
//! are made from the three mini-boxes of the specification when they are first used. A block is as long as an AVX-512 register,
//! where byte shuffles substitute and shift, and products with constants in GF(2^8) are single instructions.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
pub(crate) mod gfni;
#[cfg(target_arch = "x86_64")]
mod lanes;

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, MAX_WORDS, State, Tail, kernels, output_be64};
use std::sync::LazyLock;

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "whirlpool",
        tag: "WHIRLPOOL",
        aliases: &["whirlpool512"],
        digest_len: 64,
        status: Status::Secure(
            "ISO/IEC 10118-3; attacks reach reduced rounds (Lamberger, Mendel, Rechberger, Rijmen & Schläffer 2009)",
        ),
        summary: "512 bits of AES-like rounds",
        check: "21d5cb651222c347ea1284c0acf162000b4d3e34766f0d00312e3480f633088822809b6a54ba7edfa17e8fcb5713f8912ee3a218dd98d88c38bbf611b1b1ed2b",
        tree_id: Some("whirlpool"),
        kind: Kind::Blocks { chain: &WHIRLPOOL, init },
        ..Algorithm::PLAIN
    },
];

static WHIRLPOOL: Chain =
    Chain { block: 64, words: 8, lazy: false, kernels: KERNELS, pad, output: output_be64, last_blocks: 2, squeeze: None };

kernels! {
    static KERNELS: Word64 of u64;
    x86_64 {
        avx512_lanes: avx512_gfni x 8, from 4 = columns[];
        avx512: avx512_gfni x 1, from 1 = shuffle[];
    }
    portable {
        portable: x 1, from 1 = look_up[];
    }
}

fn init(_: &Params) -> State {
    [0; MAX_WORDS]
}

/// A one bit, zeros, the length in bits as 256 bits, big-endian.
pub(crate) fn pad(_: &mut State, tail: &mut Tail, buffered: usize, total: u64) -> usize {
    tail[buffered] = 0x80;
    let blocks = if buffered < 32 { 1 } else { 2 };
    tail[blocks * 64 - 16..blocks * 64].copy_from_slice(&(u128::from(total) << 3).to_be_bytes());
    blocks
}

/// The S-box from the mini-boxes E, its inverse, and R (specification, figure 1).
pub(crate) const fn substitute(byte: usize) -> u8 {
    const E: [u8; 16] = [1, 11, 9, 12, 13, 6, 15, 3, 14, 8, 7, 4, 10, 2, 5, 0];
    const R: [u8; 16] = [7, 12, 11, 13, 14, 4, 9, 15, 6, 3, 8, 10, 2, 5, 1, 0];
    let mut inverse = [0; 16];
    let mut i = 0;
    while i < 16 {
        inverse[E[i] as usize] = i as u8;
        i += 1;
    }
    let (high, low) = (E[byte >> 4], inverse[byte & 15]);
    let middle = R[(high ^ low) as usize];
    E[(high ^ middle) as usize] << 4 | inverse[(low ^ middle) as usize]
}

/// Product in GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1.
pub(crate) const fn multiply(a: u8, b: u8) -> u8 {
    let (mut product, mut a, mut b) = (0, a, b);
    while b > 0 {
        if b & 1 == 1 {
            product ^= a;
        }
        a = (a << 1) ^ (if a >> 7 == 1 { 0x1d } else { 0 });
        b >>= 1;
    }
    product
}

/// The first row of the circulant mixing matrix.
const ROW: [u8; 8] = [1, 1, 4, 1, 8, 5, 2, 9];

/// Made when they are first used: 16 KiB less of program, for some microseconds, and only where no better row is.
static TABLES: LazyLock<Box<[[u64; 256]; 8]>> = LazyLock::new(|| {
    let mut tables = Box::new([[0; 256]; 8]);
    for byte in 0..256 {
        let substituted = substitute(byte);
        let word = u64::from_be_bytes(ROW.map(|entry| multiply(substituted, entry)));
        for (table, turn) in tables.iter_mut().zip(0u32..) {
            table[byte] = word.rotate_right(8 * turn);
        }
    }
    tables
});

/// One round's substitution, shift of columns and mixing of rows, for row `i`.
#[inline(always)]
fn mix(tables: &[[u64; 256]; 8], rows: &[u64; 8], i: usize) -> u64 {
    let mut word = 0;
    for (column, table) in tables.iter().enumerate() {
        word ^= table[(rows[(i + 8 - column) % 8] >> (56 - 8 * column)) as u8 as usize];
    }
    word
}

/// # Safety
/// As [`crate::block::row::Advance`].
#[inline(always)]
unsafe fn look_up(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: the caller's promise: eight words of state, one message of whole blocks.
    let (state, message) =
        unsafe { (&mut *state.cast::<[u64; 8]>(), std::slice::from_raw_parts(*messages, blocks * 64)) };
    let tables = &**TABLES;
    for block in message.chunks_exact(64) {
        let words: [u64; 8] = std::array::from_fn(|i| {
            u64::from_be_bytes(block[8 * i..8 * i + 8].try_into().expect("eight bytes"))
        });
        let mut key = *state;
        let mut rows: [u64; 8] = std::array::from_fn(|i| words[i] ^ key[i]);
        for constant in ROUNDS {
            let mut next: [u64; 8] = std::array::from_fn(|i| mix(tables, &key, i));
            // The round constant is the next eight bytes of the S-box, in the first row.
            next[0] ^= constant;
            key = next;
            rows = std::array::from_fn(|i| mix(tables, &rows, i) ^ key[i]);
        }
        for i in 0..8 {
            state[i] ^= rows[i] ^ words[i];
        }
    }
}

const ROUNDS: [u64; 10] = {
    let mut rounds = [0; 10];
    let mut byte = 0;
    while byte < 80 {
        rounds[byte / 8] = rounds[byte / 8] << 8 | substitute(byte) as u64;
        byte += 1;
    }
    rounds
};

/// # Safety
/// As [`crate::block::row::Advance`], on a CPU with the features.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn shuffle(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: the caller's promise.
    unsafe { gfni::shuffle(state, messages, blocks) }
}

/// # Safety
/// As [`crate::block::row::Advance`], on a CPU with the features.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn columns(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: the caller's promise.
    unsafe { lanes::compress(state, messages, blocks) }
}
