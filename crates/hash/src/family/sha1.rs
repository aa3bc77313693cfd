//! SHA-1 (FIPS 180-4).
//!
//! The SHA instructions do four steps at a time, and each group depends on the previous one: several messages side by
//! side fill the gaps, until sixteen lanes are faster. On CPUs without them, the schedules of a single message are
//! computed in vectors ahead of its rounds.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
#[cfg(target_arch = "x86_64")]
use crate::block::{ScheduleAhead, Work, ahead};
use crate::block::{Chain, State, kernels, output_be32, pad_be64, state};
#[cfg(target_arch = "x86_64")]
use crate::family::rounds::sums;
use crate::word::{Endian, Word32, array, unknown, unroll};
#[cfg(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::word::U32x4;
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x4, U32x8, U32x16, X2};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "sha1",
        tag: "SHA1",
        aliases: &["sha-1"],
        digest_len: 20,
        status: Status::Broken(
            "collisions (SHAttered, Stevens et al. 2017); chosen-prefix collisions (Leurent & Peyrin 2020)",
        ),
        summary: "FIPS 180-4; git, torrents, NSRL",
        check: "f7c3bc1d808e04732adf679965ccc34ca7ae3441",
        tree_id: Some("sha1"),
        kind: Kind::Blocks { chain: &SHA1, init },
        ..Algorithm::PLAIN
    },
];

static SHA1: Chain =
    Chain { block: 64, words: 5, lazy: false, kernels: KERNELS, pad: pad_be64, output: output_be32, last_blocks: 2, squeeze: None };

kernels! {
    static KERNELS: Word32 of u32;
    x86_64 {
        avx512: avx512 x 16, from 5 or 3 without SHA = compress[U32x16];
        sha_ni_4: sha_ni x 4, from 4 = sha_ni[4];
        sha_ni_3: sha_ni x 3, from 3 = sha_ni[3];
        sha_ni_2: sha_ni x 2, from 2 = sha_ni[2];
        sha_ni_1: sha_ni x 1, from 1 = sha_ni[1];
        avx2_x2: avx2 x 16, from 10 = compress[X2<U32x8>];
        avx2: avx2 x 8, from 3 = compress[U32x8];
        avx2_one: avx2_bmi2 x 1, from 1 = ahead[OneSha1, U32x8, 80];
        sse2: sse2 x 4, from 2 = compress[U32x4];
    }
    aarch64 {
        sha2_2: sha2 x 2, from 2 = sha2[2];
        sha2_1: sha2 x 1, from 1 = sha2[1];
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
    state(&[0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0])
}

const K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// Processes blocks in every lane (FIPS 180-4 section 6.1.2).
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn compress<W: Word32>(state: *mut u32, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: five words of state, complete blocks, the CPU features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let mut s: [W; 5] = array![5; word => W::load(at(word))];
        let k = unknown(&K);
        for block in 0..blocks {
            let mut w = W::chunk(messages, block * 64, Endian::Big);
            let [mut a, mut b, mut c, mut d, mut e] = s;
            unroll!(i in 80 => {
                if i >= 16 {
                    let x = w[i % 16].xor(w[(i + 2) % 16]).xor(w[(i + 8) % 16]).xor(w[(i + 13) % 16]);
                    w[i % 16] = x.rotl(1);
                }
                let f = match i / 20 {
                    0 => b.choose(c, d),
                    2 => b.majority(c, d),
                    _ => b.xor(c).xor(d),
                };
                // `a` is the result of the previous step, so its rotation is added last.
                let sum = e.add(w[i % 16].plus(k[i / 20])).add(f).add(a.rotl(5));
                (e, d, c, b, a) = (d, c, b.rotl(30), a, sum);
            });
            s = [s[0].add(a), s[1].add(b), s[2].add(c), s[3].add(d), s[4].add(e)];
        }
        for (word, value) in s.into_iter().enumerate() {
            value.store(at(word));
        }
    }
}

/// One message without SHA instructions, with schedules computed ahead.
#[cfg(target_arch = "x86_64")]
struct OneSha1;

