//! HAVAL (Zheng, Pieprzyk & Seberry: "HAVAL: a one-way hashing algorithm with variable length of output", 1992): three
//! to five passes over blocks of 1024 bits, folded to 128 to 256 bits.
//!
//! The number of passes and the digest length are part of the padding; the initial state is the same for all fifteen
//! variants.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, Kernel, State, Tail, kernels, state};
use crate::word::{Endian, Word32, array, unknown};
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x8, U32x16};

const THREE: Status = Status::Broken("collisions for three passes, computable by hand (Wang, Feng, Lai & Yu 2004)");
const FOUR: Status = Status::Broken("collisions for four passes in 2^36 steps (Yu, Wang, Yun & Park 2006)");
const FIVE_PASSES: Status = Status::Weakened("collisions for five passes in at most 2^123 steps (Yu, Wang, Yun & Park 2006)");

macro_rules! rows {
    ($($name:literal $tag:literal $comma:literal, $len:literal, $status:ident $kernels:ident $passes:literal, $check:literal;)*) => {
        /// The rows of this family.
        pub(crate) static ROWS: &[Algorithm] = &[$(
            Algorithm {
                name: $name,
                tag: $tag,
                aliases: &[$comma],
                digest_len: $len,
                status: $status,
                summary: concat!("HAVAL with ", stringify!($passes), " passes"),
                check: $check,
                tree_id: Some($name),
                kind: Kind::Blocks { chain: &const { chain::<$passes, $len>($kernels) }, init },
                ..Algorithm::PLAIN
            },
        )*];
    };
}
rows! {
    "haval128-3" "HAVAL-128-3" "haval128,3", 16, THREE KERNELS_3 3, "f2f92d4e5ca6b92a5b5fc5ac822c39d2";
    "haval160-3" "HAVAL-160-3" "haval160,3", 20, THREE KERNELS_3 3, "39a83af3293cdac04de1df3d0be7a1f9d8aab923";
    "haval192-3" "HAVAL-192-3" "haval192,3", 24, THREE KERNELS_3 3, "6b92f078e73af2e0f9f049faa5016d32173a3d62d2f08554";
    "haval224-3" "HAVAL-224-3" "haval224,3", 28, THREE KERNELS_3 3, "28e8cc65356b43acbed4dd70f11d0827f17c4442d323aaa0a0de285f";
    "haval256-3" "HAVAL-256-3" "haval256,3", 32, THREE KERNELS_3 3, "63e8d0aeec87738f1e820294cbdf7961cd2246b3620b4bac81be0b9827d612c7";
    "haval128-4" "HAVAL-128-4" "haval128,4", 16, FOUR KERNELS_4 4, "52dfe2f3da02591061b02dbdc1510f1c";
    "haval160-4" "HAVAL-160-4" "haval160,4", 20, FOUR KERNELS_4 4, "b03439be6f2a3ebed93ac86846d029d76f62fd99";
    "haval192-4" "HAVAL-192-4" "haval192,4", 24, FOUR KERNELS_4 4, "a5c285ead0ff2f47c15c27b991c4a3a5007ba57137b18d07";
    "haval224-4" "HAVAL-224-4" "haval224,4", 28, FOUR KERNELS_4 4, "9a08d0cf1d52bb1ac22f6421cfb902e700c4c496b3e990f4606f577d";
    "haval256-4" "HAVAL-256-4" "haval256,4", 32, FOUR KERNELS_4 4, "ddc95df473dd169456484beb4b04edca83a5572d9d7eccd00092365ae4ef8d79";
    "haval128-5" "HAVAL-128-5" "haval128,5", 16, FIVE_PASSES KERNELS_5 5, "8aa1c1ca3a7e4f983654c4f689de6f8d";
    "haval160-5" "HAVAL-160-5" "haval160,5", 20, FIVE_PASSES KERNELS_5 5, "11f592b3a1a1a9c0f9c638c33b69e442d06c1d99";
    "haval192-5" "HAVAL-192-5" "haval192,5", 24, FIVE_PASSES KERNELS_5 5, "ec32312aa79775539675c9ba83d079ffc7ea498fa6173a46";
    "haval224-5" "HAVAL-224-5" "haval224,5", 28, FIVE_PASSES KERNELS_5 5, "2eaadfb8007d9a4d8d7f21182c2913d569f801b44d0920d4ce8a01f0";
    "haval256-5" "HAVAL-256-5" "haval256,5", 32, FIVE_PASSES KERNELS_5 5, "77fd61460db5f89defc9a9296fab68a1730ea6c9c0037a9793dac8492c0a953c";
}

