//! Streebog's transformations in AVX-512 registers with GFNI: a block fills one register.

use super::{C, MATRIX, SBOX};
use crate::family::whirlpool::gfni::{Aligned, XOR3, matrix};
use crate::word::array;
use std::arch::x86_64::*;

/// The factors for the words of a register: the `n`th entry computes, for each word, the byte that is `n` positions
/// before its own.
static FACTORS: Aligned<[[u64; 8]; 8]> = {
    let mut factors = [[0; 8]; 8];
    let mut i = 0;
    while i < 64 {
        let (n, word) = (i / 8, i % 8);
        factors[n][word] = matrix(MATRIX[word].to_le_bytes()[(word + 8 - n) % 8]) as u64;
        i += 1;
    }
    Aligned(factors)
};

/// The source of the bytes of a transposed register. The products with the `n`th factors are shifted by `n` words.
static TRANSPOSED: Aligned<[u8; 64]> = {
    let mut places = [0; 64];
    let mut i = 0;
    while i < 64 {
        places[i] = (i % 8 * 8 + i / 8) as u8;
        i += 1;
    }
    Aligned(places)
};

/// The same as for [`super::Compress`]. The transformations of several messages are interleaved.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,gfni")]
pub(super) fn compress<const N: usize>(chains: &mut [[u64; 8]; N], lengths: &[[u64; 8]; N], blocks: &[[u64; 8]; N]) {
    macro_rules! load {
        ($words:expr) => {{
            let words: &[u64; 8] = $words;
            // SAFETY: 64 readable bytes, without alignment.
            unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
        }};
    }
    // SAFETY: the tables are as long as what is loaded.
    let (sbox, transposed) = unsafe {
        let start = SBOX.as_ptr();
        let sbox: [__m512i; 4] = array![4; i => _mm512_loadu_si512(start.add(64 * i).cast())];
        (sbox, _mm512_load_si512(TRANSPOSED.0.as_ptr().cast()))
    };
    // Only the lower six bits of an index are used.
    let places: [__m512i; 8] = array![8; n => _mm512_add_epi8(transposed, _mm512_set1_epi8(8 * n as i8))];
    let factors: [__m512i; 8] = array![8; n => load!(&FACTORS.0[n])];
    macro_rules! lpsx {
        ($x:expr, $y:expr) => {{
            let sum = _mm512_xor_si512($x, $y);
            let low = _mm512_permutex2var_epi8(sbox[0], sum, sbox[1]);
            let high = _mm512_permutex2var_epi8(sbox[2], sum, sbox[3]);
            let s = _mm512_mask_blend_epi8(_mm512_movepi8_mask(sum), low, high);
            let term: [__m512i; 8] = array![8; n => {
                _mm512_permutexvar_epi8(places[n], _mm512_gf2p8affine_epi64_epi8::<0>(s, factors[n]))
            }];
            let a = _mm512_ternarylogic_epi64::<XOR3>(term[0], term[1], term[2]);
            let b = _mm512_ternarylogic_epi64::<XOR3>(term[3], term[4], term[5]);
            _mm512_xor_si512(_mm512_ternarylogic_epi64::<XOR3>(term[6], term[7], a), b)
        }};
    }
    let before: [__m512i; N] = array![N; n => load!(&chains[n])];
    let words: [__m512i; N] = array![N; n => load!(&blocks[n])];
    let mut key: [__m512i; N] = array![N; n => lpsx!(before[n], load!(&lengths[n]))];
    let mut text = words;
    for constant in &C {
        text = array![N; n => lpsx!(text[n], key[n])];
        key = array![N; n => lpsx!(key[n], load!(constant))];
    }
    for n in 0..N {
        let after = _mm512_xor_si512(_mm512_ternarylogic_epi64::<XOR3>(before[n], text[n], key[n]), words[n]);
        // SAFETY: the chaining value has 64 bytes.
        unsafe { _mm512_storeu_si512(chains[n].as_mut_ptr().cast(), after) };
    }
}
