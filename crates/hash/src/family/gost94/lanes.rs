//! GOST R 34.11-94 for many messages: a register contains the same 32-bit word of each, and 4-bit S-boxes are byte
//! shuffles.

use super::{C, SBOXES};
use crate::block::{add_words, words};
use crate::word::{Endian, HalfChunk, U32x8, U32x16, Word32, array, unroll};
use std::arch::x86_64::*;

/// The S-boxes for the lower and the upper half of each byte of a word; the results for upper halves are already
/// shifted.
pub(super) struct Boxes {
    low: [[u8; 16]; 4],
    high: [[u8; 16]; 4],
}

static BOXES: [Boxes; 2] = [boxes(&SBOXES[0]), boxes(&SBOXES[1])];

const fn boxes(all: &[[u8; 16]; 8]) -> Boxes {
    let mut boxes = Boxes { low: [[0; 16]; 4], high: [[0; 16]; 4] };
    let mut n = 0;
    while n < 64 {
        let (byte, half) = (n / 16, n % 16);
        boxes.low[byte][half] = all[2 * byte][half];
        boxes.high[byte][half] = all[2 * byte + 1][half] << 4;
        n += 1;
    }
    boxes
}

/// A word whose bytes can be substituted.
pub(super) trait Substitute: HalfChunk {
    /// Applies the S-boxes to every word.
    ///
    /// # Safety
    /// The CPU has the features of this word, and the caller is compiled for them.
    unsafe fn substitute(words: [Self; 4], boxes: &Boxes) -> [Self; 4];
}

impl Substitute for U32x16 {
    /// A shuffle of 64 bytes contains the boxes for all four bytes: the position of a byte selects the box.
    #[inline(always)]
    unsafe fn substitute(words: [Self; 4], boxes: &Boxes) -> [Self; 4] {
        /// `a & b | c`
        const AND_OR: i32 = 0xea;
        // SAFETY: guaranteed by the caller; the tables are as long as what is loaded.
        unsafe {
            let low = _mm512_loadu_si512(boxes.low.as_ptr().cast());
            let high = _mm512_loadu_si512(boxes.high.as_ptr().cast());
            let (half, byte) = (_mm512_set1_epi8(15), _mm512_set1_epi32(0x3020_1000));
            array![4; i => {
                let lower = _mm512_ternarylogic_epi32::<AND_OR>(words[i].0, half, byte);
                let upper = _mm512_ternarylogic_epi32::<AND_OR>(_mm512_srli_epi32::<4>(words[i].0), half, byte);
                let (lower, upper) = (_mm512_permutexvar_epi8(lower, low), _mm512_permutexvar_epi8(upper, high));
                U32x16(_mm512_or_si512(lower, upper))
            }]
        }
    }
}

/// The bytes of each position in four words side by side, and the inverse.
static BY_PLACE: [u8; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];

impl Substitute for U32x8 {
    /// A shuffle contains a single box, so the bytes of four words are transposed before and after it.
    #[inline(always)]
    unsafe fn substitute(words: [Self; 4], boxes: &Boxes) -> [Self; 4] {
        // SAFETY: guaranteed by the caller; the tables are as long as what is loaded.
        unsafe {
            macro_rules! table {
                ($table:expr) => {
                    _mm256_broadcastsi128_si256(_mm_loadu_si128($table.as_ptr().cast()))
                };
            }
            let by_place = table!(BY_PLACE);
            let half = _mm256_set1_epi8(15);
            macro_rules! transposed {
                ($r:expr) => {{
                    let r = $r;
                    let (a, b) = (_mm256_unpacklo_epi32(r[0], r[1]), _mm256_unpackhi_epi32(r[0], r[1]));
                    let (c, d) = (_mm256_unpacklo_epi32(r[2], r[3]), _mm256_unpackhi_epi32(r[2], r[3]));
                    [
                        _mm256_unpacklo_epi64(a, c),
                        _mm256_unpackhi_epi64(a, c),
                        _mm256_unpacklo_epi64(b, d),
                        _mm256_unpackhi_epi64(b, d),
                    ]
                }};
            }
            let placed: [__m256i; 4] = array![4; i => _mm256_shuffle_epi8(words[i].0, by_place)];
            let bytes = transposed!(placed);
            let substituted: [__m256i; 4] = array![4; i => {
                let lower = _mm256_and_si256(bytes[i], half);
                let upper = _mm256_and_si256(_mm256_srli_epi32::<4>(bytes[i]), half);
                let (low, high) = (table!(boxes.low[i]), table!(boxes.high[i]));
                _mm256_or_si256(_mm256_shuffle_epi8(low, lower), _mm256_shuffle_epi8(high, upper))
            }];
            let back = transposed!(substituted);
            array![4; i => U32x8(_mm256_shuffle_epi8(back[i], by_place))]
        }
    }
}

/// The transformation A of section 5.1, on halves of 64-bit words.
#[inline(always)]
fn a<W: Word32>(x: [W; 8]) -> [W; 8] {
    [x[2], x[3], x[4], x[5], x[6], x[7], x[0].xor(x[2]), x[1].xor(x[3])]
}

#[inline(always)]
fn xor<W: Word32>(x: [W; 8], y: [W; 8]) -> [W; 8] {
    array![8; i => x[i].xor(y[i])]
}

