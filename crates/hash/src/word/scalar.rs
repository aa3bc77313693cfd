//! `u32` and `u64` as words: the portable kernels of one message.
#![allow(unsafe_code)]

use super::operations::{Endian, Word, Word32, Word64};

macro_rules! scalar {
    ($word:ident, $wide:ident, $words:literal) => {
        impl Word for $word {
            type Lane = $word;
            const LANES: usize = 1;
            #[inline(always)]
            unsafe fn splat(value: $word) -> $word {
                value
            }
            #[inline(always)]
            unsafe fn load(from: *const $word) -> $word {
                // SAFETY: guaranteed by the caller.
                unsafe { *from }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $word) {
                // SAFETY: guaranteed by the caller.
                unsafe { *to = self }
            }
            #[inline(always)]
            fn add(self, other: $word) -> $word {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn sub(self, other: $word) -> $word {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn xor(self, other: $word) -> $word {
                self ^ other
            }
            #[inline(always)]
            fn and(self, other: $word) -> $word {
                self & other
            }
            #[inline(always)]
            fn or(self, other: $word) -> $word {
                self | other
            }
            #[inline(always)]
            fn andnot(self, other: $word) -> $word {
                !self & other
            }
            #[inline(always)]
            fn not(self) -> $word {
                !self
            }
            #[inline(always)]
            fn rotl(self, bits: u32) -> $word {
                self.rotate_left(bits)
            }
            #[inline(always)]
            fn shr(self, bits: u32) -> $word {
                self >> bits
            }
        }

        impl $wide for $word {
            #[inline(always)]
            unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [$word; $words] {
                // SAFETY: one message, valid for `offset + 64` bytes guaranteed by the caller; bytes need no alignment.
                let bytes = unsafe { &*(*messages).add(offset).cast::<[u8; 64]>() };
                std::array::from_fn(|i| {
                    let size = std::mem::size_of::<$word>();
                    let word = bytes[i * size..(i + 1) * size].try_into().expect("a slice of a word's size");
                    match order {
                        Endian::Little => $word::from_le_bytes(word),
                        Endian::Big => $word::from_be_bytes(word),
                    }
                })
            }
        }
    };
}
scalar!(u32, Word32, 16);
scalar!(u64, Word64, 8);
