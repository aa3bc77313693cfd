//! BLAKE (Aumasson, Henzen, Meier & Phan: "SHA-3 proposal BLAKE", version 1.4, 2011), a SHA-3 finalist, without salt.
//!
//! In addition to the chaining value, the state contains the number of bits hashed before a block, the number of bits
//! in the block, and two masks: a block without message bits counts zero, and it may be the second of the last two.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, Kernel, MAX_WORDS, State, Tail, kernels, output_be32, output_be64};
use crate::family::blake2s::SIGMA;
use crate::word::{Endian, Word32, Word64, array, unroll};
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x8, U32x16, U64x4, U64x8};

const FINALIST: Status =
    Status::Secure("SHA-3 finalist; near-collisions for 4 of BLAKE-256's 14 rounds (Guo & Matusiewicz 2009)");

macro_rules! row {
    ($name:literal $tag:literal $alias:literal $len:literal $chain:ident $init:ident, $summary:literal, $check:literal) => {
        Algorithm {
            name: $name,
            tag: $tag,
            aliases: &[$alias],
            digest_len: $len,
            status: FINALIST,
            summary: $summary,
            check: $check,
            tree_id: Some($name),
            kind: Kind::Blocks { chain: &$chain, init: $init },
            ..Algorithm::PLAIN
        }
    };
}

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    row!("blake-224" "BLAKE-224" "blake224" 28 BLAKE224 init_224, "predecessor of BLAKE2, 224 bits", "4cecf736b0e9376341c013c141546d292b3259f1dbd5907efdc86769"),
    row!("blake-256" "BLAKE-256" "blake256" 32 BLAKE256 init_256, "predecessor of BLAKE2, 256 bits; Decred", "b7a1ad4406c9abf21c4f0e4c528a07ec5a6e1a10ecc15a55d218a09d2d32130d"),
    row!("blake-384" "BLAKE-384" "blake384" 48 BLAKE384 init_384, "predecessor of BLAKE2, 384 bits", "942cf7262e62c7790f3b33a2c4990364f21172e2b663c4ff6457f57399651bc141dd39bc9d59f1c0c86ef89bfa070eba"),
    row!("blake-512" "BLAKE-512" "blake512" 64 BLAKE512 init_512, "predecessor of BLAKE2, 512 bits; X11", "7d22d10b63c0700a4568ec0f4d71c0447ea0d82ea358bb1080b10bc09aaa497d2ef995c0014713f1d77a9c519f538c6494b271b1978eab59b592d34c07a66a22"),
];

static BLAKE224: Chain = short(pad::<64, 0>);
static BLAKE256: Chain = short(pad::<64, 1>);
static BLAKE384: Chain = long(pad::<128, 0>);
static BLAKE512: Chain = long(pad::<128, 1>);

type Pad = fn(&mut State, &mut Tail, usize, u64) -> usize;

const fn short(pad: Pad) -> Chain {
    chain(64, KERNELS_32, pad, output_be32)
}

const fn long(pad: Pad) -> Chain {
    chain(128, KERNELS_64, pad, output_be64)
}

const fn chain(block: usize, kernels: &'static [Kernel], pad: Pad, output: fn(&State, &mut [u8])) -> Chain {
    Chain { block, words: WORDS, lazy: false, kernels, pad, output, last_blocks: 2, squeeze: None }
}

kernels! {
    static KERNELS_32: Word32 of u32;
    x86_64 {
        avx512_32: avx512 x 16, from 3 = compress_32[U32x16];
        avx2_32: avx2 x 8, from 3 = compress_32[U32x8];
    }
    portable {
        portable_32: x 1, from 1 = compress_32[u32];
    }
}
kernels! {
    static KERNELS_64: Word64 of u64;
    x86_64 {
        avx512_64: avx512 x 8, from 2 = compress_64[U64x8];
        avx2_64: avx2 x 4, from 3 = compress_64[U64x4];
    }
    portable {
        portable_64: x 1, from 1 = compress_64[u64];
    }
}

/// The positions in the state of the number of bits before the next block (low word, high word), the number of bits in
/// it, the mask for the count, and the mask for the next one.
const COUNTER: usize = 8;
const STEP: usize = 10;
const MASK: usize = 11;
const NEXT: usize = 12;
const WORDS: usize = 13;

