//! Whirlpool (Barreto and Rijmen; ISO/IEC 10118-3), the final version of 2003, and the two before it (NESSIE): of 2000,
//! with a random S-box (`whirlpool-0`), and of 2001, with the final S-box (`whirlpool-t`); both of these use a
//! different matrix.
//!
//! In the portable row, substitution, shift and mixing of one byte are combined in one table lookup; the eight tables
//! (one per column) are computed from the three mini-boxes of the specification on first use. The AVX2 row looks up
//! those mini-boxes with shuffles. With AVX-512, a block fills a register; byte shuffles substitute and shift, and
//! products with constants in GF(2^8) are single instructions.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
pub(crate) mod gfni;
#[cfg(target_arch = "x86_64")]
mod halves;
#[cfg(target_arch = "x86_64")]
mod lanes;

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, Kernel, MAX_WORDS, State, Tail, kernels, output_be64};
use crate::family::columns::{self, Tables, mixed};
use std::sync::LazyLock;

const REPLACED: Status = Status::Weakened(
    "superseded, because the branch number of its diffusion matrix is 8 instead of 9 (Shirai & Shibutani 2003)",
);

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "whirlpool",
        tag: "WHIRLPOOL",
        aliases: &["whirlpool512"],
        digest_len: 64,
        status: Status::Secure(
            "ISO/IEC 10118-3; attacks on reduced-round versions (Lamberger, Mendel, Rechberger, Rijmen & Schläffer 2009)",
        ),
        summary: "512-bit hash with AES-like rounds",
        check: "21d5cb651222c347ea1284c0acf162000b4d3e34766f0d00312e3480f633088822809b6a54ba7edfa17e8fcb5713f8912ee3a218dd98d88c38bbf611b1b1ed2b",
        tree_id: Some("whirlpool"),
        kind: Kind::Blocks { chain: &WHIRLPOOL, init },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "whirlpool-0",
        tag: "WHIRLPOOL-0",
        aliases: &["whirlpool0"],
        digest_len: 64,
        status: REPLACED,
        summary: "Whirlpool as originally submitted to NESSIE in 2000",
        check: "ea1875307c8436409e438a77ddeaf5a87ff9d161ad0c6708c1ba3c363b8de1df5ab2d6b70cde7ce8be437866fb9eeddaa6c05e40f1fb789323c9868c73df804e",
        tree_id: Some("whirlpool-0"),
        kind: Kind::Blocks { chain: &OF_2000, init },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "whirlpool-t",
        tag: "WHIRLPOOL-T",
        aliases: &["whirlpool1", "whirlpool-1"],
        digest_len: 64,
        status: REPLACED,
        summary: "Whirlpool with the S-box of 2001",
        check: "b2a2025eec65d0e74d4623f8f8ca24ff5a23238447d916217f8f9b708580c3c3663cabb9d4b0458d8ad4194e54ee5d7a292947198b8122e4129f1b206f12ebfe",
        tree_id: Some("whirlpool-t"),
        kind: Kind::Blocks { chain: &OF_2001, init },
        ..Algorithm::PLAIN
    },
];

static WHIRLPOOL: Chain = chain(KERNELS);
static OF_2000: Chain = chain(KERNELS_OF_2000);
static OF_2001: Chain = chain(KERNELS_OF_2001);

const fn chain(kernels: &'static [Kernel]) -> Chain {
    let output = output_be64;
    Chain { block: 64, words: 8, lazy: false, kernels, pad, output, last_blocks: 2, squeeze: None }
}

kernels! {
    static KERNELS: Word64 of u64;
    x86_64 {
        avx512_lanes: avx512_gfni x 8, from 4 = columns[FINAL];
        avx512: avx512_gfni x 1, from 1 = shuffle[FINAL];
        avx2: avx2 x 1, from 1 = by_halves[FINAL];
    }
    portable {
        portable: x 1, from 1 = look_up[FINAL];
    }
}
kernels! {
    static KERNELS_OF_2000: Word64 of u64;
    x86_64 {
        lanes_of_2000: avx512_gfni x 8, from 4 = columns[2000];
        avx512_of_2000: avx512_gfni x 1, from 1 = shuffle[2000];
    }
    portable {
        portable_of_2000: x 1, from 1 = look_up[2000];
    }
}
kernels! {
    static KERNELS_OF_2001: Word64 of u64;
    x86_64 {
        lanes_of_2001: avx512_gfni x 8, from 4 = columns[2001];
        avx512_of_2001: avx512_gfni x 1, from 1 = shuffle[2001];
        avx2_of_2001: avx2 x 1, from 1 = by_halves[2001];
    }
    portable {
        portable_of_2001: x 1, from 1 = look_up[2001];
    }
}

