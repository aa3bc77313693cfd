//! AVX2: a list of one-line operations, and how words are loaded from messages.
#![allow(unsafe_code)]

use super::operations::{Endian, HalfChunk, Word, Word32, Word64};
use super::register::word;
use super::unroll::array;
use super::x86::{SWAP32, SWAP64, rotate, shift};
use std::arch::x86_64::*;

word!(
    U32x8,
    "Eight 32-bit lanes, AVX2.",
    __m256i,
    u32,
    8,
    |v| _mm256_set1_epi32(v as i32),
    _mm256_loadu_si256,
    _mm256_storeu_si256,
    _mm256_add_epi32,
    _mm256_sub_epi32,
    _mm256_xor_si256,
    _mm256_and_si256,
    _mm256_or_si256,
    _mm256_andnot_si256,
    rotate!(__m256i, 32, _mm256_sll_epi32, _mm256_srl_epi32, _mm256_or_si256),
    shift!(_mm256_srl_epi32)
);
word!(
    U64x4,
    "Four 64-bit lanes, AVX2.",
    __m256i,
    u64,
    4,
    |v| _mm256_set1_epi64x(v as i64),
    _mm256_loadu_si256,
    _mm256_storeu_si256,
    _mm256_add_epi64,
    _mm256_sub_epi64,
    _mm256_xor_si256,
    _mm256_and_si256,
    _mm256_or_si256,
    _mm256_andnot_si256,
    rotate!(__m256i, 64, _mm256_sll_epi64, _mm256_srl_epi64, _mm256_or_si256),
    shift!(_mm256_srl_epi64)
);

/// Reverses the bytes inside each lane, in all 32-byte registers.
#[inline(always)]
unsafe fn swap256<const N: usize>(rows: [__m256i; N], pattern: &[u8; 16]) -> [__m256i; N] {
    // SAFETY: only AVX2 rows call this.
    unsafe {
        let pattern = _mm256_broadcastsi128_si256(_mm_loadu_si128(pattern.as_ptr().cast()));
        array![N; i => _mm256_shuffle_epi8(rows[i], pattern)]
    }
}

impl Word32 for U32x8 {
    #[inline(always)]
    unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 16] {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let low = Self::half_chunk(messages, offset, order);
            let high = Self::half_chunk(messages, offset + 32, order);
            array![16; i => if i < 8 { low[i] } else { high[i - 8] }]
        }
    }
}

impl HalfChunk for U32x8 {
    #[inline(always)]
    unsafe fn half_chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 8] {
        // SAFETY: pointers are valid for `offset + 32` bytes by the contract of `half_chunk`, loads are unaligned ones,
        // and the features are those of the row that inlines it.
        unsafe {
            let mut r: [__m256i; 8] =
                array![8; lane => _mm256_loadu_si256((*messages.add(lane)).add(offset).cast())];
            if order == Endian::Big {
                r = swap256(r, &SWAP32);
            }
            // Pairs of rows are interleaved by words, pairs of pairs by double words, then halves are exchanged.
            let t: [__m256i; 8] = array![8; i => {
                let (a, b) = (r[i / 2 * 2], r[i / 2 * 2 + 1]);
                if i % 2 == 0 { _mm256_unpacklo_epi32(a, b) } else { _mm256_unpackhi_epi32(a, b) }
            }];
            let u: [__m256i; 8] = array![8; i => {
                let (a, b) = (t[i / 4 * 4 + (i / 2) % 2], t[i / 4 * 4 + (i / 2) % 2 + 2]);
                if i % 2 == 0 { _mm256_unpacklo_epi64(a, b) } else { _mm256_unpackhi_epi64(a, b) }
            }];
            array![8; i => U32x8(if i < 4 {
                _mm256_permute2x128_si256::<0x20>(u[i], u[i + 4])
            } else {
                _mm256_permute2x128_si256::<0x31>(u[i - 4], u[i])
            })]
        }
    }
}

impl Word64 for U64x4 {
    #[inline(always)]
    unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 8] {
        // SAFETY: as above.
        unsafe {
            let mut words = [_mm256_setzero_si256(); 8];
            for half in 0..2 {
                let mut r: [__m256i; 4] = array![4; lane => {
                    _mm256_loadu_si256((*messages.add(lane)).add(offset + 32 * half).cast())
                }];
                if order == Endian::Big {
                    r = swap256(r, &SWAP64);
                }
                let (a, b) = (_mm256_unpacklo_epi64(r[0], r[1]), _mm256_unpackhi_epi64(r[0], r[1]));
                let (c, d) = (_mm256_unpacklo_epi64(r[2], r[3]), _mm256_unpackhi_epi64(r[2], r[3]));
                words[4 * half] = _mm256_permute2x128_si256::<0x20>(a, c);
                words[4 * half + 1] = _mm256_permute2x128_si256::<0x20>(b, d);
                words[4 * half + 2] = _mm256_permute2x128_si256::<0x31>(a, c);
                words[4 * half + 3] = _mm256_permute2x128_si256::<0x31>(b, d);
            }
            array![8; i => U64x4(words[i])]
        }
    }
}
