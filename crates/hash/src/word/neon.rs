//! NEON: the operations of its registers in one or two instructions, and how words are loaded from messages.
//!
//! Shift counts are part of the instructions, so a rotation is a match over all counts, of which one arm remains if the
//! count is a constant.
#![allow(unsafe_code)]

use super::operations::{Endian, Word, Word32, Word64};
use super::register::word;
use super::unroll::array;
use std::arch::aarch64::*;

/// Functions of a register and a count, from intrinsics that require a constant count.
macro_rules! counts {
    ($rotl:ident $shr:ident: $reg:ty, $width:literal, $shl:ident $sri:ident $ushr:ident,
     [$($whole:literal => $bytes:ident),*] $($n:literal)*) => {
        /// Rotation to the left.
        #[inline(always)]
        unsafe fn $rotl(x: $reg, bits: u32) -> $reg {
            // SAFETY: only NEON rows call this.
            unsafe {
                match bits {
                    $($whole => $bytes(x),)*
                    $($n => $sri::<{ $width - $n }>($shl::<$n>(x), x),)*
                    _ => x,
                }
            }
        }
        /// Shift to the right.
        #[inline(always)]
        unsafe fn $shr(x: $reg, bits: u32) -> $reg {
            // SAFETY: only NEON rows call this.
            unsafe {
                match bits {
                    $($whole => $ushr::<$whole>(x),)*
                    $($n => $ushr::<$n>(x),)*
                    _ => x,
                }
            }
        }
    };
}
#[rustfmt::skip]
counts!(rotl32 shr32: uint32x4_t, 32, vshlq_n_u32 vsriq_n_u32 vshrq_n_u32,
    [8 => bytes_32_8, 16 => halves, 24 => bytes_32_24]
    1 2 3 4 5 6 7 9 10 11 12 13 14 15 17 18 19 20 21 22 23 25 26 27 28 29 30 31);
#[rustfmt::skip]
counts!(rotl64 shr64: uint64x2_t, 64, vshlq_n_u64 vsriq_n_u64 vshrq_n_u64,
    [8 => bytes_64_8, 32 => words, 40 => bytes_64_40, 48 => bytes_64_48, 56 => bytes_64_56]
    1 2 3 4 5 6 7 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    33 34 35 36 37 38 39 41 42 43 44 45 46 47 49 50 51 52 53 54 55 57 58 59 60 61 62 63);

/// Rotations by complete bytes: a byte shuffle instead of two shifts.
macro_rules! bytes {
    ($($name:ident: $reg:ty, $size:literal by $bytes:literal, $from:ident $to:ident;)*) => {$(
        #[inline(always)]
        unsafe fn $name(x: $reg) -> $reg {
            const FROM: [u8; 16] = {
                let mut from = [0; 16];
                let mut i = 0;
                while i < 16 {
                    from[i] = (i / $size * $size + (i + $size - $bytes) % $size) as u8;
                    i += 1;
                }
                from
            };
            // SAFETY: only NEON rows call this, and sixteen bytes are read.
            unsafe { $to(vqtbl1q_u8($from(x), vld1q_u8(FROM.as_ptr()))) }
        }
    )*};
}
bytes! {
    bytes_32_8: uint32x4_t, 4 by 1, vreinterpretq_u8_u32 vreinterpretq_u32_u8;
    bytes_32_24: uint32x4_t, 4 by 3, vreinterpretq_u8_u32 vreinterpretq_u32_u8;
    bytes_64_8: uint64x2_t, 8 by 1, vreinterpretq_u8_u64 vreinterpretq_u64_u8;
    bytes_64_40: uint64x2_t, 8 by 5, vreinterpretq_u8_u64 vreinterpretq_u64_u8;
    bytes_64_48: uint64x2_t, 8 by 6, vreinterpretq_u8_u64 vreinterpretq_u64_u8;
    bytes_64_56: uint64x2_t, 8 by 7, vreinterpretq_u8_u64 vreinterpretq_u64_u8;
}

/// Rotation by half a word.
#[inline(always)]
unsafe fn halves(x: uint32x4_t) -> uint32x4_t {
    // SAFETY: only NEON rows call this.
    unsafe { vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(x))) }
}