/// A step that begins with the function of its words in `f`, and with the schedule's word already added to `e`. It
/// prepares the same for the next step, whose schedule word is at index `n` of `words`: the register of `e` then
/// contains the first word of the state and that of `d` the last. Of the first word only its rotation is needed later,
/// so its register is reused for the function.
#[cfg(target_arch = "x86_64")]
macro_rules! step {
    ($kind:tt $words:ident $n:expr; $f:ident $a:ident $b:ident $c:ident $d:ident $e:ident) => {
        let (rotated, next);
        step!(@ $kind $words $n; rotated next $f $a $b $c $d $e);
        ($a, $f) = (rotated, next);
    };
    // For a next step that uses choose, parity or majority, whose `b`, `c` and `d` are the current
    // `a`, `b` and `c`.
    (@ choose $($rest:tt)*) => {
        step!(@@ "andn {t:e}, {a:e}, {c:e}", "and {a:e}, {b:e}", "xor {a:e}, {t:e}"; $($rest)*)
    };
    (@ parity $($rest:tt)*) => {
        // `asm!` requires that every operand is used, so a comment names the unneeded one.
        step!(@@ "/* {t:e} */", "xor {a:e}, {b:e}", "xor {a:e}, {c:e}"; $($rest)*)
    };
    (@ majority $($rest:tt)*) => {
        // The majority is the sum of `a & (b ^ c)` and `b & c`, which have no bit in common. The
        // second term does not depend on `a` and goes into the register that is `e` in the next
        // step.
        step!(@@ "mov {t:e}, {b:e}\nxor {t:e}, {c:e}", "and {a:e}, {t:e}\nmov {t:e}, {b:e}", "and {t:e}, {c:e}\nadd {d:e}, {t:e}"; $($rest)*)
    };
    (@@ $first:literal, $second:literal, $third:literal; $words:ident $n:expr; $rotated:ident $next:ident $f:ident $a:ident $b:ident $c:ident $d:ident $e:ident) => {
        // `rorx` by 27 and 2 is a rotation to the left by 5 and 30. It writes to another register
        // than it reads and does not change the flags.
        std::arch::asm!(
            "add {d:e}, dword ptr [{words} + {at}]",
            $first,
            "add {e:e}, {f:e}",
            "rorx {u:e}, {a:e}, 27",
            "rorx {r:e}, {a:e}, 2",
            $second,
            "add {e:e}, {u:e}",
            $third,
            words = in(reg) $words,
            at = const $n * size_of::<u32>(),
            a = inout(reg) $a => $next,
            b = in(reg) $b,
            c = in(reg) $c,
            d = inout(reg) $d,
            e = inout(reg) $e,
            f = in(reg) $f,
            r = out(reg) $rotated,
            t = out(reg) _,
            u = out(reg) _,
            options(pure, readonly, nostack)
        )
    };
}

