//! GOST R 34.11-94 (RFC 5831) with the test S-boxes and with those of CryptoPro (RFC 4357 section 11.2).
//!
//! Digests are the bytes of the number, the least significant first, as printed by `rhash`, OpenSSL and PHP; RFC 5831
//! writes the number in the opposite order. The four encryptions of a block are independent and are interleaved in
//! scalar code, where 4-bit S-boxes are combined to byte tables that include the rotation. In SIMD lanes, S-boxes are
//! byte shuffles.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod lanes;

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, Kernel, State, Tail, add_words, kernels, output_le64, put_words, state, words};
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x8, U32x16};
use std::sync::LazyLock;

const THEORETICAL_ATTACKS: Status = Status::Weakened(
    "collisions in 2^105 steps, preimages in 2^192 (Mendel, Pramstaller, Rechberger, Kontak & Szmidt 2008); \
     superseded by GOST R 34.11-2012",
);

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "gost94",
        tag: "GOST94",
        aliases: &["gost"],
        digest_len: 32,
        status: THEORETICAL_ATTACKS,
        summary: "GOST R 34.11-94 with its test parameters (RFC 5831)",
        check: "264b4e433dee474aec465fa9c725fe963bc4b4abc4fdac63b7f73b671663afc9",
        either_order: true,
        tree_id: Some("gost94"),
        kind: Kind::Blocks { chain: &TEST, init },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "gost94-cryptopro",
        tag: "GOST94-CRYPTOPRO",
        aliases: &["gost-crypto", "md_gost94"],
        digest_len: 32,
        status: THEORETICAL_ATTACKS,
        summary: "GOST R 34.11-94 with CryptoPro's parameters (RFC 4357), used in signatures",
        check: "8fc38c2c1911df7986994f73f5cca49520224a568f50610b12e47dcfff4a2d20",
        either_order: true,
        tree_id: Some("gost94-cryptopro"),
        kind: Kind::Blocks { chain: &CRYPTOPRO, init },
        ..Algorithm::PLAIN
    },
];

static TEST: Chain = chain(KERNELS_TEST);
static CRYPTOPRO: Chain = chain(KERNELS_CRYPTOPRO);

const fn chain(kernels: &'static [Kernel]) -> Chain {
    let output = output_le64;
    Chain { block: 32, words: 8, lazy: false, kernels, pad, output, last_blocks: 3, squeeze: None }
}

kernels! {
    static KERNELS_TEST: Word64 of u64;
    x86_64 {
        avx512_test: avx512_gfni x 16, from 2 = side_by_side[U32x16, 0];
        avx2_test: avx2 x 8, from 2 = side_by_side[U32x8, 0];
    }
    portable {
        test: x 1, from 1 = compress[0];
    }
}
kernels! {
    static KERNELS_CRYPTOPRO: Word64 of u64;
    x86_64 {
        avx512_cryptopro: avx512_gfni x 16, from 2 = side_by_side[U32x16, 1];
        avx2_cryptopro: avx2 x 8, from 2 = side_by_side[U32x8, 1];
    }
    portable {
        cryptopro: x 1, from 1 = compress[1];
    }
}

/// The chaining value of four words, and the sum of all blocks in another four.
fn init(_: &Params) -> State {
    state(&[])
}

/// The remainder of the message padded with zeros, then the length in bits, then the sum of all blocks.
fn pad(state: &mut State, tail: &mut Tail, buffered: usize, total: u64) -> usize {
    let [first, second, third, ..] = tail.as_chunks_mut::<32>().0 else { unreachable!("room for three blocks") };
    let (length, sum) = match buffered {
        0 => (first, second),
        _ => {
            add_words(&mut state[4..8], &words::<4>(first.as_chunks().0));
            (second, third)
        }
    };
    length[..16].copy_from_slice(&(u128::from(total) << 3).to_le_bytes());
    put_words(&state[4..8], sum);
    if buffered == 0 { 2 } else { 3 }
}

