//! SHA-512 and its truncations (FIPS 180-4): SHA-384, SHA-512/224 and SHA-512/256 differ only in their initial values,
//! so their messages share lanes.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
#[cfg(target_arch = "x86_64")]
use crate::block::{ScheduleAhead, Work, ahead};
use crate::block::{Chain, State, kernels, output_be64, pad_be128, state};
#[cfg(target_arch = "x86_64")]
use crate::family::rounds::{eight_rounds, sums};
use crate::word::{Endian, Word64, array};
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::word::U64x2;
#[cfg(target_arch = "x86_64")]
use crate::word::{U64x4, U64x8, X2};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "sha384",
        tag: "SHA384",
        aliases: &["sha-384", "sha2-384"],
        digest_len: 48,
        status: Status::Secure("FIPS 180-4"),
        summary: "SHA-512 truncated to 384 bits, with its own initial value; subresource integrity",
        check: "eb455d56d2c1a69de64e832011f3393d45f3fa31d6842f21af92d2fe469c499da5e3179847334a18479c8d1dedea1be3",
        tree_id: Some("sha384"),
        kind: Kind::Blocks { chain: &SHA512, init: init_384 },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "sha512",
        tag: "SHA512",
        aliases: &["sha-512", "sha2-512"],
        digest_len: 64,
        status: Status::Secure("FIPS 180-4"),
        summary: "Debian archives, BagIt",
        check: "d9e6762dd1c8eaf6d61b3c6192fc408d4d6d5f1176d0c29169bc24e71c3f274ad27fcd5811b313d681f7e55ec02d73d499c95455b6b5bb503acf574fba8ffe85",
        tree_id: Some("sha512"),
        kind: Kind::Blocks { chain: &SHA512, init: init_512 },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "sha512-224",
        tag: "SHA512/224",
        aliases: &["sha-512/224", "sha2-512/224", "sha2-512-224", "sha512224", "sha512t224"],
        digest_len: 28,
        status: Status::Secure("FIPS 180-4"),
        summary: "SHA-512 truncated to 224 bits, with its own initial value",
        check: "f2a68a474bcbea375e9fc62eaab7b81fefbda64bb1c72d72e7c27314",
        tree_id: Some("sha512/224"),
        kind: Kind::Blocks { chain: &SHA512, init: init_512_224 },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "sha512-256",
        tag: "SHA512/256",
        aliases: &["sha-512/256", "sha2-512/256", "sha2-512-256", "sha512256", "sha512t256"],
        digest_len: 32,
        status: Status::Secure("FIPS 180-4"),
        summary: "SHA-512 truncated to 256 bits, with its own initial value",
        check: "1877345237853a31ad79e14c1fcb0ddcd3df9973b61af7f906e4b4d052cc9416",
        tree_id: Some("sha512/256"),
        kind: Kind::Blocks { chain: &SHA512, init: init_512_256 },
        ..Algorithm::PLAIN
    },
];

static SHA512: Chain =
    Chain { block: 128, words: 8, lazy: false, kernels: KERNELS, pad: pad_be128, output: output_be64, last_blocks: 2, squeeze: None };

kernels! {
    static KERNELS: Word64 of u64;
    x86_64 {
        avx512_x2: avx512 x 16, from 9 = compress[X2<U64x8>];
        avx512: avx512 x 8, from 3 = compress[U64x8];
        // On CPUs with AVX-512 the search always ends here: two messages are faster one after the
        // other than in eight lanes. The rows after this one are for CPUs without it.
        avx512_one: avx512_bmi2 x 1, from 1 = ahead[OneSha512, U64x8, 80];
        avx2_x2: avx2 x 8, from 7 = compress[X2<U64x4>];
        avx2: avx2 x 4, from 3 = compress[U64x4];
        avx2_one: avx2_bmi2 x 1, from 1 = ahead[OneSha512, U64x4, 80];
    }
    aarch64 {
        sha512_2: sha512 x 2, from 2 = sha512[2];
        sha512_1: sha512 x 1, from 1 = sha512[1];
    }
    wasm32 {
        simd128: simd128 x 2, from 2 = compress[U64x2];
    }
    portable {
        portable: x 1, from 1 = compress[u64];
    }
}