fn begun(iv: [u64; 8], block: u64, ones: u64) -> State {
    let mut state = [0; MAX_WORDS];
    state[..8].copy_from_slice(&iv);
    (state[STEP], state[MASK], state[NEXT]) = (block * 8, ones, ones);
    state
}

/// The initial values are those of SHA-224, SHA-256, SHA-384 and SHA-512.
fn init_224(_: &Params) -> State {
    let iv = [0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4];
    begun(iv, 64, u64::from(u32::MAX))
}

fn init_256(_: &Params) -> State {
    begun(crate::family::blake2s::IV.map(u64::from), 64, u64::from(u32::MAX))
}

#[rustfmt::skip]
fn init_384(_: &Params) -> State {
    begun([
        0xcbbb_9d5d_c105_9ed8, 0x629a_292a_367c_d507, 0x9159_015a_3070_dd17, 0x152f_ecd8_f70e_5939,
        0x6733_2667_ffc0_0b31, 0x8eb4_4a87_6858_1511, 0xdb0c_2e0d_64f9_8fa7, 0x47b5_481d_befa_4fa4,
    ], 128, u64::MAX)
}

fn init_512(_: &Params) -> State {
    begun(crate::family::blake2b::IV, 128, u64::MAX)
}

/// Appends a one bit, zeros, a bit that distinguishes the two digest lengths of a word size, and the length in bits
/// (sections 2.1.3 and 2.2.3).
fn pad<const BLOCK: usize, const MARK: u8>(state: &mut State, tail: &mut Tail, buffered: usize, total: u64) -> usize {
    let length = BLOCK / 8;
    tail[buffered] = 0x80;
    let blocks = if buffered < BLOCK - length { 1 } else { 2 };
    let end = blocks * BLOCK;
    tail[end - length - 1] |= MARK;
    tail[end - length..end].copy_from_slice(&(u128::from(total) << 3).to_be_bytes()[16 - length..]);
    state[STEP] = buffered as u64 * 8;
    if buffered == 0 {
        state[MASK] = 0;
    }
    if blocks == 2 {
        state[NEXT] = 0;
    }
    blocks
}

/// The first digits of pi after the point, in words of 32 and of 64 bits.
#[rustfmt::skip]
const PI_32: [u32; 16] = [
    0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89,
    0x452821e6, 0x38d01377, 0xbe5466cf, 0x34e90c6c, 0xc0ac29b7, 0xc97c50dd, 0x3f84d5b5, 0xb5470917,
];
#[rustfmt::skip]
const PI_64: [u64; 16] = [
    0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89,
    0x452821e638d01377, 0xbe5466cf34e90c6c, 0xc0ac29b7c97c50dd, 0x3f84d5b5b5470917,
    0x9216d5d98979fb1b, 0xd1310ba698dfb5ac, 0x2ffd72dbd01adfb7, 0xb8e1afed6a267e96,
    0xba7c9045f12c7f99, 0x24a19947b3916cf7, 0x0801f2e2858efc16, 0x636920d871574e69,
];

/// A round (section 2.1.2): mixes the columns of `v`, then its diagonals, with the words of `m` in the order `s`.
macro_rules! round {
    ($word:ident, $v:ident, $m:ident, $pi:ident, $s:expr, $turns:tt) => {{
        let s = &$s;
        round!(@ $word, $v, $m, $pi, 0, 4, 8, 12, s[0], s[1], $turns);
        round!(@ $word, $v, $m, $pi, 1, 5, 9, 13, s[2], s[3], $turns);
        round!(@ $word, $v, $m, $pi, 2, 6, 10, 14, s[4], s[5], $turns);
        round!(@ $word, $v, $m, $pi, 3, 7, 11, 15, s[6], s[7], $turns);
        round!(@ $word, $v, $m, $pi, 0, 5, 10, 15, s[8], s[9], $turns);
        round!(@ $word, $v, $m, $pi, 1, 6, 11, 12, s[10], s[11], $turns);
        round!(@ $word, $v, $m, $pi, 2, 7, 8, 13, s[12], s[13], $turns);
        round!(@ $word, $v, $m, $pi, 3, 4, 9, 14, s[14], s[15], $turns);
    }};
    (@ $word:ident, $v:ident, $m:ident, $pi:ident, $a:literal, $b:literal, $c:literal, $d:literal, $x:expr, $y:expr,
        [$r1:literal, $r2:literal, $r3:literal, $r4:literal]) => {
        $v[$a] = $v[$a].add($v[$b]).add($m[$x].xor($word::splat($pi[$y])));
        $v[$d] = $v[$d].xor($v[$a]).rotr($r1);
        $v[$c] = $v[$c].add($v[$d]);
        $v[$b] = $v[$b].xor($v[$c]).rotr($r2);
        $v[$a] = $v[$a].add($v[$b]).add($m[$y].xor($word::splat($pi[$x])));
        $v[$d] = $v[$d].xor($v[$a]).rotr($r3);
        $v[$c] = $v[$c].add($v[$d]);
        $v[$b] = $v[$b].xor($v[$c]).rotr($r4);
    };
}

