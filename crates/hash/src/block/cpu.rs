//! What the CPU has, in the groups that kernels are compiled for, and how much of that is used: one table of features, which
//! every choice of code here goes by.
//!
//! A machine of another class can be had on this one by a list of features that alone are used (`TRUESUM_CPU=avx2` of the
//! program): for tests, benchmarks and bug reports. It only takes away.

use std::sync::atomic::{AtomicU32, Ordering};

/// A set of features.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Features(u32);

impl Features {
    /// What code needs that runs on every CPU of its architecture.
    pub(crate) const NONE: Features = Features(0);

    pub(crate) const fn and(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }

    const fn common(self, other: Features) -> Features {
        Features(self.0 & other.0)
    }

    /// Whether all of `other` are in it.
    pub(crate) const fn has(self, other: Features) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A feature that a CPU may have.
struct Feature {
    /// As lists have it.
    name: &'static str,
    /// The feature itself.
    is: Features,
    /// What a list with this name leaves: the feature and what CPUs with it have had before it.
    leaves: Features,
    found: fn() -> bool,
}

#[cfg(target_arch = "aarch64")]
macro_rules! detected {
    // Where the highest byte of a word comes first, lanes and loads go other ways: nothing of this is used there.
    ($feature:tt) => {
        cfg!(target_endian = "little") && std::arch::is_aarch64_feature_detected!($feature)
    };
}
#[cfg(target_arch = "x86_64")]
use std::arch::is_x86_feature_detected as detected;

/// The table: a constant, a name, what the name leaves beside it, and what the CPU is asked for.
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
macro_rules! features {
    ($($(#[$doc:meta])* $constant:ident: $name:literal with [$($with:ident)*] if [$($asked:tt)*] $(and $found:ident)?;)*) => {
        /// The features in the order of the table.
        #[allow(clippy::upper_case_acronyms)]
        #[repr(u32)]
        enum Place { $($constant),* }
        $(
            $(#[$doc])*
            pub(crate) const $constant: Features = Features(1 << Place::$constant as u32);
        )*
        static TABLE: &[Feature] = &[$(Feature {
            name: $name,
            is: $constant,
            leaves: $constant$(.and($with))*,
            found: || true $(&& detected!($asked))* $(&& $found())?,
        }),*];
    };
}

#[cfg(target_arch = "x86_64")]
features! {
    /// What every x86-64 CPU has.
    SSE2: "sse2" with [] if [];
    /// Byte shuffles in SSE registers.
    SSSE3: "ssse3" with [SSE2] if ["ssse3"];
    /// The last of what kernels take from SSE 4.1.
    SSE41: "sse4.1" with [SSE2 SSSE3] if ["sse4.1"];
    /// Products without carries.
    CLMUL: "pclmulqdq" with [SSE2 SSSE3 SSE41] if ["pclmulqdq"];
    /// The instructions for AES.
    AES: "aes" with [SSE2 SSSE3 SSE41] if ["aes"];
    /// The instructions for SHA-1 and SHA-256.
    SHA: "sha" with [SSE2 SSSE3 SSE41] if ["sha"];
    /// AVX2.
    AVX2: "avx2" with [SSE2 SSSE3 SSE41 CLMUL AES BMI2 QUICK] if ["avx2"];
    /// Bit manipulation for scalar code (BMI1 and BMI2), which came with AVX2.
    BMI2: "bmi2" with [SSE2 SSSE3 SSE41 CLMUL] if ["bmi1" "bmi2"];
    /// AVX-512 as the kernels use it (F, BW and VL).
    AVX512: "avx512" with [SSE2 SSSE3 SSE41 CLMUL AES BMI2 QUICK AVX2] if ["avx512f" "avx512bw" "avx512vl"];
    /// Permutations of bytes in AVX-512.
    VBMI: "avx512vbmi" with [SSE2 SSSE3 SSE41 CLMUL AES BMI2 QUICK AVX2 AVX512] if ["avx512vbmi"];
    /// Arithmetic in GF(2^8).
    GFNI: "gfni" with [SSE2 SSSE3 SSE41 CLMUL] if ["gfni"];
    /// Products without carries in wide registers.
    VPCLMUL: "vpclmulqdq" with [SSE2 SSSE3 SSE41 CLMUL AES BMI2 QUICK AVX2] if ["vpclmulqdq"];
    /// Additions and shifts in vectors whose results are there a cycle later, as scalar ones are: nearly every CPU.
    QUICK: "quick-vectors" with [SSE2] if [] and is_quick;
}

/// Zen 5 takes two cycles for them (AMD's family 26; Software Optimization Guide for it, table of instruction latencies), so that a
/// message by itself is hashed faster without vectors where nothing else is to be done meanwhile.
#[cfg(target_arch = "x86_64")]
fn is_quick() -> bool {
    use std::arch::x86_64::__cpuid;
    let (maker, version) = (__cpuid(0), __cpuid(1).eax);
    let family = (version >> 8 & 15) + (version >> 20 & 255);
    [maker.ebx, maker.edx, maker.ecx].map(u32::to_le_bytes).concat() != b"AuthenticAMD" || family != 26
}

#[cfg(target_arch = "aarch64")]
features! {
    /// Vectors of sixteen bytes, which every AArch64 CPU has that runs Linux.
    NEON: "neon" with [] if ["neon"];
    /// Products without carries, which came with the instructions for AES.
    PMULL: "pmull" with [NEON] if ["aes" "pmull"];
    /// The instructions for SHA-1 and SHA-256.
    SHA2: "sha2" with [NEON] if ["sha2"];
    /// The instructions for SHA-512 and for SHA-3: the compiler knows them as one.
    SHA3: "sha3" with [NEON] if ["sha3"];
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
features! {
    /// The vectors of WebAssembly: a module that has them runs only where they are.
    SIMD128: "simd128" with [] if [];
}

/// Kernels of other architectures are portable ones: they ask nothing of the CPU.
#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
static TABLE: &[Feature] = &[];

/// The features in use with [`LOOKED`], or 0 as long as nobody has asked.
static IN_USE: AtomicU32 = AtomicU32::new(0);
const LOOKED: u32 = 1 << 31;

/// Whether all these features are there and in use.
#[inline]
pub(crate) fn has(needs: Features) -> bool {
    in_use().has(needs)
}

/// Every feature that this CPU has and that was left.
#[inline]
pub(crate) fn in_use() -> Features {
    match IN_USE.load(Ordering::Relaxed) {
        0 => look(),
        known => Features(known),
    }
}

#[cold]
fn look() -> Features {
    let all = Features(LOOKED | there().0);
    // Who came first has it as it stays.
    match IN_USE.compare_exchange(0, all.0, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => all,
        Err(known) => Features(known),
    }
}

/// Every feature that this CPU has.
pub(crate) fn there() -> Features {
    TABLE.iter().filter(|feature| (feature.found)()).fold(Features::NONE, |set, feature| set.and(feature.is))
}

/// The names of the features in use, in the order of the table.
pub fn features() -> Vec<&'static str> {
    TABLE.iter().filter(|feature| has(feature.is)).map(|feature| feature.name).collect()
}

/// The names of the features that this CPU has and that [`limit`] took out of use, in the order of the table.
pub fn left_out() -> Vec<&'static str> {
    let there = there();
    TABLE
        .iter()
        .filter(|feature| there.has(feature.is) && !has(feature.is))
        .map(|feature| feature.name)
        .collect()
}

/// Leaves in use what this CPU has of the features in `list`, names with commas between them (`avx2,sha`). A name stands
/// for its feature and for what came before it: `avx512` leaves AVX2 as well. An empty list, or one of spaces, leaves all.
///
/// This is for the whole process and to be called at its start: what was chosen once stays.
///
/// # Errors
/// A name that is none; or features are in use already, and not just those. The text says so, and which names there are.
pub fn limit(list: &str) -> Result<(), String> {
    if list.trim().is_empty() {
        return Ok(());
    }
    let left = there().common(named(list)?).and(Features(LOOKED));
    match IN_USE.compare_exchange(0, left.0, Ordering::Relaxed, Ordering::Relaxed) {
        Err(known) if known != left.0 => Err(format!("{list}: other features of the CPU are in use already")),
        _ => Ok(()),
    }
}

/// What the names of a list leave.
fn named(list: &str) -> Result<Features, String> {
    let mut left = Features::NONE;
    for name in list.split(',').map(str::trim) {
        let Some(feature) = TABLE.iter().find(|feature| feature.name == name) else {
            let names: Vec<&str> = TABLE.iter().map(|feature| feature.name).collect();
            let what = if name.is_empty() {
                "an empty name".to_owned()
            } else {
                format!("no feature is named {name}")
            };
            return Err(format!("{list}: {what} (there are {})", names.join(", ")));
        };
        left = left.and(feature.leaves);
    }
    Ok(left)
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;

    /// What every CPU of this architecture has.
    const FIRST: &str = if cfg!(target_arch = "x86_64") { "sse2" } else { "neon" };

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn names_leave_what_came_before_them_and_nothing_else() {
        assert_eq!(named("sse2"), Ok(SSE2));
        let (avx2, sha) = (named("avx2").unwrap(), named("sha").unwrap());
        assert!(avx2.has(BMI2.and(CLMUL).and(SSE2)) && !avx2.has(SHA) && !avx2.has(AVX512));
        assert_eq!(named(" sha, avx2 "), Ok(avx2.and(sha)));
        assert!(named("avx512").unwrap().has(avx2) && !named("avx512").unwrap().has(VBMI));
    }

    #[test]
    fn what_a_name_leaves_its_own_names_leave_again() {
        for feature in TABLE {
            let parts = TABLE.iter().filter(|part| feature.leaves.has(part.is));
            assert!(feature.leaves.has(feature.is), "{}", feature.name);
            parts.for_each(|part| assert!(feature.leaves.has(part.leaves), "{} {}", feature.name, part.name));
        }
    }

    #[test]
    fn unknown_names_are_refused_with_those_there_are() {
        let (open, two, upper) = (format!("{FIRST},"), format!("{FIRST} sha"), FIRST.to_uppercase());
        for (list, what) in [
            ("axv2", "named axv2".to_owned()),
            (open.as_str(), "an empty name".to_owned()),
            (two.as_str(), format!("named {two}")),
            (upper.as_str(), format!("named {upper}")),
        ] {
            let error = named(list).unwrap_err();
            assert!(error.contains(&what) && error.contains(TABLE.last().unwrap().name), "{list}: {error}");
        }
    }

    #[test]
    fn names_in_use_are_a_list_that_leaves_just_them() {
        let list = features().join(",");
        assert!(list.starts_with(FIRST), "{list}");
        assert_eq!(there().common(named(&list).unwrap()), Features(in_use().0 & !LOOKED));
        // They are in use, so the same list is fine, and another is too late.
        assert_eq!(limit(&list), Ok(()));
        let both: Vec<&str> = features().into_iter().chain(left_out()).collect();
        assert_eq!(named(&both.join(",")).map(|all| there().common(all)), Ok(there()));
        assert!(limit(FIRST).unwrap_err().contains("in use already"));
        assert_eq!(limit(" "), Ok(()));
    }
}
