//! Skein 1.3 (Ferguson, Lucks, Schneier, Whiting, Bellare, Kohno, Callas & Walker, 2010) with states of 256, 512 and
//! 1024 bits.
//!
//! The block cipher Threefish encrypts each block with the chaining value as its key. Words are only added, rotated and
//! combined by exclusive or, so SIMD lanes are efficient. The tweak is part of the state: the offset at which a block
//! ends, and its type.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Lengths, Params, Status};
use crate::block::{Chain, Kernel, State, Tail, kernels, output_le64};
use crate::word::{Endian, Word64, array, unroll};
#[cfg(target_arch = "x86_64")]
use crate::word::{U64x4, U64x8};

const FINALIST: &str =
    "SHA-3 finalist; free-start partial collisions for 32 of Skein-256's 72 rounds (Yu, Chen & Wang 2013)";

/// The maximum digest length in bytes: the largest state.
const LONGEST: usize = 128;

macro_rules! row {
    ($name:literal $tag:literal $alias:literal, $bits:literal $len:literal $words:literal $chain:ident, $check:literal) => {
        Algorithm {
            name: $name,
            tag: $tag,
            aliases: &[$alias],
            digest_len: $len,
            lengths: Lengths::UpTo(LONGEST),
            status: Status::Secure(FINALIST),
            summary: concat!("Skein with a state of ", $bits, " bits"),
            check: $check,
            tree_id: Some($name),
            kind: Kind::Blocks { chain: &$chain, init: init::<$words> },
            ..Algorithm::PLAIN
        }
    };
}

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    row!("skein256" "SKEIN256" "skein-256", 256 32 4 SKEIN_256, "24f7b0e486621319c63f106b61d4a2728aee042034817273c404e9ed0dd20105"),
    row!("skein512" "SKEIN512" "skein-512", 512 64 8 SKEIN_512, "3e6859999bae52c0c90cb61865c1e625b3313de272b57cbc22425b23053c1db62e95922afe060694eeeb2a6219d18b2dc47784583a7030d7a1d27736560f70d4"),
    row!("skein1024" "SKEIN1024" "skein-1024", 1024 128 16 SKEIN_1024, "21bad19f625c4cd01ee1392c3cb41d95e7fad4701e49ec67e7ff776cac689dd9b76ade8cdce2479b97d85f7e45ac03a1377349efce6d68e979d424c91d31ba26bd61ed5b9ce42ea196d16121878d5492219d8b197c2101757e07460cdf2296f8f4a4b78ff0144d69b1732ac9b9a68c657f1a0d3ae9742c3ff18bfc3f6ae7aac8"),
];

static SKEIN_256: Chain = chain::<4>(KERNELS_256);
static SKEIN_512: Chain = chain::<8>(KERNELS_512);
static SKEIN_1024: Chain = chain::<16>(KERNELS_1024);

const fn chain<const N: usize>(kernels: &'static [Kernel]) -> Chain {
    Chain {
        block: N * 8,
        words: N + 3,
        lazy: true,
        kernels,
        pad: pad::<N>,
        output: output::<N>,
        last_blocks: 1,
        squeeze: None,
    }
}

kernels! {
    static KERNELS_256: Word64 of u64;
    x86_64 {
        avx512_256: avx512 x 8, from 2 = compress[U64x8, 4];
        avx2_256: avx2 x 4, from 2 = compress[U64x4, 4];
    }
    portable {
        portable_256: x 1, from 1 = compress[u64, 4];
    }
}
kernels! {
    static KERNELS_512: Word64 of u64;
    x86_64 {
        avx512_512: avx512 x 8, from 2 = compress[U64x8, 8];
        avx2_512: avx2 x 4, from 2 = compress[U64x4, 8];
    }
    portable {
        portable_512: x 1, from 1 = compress[u64, 8];
    }
}
kernels! {
    static KERNELS_1024: Word64 of u64;
    x86_64 {
        avx512_1024: avx512 x 8, from 2 = compress[U64x8, 16];
        avx2_1024: avx2 x 4, from 2 = compress[U64x4, 16];
    }
    portable {
        portable_1024: x 1, from 1 = compress[u64, 16];
    }
}

