//! Whirlpool of eight messages in AVX-512 registers with GFNI, by columns: a register contains a column of each
//! message, so that the rows of all messages are mixed by adding registers.

use super::gfni::{Aligned, XOR3, matrix, sbox};
use super::row;
use crate::word::{Endian, U64x8, Word64, array};
use std::arch::x86_64::*;

/// The sources of the bytes of a column that is shifted down by its number.
static SHIFTED: Aligned<[[u8; 64]; 8]> = {
    let mut places = [[0; 64]; 8];
    let mut n = 0;
    while n < 512 {
        let (column, byte) = (n / 64, n % 64);
        places[column][byte] = (byte % 16 / 8 * 8 + (byte + 8 - column) % 8) as u8;
        n += 1;
    }
    Aligned(places)
};

/// Transposes registers of rows to registers of columns for each message, and back.
macro_rules! transposed {
    ($rows:expr) => {{
        let r = $rows;
        // Pairs of rows of the first and of the second message of each lane, then fours, then eights.
        let pair: [__m512i; 8] = array![8; i => {
            let (a, b) = (r[i % 4 * 2], r[i % 4 * 2 + 1]);
            if i < 4 { _mm512_unpacklo_epi8(a, b) } else { _mm512_unpackhi_epi8(a, b) }
        }];
        let four: [__m512i; 8] = array![8; i => {
            let (a, b) = (pair[i / 2 * 2], pair[i / 2 * 2 + 1]);
            if i % 2 == 0 { _mm512_unpacklo_epi16(a, b) } else { _mm512_unpackhi_epi16(a, b) }
        }];
        let eight: [__m512i; 8] = array![8; i => {
            let (a, b) = (four[i / 4 * 4 + i / 2 % 2], four[i / 4 * 4 + i / 2 % 2 + 2]);
            if i % 2 == 0 { _mm512_unpacklo_epi32(a, b) } else { _mm512_unpackhi_epi32(a, b) }
        }];
        let columns: [__m512i; 8] = array![8; i => {
            let (a, b) = (eight[i / 2], eight[i / 2 + 4]);
            if i % 2 == 0 { _mm512_unpacklo_epi64(a, b) } else { _mm512_unpackhi_epi64(a, b) }
        }];
        columns
    }};
}

/// # Safety
/// The same as for [`crate::block::row::Advance`] for eight messages, on a CPU with the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,gfni")]
pub(super) unsafe fn compress<const VERSION: usize>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: eight words of state for each of eight messages of complete blocks; tables are
    // as long as what is loaded.
    unsafe {
        let entries = &sbox(VERSION).0;
        let sbox: [__m512i; 4] = array![4; i => _mm512_load_si512(entries.as_ptr().add(64 * i).cast())];
        let (by_2, by_4, by_8) =
            (_mm512_set1_epi64(matrix(2)), _mm512_set1_epi64(matrix(4)), _mm512_set1_epi64(matrix(8)));
        let swap = _mm512_broadcast_i32x4(_mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607));
        macro_rules! sum {
            ($a:expr, $b:expr, $c:expr) => {
                _mm512_ternarylogic_epi64::<XOR3>($a, $b, $c)
            };
        }
        macro_rules! round {
            ($columns:expr, $i:ident => $key:expr) => {{
                let columns = $columns;
                let a: [__m512i; 8] = array![8; i => {
                    let low = _mm512_permutex2var_epi8(sbox[0], columns[i], sbox[1]);
                    let high = _mm512_permutex2var_epi8(sbox[2], columns[i], sbox[3]);
                    let s = _mm512_mask_blend_epi8(_mm512_movepi8_mask(columns[i]), low, high);
                    _mm512_shuffle_epi8(s, _mm512_load_si512(SHIFTED.0[i].as_ptr().cast()))
                }];
                // Each combines those of the preceding columns that the matrix row multiplies by 8, 4, 2 and 1.
                let mixed: [__m512i; 8] = array![8; $i => {
                    macro_rules! times {
                        ($by:literal) => {{
                            let mut sum = _mm512_setzero_si512();
                            for k in 0..8 {
                                if const { row(VERSION) }[k] & $by != 0 {
                                    sum = _mm512_xor_si512(sum, a[($i + 8 - k) % 8]);
                                }
                            }
                            sum
                        }};
                    }
                    let eights = _mm512_gf2p8affine_epi64_epi8::<0>(times!(8), by_8);
                    let fours = _mm512_gf2p8affine_epi64_epi8::<0>(times!(4), by_4);
                    let twos = _mm512_gf2p8affine_epi64_epi8::<0>(times!(2), by_2);
                    sum!(sum!(eights, fours, twos), times!(1), $key)
                }];
                mixed
            }};
        }
        let words: [__m512i; 8] =
            array![8; i => _mm512_shuffle_epi8(_mm512_loadu_si512(state.add(8 * i).cast()), swap)];
        let mut chain = transposed!(words);
        for block in 0..blocks {
            let words: [U64x8; 8] = U64x8::chunk(messages, 64 * block, Endian::Little);
            let words: [__m512i; 8] = array![8; i => words[i].0];
            let m = transposed!(words);
            let mut key = chain;
            let mut text: [__m512i; 8] = array![8; i => _mm512_xor_si512(m[i], key[i])];
            for round in 0..10 {
                // The constant is added to the first row.
                key = round!(key, i => _mm512_set1_epi64(i64::from(entries[8 * round + i])));
                text = round!(text, i => key[i]);
            }
            chain = array![8; i => sum!(chain[i], text[i], m[i])];
        }
        let words = transposed!(chain);
        for (i, word) in words.into_iter().enumerate() {
            _mm512_storeu_si512(state.add(8 * i).cast(), _mm512_shuffle_epi8(word, swap));
        }
    }
}
