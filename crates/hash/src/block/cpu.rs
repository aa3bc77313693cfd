//! The CPU features, in the groups for which kernels are compiled, and which of them are used. All code selection is
//! based on this table.
//!
//! Another class of machine can be simulated with a list of features to which use is restricted (`TRUESUM_CPU=avx2` in
//! the program), for tests, benchmarks and bug reports. Features can only be removed.

use std::sync::atomic::{AtomicU32, Ordering};

/// A set of features.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Features(u32);

impl Features {
    /// The requirement of code that runs on every CPU of its architecture.
    pub(crate) const NONE: Features = Features(0);

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) const fn and(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }

    const fn common(self, other: Features) -> Features {
        Features(self.0 & other.0)
    }

    /// Returns whether it contains all of `other`.
    pub(crate) const fn has(self, other: Features) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A feature that a CPU may have.
struct Feature {
    /// Its name in lists.
    name: &'static str,
    /// The feature itself.
    is: Features,
    /// Holds the features that a list with this name leaves in use: the feature itself and those of older CPUs.
    leaves: Features,
    found: fn() -> bool,
}

#[cfg(target_arch = "aarch64")]
macro_rules! detected {
    // On big-endian machines, lanes and loads are arranged differently, so nothing of this is used.
    ($feature:tt) => {
        cfg!(target_endian = "little") && std::arch::is_aarch64_feature_detected!($feature)
    };
}
#[cfg(target_arch = "x86_64")]
use std::arch::is_x86_feature_detected as detected;

/// The table: a constant, a name, what the name leaves in use as well, and what the CPU is tested for.
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
macro_rules! features {
    ($($(#[$doc:meta])* $constant:ident: $name:literal with [$($with:ident)*] if [$($requested:tt)*] $(and $found:ident)?;)*) => {
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
            found: || true $(&& detected!($requested))* $(&& $found())?,
        }),*];
    };
}

#[cfg(target_arch = "x86_64")]
features! {
    /// Is present in every x86-64 CPU.
    SSE2: "sse2" with [] if [];
    /// Byte shuffles in SSE registers.
    SSSE3: "ssse3" with [SSE2] if ["ssse3"];
    /// The part of SSE 4.1 that kernels use.
    SSE41: "sse4.1" with [SSE2 SSSE3] if ["sse4.1"];
    /// Carry-less multiplication.
    CLMUL: "pclmulqdq" with [SSE2 SSSE3 SSE41] if ["pclmulqdq"];
    /// The instructions for SHA-1 and SHA-256.
    SHA: "sha" with [SSE2 SSSE3 SSE41] if ["sha"];
    /// AVX2.
    AVX2: "avx2" with [SSE2 SSSE3 SSE41 CLMUL BMI2 QUICK] if ["avx2"];
    /// Bit manipulation for scalar code (BMI1 and BMI2), introduced with AVX2.
    BMI2: "bmi2" with [SSE2 SSSE3 SSE41 CLMUL] if ["bmi1" "bmi2"];
    /// AVX-512 as the kernels use it (F, BW and VL).
    AVX512: "avx512" with [SSE2 SSSE3 SSE41 CLMUL BMI2 QUICK AVX2] if ["avx512f" "avx512bw" "avx512vl"];
    /// Byte permutations in AVX-512.
    VBMI: "avx512vbmi" with [SSE2 SSSE3 SSE41 CLMUL BMI2 QUICK AVX2 AVX512] if ["avx512vbmi"];
    /// Arithmetic in GF(2^8).
    GFNI: "gfni" with [SSE2 SSSE3 SSE41 CLMUL] if ["gfni"];
    /// Carry-less multiplication in wide registers.
    VPCLMUL: "vpclmulqdq" with [SSE2 SSSE3 SSE41 CLMUL BMI2 QUICK AVX2] if ["vpclmulqdq"];
    /// Vector additions and shifts with a latency of one cycle, like scalar ones. Nearly every CPU has this.
    QUICK: "quick-vectors" with [SSE2] if [] and is_quick;
}

