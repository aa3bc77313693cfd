//! Machine words that hold one value of each of `LANES` messages: what kernels are written over.
//!
//! A kernel body is generic over [`Word32`] or [`Word64`]. Instantiated for `u32` or `u64` it is the portable kernel for one
//! message; for a SIMD register it hashes 2 to 16 messages; [`X2`] runs two registers side by side where one alone waits
//! for its own results. The operations are one instruction each, or one that LLVM makes of a few (`vpternlog`,
//! `vprol`): that is checked on the disassembly by a test.
//!
//! All methods are `inline(always)`: they take on the target features of the kernel row they are inlined into, and are
//! correct only there. Constructing a word is `unsafe` for that reason; once one exists, its operations are safe.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod operations;
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod pair;
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod register;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(target_arch = "x86_64")]
mod sse2;
mod unroll;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::{U32x8, U64x4};
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::{U32x16, U64x8};
#[cfg(target_arch = "aarch64")]
pub(crate) use neon::{Sha3U64x2, U32x4, U64x2};
pub(crate) use operations::{Endian, Word, Word32, Word64};
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
pub(crate) use pair::X2;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) use simd128::{U32x4, U64x2};
#[cfg(target_arch = "x86_64")]
pub(crate) use sse2::{U32x4, U64x2};
pub(crate) use unroll::{array, base, section, turns, unknown, unroll};