#[cfg(target_arch = "x86_64")]
impl<W: Word32> ScheduleAhead<W, 80> for OneSha1 {
    type State = [u32; 5];
    const BLOCK: usize = 64;
    const CONSTANTS: &'static [u32; 80] = &{
        let mut constants = [0; 80];
        let mut i = 0;
        while i < 80 {
            constants[i] = K[i / 20];
            i += 1;
        }
        constants
    };

    unsafe fn alone(state: *mut u32, messages: *const *const u8, blocks: usize) {
        // SAFETY: guaranteed by the caller.
        unsafe { portable(state, messages, blocks) }
    }

    #[inline(always)]
    unsafe fn first(blocks: *const *const u8) -> [W; 16] {
        // SAFETY: guaranteed by the caller.
        unsafe { W::chunk(blocks, 0, Endian::Big) }
    }

    #[inline(always)]
    unsafe fn next(first: *const W) -> W {
        // SAFETY: guaranteed by the caller: sixteen words.
        unsafe { (*first).xor(*first.add(2)).xor(*first.add(8)).xor(*first.add(13)).rotl(1) }
    }

    #[inline(always)]
    unsafe fn block(before: [u32; 5], words: *const u32, work: Work<W, 80>) -> [u32; 5] {
        const { assert!(Work::<W, 80>::STEPS == 8) };
        let [mut a, b, mut c, mut d, e] = before;
        // The values that the first step expects, because no step before it has prepared them.
        let mut f = b & c | !b & d;
        // Steps have their second word already rotated.
        let mut b = b.rotate_left(30);
        // SAFETY: guaranteed by the caller: words, features, and parts of eight steps of a schedule to come.
        unsafe {
            let mut e = e.wrapping_add(*words);
            macro_rules! group {
                ($group:literal $kind:tt $last:tt) => {
                    step!($kind words (10 * $group + 1) * W::LANES; f a b c d e);
                    step!($kind words (10 * $group + 2) * W::LANES; f e a b c d);
                    step!($kind words (10 * $group + 3) * W::LANES; f d e a b c);
                    step!($kind words (10 * $group + 4) * W::LANES; f c d e a b);
                    step!($kind words (10 * $group + 5) * W::LANES; f b c d e a);
                    step!($kind words (10 * $group + 6) * W::LANES; f a b c d e);
                    step!($kind words (10 * $group + 7) * W::LANES; f e a b c d);
                    step!($kind words (10 * $group + 8) * W::LANES; f d e a b c);
                    step!($kind words (10 * $group + 9) * W::LANES; f c d e a b);
                    step!($last words (10 * $group + 10) * W::LANES; f b c d e a);
                    work.step::<Self>($group);
                };
            }
            // The last step of a group prepares the first one of the next group and takes its
            // function.
            group!(0 choose choose);
            group!(1 choose parity);
            group!(2 parity parity);
            group!(3 parity majority);
            group!(4 majority majority);
            group!(5 majority parity);
            group!(6 parity parity);
            group!(7 parity parity);
            let _ = f;
            // Undo what the last step prepared for a following one.
            let after = [a, b.rotate_right(30), c, d, e.wrapping_sub(*words.add(80 * W::LANES))];
            sums!(before after)
        }
    }
}

/// Processes `N` messages side by side with the SHA instructions (Intel SDM volume 2, `SHA1RNDS4`): one register
/// contains `a` to `d`, the first in its top word, another contains `e` in its top word; sixteen message words are four
/// registers.
///
/// # Safety
/// The same as for [`crate::block::row::Advance`] with `N` lanes; the CPU has SHA, SSSE3 and SSE4.1.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sha,ssse3,sse4.1")]
unsafe fn sha_ni<const N: usize>(state: *mut u32, messages: *const *const u8, blocks: usize) {
    use std::arch::x86_64::*;
    // SAFETY: guaranteed by the caller: five words of state for each lane, complete blocks; unaligned loads.
    unsafe {
        let word = |word: usize, lane: usize| *state.add(word * N + lane) as i32;
        // Reverses all sixteen bytes: each word becomes native, and the first one is on top, where
        // the instructions expect it.
        let swap = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
        let mut abcd: [__m128i; N] =
            array![N; n => _mm_set_epi32(word(0, n), word(1, n), word(2, n), word(3, n))];
        let mut e: [__m128i; N] = array![N; n => _mm_set_epi32(word(4, n), 0, 0, 0)];
        for block in 0..blocks {
            let start = (abcd, e);
            let mut w = [[_mm_setzero_si128(); N]; 4];
            // The state four steps ago: its first word, rotated, is the next `e`.
            let mut before = abcd;
            macro_rules! steps {
                ($i:ident, $function:literal) => {
                    for n in 0..N {
                        if $i < 4 {
                            let bytes = (*messages.add(n)).add(block * 64 + $i % 4 * 16);
                            w[$i % 4][n] = _mm_shuffle_epi8(_mm_loadu_si128(bytes.cast()), swap);
                        } else {
                            // The four words sixteen steps later replace those that have been used.
                            let (x, y) = (w[$i % 4][n], w[($i + 1) % 4][n]);
                            let sum = _mm_xor_si128(_mm_sha1msg1_epu32(x, y), w[($i + 2) % 4][n]);
                            w[$i % 4][n] = _mm_sha1msg2_epu32(sum, w[($i + 3) % 4][n]);
                        }
                        // `SHA1NEXTE` derives `e` from the state four steps ago; the first group
                        // has `e` itself.
                        let ew = if $i == 0 {
                            _mm_add_epi32(e[n], w[0][n])
                        } else {
                            _mm_sha1nexte_epu32(before[n], w[$i % 4][n])
                        };
                        before[n] = abcd[n];
                        abcd[n] = _mm_sha1rnds4_epu32::<$function>(abcd[n], ew);
                    }
                };
            }
            unroll!(i in 5 => { steps!(i, 0) });
            unroll!(i in 5, from 5 => { steps!(i, 1) });
            unroll!(i in 5, from 10 => { steps!(i, 2) });
            unroll!(i in 5, from 15 => { steps!(i, 3) });
            for n in 0..N {
                // The same instruction rotates the final `e` and adds the `e` from before the block
                // to it.
                e[n] = _mm_sha1nexte_epu32(before[n], start.1[n]);
                abcd[n] = _mm_add_epi32(abcd[n], start.0[n]);
            }
        }
        for n in 0..N {
            let [mut low, mut high] = [[0u32; 4]; 2];
            _mm_storeu_si128(low.as_mut_ptr().cast(), abcd[n]);
            _mm_storeu_si128(high.as_mut_ptr().cast(), e[n]);
            for (word, value) in [low[3], low[2], low[1], low[0], high[3]].into_iter().enumerate() {
                *state.add(word * N + n) = value;
            }
        }
    }
}

