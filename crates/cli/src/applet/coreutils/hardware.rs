//! The output of `cksum --debug` about the instructions that the original would use for a CRC on
//! this machine.
//!
//! This affects only the messages, because truesum has its own kernels. As in the original,
//! `GLIBC_TUNABLES` disables instructions by the names that the C library uses.

/// A way to compute a CRC, and the instructions it needs.
struct CrcMethod {
    name: &'static str,
    /// The names in `-a`.
    algorithms: &'static [&'static str],
    /// The C library's names of the instructions.
    needs: &'static [&'static str],
    is_available: fn() -> bool,
}

#[cfg(target_arch = "x86_64")]
static CRC_METHODS: &[CrcMethod] = {
    use std::arch::is_x86_feature_detected as has;
    &[
        CrcMethod {
            name: "avx512",
            algorithms: &["crc"],
            needs: &["AVX512F", "AVX512BW", "VPCLMULQDQ"],
            is_available: || has!("avx512f") && has!("avx512bw") && has!("vpclmulqdq"),
        },
        CrcMethod {
            name: "avx2",
            algorithms: &["crc"],
            needs: &["AVX2", "VPCLMULQDQ"],
            is_available: || has!("avx2") && has!("vpclmulqdq"),
        },
        CrcMethod {
            name: "pclmul",
            algorithms: &["crc", "crc32b"],
            needs: &["PCLMULQDQ", "AVX"],
            is_available: || has!("pclmulqdq") && has!("avx"),
        },
    ]
};

#[cfg(target_arch = "aarch64")]
static CRC_METHODS: &[CrcMethod] = &[CrcMethod {
    name: "vmull",
    algorithms: &["crc", "crc32b"],
    needs: &["PMULL"],
    is_available: || std::arch::is_aarch64_feature_detected!("pmull"),
}];

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
static CRC_METHODS: &[CrcMethod] = &[];

/// Returns the messages for an algorithm: the first instructions that are available, preceded by
/// those that are not.
pub(super) fn messages(algorithm: &str) -> Vec<String> {
    let tunables = std::env::var("GLIBC_TUNABLES").unwrap_or_default();
    let mut messages = Vec::new();
    for way in CRC_METHODS.iter().filter(|way| way.algorithms.contains(&algorithm)) {
        if (way.is_available)() && way.needs.iter().all(|capability| is_allowed(&tunables, capability)) {
            messages.push(format!("using {} hardware support", way.name));
            break;
        }
        messages.push(format!("{} support not detected", way.name));
    }
    messages
}

/// Returns whether the original prints this for each file that it opens, and not only for the first
/// one.
pub(super) fn is_reported_for_each_file(algorithm: &str) -> bool {
    algorithm == "crc32b"
}

/// Returns whether `GLIBC_TUNABLES` leaves a capability enabled. The last list counts; `-NAME` in
/// it disables a capability.
fn is_allowed(tunables: &str, capability: &str) -> bool {
    let Some((_, list)) = tunables.rsplit_once("glibc.cpu.hwcaps=") else { return true };
    let list = list.split(':').next().unwrap_or_default();
    let taken = format!("-{capability}");
    !list.split(',').any(|word| word.ends_with(&taken))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glibc_tunables_disable_cpu_features() {
        for (tunables, allowed) in [
            ("", true),
            ("glibc.cpu.hwcaps=-AVX2", false),
            ("glibc.cpu.hwcaps=-AVX512F,-AVX2", false),
            ("glibc.cpu.hwcaps=-AVX2,-AVX512F:glibc.malloc.check=1", false),
            ("glibc.malloc.check=1:glibc.cpu.hwcaps=x-AVX2", false),
            ("glibc.cpu.hwcaps=-AVX2_Usable", true),
            ("glibc.cpu.hwcaps=AVX2", true),
            ("glibc.cpu.hwcaps=-AVX512F:-AVX2", true),
            ("glibc.cpu.hwcaps=-AVX2:glibc.cpu.hwcaps=-AVX", true),
        ] {
            assert_eq!(is_allowed(tunables, "AVX2"), allowed, "{tunables}");
        }
    }

    #[test]
    fn only_algorithms_with_hardware_variants_have_messages() {
        assert_eq!(messages("md5"), Vec::<String>::new());
        if cfg!(target_arch = "x86_64") {
            assert!(!messages("crc32b").is_empty());
        }
    }
}
