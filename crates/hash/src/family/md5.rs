//! MD5 (RFC 1321).
//!
//! Each step depends on the previous one, so a single message leaves the core mostly idle: several sets of sixteen
//! lanes are the best row. One message runs in scalar registers: a single lane of a vector register, with AVX-512VL's
//! rotate and three-input logic, takes 10.0 cycles per byte against 4.6 on AMD Zen 5, whose vector operations have a
//! latency of two cycles. With a latency of one (Intel), 4.0 is to be expected, which has not been measured.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, State, kernels, output_le32, pad_le64, state};
use crate::word::{Endian, Word32, unknown, unroll};
#[cfg(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::word::{U32x4, X2};
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x4, U32x8, U32x16, X2};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "md5",
        tag: "MD5",
        digest_len: 16,
        status: Status::Broken("collisions in seconds (Wang & Yu 2005; chosen-prefix: Stevens et al. 2007)"),
        summary: "RFC 1321; older manifests, PAR2, S3 ETags",
        check: "25f9e794323b453885f5181f1b624d0b",
        tree_id: Some("md5"),
        kind: Kind::Blocks { chain: &MD5, init },
        ..Algorithm::PLAIN
    },
];

static MD5: Chain =
    Chain { block: 64, words: 4, lazy: false, kernels: KERNELS, pad: pad_le64, output: output_le32, last_blocks: 2, squeeze: None };

kernels! {
    static KERNELS: Word32 of u32;
    x86_64 {
        avx512_x4: avx512 x 64, from 33 = compress[X2<X2<U32x16>>];
        avx512_x2: avx512 x 32, from 17 = compress[X2<U32x16>];
        avx512: avx512 x 16, from 2 = compress[U32x16];
        avx2_x4: avx2 x 32, from 25 = compress[X2<X2<U32x8>>];
        avx2_x2: avx2 x 16, from 9 = compress[X2<U32x8>];
        avx2: avx2 x 8, from 2 = compress[U32x8];
        sse2: sse2 x 4, from 2 = compress[U32x4];
    }
    aarch64 {
        neon_x4: neon x 16, from 9 = compress[X2<X2<U32x4>>];
        neon_x2: neon x 8, from 5 = compress[X2<U32x4>];
        neon: neon x 4, from 3 = compress[U32x4];
    }
    wasm32 {
        simd128_x2: simd128 x 8, from 5 = compress[X2<U32x4>];
        simd128: simd128 x 4, from 3 = compress[U32x4];
    }
    portable {
        portable: x 1, from 1 = compress[u32];
    }
}

fn init(_: &Params) -> State {
    state(&[0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476])
}

/// `floor(2^32 * abs(sin(i + 1)))`
const K: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
];

/// [`K`] minus the difference in the last round's `c ^ (b | !d) = -(c ^ (!b & d)) - 1`: saves one operation in each of
/// sixteen steps for words that have "and not".
const K_LESS: [u32; 64] = {
    let mut k = K;
    let mut i = 48;
    while i < 64 {
        k[i] = k[i].wrapping_sub(1);
        i += 1;
    }
    k
};

const SHIFT: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// Processes blocks in every lane (RFC 1321 section 3.4).
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn compress<W: Word32>(state: *mut u32, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: four words of state, complete blocks, the CPU features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let mut s = [W::load(at(0)), W::load(at(1)), W::load(at(2)), W::load(at(3))];
        // Without BMI, general registers of x86-64 have no "and not". A ternary instruction
        // computes the original function at once. Neither gains from the other form.
        let negates = W::LANES > 1 && !W::TERNARY;
        let k = unknown(if negates { &K_LESS } else { &K });
        for block in 0..blocks {
            let m = W::chunk(messages, block * 64, Endian::Little);
            let [mut a, mut b, mut c, mut d] = s;
            macro_rules! step {
                ($i:expr, $shift:expr, $join:ident $($f:expr),+; $word:expr) => {{
                    // `b` is the result of the previous step. Everything else is added before the
                    // terms with `b`.
                    let sum = a.add(m[$word].plus(k[$i]))$(.$join($f))+;
                    (a, d, c, b) = (d, c, b, b.add(sum.rotl($shift)));
                }};
            }
            macro_rules! round {
                ($from:expr, $join:ident $($f:expr),+; $i:ident, $word:expr) => {
                    if W::REGISTERS > 1 {
                        // Words of the message come from memory in any case, so unrolling would
                        // only add code (`Word::REGISTERS`).
                        for four in 0..4 {
                            unroll!($i in 4, from $from => {
                                let (shift, $i) = (SHIFT[$from / 16][$i % 4], 4 * four + $i);
                                step!($i, shift, $join $($f),+; $word)
                            });
                        }
                    } else {
                        unroll!($i in 16, from $from => { step!($i, SHIFT[$from / 16][$i % 4], $join $($f),+; $word) });
                    }
                };
            }
            round!(0, add b.choose(c, d); i, i);
            if W::TERNARY {
                round!(16, add d.choose(b, c); i, (5 * i + 1) % 16);
            } else {
                // No bit is set in both terms of the choice, so they can be added, starting with the term that is
                // available first.
                round!(16, add d.andnot(c), d.and(b); i, (5 * i + 1) % 16);
            }
            round!(32, add b.xor(c).xor(d); i, (3 * i + 5) % 16);
            if negates {
                round!(48, sub c.xor(b.andnot(d)); i, (7 * i) % 16);
            } else {
                round!(48, add c.xor(b.or(d.not())); i, (7 * i) % 16);
            }
            s = [s[0].add(a), s[1].add(b), s[2].add(c), s[3].add(d)];
        }
        for (word, value) in s.into_iter().enumerate() {
            value.store(at(word));
        }
    }
}