/// The version that is named without a suffix; the names of the others include a year.
const FINAL: usize = 2003;

fn init(_: &Params) -> State {
    [0; MAX_WORDS]
}

/// Appends a one bit, zeros, and the length in bits as 256 bits, big-endian.
fn pad(_: &mut State, tail: &mut Tail, buffered: usize, total: u64) -> usize {
    tail[buffered] = 0x80;
    let blocks = if buffered < 32 { 1 } else { 2 };
    tail[blocks * 64 - 16..blocks * 64].copy_from_slice(&(u128::from(total) << 3).to_be_bytes());
    blocks
}

/// Returns the S-box of a version.
const fn substitute(version: usize, byte: usize) -> u8 {
    if version == 2000 { RANDOM[byte] } else { composed(byte) }
}

/// The S-box of 2000.
#[rustfmt::skip]
const RANDOM: [u8; 256] = [
    0x68, 0xd0, 0xeb, 0x2b, 0x48, 0x9d, 0x6a, 0xe4, 0xe3, 0xa3, 0x56, 0x81, 0x7d, 0xf1, 0x85, 0x9e,
    0x2c, 0x8e, 0x78, 0xca, 0x17, 0xa9, 0x61, 0xd5, 0x5d, 0x0b, 0x8c, 0x3c, 0x77, 0x51, 0x22, 0x42,
    0x3f, 0x54, 0x41, 0x80, 0xcc, 0x86, 0xb3, 0x18, 0x2e, 0x57, 0x06, 0x62, 0xf4, 0x36, 0xd1, 0x6b,
    0x1b, 0x65, 0x75, 0x10, 0xda, 0x49, 0x26, 0xf9, 0xcb, 0x66, 0xe7, 0xba, 0xae, 0x50, 0x52, 0xab,
    0x05, 0xf0, 0x0d, 0x73, 0x3b, 0x04, 0x20, 0xfe, 0xdd, 0xf5, 0xb4, 0x5f, 0x0a, 0xb5, 0xc0, 0xa0,
    0x71, 0xa5, 0x2d, 0x60, 0x72, 0x93, 0x39, 0x08, 0x83, 0x21, 0x5c, 0x87, 0xb1, 0xe0, 0x00, 0xc3,
    0x12, 0x91, 0x8a, 0x02, 0x1c, 0xe6, 0x45, 0xc2, 0xc4, 0xfd, 0xbf, 0x44, 0xa1, 0x4c, 0x33, 0xc5,
    0x84, 0x23, 0x7c, 0xb0, 0x25, 0x15, 0x35, 0x69, 0xff, 0x94, 0x4d, 0x70, 0xa2, 0xaf, 0xcd, 0xd6,
    0x6c, 0xb7, 0xf8, 0x09, 0xf3, 0x67, 0xa4, 0xea, 0xec, 0xb6, 0xd4, 0xd2, 0x14, 0x1e, 0xe1, 0x24,
    0x38, 0xc6, 0xdb, 0x4b, 0x7a, 0x3a, 0xde, 0x5e, 0xdf, 0x95, 0xfc, 0xaa, 0xd7, 0xce, 0x07, 0x0f,
    0x3d, 0x58, 0x9a, 0x98, 0x9c, 0xf2, 0xa7, 0x11, 0x7e, 0x8b, 0x43, 0x03, 0xe2, 0xdc, 0xe5, 0xb2,
    0x4e, 0xc7, 0x6d, 0xe9, 0x27, 0x40, 0xd8, 0x37, 0x92, 0x8f, 0x01, 0x1d, 0x53, 0x3e, 0x59, 0xc1,
    0x4f, 0x32, 0x16, 0xfa, 0x74, 0xfb, 0x63, 0x9f, 0x34, 0x1a, 0x2a, 0x5a, 0x8d, 0xc9, 0xcf, 0xf6,
    0x90, 0x28, 0x88, 0x9b, 0x31, 0x0e, 0xbd, 0x4a, 0xe8, 0x96, 0xa6, 0x0c, 0xc8, 0x79, 0xbc, 0xbe,
    0xef, 0x6e, 0x46, 0x97, 0x5b, 0xed, 0x19, 0xd9, 0xac, 0x99, 0xa8, 0x29, 0x64, 0x1f, 0xad, 0x55,
    0x13, 0xbb, 0xf7, 0x6f, 0xb9, 0x47, 0x2f, 0xee, 0xb8, 0x7b, 0x89, 0x30, 0xd3, 0x7f, 0x76, 0x82,
];

