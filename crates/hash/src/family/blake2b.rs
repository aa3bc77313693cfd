//! BLAKE2b (RFC 7693), with or without a key, a salt and a personalization, with digests of 1 to 64 bytes.
//!
//! In addition to the eight words of the chaining value, the state contains what a block needs to know about its
//! position: the number of bytes hashed before it, the number of bytes in it, and the finalization flag. Padding sets
//! the last two, so that final blocks run in the same lanes as all others.
//!
//! # Problem
//!
//! A round mixes the four columns of a state of 4 × 4 words, then its four diagonals. The four
//! mixing functions of each half are independent, but the steps within one depend on each other. So
//! a message has work for four lanes and no more, and columns become diagonals only if the words of
//! three rows change places.
//!
//! # Idea
//!
//! Two layouts, between which [`KERNELS`] chooses by the number of messages:
//!
//! - A register contains the same word of several messages (`compress`). A state fills sixteen
//!   registers and nothing is ever exchanged between lanes: diagonals are other registers. With
//!   `u64` as the word, this is the portable kernel.
//! - A register contains a row of one state (`compress_few`), so that four AVX2 registers contain
//!   a state and all columns are mixed at once. This is for one message, or for two whose
//!   operations alternate.
//!
//! ```text
//! a, b, c, d = the first half of h, the second half of h, IV[0..4], IV[4..8] ^ position
//! for s in the twelve rows of SIGMA:
//!     mix a, b, c, d with the words s[0 2 4 6] and s[1 3 5 7]             the columns
//!     rotate a by 3 words, d by 2, c by 1                                 b stays
//!     mix a, b, c, d with the words s[14 8 10 12] and s[15 9 11 13]       the diagonals
//!     rotate a by 1 word, d by 2, c by 3
//! h = h ^ (a, b) ^ (c, d)
//! ```
//!
//! Rotating the rows relative to the second one, and not relative to the first as in RFC 7693,
//! takes the rotations off the critical path: the second row is available last, and nothing waits
//! for its rotation. It changes the order of the diagonals, and with it that of the words in the
//! second half of a round. The words are loaded from the message one by one, before the operations
//! that need them, because they depend on nothing else.
//!
//! # Trade-offs
//!
//! The high word of the byte counter is always zero, since messages are shorter than 2^64 bytes.
//! Rounds are unrolled only where every word then has a register of its own: for two registers per
//! word the state fills all of them, and for two messages by rows the code would become four times
//! as large without saving a cycle. Three messages by rows are slower than three of four lanes, and
//! the rotations of AVX-512 are hardly faster for one message (`benchmarks/METHODOLOGY.md`). On CPUs
//! whose vector additions take two cycles (`QUICK` is missing), the portable kernel is faster for
//! one message.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Keying, Kind, Lengths, Params, Status};
use crate::block::{Chain, MAX_BLOCK, MAX_WORDS, State, Stream, Tail, kernels, output_le64};
use crate::word::{Endian, Word64, array};
#[cfg(target_arch = "x86_64")]
use crate::word::unknown;
#[cfg(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::word::U64x2;
#[cfg(target_arch = "x86_64")]
use crate::word::{U64x4, U64x8, X2};
use zeroize::Zeroizing;

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "blake2b",
        tag: "BLAKE2b",
        aliases: &["b2", "b2sum", "blake-2b"],
        digest_len: 64,
        lengths: Lengths::UpTo(64),
        status: Status::Secure("RFC 7693; secure with 256 bits or more"),
        summary: "b2sum, Arch Linux; 8 to 512 bits",
        check: "f5ab8bafa6f2f72b431188ac38ae2de7bb618fb3d38b6cbf639defcdd5e10a86b22fccff571da37e42b23b80b657ee4d936478f582280a87d6dbb1da73f5c47d",
        tree_id: Some("blake2b"),
        keying: Keying::Optional { least: 1, most: 64 },
        personal: 16,
        kind: Kind::Blocks { chain: &BLAKE2B, init },
        framed: |_, params| Some(keyed(&BLAKE2B, init(params), params.secret()?, params.digest_len)),
        ..Algorithm::PLAIN
    },
];

pub(crate) static BLAKE2B: Chain =
    Chain { block: 128, words: WORDS, lazy: true, kernels: KERNELS, pad, output: output_le64, last_blocks: 1, squeeze: None };

