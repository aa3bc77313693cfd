//! LSH (KS X 3262; Kim, Hong, Lee, Kim, Hong, Hong & Lee: "LSH: A New Fast Secure Hash Function Family", ICISC 2014),
//! the standard hash of Korea, over words of 32 and of 64 bits.
//!
//! Two halves of eight words are added, rotated and combined with constants, then all sixteen words are permuted. Initial
//! values and constants follow from a few words and are computed at compile time.

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{MAX_WORDS, State, Tail, output_le32, output_le64, portable};
use crate::word::unroll;

const STANDARD: Status = Status::Secure(
    "KS X 3262; LSH-256 reduced to 13 of 26 steps and LSH-512 reduced to 14 of 28 still resist known attacks (Kim et al. 2014)",
);

macro_rules! row {
    ($bits:literal $chain:ident $init:ident $name:literal $tag:literal $aliases:tt $len:literal, $check:literal) => {
        Algorithm {
            name: $name,
            tag: $tag,
            aliases: &$aliases,
            digest_len: $len,
            status: STANDARD,
            summary: concat!("Korean standard hash, with ", $bits, "-bit words"),
            check: $check,
            tree_id: Some($name),
            kind: Kind::Blocks { chain: &$chain, init: $init },
            ..Algorithm::PLAIN
        }
    };
}

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    row!(32 LSH_256 init_narrow "lsh256-224" "LSH-256-224" [] 28, "e14943db60279e520e53b565a0eeb487bafdfd0d278b97b213978942"),
    row!(32 LSH_256 init_narrow "lsh256" "LSH-256-256" ["lsh256-256", "lsh-256"] 32, "9804909feae040e9aab2eece96b9726c7707d17d223fa980c143ce07d9de84ba"),
    row!(64 LSH_512 init_wide "lsh512-224" "LSH-512-224" [] 28, "ec756ec044cd67e9e037fe042c53014908db9f3a40c997512f3a6916"),
    row!(64 LSH_512 init_wide "lsh512-256" "LSH-512-256" [] 32, "3e882767bd964584f102e40a7393f7e2328f1b5c5fe12f3b7c1b5daf2d8223c2"),
    row!(64 LSH_512 init_wide "lsh512-384" "LSH-512-384" [] 48, "340f5165fb3fcf10e953117e35d85181df5f723e2677889711b9a863cfe7f76a37806c450f213fad5f75135b8c122ef7"),
    row!(64 LSH_512 init_wide "lsh512" "LSH-512-512" ["lsh512-512", "lsh-512"] 64, "44728787910403ac73d256658bb3c546c34b7046cf1db868ea066ce80c18aa17b0ef4a16814d50f32920438eef649051daaf1831e53ac3522d95412146b9c49b"),
];

portable! {
    static LSH_256: Chain {
        state: Word32 of [u32; 16],
        block: [[u8; 4]; 32],
        compress: narrow::compress,
        pad: pad,
        last_blocks: 1,
        output: output_narrow,
    }
}
portable! {
    static LSH_512: Chain {
        state: Word64 of [u64; 16],
        block: [[u8; 8]; 32],
        compress: wide::compress,
        pad: pad,
        last_blocks: 1,
        output: output_wide,
    }
}

fn init_narrow(params: &Params) -> State {
    match params.digest_len {
        28 => const { narrow::first(224) },
        _ => const { narrow::first(256) },
    }
}

fn init_wide(params: &Params) -> State {
    match params.digest_len {
        28 => const { wide::first(224) },
        32 => const { wide::first(256) },
        48 => const { wide::first(384) },
        _ => const { wide::first(512) },
    }
}

/// Appends a one bit and zeros; the length is not included.
fn pad(_: &mut State, tail: &mut Tail, buffered: usize, _: u64) -> usize {
    tail[buffered] = 0x80;
    1
}

/// Returns the exclusive or of the halves of the state.
fn joined(state: &State) -> State {
    std::array::from_fn(|i| if i < 8 { state[i] ^ state[8 + i] } else { 0 })
}

fn output_narrow(state: &State, digest: &mut [u8]) {
    output_le32(&joined(state), digest);
}

fn output_wide(state: &State, digest: &mut [u8]) {
    output_le64(&joined(state), digest);
}

