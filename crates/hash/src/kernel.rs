//! Kernel rows and the only dispatch: which code advances the blocks of an algorithm on this CPU.
//!
//! A family lists its rows best first; the last is portable. A row is handed out only where [`Kernel::supported`] holds, so
//! holding one is the proof that the CPU can run it. `TRUESUM_KERNEL=avx2` leaves only the rows of that instruction set and
//! the portable one: for tests, benchmarks and bug reports.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind};
use std::sync::OnceLock;

/// Advances the states of `lanes` messages by `blocks` blocks.
///
/// `state` is `[word][lane]`; `messages` holds `lanes` pointers, each valid for `blocks` whole blocks.
pub(crate) type Advance<T> = unsafe fn(state: *mut T, messages: *const *const u8, blocks: usize);

/// The code of a row, by the width of its words.
#[derive(Clone, Copy)]
pub(crate) enum Code {
    Word32(Advance<u32>),
    Word64(Advance<u64>),
}

/// One row: an instruction set and how many messages it advances at once.
pub struct Kernel {
    /// The instruction set: `portable`, `sse2`, `avx2`, `avx512`, `sha-ni` ...
    pub isa: &'static str,
    /// Messages per call.
    pub lanes: usize,
    /// The fewest busy lanes at which this row beats the rows after it, by measurement.
    pub from_busy: usize,
    pub(crate) supported: fn() -> bool,
    pub(crate) code: Code,
}

impl Kernel {
    /// Whether this CPU can run the row.
    pub fn supported(&self) -> bool {
        (self.supported)()
    }

    fn allowed(&self) -> bool {
        self.isa == "portable" || forced().is_none_or(|isa| isa == self.isa)
    }
}

/// The instruction set that `TRUESUM_KERNEL` asks for, if any.
pub fn forced() -> Option<&'static str> {
    static FORCED: OnceLock<Option<String>> = OnceLock::new();
    FORCED.get_or_init(|| std::env::var("TRUESUM_KERNEL").ok().filter(|isa| !isa.is_empty())).as_deref()
}

/// The kernel rows of an algorithm, best first; empty where it is computed one message at a time by a library.
pub fn rows(algorithm: &Algorithm) -> &'static [Kernel] {
    match algorithm.kind {
        Kind::Blocks { family, .. } => family.kernels,
        Kind::Serial(_) | Kind::Composite(_) => &[],
    }
}

/// The row that serves `busy` messages on this CPU.
pub fn pick(rows: &'static [Kernel], busy: usize) -> &'static Kernel {
    rows.iter()
        .find(|row| row.from_busy <= busy && row.allowed() && row.supported())
        .unwrap_or_else(|| rows.last().expect("a family ends with its portable row"))
}

/// How many messages at once keep the best row of this CPU full; 1 where there are no lanes.
pub fn full_lanes(algorithm: &Algorithm) -> usize {
    match rows(algorithm) {
        [] => 1,
        rows => pick(rows, usize::MAX).lanes,
    }
}

/// Whether the CPU has AVX-512 as the kernels use it (F, BW and VL).
pub(crate) fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512bw")
            && std::arch::is_x86_feature_detected!("avx512vl")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Whether the CPU has AVX2.
pub(crate) fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("avx2")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Whether the CPU has the SHA instructions for SHA-1 and SHA-256, and the shuffles their kernels need.
pub(crate) fn has_sha_ni() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("sha")
            && std::arch::is_x86_feature_detected!("ssse3")
            && std::arch::is_x86_feature_detected!("sse4.1")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Whether the CPU has AVX2 and the bit manipulation that scalar code needs beside it.
pub(crate) fn has_avx2_bmi2() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        has_avx2()
            && std::arch::is_x86_feature_detected!("bmi1")
            && std::arch::is_x86_feature_detected!("bmi2")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// As [`has_avx2_bmi2`], with AVX-512.
pub(crate) fn has_avx512_bmi2() -> bool {
    has_avx512() && has_avx2_bmi2()
}

pub(crate) fn always() -> bool {
    true
}

/// Instantiates a kernel body: a function compiled for a set of CPU features that runs `body::<word>`.
///
/// `body` is `#[inline(always)] unsafe fn<W>(state: *mut Lane, messages: *const *const u8, blocks: usize)`.
macro_rules! instance {
    ($name:ident, $features:literal, $lane:ty, $body:ident, $word:ty) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $features)]
        unsafe fn $name(state: *mut $lane, messages: *const *const u8, blocks: usize) {
            // SAFETY: the same contract; this function runs only where its features are (`Kernel::supported`).
            unsafe { $body::<$word>(state, messages, blocks) }
        }
    };
    ($name:ident, portable, $lane:ty, $body:ident, $word:ty) => {
        unsafe fn $name(state: *mut $lane, messages: *const *const u8, blocks: usize) {
            // SAFETY: the same contract.
            unsafe { $body::<$word>(state, messages, blocks) }
        }
    };
}
pub(crate) use instance;
