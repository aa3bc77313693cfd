//! SHA-0 (FIPS 180, 1993), withdrawn in favor of SHA-1, which rotates each word of the message
//! schedule by one more bit.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, State, kernels, output_be32, pad_be64, state};
use crate::word::{Endian, Word32, array, turns};
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x8, U32x16};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[Algorithm {
    name: "sha0",
    tag: "SHA0",
    aliases: &["sha-0"],
    digest_len: 20,
    status: Status::Broken("collisions in 2^39 steps (Wang, Yu & Yin 2005), found in an hour (Manuel & Peyrin 2008)"),
    summary: "FIPS 180 (1993), withdrawn",
    check: "f0360779d2af6615f306bb534223cf762a92e988",
    tree_id: Some("sha0"),
    kind: Kind::Blocks { chain: &SHA0, init },
    ..Algorithm::PLAIN
}];

static SHA0: Chain = Chain {
    block: 64,
    words: 5,
    lazy: false,
    kernels: KERNELS,
    pad: pad_be64,
    output: output_be32,
    last_blocks: 2,
    squeeze: None,
};

kernels! {
    static KERNELS: Word32 of u32;
    x86_64 {
        avx512: avx512 x 16, from 3 = compress[U32x16];
        avx2: avx2 x 8, from 2 = compress[U32x8];
    }
    portable {
        portable: x 1, from 1 = compress[u32];
    }
}

fn init(_: &Params) -> State {
    state(&[0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0])
}

const K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// Processes blocks in every lane (FIPS 180 section 7).
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn compress<W: Word32>(state: *mut u32, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: five words of state, complete blocks, the CPU features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let mut s: [W; 5] = array![5; word => W::load(at(word))];
        for block in 0..blocks {
            let mut w = W::chunk(messages, block * 64, Endian::Big);
            let [mut a, mut b, mut c, mut d, mut e] = s;
            macro_rules! round {
                ($round:literal) => {
                    turns!(W, five in 4 => {
                        macro_rules! step {
                            ($i:literal, $a:ident, $b:ident, $c:ident, $d:ident, $e:ident) => {
                                let i = 20 * $round + 5 * five + $i;
                                if i >= 16 {
                                    let x = w[i % 16].xor(w[(i + 2) % 16]).xor(w[(i + 8) % 16]);
                                    w[i % 16] = x.xor(w[(i + 13) % 16]);
                                }
                                let f = match $round {
                                    0 => $b.choose($c, $d),
                                    2 => $b.majority($c, $d),
                                    _ => $b.xor($c).xor($d),
                                };
                                $e = $e.add(w[i % 16].plus(K[$round])).add(f).add($a.rotl(5));
                                $b = $b.rotl(30);
                            };
                        }
                        step!(0, a, b, c, d, e);
                        step!(1, e, a, b, c, d);
                        step!(2, d, e, a, b, c);
                        step!(3, c, d, e, a, b);
                        step!(4, b, c, d, e, a);
                    });
                };
            }
            round!(0);
            round!(1);
            round!(2);
            round!(3);
            s = [s[0].add(a), s[1].add(b), s[2].add(c), s[3].add(d), s[4].add(e)];
        }
        for (word, value) in s.into_iter().enumerate() {
            value.store(at(word));
        }
    }
}
