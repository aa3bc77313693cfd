//! SHA-2 with 32-bit words: SHA-224 and SHA-256 (FIPS 180-4).
//!
//! # Problem
//!
//! The 64 rounds of a block are a chain: each round needs the state after the one before it, so
//! vector registers cannot speed up the rounds of a single message. The SHA instructions compute two
//! rounds in four cycles, but each pair waits for the previous one. Without them, a round consists
//! of 22 operations, and the message schedule adds 48 words of 13 operations each to every block.
//!
//! # Idea
//!
//! There is one body for each situation. [`KERNELS_256`] selects among them by the CPU and by the
//! number of messages:
//!
//! - Many messages: one message in each lane of a vector register (`compress_256`). The same body
//!   with `u32` as the word is the portable kernel.
//! - One or two messages and a CPU with SHA instructions: a message whose rounds wait leaves gaps,
//!   which the instructions of a second message fill (`sha_ni`, and `sha2` on AArch64).
//! - One message without SHA instructions: the schedule of a block depends on its bytes and not on
//!   the state. So the schedules of the next eight blocks are computed in vectors, one block in each
//!   lane, while the rounds of the previous eight run in scalar registers (`OneSha256`):
//!
//! ```text
//! begin the schedules of the first 8 blocks and complete them
//! while blocks are left:
//!     begin the schedules of the 8 blocks after these: their first 16 words
//!     for each of the 8 blocks with complete schedules:
//!         for each of 8 groups of 8 rounds:
//!             run the rounds; word and constant are already added, at a stride of 8 words
//!             after 6 of the groups: compute one more word of the 8 schedules that follow
//!         add the state before the block to the state after it
//! ```
//!
//! The words of 8 schedules are 48 vectors of 8 lanes, which is 6 for each of the 8 blocks whose
//! rounds are running. The core always has both kinds of work available, and the schedule costs
//! almost nothing.
//!
//! # Trade-offs
//!
//! The rounds of one message are assembly on x86-64 (`rounds.rs`), because the order of the sums
//! matters. With WebAssembly SIMD, they are portable, and four schedules are computed at once. Two
//! messages are not interleaved in scalar registers: one already occupies all execution units
//! (`benchmarks/METHODOLOGY.md`). At the end of a message, the existing schedules are computed once
//! more, because rounds without that work would double the size of the code.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::block::{ScheduleAhead, Work, ahead};
use crate::block::{Chain, State, kernels, output_be32, pad_be64, state};
#[cfg(target_arch = "x86_64")]
use crate::family::rounds::{eight_rounds, sums};
use crate::word::{Endian, Word32, array, unknown, unroll};
#[cfg(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::word::U32x4;
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x4, U32x8, U32x16, X2};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "sha224",
        tag: "SHA224",
        aliases: &["sha-224", "sha2-224"],
        digest_len: 28,
        status: Status::Secure("FIPS 180-4"),
        summary: "SHA-256 truncated to 224 bits, with its own initial value",
        check: "9b3e61bf29f17c75572fae2e86e17809a4513d07c8a18152acf34521",
        tree_id: Some("sha224"),
        kind: Kind::Blocks { chain: &SHA256, init: init_224 },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "sha256",
        tag: "SHA256",
        aliases: &["sha-256", "sha2-256"],
        digest_len: 32,
        status: Status::Secure("FIPS 180-4"),
        summary: "the most common hash for software releases",
        check: "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
        tree_id: Some("sha256"),
        kind: Kind::Blocks { chain: &SHA256, init: init_256 },
        ..Algorithm::PLAIN
    },
];

static SHA256: Chain =
    Chain { block: 64, words: 8, lazy: false, kernels: KERNELS_256, pad: pad_be64, output: output_be32, last_blocks: 2, squeeze: None };

kernels! {
    static KERNELS_256: Word32 of u32;
    x86_64 {
        avx512_x2_256: avx512 x 32, from 17 = compress_256[X2<U32x16>];
        avx512_256: avx512 x 16, from 8 or 3 without SHA = compress_256[U32x16];
        sha_ni_2: sha_ni x 2, from 2 = sha_ni[2];
        // A row that begins at one message ends the search on every CPU that has its features: the
        // rows after this one are for CPUs without SHA instructions.
        sha_ni_1: sha_ni x 1, from 1 = sha_ni[1];
        avx2_256: avx2 x 8, from 3 = compress_256[U32x8];
        avx512_one: avx512_bmi2 x 1, from 1 = ahead[OneSha256, U32x8, 64];
        avx2_one: avx2_bmi2 x 1, from 1 = ahead[OneSha256, U32x8, 64];
        sse2_256: sse2 x 4, from 2 = compress_256[U32x4];
    }
    aarch64 {
        sha2_2: sha2 x 2, from 2 = sha2[2];
        sha2_1: sha2 x 1, from 1 = sha2[1];
        neon_256: neon x 4, from 3 = compress_256[U32x4];
    }
    wasm32 {
        simd128_256: simd128 x 4, from 3 = compress_256[U32x4];
        simd128_one: simd128 x 1, from 1 = ahead[OneSha256, U32x4, 64];
    }
    portable {
        portable_256: x 1, from 1 = compress_256[u32];
    }
}