/// Section 5.3.5.
fn init_512(_: &Params) -> State {
    #[rustfmt::skip]
    let words = [
        0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
        0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
    ];
    state(&words)
}

/// Section 5.3.4.
fn init_384(_: &Params) -> State {
    #[rustfmt::skip]
    let words = [
        0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
        0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
    ];
    state(&words)
}

/// Section 5.3.6.1.
fn init_512_224(_: &Params) -> State {
    #[rustfmt::skip]
    let words = [
        0x8c3d37c819544da2, 0x73e1996689dcd4d6, 0x1dfab7ae32ff9c82, 0x679dd514582f9fcf,
        0x0f6d2b697bd44da8, 0x77e36f7304c48942, 0x3f9d85a86a1d36c8, 0x1112e6ad91d692a1,
    ];
    state(&words)
}

/// Section 5.3.6.2.
fn init_512_256(_: &Params) -> State {
    #[rustfmt::skip]
    let words = [
        0x22312194fc2bf72c, 0x9f555fa3c84c64c2, 0x2393b86b6f53b151, 0x963877195940eabd,
        0x96283ee2a88effe3, 0xbe5e1e2553863992, 0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2,
    ];
    state(&words)
}

#[rustfmt::skip]
const K: [[u64; 16]; 5] = [
    [
        0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
        0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
        0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
        0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    ],
    [
        0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
        0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
        0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
        0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    ],
    [
        0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
        0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
        0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
        0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    ],
    [
        0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
        0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
        0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
        0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    ],
    [
        0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
        0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
        0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
        0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
    ],
];