/// The mini-boxes of the others (specification, figure 1).
const E: [u8; 16] = [1, 11, 9, 12, 13, 6, 15, 3, 14, 8, 7, 4, 10, 2, 5, 0];
const INVERSE: [u8; 16] = {
    let mut inverse = [0; 16];
    let mut i = 0;
    while i < 16 {
        inverse[E[i] as usize] = i as u8;
        i += 1;
    }
    inverse
};
const R: [u8; 16] = [7, 12, 11, 13, 14, 4, 9, 15, 6, 3, 8, 10, 2, 5, 1, 0];

/// Returns the S-box composed of them.
const fn composed(byte: usize) -> u8 {
    let (high, low) = (E[byte >> 4], INVERSE[byte & 15]);
    let middle = R[(high ^ low) as usize];
    E[(high ^ middle) as usize] << 4 | INVERSE[(low ^ middle) as usize]
}

/// Returns a product in GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1.
pub(crate) const fn multiply(a: u8, b: u8) -> u8 {
    columns::multiply(a, b, 0x1d)
}

/// Returns the first row of the circulant mixing matrix.
const fn row(version: usize) -> [u8; 8] {
    if version == FINAL { [1, 1, 4, 1, 8, 5, 2, 9] } else { [1, 1, 3, 1, 5, 8, 9, 5] }
}

/// Created on first use, which saves 16 KiB of program for a few microseconds, and only if there is no better row.
static TABLES: [LazyLock<Box<Tables>>; 3] =
    [LazyLock::new(tables::<2000>), LazyLock::new(tables::<2001>), LazyLock::new(tables::<FINAL>)];

fn tables<const VERSION: usize>() -> Box<Tables> {
    let mut tables = Box::new([[0; 256]; 8]);
    for byte in 0..256 {
        let substituted = substitute(VERSION, byte);
        let word = u64::from_be_bytes(row(VERSION).map(|entry| multiply(substituted, entry)));
        for (table, turn) in tables.iter_mut().rev().zip(0u32..) {
            table[byte] = word.rotate_right(8 * turn);
        }
    }
    tables
}

/// A round of the text, which begins with the key, and of the key. The first position is the highest.
#[inline(never)]
fn round(tables: &Tables, key: &mut [u64; 8], text: &mut [u64; 8], constant: u64) {
    let down = |place: usize| 7 - place;
    *text = mixed(tables, text, |row, word| word ^ key[row], down);
    *key = mixed(tables, key, |_, word| word, down);
    key[0] ^= constant;
}

/// # Safety
/// The same as for [`crate::block::row::Advance`].
#[inline(always)]
unsafe fn look_up<const VERSION: usize>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: eight words of state, one message of complete blocks.
    let (state, message) =
        unsafe { (&mut *state.cast::<[u64; 8]>(), std::slice::from_raw_parts(*messages, blocks * 64)) };
    let tables = &**TABLES[if VERSION == FINAL { 2 } else { VERSION - 2000 }];
    for block in message.chunks_exact(64) {
        let words: [u64; 8] = std::array::from_fn(|i| {
            u64::from_be_bytes(block[8 * i..8 * i + 8].try_into().expect("eight bytes"))
        });
        let mut key = *state;
        let mut text = words;
        for constant in const { constants(VERSION) } {
            round(tables, &mut key, &mut text, constant);
        }
        for i in 0..8 {
            state[i] ^= text[i] ^ key[i] ^ words[i];
        }
    }
}

/// Returns the constant for the first row of each round's key: the next eight bytes of the S-box.
const fn constants(version: usize) -> [u64; 10] {
    let mut rounds = [0; 10];
    let mut byte = 0;
    while byte < 80 {
        rounds[byte / 8] = rounds[byte / 8] << 8 | substitute(version, byte) as u64;
        byte += 1;
    }
    rounds
}

/// # Safety
/// The same as for [`crate::block::row::Advance`], on a CPU with the features.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn shuffle<const VERSION: usize>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller.
    unsafe { gfni::shuffle::<VERSION>(state, messages, blocks) }
}

/// # Safety
/// The same as for [`crate::block::row::Advance`], on a CPU with the features.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn columns<const VERSION: usize>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller.
    unsafe { lanes::compress::<VERSION>(state, messages, blocks) }
}

/// # Safety
/// The same as for [`crate::block::row::Advance`], on a CPU with AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn by_halves<const VERSION: usize>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller.
    unsafe { halves::compress::<VERSION>(state, messages, blocks) }
}