/// Zen 5 (AMD family 26) takes two cycles (Software Optimization Guide, table of instruction latencies), so that a
/// single message is hashed faster without vectors if there is nothing else to compute in the meantime.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, unused_unsafe, reason = "the function is safe only in later versions of Rust")]
fn is_quick() -> bool {
    use std::arch::x86_64::__cpuid;
    // The maker is spelled in ebx, edx and ecx, in this order. The family is the sum of two fields;
    // the second one is zero on AMD processors whose first one is below 15.
    // SAFETY: every x86-64 processor has the instruction and these two leaves.
    let (maker, version) = unsafe { (__cpuid(0), __cpuid(1).eax) };
    let family = (version >> 8 & 15) + (version >> 20 & 255);
    [maker.ebx, maker.edx, maker.ecx].map(u32::to_le_bytes).concat() != b"AuthenticAMD" || family != 26
}

#[cfg(target_arch = "aarch64")]
features! {
    /// Vectors of sixteen bytes, which every AArch64 CPU that runs Linux has.
    NEON: "neon" with [] if ["neon"];
    /// Carry-less multiplication, introduced with the AES instructions.
    PMULL: "pmull" with [NEON] if ["aes" "pmull"];
    /// The instructions for SHA-1 and SHA-256.
    SHA2: "sha2" with [NEON] if ["sha2"];
    /// The instructions for SHA-512 and SHA-3, which the compiler treats as one feature.
    SHA3: "sha3" with [NEON] if ["sha3"];
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
features! {
    /// WebAssembly SIMD: a module that uses it runs only where it is supported.
    SIMD128: "simd128" with [] if [];
}

/// Kernels of other architectures are portable and require nothing of the CPU.
#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
static TABLE: &[Feature] = &[];

/// The features in use with [`DETECTED`], or 0 until they are first requested.
static IN_USE: AtomicU32 = AtomicU32::new(0);
// Distinguishes a CPU without any of these features from one that was not examined yet. The bit is
// not available for features, of which there may thus be 31.
const DETECTED: u32 = 1 << 31;

/// Returns whether all these features are available and in use.
#[inline]
pub(crate) fn has(needs: Features) -> bool {
    in_use().has(needs)
}

/// Returns the features that this CPU has and that are in use.
#[inline]
pub(crate) fn in_use() -> Features {
    // The set is complete in this one value and guards no other memory, so no ordering is needed.
    match IN_USE.load(Ordering::Relaxed) {
        0 => detect(),
        known => Features(known),
    }
}

#[cold]
fn detect() -> Features {
    let all = Features(DETECTED | available().0);
    // The first thread decides for all. The set never changes after it was used, and `limit`
    // reports that it came too late.
    match IN_USE.compare_exchange(0, all.0, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => all,
        Err(known) => Features(known),
    }
}

/// Returns all features of this CPU; none in Miri, which interprets portable code and no assembly.
pub(crate) fn available() -> Features {
    if cfg!(miri) {
        return Features::NONE;
    }
    TABLE.iter().filter(|feature| (feature.found)()).fold(Features::NONE, |set, feature| set.and(feature.is))
}

/// Returns the names of the features in use, in the order of the table.
pub fn features() -> Vec<&'static str> {
    TABLE.iter().filter(|feature| has(feature.is)).map(|feature| feature.name).collect()
}

/// Returns the names of the features that this CPU has and that [`limit`] disabled, in the order of the table.
pub fn left_out() -> Vec<&'static str> {
    let available = available();
    TABLE
        .iter()
        .filter(|feature| available.has(feature.is) && !has(feature.is))
        .map(|feature| feature.name)
        .collect()
}

