//! Folding with PCLMULQDQ, and with VPCLMULQDQ in vectors of two and of four times sixteen bytes.

use super::Folding;
use super::body::{Block, Vector};
use std::arch::x86_64::*;

impl Block for __m128i {
    #[inline(always)]
    unsafe fn load(from: *const u8, refin: bool) -> Self {
        // SAFETY: sixteen bytes may be read there, and the row has SSSE3: the trait's contract.
        unsafe {
            let block = _mm_loadu_si128(from.cast());
            if refin { block } else { _mm_shuffle_epi8(block, reversed()) }
        }
    }
    #[inline(always)]
    unsafe fn of(words: [u64; 2]) -> Self {
        // SAFETY: SSE2 is part of x86-64, as below.
        unsafe { _mm_set_epi64x(words[1] as i64, words[0] as i64) }
    }
    #[inline(always)]
    unsafe fn words(self) -> [u64; 2] {
        // SAFETY: SSE2.
        unsafe { [_mm_cvtsi128_si64(self) as u64, _mm_cvtsi128_si64(_mm_unpackhi_epi64(self, self)) as u64] }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: SSE2.
        unsafe { _mm_xor_si128(self, other) }
    }
    #[inline(always)]
    unsafe fn onto(self, by: Self, other: Self) -> Self {
        // SAFETY: the row has PCLMULQDQ: the trait's contract.
        unsafe {
            let (low, high) = (_mm_clmulepi64_si128::<0x00>(self, by), _mm_clmulepi64_si128::<0x11>(self, by));
            _mm_xor_si128(_mm_xor_si128(low, high), other)
        }
    }
    #[inline(always)]
    unsafe fn product(a: u64, b: u64) -> [u64; 2] {
        // SAFETY: as in `onto`.
        unsafe { _mm_clmulepi64_si128::<0x00>(Self::of([a, 0]), Self::of([b, 0])).words() }
    }
}

/// A vector of blocks: its register, the intrinsics of its operations, and how it is reduced to one block.
macro_rules! vector {
    ($reg:ty, $blocks:literal, $load:ident, $shuffle:ident, $broadcast:ident, $widen:ident, $multiply:ident, $xor:ident,
     $xor3:expr, $combined:expr) => {
        impl Vector for $reg {
            type Block = __m128i;
            const BLOCKS: usize = $blocks;
            #[inline(always)]
            unsafe fn load(from: *const u8, refin: bool) -> Self {
                // SAFETY: this many blocks are readable: the trait's contract. Its other half, that the row that
                // inlines this was compiled for and runs on CPUs with these instructions, justifies all the following
                // ones.
                unsafe {
                    let blocks = $load(from.cast());
                    if refin { blocks } else { $shuffle(blocks, Self::all(reversed())) }
                }
            }
            #[inline(always)]
            unsafe fn all(block: __m128i) -> Self {
                // SAFETY: the row has it.
                unsafe { $broadcast(block) }
            }
            #[inline(always)]
            unsafe fn first(block: __m128i) -> Self {
                // SAFETY: the row has it.
                unsafe { $widen(block) }
            }
            #[inline(always)]
            unsafe fn xor(self, other: Self) -> Self {
                // SAFETY: the row has it.
                unsafe { $xor(self, other) }
            }
            #[inline(always)]
            unsafe fn onto(self, by: Self, other: Self) -> Self {
                // SAFETY: the row has it.
                unsafe { $xor3($multiply::<0x00>(self, by), $multiply::<0x11>(self, by), other) }
            }
            #[inline(always)]
            unsafe fn combined(self, before: &[[u64; 2]; 5]) -> __m128i {
                // SAFETY: the row has it.
                unsafe { $combined(self, before) }
            }
        }
    };
}

vector!(
    __m256i,
    2,
    _mm256_loadu_si256,
    _mm256_shuffle_epi8,
    _mm256_broadcastsi128_si256,
    _mm256_zextsi128_si256,
    _mm256_clmulepi64_epi128,
    _mm256_xor_si256,
    |low, high, other| _mm256_xor_si256(_mm256_xor_si256(low, high), other),
    |blocks, before: &[[u64; 2]; 5]| {
        Block::onto(_mm256_castsi256_si128(blocks), Block::of(before[0]), _mm256_extracti128_si256::<1>(blocks))
    }
);
vector!(
    __m512i,
    4,
    _mm512_loadu_si512,
    _mm512_shuffle_epi8,
    _mm512_broadcast_i32x4,
    _mm512_zextsi128_si512,
    _mm512_clmulepi64_epi128,
    _mm512_xor_si512,
    |low, high, other| _mm512_ternarylogic_epi64::<0x96>(low, high, other),
    |blocks, before: &[[u64; 2]; 5]| {
        let (front, back) = (_mm512_castsi512_si256(blocks), _mm512_extracti64x4_epi64::<1>(blocks));
        Vector::combined(Vector::onto(front, __m256i::all(Block::of(before[1])), back), before)
    }
);

/// Returns the byte order for CRCs whose highest bit is processed first.
#[inline(always)]
unsafe fn reversed() -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) }
}

/// # Safety
/// The CPU has PCLMULQDQ and SSSE3.
#[target_feature(enable = "pclmulqdq,ssse3")]
pub(super) unsafe fn clmul(folding: &'static Folding, register: u64, data: &[u8]) -> u64 {
    // SAFETY: guaranteed by the caller.
    unsafe { folding.folded::<__m128i, 8>(register, data) }
}

/// # Safety
/// The CPU has PCLMULQDQ and AVX2.
#[target_feature(enable = "pclmulqdq,avx2")]
pub(super) unsafe fn clmul_avx2(folding: &'static Folding, register: u64, data: &[u8]) -> u64 {
    // SAFETY: guaranteed by the caller.
    unsafe { folding.folded::<__m128i, 8>(register, data) }
}

/// # Safety
/// The CPU has VPCLMULQDQ and AVX2.
#[target_feature(enable = "pclmulqdq,vpclmulqdq,avx2")]
pub(super) unsafe fn avx2(folding: &'static Folding, register: u64, data: &[u8]) -> u64 {
    // SAFETY: guaranteed by the caller.
    unsafe { folding.folded::<__m256i, 8>(register, data) }
}

/// # Safety
/// The CPU has VPCLMULQDQ and AVX-512 (F, BW and VL).
#[target_feature(enable = "pclmulqdq,vpclmulqdq,avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn avx512(folding: &'static Folding, register: u64, data: &[u8]) -> u64 {
    // SAFETY: guaranteed by the caller.
    unsafe { folding.folded::<__m512i, 4>(register, data) }
}
