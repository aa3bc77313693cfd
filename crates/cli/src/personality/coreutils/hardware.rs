//! What `cksum --debug` says of the instructions that the original would choose for a CRC on this machine.
//!
//! What is said is all that this decides: truesum has kernels of its own. As with the original, `GLIBC_TUNABLES` takes
//! instructions away by the C library's names for them.

/// A way to compute a CRC, and the instructions it needs.
struct Way {
    name: &'static str,
    /// Names in `-a`.
    algorithms: &'static [&'static str],
    /// What the C library calls the instructions.
    needs: &'static [&'static str],
    there: fn() -> bool,
}

#[cfg(target_arch = "x86_64")]
static WAYS: &[Way] = {
    use std::arch::is_x86_feature_detected as has;
    &[
        Way {
            name: "avx512",
            algorithms: &["crc"],
            needs: &["AVX512F", "AVX512BW", "VPCLMULQDQ"],
            there: || has!("avx512f") && has!("avx512bw") && has!("vpclmulqdq"),
        },
        Way {
            name: "avx2",
            algorithms: &["crc"],
            needs: &["AVX2", "VPCLMULQDQ"],
            there: || has!("avx2") && has!("vpclmulqdq"),
        },
        Way {
            name: "pclmul",
            algorithms: &["crc", "crc32b"],
            needs: &["PCLMULQDQ", "AVX"],
            there: || has!("pclmulqdq") && has!("avx"),
        },
    ]
};

#[cfg(target_arch = "aarch64")]
static WAYS: &[Way] = &[Way {
    name: "vmull",
    algorithms: &["crc", "crc32b"],
    needs: &["PMULL"],
    there: || std::arch::is_aarch64_feature_detected!("pmull"),
}];

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
static WAYS: &[Way] = &[];

/// The messages for an algorithm: the first instructions that are there, and before them those that are not.
pub(super) fn messages(algorithm: &str) -> Vec<String> {
    let tunables = std::env::var("GLIBC_TUNABLES").unwrap_or_default();
    let mut messages = Vec::new();
    for way in WAYS.iter().filter(|way| way.algorithms.contains(&algorithm)) {
        if (way.there)() && way.needs.iter().all(|capability| is_allowed(&tunables, capability)) {
            messages.push(format!("using {} hardware support", way.name));
            break;
        }
        messages.push(format!("{} support not detected", way.name));
    }
    messages
}

/// Whether the original says so for each file it opened, not for the first alone.
pub(super) fn is_told_of_each_file(algorithm: &str) -> bool {
    algorithm == "crc32b"
}

/// Whether `GLIBC_TUNABLES` leaves a capability alone: the last list of them counts, and in it `-NAME` with nothing behind it.
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
    fn tunables_take_capabilities_away() {
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
    fn only_algorithms_with_such_ways_have_messages() {
        assert_eq!(messages("md5"), Vec::<String>::new());
        if cfg!(target_arch = "x86_64") {
            assert!(!messages("crc32b").is_empty());
        }
    }
}
