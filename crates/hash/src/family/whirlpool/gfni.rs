//! Whirlpool's rounds in AVX-512 registers with GFNI: a block fills one register.

use super::{FINAL, multiply, row, substitute};
use crate::word::array;
use std::arch::x86_64::*;

#[repr(align(64))]
pub(crate) struct Aligned<T>(pub(crate) T);

/// The exclusive or of three operands.
pub(crate) const XOR3: i32 = 0x96;

type Box = Aligned<[u8; 256]>;

/// The S-box of a version.
pub(super) const fn sbox(version: usize) -> &'static Box {
    static BOXES: [Box; 2] = [filled(2000), filled(FINAL)];
    &BOXES[if version == 2000 { 0 } else { 1 }]
}

const fn filled(version: usize) -> Box {
    let mut sbox = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        sbox[byte] = substitute(version, byte);
        byte += 1;
    }
    Aligned(sbox)
}

/// The target of the product of a byte with entry `k` of the matrix row: byte `j` of row `i` combines, for each `k`,
/// that of column `j - k`, which the shift moved down from `j - k` rows above.
static SOURCES: Aligned<[[u8; 64]; 8]> = {
    let mut sources = [[0; 64]; 8];
    let mut n = 0;
    while n < 512 {
        let (k, row, byte) = (n / 64, n / 8 % 8, n % 8);
        let column = (byte + 8 - k) % 8;
        sources[k][row * 8 + byte] = (8 * ((row + 8 - column) % 8) + column) as u8;
        n += 1;
    }
    Aligned(sources)
};

/// Returns multiplication by a constant as the bit matrix of `vgf2p8affineqb`: its byte `7 - i` selects the bits that
/// form bit `i`.
pub(crate) const fn matrix(factor: u8) -> i64 {
    let mut matrix = 0u64;
    let mut n = 0;
    while n < 64 {
        let (bit, input) = (n / 8, n % 8);
        let set = multiply(factor, 1 << input) >> bit & 1;
        matrix |= (set as u64) << (8 * (7 - bit) + input);
        n += 1;
    }
    matrix as i64
}

/// # Safety
/// The same as for [`crate::block::row::Advance`], on a CPU with the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,gfni")]
pub(super) unsafe fn shuffle<const VERSION: usize>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: eight words of state, one message of complete blocks; tables are as long as
    // what is loaded.
    unsafe {
        let message = *messages;
        let load = sbox(VERSION).0.as_ptr();
        let sbox: [__m512i; 4] = array![4; i => _mm512_load_si512(load.add(64 * i).cast())];
        let source: [__m512i; 8] = array![8; k => _mm512_load_si512(SOURCES.0[k].as_ptr().cast())];
        let by: [__m512i; 8] = array![8; k => _mm512_set1_epi64(matrix(row(VERSION)[k]))];
        let swap = _mm512_broadcast_i32x4(_mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607));
        macro_rules! round {
            ($rows:expr, $key:expr) => {{
                let rows = $rows;
                let low = _mm512_permutex2var_epi8(sbox[0], rows, sbox[1]);
                let high = _mm512_permutex2var_epi8(sbox[2], rows, sbox[3]);
                let s = _mm512_mask_blend_epi8(_mm512_movepi8_mask(rows), low, high);
                let term: [__m512i; 8] = array![8; k => {
                    let product = if row(VERSION)[k] == 1 { s } else { _mm512_gf2p8affine_epi64_epi8::<0>(s, by[k]) };
                    _mm512_permutexvar_epi8(source[k], product)
                }];
                let a = _mm512_ternarylogic_epi64::<XOR3>(term[0], term[1], term[3]);
                let b = _mm512_ternarylogic_epi64::<XOR3>(term[2], term[4], term[5]);
                let c = _mm512_ternarylogic_epi64::<XOR3>(term[6], term[7], $key);
                _mm512_ternarylogic_epi64::<XOR3>(a, b, c)
            }};
        }
        let mut chain = _mm512_shuffle_epi8(_mm512_loadu_si512(state.cast()), swap);
        for block in 0..blocks {
            let words = _mm512_loadu_si512(message.add(64 * block).cast());
            let mut key = chain;
            let mut rows = _mm512_xor_si512(words, key);
            for round in 0..10 {
                key = round!(key, _mm512_maskz_loadu_epi64(1, load.add(8 * round).cast()));
                rows = round!(rows, key);
            }
            chain = _mm512_ternarylogic_epi64::<XOR3>(chain, rows, words);
        }
        _mm512_storeu_si512(state.cast(), _mm512_shuffle_epi8(chain, swap));
    }
}
