//! LSH (KS X 3262; Kim, Hong, Lee, Kim, Hong, Hong & Lee: "LSH: A New Fast Secure Hash Function Family", ICISC 2014),
//! the standard hash of Korea, over words of 32 and of 64 bits.
//!
//! Two halves of eight words are added, rotated and combined with constants, then all sixteen words are permuted, which
//! costs nothing in SIMD lanes. Initial values and constants follow from a few words and are computed at compile time.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, MAX_WORDS, State, Tail, kernels, output_le32, output_le64};
use crate::word::{Endian, Word, Word32, Word64, array};
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x4, U32x8, U32x16, U64x4, U64x8};

const STANDARD: Status = Status::Secure("KS X 3262; collisions for 13 of 26 rounds (Kim et al. 2014)");

macro_rules! row {
    ($bits:ident $name:literal $tag:literal $aliases:tt $len:literal, $check:literal) => {
        Algorithm {
            name: $name,
            tag: $tag,
            aliases: &$aliases,
            digest_len: $len,
            status: STANDARD,
            summary: concat!("Korean standard hash, with ", $bits!(words)),
            check: $check,
            tree_id: Some($name),
            kind: Kind::Blocks { chain: $bits!(chain), init: $bits!(init) },
            ..Algorithm::PLAIN
        }
    };
}
macro_rules! narrow {
    (words) => { "32-bit words" };
    (chain) => { &LSH_256 };
    (init) => { |params| if params.digest_len == 28 { FIRST_224 } else { FIRST_256 } };
}
macro_rules! wide {
    (words) => { "64-bit words" };
    (chain) => { &LSH_512 };
    (init) => { init_wide };
}

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    row!(narrow "lsh256-224" "LSH-256-224" [] 28, "e14943db60279e520e53b565a0eeb487bafdfd0d278b97b213978942"),
    row!(narrow "lsh256" "LSH-256-256" ["lsh256-256", "lsh-256"] 32, "9804909feae040e9aab2eece96b9726c7707d17d223fa980c143ce07d9de84ba"),
    row!(wide "lsh512-224" "LSH-512-224" [] 28, "ec756ec044cd67e9e037fe042c53014908db9f3a40c997512f3a6916"),
    row!(wide "lsh512-256" "LSH-512-256" [] 32, "3e882767bd964584f102e40a7393f7e2328f1b5c5fe12f3b7c1b5daf2d8223c2"),
    row!(wide "lsh512-384" "LSH-512-384" [] 48, "340f5165fb3fcf10e953117e35d85181df5f723e2677889711b9a863cfe7f76a37806c450f213fad5f75135b8c122ef7"),
    row!(wide "lsh512" "LSH-512-512" ["lsh512-512", "lsh-512"] 64, "44728787910403ac73d256658bb3c546c34b7046cf1db868ea066ce80c18aa17b0ef4a16814d50f32920438eef649051daaf1831e53ac3522d95412146b9c49b"),
];

static LSH_256: Chain =
    Chain { block: 128, words: 16, lazy: false, kernels: KERNELS_256, pad, output: output_narrow, last_blocks: 1, squeeze: None };
static LSH_512: Chain =
    Chain { block: 256, words: 16, lazy: false, kernels: KERNELS_512, pad, output: output_wide, last_blocks: 1, squeeze: None };

kernels! {
    static KERNELS_256: Word32 of u32;
    x86_64 {
        avx512_narrow: avx512 x 16, from 2 = compress_narrow[U32x16];
        avx2_narrow: avx2 x 8, from 2 = compress_narrow[U32x8];
        sse2_narrow: sse2 x 4, from 2 = compress_narrow[U32x4];
    }
    portable {
        portable_narrow: x 1, from 1 = compress_narrow[u32];
    }
}
kernels! {
    static KERNELS_512: Word64 of u64;
    x86_64 {
        avx512_wide: avx512 x 8, from 2 = compress_wide[U64x8];
        avx2_wide: avx2 x 4, from 2 = compress_wide[U64x4];
    }
    portable {
        portable_wide: x 1, from 1 = compress_wide[u64];
    }
}

