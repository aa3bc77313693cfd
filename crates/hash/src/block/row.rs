//! Kernel rows and their selection: which code processes the blocks of an algorithm on this CPU.
//!
//! A family lists its rows best first; the last one is portable. A row's code can be reached only through a
//! [`Runnable`], which [`Kernel::runnable`] returns only if the CPU has the required features: having one is the proof.
//! `TRUESUM_KERNEL=avx2` leaves only the rows of that instruction set and the portable one, for tests, benchmarks and
//! bug reports.
#![allow(unsafe_code)]

use super::cpu::{self, Features};
use std::ops::Deref;
use std::sync::OnceLock;

/// Processes `blocks` blocks for each of `lanes` messages.
///
/// `state` is `[word][lane]`; `messages` contains `lanes` pointers, each valid for `blocks` complete blocks.
pub(crate) type Advance<T> = unsafe fn(state: *mut T, messages: *const *const u8, blocks: usize);

/// The code of a row, by word size.
#[derive(Clone, Copy)]
pub(crate) enum Code {
    Word32(Advance<u32>),
    Word64(Advance<u64>),
}

readable! {
    /// One row: an instruction set and the number of messages it processes at once.
    pub struct Kernel {
        /// The instruction set: `portable`, `sse2`, `avx2`, `avx512`, `sha-ni`, `neon`, `simd128` and so on.
        isa: &'static str,
        /// The number of messages per call.
        lanes: usize,
    }
    private {
        /// The smaller of the next two, which rules out most rows quickly.
        least: usize,
        from: usize,
        /// The value used instead of `from` on CPUs that lack these features.
        without: (Features, usize),
        needs: Features,
        code: Code,
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Kernel({} x {})", self.isa, self.lanes)
    }
}

impl Kernel {
    /// # Safety
    /// A CPU that has what the row `needs` has the features for which `code` is compiled, and `code` fulfils the
    /// contract of [`Advance`].
    pub(crate) const unsafe fn new(
        isa: &'static str,
        lanes: usize,
        from: usize,
        without: (Features, usize),
        needs: Features,
        code: Code,
    ) -> Kernel {
        // A row must not require more messages than it has lanes; one more than that means that it is never faster.
        // Callers that count up to the highest threshold therefore end.
        assert!(from <= lanes && (without.1 <= lanes + 1 || without.0.is_empty()));
        let least = if without.1 < from { without.1 } else { from };
        Kernel { isa, lanes, least, from, without, needs, code }
    }

    /// Returns the minimum number of busy lanes at which this row is faster than the rows after it on this class of
    /// CPU, as measured.
    pub fn from_busy(&self) -> usize {
        self.least_busy(cpu::in_use())
    }

    #[inline]
    fn least_busy(&self, used: Features) -> usize {
        // The default of `without`, the empty set, is part of every set: then `from` applies.
        if used.has(self.without.0) { self.from } else { self.without.1 }
    }

    /// Returns the row in a form that can be run; `None` if this CPU lacks its features or they are disabled.
    pub fn runnable(&'static self) -> Option<Runnable> {
        self.supported().then_some(Runnable(self))
    }

    /// Returns whether this CPU can run the row with the features in use.
    pub fn supported(&self) -> bool {
        cpu::has(self.needs)
    }

    /// Returns whether this CPU could run the row, but [`limit`](crate::kernel::limit) disabled its features.
    pub(crate) fn left_out(&self) -> bool {
        !self.supported() && cpu::available().has(self.needs)
    }

    /// Returns the size of its words in bytes.
    pub(crate) fn word_len(&self) -> usize {
        match self.code {
            Code::Word32(_) => 4,
            Code::Word64(_) => 8,
        }
    }

    /// Returns whether `TRUESUM_KERNEL` permits the row.
    pub(crate) fn allowed(&self) -> bool {
        // Families without a row for the selected instruction set need a kernel too.
        self.isa == "portable" || forced().is_none_or(|isa| isa == self.isa)
    }
}

/// A row that this CPU can run.
#[derive(Clone, Copy, Debug)]
pub struct Runnable(&'static Kernel);

impl Runnable {
    /// Returns the row itself.
    pub fn row(self) -> &'static Kernel {
        self.0
    }

    /// Returns the function to call, on a CPU that has the required features.
    pub(crate) fn code(self) -> Code {
        self.0.code
    }
}

impl Deref for Runnable {
    type Target = Kernel;

    fn deref(&self) -> &Kernel {
        self.0
    }
}

/// Returns the instruction set selected by `TRUESUM_KERNEL`, if any.
pub fn forced() -> Option<&'static str> {
    static FORCED: OnceLock<Option<String>> = OnceLock::new();
    // Read once: rows are picked for every short message, and the environment is behind a lock.
    FORCED.get_or_init(|| std::env::var("TRUESUM_KERNEL").ok().filter(|isa| !isa.is_empty())).as_deref()
}

