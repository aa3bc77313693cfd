//! Folding with PCLMULQDQ, and with VPCLMULQDQ in vectors of two and of four times sixteen bytes.

use super::Folding;
use std::arch::x86_64::*;

/// Bytes of a product's place.
const BLOCK: usize = 16;

/// One or more blocks.
///
/// # Safety
/// Of every function: the CPU has the instructions, as in whatever is compiled for them and calls it; pointers are good for
/// as many bytes as the vector has.
trait Vector: Copy {
    /// Blocks.
    const BLOCKS: usize;
    unsafe fn load(from: *const u8, refin: bool) -> Self;
    /// The same in every block.
    unsafe fn all(block: __m128i) -> Self;
    /// This moved to the place of another and added to that.
    unsafe fn onto(self, by: Self, other: Self) -> Self;
    /// Moved together into its last block; `by` as [`Folding::before`] has them.
    unsafe fn together(self, before: &[[u64; 2]; 5]) -> __m128i;
    unsafe fn xor(self, other: Self) -> Self;
    /// One block as the first of several.
    unsafe fn first(block: __m128i) -> Self;
}

// SAFETY of every block in the three: see the trait.
#[allow(clippy::undocumented_unsafe_blocks, reason = "stated once, above")]
impl Vector for __m128i {
    const BLOCKS: usize = 1;
    #[inline(always)]
    unsafe fn load(from: *const u8, refin: bool) -> Self {
        unsafe {
            let block = _mm_loadu_si128(from.cast());
            if refin { block } else { _mm_shuffle_epi8(block, reversed()) }
        }
    }
    #[inline(always)]
    unsafe fn all(block: __m128i) -> Self {
        block
    }
    #[inline(always)]
    unsafe fn onto(self, by: Self, other: Self) -> Self {
        unsafe {
            let (low, high) = (_mm_clmulepi64_si128::<0x00>(self, by), _mm_clmulepi64_si128::<0x11>(self, by));
            _mm_xor_si128(_mm_xor_si128(low, high), other)
        }
    }
    #[inline(always)]
    unsafe fn together(self, _: &[[u64; 2]; 5]) -> __m128i {
        self
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        unsafe { _mm_xor_si128(self, other) }
    }
    #[inline(always)]
    unsafe fn first(block: __m128i) -> Self {
        block
    }
}

#[allow(clippy::undocumented_unsafe_blocks, reason = "stated once, above")]
impl Vector for __m256i {
    const BLOCKS: usize = 2;
    #[inline(always)]
    unsafe fn load(from: *const u8, refin: bool) -> Self {
        unsafe {
            let blocks = _mm256_loadu_si256(from.cast());
            if refin { blocks } else { _mm256_shuffle_epi8(blocks, Self::all(reversed())) }
        }
    }
    #[inline(always)]
    unsafe fn all(block: __m128i) -> Self {
        unsafe { _mm256_broadcastsi128_si256(block) }
    }
    #[inline(always)]
    unsafe fn onto(self, by: Self, other: Self) -> Self {
        unsafe {
            let low = _mm256_clmulepi64_epi128::<0x00>(self, by);
            let high = _mm256_clmulepi64_epi128::<0x11>(self, by);
            _mm256_xor_si256(_mm256_xor_si256(low, high), other)
        }
    }
    #[inline(always)]
    unsafe fn together(self, before: &[[u64; 2]; 5]) -> __m128i {
        unsafe { _mm256_castsi256_si128(self).onto(pair(before[0]), _mm256_extracti128_si256::<1>(self)) }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        unsafe { _mm256_xor_si256(self, other) }
    }
    #[inline(always)]
    unsafe fn first(block: __m128i) -> Self {
        unsafe { _mm256_zextsi128_si256(block) }
    }
}

