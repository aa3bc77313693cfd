//! RIPEMD-128, RIPEMD-256 and RIPEMD-320 (Dobbertin, Bosselaers & Preneel: "RIPEMD-160, a strengthened version of
//! RIPEMD", 1996, section 5).
//!
//! RIPEMD-128 is RIPEMD-160 with four rounds and four words per line. The others keep both lines separate to the end,
//! which gives twice the digest length with the same security, and exchange a word between them after every round.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, Kernel, State, kernels, output_le32, pad_le64, state};
use crate::family::ripemd160::{K, ORDER, SHIFT, mix};
use crate::word::{Endian, Word32, array, turns};
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x8, U32x16};
use std::mem::swap;

const SHORT: &str = "128-bit lines, so collisions in at most 2^64 steps; semi-free-start collisions for \
                     RIPEMD-128 in 2^61.6 (Landelle & Peyrin 2013)";

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "ripemd128",
        tag: "RMD128",
        aliases: &["rmd128", "ripemd-128"],
        digest_len: 16,
        status: Status::Weakened(SHORT),
        summary: "128-bit RIPEMD",
        check: "1886db8acdcbfeab1e7ee3780400536f",
        tree_id: Some("ripemd128"),
        kind: Kind::Blocks { chain: &RIPEMD128, init },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "ripemd256",
        tag: "RMD256",
        aliases: &["rmd256", "ripemd-256"],
        digest_len: 32,
        status: Status::Weakened(SHORT),
        summary: "two parallel lines of RIPEMD-128",
        check: "6be43ff65dd40ea4f2ff4ad58a7c1acc7c8019137698945b16149eb95df244b7",
        tree_id: Some("ripemd256"),
        kind: Kind::Blocks { chain: &RIPEMD256, init },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "ripemd320",
        tag: "RMD320",
        aliases: &["rmd320", "ripemd-320"],
        digest_len: 40,
        status: Status::Weakened("designed to be only as strong as RIPEMD-160 (Dobbertin, Bosselaers & Preneel 1996)"),
        summary: "two parallel lines of RIPEMD-160",
        check: "7e36771775a8d279475d4fd76b0c8e412b6ad085a0002475a148923ccfa5d71492e12fa88eeaf1a9",
        tree_id: Some("ripemd320"),
        kind: Kind::Blocks { chain: &RIPEMD320, init: init_320 },
        ..Algorithm::PLAIN
    },
];

static RIPEMD128: Chain = chain(4, KERNELS_128);
static RIPEMD256: Chain = chain(8, KERNELS_256);
static RIPEMD320: Chain = chain(10, KERNELS_320);

const fn chain(words: usize, kernels: &'static [Kernel]) -> Chain {
    let output = output_le32;
    Chain { block: 64, words, lazy: false, kernels, pad: pad_le64, output, last_blocks: 2, squeeze: None }
}

kernels! {
    static KERNELS_128: Word32 of u32;
    x86_64 {
        avx512_128: avx512 x 16, from 3 = four[U32x16, false];
        avx2_128: avx2 x 8, from 2 = four[U32x8, false];
    }
    portable {
        portable_128: x 1, from 1 = four[u32, false];
    }
}
kernels! {
    static KERNELS_256: Word32 of u32;
    x86_64 {
        avx512_256: avx512 x 16, from 3 = four[U32x16, true];
        avx2_256: avx2 x 8, from 3 = four[U32x8, true];
    }
    portable {
        portable_256: x 1, from 1 = four[u32, true];
    }
}
kernels! {
    static KERNELS_320: Word32 of u32;
    x86_64 {
        avx512_320: avx512 x 16, from 3 = five[U32x16];
        avx2_320: avx2 x 8, from 3 = five[U32x8];
    }
    portable {
        portable_320: x 1, from 1 = five[u32];
    }
}

fn init(_: &Params) -> State {
    state(&[
        0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0x7654_3210, 0xfedc_ba98, 0x89ab_cdef, 0x0123_4567,
    ])
}

fn init_320(_: &Params) -> State {
    state(&[
        0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0, 0x7654_3210, 0xfedc_ba98, 0x89ab_cdef,
        0x0123_4567, 0x3c2d_1e0f,
    ])
}

