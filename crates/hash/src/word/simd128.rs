//! WebAssembly SIMD: a list of one-line operations, and how words are loaded from messages.
//!
//! An engine without SIMD rejects a module that contains these instructions. So SIMD is a build option and not detected
//! at run time: these words exist if all code is compiled for them (`-C target-feature=+simd128`).
#![allow(unsafe_code)]
#![allow(unused_unsafe, reason = "intrinsics are safe to call only where all code is compiled for them")]

use super::operations::{Endian, Word, Word32, Word64};
use super::register::{sixteen, word};
use super::unroll::array;
use std::arch::wasm32::*;

word!(
    U32x4,
    "Four 32-bit lanes, simd128.",
    v128,
    u32,
    4,
    u32x4_splat,
    v128_load,
    v128_store,
    u32x4_add,
    u32x4_sub,
    v128_xor,
    v128_and,
    v128_or,
    |a, b| v128_andnot(b, a),
    |x, n| v128_or(u32x4_shl(x, n), u32x4_shr(x, 32 - n)),
    u32x4_shr,
    select | mask,
    a,
    b | v128_bitselect(a, b, mask)
);
word!(
    U64x2,
    "Two 64-bit lanes, simd128.",
    v128,
    u64,
    2,
    u64x2_splat,
    v128_load,
    v128_store,
    u64x2_add,
    u64x2_sub,
    v128_xor,
    v128_and,
    v128_or,
    |a, b| v128_andnot(b, a),
    |x, n| v128_or(u64x2_shl(x, n), u64x2_shr(x, 64 - n)),
    u64x2_shr,
    select | mask,
    a,
    b | v128_bitselect(a, b, mask)
);

/// Shuffles of two registers.
macro_rules! shuffles {
    ($($name:ident: $shuffle:ident $($lane:literal)*;)*) => {$(
        #[inline(always)]
        fn $name(a: v128, b: v128) -> v128 {
            $shuffle::<$($lane),*>(a, b)
        }
    )*};
}
shuffles! {
    low32: u32x4_shuffle 0 4 1 5;
    high32: u32x4_shuffle 2 6 3 7;
    low64: u64x2_shuffle 0 2;
    high64: u64x2_shuffle 1 3;
    bytes32: u8x16_shuffle 3 2 1 0 7 6 5 4 11 10 9 8 15 14 13 12;
    bytes64: u8x16_shuffle 7 6 5 4 3 2 1 0 15 14 13 12 11 10 9 8;
}

#[inline(always)]
fn swap32(x: v128) -> v128 {
    bytes32(x, x)
}

#[inline(always)]
fn swap64(x: v128) -> v128 {
    bytes64(x, x)
}

sixteen!(U32x4 U64x2: v128, v128_load, swap32 low32 high32, swap64 low64 high64);