kernels! {
    static KERNELS: Word64 of u64;
    x86_64 {
        avx512_x2: avx512 x 16, from 11 = compress[X2<U64x8>];
        avx512: avx512 x 8, from 5 = compress[U64x8];
        avx2_x2: avx2 x 8, from 6 = compress[X2<U64x4>];
        avx512_four: avx512 x 4, from 3 = compress[U64x4];
        avx2: avx2 x 4, from 3 = compress[U64x4];
        avx2_two: avx2 x 2, from 2 = compress_few[2];
        avx2_one: avx2 x 1, from 1 or 2 without QUICK = compress_few[1];
    }
    aarch64 {
        neon: neon x 2, from 2 = compress[U64x2];
    }
    wasm32 {
        simd128: simd128 x 2, from 2 = compress[U64x2];
    }
    portable {
        portable: x 1, from 1 = compress[u64];
    }
}

/// The positions in the state of the number of bytes in all blocks before the next, the number of message bytes in the
/// next, and the flags for the last block and the last node.
const COUNTER: usize = 8;
const STEP: usize = 9;
const FINAL: usize = 10;
const NODE: usize = 11;
const WORDS: usize = 12;
/// The position, after what kernels use, of the flag for the last node of its level.
const IS_LAST: usize = MAX_WORDS - 1;

/// The initial values of SHA-512 (section 2.6).
#[rustfmt::skip]
pub(crate) const IV: [u64; 8] = [
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
];

/// Returns the state for the first words of a parameter block (section 2.5).
fn under<const N: usize>(parameters: [u64; N]) -> State {
    let mut state = [0; MAX_WORDS];
    state[..8].copy_from_slice(&IV);
    state.iter_mut().zip(parameters).for_each(|(word, parameter)| *word ^= parameter);
    // Every block counts in full until `pad` sets the length of the last one.
    state[STEP] = 128;
    state
}

/// Digest and key length, fan-out 1, depth 1, salt, personalization.
fn init(params: &Params) -> State {
    let key = params.secret().map_or(0, <[u8]>::len) as u64;
    let word = |bytes: &[u8; 16], at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[8 * at + i]));
    let [salt, person] = params.personal();
    let first = 0x0101_0000 ^ key << 8 ^ params.digest_len as u64;
    under([first, 0, 0, 0, word(&salt, 0), word(&salt, 1), word(&person, 0), word(&person, 1)])
}

/// Returns the stream after a key, which is a block padded with zeros (section 3.3).
pub(crate) fn keyed(chain: &'static Chain, state: State, key: &[u8], digest_len: usize) -> Stream {
    let mut block = Zeroizing::new([0; MAX_BLOCK]);
    block[..key.len()].copy_from_slice(key);
    let mut stream = Stream::new(chain, state, digest_len).secret();
    // The chain is lazy, so the block stays in the buffer: for an empty message it is the last one.
    stream.update(&block[..chain.block]);
    stream.framed(Vec::new(), None)
}

/// Returns a node of BLAKE2bp: four leaves below one root (section 2.5 of RFC 7693, 2.10 of the BLAKE2 paper).
pub(crate) fn node(offset: u64, depth: u64, is_last: bool) -> State {
    let mut state = under([0x0204_0040, offset, 64 << 8 | depth]);
    state[IS_LAST] = u64::from(is_last);
    state
}

/// Returns the node of BLAKE2Xb that hashes the message, for a digest of `total` bytes (section 2.1 of the BLAKE2X
/// paper).
pub(crate) fn extended_root(total: u64) -> State {
    under([0x0101_0040, total << 32, 0])
}

/// Returns the node of BLAKE2Xb whose digest consists of the `len` output bytes with number `offset` (section 2.2 of
/// the BLAKE2X paper).
pub(crate) fn extended_node(offset: u64, len: usize, total: u64) -> State {
    under([64 << 32 | len as u64, total << 32 | offset, 64 << 8])
}

/// Pads the block with zeros. The rest of the message is counted, the zeros are not.
fn pad(state: &mut State, _: &mut Tail, buffered: usize, _: u64) -> usize {
    state[STEP] = buffered as u64;
    state[FINAL] = u64::MAX;
    // Only the last leaf and the root of BLAKE2bp have both flags.
    state[NODE] = state[FINAL] * state[IS_LAST];
    1
}