const fn chain<const PASSES: usize, const LEN: usize>(kernels: &'static [Kernel]) -> Chain {
    let pad = pad::<PASSES, LEN>;
    Chain { block: 128, words: 8, lazy: false, kernels, pad, output, last_blocks: 2, squeeze: None }
}

kernels! {
    static KERNELS_3: Word32 of u32;
    x86_64 {
        avx512_3: avx512 x 16, from 3 = compress[U32x16, 3];
        avx2_3: avx2 x 8, from 2 = compress[U32x8, 3];
    }
    portable {
        portable_3: x 1, from 1 = compress[u32, 3];
    }
}
kernels! {
    static KERNELS_4: Word32 of u32;
    x86_64 {
        avx512_4: avx512 x 16, from 3 = compress[U32x16, 4];
        avx2_4: avx2 x 8, from 2 = compress[U32x8, 4];
    }
    portable {
        portable_4: x 1, from 1 = compress[u32, 4];
    }
}
kernels! {
    static KERNELS_5: Word32 of u32;
    x86_64 {
        avx512_5: avx512 x 16, from 3 = compress[U32x16, 5];
        avx2_5: avx2 x 8, from 2 = compress[U32x8, 5];
    }
    portable {
        portable_5: x 1, from 1 = compress[u32, 5];
    }
}

/// The first digits of pi after the point.
fn init(_: &Params) -> State {
    state(&[
        0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344, 0xa409_3822, 0x299f_31d0, 0x082e_fa98, 0xec4e_6c89,
    ])
}

/// Appends a one bit, zeros, sixteen bits of version, passes and digest length, and the message length in bits.
fn pad<const PASSES: usize, const LEN: usize>(_: &mut State, tail: &mut Tail, buffered: usize, total: u64) -> usize {
    tail[buffered] = 1;
    let blocks = if buffered < 118 { 1 } else { 2 };
    let end = blocks * 128;
    let bits = LEN * 8;
    tail[end - 10] = ((bits & 3) << 6 | PASSES << 3 | 1) as u8;
    tail[end - 9] = (bits >> 2) as u8;
    tail[end - 8..end].copy_from_slice(&(total << 3).to_le_bytes());
    blocks
}