/// The same as for [`halves`], with 64-bit lanes.
#[inline(always)]
unsafe fn words(x: uint64x2_t) -> uint64x2_t {
    // SAFETY: only NEON rows call this.
    unsafe { vreinterpretq_u64_u32(vrev64q_u32(vreinterpretq_u32_u64(x))) }
}

word!(
    U32x4, "Four 32-bit lanes, NEON.", uint32x4_t, u32, 4,
    |v| vdupq_n_u32(v), vld1q_u32, vst1q_u32, vaddq_u32, vsubq_u32, veorq_u32, vandq_u32, vorrq_u32, |a, b| vbicq_u32(b, a),
    rotl32, shr32, select vbslq_u32
);
word!(
    U64x2, "Two 64-bit lanes, NEON.", uint64x2_t, u64, 2,
    |v| vdupq_n_u64(v), vld1q_u64, vst1q_u64, vaddq_u64, vsubq_u64, veorq_u64, vandq_u64, vorrq_u64, |a, b| vbicq_u64(b, a),
    rotl64, shr64, select vbslq_u64
);
// Intrinsics are inlined only into functions with the same target features, and a trait's functions cannot have any.
macro_rules! sha3 {
    ($($name:ident($($arg:ident),*) $(<$bits:ident>)? = $intrinsic:ident;)*) => {$(
        #[target_feature(enable = "neon,sha3")]
        #[inline]
        fn $name$(<const $bits: i32>)?($($arg: uint64x2_t),*) -> uint64x2_t {
            $intrinsic$(::<$bits>)?($($arg),*)
        }
    )*};
}
sha3! {
    eor3(a, b, c) = veor3q_u64;
    bcax(a, b, c) = vbcaxq_u64;
    rax1(a, b) = vrax1q_u64;
    xar(a, b) <BITS> = vxarq_u64;
}

word!(
    Sha3U64x2, "Two 64-bit lanes, NEON with the instructions for SHA-3.", uint64x2_t, u64, 2,
    |v| vdupq_n_u64(v), vld1q_u64, vst1q_u64, vaddq_u64, vsubq_u64, veorq_u64, vandq_u64, vorrq_u64, |a, b| vbicq_u64(b, a),
    rotl64, shr64, select vbslq_u64;
    #[inline(always)]
    fn xor3(self, a: Self, b: Self) -> Self {
        // SAFETY: the row's features.
        unsafe { Sha3U64x2(eor3(self.0, a.0, b.0)) }
    }
    #[inline(always)]
    fn xor_andnot(self, a: Self, b: Self) -> Self {
        // SAFETY: the row's features.
        unsafe { Sha3U64x2(bcax(self.0, b.0, a.0)) }
    }
    #[inline(always)]
    fn xor_rotl1(self, other: Self) -> Self {
        // SAFETY: the row's features.
        unsafe { Sha3U64x2(rax1(self.0, other.0)) }
    }
    #[inline(always)]
    fn xor_rotl(self, other: Self, bits: u32) -> Self {
        macro_rules! turned {
            ($($n:literal)*) => {
                match bits {
                    // SAFETY: the row's features.
                    $($n => unsafe { Sha3U64x2(xar::<{ 64 - $n }>(self.0, other.0)) },)*
                    _ => self.xor(other),
                }
            };
        }
        turned!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
            33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63)
    }
);

impl Word32 for U32x4 {
    #[inline(always)]
    unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 16] {
        // SAFETY: pointers are valid for `offset + 64` bytes by the contract of `chunk`, loads are of bytes, and the
        // features are those of the row that inlines it.
        unsafe {
            let mut words = [vdupq_n_u32(0); 16];
            for quarter in 0..4 {
                let r: [uint32x4_t; 4] = array![4; lane => {
                    let bytes = vld1q_u8((*messages.add(lane)).add(offset + 16 * quarter));
                    vreinterpretq_u32_u8(if order == Endian::Big { vrev32q_u8(bytes) } else { bytes })
                }];
                // Pairs of rows are interleaved by words, pairs of pairs by double words.
                let t: [uint64x2_t; 4] = array![4; i => {
                    let (a, b) = (r[i / 2 * 2], r[i / 2 * 2 + 1]);
                    vreinterpretq_u64_u32(if i % 2 == 0 { vtrn1q_u32(a, b) } else { vtrn2q_u32(a, b) })
                }];
                for i in 0..2 {
                    words[4 * quarter + i] = vreinterpretq_u32_u64(vtrn1q_u64(t[i], t[i + 2]));
                    words[4 * quarter + i + 2] = vreinterpretq_u32_u64(vtrn2q_u64(t[i], t[i + 2]));
                }
            }
            array![16; i => U32x4(words[i])]
        }
    }
}