/// Returns the transformation P of section 5.1: word `k` of a key consists of byte `k` of the four 64-bit words.
///
/// # Safety
/// The same as for [`crate::word::Word::splat`].
#[inline(always)]
unsafe fn key<W: Word32>(y: [W; 8]) -> [W; 8] {
    // SAFETY: guaranteed by the caller.
    let (halves, bytes) = unsafe { (W::splat(0x0000_ffff), W::splat(0x00ff_00ff)) };
    let mut key = y;
    for side in 0..2 {
        let (v0, v1, v2, v3) = (y[side], y[2 + side], y[4 + side], y[6 + side]);
        let (a, b) = (halves.choose(v0, v2.rotl(16)), halves.choose(v1, v3.rotl(16)));
        let (c, d) = (halves.choose(v0.rotl(16), v2), halves.choose(v1.rotl(16), v3));
        key[4 * side] = bytes.choose(a, b.rotl(8));
        key[4 * side + 1] = bytes.choose(a.rotl(24), b);
        key[4 * side + 2] = bytes.choose(c, d.rotl(8));
        key[4 * side + 3] = bytes.choose(c.rotl(24), d);
    }
    key
}

/// Returns words of 16 bits, each in the lower half of a word.
#[inline(always)]
fn parted<W: Word32>(words: [W; 8]) -> [W; 16] {
    array![16; i => if i % 2 == 0 { words[i / 2] } else { words[i / 2].rotl(16) }]
}

/// The words of the key that two rounds use.
static ORDER: [[usize; 2]; 16] = {
    let mut order = [[0; 2]; 16];
    let mut i = 0;
    while i < 16 {
        let first = 2 * i % 8;
        order[i] = if i < 12 { [first, first + 1] } else { [7 - first, 6 - first] };
        i += 1;
    }
    order
};

/// Processes blocks in every lane (RFC 5831 section 5).
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
pub(super) unsafe fn compress<W: Substitute, const SET: usize>(
    state: *mut u64,
    messages: *const *const u8,
    blocks: usize,
) {
    // The maximum number of lanes.
    const MOST: usize = 16;
    let boxes = &BOXES[SET];
    // SAFETY: guaranteed by the caller: eight words of state for each of the messages, complete blocks, the CPU
    // features.
    unsafe {
        let at = |word: usize, lane: usize| state.add(word * W::LANES + lane);
        let (mut halves, mut sums) = ([[0u32; MOST]; 8], [[0u64; 4]; MOST]);
        for lane in 0..W::LANES {
            for word in 0..4 {
                let chain = *at(word, lane);
                (halves[2 * word][lane], halves[2 * word + 1][lane]) = (chain as u32, (chain >> 32) as u32);
                sums[lane][word] = *at(4 + word, lane);
            }
        }
        let mut h: [W; 8] = array![8; i => W::load(halves[i].as_ptr())];
        for block in 0..blocks {
            for (lane, sum) in sums[..W::LANES].iter_mut().enumerate() {
                let message = &*(*messages.add(lane)).add(32 * block).cast::<[[u8; 8]; 4]>();
                add_words(sum, &words::<4>(message));
            }
            let m = W::half_chunk(messages, 32 * block, Endian::Little);
            let (u1, v1) = (a(h), a(a(m)));
            let constant: [W; 8] = array![8; i => W::splat((C[i / 2] >> (i % 2 * 32)) as u32)];
            let (u2, v2) = (xor(a(u1), constant), a(a(v1)));
            let (u3, v3) = (a(u2), a(a(v2)));
            let keys = [key(xor(h, m)), key(xor(u1, v1)), key(xor(u2, v2)), key(xor(u3, v3))];
            // GOST 28147-89 (section 5.2): each word of the chaining value with its own key.
            let mut low: [W; 4] = array![4; i => h[2 * i]];
            let mut high: [W; 4] = array![4; i => h[2 * i + 1]];
            for [first, second] in ORDER {
                let sum: [W; 4] = array![4; i => low[i].add(keys[i][first])];
                let s = W::substitute(sum, boxes);
                high = array![4; i => high[i].xor(s[i].rotl(11))];
                let sum: [W; 4] = array![4; i => high[i].add(keys[i][second])];
                let s = W::substitute(sum, boxes);
                low = array![4; i => low[i].xor(s[i].rotl(11))];
            }
            // The shift register of section 5.3, with its 16-bit words in the lower halves of these.
            let encrypted: [W; 8] = array![8; i => if i % 2 == 0 { high[i / 2] } else { low[i / 2] }];
            let mut z = parted(encrypted);
            macro_rules! psi {
                ($from:literal, $times:literal) => {
                    unroll!(i in 16 => {
                        if i < $times {
                            macro_rules! z {
                                ($n:literal) => {
                                    z[($from + i + $n) % 16]
                                };
                            }
                            z![0] = z![0].xor3(z![1], z![2]).xor3(z![3], z![12]).xor(z![15]);
                        }
                    });
                };
            }
            psi!(0, 12);
            let joined = parted(m);
            unroll!(i in 16 => { z[(12 + i) % 16] = z[(12 + i) % 16].xor(joined[i]); });
            psi!(12, 1);
            let joined = parted(h);
            unroll!(i in 16 => { z[(13 + i) % 16] = z[(13 + i) % 16].xor(joined[i]); });
            for _ in 0..3 {
                psi!(13, 16);
            }
            psi!(13, 13);
            let lower = W::splat(0x0000_ffff);
            h = array![8; i => lower.choose(z[(26 + 2 * i) % 16], z[(27 + 2 * i) % 16].rotl(16))];
        }
        for (half, words) in h.into_iter().zip(&mut halves) {
            half.store(words.as_mut_ptr());
        }
        for lane in 0..W::LANES {
            for word in 0..4 {
                *at(word, lane) =
                    u64::from(halves[2 * word][lane]) | u64::from(halves[2 * word + 1][lane]) << 32;
                *at(4 + word, lane) = sums[lane][word];
            }
        }
    }
}
