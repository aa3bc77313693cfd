//! Edon-R of one message in AVX-512: eight words fill a register, and the rows of the squares specify where its words
//! come from.

use super::{ROTATIONS_256, ROTATIONS_512};
use crate::word::array;
use std::arch::x86_64::*;

/// The five words that each sum consists of, for each operand and each word.
const SUMS: [[[u8; 5]; 8]; 2] = [
    [
        [0, 4, 1, 7, 2],
        [0, 4, 1, 7, 3],
        [0, 4, 1, 7, 6],
        [2, 3, 5, 6, 7],
        [2, 3, 5, 6, 1],
        [0, 4, 2, 3, 5],
        [1, 7, 5, 6, 0],
        [2, 3, 5, 6, 4],
    ],
    [
        [0, 1, 2, 5, 7],
        [0, 1, 3, 4, 6],
        [0, 1, 2, 5, 3],
        [3, 4, 6, 7, 2],
        [0, 1, 3, 4, 5],
        [2, 5, 6, 7, 4],
        [2, 5, 6, 7, 1],
        [3, 4, 6, 7, 0],
    ],
];

/// The three rotated sums that are combined.
const JOINED: [[[u8; 3]; 8]; 2] = [
    [[3, 5, 6], [2, 5, 6], [2, 3, 5], [0, 1, 4], [0, 4, 7], [1, 6, 7], [2, 3, 4], [0, 1, 7]],
    [[3, 4, 6], [2, 5, 7], [4, 6, 7], [0, 1, 5], [2, 6, 7], [0, 1, 3], [0, 3, 4], [1, 2, 5]],
];

/// Both in register form: five words of the sums, then the three that are combined, shifted by three words, and finally
/// the words in reverse.
static PLACES: [[u8; 8]; 17] = {
    let mut places = [[0; 8]; 17];
    let mut i = 0;
    while i < 128 {
        let (operand, n, word) = (i / 64, i / 8 % 8, i % 8);
        places[i / 8][word] = if n < 5 { SUMS[operand][word][n] } else { JOINED[operand][(word + 3) % 8][n - 5] };
        places[16][word] = 7 - word as u8;
        i += 1;
    }
    places
};

macro_rules! one {
    (
        $name:ident: $lane:ident, $block:literal, $rotations:ident;
        $load:ident $store:ident $wide:ident $add:ident $permute:ident $turn:ident $join:ident
    ) => {
        /// # Safety
        /// Processes the blocks of one message; see [`crate::block::row::Advance`].
        #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
        pub(super) unsafe fn $name(state: *mut $lane, messages: *const *const u8, blocks: usize) {
            const ROTATIONS: [[$lane; 8]; 2] = {
                let mut rotations = [[0; 8]; 2];
                let mut i = 0;
                while i < 16 {
                    rotations[i / 8][i % 8] = $rotations[i / 8][i % 8] as $lane;
                    i += 1;
                }
                rotations
            };
            // Two for the first word of one operand and one for that of the other: 1010.. and 0101..
            const ONE: $lane = $lane::MAX / 3;
            const ONES: [[$lane; 8]; 2] = [[2 * ONE, 0, 0, 0, 0, 0, 0, 0], [ONE, 0, 0, 0, 0, 0, 0, 0]];
            // SAFETY: guaranteed by the caller: sixteen words of state, complete blocks; tables are as long as what is
            // loaded.
            unsafe {
                let places = array![17; n => $wide(_mm_loadl_epi64(PLACES[n].as_ptr().cast()))];
                let by = array![2; n => $load(ROTATIONS[n].as_ptr().cast())];
                let ones = array![2; n => $load(ONES[n].as_ptr().cast())];
                macro_rules! half {
                    ($of:literal, $words:expr) => {{
                        let words = $words;
                        let term = array![5; n => $permute(places[8 * $of + n], words)];
                        let first = $add($add(term[0], term[1]), $add(term[2], term[3]));
                        let sums = $turn($add(first, $add(term[4], ones[$of])), by[$of]);
                        let term = array![3; n => $permute(places[8 * $of + 5 + n], sums)];
                        $join::<0x96>(term[0], term[1], term[2])
                    }};
                }
                macro_rules! operation {
                    ($x:expr, $y:expr) => {
                        $add(half!(0, $x), half!(1, $y))
                    };
                }
                let mut chain = [$load(state.cast()), $load(state.add(8).cast())];
                for number in 0..blocks {
                    let block = (*messages).add(number * $block);
                    let low = $load(block.cast());
                    let high = $load(block.add($block / 2).cast());
                    // `OPERATIONS`, with words that stay in registers.
                    let a = operation!($permute(places[16], high), low);
                    let b = operation!(a, high);
                    let a = operation!(chain[1], a);
                    let b = operation!(a, b);
                    let a = operation!(a, chain[0]);
                    let b = operation!(b, a);
                    chain[0] = operation!($permute(places[16], low), a);
                    chain[1] = operation!(chain[0], b);
                }
                $store(state.cast(), chain[0]);
                $store(state.add(8).cast(), chain[1]);
            }
        }
    };
}

one!(of_256: u32, 64, ROTATIONS_256; _mm256_loadu_si256 _mm256_storeu_si256 _mm256_cvtepu8_epi32 _mm256_add_epi32
    _mm256_permutexvar_epi32 _mm256_rolv_epi32 _mm256_ternarylogic_epi32);
one!(of_512: u64, 128, ROTATIONS_512; _mm512_loadu_si512 _mm512_storeu_si512 _mm512_cvtepu8_epi64 _mm512_add_epi64
    _mm512_permutexvar_epi64 _mm512_rolv_epi64 _mm512_ternarylogic_epi64);
