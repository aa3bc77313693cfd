//! Builds a word from a list of one-line operations: what the registers of all instruction sets share.

/// Defines a word from its register and the intrinsics of its operations. If there is one that selects bits of two
/// registers by those of a third, it is named after `select`. Other operations that are one instruction follow as
/// functions.
macro_rules! word {
    ($name:ident, $doc:literal, $reg:ty, $lane:ty, $lanes:literal,
     $splat:expr, $load:ident, $store:ident, $add:ident, $sub:ident, $xor:ident, $and:ident, $or:ident, $andnot:expr,
     $rotl:expr, $shr:expr $(, select $select:expr)? $(; $($more:item)*)?) => {
        #[doc = $doc]
        #[derive(Clone, Copy)]
        pub(crate) struct $name(pub(crate) $reg);

        // A value of this type exists only inside a kernel row that was compiled for, and runs only on, CPUs with its
        // features (see the constructors' contract): "the row's" below.
        impl Word for $name {
            type Lane = $lane;
            const LANES: usize = $lanes;
            // The registers of AVX-512, and none that is smaller.
            const TERNARY: bool = size_of::<$reg>() == 64;
            #[inline(always)]
            unsafe fn splat(value: $lane) -> Self {
                // SAFETY: the row's features.
                unsafe { $name($splat(value)) }
            }
            #[inline(always)]
            unsafe fn load(from: *const $lane) -> Self {
                // SAFETY: the row's features, and the pointer guaranteed by the caller.
                unsafe { $name($load(from.cast())) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $lane) {
                // SAFETY: the row's features, and the pointer guaranteed by the caller.
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
                unsafe { $name($shr(self.0, bits)) }
            }
            $(
                #[inline(always)]
                fn choose(self, a: Self, b: Self) -> Self {
                    // SAFETY: the row's features.
                    unsafe { $name($select(self.0, a.0, b.0)) }
                }
                #[inline(always)]
                fn majority(self, a: Self, b: Self) -> Self {
                    // Where two agree, that is the majority; otherwise the third decides.
                    self.xor(b).choose(a, b)
                }
            )?
            $($($more)*)?
        }
    };
}
/// [`Word32::chunk`](super::Word32::chunk) and [`Word64::chunk`](super::Word64::chunk) of two words in registers of
/// sixteen bytes: the intrinsics that load one, reverse the bytes inside each lane, and interleave the lower and the
/// upper halves of two.
#[cfg(not(target_arch = "aarch64"))]
macro_rules! sixteen {
    ($narrow:ident $wide:ident: $reg:ty, $load:ident, $swap32:ident $low32:ident $high32:ident, $swap64:ident $low64:ident $high64:ident) => {
        impl Word32 for $narrow {
            #[inline(always)]
            unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 16] {
                // SAFETY: pointers are valid for `offset + 64` bytes by the contract of `chunk`, loads are unaligned
                // ones, and the features are those of the row that inlines it.
                unsafe {
                    let mut words = [Self::splat(0); 16];
                    for quarter in 0..4 {
                        let mut r: [$reg; 4] = array![4; lane => {
                            $load((*messages.add(lane)).add(offset + 16 * quarter).cast())
                        }];
                        if order == Endian::Big {
                            r = array![4; i => $swap32(r[i])];
                        }
                        let (a, b) = ($low32(r[0], r[1]), $high32(r[0], r[1]));
                        let (c, d) = ($low32(r[2], r[3]), $high32(r[2], r[3]));
                        words[4 * quarter] = $narrow($low64(a, c));
                        words[4 * quarter + 1] = $narrow($high64(a, c));
                        words[4 * quarter + 2] = $narrow($low64(b, d));
                        words[4 * quarter + 3] = $narrow($high64(b, d));
                    }
                    words
                }
            }
        }

        impl Word64 for $wide {
            #[inline(always)]
            unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 8] {
                // SAFETY: as above.
                unsafe {
                    let mut words = [Self::splat(0); 8];
                    for pair in 0..4 {
                        let mut r: [$reg; 2] = array![2; lane => {
                            $load((*messages.add(lane)).add(offset + 16 * pair).cast())
                        }];
                        if order == Endian::Big {
                            r = array![2; i => $swap64(r[i])];
                        }
                        words[2 * pair] = $wide($low64(r[0], r[1]));
                        words[2 * pair + 1] = $wide($high64(r[0], r[1]));
                    }
                    words
                }
            }
        }
    };
}
#[cfg(not(target_arch = "aarch64"))]
pub(crate) use sixteen;
pub(crate) use word;
