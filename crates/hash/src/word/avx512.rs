//! AVX-512: a list of one-line operations, and how words are loaded from messages.
#![allow(unsafe_code)]

use super::operations::{Endian, HalfChunk, Word, Word32, Word64};
use super::register::word;
use super::unroll::array;
use super::x86::{SWAP32, SWAP64, shift};
use std::arch::x86_64::*;

word!(
    U32x16,
    "Sixteen 32-bit lanes, AVX-512F.",
    __m512i,
    u32,
    16,
    |v| _mm512_set1_epi32(v as i32),
    _mm512_loadu_si512,
    _mm512_storeu_si512,
    _mm512_add_epi32,
    _mm512_sub_epi32,
    _mm512_xor_si512,
    _mm512_and_si512,
    _mm512_or_si512,
    _mm512_andnot_si512,
    |x, n| _mm512_rolv_epi32(x, _mm512_set1_epi32(n as i32)),
    shift!(_mm512_srl_epi32)
);
word!(
    U64x8,
    "Eight 64-bit lanes, AVX-512F.",
    __m512i,
    u64,
    8,
    |v| _mm512_set1_epi64(v as i64),
    _mm512_loadu_si512,
    _mm512_storeu_si512,
    _mm512_add_epi64,
    _mm512_sub_epi64,
    _mm512_xor_si512,
    _mm512_and_si512,
    _mm512_or_si512,
    _mm512_andnot_si512,
    |x, n| _mm512_rolv_epi64(x, _mm512_set1_epi64(n as i64)),
    shift!(_mm512_srl_epi64)
);

/// Reverses the bytes inside each lane, in all 64-byte registers.
#[inline(always)]
unsafe fn swap512<const N: usize>(rows: [__m512i; N], pattern: &[u8; 16]) -> [__m512i; N] {
    // SAFETY: only AVX-512BW rows call this.
    unsafe {
        let pattern = _mm512_broadcast_i32x4(_mm_loadu_si128(pattern.as_ptr().cast()));
        array![N; i => _mm512_shuffle_epi8(rows[i], pattern)]
    }
}

/// Returns the words of sixteen rows, in the order of rows.
#[inline(always)]
unsafe fn transposed(mut r: [__m512i; 16], order: Endian) -> [__m512i; 16] {
    // SAFETY: only AVX-512BW rows call this.
    unsafe {
        if order == Endian::Big {
            r = swap512(r, &SWAP32);
        }
        let t: [__m512i; 16] = array![16; i => {
            let (a, b) = (r[i / 2 * 2], r[i / 2 * 2 + 1]);
            if i % 2 == 0 { _mm512_unpacklo_epi32(a, b) } else { _mm512_unpackhi_epi32(a, b) }
        }];
        // Now u[4 * q + i] holds word i of each quarter, for the four messages of group q.
        let u: [__m512i; 16] = array![16; i => {
            let (a, b) = (t[i / 4 * 4 + (i / 2) % 2], t[i / 4 * 4 + (i / 2) % 2 + 2]);
            if i % 2 == 0 { _mm512_unpacklo_epi64(a, b) } else { _mm512_unpackhi_epi64(a, b) }
        }];
        let mut words = [_mm512_setzero_si512(); 16];
        for i in 0..4 {
            let (a, b) = (u[i], u[i + 4]);
            let (c, d) = (u[i + 8], u[i + 12]);
            let (ab_even, ab_odd) = (_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0xdd>(a, b));
            let (cd_even, cd_odd) = (_mm512_shuffle_i32x4::<0x88>(c, d), _mm512_shuffle_i32x4::<0xdd>(c, d));
            words[i] = _mm512_shuffle_i32x4::<0x88>(ab_even, cd_even);
            words[i + 8] = _mm512_shuffle_i32x4::<0xdd>(ab_even, cd_even);
            words[i + 4] = _mm512_shuffle_i32x4::<0x88>(ab_odd, cd_odd);
            words[i + 12] = _mm512_shuffle_i32x4::<0xdd>(ab_odd, cd_odd);
        }
        words
    }
}

impl Word32 for U32x16 {
    #[inline(always)]
    unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 16] {
        // SAFETY: pointers are valid for `offset + 64` bytes by the contract of `chunk`, loads are unaligned ones, and
        // the features are those of the row that inlines it.
        unsafe {
            let r: [__m512i; 16] =
                array![16; lane => _mm512_loadu_si512((*messages.add(lane)).add(offset).cast())];
            let words = transposed(r, order);
            array![16; i => U32x16(words[i])]
        }
    }
}

impl HalfChunk for U32x16 {
    #[inline(always)]
    unsafe fn half_chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 8] {
        // SAFETY: as above, of 32 bytes.
        unsafe {
            let r: [__m512i; 16] = array![16; lane => {
                _mm512_zextsi256_si512(_mm256_loadu_si256((*messages.add(lane)).add(offset).cast()))
            }];
            let words = transposed(r, order);
            array![8; i => U32x16(words[i])]
        }
    }
}

impl Word64 for U64x8 {
    #[inline(always)]
    unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 8] {
        // SAFETY: as above.
        unsafe {
            let mut r: [__m512i; 8] =
                array![8; lane => _mm512_loadu_si512((*messages.add(lane)).add(offset).cast())];
            if order == Endian::Big {
                r = swap512(r, &SWAP64);
            }
            // u[2 * p + i] holds words i, i + 2, i + 4, i + 6 of the messages 2p and 2p + 1.
            let u: [__m512i; 8] = array![8; i => {
                let (a, b) = (r[i / 2 * 2], r[i / 2 * 2 + 1]);
                if i % 2 == 0 { _mm512_unpacklo_epi64(a, b) } else { _mm512_unpackhi_epi64(a, b) }
            }];
            let mut words = [_mm512_setzero_si512(); 8];
            for i in 0..2 {
                let (a, b, c, d) = (u[i], u[i + 2], u[i + 4], u[i + 6]);
                let (ab_even, ab_odd) =
                    (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0xdd>(a, b));
                let (cd_even, cd_odd) =
                    (_mm512_shuffle_i64x2::<0x88>(c, d), _mm512_shuffle_i64x2::<0xdd>(c, d));
                words[i] = _mm512_shuffle_i64x2::<0x88>(ab_even, cd_even);
                words[i + 4] = _mm512_shuffle_i64x2::<0xdd>(ab_even, cd_even);
                words[i + 2] = _mm512_shuffle_i64x2::<0x88>(ab_odd, cd_odd);
                words[i + 6] = _mm512_shuffle_i64x2::<0xdd>(ab_odd, cd_odd);
            }
            array![8; i => U64x8(words[i])]
        }
    }
}
