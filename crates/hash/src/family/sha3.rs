//! SHA-3 and SHAKE (FIPS 202), Keccak with its original padding, and TurboSHAKE (RFC 9861) with half the rounds.
//!
//! The members differ in their rate (bytes absorbed per permutation) and in the byte that starts the padding. Kernels
//! depend only on the rate, so members with the same rate share rows. Output longer than the rate is squeezed one
//! message at a time.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Lengths, Params, Status};
use crate::block::{Chain, Kernel, MAX_WORDS, State, Tail, kernels, output_le64};
use crate::word::{Endian, Word64, array};
#[cfg(target_arch = "aarch64")]
use crate::word::Sha3U64x2;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::word::U64x2;
#[cfg(target_arch = "x86_64")]
use crate::word::{U64x2, U64x4, U64x8};

/// The number of words in the state: five by five lanes of 64 bits.
const WORDS: usize = 25;

/// The byte after the message: domain separation bits and the first bit of the padding (FIPS 202 appendix B.2).
const SHA3: u8 = 0x06;
const SHAKE: u8 = 0x1f;
/// Keccak as submitted, before the standard added domain bits.
const KECCAK: u8 = 0x01;

/// A row of Keccak with its original padding; `$standard` is the SHA-3 function with the same rate.
macro_rules! keccak {
    ($name:literal $tag:literal $aliases:tt $len:literal $chain:ident, $standard:literal, $summary:literal, $check:literal) => {
        Algorithm {
            name: $name,
            tag: $tag,
            aliases: &$aliases,
            digest_len: $len,
            status: Status::Secure(concat!(
                "Bertoni, Daemen, Peeters & Van Assche 2011; ",
                $standard,
                " with different padding"
            )),
            summary: $summary,
            check: $check,
            tree_id: Some($name),
            kind: Kind::Blocks { chain: &$chain, init },
            ..Algorithm::PLAIN
        }
    };
}

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "sha3-224",
        tag: "SHA3-224",
        aliases: &["sha3_224"],
        digest_len: 28,
        status: Status::Secure("FIPS 202"),
        summary: "SHA-3 (2015), 224 bits",
        check: "5795c3d628fd638c9835a4c79a55809f265068c88729a1a3fcdf8522",
        tree_id: Some("sha3-224"),
        kind: Kind::Blocks { chain: &SHA3_224, init },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "sha3-256",
        tag: "SHA3-256",
        aliases: &["sha3_256"],
        digest_len: 32,
        status: Status::Secure("FIPS 202"),
        summary: "SHA-3 (2015), 256 bits",
        check: "87cd084d190e436f147322b90e7384f6a8e0676c99d21ef519ea718e51d45f9c",
        tree_id: Some("sha3-256"),
        kind: Kind::Blocks { chain: &SHA3_256, init },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "sha3-384",
        tag: "SHA3-384",
        aliases: &["sha3_384"],
        digest_len: 48,
        status: Status::Secure("FIPS 202"),
        summary: "SHA-3 (2015), 384 bits",
        check: "8b90ede4d095409f1a12492c2520599683a9478dc70b7566d23b3e41ece8538c6cde92382a5e38786490375c54672abf",
        tree_id: Some("sha3-384"),
        kind: Kind::Blocks { chain: &SHA3_384, init },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "sha3-512",
        tag: "SHA3-512",
        aliases: &["sha3_512"],
        digest_len: 64,
        status: Status::Secure("FIPS 202"),
        summary: "SHA-3 (2015), 512 bits",
        check: "e1e44d20556e97a180b6dd3ed7ae5c465cafd553fa8747dca038fb95635b77a37318f7ddf7aec1f6c3c14bb160ba2497007decf38dd361cab199e3b8c8fe1f5c",
        tree_id: Some("sha3-512"),
        kind: Kind::Blocks { chain: &SHA3_512, init },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "shake128",
        tag: "SHAKE128",
        aliases: &["shake-128"],
        digest_len: 32,
        lengths: Lengths::Any,
        status: Status::Secure("FIPS 202; full strength with 256 bits of output or more"),
        summary: "output of any length; 256 bits by default, as required for 128-bit security",
        check: "1aca6b9e651b5f20079a305ca8f86d39b9451c4c32873f95f8b315834bd5f272",
        tree_id: Some("shake128"),
        kind: Kind::Blocks { chain: &SHAKE128, init },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "shake256",
        tag: "SHAKE256",
        aliases: &["shake-256"],
        digest_len: 64,
        lengths: Lengths::Any,
        status: Status::Secure("FIPS 202; full strength with 512 bits of output or more"),
        summary: "output of any length; 512 bits by default, as required for 256-bit security",
        check: "24347b9c4b6da2fc9cde08c87f33edd2e603c8dcd6840e6b3920f62b1dd69d7bc4655a9e6f0ee6255940380dcd1488dbca3e796ae58a2234cc31cd61dfd1eb56",
        tree_id: Some("shake256"),
        kind: Kind::Blocks { chain: &SHAKE256, init },
        ..Algorithm::PLAIN
    },
    keccak!("keccak224" "KECCAK-224" ["keccak_224"] 28 KECCAK224, "SHA3-224", "Keccak as submitted to NIST, 224 bits", "06471de6c635a88e7470284b2c2ebf9bd7e5e888cbbd128c21cb8308"),
    keccak!("keccak256" "KECCAK-256" ["keccak", "keccak_256"] 32 KECCAK256, "SHA3-256", "used by Ethereum", "2a359feeb8e488a1af2c03b908b3ed7990400555db73e1421181d97cac004d48"),
    keccak!("keccak384" "KECCAK-384" ["keccak_384"] 48 KECCAK384, "SHA3-384", "Keccak as submitted to NIST, 384 bits", "efccae72ce14656c434751cf737e70a57ab8dd2c76f5abe01e52770affd77b66d2b80977724a00a6d971b702906f8032"),
    keccak!("keccak512" "KECCAK-512" ["keccak_512"] 64 KECCAK512, "SHA3-512", "Keccak as submitted to NIST, 512 bits", "40b787e94778266fb196a73b7a77edf9de2ef172451a2b87531324812250df8f26fcc11e69b35afddbe639956c96153e71363f97010bc99405dd2d77b8c41986"),
    Algorithm {
        name: "turboshake128",
        tag: "TURBOSHAKE128",
        aliases: &["turboshake-128"],
        digest_len: 32,
        lengths: Lengths::Any,
        status: Status::Secure("RFC 9861; full strength with 256 bits of output or more"),
        summary: "SHAKE128 with twelve rounds and domain separation byte 1F; output of any length",
        check: "071c07ecdb2bacb36fbfb15862a723b57a20c5bf1f5986630184abf3dcd7bb75",
        tree_id: Some("turboshake128"),
        kind: Kind::Blocks { chain: &TURBOSHAKE128, init },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "turboshake256",
        tag: "TURBOSHAKE256",
        aliases: &["turboshake-256"],
        digest_len: 64,
        lengths: Lengths::Any,
        status: Status::Secure("RFC 9861; full strength with 512 bits of output or more"),
        summary: "SHAKE256 with twelve rounds and domain separation byte 1F; output of any length",
        check: "f7b8c30f455b2d41c867225c4c469e6893a3448d8b41ae1b133ca62e1189bffe9bacda11dcba5dc54dc2c2561efe8e1bc5d5b79cd55ec604f9e02a237b545cea",
        tree_id: Some("turboshake256"),
        kind: Kind::Blocks { chain: &TURBOSHAKE256, init },
        ..Algorithm::PLAIN
    },
];