/// The differences between the two word sizes (tables 2, 3, 6 and 7).
struct Width {
    bits: u32,
    /// The constants of the first step.
    constants: [u64; 8],
    /// The rotations of words in even and in odd steps.
    left: [u32; 2],
    right: [u32; 2],
    /// The final rotation of each word of the right half.
    turns: [u32; 8],
}

const NARROW: Width = Width {
    bits: 32,
    constants: [0x917caf90, 0x6c1b10a2, 0x6f352943, 0xcf778243, 0x2ceb7472, 0x29e96ff2, 0x8a9ba428, 0x2eeb2642],
    left: [29, 5],
    right: [1, 17],
    turns: [0, 8, 16, 24, 24, 16, 8, 0],
};
#[rustfmt::skip]
const WIDE: Width = Width {
    bits: 64,
    constants: [
        0x97884283c938982a, 0xba1fca93533e2355, 0xc519a2e87aeb1c03, 0x9a0fc95462af17b1,
        0xfc3dda8ab019a82b, 0x02825d079a895407, 0x79f2d0a7ee06a6f7, 0xd76d15eed9fdf5fe,
    ],
    left: [23, 7],
    right: [59, 3],
    turns: [0, 16, 32, 48, 8, 24, 40, 56],
};

const STEPS_NARROW: usize = 26;
const STEPS_WIDE: usize = 28;
const CONSTANTS_WIDE: [[u64; 8]; STEPS_WIDE] = constants(&WIDE);
const CONSTANTS_NARROW: [[u32; 8]; STEPS_NARROW] = {
    let wide: [[u64; 8]; STEPS_NARROW] = constants(&NARROW);
    let mut narrow = [[0; 8]; STEPS_NARROW];
    let mut i = 0;
    while i < 8 * STEPS_NARROW {
        narrow[i / 8][i % 8] = wide[i / 8][i % 8] as u32;
        i += 1;
    }
    narrow
};

const FIRST_224: State = first(&NARROW, &constants::<STEPS_NARROW>(&NARROW), 224);
const FIRST_256: State = first(&NARROW, &constants::<STEPS_NARROW>(&NARROW), 256);
const FIRST_WIDE_224: State = first(&WIDE, &CONSTANTS_WIDE, 224);
const FIRST_WIDE_256: State = first(&WIDE, &CONSTANTS_WIDE, 256);
const FIRST_384: State = first(&WIDE, &CONSTANTS_WIDE, 384);
const FIRST_512: State = first(&WIDE, &CONSTANTS_WIDE, 512);

fn init_wide(params: &Params) -> State {
    match params.digest_len {
        28 => FIRST_WIDE_224,
        32 => FIRST_WIDE_256,
        48 => FIRST_384,
        _ => FIRST_512,
    }
}

impl Width {
    const fn sum(&self, a: u64, b: u64) -> u64 {
        a.wrapping_add(b) & (u64::MAX >> (64 - self.bits))
    }
    const fn turned(&self, word: u64, by: u32) -> u64 {
        if self.bits == 32 { (word as u32).rotate_left(by) as u64 } else { word.rotate_left(by) }
    }
}

/// Returns the constants of all steps: each follows from the previous one.
const fn constants<const STEPS: usize>(width: &Width) -> [[u64; 8]; STEPS] {
    let mut constants = [width.constants; STEPS];
    let mut i = 8;
    while i < 8 * STEPS {
        let before = constants[i / 8 - 1][i % 8];
        constants[i / 8][i % 8] = width.sum(before, width.turned(before, 8));
        i += 1;
    }
    constants
}

/// Returns the initial state: the bits of a word and of the digest, after all steps without a message.
const fn first(width: &Width, constants: &[[u64; 8]], digest_bits: u64) -> State {
    let mut state = [0; MAX_WORDS];
    (state[0], state[1]) = (width.bits as u64, digest_bits);
    let mut step = 0;
    while step < constants.len() {
        let before = state;
        let mut word = 0;
        while word < 16 {
            let i = PLACES[word] % 8;
            let sum = width.sum(before[i], before[i + 8]);
            let left = width.turned(sum, width.left[step % 2]) ^ constants[step][i];
            let right = width.turned(width.sum(before[i + 8], left), width.right[step % 2]);
            state[word] =
                if PLACES[word] < 8 { width.sum(left, right) } else { width.turned(right, width.turns[i]) };
            word += 1;
        }
        step += 1;
    }
    state
}