/// Returns the row for `busy` messages on this CPU.
///
/// # Panics
/// If there are no rows, or if the last one requires CPU features.
pub fn pick(rows: &'static [Kernel], busy: usize) -> Runnable {
    // Read once, because rows are selected for every short message.
    let used = cpu::in_use();
    rows.iter()
        .filter(|row| row.least <= busy)
        .find(|row| used.has(row.needs) && row.least_busy(used) <= busy && row.allowed())
        .map(Runnable)
        // A caller that selected a single row gets it for any number of messages.
        .or_else(|| rows.last()?.runnable())
        .expect("a family ends with its portable row")
}

/// The instruction sets for which rows are compiled: the condition for such code, the displayed name, the compiler's
/// features, and the same in the feature table. Expands to `then!` with these and the following arguments.
macro_rules! isa {
    (avx512 $then:ident $($rest:tt)*) => {
        $crate::block::row::$then! { (target_arch = "x86_64"), "avx512", "avx512f,avx512bw,avx512vl", [AVX512], $($rest)* }
    };
    (avx512_bmi2 $then:ident $($rest:tt)*) => {
        $crate::block::row::$then! { (target_arch = "x86_64"), "avx512", "avx512f,avx512bw,avx512vl,bmi1,bmi2", [AVX512 BMI2], $($rest)* }
    };
    (avx2 $then:ident $($rest:tt)*) => {
        $crate::block::row::$then! { (target_arch = "x86_64"), "avx2", "avx2", [AVX2], $($rest)* }
    };
    (avx2_bmi2 $then:ident $($rest:tt)*) => {
        $crate::block::row::$then! { (target_arch = "x86_64"), "avx2", "avx2,bmi1,bmi2", [AVX2 BMI2], $($rest)* }
    };
    // Scalar code, but listed with AVX2, which appeared in the same CPUs: `TRUESUM_KERNEL=avx2`
    // selects the code that such a CPU would run.
    (bmi2 $then:ident $($rest:tt)*) => {
        $crate::block::row::$then! { (target_arch = "x86_64"), "avx2", "bmi1,bmi2", [AVX2 BMI2], $($rest)* }
    };
    (sse2 $then:ident $($rest:tt)*) => {
        $crate::block::row::$then! { (target_arch = "x86_64"), "sse2", "sse2", [SSE2], $($rest)* }
    };
    (avx512_gfni $then:ident $($rest:tt)*) => {
        $crate::block::row::$then! {
            (target_arch = "x86_64"), "avx512", "avx512f,avx512bw,avx512vl,avx512vbmi,gfni", [AVX512 VBMI GFNI], $($rest)*
        }
    };
    (sha_ni $then:ident $($rest:tt)*) => {
        $crate::block::row::$then! { (target_arch = "x86_64"), "sha-ni", "sha,ssse3,sse4.1", [SHA SSSE3 SSE41], $($rest)* }
    };
    (neon $then:ident $($rest:tt)*) => {
        $crate::block::row::$then! { (target_arch = "aarch64"), "neon", "neon", [NEON], $($rest)* }
    };
    (sha2 $then:ident $($rest:tt)*) => {
        $crate::block::row::$then! { (target_arch = "aarch64"), "sha2", "neon,sha2", [NEON SHA2], $($rest)* }
    };
    (sha512 $then:ident $($rest:tt)*) => {
        $crate::block::row::$then! { (target_arch = "aarch64"), "sha512", "neon,sha3", [NEON SHA3], $($rest)* }
    };
    (sha3 $then:ident $($rest:tt)*) => {
        $crate::block::row::$then! { (target_arch = "aarch64"), "sha3", "neon,sha3", [NEON SHA3], $($rest)* }
    };
    (simd128 $then:ident $($rest:tt)*) => {
        $crate::block::row::$then! {
            (all(target_arch = "wasm32", target_feature = "simd128")), "simd128", "simd128", [SIMD128], $($rest)*
        }
    };
}
pub(crate) use isa;

/// Defines a row for [`kernels`].
macro_rules! row {
    ($there:tt, $isa:literal, $features:literal, [$($needs:ident)*], $lanes:literal [$busy:literal $(or $other:literal without $lacking:ident)?] $code:ident $name:ident) => {
        // SAFETY: the features and the row's requirements come from the same line of `isa!`, and the function fulfils
        // the contract of `Advance`.
        unsafe {
            $crate::block::Kernel::new(
                $isa,
                $lanes,
                $busy,
                $crate::block::row::without!($($other $lacking)?),
                $crate::block::cpu::Features::NONE$(.and($crate::block::cpu::$needs))*,
                $crate::block::Code::$code($name),
            )
        }
    };
}
pub(crate) use row;