/// Processes blocks in every lane (FIPS 180-4 section 6.4.2).
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn compress<W: Word64>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: eight words of state, complete blocks, the CPU features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let mut s: [W; 8] = array![8; word => W::load(at(word))];
        for block in 0..blocks {
            let low = W::chunk(messages, block * 128, Endian::Big);
            let high = W::chunk(messages, block * 128 + 64, Endian::Big);
            let mut w: [W; 16] = array![16; i => if i < 8 { low[i] } else { high[i - 8] }];
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = s;
            // Sixteen rounds are unrolled, because LLVM does not unroll a loop of eighty and moves every word in every
            // round.
            macro_rules! round {
                ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $k:expr, $i:literal) => {
                    let sum1 = $e.rotr(14).xor($e.rotr(18)).xor($e.rotr(41));
                    let t1 = $h.add(w[$i].plus($k[$i])).add($e.choose($f, $g)).add(sum1);
                    let sum0 = $a.rotr(28).xor($a.rotr(34)).xor($a.rotr(39));
                    $d = $d.add(t1);
                    $h = t1.add($a.majority($b, $c)).add(sum0);
                };
            }
            macro_rules! sixteen {
                ($k:expr) => {
                    round!(a b c d e f g h, $k, 0);
                    round!(h a b c d e f g, $k, 1);
                    round!(g h a b c d e f, $k, 2);
                    round!(f g h a b c d e, $k, 3);
                    round!(e f g h a b c d, $k, 4);
                    round!(d e f g h a b c, $k, 5);
                    round!(c d e f g h a b, $k, 6);
                    round!(b c d e f g h a, $k, 7);
                    round!(a b c d e f g h, $k, 8);
                    round!(h a b c d e f g, $k, 9);
                    round!(g h a b c d e f, $k, 10);
                    round!(f g h a b c d e, $k, 11);
                    round!(e f g h a b c d, $k, 12);
                    round!(d e f g h a b c, $k, 13);
                    round!(c d e f g h a b, $k, 14);
                    round!(b c d e f g h a, $k, 15);
                };
            }
            macro_rules! words {
                // `w` is a ring of sixteen words, so indexes wrap around: these are the words 16,
                // 15, 7 and 2 before the new one.
                ($($i:literal)*) => { $(w[$i] = scheduled(w[$i], w[($i + 1) % 16], w[($i + 9) % 16], w[($i + 14) % 16]);)* };
            }
            sixteen!(K[0]);
            for k in &K[1..] {
                words!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
                sixteen!(k);
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

/// Returns the word of the schedule computed from those 16, 15, 7 and 2 before it (section 6.4.2 step 1).
#[inline(always)]
fn scheduled<W: Word64>(w16: W, w15: W, w7: W, w2: W) -> W {
    let s0 = w15.rotr(1).xor(w15.rotr(8)).xor(w15.shr(7));
    let s1 = w2.rotr(19).xor(w2.rotr(61)).xor(w2.shr(6));
    w16.add(s0).add(w7).add(s1)
}

/// One message, with schedules computed ahead.
#[cfg(target_arch = "x86_64")]
struct OneSha512;

#[cfg(target_arch = "x86_64")]
impl<W: Word64> ScheduleAhead<W, 80> for OneSha512 {
    type State = [u64; 8];
    const BLOCK: usize = 128;
    const CONSTANTS: &'static [u64; 80] = K.as_flattened().first_chunk().expect("eighty constants");

    unsafe fn alone(state: *mut u64, messages: *const *const u8, blocks: usize) {
        // SAFETY: guaranteed by the caller.
        unsafe { portable(state, messages, blocks) }
    }

    #[inline(always)]
    unsafe fn first(blocks: *const *const u8) -> [W; 16] {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let (low, high) = (W::chunk(blocks, 0, Endian::Big), W::chunk(blocks, 64, Endian::Big));
            array![16; i => if i < 8 { low[i] } else { high[i - 8] }]
        }
    }

    #[inline(always)]
    unsafe fn next(first: *const W) -> W {
        // SAFETY: guaranteed by the caller: sixteen words.
        unsafe { scheduled(*first, *first.add(1), *first.add(9), *first.add(14)) }
    }

    #[inline(always)]
    unsafe fn block(before: [u64; 8], words: *const u64, work: Work<W, 80>) -> [u64; 8] {
        let [a, b, c, d, e, f, g, h] = before;
        // The ninth word saves an operation in each round: the `a ^ b` of a majority is the `b ^ c`
        // of the next one.
        let mut after = [a, b, c, d, e, f, g, h, b ^ c];
        let (mut words, mut work) = (words, work);
        // Each of two passes has five groups of eight rounds, and the first four compute the words
        // of the next schedules: two words each with lanes of AVX2 (16 steps), one each with those
        // of AVX-512 (8).
        let half = Work::<W, 80>::STEPS / 2;
        const { assert!(Work::<W, 80>::STEPS == 8 || Work::<W, 80>::STEPS == 16) };
        // SAFETY: guaranteed by the caller: words, features, and parts of sixteen or eight steps of a schedule to come.
        unsafe {
            macro_rules! group {
                ($group:literal) => {
                    eight_rounds!(("qword" "r" u64, 14 18 41, 28 34 39) after words W::LANES, 8 * $group);
                    if $group < 4 && half == 8 {
                        work.step::<Self>(2 * $group);
                        work.step::<Self>(2 * $group + 1);
                    } else if $group < 4 {
                        work.step::<Self>($group);
                    }
                };
            }
            for _ in 0..2 {
                group!(0);
                group!(1);
                group!(2);
                group!(3);
                group!(4);
                words = words.add(40 * W::LANES);
                work = work.skip(half);
            }
            sums!(before after)
        }
    }
}