static SHA3_224: Chain = chain::<144, SHA3, 24>(rate144::KERNELS);
static SHA3_256: Chain = chain::<136, SHA3, 24>(rate136::KERNELS);
static SHA3_384: Chain = chain::<104, SHA3, 24>(rate104::KERNELS);
static SHA3_512: Chain = chain::<72, SHA3, 24>(rate72::KERNELS);
static SHAKE128: Chain = shake128::<SHAKE>();
static SHAKE256: Chain = shake256::<SHAKE>();
static KECCAK224: Chain = chain::<144, KECCAK, 24>(rate144::KERNELS);
static KECCAK256: Chain = chain::<136, KECCAK, 24>(rate136::KERNELS);
static KECCAK384: Chain = chain::<104, KECCAK, 24>(rate104::KERNELS);
static KECCAK512: Chain = chain::<72, KECCAK, 24>(rate72::KERNELS);
static TURBOSHAKE128: Chain = turboshake128::<SHAKE>();
static TURBOSHAKE256: Chain = turboshake256::<SHAKE>();

/// Returns SHAKE128 with a different byte after the message (cSHAKE uses 4: SP 800-185 section 3.3).
pub(crate) const fn shake128<const DOMAIN: u8>() -> Chain {
    chain::<168, DOMAIN, 24>(rate168::KERNELS)
}

/// Returns SHAKE256 with a different byte after the message.
pub(crate) const fn shake256<const DOMAIN: u8>() -> Chain {
    chain::<136, DOMAIN, 24>(rate136::KERNELS)
}