/// Processes `N` messages side by side with the SHA-1 instructions of Armv8-A (Arm ARM, `SHA1C`): one register contains
/// `a` to `d`, the first in its low word, `e` is separate; sixteen message words are four registers.
///
/// # Safety
/// The same as for [`crate::block::row::Advance`] with `N` lanes; the CPU has SHA-1 and NEON.
#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon,sha2")]
unsafe fn sha2<const N: usize>(state: *mut u32, messages: *const *const u8, blocks: usize) {
    use std::arch::aarch64::*;
    // SAFETY: guaranteed by the caller: five words of state for each lane, complete blocks; loads are of bytes.
    unsafe {
        let word = |word: usize, lane: usize| *state.add(word * N + lane);
        let mut abcd: [uint32x4_t; N] =
            array![N; n => vld1q_u32([word(0, n), word(1, n), word(2, n), word(3, n)].as_ptr())];
        let mut e: [u32; N] = array![N; n => word(4, n)];
        let k: [uint32x4_t; 4] = array![4; i => vdupq_n_u32(K[i])];
        for block in 0..blocks {
            let start = (abcd, e);
            let mut w = [[vdupq_n_u32(0); N]; 4];
            macro_rules! steps {
                ($i:ident, $function:ident) => {
                    for n in 0..N {
                        if $i < 4 {
                            let bytes = vld1q_u8((*messages.add(n)).add(block * 64 + $i % 4 * 16));
                            w[$i % 4][n] = vreinterpretq_u32_u8(vrev32q_u8(bytes));
                        } else {
                            // The four words sixteen steps later replace those that have been used.
                            let sum = vsha1su0q_u32(w[$i % 4][n], w[($i + 1) % 4][n], w[($i + 2) % 4][n]);
                            w[$i % 4][n] = vsha1su1q_u32(sum, w[($i + 3) % 4][n]);
                        }
                        // The first word is the last one four steps later.
                        let next = vsha1h_u32(vgetq_lane_u32::<0>(abcd[n]));
                        abcd[n] = $function(abcd[n], e[n], vaddq_u32(w[$i % 4][n], k[$i / 5]));
                        e[n] = next;
                    }
                };
            }
            unroll!(i in 5 => { steps!(i, vsha1cq_u32) });
            unroll!(i in 5, from 5 => { steps!(i, vsha1pq_u32) });
            unroll!(i in 5, from 10 => { steps!(i, vsha1mq_u32) });
            unroll!(i in 5, from 15 => { steps!(i, vsha1pq_u32) });
            for n in 0..N {
                abcd[n] = vaddq_u32(abcd[n], start.0[n]);
                e[n] = e[n].wrapping_add(start.1[n]);
            }
        }
        for n in 0..N {
            let mut words = [0; 4];
            vst1q_u32(words.as_mut_ptr(), abcd[n]);
            for (word, value) in words.into_iter().chain([e[n]]).enumerate() {
                *state.add(word * N + n) = value;
            }
        }
    }
}