/// [`Word64::chunk`] for two messages.
macro_rules! two {
    ($($name:ident)*) => {$(
        impl Word64 for $name {
            #[inline(always)]
            unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 8] {
                // SAFETY: as above.
                unsafe {
                    let mut words = [vdupq_n_u64(0); 8];
                    for pair in 0..4 {
                        let r: [uint64x2_t; 2] = array![2; lane => {
                            let bytes = vld1q_u8((*messages.add(lane)).add(offset + 16 * pair));
                            vreinterpretq_u64_u8(if order == Endian::Big { vrev64q_u8(bytes) } else { bytes })
                        }];
                        words[2 * pair] = vtrn1q_u64(r[0], r[1]);
                        words[2 * pair + 1] = vtrn2q_u64(r[0], r[1]);
                    }
                    array![8; i => $name(words[i])]
                }
            }
        }
    )*};
}
two!(U64x2 Sha3U64x2);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::cpu;

    /// Compares every operation with that of one lane; words have bits that differ at all positions.
    macro_rules! agrees {
        ($word:ty, $lane:ty) => {{
            const LANES: usize = <$word as Word>::LANES;
            let lanes = |seed: u64| -> [$lane; LANES] {
                std::array::from_fn(|i| (seed ^ i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) as $lane)
            };
            let (a, b, c) = (lanes(1), lanes(2), lanes(3));
            let is = |found: $word, what: &str, wanted: &dyn Fn($lane, $lane, $lane) -> $lane| {
                let mut out: [$lane; LANES] = [0; LANES];
                // SAFETY: NEON is part of AArch64, the SHA-3 instructions were tested for, and there is space for the
                // lanes.
                unsafe { found.store(out.as_mut_ptr()) };
                let wanted: [$lane; LANES] = std::array::from_fn(|i| wanted(a[i], b[i], c[i]));
                assert_eq!(out, wanted, "{what}");
            };
            // SAFETY: as above.
            let (x, y, z): ($word, $word, $word) = unsafe {
                (Word::load(a.as_ptr()), Word::load(b.as_ptr()), Word::load(c.as_ptr()))
            };
            for bits in 1..<$lane>::BITS {
                is(x.rotl(bits), &format!("rotl {bits}"), &|a, _, _| a.rotate_left(bits));
                is(x.rotr(bits), &format!("rotr {bits}"), &|a, _, _| a.rotate_right(bits));
                is(x.shr(bits), &format!("shr {bits}"), &|a, _, _| a >> bits);
                is(x.xor_rotl(y, bits), &format!("xor_rotl {bits}"), &|a, b, _| (a ^ b).rotate_left(bits));
            }
            is(x.add(y), "add", &|a, b, _| a.wrapping_add(b));
            is(x.sub(y), "sub", &|a, b, _| a.wrapping_sub(b));
            is(x.or(y), "or", &|a, b, _| a | b);
            is(x.and(y), "and", &|a, b, _| a & b);
            is(x.andnot(y), "andnot", &|a, b, _| !a & b);
            is(x.not(), "not", &|a, _, _| !a);
            is(x.choose(y, z), "choose", &|a, b, c| a & b | !a & c);
            is(x.majority(y, z), "majority", &|a, b, c| a & b | a & c | b & c);
            is(x.xor3(y, z), "xor3", &|a, b, c| a ^ b ^ c);
            is(x.xor_andnot(y, z), "xor_andnot", &|a, b, c| a ^ !b & c);
            is(x.xor_rotl1(y), "xor_rotl1", &|a, b, _| a ^ b.rotate_left(1));
        }};
    }

    #[test]
    fn vector_operations_match_scalar_lanes() {
        agrees!(U32x4, u32);
        agrees!(U64x2, u64);
        if cpu::has(cpu::SHA3) {
            agrees!(Sha3U64x2, u64);
        }
    }
}
