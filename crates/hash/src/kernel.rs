//! Kernel rows and the only dispatch: which code advances the blocks of an algorithm on this CPU.
//!
//! A family lists its rows best first; the last is portable. A row is handed out only where [`Kernel::supported`] holds, so
//! holding one is the proof that the CPU can run it. `TRUESUM_KERNEL=avx2` leaves only the rows of that instruction set and
//! the portable one: for tests, benchmarks and bug reports.
#![allow(unsafe_code)]

use crate::algorithm::{ALGORITHMS, Algorithm, Kind};
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

/// Whether `TRUESUM_KERNEL`, if set, names an instruction set that some row uses and this CPU has.
///
/// # Errors
/// The text says what is wrong and which values there are. Programs show it and end: rows that were asked for and are not
/// used would make every measurement and bug report wrong.
pub fn check_forced() -> Result<(), String> {
    forced().map_or(Ok(()), check_name)
}

fn check_name(name: &str) -> Result<(), String> {
    let all: Vec<&Kernel> = ALGORITHMS.iter().flat_map(rows).collect();
    let mut runnable: Vec<&str> = Vec::new();
    for row in all.iter().filter(|row| row.supported()) {
        if !runnable.contains(&row.isa) {
            runnable.push(row.isa);
        }
    }
    if runnable.contains(&name) {
        return Ok(());
    }
    let what = match all.iter().any(|row| row.isa == name) {
        true => "this CPU cannot run it",
        false => "no kernel has this name",
    };
    Err(format!("TRUESUM_KERNEL={name}: {what} (this CPU runs {})", runnable.join(", ")))
}

/// What one row does here, and why.
pub struct Service {
    /// The row.
    pub kernel: &'static Kernel,
    /// The smallest and largest number of messages at once that [`pick`] gives to this row; none where another row is always
    /// preferred. No upper bound is `usize::MAX`.
    pub messages: Option<(usize, usize)>,
    /// The reason, in a few words.
    pub why: String,
}

/// Which rows of an algorithm serve which numbers of messages on this CPU, in the order of [`rows`].
pub fn services(algorithm: &Algorithm) -> Vec<Service> {
    let rows = rows(algorithm);
    let most = rows.iter().map(|row| row.from_busy).max().unwrap_or(1);
    let service = |kernel: &'static Kernel| {
        let serves = |count: &usize| std::ptr::eq(pick(rows, *count), kernel);
        let first = (1..=most).find(serves);
        let last = (1..=most).rev().find(serves).map(|last| if last == most { usize::MAX } else { last });
        let why = match (first, forced()) {
            _ if !kernel.supported() => "not supported by this CPU".to_owned(),
            (None, Some(isa)) if !kernel.allowed() => format!("TRUESUM_KERNEL={isa} leaves it out"),
            (None, _) => "slower than another row at every number of messages".to_owned(),
            (Some(_), Some(isa)) if isa == kernel.isa => format!("TRUESUM_KERNEL={isa} asks for it"),
            (Some(1), _) => "fastest for one message, by measurement".to_owned(),
            (Some(first), _) => format!("fastest from {first} messages on, by measurement"),
        };
        Service { kernel, messages: first.zip(last), why }
    };
    rows.iter().map(service).collect()
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

/// The instruction sets that rows are compiled for: the name shown, the features, and the test for them. Expands to
/// `then!` of these and what follows.
macro_rules! isa {
    (avx512 $then:ident $($rest:tt)*) => {
        $crate::kernel::$then! { "avx512", "avx512f,avx512bw,avx512vl", has_avx512, $($rest)* }
    };
    (avx512_bmi2 $then:ident $($rest:tt)*) => {
        $crate::kernel::$then! { "avx512", "avx512f,avx512bw,avx512vl,bmi1,bmi2", has_avx512_bmi2, $($rest)* }
    };
    (avx2 $then:ident $($rest:tt)*) => {
        $crate::kernel::$then! { "avx2", "avx2", has_avx2, $($rest)* }
    };
    (avx2_bmi2 $then:ident $($rest:tt)*) => {
        $crate::kernel::$then! { "avx2", "avx2,bmi1,bmi2", has_avx2_bmi2, $($rest)* }
    };
    (bmi2 $then:ident $($rest:tt)*) => {
        $crate::kernel::$then! { "avx2", "bmi1,bmi2", has_avx2_bmi2, $($rest)* }
    };
    (sse2 $then:ident $($rest:tt)*) => {
        $crate::kernel::$then! { "sse2", "sse2", always, $($rest)* }
    };
    (sha_ni $then:ident $($rest:tt)*) => {
        $crate::kernel::$then! { "sha-ni", "sha,ssse3,sse4.1", has_sha_ni, $($rest)* }
    };
}
pub(crate) use isa;

/// A row for [`kernels`].
macro_rules! row {
    ($isa:literal, $features:literal, $test:ident, $lanes:literal $busy:literal $code:ident $name:ident) => {
        $crate::kernel::Kernel {
            isa: $isa,
            lanes: $lanes,
            from_busy: $busy,
            supported: $crate::kernel::$test,
            code: $crate::kernel::Code::$code($name),
        }
    };
}
pub(crate) use row;