fn init_224(_: &Params) -> State {
    state(&[
        0xc105_9ed8,
        0x367c_d507,
        0x3070_dd17,
        0xf70e_5939,
        0xffc0_0b31,
        0x6858_1511,
        0x64f9_8fa7,
        0xbefa_4fa4,
    ])
}

fn init_256(_: &Params) -> State {
    state(&[
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ])
}

const K256: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// Returns the word of the schedule computed from those 16, 15, 7 and 2 before it (section 6.2.2 step 1).
#[inline(always)]
fn scheduled<W: Word32>(w16: W, w15: W, w7: W, w2: W) -> W {
    let s0 = w15.rotr(7).xor(w15.rotr(18)).xor(w15.shr(3));
    let s1 = w2.rotr(17).xor(w2.rotr(19)).xor(w2.shr(10));
    w16.add(s0).add(w7).add(s1)
}

/// Processes blocks in every lane (FIPS 180-4 section 6.2.2).
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn compress_256<W: Word32>(state: *mut u32, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: eight words of state, complete blocks, the CPU features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let mut s: [W; 8] = array![8; word => W::load(at(word))];
        // LLVM would move known constants to the end of each sum, onto the critical path.
        let k = unknown(&K256);
        for block in 0..blocks {
            let mut w = W::chunk(messages, block * 64, Endian::Big);
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = s;
            macro_rules! step {
                ($i:expr, $k:expr) => {
                    let sum1 = e.rotr(6).xor(e.rotr(11)).xor(e.rotr(25));
                    // `h`, the word and the constant do not depend on the previous round, so their
                    // sum comes first.
                    let t1 = h.add(w[$i].plus($k)).add(e.choose(f, g)).add(sum1);
                    let sum0 = a.rotr(2).xor(a.rotr(13)).xor(a.rotr(22));
                    let t2 = sum0.add(a.majority(b, c));
                    (h, g, f, e, d, c, b, a) = (g, f, e, d.add(t1), c, b, a, t1.add(t2));
                };
            }
            unroll!(i in 16 => { step!(i, k[i]); });
            for k in k[16..].chunks_exact(16) {
                unroll!(i in 16 => {
                    // Only the last sixteen words are needed: each one takes the place of that
                    // sixteen rounds before.
                    w[i] = scheduled(w[i], w[(i + 1) % 16], w[(i + 9) % 16], w[(i + 14) % 16]);
                    step!(i, k[i]);
                });
            }
            for (sum, value) in s.iter_mut().zip([a, b, c, d, e, f, g, h]) {
                *sum = sum.add(value);
            }
        }
        for (word, value) in s.into_iter().enumerate() {
            value.store(at(word));
        }
    }
}

/// One message without SHA instructions, with schedules computed ahead.
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
struct OneSha256;

#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
impl<W: Word32> ScheduleAhead<W, 64> for OneSha256 {
    type State = [u32; 8];
    const BLOCK: usize = 64;
    const CONSTANTS: &'static [u32; 64] = &K256;

    unsafe fn alone(state: *mut u32, messages: *const *const u8, blocks: usize) {
        // SAFETY: guaranteed by the caller.
        unsafe { portable_256(state, messages, blocks) }
    }

    #[inline(always)]
    unsafe fn first(blocks: *const *const u8) -> [W; 16] {
        // SAFETY: guaranteed by the caller.
        unsafe { W::chunk(blocks, 0, Endian::Big) }
    }