/// RFC 4357 section 11.2: S-box `i` substitutes bits `4 * i` to `4 * i + 3`.
#[rustfmt::skip]
const SBOXES: [[[u8; 16]; 8]; 2] = [
    [
        [4, 10, 9, 2, 13, 8, 0, 14, 6, 11, 1, 12, 7, 15, 5, 3],
        [14, 11, 4, 12, 6, 13, 15, 10, 2, 3, 8, 1, 0, 7, 5, 9],
        [5, 8, 1, 13, 10, 3, 4, 2, 14, 15, 12, 7, 6, 0, 9, 11],
        [7, 13, 10, 1, 0, 8, 9, 15, 14, 4, 6, 12, 11, 2, 5, 3],
        [6, 12, 7, 1, 5, 15, 13, 8, 4, 10, 9, 14, 0, 3, 11, 2],
        [4, 11, 10, 0, 7, 2, 1, 13, 3, 6, 8, 5, 9, 12, 15, 14],
        [13, 11, 4, 1, 3, 15, 5, 9, 0, 10, 14, 7, 6, 8, 2, 12],
        [1, 15, 13, 0, 5, 7, 10, 4, 9, 2, 3, 14, 6, 11, 8, 12],
    ],
    [
        [10, 4, 5, 6, 8, 1, 3, 7, 13, 12, 14, 0, 9, 2, 11, 15],
        [5, 15, 4, 0, 2, 13, 11, 9, 1, 7, 6, 3, 12, 14, 10, 8],
        [7, 15, 12, 14, 9, 4, 1, 0, 3, 11, 5, 2, 6, 10, 8, 13],
        [4, 10, 7, 12, 0, 15, 2, 8, 14, 1, 6, 5, 13, 11, 9, 3],
        [7, 6, 4, 11, 9, 12, 2, 10, 1, 8, 0, 14, 15, 13, 3, 5],
        [7, 6, 2, 4, 13, 9, 15, 0, 10, 1, 5, 11, 8, 14, 12, 3],
        [13, 14, 4, 1, 7, 0, 5, 10, 3, 12, 8, 15, 6, 2, 9, 11],
        [1, 3, 10, 9, 5, 11, 4, 15, 8, 6, 7, 14, 13, 0, 2, 12],
    ],
];

/// The substitution of each byte of a word, at its position after the rotation by 11 bits.
type Tables = [[u32; 256]; 4];

/// Created on first use, which saves 8 KiB of program for a few microseconds.
static TABLES: LazyLock<Box<[Tables; 2]>> = LazyLock::new(|| Box::new([tables(&SBOXES[0]), tables(&SBOXES[1])]));

fn tables(boxes: &[[u8; 16]; 8]) -> Tables {
    let mut tables = [[0; 256]; 4];
    let mut n = 0;
    while n < 1024 {
        let (table, byte) = (n / 256, n % 256);
        let substituted = boxes[2 * table][byte & 15] | boxes[2 * table + 1][byte >> 4] << 4;
        tables[table][byte] = ((substituted as u32) << (8 * table)).rotate_left(11);
        n += 1;
    }
    tables
}

/// The constant of the third key (RFC 5831 section 5.1); the other constants are zero.
const C: [u64; 4] = [0xff00_ff00_ff00_ff00, 0x00ff_00ff_00ff_00ff, 0xff00_00ff_00ff_ff00, 0xff00_ffff_0000_00ff];

/// The transformation A of section 5.1.
#[inline(always)]
fn a([x0, x1, x2, x3]: [u64; 4]) -> [u64; 4] {
    [x1, x2, x3, x0 ^ x1]
}

#[inline(always)]
fn xor(x: [u64; 4], y: [u64; 4]) -> [u64; 4] {
    [x[0] ^ y[0], x[1] ^ y[1], x[2] ^ y[2], x[3] ^ y[3]]
}

/// The transformation P of section 5.1: word `k` of a key consists of byte `k` of the four words.
#[inline(always)]
fn key(y: [u64; 4]) -> [u32; 8] {
    let mut key = [0; 8];
    for (k, word) in key.iter_mut().enumerate() {
        let byte = |i: usize| u32::from((y[i] >> (8 * k)) as u8) << (8 * i);
        *word = byte(0) | byte(1) | byte(2) | byte(3);
    }
    key
}

