//! BLAKE2s (RFC 7693), with or without a key, a salt and a personalization, with digests of 1 to 32 bytes.
//!
//! As in BLAKE2b, the state contains what a block needs to know about its position. Here the byte count takes two
//! words; the carry between them is detected by a bit that changes from 1 to 0 in an addition.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Keying, Kind, Lengths, Params, Status};
use crate::block::{Chain, MAX_WORDS, State, Tail, kernels, output_le32};
use crate::family::blake2b::keyed;
use crate::word::{Endian, Word32, array, unroll};
#[cfg(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::word::U32x4;
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x4, U32x8, U32x16, X2};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "blake2s",
        tag: "BLAKE2s",
        aliases: &["blake-2s"],
        digest_len: 32,
        lengths: Lengths::UpTo(32),
        status: Status::Secure("RFC 7693; secure with 256 bits or more"),
        summary: "BLAKE2 with 32-bit words; 8 to 256 bits",
        check: "7acc2dd21a2909140507f37396acce906864b5f118dfa766b107962b7a82a0d4",
        tree_id: Some("blake2s"),
        keying: Keying::Optional { least: 1, most: 32 },
        personal: 8,
        kind: Kind::Blocks { chain: &BLAKE2S, init },
        framed: |_, params| Some(keyed(&BLAKE2S, init(params), params.secret()?, params.digest_len)),
        ..Algorithm::PLAIN
    },
];

pub(crate) static BLAKE2S: Chain =
    Chain { block: 64, words: WORDS, lazy: true, kernels: KERNELS, pad, output: output_le32, last_blocks: 1, squeeze: None };

