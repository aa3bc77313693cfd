//! SSE2: a list of one-line operations, and how words are gathered from messages.
#![allow(unsafe_code)]

use super::operations::{Endian, Word, Word32, Word64};
use super::unroll::array;
use super::x86::{rotate, word};
use std::arch::x86_64::*;

word!(
    U32x4,
    "Four 32-bit lanes, SSE2.",
    __m128i,
    u32,
    4,
    |v| _mm_set1_epi32(v as i32),
    _mm_loadu_si128,
    _mm_storeu_si128,
    _mm_add_epi32,
    _mm_sub_epi32,
    _mm_xor_si128,
    _mm_and_si128,
    _mm_or_si128,
    _mm_andnot_si128,
    rotate!(__m128i, 32, _mm_sll_epi32, _mm_srl_epi32, _mm_or_si128),
    _mm_srl_epi32
);
word!(
    U64x2,
    "Two 64-bit lanes, SSE2.",
    __m128i,
    u64,
    2,
    |v| _mm_set1_epi64x(v as i64),
    _mm_loadu_si128,
    _mm_storeu_si128,
    _mm_add_epi64,
    _mm_sub_epi64,
    _mm_xor_si128,
    _mm_and_si128,
    _mm_or_si128,
    _mm_andnot_si128,
    rotate!(__m128i, 64, _mm_sll_epi64, _mm_srl_epi64, _mm_or_si128),
    _mm_srl_epi64
);

/// SSE2 has no byte shuffle: swaps the bytes of each half-word, then the half-words.
#[inline(always)]
unsafe fn swap32_sse2(x: __m128i) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let halves = _mm_or_si128(_mm_slli_epi16::<8>(x), _mm_srli_epi16::<8>(x));
        _mm_shufflehi_epi16::<0b10_11_00_01>(_mm_shufflelo_epi16::<0b10_11_00_01>(halves))
    }
}

/// As [`swap32_sse2`], for 64-bit lanes.
#[inline(always)]
unsafe fn swap64_sse2(x: __m128i) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let halves = _mm_or_si128(_mm_slli_epi16::<8>(x), _mm_srli_epi16::<8>(x));
        _mm_shufflehi_epi16::<0b00_01_10_11>(_mm_shufflelo_epi16::<0b00_01_10_11>(halves))
    }
}

impl Word32 for U32x4 {
    #[inline(always)]
    unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 16] {
        // SAFETY: pointers are valid for `offset + 64` bytes by the contract of `chunk`, loads are unaligned ones, and
        // the features are those of the row that inlines it.
        unsafe {
            let mut words = [_mm_setzero_si128(); 16];
            for quarter in 0..4 {
                let mut r: [__m128i; 4] = array![4; lane => {
                    _mm_loadu_si128((*messages.add(lane)).add(offset + 16 * quarter).cast())
                }];
                if order == Endian::Big {
                    r = array![4; i => swap32_sse2(r[i])];
                }
                let (a, b) = (_mm_unpacklo_epi32(r[0], r[1]), _mm_unpackhi_epi32(r[0], r[1]));
                let (c, d) = (_mm_unpacklo_epi32(r[2], r[3]), _mm_unpackhi_epi32(r[2], r[3]));
                words[4 * quarter] = _mm_unpacklo_epi64(a, c);
                words[4 * quarter + 1] = _mm_unpackhi_epi64(a, c);
                words[4 * quarter + 2] = _mm_unpacklo_epi64(b, d);
                words[4 * quarter + 3] = _mm_unpackhi_epi64(b, d);
            }
            array![16; i => U32x4(words[i])]
        }
    }
}

impl Word64 for U64x2 {
    #[inline(always)]
    unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 8] {
        // SAFETY: only rows for CPUs with these instructions have such a word; the caller vouches for the bytes.
        // SAFETY: as above.
        unsafe {
            let mut words = [_mm_setzero_si128(); 8];
            for pair in 0..4 {
                let mut r: [__m128i; 2] = array![2; lane => {
                    _mm_loadu_si128((*messages.add(lane)).add(offset + 16 * pair).cast())
                }];
                if order == Endian::Big {
                    r = array![2; i => swap64_sse2(r[i])];
                }
                words[2 * pair] = _mm_unpacklo_epi64(r[0], r[1]);
                words[2 * pair + 1] = _mm_unpackhi_epi64(r[0], r[1]);
            }
            array![8; i => U64x2(words[i])]
        }
    }
}
