//! Whirlpool's rounds in AVX2 registers, for the versions whose S-box is composed of smaller ones, which are looked up
//! with shuffles. A block fills two registers, by columns, so that a shift stays within eight bytes.

use super::{E, INVERSE, R, gfni::sbox, row};
use std::arch::x86_64::*;

/// The sources of the bytes of a register whose columns are shifted down by their numbers, starting with `first`.
const fn shifted(first: usize) -> [u8; 32] {
    let mut places = [0; 32];
    let mut n = 0;
    while n < 32 {
        places[n] = (n % 16 / 8 * 8 + (n + 16 - first - n / 8) % 8) as u8;
        n += 1;
    }
    places
}

/// [`E`] as the upper half of a byte.
const UPPER: [u8; 16] = {
    let mut upper = E;
    let mut i = 0;
    while i < 16 {
        upper[i] <<= 4;
        i += 1;
    }
    upper
};

/// # Safety
/// The same as for [`crate::block::row::Advance`] for one message, on a CPU with AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn compress<const VERSION: usize>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    const { assert!(VERSION != 2000, "its S-box is a table") };
    type Half = [__m256i; 2];
    // SAFETY: guaranteed by the caller: eight words of state, one message of complete blocks; tables are as long as
    // what is loaded.
    unsafe {
        let message = *messages;
        macro_rules! twice {
            ($table:expr) => {
                _mm256_broadcastsi128_si256(_mm_loadu_si128($table.as_ptr().cast()))
            };
        }
        let (e, inverse, r) = (twice!(E), twice!(INVERSE), twice!(R));
        let upper = twice!(UPPER);
        let shift: [[u8; 32]; 2] = const { [shifted(0), shifted(4)] };
        let shift: Half =
            [_mm256_loadu_si256(shift[0].as_ptr().cast()), _mm256_loadu_si256(shift[1].as_ptr().cast())];
        let pairs = twice!([0u8, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15]);
        let swap = twice!([7u8, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8]);
        let fours = _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0);
        let (nibble, reduced) = (_mm256_set1_epi8(15), _mm256_set1_epi8(0x1d));
        macro_rules! xor {
            ($a:expr, $b:expr) => {
                [_mm256_xor_si256($a[0], $b[0]), _mm256_xor_si256($a[1], $b[1])]
            };
        }
        // Transposes rows to columns, or columns to rows.
        macro_rules! transposed {
            ($halves:expr) => {{
                let [a, b]: Half = $halves;
                let (a, b) = (_mm256_shuffle_epi8(a, pairs), _mm256_shuffle_epi8(b, pairs));
                let (even, odd) =
                    (_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b));
                let (a, b) = (_mm256_unpacklo_epi16(even, odd), _mm256_unpackhi_epi16(even, odd));
                [_mm256_permutevar8x32_epi32(a, fours), _mm256_permutevar8x32_epi32(b, fours)]
            }};
        }
        macro_rules! substituted {
            ($half:expr, $shift:expr) => {{
                let bytes = _mm256_shuffle_epi8($half, $shift);
                let high = _mm256_shuffle_epi8(e, _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble));
                let low = _mm256_shuffle_epi8(inverse, _mm256_and_si256(bytes, nibble));
                let middle = _mm256_shuffle_epi8(r, _mm256_xor_si256(high, low));
                let high = _mm256_shuffle_epi8(upper, _mm256_xor_si256(high, middle));
                let low = _mm256_shuffle_epi8(inverse, _mm256_xor_si256(low, middle));
                _mm256_or_si256(high, low)
            }};
        }
        macro_rules! doubled {
            ($halves:expr) => {{
                let halves: Half = $halves;
                let mut doubled = halves;
                for half in &mut doubled {
                    let over = _mm256_cmpgt_epi8(_mm256_setzero_si256(), *half);
                    *half = _mm256_xor_si256(_mm256_add_epi8(*half, *half), _mm256_and_si256(over, reduced));
                }
                doubled
            }};
        }
        // All columns, rotated by this many positions.
        macro_rules! turned {
            ($halves:expr, $order:literal, $first:literal) => {{
                let halves: Half = $halves;
                let a = _mm256_permute4x64_epi64::<$order>(halves[0]);
                let b = _mm256_permute4x64_epi64::<$order>(halves[1]);
                [_mm256_blend_epi32::<$first>(a, b), _mm256_blend_epi32::<$first>(b, a)]
            }};
        }
        macro_rules! round {
            ($halves:expr, $key:expr) => {{
                let halves: Half = $halves;
                let ones: Half = [substituted!(halves[0], shift[0]), substituted!(halves[1], shift[1])];
                let twos = doubled!(ones);
                let fours = doubled!(twos);
                let times = [ones, twos, fours, doubled!(fours)];
                // The products of the matrix with the columns this many positions before, and four more.
                macro_rules! term {
                    ($places:literal) => {{
                        let mut sum = [_mm256_setzero_si256(); 2];
                        for bit in 0..4 {
                            if const { row(VERSION) }[$places] >> bit & 1 == 1 {
                                sum = xor!(sum, times[bit]);
                            }
                            if const { row(VERSION) }[$places + 4] >> bit & 1 == 1 {
                                sum = xor!(sum, [times[bit][1], times[bit][0]]);
                            }
                        }
                        sum
                    }};
                }
                let one = turned!(term!(1), 0x93, 0x03);
                let two = turned!(term!(2), 0x4e, 0x0f);
                let three = turned!(term!(3), 0x39, 0x3f);
                xor!(xor!(one, two), xor!(xor!(three, $key), term!(0)))
            }};
        }
        macro_rules! load {
            ($from:expr) => {
                [_mm256_loadu_si256($from.cast()), _mm256_loadu_si256($from.add(32).cast())]
            };
        }
        let words: Half = load!(state.cast::<u8>());
        let rows = [_mm256_shuffle_epi8(words[0], swap), _mm256_shuffle_epi8(words[1], swap)];
        let mut chain: Half = transposed!(rows);
        for block in 0..blocks {
            let words: Half = transposed!(load!(message.add(64 * block)));
            let mut key = chain;
            let mut text: Half = xor!(words, key);
            for round in 0..10 {
                // The constant is added to the first row.
                let constant = sbox(VERSION).0.as_ptr().add(8 * round).cast::<i32>();
                let constant: Half = [
                    _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(constant.read_unaligned())),
                    _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(constant.add(1).read_unaligned())),
                ];
                key = round!(key, constant);
                text = round!(text, key);
            }
            chain = xor!(chain, xor!(text, words));
        }
        let rows: Half = transposed!(chain);
        _mm256_storeu_si256(state.cast(), _mm256_shuffle_epi8(rows[0], swap));
        _mm256_storeu_si256(state.add(4).cast(), _mm256_shuffle_epi8(rows[1], swap));
    }
}
