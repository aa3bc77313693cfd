//! Kupyna of one message in AVX-512 registers with GFNI: eight columns fill one register. Two registers are permuted
//! together: both permutations of 64 bytes, or the halves of 128.

use super::{SBOXES, added, rounds, shift};
use crate::family::whirlpool::gfni::{Aligned, XOR3, matrix};
use crate::word::array;
use std::arch::x86_64::*;

/// Selects the two upper bytes of every four. The first register of a pair gets the two lower bytes of both, the second
/// one the two upper bytes, so that half of the S-boxes are looked up in each.
const SECOND: u64 = 0xcccc_cccc_cccc_cccc;
/// Within either, the positions where the odd one of its two S-boxes is looked up.
const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;

/// The sources of a register's bytes in both looked-up registers, which restores the order and shifts the rows.
static SOURCES: [Aligned<[[u8; 64]; 2]>; 2] = [sources(8), sources(16)];

const fn sources(columns: usize) -> Aligned<[[u8; 64]; 2]> {
    let mut sources = [[0; 64]; 2];
    let mut n = 0;
    while n < 128 {
        let (register, column, row) = (n / 64, n / 8 % 8, n % 8);
        // With sixteen columns, a register contains half of them; otherwise each register has its own.
        let from = (register * (columns - 8) + column + columns - shift(columns, row)) % columns;
        let second = if columns == 16 { from / 8 } else { register };
        let (upper, place) = (row % 4 / 2, row / 4 * 4 + 2 * second + row % 2);
        sources[register][8 * column + row] = (64 * upper + from % 8 * 8 + place) as u8;
        n += 1;
    }
    Aligned(sources)
}

/// # Safety
/// The same as for [`crate::block::row::Advance`] for one message of as many `COLUMNS` as `HALVES` have, on a CPU with
/// the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,gfni")]
pub(super) unsafe fn compress<const COLUMNS: usize, const HALVES: usize>(
    state: *mut u64,
    messages: *const *const u8,
    blocks: usize,
) {
    // SAFETY: guaranteed by the caller: as many words of state as there are columns, one message of complete blocks;
    // tables are as long as what is loaded.
    unsafe {
        let message = *messages;
        let sbox: [[__m512i; 4]; 4] =
            array![4; i => array![4; n => _mm512_loadu_si512(SBOXES[i].as_ptr().add(64 * n).cast())]];
        let source: [__m512i; 2] =
            array![2; i => _mm512_load_si512(SOURCES[HALVES - 1].0[i].as_ptr().cast())];
        let (by_2, by_4, by_8) =
            (_mm512_set1_epi64(matrix(2)), _mm512_set1_epi64(matrix(4)), _mm512_set1_epi64(matrix(8)));
        let place: [__m512i; HALVES] = array![HALVES; half => {
            let column: [i64; 8] = array![8; i => ((8 * half + i) << 4) as i64];
            _mm512_loadu_si512(column.as_ptr().cast())
        }];
        let number: [__m512i; HALVES] = array![HALVES; half => {
            let column: [i64; 8] = array![8; i => added(COLUMNS, 8 * half + i) as i64];
            _mm512_loadu_si512(column.as_ptr().cast())
        }];
        macro_rules! sum {
            ($a:expr, $b:expr, $c:expr) => {
                _mm512_ternarylogic_epi64::<XOR3>($a, $b, $c)
            };
        }
        macro_rules! substituted {
            ($bytes:expr, $first:literal) => {{
                let bytes = $bytes;
                let [even, odd] = [sbox[$first], sbox[$first + 1]];
                let low = _mm512_mask_blend_epi8(
                    ODD,
                    _mm512_permutex2var_epi8(even[0], bytes, even[1]),
                    _mm512_permutex2var_epi8(odd[0], bytes, odd[1]),
                );
                let high = _mm512_mask_blend_epi8(
                    ODD,
                    _mm512_permutex2var_epi8(even[2], bytes, even[3]),
                    _mm512_permutex2var_epi8(odd[2], bytes, odd[3]),
                );
                _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes), low, high)
            }};
        }
        macro_rules! mixed {
            ($pair:expr) => {{
                let [first, second]: [__m512i; 2] = $pair;
                let lower = _mm512_mask_blend_epi8(SECOND, first, _mm512_slli_epi32::<16>(second));
                let upper = _mm512_mask_blend_epi8(SECOND, _mm512_srli_epi32::<16>(first), second);
                let (lower, upper) = (substituted!(lower, 0), substituted!(upper, 2));
                let pair: [__m512i; 2] = array![2; i => {
                    let s = _mm512_permutex2var_epi8(lower, source[i], upper);
                    // The rows that are multiplied by one, two and so on and added to each row are the bits of `ROW`.
                    let two = _mm512_xor_si512(s, _mm512_ror_epi64::<8>(s));
                    let twos = _mm512_ror_epi64::<40>(two);
                    let fours = sum!(twos, _mm512_ror_epi64::<16>(s), _mm512_ror_epi64::<56>(s));
                    let ones = sum!(two, _mm512_ror_epi64::<16>(two), _mm512_ror_epi64::<48>(s));
                    let eights = _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_ror_epi64::<32>(s), by_8);
                    let fours = _mm512_gf2p8affine_epi64_epi8::<0>(fours, by_4);
                    _mm512_xor_si512(sum!(ones, fours, eights), _mm512_gf2p8affine_epi64_epi8::<0>(twos, by_2))
                }];
                pair
            }};
        }
        let mut chain: [__m512i; HALVES] = array![HALVES; half => _mm512_loadu_si512(state.add(8 * half).cast())];
        for block in 0..blocks {
            let m: [__m512i; HALVES] =
                array![HALVES; half => _mm512_loadu_si512(message.add(64 * (HALVES * block + half)).cast())];
            let mut first: [__m512i; HALVES] = array![HALVES; half => _mm512_xor_si512(m[half], chain[half])];
            let mut second = m;
            for round in 0..i64::from(rounds(COLUMNS)) {
                let (lowest, highest) = (_mm512_set1_epi64(round), _mm512_set1_epi64(round << 56));
                first = array![HALVES; half => sum!(first[half], place[half], lowest)];
                second = array![HALVES; half => _mm512_add_epi64(second[half], _mm512_xor_si512(number[half], highest))];
                if HALVES == 1 {
                    [first[0], second[0]] = mixed!([first[0], second[0]]);
                } else {
                    [first[0], first[HALVES - 1]] = mixed!([first[0], first[HALVES - 1]]);
                    [second[0], second[HALVES - 1]] = mixed!([second[0], second[HALVES - 1]]);
                }
            }
            chain = array![HALVES; half => sum!(chain[half], first[half], second[half])];
        }
        for (half, words) in chain.into_iter().enumerate() {
            _mm512_storeu_si512(state.add(8 * half).cast(), words);
        }
    }
}
