//! MD4 (RFC 1320).
//!
//! MD5 with three rounds and fewer constants; the remarks on lanes there apply here as well.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, State, kernels, output_le32, pad_le64, state};
use crate::word::{Endian, Word32, array, unknown, unroll};
#[cfg(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::word::{U32x4, X2};
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x4, U32x8, U32x16, X2};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "md4",
        tag: "MD4",
        digest_len: 16,
        status: Status::Broken("collisions computable by hand (Wang et al. 2005), theoretical preimage attacks (Leurent 2008)"),
        summary: "RFC 1320; ed2k, NTLM",
        check: "2ae523785d0caf4d2fb557c12016185c",
        tree_id: Some("md4"),
        kind: Kind::Blocks { chain: &MD4, init },
        ..Algorithm::PLAIN
    },
];

static MD4: Chain =
    Chain { block: 64, words: 4, lazy: false, kernels: KERNELS, pad: pad_le64, output: output_le32, last_blocks: 2, squeeze: None };

kernels! {
    static KERNELS: Word32 of u32;
    x86_64 {
        avx512_x2: avx512 x 32, from 17 = compress[X2<U32x16>];
        avx512: avx512 x 16, from 2 = compress[U32x16];
        avx2_x2: avx2 x 16, from 9 = compress[X2<U32x8>];
        avx2: avx2 x 8, from 2 = compress[U32x8];
        sse2: sse2 x 4, from 2 = compress[U32x4];
    }
    aarch64 {
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

/// RFC 1320 section 3.3: the same as MD5's.
fn init(_: &Params) -> State {
    state(&[0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476])
}

/// Zero, and the square roots of 2 and 3 times 2^30.
const K: [u32; 3] = [0, 0x5a82_7999, 0x6ed9_eba1];

const SHIFT: [[u32; 4]; 3] = [[3, 7, 11, 19], [3, 5, 9, 13], [3, 9, 11, 15]];

/// The message word of each step of the third round.
const ORDER: [usize; 16] = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15];

/// Processes blocks in every lane (RFC 1320 section 3.4).
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn compress<W: Word32>(state: *mut u32, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: four words of state, complete blocks, the CPU features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let mut s: [W; 4] = array![4; word => W::load(at(word))];
        let k = unknown(&K);
        for block in 0..blocks {
            let m = W::chunk(messages, block * 64, Endian::Little);
            let [mut a, mut b, mut c, mut d] = s;
            macro_rules! step {
                ($i:expr, $input:expr, $f:expr) => {{
                    let sum = a.add($input).add($f);
                    (a, d, c, b) = (d, c, b, sum.rotl(SHIFT[$i / 16][$i % 4]));
                }};
            }
            unroll!(i in 16 => { step!(i, m[i], b.choose(c, d)) });
            unroll!(i in 16, from 16 => {
                let input = m[i % 4 * 4 + i / 4 % 4].plus(k[1]);
                if W::LANES == 1 {
                    // The bits of a majority are in one of two terms, only one of which depends on the previous step.
                    step!(i, input.add(c.and(d)), c.xor(d).and(b));
                } else {
                    step!(i, input, b.majority(c, d));
                }
            });
            unroll!(i in 16, from 32 => { step!(i, m[ORDER[i - 32]].plus(k[2]), c.xor(d).xor(b)) });
            s = [s[0].add(a), s[1].add(b), s[2].add(c), s[3].add(d)];
        }
        for (word, value) in s.into_iter().enumerate() {
            value.store(at(word));
        }
    }
}