/// Returns TurboSHAKE128 with this byte after the message.
pub(crate) const fn turboshake128<const DOMAIN: u8>() -> Chain {
    chain::<168, DOMAIN, 12>(turbo168::KERNELS)
}

/// Returns TurboSHAKE256 with this byte after the message.
pub(crate) const fn turboshake256<const DOMAIN: u8>() -> Chain {
    chain::<136, DOMAIN, 12>(turbo136::KERNELS)
}

/// Returns the function that MarsupilamiFourteen uses instead of TurboSHAKE256: fourteen rounds.
pub(crate) const fn fourteen<const DOMAIN: u8>() -> Chain {
    chain::<136, DOMAIN, 14>(fourteen136::KERNELS)
}

const fn chain<const RATE: usize, const DOMAIN: u8, const ROUNDS: usize>(kernels: &'static [Kernel]) -> Chain {
    Chain {
        block: RATE,
        words: WORDS,
        lazy: false,
        kernels,
        pad: pad::<RATE, DOMAIN>,
        output: output::<RATE, ROUNDS>,
        last_blocks: 1,
        squeeze: if DOMAIN == SHA3 && ROUNDS == 24 || DOMAIN == KECCAK { None } else { Some(permuted::<ROUNDS>) },
    }
}

macro_rules! rate {
    ($name:ident, $rate:literal) => {
        mod $name {
            use super::*;

            kernels! {
                pub(super) static KERNELS: Word64 of u64;
                x86_64 {
                    avx512: avx512 x 8, from 3 = absorb[U64x8];
                    avx512_x2: avx512 x 2, from 1 = absorb[U64x2];
                    avx2: avx2 x 4, from 2 = absorb[U64x4];
                    bmi2: bmi2 x 1, from 1 = absorb[u64];
                    sse2: sse2 x 2, from 2 = absorb[U64x2];
                }
                aarch64 {
                    sha3: sha3 x 2, from 2 = absorb[Sha3U64x2];
                }
                wasm32 {
                    simd128: simd128 x 2, from 2 = absorb[U64x2];
                }
                portable {
                    portable: x 1, from 1 = absorb[u64];
                }
            }

            /// # Safety
            /// The same as for [`super::absorb`].
            #[inline(always)]
            unsafe fn absorb<W: Word64>(state: *mut u64, messages: *const *const u8, blocks: usize) {
                // SAFETY: the same contract.
                unsafe { super::absorb::<W, $rate, 24>(state, messages, blocks) }
            }
        }
    };
}
rate!(rate168, 168);
rate!(rate144, 144);
rate!(rate136, 136);
rate!(rate104, 104);
rate!(rate72, 72);

/// The same with fewer rounds, and with fewer rows for less common functions.
macro_rules! quick {
    ($name:ident, $rate:literal, $rounds:literal) => {
        mod $name {
            use super::*;

            kernels! {
                pub(super) static KERNELS: Word64 of u64;
                x86_64 {
                    avx512: avx512 x 8, from 3 = absorb[U64x8];
                    avx2: avx2 x 4, from 2 = absorb[U64x4];
                    bmi2: bmi2 x 1, from 1 = absorb[u64];
                }
                aarch64 {
                    sha3: sha3 x 2, from 2 = absorb[Sha3U64x2];
                }
                wasm32 {
                    simd128: simd128 x 2, from 2 = absorb[U64x2];
                }
                portable {
                    portable: x 1, from 1 = absorb[u64];
                }
            }

            /// # Safety
            /// The same as for [`super::absorb`].
            #[inline(always)]
            unsafe fn absorb<W: Word64>(state: *mut u64, messages: *const *const u8, blocks: usize) {
                // SAFETY: the same contract.
                unsafe { super::absorb::<W, $rate, $rounds>(state, messages, blocks) }
            }
        }
    };
}
quick!(turbo168, 168, 12);
quick!(turbo136, 136, 12);
quick!(fourteen136, 136, 14);

pub(crate) fn init(_: &Params) -> State {
    [0; MAX_WORDS]
}

/// Appends domain bits, then `10*1` to the end of the block.
fn pad<const RATE: usize, const DOMAIN: u8>(
    _: &mut State,
    tail: &mut Tail,
    buffered: usize,
    _: u64,
) -> usize {
    tail[buffered] = DOMAIN;
    tail[RATE - 1] |= 0x80;
    1
}

/// Writes the first `RATE` bytes of the state, permuted again for every further `RATE` bytes.
fn output<const RATE: usize, const ROUNDS: usize>(state: &State, digest: &mut [u8]) {
    let mut state = *state;
    for (i, part) in digest.chunks_mut(RATE).enumerate() {
        if i > 0 {
            permuted::<ROUNDS>(&mut state);
        }
        output_le64(&state, part);
    }
}

