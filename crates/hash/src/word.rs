//! Machine words that contain one value of each of `LANES` messages. Kernels are generic over them.
//!
//! A kernel body is generic over [`Word32`] or [`Word64`]. Instantiated for `u32` or `u64` it is the portable kernel
//! for one message; for a SIMD register it hashes 2 to 16 messages; [`X2`] runs two registers side by side if one alone
//! would wait for its own results. Each operation is one instruction, or one that LLVM combines from several
//! (`vpternlog`, `vprol`), which a test verifies in the disassembly.
//!
//! All methods are `inline(always)`: they inherit the target features of the kernel row into which they are inlined,
//! and are correct only there. Therefore constructing a word is `unsafe`; once it exists, its operations are safe.

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
#[cfg(target_arch = "x86_64")]
pub(crate) use operations::HalfChunk;
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