/// All rounds of a block; `v` is the state before and after them.
macro_rules! rounds {
    ($word:ident, $v:ident, $m:ident, $pi:ident, $turns:tt, $rounds:literal) => {
        if $word::LANES > 1 {
            for round in 0..$rounds {
                round!($word, $v, $m, $pi, SIGMA[round % 10], $turns);
            }
        } else {
            unroll!(round in 16 => {
                if round < $rounds {
                    round!($word, $v, $m, $pi, SIGMA[round % 10], $turns);
                }
            });
        }
    };
}

macro_rules! compress {
    ($(#[$doc:meta])* $name:ident, $trait:ident, $lane:ty, $block:literal, $turns:tt, $pi:ident, $rounds:literal,
        |$messages:ident, $at:ident| $read:expr, |$low:ident, $step:ident, $before:ident| $carry:expr) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
        #[inline(always)]
        unsafe fn $name<W: $trait>(state: *mut $lane, $messages: *const *const u8, blocks: usize) {
            // SAFETY: guaranteed by the caller: thirteen words of state, complete blocks, the CPU features.
            unsafe {
                let at = |word: usize| state.add(word * W::LANES);
                let mut h: [W; 8] = array![8; word => W::load(at(word))];
                let (mut low, mut high) = (W::load(at(COUNTER)), W::load(at(COUNTER + 1)));
                let ($step, next) = (W::load(at(STEP)), W::load(at(NEXT)));
                let mut mask = W::load(at(MASK));
                for block in 0..blocks {
                    let $at = block * $block;
                    let m: [W; 16] = $read;
                    let ($before, $low) = (low, low.add($step));
                    high = high.add($carry);
                    low = $low;
                    let mut v: [W; 16] = array![16; i => if i < 8 { h[i] } else { W::splat($pi[i - 8]) }];
                    v[12] = v[12].xor(low.and(mask));
                    v[13] = v[13].xor(low.and(mask));
                    v[14] = v[14].xor(high.and(mask));
                    v[15] = v[15].xor(high.and(mask));
                    mask = mask.and(next);
                    rounds!(W, v, m, $pi, $turns, $rounds);
                    h = array![8; i => h[i].xor(v[i]).xor(v[i + 8])];
                }
                for (word, value) in h.into_iter().enumerate() {
                    value.store(at(word));
                }
                low.store(at(COUNTER));
                high.store(at(COUNTER + 1));
                mask.store(at(MASK));
            }
        }
    };
}
compress!(
    /// BLAKE with 32-bit words, for every lane.
    compress_32, Word32, u32, 64, [16, 12, 8, 7], PI_32, 14,
    |messages, from| W::chunk(messages, from, Endian::Big),
    // A step is at most a block, so the top bit changes from 1 to 0 only if the sum exceeds 2^32.
    |low, step, before| low.andnot(before).shr(31)
);
compress!(
    /// BLAKE with 64-bit words, for every lane.
    compress_64, Word64, u64, 128, [32, 25, 16, 11], PI_64, 16,
    |messages, from| {
        let (first, second) = (W::chunk(messages, from, Endian::Big), W::chunk(messages, from + 64, Endian::Big));
        array![16; i => if i < 8 { first[i] } else { second[i - 8] }]
    },
    |low, step, before| low.andnot(before).shr(63)
);