    #[inline(always)]
    unsafe fn next(first: *const W) -> W {
        // SAFETY: guaranteed by the caller: sixteen words.
        unsafe { scheduled(*first, *first.add(1), *first.add(9), *first.add(14)) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn block(before: [u32; 8], words: *const u32, work: Work<W, 64>) -> [u32; 8] {
        let [a, b, c, d, e, f, g, h] = before;
        // The ninth word saves an operation in each round: the `a ^ b` of a majority is the `b ^ c`
        // of the next one.
        let mut after = [a, b, c, d, e, f, g, h, b ^ c];
        let (mut words, mut work) = (words, work);
        const { assert!(Work::<W, 64>::STEPS == 6) };
        // SAFETY: guaranteed by the caller: words, features, and parts of six steps of a schedule to come.
        unsafe {
            macro_rules! group {
                ($group:literal) => {
                    eight_rounds!(("dword" "e" u32, 6 11 25, 2 13 22) after words W::LANES, 8 * $group);
                    if $group < 3 {
                        work.step::<Self>($group);
                    }
                };
            }
            // Two passes of 32 rounds have half the code of one of 64 and the same speed. Each pass
            // computes three words of the next schedules, which makes the six steps of this part.
            for _ in 0..2 {
                group!(0);
                group!(1);
                group!(2);
                group!(3);
                words = words.add(32 * W::LANES);
                work = work.skip(3);
            }
            sums!(before after)
        }
    }

    /// Each sum of three rotations is two nested ones: a rotation instruction copies its operand first, which is thus
    /// done once instead of three times. In the majority, `a ^ b` is the `b ^ c` of the next round. Offsets are
    /// relative to two base pointers whose values the compiler does not know, because it would otherwise compute and
    /// keep each address.
    #[cfg(target_arch = "wasm32")]
    #[inline(always)]
    unsafe fn block(before: [u32; 8], words: *const u32, work: Work<W, 64>) -> [u32; 8] {
        use crate::word::Word as _;
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = before;
        let mut bc = b ^ c;
        let (words, work) = (*unknown(&words), *unknown(&work));
        const { assert!(Work::<W, 64>::STEPS == 12) };
        // SAFETY: guaranteed by the caller: words, features, and parts of twelve steps of a schedule to come.
        unsafe {
            macro_rules! sixteen_rounds {
                ($first:literal) => {
                    unroll!(i in 16, from $first => {
                        let sum1 = ((e.rotr(14) ^ e).rotr(5) ^ e).rotr(6);
                        let t1 = h.add(*words.add(i * W::LANES)).add(((f ^ g) & e) ^ g).add(sum1);
                        let ab = a ^ b;
                        let t2 = ((a.rotr(9) ^ a).rotr(11) ^ a).rotr(2).add((bc & ab) ^ b);
                        bc = ab;
                        (h, g, f, e, d, c, b, a) = (g, f, e, d.add(t1), c, b, a, t1.add(t2));
                        // Every fifth of 64 rounds: twelve steps, spread evenly.
                        if i % 5 == 4 {
                            work.step::<Self>(i / 5);
                        }
                    });
                };
            }
            sixteen_rounds!(0);
            sixteen_rounds!(16);
            sixteen_rounds!(32);
            sixteen_rounds!(48);
        }
        let _ = bc;
        let after = [a, b, c, d, e, f, g, h];
        array![8; i => before[i].add(after[i])]
    }
}

/// Processes `N` messages side by side with the SHA instructions (Intel SDM volume 2, `SHA256RNDS2`): the state is two
/// registers, `[f, e, b, a]` and `[h, g, d, c]` from the low word up, and sixteen message words are four.
///
/// # Safety
/// The same as for [`crate::block::row::Advance`] with `N` lanes; the CPU has SHA, SSSE3 and SSE4.1.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sha,ssse3,sse4.1")]
unsafe fn sha_ni<const N: usize>(state: *mut u32, messages: *const *const u8, blocks: usize) {
    use std::arch::x86_64::*;
    // SAFETY: guaranteed by the caller: eight words of state for each lane, complete blocks; unaligned loads.
    unsafe {
        let word = |word: usize, lane: usize| *state.add(word * N + lane) as i32;
        // Reverses the bytes of each word, because the words of a message are big-endian.
        let swap = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
        let mut abef: [__m128i; N] =
            std::array::from_fn(|n| _mm_set_epi32(word(0, n), word(1, n), word(4, n), word(5, n)));
        let mut cdgh: [__m128i; N] =
            std::array::from_fn(|n| _mm_set_epi32(word(2, n), word(3, n), word(6, n), word(7, n)));
        for block in 0..blocks {
            let start = (abef, cdgh);
            let mut w: [[__m128i; N]; 4] = std::array::from_fn(|part| {
                std::array::from_fn(|n| {
                    let bytes = (*messages.add(n)).add(block * 64 + part * 16);
                    _mm_shuffle_epi8(_mm_loadu_si128(bytes.cast()), swap)
                })
            });
            unroll!(i in 16 => {
                let k = _mm_loadu_si128(K256.as_ptr().add(4 * i).cast());
                for n in 0..N {
                    let now = w[i % 4][n];
                    let wk = _mm_add_epi32(now, k);
                    // Two rounds turn `a`, `b`, `e`, `f` into `c`, `d`, `g`, `h`. The result is the
                    // new ABEF and overwrites the old CDGH, so the registers change roles twice and
                    // nothing is moved.
                    cdgh[n] = _mm_sha256rnds2_epu32(cdgh[n], abef[n], wk);
                    abef[n] = _mm_sha256rnds2_epu32(abef[n], cdgh[n], _mm_shuffle_epi32::<0x0e>(wk));
                    if i < 12 {
                        // The four words that replace these depend on the next twelve.
                        let (next, last, newest) = (w[(i + 1) % 4][n], w[(i + 2) % 4][n], w[(i + 3) % 4][n]);
                        // The words seven before the new ones are in two registers.
                        let sum = _mm_add_epi32(
                            _mm_sha256msg1_epu32(now, next),
                            _mm_alignr_epi8::<4>(newest, last),
                        );
                        w[i % 4][n] = _mm_sha256msg2_epu32(sum, newest);
                    }
                }
            });
            for n in 0..N {
                abef[n] = _mm_add_epi32(abef[n], start.0[n]);
                cdgh[n] = _mm_add_epi32(cdgh[n], start.1[n]);
            }
        }
        for n in 0..N {
            let [mut low, mut high] = [[0u32; 4]; 2];
            _mm_storeu_si128(low.as_mut_ptr().cast(), abef[n]);
            _mm_storeu_si128(high.as_mut_ptr().cast(), cdgh[n]);
            let words = [low[3], low[2], high[3], high[2], low[1], low[0], high[1], high[0]];
            for (word, value) in words.into_iter().enumerate() {
                *state.add(word * N + n) = value;
            }
        }
    }
}

/// Processes `N` messages side by side with the SHA-256 instructions of Armv8-A (Arm ARM, `SHA256H`): the state is two
/// registers, `a` to `d` and `e` to `h` from the low word up, and sixteen message words are four.
///
/// # Safety
/// The same as for [`crate::block::row::Advance`] with `N` lanes; the CPU has SHA-256 and NEON.
#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon,sha2")]
unsafe fn sha2<const N: usize>(state: *mut u32, messages: *const *const u8, blocks: usize) {
    use std::arch::aarch64::*;
    // SAFETY: guaranteed by the caller: eight words of state for each lane, complete blocks; loads are of bytes.
    unsafe {
        let word = |word: usize, lane: usize| *state.add(word * N + lane);
        let four = |at: usize, n: usize| [word(at, n), word(at + 1, n), word(at + 2, n), word(at + 3, n)];
        let mut abcd: [uint32x4_t; N] = array![N; n => vld1q_u32(four(0, n).as_ptr())];
        let mut efgh: [uint32x4_t; N] = array![N; n => vld1q_u32(four(4, n).as_ptr())];
        for block in 0..blocks {
            let start = (abcd, efgh);
            let mut w: [[uint32x4_t; N]; 4] = array![4; part => array![N; n => {
                let bytes = vld1q_u8((*messages.add(n)).add(block * 64 + part * 16));
                vreinterpretq_u32_u8(vrev32q_u8(bytes))
            }]];
            unroll!(i in 16 => {
                let k = vld1q_u32(K256.as_ptr().add(4 * i));
                for n in 0..N {
                    let wk = vaddq_u32(w[i % 4][n], k);
                    // SHA256H2 needs `a` to `d` as they were before these four rounds.
                    let before = abcd[n];
                    abcd[n] = vsha256hq_u32(before, efgh[n], wk);
                    efgh[n] = vsha256h2q_u32(efgh[n], before, wk);
                    if i < 12 {
                        // The four words that replace these depend on the next twelve.
                        let sum = vsha256su0q_u32(w[i % 4][n], w[(i + 1) % 4][n]);
                        w[i % 4][n] = vsha256su1q_u32(sum, w[(i + 2) % 4][n], w[(i + 3) % 4][n]);
                    }
                }
            });
            for n in 0..N {
                abcd[n] = vaddq_u32(abcd[n], start.0[n]);
                efgh[n] = vaddq_u32(efgh[n], start.1[n]);
            }
        }
        for n in 0..N {
            let mut words = [0; 8];
            vst1q_u32(words.as_mut_ptr(), abcd[n]);
            vst1q_u32(words.as_mut_ptr().add(4), efgh[n]);
            for (word, value) in words.into_iter().enumerate() {
                *state.add(word * N + n) = value;
            }
        }
    }
}
