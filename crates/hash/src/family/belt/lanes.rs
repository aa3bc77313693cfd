//! BelT's substitution of all bytes of a register.

use super::{H, Substitute};
use crate::word::{U32x8, U32x16, Word, array};
use std::arch::x86_64::*;

impl Substitute for U32x16 {
    /// Two shuffles contain half of the table each.
    #[inline(always)]
    unsafe fn g<const BITS: u32>(self) -> Self {
        // SAFETY: guaranteed by the caller; the table is as long as what is loaded.
        unsafe {
            let table: [__m512i; 4] = array![4; i => _mm512_loadu_si512(H.as_ptr().add(64 * i).cast())];
            let low = _mm512_permutex2var_epi8(table[0], self.0, table[1]);
            let high = _mm512_permutex2var_epi8(table[2], self.0, table[3]);
            U32x16(_mm512_mask_blend_epi8(_mm512_movepi8_mask(self.0), low, high)).rotl(BITS)
        }
    }
}

impl Substitute for U32x8 {
    /// Sixteen shuffles contain a row of the table each, and the bits of a byte's upper half select between neighbours.
    #[inline(always)]
    unsafe fn g<const BITS: u32>(self) -> Self {
        // SAFETY: guaranteed by the caller; the table is as long as what is loaded.
        unsafe {
            let column = _mm256_and_si256(self.0, _mm256_set1_epi8(15));
            let row: [__m256i; 16] = array![16; i => {
                let table = _mm_loadu_si128(H.as_ptr().add(16 * i).cast());
                _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), column)
            }];
            // Each shift moves the next bit to the top of its byte, which is the bit that the blend uses.
            let bit = _mm256_slli_epi32::<3>(self.0);
            let two: [__m256i; 8] = array![8; i => _mm256_blendv_epi8(row[2 * i], row[2 * i + 1], bit)];
            let bit = _mm256_slli_epi32::<2>(self.0);
            let four: [__m256i; 4] = array![4; i => _mm256_blendv_epi8(two[2 * i], two[2 * i + 1], bit)];
            let bit = _mm256_slli_epi32::<1>(self.0);
            let eight: [__m256i; 2] = array![2; i => _mm256_blendv_epi8(four[2 * i], four[2 * i + 1], bit)];
            U32x8(_mm256_blendv_epi8(eight[0], eight[1], self.0)).rotl(BITS)
        }
    }
}
