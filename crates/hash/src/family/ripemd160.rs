//! RIPEMD-160 (Dobbertin, Bosselaers, Preneel: RIPEMD-160, a strengthened version of RIPEMD, 1996).
//!
//! Two lines of eighty steps over the same block, which depend on each other only at its end. Their steps are
//! interleaved.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, State, kernels, output_le32, pad_le64, state};
use crate::word::{Endian, Word32, array, unknown, unroll};
#[cfg(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::word::U32x4;
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x8, U32x16};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "ripemd160",
        tag: "RMD160",
        aliases: &["rmd160", "ripemd-160"],
        digest_len: 20,
        status: Status::Weakened(
            "160 bits, so collisions in 2^80 steps (Dobbertin, Bosselaers & Preneel 1996)",
        ),
        summary: "Bitcoin addresses, OpenPGP",
        check: "d3d0379126c1e5e0ba70ad6e5e53ff6aeab9f4fa",
        tree_id: Some("ripemd160"),
        kind: Kind::Blocks { chain: &RIPEMD160, init },
        ..Algorithm::PLAIN
    },
];

static RIPEMD160: Chain =
    Chain { block: 64, words: 5, lazy: false, kernels: KERNELS, pad: pad_le64, output: output_le32, last_blocks: 2, squeeze: None };

kernels! {
    static KERNELS: Word32 of u32;
    x86_64 {
        avx512: avx512 x 16, from 2 = compress[U32x16];
        avx2: avx2 x 8, from 2 = compress[U32x8];
    }
    aarch64 {
        neon: neon x 4, from 3 = compress[U32x4];
    }
    wasm32 {
        simd128: simd128 x 4, from 3 = compress[U32x4];
    }
    portable {
        portable: x 1, from 1 = compress[u32];
    }
}

fn init(_: &Params) -> State {
    state(&[0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0])
}

/// Constants of the left line's rounds, then of the right line's.
pub(crate) const K: [[u32; 5]; 2] = [
    [0, 0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xa953_fd4e],
    [0x50a2_8be6, 0x5c4d_d124, 0x6d70_3ef3, 0x7a6d_76e9, 0],
];

/// The message word of each step: left line, right line.
#[rustfmt::skip]
pub(crate) const ORDER: [[usize; 80]; 2] = [
    [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
        7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8,
        3, 10, 14, 4, 9, 15, 8, 1, 2, 7, 0, 6, 13, 11, 5, 12,
        1, 9, 11, 10, 0, 8, 12, 4, 13, 3, 7, 15, 14, 5, 6, 2,
        4, 0, 5, 9, 7, 12, 2, 10, 14, 1, 3, 8, 11, 6, 15, 13,
    ],
    [
        5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12,
        6, 11, 3, 7, 0, 13, 5, 10, 14, 15, 8, 12, 4, 9, 1, 2,
        15, 5, 1, 3, 7, 14, 6, 9, 11, 8, 12, 2, 10, 0, 4, 13,
        8, 6, 4, 1, 3, 11, 15, 0, 5, 12, 2, 13, 9, 7, 10, 14,
        12, 15, 10, 4, 1, 5, 8, 7, 6, 2, 13, 14, 0, 3, 9, 11,
    ],
];

/// The rotation of each step: left line, right line.
#[rustfmt::skip]
pub(crate) const SHIFT: [[u32; 80]; 2] = [
    [
        11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8,
        7, 6, 8, 13, 11, 9, 7, 15, 7, 12, 15, 9, 11, 7, 13, 12,
        11, 13, 6, 7, 14, 9, 13, 15, 14, 8, 13, 6, 5, 12, 7, 5,
        11, 12, 14, 15, 14, 15, 9, 8, 9, 14, 5, 6, 8, 6, 5, 12,
        9, 15, 5, 11, 6, 8, 13, 12, 5, 12, 13, 14, 11, 8, 5, 6,
    ],
    [
        8, 9, 9, 11, 13, 15, 15, 5, 7, 7, 8, 11, 14, 14, 12, 6,
        9, 13, 15, 7, 12, 8, 9, 11, 7, 7, 12, 7, 6, 15, 13, 11,
        9, 7, 15, 11, 8, 6, 6, 14, 12, 13, 5, 14, 13, 13, 7, 5,
        15, 5, 8, 11, 14, 14, 6, 14, 6, 9, 12, 9, 12, 5, 15, 8,
        8, 5, 12, 9, 12, 5, 14, 6, 8, 13, 6, 5, 15, 13, 11, 11,
    ],
];

/// The function of a round (the right line uses them in reverse order).
#[inline(always)]
pub(crate) fn mix<W: Word32>(round: usize, x: W, y: W, z: W) -> W {
    match round {
        0 => x.xor(y).xor(z),
        1 => x.choose(y, z),
        2 => x.or(y.not()).xor(z),
        3 => z.choose(x, y),
        _ => x.xor(y.or(z.not())),
    }
}

/// Processes blocks in every lane (appendix A of the paper).
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn compress<W: Word32>(state: *mut u32, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: five words of state, complete blocks, the CPU features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let mut s: [W; 5] = array![5; word => W::load(at(word))];
        let k = unknown(&K);
        for block in 0..blocks {
            let m = W::chunk(messages, block * 64, Endian::Little);
            let [mut a, mut b, mut c, mut d, mut e] = s;
            let [mut v, mut w, mut x, mut y, mut z] = s;
            macro_rules! step {
                ($side:literal, $round:expr, $i:ident, $a:ident, $b:ident, $c:ident, $d:ident, $e:ident) => {{
                    let mut sum = $a.add(m[ORDER[$side][$i]]);
                    if K[$side][$i / 16] != 0 {
                        sum = sum.plus(k[$side][$i / 16]);
                    }
                    sum = sum.add(mix($round, $b, $c, $d)).rotl(SHIFT[$side][$i]).add($e);
                    ($a, $e, $d, $c, $b) = ($e, $d, $c.rotl(10), $b, sum);
                }};
            }
            unroll!(i in 80 => {
                step!(0, i / 16, i, a, b, c, d, e);
                step!(1, 4 - i / 16, i, v, w, x, y, z);
            });
            s = [
                s[1].add(c).add(y),
                s[2].add(d).add(z),
                s[3].add(e).add(v),
                s[4].add(a).add(w),
                s[0].add(b).add(x),
            ];
        }
        for (word, value) in s.into_iter().enumerate() {
            value.store(at(word));
        }
    }
}