/// The word from two blocks before that is added to each word of the previous block (table 4).
const EARLIER: [usize; 16] = [3, 2, 0, 1, 7, 4, 5, 6, 11, 10, 8, 9, 15, 12, 13, 14];
/// The source of each word after a step (table 5).
const PLACES: [usize; 16] = [6, 4, 5, 7, 12, 15, 14, 13, 2, 0, 1, 3, 8, 11, 10, 9];

/// Defines the functions for one word size from what differs between the two (tables 2, 3, 6 and 7): the number of
/// steps, the constants of the first, the rotations of the left and the right half in even and in odd steps, and the
/// final rotation of each word of the right half.
macro_rules! size {
    ($name:ident: $word:ident, $steps:literal, $first:expr, $even:expr, $odd:expr, $turns:expr) => {
        mod $name {
            use super::{EARLIER, MAX_WORDS, PLACES, State, unroll};

            type Words = [$word; 16];

            /// The constants of all steps: each follows from the previous one.
            const CONSTANTS: [[$word; 8]; $steps] = {
                let mut constants = [$first; $steps];
                let mut i = 8;
                while i < 8 * $steps {
                    let before: $word = constants[i / 8 - 1][i % 8];
                    constants[i / 8][i % 8] = before.wrapping_add(before.rotate_left(8));
                    i += 1;
                }
                constants
            };

            /// One step: adds a part of the message, mixes both halves, and permutes all words.
            #[inline(always)]
            const fn step(v: &Words, part: &Words, rotations: [u32; 2], constants: &[$word; 8]) -> Words {
                let (mut mixed, mut permuted) = ([0; 16], [0; 16]);
                unroll!(i in 8, from 0 => {
                    let (left, right) = (v[i] ^ part[i], v[i + 8] ^ part[i + 8]);
                    let left = left.wrapping_add(right).rotate_left(rotations[0]) ^ constants[i];
                    let right = right.wrapping_add(left).rotate_left(rotations[1]);
                    mixed[i] = left.wrapping_add(right);
                    mixed[i + 8] = right.rotate_left($turns[i]);
                });
                unroll!(i in 16 => { permuted[i] = mixed[PLACES[i]]; });
                permuted
            }

            /// All steps of a block, whose first and second half are `even` and `odd`.
            #[inline(always)]
            const fn steps(mut v: Words, mut even: Words, mut odd: Words) -> Words {
                let mut n = 0;
                while n < $steps {
                    v = step(&v, &even, $even, &CONSTANTS[n]);
                    v = step(&v, &odd, $odd, &CONSTANTS[n + 1]);
                    let before = even;
                    unroll!(i in 16 => { even[i] = odd[i].wrapping_add(before[EARLIER[i]]); });
                    let before = odd;
                    unroll!(i in 16 => { odd[i] = even[i].wrapping_add(before[EARLIER[i]]); });
                    n += 2;
                }
                unroll!(i in 16 => { v[i] ^= even[i]; });
                v
            }

            /// Returns the initial state: the bits of a word and of the digest, after all steps without a message.
            pub(super) const fn first(digest_bits: $word) -> State {
                let mut words = [0; 16];
                (words[0], words[1]) = ($word::BITS as $word, digest_bits);
                words = steps(words, [0; 16], [0; 16]);
                let mut state = [0; MAX_WORDS];
                unroll!(i in 16 => { state[i] = words[i] as u64; });
                state
            }

            /// Processes the blocks of a message.
            pub(super) fn compress(state: &mut Words, blocks: &[[[u8; size_of::<$word>()]; 32]]) {
                for block in blocks {
                    let words = block.map($word::from_le_bytes);
                    let [even, odd] = [0, 16].map(|half| std::array::from_fn(|i| words[half + i]));
                    *state = steps(*state, even, odd);
                }
            }
        }
    };
}
size!(
    narrow: u32, 26,
    [0x917caf90, 0x6c1b10a2, 0x6f352943, 0xcf778243, 0x2ceb7472, 0x29e96ff2, 0x8a9ba428, 0x2eeb2642],
    [29, 1], [5, 17], [0, 8, 16, 24, 24, 16, 8, 0]
);
size!(
    wide: u64, 28,
    [
        0x97884283c938982a, 0xba1fca93533e2355, 0xc519a2e87aeb1c03, 0x9a0fc95462af17b1,
        0xfc3dda8ab019a82b, 0x02825d079a895407, 0x79f2d0a7ee06a6f7, 0xd76d15eed9fdf5fe,
    ],
    [23, 59], [7, 3], [0, 16, 32, 48, 8, 24, 40, 56]
);