/// A function for [`kernels`], compiled for a set of CPU features.
macro_rules! instance {
    ($isa:literal, $features:literal, $test:ident, $name:ident $lane:ty, $body:ident[$($word:tt)*]) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $features)]
        unsafe fn $name(state: *mut $lane, messages: *const *const u8, blocks: usize) {
            // SAFETY: the same contract; this function runs only where its features are (`Kernel::supported`).
            unsafe { $body::<$($word)*>(state, messages, blocks) }
        }
    };
}
pub(crate) use instance;

/// The rows of a family and the functions that they run: a line for each, best first,
///
/// `function: instruction set x lanes, from the fewest busy lanes where it is ahead = body[word];`
///
/// and the portable ones at the end. `body` is
/// `#[inline(always)] unsafe fn<W>(state: *mut Lane, messages: *const *const u8, blocks: usize)`.
macro_rules! kernels {
    (
        $vis:vis static $rows:ident: $code:ident of $lane:ty;
        x86_64 { $($name:ident: $isa:ident x $lanes:literal, from $busy:literal = $body:ident[$($word:tt)*];)* }
        portable { $($plain:ident: x $few:literal, from $least:literal = $simple:ident[$($scalar:tt)*];)* }
    ) => {
        $vis static $rows: &[$crate::kernel::Kernel] = &[
            $(
                #[cfg(target_arch = "x86_64")]
                $crate::kernel::isa! { $isa row $lanes $busy $code $name },
            )*
            $($crate::kernel::row!("portable", "", always, $few $least $code $plain),)*
        ];
        $($crate::kernel::isa! { $isa instance $name $lane, $body[$($word)*] })*
        $(
            unsafe fn $plain(state: *mut $lane, messages: *const *const u8, blocks: usize) {
                // SAFETY: the same contract.
                unsafe { $simple::<$($scalar)*>(state, messages, blocks) }
            }
        )*
    };
}
pub(crate) use kernels;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Family;
    use crate::spec::Spec;

    #[test]
    fn unknown_kernels_are_refused_with_the_list_of_those_there_are() {
        assert_eq!(check_name("portable"), Ok(()));
        let error = check_name("axv2").unwrap_err();
        assert!(error.contains("no kernel has this name") && error.contains("portable"), "{error}");
    }

    #[test]
    fn every_number_of_messages_is_served_by_one_row() {
        for algorithm in ALGORITHMS.iter().filter(|row| !rows(row).is_empty()) {
            for count in 1..=200 {
                let serving: Vec<Service> = services(algorithm)
                    .into_iter()
                    .filter(|s| s.messages.is_some_and(|(first, last)| first <= count && count <= last))
                    .filter(|s| std::ptr::eq(s.kernel, pick(rows(algorithm), count)))
                    .collect();
                assert_eq!(serving.len(), 1, "{} at {count}", algorithm.name);
            }
        }
    }

    /// Runs three blocks of every lane's own message, with marks around states and messages.
    fn advance<T: Copy + PartialEq + std::fmt::Debug>(
        family: &Family,
        lanes: usize,
        code: Advance<T>,
        words: &[T],
        mark: T,
    ) -> Vec<Vec<T>> {
        const GUARD: usize = 64;
        let blocks = 3;
        let messages: Vec<Vec<u8>> = (0..lanes)
            .map(|lane| (0..blocks * family.block).map(|i| (i * 7 + lane * 31) as u8).collect())
            .collect();
        let before = messages.clone();
        let pointers: Vec<*const u8> = messages.iter().map(|message| message.as_ptr()).collect();
        let mut state = vec![mark; GUARD + words.len() * lanes + GUARD];
        for (word, value) in words.iter().enumerate() {
            state[GUARD + word * lanes..GUARD + (word + 1) * lanes].fill(*value);
        }
        // SAFETY: callers pass supported rows only; `words * lanes` values lie behind the guard, and every pointer is to
        // `blocks` whole blocks.
        unsafe { code(state.as_mut_ptr().add(GUARD), pointers.as_ptr(), blocks) };
        assert_eq!(messages, before);
        let end = GUARD + words.len() * lanes;
        assert!(
            state[..GUARD].iter().chain(&state[end..]).all(|value| *value == mark),
            "wrote past its state"
        );
        (0..lanes)
            .map(|lane| (0..words.len()).map(|word| state[GUARD + word * lanes + lane]).collect())
            .collect()
    }

    #[test]
    fn kernels_write_their_state_only_and_agree_lane_by_lane() {
        for algorithm in ALGORITHMS {
            let Kind::Blocks { family, init } = algorithm.kind else { continue };
            let state = init(&Spec::new(algorithm));
            let narrow: Vec<u32> = state[..family.words].iter().map(|word| *word as u32).collect();
            let run = |row: &Kernel| -> Vec<Vec<u64>> {
                match row.code {
                    Code::Word32(code) => advance(family, row.lanes, code, &narrow, 0xdead_beef)
                        .into_iter()
                        .map(|words| words.into_iter().map(u64::from).collect())
                        .collect(),
                    Code::Word64(code) => {
                        advance(family, row.lanes, code, &state[..family.words], 0xdead_beef_dead_beef)
                    }
                }
            };
            let supported: Vec<&Kernel> = family.kernels.iter().filter(|row| row.supported()).collect();
            let widest = supported.iter().max_by_key(|row| row.lanes).expect("a portable row");
            let expected = run(widest);
            for row in supported {
                assert_eq!(run(row), expected[..row.lanes], "{} {} x{}", algorithm.name, row.isa, row.lanes);
            }
        }
    }
}
