//! How a list of one-line operations becomes a word: what the registers of SSE2, AVX2 and AVX-512 share.

/// A word from its register and the intrinsics of its operations.
macro_rules! word {
    ($name:ident, $doc:literal, $reg:ty, $lane:ty, $lanes:literal,
     $splat:expr, $load:ident, $store:ident, $add:ident, $sub:ident, $xor:ident, $and:ident, $or:ident, $andnot:ident,
     $rotl:expr, $shr:ident) => {
        #[doc = $doc]
        #[derive(Clone, Copy)]
        pub(crate) struct $name($reg);

        // A value of this type exists only inside a kernel row that was compiled for, and runs only on, CPUs with its
        // features (see the constructors' contract): "the row's" below.
        impl Word for $name {
            type Lane = $lane;
            const LANES: usize = $lanes;
            const TERNARY: bool = size_of::<$reg>() == 64;
            #[inline(always)]
            unsafe fn splat(value: $lane) -> Self {
                // SAFETY: the row's features.
                unsafe { $name($splat(value)) }
            }
            #[inline(always)]
            unsafe fn load(from: *const $lane) -> Self {
                // SAFETY: the row's features, and the pointer by the caller's promise.
                unsafe { $name($load(from.cast())) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $lane) {
                // SAFETY: the row's features, and the pointer by the caller's promise.
                unsafe { $store(to.cast(), self.0) }
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: the row's features.
                unsafe { $name($add(self.0, other.0)) }
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                // SAFETY: the row's features.
                unsafe { $name($sub(self.0, other.0)) }
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: the row's features.
                unsafe { $name($xor(self.0, other.0)) }
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                // SAFETY: the row's features.
                unsafe { $name($and(self.0, other.0)) }
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                // SAFETY: the row's features.
                unsafe { $name($or(self.0, other.0)) }
            }
            #[inline(always)]
            fn andnot(self, other: Self) -> Self {
                // SAFETY: the row's features.
                unsafe { $name($andnot(self.0, other.0)) }
            }
            #[inline(always)]
            fn not(self) -> Self {
                // SAFETY: the row's features.
                unsafe { self.xor(Self::splat(<$lane>::MAX)) }
            }
            #[inline(always)]
            fn rotl(self, bits: u32) -> Self {
                // SAFETY: the row's features.
                unsafe { $name($rotl(self.0, bits)) }
            }
            #[inline(always)]
            fn shr(self, bits: u32) -> Self {
                // SAFETY: the row's features.
                unsafe { $name($shr(self.0, _mm_cvtsi32_si128(bits as i32))) }
            }
        }
    };
}
pub(crate) use word;

/// A rotation where there is only a shift. Counts are constants once inlined: LLVM then picks the immediate forms.
macro_rules! rotate {
    ($reg:ty, $bits:literal, $sll:ident, $srl:ident, $or:ident) => {
        |x: $reg, n: u32| {
            $or($sll(x, _mm_cvtsi32_si128(n as i32)), $srl(x, _mm_cvtsi32_si128($bits - n as i32)))
        }
    };
}
pub(crate) use rotate;

/// Byte shuffles that reverse the bytes inside each lane.
pub(crate) const SWAP32: [u8; 16] = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];
pub(crate) const SWAP64: [u8; 16] = [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8];