kernels! {
    static KERNELS: Word32 of u32;
    x86_64 {
        avx512_x2: avx512 x 32, from 17 = compress[X2<U32x16>];
        avx512: avx512 x 16, from 9 = compress[U32x16];
        avx2_x2: avx2 x 16, from 10 = compress[X2<U32x8>];
        avx512_eight: avx512 x 8, from 2 = compress[U32x8];
        avx2: avx2 x 8, from 2 = compress[U32x8];
        sse2: sse2 x 4, from 2 = compress[U32x4];
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

/// The positions in the state of the number of bytes in all blocks before the next (low word, high word), the number of
/// message bytes in the next, and the flags for the last block and the last node.
const COUNTER: usize = 8;
const STEP: usize = 10;
const FINAL: usize = 11;
const NODE: usize = 12;
const WORDS: usize = 13;
/// The position, after what kernels use, of the flag for the last node of its level.
const IS_LAST: usize = MAX_WORDS - 1;

/// The initial values of SHA-256 (section 2.6).
pub(crate) const IV: [u32; 8] =
    [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

/// Returns the state for the first words of a parameter block (section 2.5).
fn under<const N: usize>(parameters: [u64; N]) -> State {
    let mut state = [0; MAX_WORDS];
    state.iter_mut().zip(IV).for_each(|(word, value)| *word = u64::from(value));
    state.iter_mut().zip(parameters).for_each(|(word, parameter)| *word ^= parameter);
    // Every block counts in full until `pad` sets the length of the last one.
    state[STEP] = 64;
    state
}

/// Digest and key length, fan-out 1, depth 1, salt, personalization.
fn init(params: &Params) -> State {
    let key = params.secret().map_or(0, <[u8]>::len) as u64;
    let word = |bytes: &[u8; 16], at: usize| {
        u64::from(u32::from_le_bytes(std::array::from_fn(|i| bytes[4 * at + i])))
    };
    let [salt, person] = params.personal();
    let first = 0x0101_0000 ^ key << 8 ^ params.digest_len as u64;
    under([first, 0, 0, 0, word(&salt, 0), word(&salt, 1), word(&person, 0), word(&person, 1)])
}

/// Returns a node of BLAKE2sp: eight leaves below one root (section 2.5 of RFC 7693, 2.10 of the BLAKE2 paper).
pub(crate) fn node(offset: u64, depth: u64, is_last: bool) -> State {
    let mut state = under([0x0208_0020, 0, offset, 32 << 24 | depth << 16]);
    state[IS_LAST] = u64::from(is_last);
    state
}

/// Returns the node of BLAKE2Xs that hashes the message, for a digest of `total` bytes (section 2.1 of the BLAKE2X
/// paper).
pub(crate) fn extended_root(total: u64) -> State {
    under([0x0101_0020, 0, 0, total])
}

/// Returns the node of BLAKE2Xs whose digest consists of the `len` output bytes with number `offset` (section 2.2 of
/// the BLAKE2X paper).
pub(crate) fn extended_node(offset: u64, len: usize, total: u64) -> State {
    under([len as u64, 32, offset, 32 << 24 | total])
}

/// Pads the block with zeros. The rest of the message is counted, the zeros are not.
fn pad(state: &mut State, _: &mut Tail, buffered: usize, _: u64) -> usize {
    state[STEP] = buffered as u64;
    // The flag of a 32-bit word: kernels take only the lower half of each element of a state.
    state[FINAL] = u64::from(u32::MAX);
    // Only the last leaf and the root of BLAKE2sp have both flags.
    state[NODE] = state[FINAL] * state[IS_LAST];
    1
}

/// Section 2.7.
pub(crate) const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// One round (section 3.1, and that of BLAKE3): mixes the columns of `v`, then its diagonals, with words of `m` in the
/// order `s`.
macro_rules! round {
    ($v:ident, $m:ident, $s:expr) => {{
        let s = &$s;
        round!(@ $v, $m, 0, 4, 8, 12, s[0], s[1]);
        round!(@ $v, $m, 1, 5, 9, 13, s[2], s[3]);
        round!(@ $v, $m, 2, 6, 10, 14, s[4], s[5]);
        round!(@ $v, $m, 3, 7, 11, 15, s[6], s[7]);
        round!(@ $v, $m, 0, 5, 10, 15, s[8], s[9]);
        round!(@ $v, $m, 1, 6, 11, 12, s[10], s[11]);
        round!(@ $v, $m, 2, 7, 8, 13, s[12], s[13]);
        round!(@ $v, $m, 3, 4, 9, 14, s[14], s[15]);
    }};
    (@ $v:ident, $m:ident, $a:literal, $b:literal, $c:literal, $d:literal, $x:expr, $y:expr) => {
        // The step before computed `b`, so `a` and the word of the message are added first.
        $v[$a] = $v[$a].add($m[$x]).add($v[$b]);
        $v[$d] = $v[$d].xor($v[$a]).rotr(16);
        $v[$c] = $v[$c].add($v[$d]);
        $v[$b] = $v[$b].xor($v[$c]).rotr(12);
        $v[$a] = $v[$a].add($m[$y]).add($v[$b]);
        $v[$d] = $v[$d].xor($v[$a]).rotr(8);
        $v[$c] = $v[$c].add($v[$d]);
        $v[$b] = $v[$b].xor($v[$c]).rotr(7);
    };
}
pub(crate) use round;

/// Processes blocks in every lane (RFC 7693 section 3.2).
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn compress<W: Word32>(state: *mut u32, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: thirteen words of state, complete blocks, the CPU features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let mut h: [W; 8] = array![8; word => W::load(at(word))];
        let (mut low, mut high) = (W::load(at(COUNTER)), W::load(at(COUNTER + 1)));
        let (step, last, node) = (W::load(at(STEP)), W::load(at(FINAL)), W::load(at(NODE)));
        for block in 0..blocks {
            let m = W::chunk(messages, block * 64, Endian::Little);
            let sum = low.add(step);
            // A step is at most a block, so the top bit changes from 1 to 0 only if the sum exceeds 2^32.
            high = high.add(sum.andnot(low).shr(31));
            low = sum;
            let mut v: [W; 16] = array![16; i => if i < 8 { h[i] } else { W::splat(IV[i - 8]) }];
            v[12] = v[12].xor(low);
            v[13] = v[13].xor(high);
            v[14] = v[14].xor(last);
            v[15] = v[15].xor(node);
            if W::REGISTERS > 1 {
                // Words of the message come from memory in any case, so unrolling would only add
                // code (`Word::REGISTERS`).
                for s in &SIGMA {
                    round!(v, m, s);
                }
            } else {
                unroll!(round in 10 => { round!(v, m, SIGMA[round]) });
            }
            h = array![8; i => h[i].xor(v[i]).xor(v[i + 8])];
        }
        for (word, value) in h.into_iter().enumerate() {
            value.store(at(word));
        }
        // The length of a block and the flags are the same after it.
        low.store(at(COUNTER));
        high.store(at(COUNTER + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{Code, Kernel};

    /// RFC 7693 section 3.2 implemented literally, with the counter as one number.
    fn naive(h: &mut [u32; 8], block: &[u8], counter: u64, last: bool) {
        let m: Vec<u32> = block.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        let mut v: Vec<u32> = h.iter().chain(&IV).copied().collect();
        v[12] ^= counter as u32;
        v[13] ^= (counter >> 32) as u32;
        v[14] ^= if last { u32::MAX } else { 0 };
        for s in SIGMA {
            for (i, [a, b, c, d]) in [
                [0, 4, 8, 12],
                [1, 5, 9, 13],
                [2, 6, 10, 14],
                [3, 7, 11, 15],
                [0, 5, 10, 15],
                [1, 6, 11, 12],
                [2, 7, 8, 13],
                [3, 4, 9, 14],
            ]
            .into_iter()
            .enumerate()
            {
                for (word, r, q) in [(s[2 * i], 16, 12), (s[2 * i + 1], 8, 7)] {
                    v[a] = v[a].wrapping_add(v[b]).wrapping_add(m[word]);
                    v[d] = (v[d] ^ v[a]).rotate_right(r);
                    v[c] = v[c].wrapping_add(v[d]);
                    v[b] = (v[b] ^ v[c]).rotate_right(q);
                }
            }
        }
        for i in 0..8 {
            h[i] ^= v[i] ^ v[i + 8];
        }
    }

    #[test]
    fn byte_counter_carries_past_4_gib_in_every_kernel() {
        let message: Vec<u8> = (0..256).map(|i| (i * 5) as u8).collect();
        for before in [0, (1 << 32) - 192, (1 << 32) - 128, (1 << 32) - 64, 1 << 32, (5 << 32) - 64] {
            let mut expected = IV;
            for (i, block) in message.chunks(64).enumerate() {
                naive(&mut expected, block, before + 64 * (i as u64 + 1), false);
            }
            for row in KERNELS.iter().filter_map(Kernel::runnable) {
                let Code::Word32(advance) = row.code() else { unreachable!() };
                let mut words = IV.to_vec();
                words.extend([before as u32, (before >> 32) as u32, 64, 0, 0]);
                let mut state: Vec<u32> = words.iter().flat_map(|word| vec![*word; row.lanes]).collect();
                let pointers = vec![message.as_ptr(); row.lanes];
                // SAFETY: the row is supported; thirteen words for each lane; four complete blocks.
                unsafe { advance(state.as_mut_ptr(), pointers.as_ptr(), 4) };
                let first: Vec<u32> = state.iter().step_by(row.lanes).copied().take(8).collect();
                assert_eq!(first, expected, "{} x{} from {before}", row.isa, row.lanes);
            }
        }
    }
}