/// Section 2.7; rounds 10 and 11 repeat the first two.
const SIGMA: [[usize; 16]; 10] = [
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

/// Processes blocks in every lane (RFC 7693 section 3.2).
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn compress<W: Word64>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: twelve words of state, complete blocks, the CPU features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let mut h: [W; 8] = array![8; word => W::load(at(word))];
        let mut counter = W::load(at(COUNTER));
        let (step, last, node) = (W::load(at(STEP)), W::load(at(FINAL)), W::load(at(NODE)));
        for block in 0..blocks {
            let low = W::chunk(messages, block * 128, Endian::Little);
            let high = W::chunk(messages, block * 128 + 64, Endian::Little);
            let m: [W; 16] = array![16; i => if i < 8 { low[i] } else { high[i - 8] }];
            counter = counter.add(step);
            let mut v: [W; 16] = array![16; i => if i < 8 { h[i] } else { W::splat(IV[i - 8]) }];
            // A message is shorter than 2^64 bytes, so the high word of the counter is always zero.
            v[12] = v[12].xor(counter);
            v[14] = v[14].xor(last);
            v[15] = v[15].xor(node);
            macro_rules! mix {
                ($a:literal, $b:literal, $c:literal, $d:literal, $x:expr, $y:expr) => {
                    v[$a] = v[$a].add(v[$b]).add(m[$x]);
                    v[$d] = v[$d].xor(v[$a]).rotr(32);
                    v[$c] = v[$c].add(v[$d]);
                    v[$b] = v[$b].xor(v[$c]).rotr(24);
                    v[$a] = v[$a].add(v[$b]).add(m[$y]);
                    v[$d] = v[$d].xor(v[$a]).rotr(16);
                    v[$c] = v[$c].add(v[$d]);
                    v[$b] = v[$b].xor(v[$c]).rotr(63);
                };
            }
            macro_rules! round {
                ($s:expr) => {
                    mix!(0, 4, 8, 12, $s[0], $s[1]);
                    mix!(1, 5, 9, 13, $s[2], $s[3]);
                    mix!(2, 6, 10, 14, $s[4], $s[5]);
                    mix!(3, 7, 11, 15, $s[6], $s[7]);
                    mix!(0, 5, 10, 15, $s[8], $s[9]);
                    mix!(1, 6, 11, 12, $s[10], $s[11]);
                    mix!(2, 7, 8, 13, $s[12], $s[13]);
                    mix!(3, 4, 9, 14, $s[14], $s[15]);
                };
            }
            macro_rules! rounds {
                ($($round:literal)*) => { $(round!(SIGMA[$round % 10]);)* };
            }
            if W::REGISTERS > 1 {
                // The state fills all registers, so the words of the message are read from memory.
                for round in 0..12 {
                    round!(SIGMA[round % 10]);
                }
            } else {
                // Unrolled, so that every word has its register.
                rounds!(0 1 2 3 4 5 6 7 8 9 10 11);
            }
            for (i, word) in h.iter_mut().enumerate() {
                *word = word.xor(v[i]).xor(v[i + 8]);
            }
        }
        for (word, value) in h.into_iter().enumerate() {
            value.store(at(word));
        }
        counter.store(at(COUNTER));
    }
}

/// [`SIGMA`] for all twelve rounds, as byte offsets of message words in a block.
#[cfg(target_arch = "x86_64")]
const PLACES: [[u8; 16]; 12] = {
    let mut places = [[0; 16]; 12];
    let mut i = 0;
    while i < 12 * 16 {
        places[i / 16][i % 16] = 8 * SIGMA[i / 16 % 10][i % 16] as u8;
        i += 1;
    }
    places
};

