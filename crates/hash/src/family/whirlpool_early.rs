//! The two earlier versions of Whirlpool (Barreto & Rijmen, NESSIE): of 2000, with a random S-box (`whirlpool-0`), and of
//! 2001, with the S-box it kept (`whirlpool-t`); the mixing matrix of both was changed in 2003.
//!
//! Hardly ever met, so one table of words serves all columns.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, Kernel, MAX_WORDS, State, kernels, output_be64};
use crate::family::whirlpool::{multiply, pad, substitute};

const THEORY: Status = Status::Weakened(
    "replaced in 2003: branch number 8 where 9 was meant (Shirai & Shibutani 2003)",
);

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "whirlpool-0",
        tag: "WHIRLPOOL-0",
        aliases: &["whirlpool0"],
        digest_len: 64,
        status: THEORY,
        summary: "Whirlpool as first submitted to NESSIE in 2000",
        check: "ea1875307c8436409e438a77ddeaf5a87ff9d161ad0c6708c1ba3c363b8de1df5ab2d6b70cde7ce8be437866fb9eeddaa6c05e40f1fb789323c9868c73df804e",
        tree_id: Some("whirlpool-0"),
        kind: Kind::Blocks { chain: &WHIRLPOOL_0, init },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "whirlpool-t",
        tag: "WHIRLPOOL-T",
        aliases: &["whirlpool1", "whirlpool-1"],
        digest_len: 64,
        status: THEORY,
        summary: "Whirlpool with the S-box of 2001",
        check: "b2a2025eec65d0e74d4623f8f8ca24ff5a23238447d916217f8f9b708580c3c3663cabb9d4b0458d8ad4194e54ee5d7a292947198b8122e4129f1b206f12ebfe",
        tree_id: Some("whirlpool-t"),
        kind: Kind::Blocks { chain: &WHIRLPOOL_T, init },
        ..Algorithm::PLAIN
    },
];

static WHIRLPOOL_0: Chain = chain(KERNELS_0);
static WHIRLPOOL_T: Chain = chain(KERNELS_T);

const fn chain(kernels: &'static [Kernel]) -> Chain {
    Chain {
        block: 64,
        words: 8,
        lazy: false,
        kernels,
        pad,
        output: output_be64,
        last_blocks: 2,
        squeeze: None,
    }
}

kernels! {
    static KERNELS_0: Word64 of u64;
    x86_64 {}
    portable {
        first: x 1, from 1 = look_up[0];
    }
}
kernels! {
    static KERNELS_T: Word64 of u64;
    x86_64 {}
    portable {
        second: x 1, from 1 = look_up[1];
    }
}

fn init(_: &Params) -> State {
    [0; MAX_WORDS]
}

/// The first row of the circulant mixing matrix.
const ROW: [u8; 8] = [1, 1, 3, 1, 5, 8, 9, 5];

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

/// What a byte of the first column becomes: the others are turned.
static TABLES: [[u64; 256]; 2] = {
    let mut tables = [[0; 256]; 2];
    let mut n = 0;
    while n < 512 {
        let (version, byte) = (n / 256, n % 256);
        let substituted = if version == 0 { RANDOM[byte] } else { substitute(byte) };
        let mut column = 0;
        while column < 8 {
            tables[version][byte] = tables[version][byte] << 8 | multiply(substituted, ROW[column]) as u64;
            column += 1;
        }
        n += 1;
    }
    tables
};

/// The constants of the ten rounds: the S-box in order.
const ROUNDS: [[u64; 10]; 2] = {
    let mut rounds = [[0; 10]; 2];
    let mut n = 0;
    while n < 160 {
        let (version, byte) = (n / 80, n % 80);
        let substituted = if version == 0 { RANDOM[byte] } else { substitute(byte) };
        rounds[version][byte / 8] = rounds[version][byte / 8] << 8 | substituted as u64;
        n += 1;
    }
    rounds
};

/// # Safety
/// As [`crate::block::row::Advance`].
#[inline(always)]
unsafe fn look_up<const VERSION: usize>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: the caller's promise: eight words of state, one message of whole blocks.
    let (state, message) = unsafe {
        (&mut *state.cast::<[u64; 8]>(), std::slice::from_raw_parts((*messages).cast::<[[u8; 8]; 8]>(), blocks))
    };
    let table = &TABLES[VERSION];
    let mixed = |rows: &[u64; 8]| -> [u64; 8] {
        std::array::from_fn(|i| {
            (0..8).fold(0, |word, column| {
                let byte = (rows[(i + 8 - column) % 8] >> (56 - 8 * column)) as u8;
                word ^ table[usize::from(byte)].rotate_right(8 * column as u32)
            })
        })
    };
    for block in message {
        let words: [u64; 8] = block.map(u64::from_be_bytes);
        let mut key = *state;
        let mut rows: [u64; 8] = std::array::from_fn(|i| words[i] ^ key[i]);
        for constant in ROUNDS[VERSION] {
            key = mixed(&key);
            key[0] ^= constant;
            rows = mixed(&rows);
            for (row, key) in rows.iter_mut().zip(key) {
                *row ^= key;
            }
        }
        for i in 0..8 {
            state[i] ^= rows[i] ^ words[i];
        }
    }
}
