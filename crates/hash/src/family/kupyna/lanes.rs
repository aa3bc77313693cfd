//! Kupyna of eight messages in AVX-512 registers with GFNI, by rows: a register contains eight bytes of a row of each
//! message, so that columns are mixed by adding registers.

use super::{SBOXES, added, rounds, shift};
use crate::family::whirlpool::gfni::{XOR3, matrix};
use crate::family::whirlpool::lanes::transposed;
use crate::word::{Endian, U64x8, Word64, array};
use std::arch::x86_64::*;

/// Returns eight one-byte numbers, that of the first column lowest.
const fn row(first: u8, step: u8) -> i64 {
    let mut bytes = [0; 8];
    let mut i = 0;
    while i < 8 {
        bytes[i as usize] = first.wrapping_add(step.wrapping_mul(i));
        i += 1;
    }
    i64::from_le_bytes(bytes)
}

/// The values added to the rows: the first row, those in between, and the last row for the columns of each half.
const FIRST: i8 = added(8, 7) as i8;
const BETWEEN: i8 = (added(8, 7) >> 8) as i8;

/// # Safety
/// The same as for [`crate::block::row::Advance`] for eight messages of as many `COLUMNS` as `HALVES` have, on a CPU
/// with the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,gfni")]
pub(super) unsafe fn compress<const COLUMNS: usize, const HALVES: usize>(
    state: *mut u64,
    messages: *const *const u8,
    blocks: usize,
) {
    type Rows<const HALVES: usize> = [[__m512i; 8]; HALVES];
    // SAFETY: guaranteed by the caller: as many words of state as there are columns for each of eight messages of
    // complete blocks; tables are as long as what is loaded.
    unsafe {
        let (by_2, by_4, by_8) =
            (_mm512_set1_epi64(matrix(2)), _mm512_set1_epi64(matrix(4)), _mm512_set1_epi64(matrix(8)));
        let one = _mm512_set1_epi8(1);
        macro_rules! sum {
            ($a:expr, $b:expr, $c:expr) => {
                _mm512_ternarylogic_epi64::<XOR3>($a, $b, $c)
            };
        }
        // Substitution, shift and mixing of all bytes.
        macro_rules! mixed {
            ($rows:expr) => {{
                let rows: Rows<HALVES> = $rows;
                let mut s = rows;
                for half in 0..HALVES {
                    for i in 0..8 {
                        let load = SBOXES[i % 4].as_ptr();
                        let table: [__m512i; 4] = array![4; n => _mm512_loadu_si512(load.add(64 * n).cast())];
                        let low = _mm512_permutex2var_epi8(table[0], rows[half][i], table[1]);
                        let high = _mm512_permutex2var_epi8(table[2], rows[half][i], table[3]);
                        let substituted = _mm512_mask_blend_epi8(_mm512_movepi8_mask(rows[half][i]), low, high);
                        let turn = _mm512_set1_epi64(8 * (shift(COLUMNS, i) % 8) as i64);
                        s[half][i] = _mm512_rolv_epi64(substituted, turn);
                    }
                }
                if HALVES == 2 {
                    // Bytes shifted out of one half move to the other.
                    for i in 0..8 {
                        let by = shift(COLUMNS, i);
                        let left = (1u64 << (by % 8)) - 1;
                        let left = left * 0x0101_0101_0101_0101;
                        let (a, b) = if by < 8 { (s[0][i], s[1][i]) } else { (s[1][i], s[0][i]) };
                        s[0][i] = _mm512_mask_blend_epi8(left, a, b);
                        s[1][i] = _mm512_mask_blend_epi8(left, b, a);
                    }
                }
                let mut out = s;
                for half in 0..HALVES {
                    let a = s[half];
                    // The rows that are multiplied by one, two and so on and added to each row are the bits of `ROW`.
                    out[half] = array![8; i => {
                        let row = |by: usize| a[(i + by) % 8];
                        let twos = _mm512_xor_si512(row(5), row(6));
                        let fours = _mm512_xor_si512(sum!(row(2), row(5), row(6)), row(7));
                        let ones = sum!(sum!(row(0), row(1), row(2)), row(3), row(6));
                        let twos = _mm512_gf2p8affine_epi64_epi8::<0>(twos, by_2);
                        let fours = _mm512_gf2p8affine_epi64_epi8::<0>(fours, by_4);
                        let eights = _mm512_gf2p8affine_epi64_epi8::<0>(row(4), by_8);
                        sum!(sum!(ones, twos, fours), eights, _mm512_setzero_si512())
                    }];
                }
                out
            }};
        }
        // Transposes the words of a state or block to rows, and back.
        macro_rules! by_rows {
            ($half:ident, $i:ident => $word:expr) => {{
                let rows: Rows<HALVES> = array![HALVES; $half => {
                    let words: [__m512i; 8] = array![8; $i => $word];
                    transposed!(words)
                }];
                rows
            }};
        }
        let mut chain = by_rows!(half, i => _mm512_loadu_si512(state.add(64 * half + 8 * i).cast()));
        for block in 0..blocks {
            let words: [[U64x8; 8]; HALVES] =
                array![HALVES; half => U64x8::chunk(messages, 8 * COLUMNS * block + 64 * half, Endian::Little)];
            let m = by_rows!(half, i => words[half][i].0);
            let mut first: Rows<HALVES> =
                array![HALVES; half => array![8; i => _mm512_xor_si512(m[half][i], chain[half][i])]];
            let mut second = m;
            for round in 0..rounds(COLUMNS) {
                let round = _mm512_set1_epi8(round as i8);
                for half in 0..HALVES {
                    let places = _mm512_set1_epi64(row(128 * half as u8, 16));
                    first[half][0] = sum!(first[half][0], places, round);
                    // A column is a number, so the carry of a row is added to the next one.
                    let before = second[half];
                    let mut carry = _mm512_cmpge_epu8_mask(before[0], _mm512_set1_epi8(FIRST.wrapping_neg()));
                    second[half][0] = _mm512_add_epi8(before[0], _mm512_set1_epi8(FIRST));
                    for i in 1..7 {
                        let sum = _mm512_add_epi8(before[i], _mm512_set1_epi8(BETWEEN));
                        second[half][i] = _mm512_mask_add_epi8(sum, carry, sum, one);
                        let carried = _mm512_mask_adds_epu8(before[i], carry, before[i], one);
                        carry = _mm512_cmpge_epu8_mask(carried, _mm512_set1_epi8(BETWEEN.wrapping_neg()));
                    }
                    let last = row((added(COLUMNS, 8 * half) >> 56) as u8, 240);
                    let last = _mm512_xor_si512(_mm512_set1_epi64(last), round);
                    let sum = _mm512_add_epi8(before[7], last);
                    second[half][7] = _mm512_mask_add_epi8(sum, carry, sum, one);
                }
                first = mixed!(first);
                second = mixed!(second);
            }
            for half in 0..HALVES {
                chain[half] = array![8; i => sum!(chain[half][i], first[half][i], second[half][i])];
            }
        }
        for (half, rows) in chain.into_iter().enumerate() {
            let words = transposed!(rows);
            for (i, word) in words.into_iter().enumerate() {
                _mm512_storeu_si512(state.add(64 * half + 8 * i).cast(), word);
            }
        }
    }
}
