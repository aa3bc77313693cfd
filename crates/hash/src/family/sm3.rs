//! SM3 (GB/T 32905-2016; ISO/IEC 10118-3:2018).
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, State, kernels, output_be32, pad_be64, state};
use crate::word::{Endian, Word32, array, unknown, unroll};
#[cfg(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::word::U32x4;
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x8, U32x16};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "sm3",
        tag: "SM3",
        digest_len: 32,
        status: Status::Secure("GB/T 32905-2016, ISO/IEC 10118-3:2018"),
        summary: "China's standard digest",
        check: "c7ae0aec3d2f9beb84dc1885aa7a576baa7a07b38060afc64c5600f93a5456b5",
        tree_id: Some("sm3"),
        kind: Kind::Blocks { chain: &SM3, init },
        ..Algorithm::PLAIN
    },
];

static SM3: Chain =
    Chain { block: 64, words: 8, lazy: false, kernels: KERNELS, pad: pad_be64, output: output_be32, last_blocks: 2, squeeze: None };

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
    state(&[
        0x7380_166f, 0x4914_b2b9, 0x1724_42d7, 0xda8a_0600, 0xa96f_30bc, 0x1631_38aa, 0xe38d_ee4d, 0xb0fb_0e4e,
    ])
}

/// The constants of section 4.2, each rotated by the number of its step.
const K: [u32; 64] = {
    let mut k = [0; 64];
    let mut i = 0;
    while i < 64 {
        k[i] = (if i < 16 { 0x79cc_4519_u32 } else { 0x7a87_9d8a }).rotate_left(i as u32 % 32);
        i += 1;
    }
    k
};

/// Section 5.3.3, for every lane.
///
/// # Safety
/// As [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn compress<W: Word32>(state: *mut u32, messages: *const *const u8, blocks: usize) {
    // SAFETY: the caller's promise: eight words of state, whole blocks, the CPU's features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let mut s: [W; 8] = array![8; word => W::load(at(word))];
        let k = unknown(&K);
        for block in 0..blocks {
            let mut w = W::chunk(messages, block * 64, Endian::Big);
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = s;
            // Steps look four words ahead.
            macro_rules! schedule {
                ($i:expr) => {
                    let x = w[($i + 4) % 16].xor(w[($i + 11) % 16]).xor(w[($i + 1) % 16].rotl(15));
                    let p1 = x.xor(x.rotl(15)).xor(x.rotl(23));
                    w[($i + 4) % 16] = p1.xor(w[($i + 7) % 16].rotl(7)).xor(w[($i + 14) % 16]);
                };
            }
            macro_rules! step {
                ($i:expr, $k:expr, $ff:expr, $gg:expr) => {
                    let (word, ahead) = (w[$i], w[$i].xor(w[($i + 4) % 16]));
                    let a12 = a.rotl(12);
                    let ss1 = e.plus($k).add(a12).rotl(7);
                    let tt1 = d.add(ahead).add($ff).add(ss1.xor(a12));
                    let tt2 = h.add(word).add($gg).add(ss1);
                    (d, c, b, a) = (c, b.rotl(9), a, tt1);
                    (h, g, f, e) = (g, f.rotl(19), e, tt2.xor(tt2.rotl(9)).xor(tt2.rotl(17)));
                };
            }
            unroll!(i in 16 => {
                if i >= 12 {
                    schedule!(i);
                }
                step!(i, k[i], a.xor(b).xor(c), e.xor(f).xor(g));
            });
            for k in k[16..].chunks_exact(16) {
                unroll!(i in 16 => {
                    schedule!(i);
                    step!(i, k[i], a.majority(b, c), e.choose(f, g));
                });
            }
            let end = [a, b, c, d, e, f, g, h];
            s = array![8; i => s[i].xor(end[i])];
        }
        for (word, value) in s.into_iter().enumerate() {
            value.store(at(word));
        }
    }
}
