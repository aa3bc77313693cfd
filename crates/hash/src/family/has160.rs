//! HAS-160 (TTAS.KO-12.0011/R2, 2008), the Korean standard used with KCDSA.
//!
//! The structure of SHA-1 with little-endian words: before every four words of a round comes the exclusive or of four
//! others.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, State, kernels, output_le32, pad_le64, state};
use crate::word::{Endian, Word32, array, turns};
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x8, U32x16};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[Algorithm {
    name: "has160",
    tag: "HAS-160",
    digest_len: 20,
    status: Status::Weakened(
        "160 bits, so collisions in 2^80 steps; semi-free-start collisions for 65 of 80 steps (Mendel, Nad & Schläffer 2011)",
    ),
    summary: "TTAS.KO-12.0011; Korean digital signatures",
    check: "a0da48ccd36c9d24aa630d4b3673525e9109a83c",
    tree_id: Some("has160"),
    kind: Kind::Blocks { chain: &HAS160, init },
    ..Algorithm::PLAIN
}];

static HAS160: Chain = Chain {
    block: 64,
    words: 5,
    lazy: false,
    kernels: KERNELS,
    pad: pad_le64,
    output: output_le32,
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

/// The words of each round in four groups; before each group, the words of the group after the next are combined.
#[rustfmt::skip]
const ORDER: [[u8; 16]; 4] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [3, 6, 9, 12, 15, 2, 5, 8, 11, 14, 1, 4, 7, 10, 13, 0],
    [12, 5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3],
    [7, 2, 13, 8, 3, 14, 9, 4, 15, 10, 5, 0, 11, 6, 1, 12],
];

/// The rotation of `a` in each step of a round, and that of `b` in each round.
const SHIFT: [u32; 20] = [5, 11, 7, 15, 6, 13, 8, 14, 7, 12, 9, 11, 8, 15, 6, 12, 9, 14, 5, 13];
const TURN: [u32; 4] = [10, 17, 25, 30];
const K: [u32; 4] = [0, 0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc];

/// Processes blocks of eighty steps in every lane.
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
            let m = W::chunk(messages, block * 64, Endian::Little);
            let [mut a, mut b, mut c, mut d, mut e] = s;
            macro_rules! round {
                ($round:literal) => {
                    turns!(W, group in 4 => {
                        macro_rules! word {
                            ($of:expr, $i:literal) => {
                                // The mask tells the compiler the range of the table's values.
                                m[usize::from(ORDER[$round][$of % 4 * 4 + $i]) & 15]
                            };
                        }
                        macro_rules! step {
                            ($i:literal, $x:expr, $a:ident, $b:ident, $c:ident, $d:ident, $e:ident) => {
                                let f = match $round {
                                    0 => $b.choose($c, $d),
                                    2 => $c.xor($b.or($d.not())),
                                    _ => $b.xor($c).xor($d),
                                };
                                let sum = $e.add($x).plus(K[$round]).add(f);
                                $e = sum.add($a.rotl(SHIFT[5 * group + $i]));
                                $b = $b.rotl(TURN[$round]);
                            };
                        }
                        let joined = word!(group + 2, 0)
                            .xor(word!(group + 2, 1))
                            .xor(word!(group + 2, 2))
                            .xor(word!(group + 2, 3));
                        step!(0, joined, a, b, c, d, e);
                        step!(1, word!(group, 0), e, a, b, c, d);
                        step!(2, word!(group, 1), d, e, a, b, c);
                        step!(3, word!(group, 2), c, d, e, a, b);
                        step!(4, word!(group, 3), b, c, d, e, a);
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
