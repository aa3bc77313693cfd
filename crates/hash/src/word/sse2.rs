//! SSE2: a list of one-line operations, and how words are loaded from messages.
#![allow(unsafe_code)]

use super::operations::{Endian, Word, Word32, Word64};
use super::register::{sixteen, word};
use super::unroll::array;
use super::x86::{rotate, shift};
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
    shift!(_mm_srl_epi32)
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
    shift!(_mm_srl_epi64)
);

/// SSE2 has no byte shuffle: exchanges the bytes of each half-word, then the half-words.
#[inline(always)]
unsafe fn swap32_sse2(x: __m128i) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let halves = _mm_or_si128(_mm_slli_epi16::<8>(x), _mm_srli_epi16::<8>(x));
        _mm_shufflehi_epi16::<0b10_11_00_01>(_mm_shufflelo_epi16::<0b10_11_00_01>(halves))
    }
}

/// The same as for [`swap32_sse2`], with 64-bit lanes.
#[inline(always)]
unsafe fn swap64_sse2(x: __m128i) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let halves = _mm_or_si128(_mm_slli_epi16::<8>(x), _mm_srli_epi16::<8>(x));
        _mm_shufflehi_epi16::<0b00_01_10_11>(_mm_shufflelo_epi16::<0b00_01_10_11>(halves))
    }
}

sixteen!(U32x4 U64x2: __m128i, _mm_loadu_si128,
    swap32_sse2 _mm_unpacklo_epi32 _mm_unpackhi_epi32, swap64_sse2 _mm_unpacklo_epi64 _mm_unpackhi_epi64);