/// GOST 28147-89 in ECB mode (section 5.2): each word of the chaining value with its own key.
#[inline(always)]
fn encrypt(tables: &Tables, words: [u64; 4], keys: &[[u32; 8]; 4]) -> [u64; 4] {
    let (mut low, mut high) = ([0; 4], [0; 4]);
    for (i, word) in words.into_iter().enumerate() {
        (low[i], high[i]) = (word as u32, (word >> 32) as u32);
    }
    let substituted = |sum: u32| {
        let [b0, b1, b2, b3] = sum.to_le_bytes().map(usize::from);
        tables[0][b0] ^ tables[1][b1] ^ tables[2][b2] ^ tables[3][b3]
    };
    macro_rules! two_rounds {
        ($k:expr, $next:expr) => {
            for i in 0..4 {
                high[i] ^= substituted(low[i].wrapping_add(keys[i][$k]));
            }
            for i in 0..4 {
                low[i] ^= substituted(high[i].wrapping_add(keys[i][$next]));
            }
        };
    }
    for _ in 0..3 {
        for k in [0, 2, 4, 6] {
            two_rounds!(k, k + 1);
        }
    }
    for k in [7, 5, 3, 1] {
        two_rounds!(k, k - 1);
    }
    let mut encrypted = [0; 4];
    for (i, word) in encrypted.iter_mut().enumerate() {
        *word = u64::from(high[i]) | u64::from(low[i]) << 32;
    }
    encrypted
}

/// Applies the transformation psi of section 5.3 `N` times: a shift register of sixteen words.
#[inline(always)]
fn psi<const N: usize>(x: [u64; 4]) -> [u64; 4] {
    // Space for the longest run.
    let mut z = [0u16; 16 + 61];
    for (i, word) in z[..16].iter_mut().enumerate() {
        *word = (x[i / 4] >> (16 * (i % 4))) as u16;
    }
    let mut last = z[15];
    for i in 0..N {
        // Only the last of the terms is new.
        last ^= z[i] ^ z[i + 1] ^ z[i + 2] ^ z[i + 3] ^ z[i + 12];
        z[i + 16] = last;
    }
    let mut shifted = [0; 4];
    for (i, word) in shifted.iter_mut().enumerate() {
        let part = |j: usize| u64::from(z[N + 4 * i + j]) << (16 * j);
        *word = part(0) | part(1) | part(2) | part(3);
    }
    shifted
}

/// Processes blocks of one message (RFC 5831 section 5).
///
/// # Safety
/// The same as for [`crate::block::row::Advance`] for one message.
unsafe fn compress<const SET: usize>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: eight words of state, one message of complete blocks.
    let (state, message) = unsafe {
        (&mut *state.cast::<[[u64; 4]; 2]>(), std::slice::from_raw_parts((*messages).cast::<[[u8; 8]; 4]>(), blocks))
    };
    let tables = &TABLES[SET];
    let [chain, sum] = state;
    for block in message {
        let (h, m) = (*chain, words::<4>(block));
        let (u1, v1) = (a(h), a(a(m)));
        let (u2, v2) = (xor(a(u1), C), a(a(v1)));
        let (u3, v3) = (a(u2), a(a(v2)));
        let keys = [key(xor(h, m)), key(xor(u1, v1)), key(xor(u2, v2)), key(xor(u3, v3))];
        let encrypted = encrypt(tables, h, &keys);
        *chain = psi::<61>(xor(h, psi::<1>(xor(m, psi::<12>(encrypted)))));
        add_words(sum, &m);
    }
}

/// # Safety
/// The same as for [`crate::block::row::Advance`] for as many messages as the word has lanes, on a CPU with its
/// features.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn side_by_side<W: lanes::Substitute, const SET: usize>(
    state: *mut u64,
    messages: *const *const u8,
    blocks: usize,
) {
    // SAFETY: guaranteed by the caller.
    unsafe { lanes::compress::<W, SET>(state, messages, blocks) }
}