/// Processes `N` messages side by side with the SHA-512 instructions of Armv8.2-A (Arm ARM, `SHA512H`), two rounds at a
/// time: the state is four registers of two words, the first in the low half, and sixteen message words are eight
/// registers. Two rounds move each pair of words to the position of the previous pair, so registers are renamed instead
/// of moved.
///
/// # Safety
/// The same as for [`crate::block::row::Advance`] with `N` lanes; the CPU has SHA-512 and NEON.
#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon,sha3")]
unsafe fn sha512<const N: usize>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    use std::arch::aarch64::*;
    // SAFETY: guaranteed by the caller: eight words of state for each lane, complete blocks; loads are of bytes.
    unsafe {
        let word = |word: usize, lane: usize| *state.add(word * N + lane);
        let mut s: [[uint64x2_t; N]; 4] =
            array![4; pair => array![N; n => vld1q_u64([word(2 * pair, n), word(2 * pair + 1, n)].as_ptr())]];
        for block in 0..blocks {
            let start = s;
            let mut w: [[uint64x2_t; N]; 8] = array![8; part => array![N; n => {
                let bytes = vld1q_u8((*messages.add(n)).add(block * 128 + part * 16));
                vreinterpretq_u64_u8(vrev64q_u8(bytes))
            }]];
            macro_rules! rounds {
                ($k:expr, $i:expr; $ab:literal $cd:literal $ef:literal $gh:literal) => {
                    let k = vld1q_u64($k.as_ptr().add(2 * $i));
                    for n in 0..N {
                        let wk = vaddq_u64(w[$i][n], k);
                        // The round of the lower word is first, and adds to the upper word of `gh`.
                        let sum = vaddq_u64(vextq_u64::<1>(wk, wk), s[$gh][n]);
                        // The instruction takes the pairs that begin in the middle of a register.
                        let (fg, de) =
                            (vextq_u64::<1>(s[$ef][n], s[$gh][n]), vextq_u64::<1>(s[$cd][n], s[$ef][n]));
                        let t1 = vsha512hq_u64(sum, fg, de);
                        s[$gh][n] = vsha512h2q_u64(t1, s[$cd][n], s[$ab][n]);
                        s[$cd][n] = vaddq_u64(s[$cd][n], t1);
                    }
                };
            }
            macro_rules! sixteen {
                ($k:expr) => {
                    rounds!($k, 0; 0 1 2 3);
                    rounds!($k, 1; 3 0 1 2);
                    rounds!($k, 2; 2 3 0 1);
                    rounds!($k, 3; 1 2 3 0);
                    rounds!($k, 4; 0 1 2 3);
                    rounds!($k, 5; 3 0 1 2);
                    rounds!($k, 6; 2 3 0 1);
                    rounds!($k, 7; 1 2 3 0);
                };
            }
            sixteen!(K[0]);
            for k in &K[1..] {
                for i in 0..8 {
                    for n in 0..N {
                        let (this, next) = (w[i][n], w[(i + 1) % 8][n]);
                        // The words seven before the new pair are in two registers.
                        let ninth = vextq_u64::<1>(w[(i + 4) % 8][n], w[(i + 5) % 8][n]);
                        w[i][n] = vsha512su1q_u64(vsha512su0q_u64(this, next), w[(i + 7) % 8][n], ninth);
                    }
                }
                sixteen!(k);
            }
            for (sums, before) in s.iter_mut().zip(start) {
                for n in 0..N {
                    sums[n] = vaddq_u64(sums[n], before[n]);
                }
            }
        }
        for (pair, registers) in s.into_iter().enumerate() {
            for (n, register) in registers.into_iter().enumerate() {
                *state.add(2 * pair * N + n) = vgetq_lane_u64::<0>(register);
                *state.add((2 * pair + 1) * N + n) = vgetq_lane_u64::<1>(register);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncated_initial_values_follow_from_the_generation_function() {
        // Section 5.3.6: SHA-512 with every initial word xor a5a5a5a5a5a5a5a5, applied to the name of the function.
        let params = Params { digest_len: 64, ..Params::default() };
        for (name, want) in [("SHA-512/224", init_512_224(&params)), ("SHA-512/256", init_512_256(&params))] {
            let mut state = init_512(&params);
            state[..8].iter_mut().for_each(|word| *word ^= 0xa5a5_a5a5_a5a5_a5a5);
            let mut stream = crate::block::Stream::new(&SHA512, state, 64);
            stream.update(name.as_bytes());
            let digest = stream.finish();
            let words = digest.as_bytes().chunks(8).map(|word| u64::from_be_bytes(word.try_into().unwrap()));
            assert!(words.eq(want[..8].iter().copied()), "{name}");
        }
    }
}