/// Returns the second threshold of a row for [`kernels`].
macro_rules! without {
    () => {
        ($crate::block::cpu::Features::NONE, usize::MAX)
    };
    ($other:literal $lacking:ident) => {
        ($crate::block::cpu::$lacking, $other)
    };
}
pub(crate) use without;

/// Defines a function for [`kernels`], compiled for a set of CPU features.
macro_rules! instance {
    (($($there:tt)*), $isa:literal, $features:literal, [$($needs:ident)*], $name:ident $lane:ty, $body:ident[$($word:tt)*]) => {
        #[cfg($($there)*)]
        #[target_feature(enable = $features)]
        unsafe fn $name(state: *mut $lane, messages: *const *const u8, blocks: usize) {
            // SAFETY: the same contract; this function runs only if its features are available (`Runnable`).
            unsafe { $body::<$($word)*>(state, messages, blocks) }
        }
    };
}
pub(crate) use instance;

/// Defines the rows of a family and the functions that they run: one line each, best first,
///
/// `function: instruction set x lanes, from the fewest busy lanes where it is ahead = body[word];`
///
/// with `or N without FEATURE` after that number if it differs on CPUs without the feature, and one more than the
/// number of lanes if the row is never faster there; for each architecture, with the portable ones at the end. `body`
/// is `#[inline(always)] unsafe fn<W>(state: *mut Lane, messages: *const *const u8, blocks: usize)`.
macro_rules! kernels {
    (
        $vis:vis static $rows:ident: $code:ident of $lane:ty;
        x86_64 { $($name:ident: $isa:ident x $lanes:literal, from $busy:literal $(or $other:literal without $lacking:ident)? = $body:ident[$($word:tt)*];)* }
        $(aarch64 { $($arm:ident: $set:ident x $wide:literal, from $ahead:literal = $inner:ident[$($type:tt)*];)* })?
        $(wasm32 { $($web:ident: simd128 x $many:literal, from $enough:literal = $within:ident[$($vector:tt)*];)* })?
        portable { $($plain:ident: x $few:literal, from $least:literal = $simple:ident[$($scalar:tt)*];)* }
    ) => {
        $vis static $rows: &[$crate::block::Kernel] = &[
            $(
                #[cfg(target_arch = "x86_64")]
                $crate::block::row::isa! { $isa row $lanes [$busy $(or $other without $lacking)?] $code $name },
            )*
            $($(
                #[cfg(target_arch = "aarch64")]
                $crate::block::row::isa! { $set row $wide [$ahead] $code $arm },
            )*)?
            $($(
                #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
                $crate::block::row::isa! { simd128 row $many [$enough] $code $web },
            )*)?
            $($crate::block::row::row!((), "portable", "", [], $few [$least] $code $plain),)*
        ];
        $($crate::block::row::isa! { $isa instance $name $lane, $body[$($word)*] })*
        $($($crate::block::row::isa! { $set instance $arm $lane, $inner[$($type)*] })*)?
        $($($crate::block::row::isa! { simd128 instance $web $lane, $within[$($vector)*] })*)?
        $(
            unsafe fn $plain(state: *mut $lane, messages: *const *const u8, blocks: usize) {
                // SAFETY: the same contract.
                unsafe { $simple::<$($scalar)*>(state, messages, blocks) }
            }
        )*
    };
}
pub(crate) use kernels;

/// Defines a chain with a single portable row, for algorithms that are rarely used for much data. `compress` is a safe
/// function that processes the blocks of one message: `fn(state: &mut [Lane; WORDS], blocks: &[Block])`, where a block
/// is an array of words, each an array of bytes.
///
/// The row's casts are sound because the chain takes the sizes of its state and its blocks from the same place.
#[rustfmt::skip]
macro_rules! portable {
    (static $chain:ident: Chain {
        state: $code:ident of [$lane:ty; $words:expr],
        block: [[u8; $bytes:literal]; $count:expr],
        compress: $compress:expr,
        pad: $pad:expr,
        last_blocks: $last:expr,
        output: $output:expr,
    }) => {
        #[allow(unsafe_code)]
        static $chain: $crate::block::Chain = {
            unsafe fn portable(state: *mut $lane, messages: *const *const u8, blocks: usize) {
                // SAFETY: a row with one lane gets a state with the words of its chain and one message of complete
                // blocks, which are bytes and therefore aligned.
                let (state, blocks) = unsafe {
                    let blocks =
                        std::slice::from_raw_parts((*messages).cast::<[[u8; $bytes]; $count]>(), blocks);
                    (&mut *state.cast::<[$lane; $words]>(), blocks)
                };
                $compress(state, blocks);
            }
            $crate::block::Chain {
                block: $bytes * $count,
                words: $words,
                lazy: false,
                kernels: &[$crate::block::row::row!((), "portable", "", [], 1 [1] $code portable)],
                pad: $pad,
                output: $output,
                last_blocks: $last,
                squeeze: None,
            }
        };
    };
}
pub(crate) use portable;