#[allow(clippy::undocumented_unsafe_blocks, reason = "stated once, above")]
impl Vector for __m512i {
    const BLOCKS: usize = 4;
    #[inline(always)]
    unsafe fn load(from: *const u8, refin: bool) -> Self {
        unsafe {
            let blocks = _mm512_loadu_si512(from.cast());
            if refin { blocks } else { _mm512_shuffle_epi8(blocks, Self::all(reversed())) }
        }
    }
    #[inline(always)]
    unsafe fn all(block: __m128i) -> Self {
        unsafe { _mm512_broadcast_i32x4(block) }
    }
    #[inline(always)]
    unsafe fn onto(self, by: Self, other: Self) -> Self {
        unsafe {
            let low = _mm512_clmulepi64_epi128::<0x00>(self, by);
            let high = _mm512_clmulepi64_epi128::<0x11>(self, by);
            _mm512_ternarylogic_epi64::<0x96>(low, high, other)
        }
    }
    #[inline(always)]
    unsafe fn together(self, before: &[[u64; 2]; 5]) -> __m128i {
        unsafe {
            let (front, back) = (_mm512_castsi512_si256(self), _mm512_extracti64x4_epi64::<1>(self));
            front.onto(__m256i::all(pair(before[1])), back).together(before)
        }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        unsafe { _mm512_xor_si512(self, other) }
    }
    #[inline(always)]
    unsafe fn first(block: __m128i) -> Self {
        unsafe { _mm512_zextsi128_si512(block) }
    }
}

/// The order of bytes where the highest bit comes first.
#[inline(always)]
unsafe fn reversed() -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) }
}

#[inline(always)]
unsafe fn pair(words: [u64; 2]) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_set_epi64x(words[1] as i64, words[0] as i64) }
}

/// Both words of a product.
#[inline(always)]
unsafe fn product(a: u64, b: u64) -> [u64; 2] {
    // SAFETY: only what is compiled for PCLMULQDQ calls this.
    unsafe { words(_mm_clmulepi64_si128::<0x00>(pair([a, 0]), pair([b, 0]))) }
}

#[inline(always)]
unsafe fn words(block: __m128i) -> [u64; 2] {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { [_mm_cvtsi128_si64(block) as u64, _mm_cvtsi128_si64(_mm_unpackhi_epi64(block, block)) as u64] }
}

impl Folding {
    /// `high x^64 mod P`, by Barrett's way.
    #[inline(always)]
    unsafe fn reduced(&self, high: u64) -> u64 {
        // SAFETY: as `product`.
        unsafe {
            if self.refin {
                let quotient = high ^ product(high, self.quotient)[0] << 1;
                let [low, upper] = product(quotient, self.poly);
                return upper << 1 | low >> 63;
            }
            let quotient = high ^ product(high, self.quotient)[1];
            product(quotient, self.poly)[0]
        }
    }

    /// The register after a block that stands for all bytes before.
    #[inline(always)]
    unsafe fn closed(&self, block: __m128i) -> u64 {
        // SAFETY: as `product`.
        unsafe {
            let [lower, upper] = words(block);
            let (high, low) = if self.refin { (lower, upper) } else { (upper, lower) };
            let [lower, upper] = product(high, self.last);
            match self.refin {
                true => self.reduced(lower ^ low) ^ upper,
                false => self.reduced(upper ^ low) ^ lower,
            }
        }
    }

    /// The register after at most eight bytes.
    #[inline(always)]
    unsafe fn few(&self, register: u64, data: &[u8]) -> u64 {
        let bits = 8 * data.len() as u32;
        if bits == 0 {
            return register;
        }
        let word = word(data);
        let rest = |moved: Option<u64>| moved.unwrap_or(0);
        // SAFETY: as `product`.
        unsafe {
            if self.refin {
                self.reduced((register ^ word) << (64 - bits)) ^ rest(register.checked_shr(bits))
            } else {
                let front = register ^ word.swap_bytes();
                self.reduced(front >> (64 - bits)) ^ rest(register.checked_shl(bits))
            }
        }
    }

