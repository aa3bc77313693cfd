//! Defines what the registers of SSE2, AVX2 and AVX-512 share in addition to the operations of all words.

/// A rotation for instruction sets with shifts only. Counts are constants once inlined, and LLVM then uses the
/// immediate forms.
macro_rules! rotate {
    ($reg:ty, $bits:literal, $sll:ident, $srl:ident, $or:ident) => {
        |x: $reg, n: u32| {
            $or($sll(x, _mm_cvtsi32_si128(n as i32)), $srl(x, _mm_cvtsi32_si128($bits - n as i32)))
        }
    };
}
pub(crate) use rotate;

/// A shift to the right, with a count as above.
macro_rules! shift {
    ($srl:ident) => {
        |x, n: u32| $srl(x, _mm_cvtsi32_si128(n as i32))
    };
}
pub(crate) use shift;

/// Byte shuffles that reverse the bytes inside each lane.
pub(crate) const SWAP32: [u8; 16] = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];
pub(crate) const SWAP64: [u8; 16] = [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8];