/// Permutes the state, whose first bytes are then the next output.
fn permuted<const ROUNDS: usize>(state: &mut State) {
    // SAFETY: `u64` needs no CPU features.
    *state = unsafe { permute::<_, ROUNDS>(*state) };
}

#[rustfmt::skip]
const CONSTANTS: [u64; 24] = [
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
];

/// Absorbs complete blocks of `RATE` bytes in every lane (FIPS 202 section 4).
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn absorb<W: Word64, const RATE: usize, const ROUNDS: usize>(
    state: *mut u64,
    messages: *const *const u8,
    blocks: usize,
) {
    // SAFETY: guaranteed by the caller: 25 words of state, complete blocks, the CPU features. Every chunk ends inside
    // its block, because a rate is longer than a chunk.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let mut s: [W; WORDS] = array![WORDS; word => W::load(at(word))];
        for block in 0..blocks {
            let mut word = 0;
            while word < RATE / 8 {
                // The last chunk overlaps the previous one: its first words have been added to the state already.
                let from = word.min(RATE / 8 - 8);
                let m = W::chunk(messages, block * RATE + from * 8, Endian::Little);
                for i in word - from..8 {
                    s[from + i] = s[from + i].xor(m[i]);
                }
                word = from + 8;
            }
            s = permute::<W, ROUNDS>(s);
        }
        for (word, value) in s.into_iter().enumerate() {
            value.store(at(word));
        }
    }
}

/// Returns the constants of the last rounds.
const fn last<const ROUNDS: usize>() -> [u64; ROUNDS] {
    let mut constants = [0; ROUNDS];
    let mut round = 0;
    while round < ROUNDS {
        constants[round] = CONSTANTS[24 - ROUNDS + round];
        round += 1;
    }
    constants
}

/// Applies the last `ROUNDS` rounds of Keccak-f[1600] (FIPS 202 section 3.3) to every lane. Word `x + 5 * y` of the
/// state is lane `(x, y)` of the standard.
///
/// # Safety
/// The same as for [`crate::word::operations::Word::splat`].
#[inline(always)]
unsafe fn permute<W: Word64, const ROUNDS: usize>(mut s: [W; WORDS]) -> [W; WORDS] {
    for constant in const { last::<ROUNDS>() } {
        macro_rules! column {
            ($x:literal) => {
                s[$x].xor3(s[$x + 5], s[$x + 10]).xor3(s[$x + 15], s[$x + 20])
            };
        }
        let c = [column!(0), column!(1), column!(2), column!(3), column!(4)];
        macro_rules! theta {
            ($x:literal) => {
                c[($x + 4) % 5].xor_rotl1(c[($x + 1) % 5])
            };
        }
        let d = [theta!(0), theta!(1), theta!(2), theta!(3), theta!(4)];
        // After rho and pi, lane x of row y is the previous lane (x + 3y, x), rotated by that lane's offset.
        macro_rules! row {
            ($($from:literal << $offset:literal),*) => {{
                let b = [$(s[$from].xor_rotl(d[$from % 5], $offset)),*];
                macro_rules! chi {
                    ($x:literal) => {
                        b[$x].xor_andnot(b[($x + 1) % 5], b[($x + 2) % 5])
                    };
                }
                [chi!(0), chi!(1), chi!(2), chi!(3), chi!(4)]
            }};
        }
        let [r0, r1, r2, r3, r4] = [
            row!(0 << 0, 6 << 44, 12 << 43, 18 << 21, 24 << 14),
            row!(3 << 28, 9 << 20, 10 << 3, 16 << 45, 22 << 61),
            row!(1 << 1, 7 << 6, 13 << 25, 19 << 8, 20 << 18),
            row!(4 << 27, 5 << 36, 11 << 10, 17 << 15, 23 << 56),
            row!(2 << 62, 8 << 55, 14 << 39, 15 << 41, 21 << 2),
        ];
        #[rustfmt::skip]
        let next = [
            // SAFETY: guaranteed by the caller.
            r0[0].xor(unsafe { W::splat(constant) }),
            r0[1], r0[2], r0[3], r0[4],
            r1[0], r1[1], r1[2], r1[3], r1[4],
            r2[0], r2[1], r2[2], r2[3], r2[4],
            r3[0], r3[1], r3[2], r3[3], r3[4],
            r4[0], r4[1], r4[2], r4[3], r4[4],
        ];
        s = next;
    }
    s
}