/// The flags of a tweak (section 3.5.1): the first block, the last block, and the type (parameters, message or output).
const FIRST: u64 = 1 << 62;
const LAST: u64 = 1 << 63;
const PARAMETERS: u64 = 4 << 56;
const MESSAGE: u64 = 48 << 56;
const OUTPUT: u64 = 63 << 56;

/// The chaining value after the configuration block (section 3.5.2): version 1, and the digest length.
fn init<const N: usize>(params: &Params) -> State {
    let mut state = crate::block::state(&[]);
    let mut block = [0; 128];
    block[..6].copy_from_slice(b"SHA3\x01\x00");
    block[8..16].copy_from_slice(&(params.digest_len as u64 * 8).to_le_bytes());
    state[N + 1] = FIRST | LAST | PARAMETERS;
    state[N + 2] = 32;
    // SAFETY: `u64` needs no CPU features; one block of `N` words, and a state of `N + 3` words.
    unsafe { compress::<u64, N>(state.as_mut_ptr(), &block.as_ptr(), 1) };
    state[N] = 0;
    state[N + 1] = FIRST | MESSAGE;
    state[N + 2] = N as u64 * 8;
    state
}

/// Appends zeros to the last block, and the block that computes the output, which contains the number zero.
fn pad<const N: usize>(state: &mut State, tail: &mut Tail, buffered: usize, _: u64) -> usize {
    // They have different tweaks, so the first is processed here.
    state[N + 1] |= LAST;
    state[N + 2] = buffered as u64;
    let block = *tail;
    // SAFETY: as in `init`.
    unsafe { compress::<u64, N>(state.as_mut_ptr(), &block.as_ptr(), 1) };
    tail.fill(0);
    // A digest is never longer than the largest state, which is returned at once.
    if N * 8 < LONGEST {
        state.copy_within(..N, N + 3);
    }
    begin_output::<N>(state);
    1
}

/// Sets the tweak of a block that computes output.
fn begin_output<const N: usize>(state: &mut State) {
    state[N] = 0;
    state[N + 1] = FIRST | LAST | OUTPUT;
    state[N + 2] = 8;
}

/// Writes the first words of the state; if the digest is longer, further blocks are computed from the chaining value
/// that [`pad`] stored after the state, and the number of the block (section 3.5.3).
fn output<const N: usize>(state: &State, digest: &mut [u8]) {
    for (number, part) in digest.chunks_mut(N * 8).enumerate() {
        let mut state = *state;
        if number > 0 {
            state.copy_within(N + 3..2 * N + 3, 0);
            begin_output::<N>(&mut state);
            let mut block = [0; 128];
            block[..8].copy_from_slice(&(number as u64).to_le_bytes());
            // SAFETY: as in `init`.
            unsafe { compress::<u64, N>(state.as_mut_ptr(), &block.as_ptr(), 1) };
        }
        output_le64(&state, part);
    }
}

/// The rotations of the rounds, by pairs of words (table 4).
const TURNS_4: [[u32; 2]; 8] = [[14, 16], [52, 57], [23, 40], [5, 37], [25, 33], [46, 12], [58, 22], [32, 32]];
const TURNS_8: [[u32; 4]; 8] = [
    [46, 36, 19, 37],
    [33, 27, 14, 42],
    [17, 49, 36, 39],
    [44, 9, 54, 56],
    [39, 30, 34, 24],
    [13, 50, 10, 17],
    [25, 29, 39, 43],
    [8, 35, 56, 22],
];
const TURNS_16: [[u32; 8]; 8] = [
    [24, 13, 8, 47, 8, 17, 22, 37],
    [38, 19, 10, 55, 49, 18, 23, 52],
    [33, 4, 51, 13, 34, 41, 59, 17],
    [5, 20, 48, 41, 47, 28, 16, 25],
    [41, 9, 37, 31, 12, 47, 44, 30],
    [16, 34, 56, 51, 4, 53, 42, 41],
    [31, 44, 47, 46, 19, 42, 44, 25],
    [9, 48, 35, 52, 23, 31, 37, 20],
];
/// The source of each word after a round (table 3).
const PLACES_4: [usize; 4] = [0, 3, 2, 1];
const PLACES_8: [usize; 8] = [2, 1, 4, 7, 6, 5, 0, 3];
const PLACES_16: [usize; 16] = [0, 9, 2, 13, 6, 11, 4, 15, 10, 7, 12, 3, 14, 5, 8, 1];