/// Processes `N` messages side by side, with the four words of each row of a state in a register (section 3.1 of the
/// BLAKE2 paper). Between columns and diagonals, the other rows are rotated relative to the second, which is available
/// last, so that nothing waits for its rotation.
///
/// # Safety
/// The same as for [`crate::block::row::Advance`] with `N` lanes, compiled for AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn compress_few<const N: usize>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    use std::arch::x86_64::*;
    // Rotations to the right by 24 and 16 bits, for both halves of a register.
    const BY_24: [u8; 16] = [3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10];
    const BY_16: [u8; 16] = [2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9];
    // SAFETY: guaranteed by the caller: twelve words of state for each lane, complete blocks, AVX2. Loads and stores
    // are unaligned.
    unsafe {
        let by_24 = _mm256_broadcastsi128_si256(_mm_loadu_si128(BY_24.as_ptr().cast()));
        let by_16 = _mm256_broadcastsi128_si256(_mm_loadu_si128(BY_16.as_ptr().cast()));
        let iv = _mm256_loadu_si256(IV.as_ptr().cast());
        let iv_high = _mm256_loadu_si256(IV.as_ptr().add(4).cast());
        macro_rules! at {
            ($word:expr, $n:expr) => {
                *state.add($word * N + $n)
            };
        }
        macro_rules! four {
            ($word:expr, $n:expr) => {{
                let words = [at!($word, $n), at!($word + 1, $n), at!($word + 2, $n), at!($word + 3, $n)];
                _mm256_loadu_si256(words.as_ptr().cast())
            }};
        }
        let mut low: [__m256i; N] = array![N; n => four!(0, n)];
        let mut high: [__m256i; N] = array![N; n => four!(4, n)];
        let mut counter: [u64; N] = array![N; n => at!(COUNTER, n)];
        let step: [u64; N] = array![N; n => at!(STEP, n)];
        let last: [u64; N] = array![N; n => at!(FINAL, n)];
        let node: [u64; N] = array![N; n => at!(NODE, n)];
        for block in 0..blocks {
            let m: [*const u8; N] = array![N; n => (*messages.add(n)).add(block * 128)];
            let (mut a, mut b, mut c, mut d) = (low, high, [iv; N], [iv_high; N]);
            for n in 0..N {
                counter[n] = counter[n].wrapping_add(step[n]);
                // The counter, its high word, which is always zero, and the two flags.
                let place = _mm256_set_epi64x(node[n] as i64, last[n] as i64, 0, counter[n] as i64);
                d[n] = _mm256_xor_si256(d[n], place);
            }
            macro_rules! word {
                ($place:expr, $n:ident) => {
                    m[$n].add($place as usize).cast::<i64>().read_unaligned()
                };
            }
            macro_rules! words {
                ($s:expr, $n:ident, $i:literal $j:literal $k:literal $l:literal) => {
                    _mm256_set_epi64x(word!($s[$l], $n), word!($s[$k], $n), word!($s[$j], $n), word!($s[$i], $n))
                };
            }
            // One operation for every message, then the next operation.
            macro_rules! each {
                ($n:ident: $($word:ident = $value:expr;)*) => {
                    $(for $n in 0..N { $word[$n] = $value; })*
                };
            }
            macro_rules! mix {
                ($s:expr, $($x:literal)*, $($y:literal)*) => {
                    // The words of both halves first, because they depend only on the message.
                    let x: [__m256i; N] = array![N; n => words!($s, n, $($x)*)];
                    let y: [__m256i; N] = array![N; n => words!($s, n, $($y)*)];
                    each! { n:
                        a = _mm256_add_epi64(_mm256_add_epi64(a[n], x[n]), b[n]);
                        // Rotations by whole bytes are shuffles; this one exchanges the halves of
                        // each word.
                        d = _mm256_shuffle_epi32::<0xb1>(_mm256_xor_si256(d[n], a[n]));
                        c = _mm256_add_epi64(c[n], d[n]);
                        b = _mm256_shuffle_epi8(_mm256_xor_si256(b[n], c[n]), by_24);
                        a = _mm256_add_epi64(_mm256_add_epi64(a[n], y[n]), b[n]);
                        d = _mm256_shuffle_epi8(_mm256_xor_si256(d[n], a[n]), by_16);
                        c = _mm256_add_epi64(c[n], d[n]);
                        b = _mm256_xor_si256(b[n], c[n]);
                        // A rotation to the right by 63 bits is one to the left by one bit, and
                        // additions run in more execution units than shifts.
                        b = _mm256_or_si256(_mm256_srli_epi64::<63>(b[n]), _mm256_add_epi64(b[n], b[n]));
                    }
                };
            }
            macro_rules! round {
                ($s:expr) => {
                    // 0x93, 0x4e and 0x39 rotate by three, two and one words.
                    mix!($s, 0 2 4 6, 1 3 5 7);
                    each! { n:
                        a = _mm256_permute4x64_epi64::<0x93>(a[n]);
                        d = _mm256_permute4x64_epi64::<0x4e>(d[n]);
                        c = _mm256_permute4x64_epi64::<0x39>(c[n]);
                    }
                    mix!($s, 14 8 10 12, 15 9 11 13);
                    each! { n:
                        a = _mm256_permute4x64_epi64::<0x39>(a[n]);
                        d = _mm256_permute4x64_epi64::<0x4e>(d[n]);
                        c = _mm256_permute4x64_epi64::<0x93>(c[n]);
                    }
                };
            }
            if N == 1 {
                // Unrolled, so that the offsets of words are part of the instructions that load
                // them.
                macro_rules! rounds {
                    ($($round:literal)*) => { $(round!(PLACES[$round]);)* };
                }
                rounds!(0 1 2 3 4 5 6 7 8 9 10 11);
            } else {
                // Unrolling the rounds for several messages would quadruple the code without saving a cycle.
                for places in unknown(&PLACES) {
                    round!(places);
                }
            }
            for n in 0..N {
                low[n] = _mm256_xor_si256(low[n], _mm256_xor_si256(a[n], c[n]));
                high[n] = _mm256_xor_si256(high[n], _mm256_xor_si256(b[n], d[n]));
            }
        }
        for n in 0..N {
            let mut words = [0; 8];
            _mm256_storeu_si256(words.as_mut_ptr().cast(), low[n]);
            _mm256_storeu_si256(words.as_mut_ptr().add(4).cast(), high[n]);
            for (word, value) in words.into_iter().enumerate() {
                at!(word, n) = value;
            }
            at!(COUNTER, n) = counter[n];
        }
    }
}