/// Restricts the features in use to those in `list`, which are names separated by commas (`avx2,sha`). A name includes
/// the features that precede it: `avx512` includes AVX2. An empty or blank list keeps all features.
///
/// This applies to the whole process and must be called at its start, because the choice is permanent.
///
/// # Errors
/// Fails for an unknown name, or if a different set of features is already in use. The text names the cause and the
/// known names.
pub fn limit(list: &str) -> Result<(), String> {
    if list.trim().is_empty() {
        return Ok(());
    }
    // With `DETECTED`, an empty set differs from the initial value, after which the next request
    // would enable everything that the CPU has.
    let left = available().common(named(list)?).and(Features(DETECTED));
    match IN_USE.compare_exchange(0, left.0, Ordering::Relaxed, Ordering::Relaxed) {
        Err(known) if known != left.0 => {
            Err(format!("{list}: a different set of CPU features is already in use"))
        }
        _ => Ok(()),
    }
}

/// Returns the features that the names in a list leave in use.
fn named(list: &str) -> Result<Features, String> {
    let mut left = Features::NONE;
    for name in list.split(',').map(str::trim) {
        let Some(feature) = TABLE.iter().find(|feature| feature.name == name) else {
            let names: Vec<&str> = TABLE.iter().map(|feature| feature.name).collect();
            let what = if name.is_empty() {
                "an empty name".to_owned()
            } else {
                format!("unknown CPU feature {name}")
            };
            return Err(format!("{list}: {what} (known features: {})", names.join(", ")));
        };
        left = left.and(feature.leaves);
    }
    Ok(left)
}

#[cfg(all(test, not(miri), any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;

    /// The feature that every CPU of this architecture has.
    const FIRST: &str = if cfg!(target_arch = "x86_64") { "sse2" } else { "neon" };

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn feature_name_allows_only_itself_and_its_prerequisites() {
        assert_eq!(named("sse2"), Ok(SSE2));
        let (avx2, sha) = (named("avx2").unwrap(), named("sha").unwrap());
        assert!(avx2.has(BMI2.and(CLMUL).and(SSE2)) && !avx2.has(SHA) && !avx2.has(AVX512));
        assert_eq!(named(" sha, avx2 "), Ok(avx2.and(sha)));
        assert!(named("avx512").unwrap().has(avx2) && !named("avx512").unwrap().has(VBMI));
    }

    #[test]
    fn allowed_features_are_transitively_closed() {
        for feature in TABLE {
            let parts = TABLE.iter().filter(|part| feature.leaves.has(part.is));
            assert!(feature.leaves.has(feature.is), "{}", feature.name);
            parts.for_each(|part| assert!(feature.leaves.has(part.leaves), "{} {}", feature.name, part.name));
        }
    }

    #[test]
    fn unknown_feature_names_are_rejected_with_a_list() {
        let (open, two, upper) = (format!("{FIRST},"), format!("{FIRST} sha"), FIRST.to_uppercase());
        for (list, what) in [
            ("axv2", "unknown CPU feature axv2".to_owned()),
            (open.as_str(), "an empty name".to_owned()),
            (two.as_str(), format!("unknown CPU feature {two}")),
            (upper.as_str(), format!("unknown CPU feature {upper}")),
        ] {
            let error = named(list).unwrap_err();
            assert!(error.contains(&what) && error.contains(TABLE.last().unwrap().name), "{list}: {error}");
        }
    }

    #[test]
    fn list_of_features_in_use_reproduces_them() {
        let list = features().join(",");
        assert!(list.starts_with(FIRST), "{list}");
        assert_eq!(available().common(named(&list).unwrap()), Features(in_use().0 & !DETECTED));
        // The features are in use, so the same list is accepted, and a different one is too late.
        assert_eq!(limit(&list), Ok(()));
        let both: Vec<&str> = features().into_iter().chain(left_out()).collect();
        assert_eq!(named(&both.join(",")).map(|all| available().common(all)), Ok(available()));
        assert!(limit(FIRST).unwrap_err().contains("already in use"));
        assert_eq!(limit(" "), Ok(()));
    }
}