    /// Vectors of `AT_ONCE` while there are that many bytes, then one after the other.
    #[inline(always)]
    unsafe fn folded<V: Vector, const AT_ONCE: usize>(&self, register: u64, data: &[u8]) -> u64 {
        let (mut at, end) = (0, data.len());
        // SAFETY: as `product`; what is loaded lies before `end`.
        unsafe {
            let load = |at: usize| V::load(data.as_ptr().add(at), self.refin);
            let size = BLOCK * V::BLOCKS;
            let register_block = pair(if self.refin { [register, 0] } else { [0, register] });
            let mut sum = None;
            if end >= size * AT_ONCE {
                let mut sums: [V; AT_ONCE] = std::array::from_fn(|i| load(i * size));
                sums[0] = sums[0].xor(V::first(register_block));
                at = size * AT_ONCE;
                let by = V::all(pair(self.before[(V::BLOCKS * AT_ONCE).ilog2() as usize]));
                while end - at >= size * AT_ONCE {
                    for (i, sum) in sums.iter_mut().enumerate() {
                        *sum = sum.onto(by, load(at + i * size));
                    }
                    at += size * AT_ONCE;
                }
                // Halves onto each other, so that products wait for few before them.
                let mut half = AT_ONCE / 2;
                while half > 0 {
                    let by = V::all(pair(self.before[(V::BLOCKS * half).ilog2() as usize]));
                    for i in 0..half {
                        sums[i] = sums[i].onto(by, sums[i + half]);
                    }
                    half /= 2;
                }
                sum = Some(sums[0].together(&self.before));
            }
            let by = pair(self.before[0]);
            let block = |at: usize| <__m128i as Vector>::load(data.as_ptr().add(at), self.refin);
            let mut register = register;
            if sum.is_none() && end - at >= BLOCK {
                sum = Some(block(at).xor(register_block));
                at += BLOCK;
            }
            if let Some(mut sum) = sum {
                while end - at >= BLOCK {
                    sum = sum.onto(by, block(at));
                    at += BLOCK;
                }
                register = self.closed(sum);
            }
            let rest = &data[at..];
            let (first, last) = rest.split_at(rest.len().min(8));
            self.few(self.few(register, first), last)
        }
    }
}

/// Up to eight bytes, the first lowest, the lower end empty.
#[inline(always)]
fn word(data: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..data.len()].copy_from_slice(data);
    u64::from_le_bytes(bytes)
}

pub(super) fn has_clmul() -> bool {
    std::arch::is_x86_feature_detected!("pclmulqdq") && std::arch::is_x86_feature_detected!("ssse3")
}

pub(super) fn has_vpclmul_avx2() -> bool {
    has_clmul() && crate::block::cpu::has_avx2() && std::arch::is_x86_feature_detected!("vpclmulqdq")
}

pub(super) fn has_vpclmul_avx512() -> bool {
    has_vpclmul_avx2() && crate::block::cpu::has_avx512()
}

/// # Safety
/// The CPU has PCLMULQDQ and SSSE3.
#[target_feature(enable = "pclmulqdq,ssse3")]
pub(super) unsafe fn clmul(folding: &'static Folding, register: u64, data: &[u8]) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { folding.folded::<__m128i, 8>(register, data) }
}

/// # Safety
/// The CPU has VPCLMULQDQ and AVX2.
#[target_feature(enable = "pclmulqdq,vpclmulqdq,avx2")]
pub(super) unsafe fn avx2(folding: &'static Folding, register: u64, data: &[u8]) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { folding.folded::<__m256i, 8>(register, data) }
}

/// # Safety
/// The CPU has VPCLMULQDQ and AVX-512 (F, BW and VL).
#[target_feature(enable = "pclmulqdq,vpclmulqdq,avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn avx512(folding: &'static Folding, register: u64, data: &[u8]) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { folding.folded::<__m512i, 4>(register, data) }
}
