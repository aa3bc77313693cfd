//! What the CPU has, in the groups that kernels are compiled for.

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

/// As [`has_avx512`], with byte permutations (VBMI) and arithmetic in GF(2^8).
pub(crate) fn has_vbmi_gfni() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        has_avx512()
            && std::arch::is_x86_feature_detected!("avx512vbmi")
            && std::arch::is_x86_feature_detected!("gfni")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}