/// The constants of the rounds of both lines: those of RIPEMD-160, with the last one of the right line for the smaller
/// number of rounds.
const FOUR: [[u32; 4]; 2] = [[K[0][0], K[0][1], K[0][2], K[0][3]], [K[1][0], K[1][1], K[1][2], 0]];

/// Lines of four words, whose results are added to one line or, if `DOUBLE`, to two.
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn four<W: Word32, const DOUBLE: bool>(
    state: *mut u32,
    messages: *const *const u8,
    blocks: usize,
) {
    // SAFETY: guaranteed by the caller: four or eight words of state, complete blocks, the CPU features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let second = if DOUBLE { 4 } else { 0 };
        for block in 0..blocks {
            let m = W::chunk(messages, block * 64, Endian::Little);
            let h: [W; 8] = array![8; word => W::load(at(word % 4 + word / 4 * second))];
            let [mut a, mut b, mut c, mut d, mut v, mut w, mut x, mut y] = h;
            macro_rules! step {
                ($side:literal, $mix:expr, $round:literal, $i:ident, $a:ident, $b:ident, $c:ident, $d:ident) => {{
                    let step = 16 * $round + $i;
                    let sum = $a.add(m[ORDER[$side][step] & 15]).plus(FOUR[$side][$round]);
                    let sum = sum.add(mix($mix, $b, $c, $d)).rotl(SHIFT[$side][step]);
                    ($a, $d, $c, $b) = ($d, $c, $b, sum);
                }};
            }
            macro_rules! round {
                ($round:literal, $left:ident, $right:ident) => {
                    turns!(W, i in 16 => {
                        step!(0, $round, $round, i, a, b, c, d);
                        step!(1, 3 - $round, $round, i, v, w, x, y);
                    });
                    if DOUBLE {
                        swap(&mut $left, &mut $right);
                    }
                };
            }
            round!(0, a, v);
            round!(1, b, w);
            round!(2, c, x);
            round!(3, d, y);
            let sums: [W; 8] = if DOUBLE {
                [h[0].add(a), h[1].add(b), h[2].add(c), h[3].add(d), h[4].add(v), h[5].add(w), h[6].add(x), h[7].add(y)]
            } else {
                let one = [h[1].add(c).add(y), h[2].add(d).add(v), h[3].add(a).add(w), h[0].add(b).add(x)];
                array![8; word => one[word % 4]]
            };
            for (word, sum) in sums.into_iter().enumerate().take(4 + second) {
                sum.store(at(word));
            }
        }
    }
}

/// Lines of five words: RIPEMD-320.
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn five<W: Word32>(state: *mut u32, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: ten words of state, complete blocks, the CPU features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        for block in 0..blocks {
            let m = W::chunk(messages, block * 64, Endian::Little);
            let h: [W; 10] = array![10; word => W::load(at(word))];
            let [mut a, mut b, mut c, mut d, mut e, mut v, mut w, mut x, mut y, mut z] = h;
            macro_rules! step {
                ($side:literal, $mix:expr, $round:literal, $i:ident, $a:ident, $b:ident, $c:ident, $d:ident, $e:ident) => {{
                    let step = 16 * $round + $i;
                    let sum = $a.add(m[ORDER[$side][step] & 15]).plus(K[$side][$round]);
                    let sum = sum.add(mix($mix, $b, $c, $d)).rotl(SHIFT[$side][step]).add($e);
                    ($a, $e, $d, $c, $b) = ($e, $d, $c.rotl(10), $b, sum);
                }};
            }
            macro_rules! round {
                ($round:literal, $left:ident, $right:ident) => {
                    turns!(W, i in 16 => {
                        step!(0, $round, $round, i, a, b, c, d, e);
                        step!(1, 4 - $round, $round, i, v, w, x, y, z);
                    });
                    swap(&mut $left, &mut $right);
                };
            }
            round!(0, b, w);
            round!(1, d, y);
            round!(2, a, v);
            round!(3, c, x);
            round!(4, e, z);
            let sums = [a, b, c, d, e, v, w, x, y, z];
            for (word, sum) in sums.into_iter().enumerate() {
                h[word].add(sum).store(at(word));
            }
        }
    }
}