/// Section 2.5: the words that do not fit in the digest are divided into fields, and each field is added to a remaining
/// word.
fn output(state: &State, digest: &mut [u8]) {
    let mut h = [0u32; 8];
    for (word, value) in h.iter_mut().zip(state) {
        *word = *value as u32;
    }
    let last = h[7];
    match digest.len() {
        16 => {
            for word in 0..4u32 {
                let field = |from: u32| h[from as usize] & 0xff_u32.rotate_left(8 * (word + from + 1));
                let fields = field(4) | field(5) | field(6) | field(7);
                h[word as usize] = h[word as usize].wrapping_add(fields.rotate_right(8 * (word + 1)));
            }
        }
        20 => {
            let fields = [0x3f, 0x7f << 25, 0x3f << 19, 0x7f << 12, 0x3f << 6];
            let turns = [19, 25, 0, 6, 12];
            // A word gets the fields in turn, one from each of the dropped words.
            for word in 0..5 {
                let mask = |back: usize| fields[(back + 5 - word) % 5];
                let taken = (h[7] & mask(0)) | (h[6] & mask(1)) | (h[5] & mask(2));
                h[word] = h[word].wrapping_add(u32::rotate_right(taken, turns[word]));
            }
        }
        24 => {
            let fields: [u32; 6] = [0x1f, 0x3f << 26, 0x1f << 21, 0x1f << 16, 0x3f << 10, 0x1f << 5];
            let turns = [26, 0, 5, 10, 16, 21];
            for word in 0..6 {
                let mask = |back: usize| fields[(back + 6 - word) % 6];
                let taken = (h[7] & mask(0)) | (h[6] & mask(1));
                h[word] = h[word].wrapping_add(u32::rotate_right(taken, turns[word]));
            }
        }
        28 => {
            for (word, (shift, mask)) in
                [(27, 0x1f), (22, 0x1f), (18, 0xf), (13, 0x1f), (9, 0xf), (4, 0x1f), (0, 0xf)].into_iter().enumerate()
            {
                h[word] = h[word].wrapping_add(last >> shift & mask);
            }
        }
        _ => {}
    }
    for (bytes, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(h) {
        *bytes = word.to_le_bytes();
    }
}

/// The message words of passes 2 to 5.
#[rustfmt::skip]
const ORDER: [[u8; 32]; 4] = [
    [5, 14, 26, 18, 11, 28, 7, 16, 0, 23, 20, 22, 1, 10, 4, 8, 30, 3, 21, 9, 17, 24, 29, 6, 19, 12, 15, 13, 2, 25, 31, 27],
    [19, 9, 4, 20, 28, 17, 8, 22, 29, 14, 25, 12, 24, 30, 16, 26, 31, 15, 7, 3, 1, 0, 18, 27, 13, 6, 21, 10, 23, 11, 5, 2],
    [24, 4, 0, 14, 2, 7, 28, 23, 26, 6, 30, 20, 18, 25, 19, 3, 22, 11, 31, 21, 8, 27, 12, 9, 1, 29, 5, 15, 17, 10, 16, 13],
    [27, 3, 21, 26, 17, 11, 20, 29, 19, 0, 12, 7, 13, 8, 31, 10, 5, 9, 14, 30, 18, 6, 28, 24, 2, 23, 16, 22, 4, 1, 25, 15],
];

/// The constants of passes 2 to 5: the digits of pi after those of the initial state.
#[rustfmt::skip]
const K: [[u32; 32]; 4] = [
    [
        0x452821e6, 0x38d01377, 0xbe5466cf, 0x34e90c6c, 0xc0ac29b7, 0xc97c50dd, 0x3f84d5b5, 0xb5470917,
        0x9216d5d9, 0x8979fb1b, 0xd1310ba6, 0x98dfb5ac, 0x2ffd72db, 0xd01adfb7, 0xb8e1afed, 0x6a267e96,
        0xba7c9045, 0xf12c7f99, 0x24a19947, 0xb3916cf7, 0x0801f2e2, 0x858efc16, 0x636920d8, 0x71574e69,
        0xa458fea3, 0xf4933d7e, 0x0d95748f, 0x728eb658, 0x718bcd58, 0x82154aee, 0x7b54a41d, 0xc25a59b5,
    ],
    [
        0x9c30d539, 0x2af26013, 0xc5d1b023, 0x286085f0, 0xca417918, 0xb8db38ef, 0x8e79dcb0, 0x603a180e,
        0x6c9e0e8b, 0xb01e8a3e, 0xd71577c1, 0xbd314b27, 0x78af2fda, 0x55605c60, 0xe65525f3, 0xaa55ab94,
        0x57489862, 0x63e81440, 0x55ca396a, 0x2aab10b6, 0xb4cc5c34, 0x1141e8ce, 0xa15486af, 0x7c72e993,
        0xb3ee1411, 0x636fbc2a, 0x2ba9c55d, 0x741831f6, 0xce5c3e16, 0x9b87931e, 0xafd6ba33, 0x6c24cf5c,
    ],
    [
        0x7a325381, 0x28958677, 0x3b8f4898, 0x6b4bb9af, 0xc4bfe81b, 0x66282193, 0x61d809cc, 0xfb21a991,
        0x487cac60, 0x5dec8032, 0xef845d5d, 0xe98575b1, 0xdc262302, 0xeb651b88, 0x23893e81, 0xd396acc5,
        0x0f6d6ff3, 0x83f44239, 0x2e0b4482, 0xa4842004, 0x69c8f04a, 0x9e1f9b5e, 0x21c66842, 0xf6e96c9a,
        0x670c9c61, 0xabd388f0, 0x6a51a0d2, 0xd8542f68, 0x960fa728, 0xab5133a3, 0x6eef0b6c, 0x137a3be4,
    ],
    [
        0xba3bf050, 0x7efb2a98, 0xa1f1651d, 0x39af0176, 0x66ca593e, 0x82430e88, 0x8cee8619, 0x456f9fb4,
        0x7d84a5c3, 0x3b8b5ebe, 0xe06f75d8, 0x85c12073, 0x401a449f, 0x56c16aa6, 0x4ed3aa62, 0x363f7706,
        0x1bfedf72, 0x429b023d, 0x37d0d724, 0xd00a1248, 0xdb0fead3, 0x49f1c09b, 0x075372c9, 0x80991b7b,
        0x25d479d8, 0xf6e8def7, 0xe3fe501a, 0xb6794c3b, 0x976ce0bd, 0x04c006ba, 0xc1a94fb6, 0x409f60c4,
    ],
];

/// The function of pass `$n` (section 2.3) on its seven words, the last first.
macro_rules! mix {
    (1 $x6:expr, $x5:expr, $x4:expr, $x3:expr, $x2:expr, $x1:expr, $x0:expr) => {
        $x1.and($x4).xor($x2.and($x5)).xor($x3.and($x6)).xor($x0.and($x1)).xor($x0)
    };
    (2 $x6:expr, $x5:expr, $x4:expr, $x3:expr, $x2:expr, $x1:expr, $x0:expr) => {{
        let two = $x1.and($x3).xor($x4.and($x5)).xor($x1).xor($x6).xor($x0);
        two.and($x2).xor($x4.and($x1.xor($x5))).xor($x3.and($x5)).xor($x0)
    }};
    (3 $x6:expr, $x5:expr, $x4:expr, $x3:expr, $x2:expr, $x1:expr, $x0:expr) => {
        $x1.and($x2).xor($x6).xor($x0).and($x3).xor($x1.and($x4)).xor($x2.and($x5)).xor($x0)
    };
    (4 $x6:expr, $x5:expr, $x4:expr, $x3:expr, $x2:expr, $x1:expr, $x0:expr) => {{
        let three = $x1.and($x2).xor($x4.and($x6)).xor($x4).xor($x5).xor($x6);
        let two = $x4.and($x5).xor($x6);
        three.and($x3).xor(two.and($x2)).xor($x4.and($x1.xor($x5).xor($x6).xor($x0))).xor($x0)
    }};
    (5 $x6:expr, $x5:expr, $x4:expr, $x3:expr, $x2:expr, $x1:expr, $x0:expr) => {
        $x1.and($x4).xor($x2.and($x5)).xor($x3.and($x6)).xor($x1.and($x2).and($x3).xor($x5).and($x0)).xor($x0)
    };
}

/// Processes a block in every lane. Eight steps, after which each word is in its original position, are unrolled.
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn compress<W: Word32, const PASSES: usize>(state: *mut u32, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: eight words of state, complete blocks, the CPU features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        for block in 0..blocks {
            let (low, high) = (
                W::chunk(messages, block * 128, Endian::Little),
                W::chunk(messages, block * 128 + 64, Endian::Little),
            );
            let m: [W; 32] = array![32; i => if i < 16 { low[i] } else { high[i - 16] }];
            let mut s: [W; 8] = array![8; word => W::load(at(word))];
            macro_rules! pass {
                ($pass:literal: $function:tt $a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal) => {
                    for four in 0..*unknown(&4) {
                        macro_rules! step {
                            ($i:literal) => {
                                let i = 8 * four + $i;
                                // Word `x` of the function after `$i` steps; masks tell the compiler the range of the
                                // tables' values.
                                macro_rules! x {
                                    ($x:literal) => { s[($x + 8 - $i) % 8] };
                                }
                                let f = mix!($function x!($a), x!($b), x!($c), x!($d), x!($e), x!($f), x!($g));
                                let word = if $pass == 1 { i } else { usize::from(ORDER[($pass + 2) % 4][i & 31]) };
                                let mut sum = f.rotr(7).add(x!(7).rotr(11)).add(m[word & 31]);
                                if $pass > 1 {
                                    sum = sum.plus(K[($pass + 2) % 4][i & 31]);
                                }
                                s[(7 + 8 - $i) % 8] = sum;
                            };
                        }
                        step!(0);
                        step!(1);
                        step!(2);
                        step!(3);
                        step!(4);
                        step!(5);
                        step!(6);
                        step!(7);
                    }
                };
            }
            // The permutations of section 2.4 for each number of passes.
            match PASSES {
                3 => {
                    pass!(1: 1 1 0 3 5 6 2 4);
                    pass!(2: 2 4 2 1 0 5 3 6);
                    pass!(3: 3 6 1 2 3 4 5 0);
                }
                4 => {
                    pass!(1: 1 2 6 1 4 5 3 0);
                    pass!(2: 2 3 5 2 0 1 6 4);
                    pass!(3: 3 1 4 3 6 0 2 5);
                    pass!(4: 4 6 4 0 5 2 1 3);
                }
                _ => {
                    pass!(1: 1 3 4 1 0 5 2 6);
                    pass!(2: 2 6 2 1 0 3 4 5);
                    pass!(3: 3 2 6 0 4 3 1 5);
                    pass!(4: 4 1 5 3 2 0 4 6);
                    pass!(5: 5 2 5 0 6 4 3 1);
                }
            }
            for (word, value) in s.into_iter().enumerate() {
                W::load(at(word)).add(value).store(at(word));
            }
        }
    }
}