/// Processes blocks with Threefish in every lane.
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn compress<W: Word64, const N: usize>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: `N` words of state and three, complete blocks of `N` words, the CPU features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let (mut position, mut flags, step) = (W::load(at(N)), W::load(at(N + 1)), W::load(at(N + 2)));
        for block in 0..blocks {
            position = position.add(step);
            // The key and the tweak each end with a word that makes the exclusive or of all words a constant. The key
            // is stored twice, so that subkeys can begin at any word.
            let mut key = [W::splat(0x1bd1_1bda_a9fc_1a22); 35];
            for word in 0..N {
                key[word] = W::load(at(word));
                key[N] = key[N].xor(key[word]);
            }
            for word in 0..=N {
                key[N + 1 + word] = key[word];
            }
            let tweak = [position, flags, position.xor(flags), position, flags];
            let m = message::<W, N>(messages, block);
            let mut v = m;
            let subkeys = if N == 16 { 20 } else { 18 };
            // The positions of the first word of a subkey, and of its part of the tweak.
            let (mut first, mut third) = (0, 0);
            macro_rules! add_subkey {
                ($number:expr) => {
                    for word in 0..N {
                        v[word] = v[word].add(key[first + word]);
                    }
                    v[N - 3] = v[N - 3].add(tweak[third]);
                    v[N - 2] = v[N - 2].add(tweak[third + 1]);
                    v[N - 1] = v[N - 1].plus($number as u64);
                    first = if first == N { 0 } else { first + 1 };
                    third = if third == 2 { 0 } else { third + 1 };
                };
            }
            macro_rules! four_rounds {
                ($from:literal) => { unroll!(round in 4, from $from => {
                    for pair in 0..N / 2 {
                        let turn = match N {
                            4 => TURNS_4[round][pair % 2],
                            8 => TURNS_8[round][pair % 4],
                            _ => TURNS_16[round][pair % 8],
                        };
                        v[2 * pair] = v[2 * pair].add(v[2 * pair + 1]);
                        v[2 * pair + 1] = v[2 * pair + 1].rotl(turn).xor(v[2 * pair]);
                    }
                    let before = v;
                    for word in 0..N {
                        let place = match N {
                            4 => PLACES_4[word % 4],
                            8 => PLACES_8[word % 8],
                            _ => PLACES_16[word],
                        };
                        v[word] = before[place];
                    }
                }) };
            }
            let mut number = 0;
            while number < subkeys {
                add_subkey!(number);
                four_rounds!(0);
                add_subkey!(number + 1);
                four_rounds!(4);
                number += 2;
            }
            add_subkey!(subkeys);
            let _ = (first, third);
            for word in 0..N {
                v[word].xor(m[word]).store(at(word));
            }
            // Only the first block has the flag for the first block.
            flags = flags.and(W::splat(!FIRST));
        }
        position.store(at(N));
        flags.store(at(N + 1));
    }
}

/// Loads the words of a block into the first positions.
///
/// # Safety
/// The same as for [`compress`].
#[inline(always)]
unsafe fn message<W: Word64, const N: usize>(messages: *const *const u8, block: usize) -> [W; 16] {
    // SAFETY: guaranteed by the caller; a block of four words is read as the half of what begins or ends with it.
    unsafe {
        match N {
            4 => {
                let mut bytes = [[0u8; 64]; 8];
                let mut pointers = [bytes[0].as_ptr(); 8];
                for lane in 0..W::LANES {
                    let from = (*messages.add(lane)).add(block * 32).cast::<[u8; 32]>();
                    bytes[lane][..32].copy_from_slice(&*from);
                    pointers[lane] = bytes[lane].as_ptr();
                }
                let half = W::chunk(pointers.as_ptr(), 0, Endian::Little);
                array![16; i => half[i % 8]]
            }
            8 => {
                let whole = W::chunk(messages, block * 64, Endian::Little);
                array![16; i => whole[i % 8]]
            }
            _ => {
                let low = W::chunk(messages, block * 128, Endian::Little);
                let high = W::chunk(messages, block * 128 + 64, Endian::Little);
                array![16; i => if i < 8 { low[i] } else { high[i - 8] }]
            }
        }
    }
}