/// Appends a one bit and zeros; the length is not included.
fn pad(_: &mut State, tail: &mut Tail, buffered: usize, _: u64) -> usize {
    tail[buffered] = 0x80;
    1
}

/// Returns the exclusive or of the halves of the state.
fn joined(state: &State) -> State {
    let mut joined = [0; MAX_WORDS];
    joined.iter_mut().zip(state[..8].iter().zip(&state[8..16])).for_each(|(word, (a, b))| *word = a ^ b);
    joined
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

/// One step: adds a part of the message, mixes both halves, and permutes all words.
///
/// # Safety
/// The same as for [`Word::splat`].
#[inline(always)]
unsafe fn step<W: Word>(v: &mut [W; 16], part: &[W; 16], width: &Width, odd: usize, constants: &[W::Lane; 8]) {
    for i in 0..8 {
        let (mut left, mut right) = (v[i].xor(part[i]), v[i + 8].xor(part[i + 8]));
        // SAFETY: guaranteed by the caller.
        left = left.add(right).rotl(width.left[odd]).xor(unsafe { W::splat(constants[i]) });
        right = right.add(left).rotl(width.right[odd]);
        left = left.add(right);
        if width.turns[i] > 0 {
            right = right.rotl(width.turns[i]);
        }
        (v[i], v[i + 8]) = (left, right);
    }
    let before = *v;
    *v = array![16; i => before[PLACES[i]]];
}

/// All steps of a block, whose first and second half are `even` and `odd`.
///
/// # Safety
/// The same as for [`Word::splat`].
#[inline(always)]
unsafe fn steps<W: Word>(
    v: &mut [W; 16],
    [mut even, mut odd]: [[W; 16]; 2],
    width: &Width,
    constants: &[[W::Lane; 8]],
) {
    for pair in constants.as_chunks::<2>().0 {
        // SAFETY: guaranteed by the caller.
        unsafe {
            step(v, &even, width, 0, &pair[0]);
            step(v, &odd, width, 1, &pair[1]);
        }
        even = array![16; i => odd[i].add(even[EARLIER[i]])];
        odd = array![16; i => even[i].add(odd[EARLIER[i]])];
    }
    *v = array![16; i => v[i].xor(even[i])];
}

macro_rules! compress {
    ($name:ident, $word:ident, $lane:ty, $block:literal, $width:ident, $constants:ident, |$chunk:ident, $i:ident| $halves:expr) => {
        /// Processes all blocks in every lane.
        ///
        /// # Safety
        /// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
        #[inline(always)]
        unsafe fn $name<W: $word>(state: *mut $lane, messages: *const *const u8, blocks: usize) {
            // SAFETY: guaranteed by the caller: sixteen words of state, complete blocks, the CPU features.
            unsafe {
                let at = |word: usize| state.add(word * W::LANES);
                let mut v: [W; 16] = array![16; word => W::load(at(word))];
                for block in 0..blocks {
                    let $chunk = array![$block / 64; i => W::chunk(messages, block * $block + i * 64, Endian::Little)];
                    steps(&mut v, [array![16; $i => $halves[0]], array![16; $i => $halves[1]]], &$width, &$constants);
                }
                for (word, value) in v.into_iter().enumerate() {
                    value.store(at(word));
                }
            }
        }
    };
}
compress!(compress_narrow, Word32, u32, 128, NARROW, CONSTANTS_NARROW, |chunks, i| [chunks[0][i], chunks[1][i]]);
compress!(compress_wide, Word64, u64, 256, WIDE, CONSTANTS_WIDE, |chunks, i| [
    chunks[i / 8][i % 8],
    chunks[2 + i / 8][i % 8],
]);
