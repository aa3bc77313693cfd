//! Folding with PMULL, NEON's carry-less multiplication.

use super::Folding;
use super::body::Block;
use std::arch::aarch64::*;

impl Block for uint64x2_t {
    #[inline(always)]
    unsafe fn load(from: *const u8, refin: bool) -> Self {
        // SAFETY: sixteen bytes may be read there: the trait's contract. NEON is part of AArch64.
        unsafe {
            let block = vld1q_u8(from);
            if refin {
                return vreinterpretq_u64_u8(block);
            }
            // Reverse all sixteen bytes: those of each half, and the halves.
            let halves = vreinterpretq_u64_u8(vrev64q_u8(block));
            vextq_u64::<1>(halves, halves)
        }
    }
    #[inline(always)]
    unsafe fn of(words: [u64; 2]) -> Self {
        // SAFETY: two words are read; NEON, as below.
        unsafe { vld1q_u64(words.as_ptr()) }
    }
    #[inline(always)]
    unsafe fn words(self) -> [u64; 2] {
        // SAFETY: NEON.
        unsafe { [vgetq_lane_u64::<0>(self), vgetq_lane_u64::<1>(self)] }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: NEON.
        unsafe { veorq_u64(self, other) }
    }
    #[inline(always)]
    unsafe fn onto(self, by: Self, other: Self) -> Self {
        // SAFETY: the row has PMULL: the trait's contract.
        unsafe {
            let low = multiply(vgetq_lane_u64::<0>(self), vgetq_lane_u64::<0>(by));
            let high = multiply_high(self, by);
            veorq_u64(veorq_u64(low, high), other)
        }
    }
    #[inline(always)]
    unsafe fn product(a: u64, b: u64) -> [u64; 2] {
        // SAFETY: as in `onto`.
        unsafe { multiply(a, b).words() }
    }
}

// Intrinsics are inlined only into functions with the same target features, and a trait's functions cannot have any.
#[target_feature(enable = "neon,aes")]
#[inline]
fn multiply(a: u64, b: u64) -> uint64x2_t {
    vreinterpretq_u64_p128(vmull_p64(a, b))
}

/// Multiplies the higher words.
#[target_feature(enable = "neon,aes")]
#[inline]
fn multiply_high(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
    vreinterpretq_u64_p128(vmull_high_p64(vreinterpretq_p64_u64(a), vreinterpretq_p64_u64(b)))
}

/// # Safety
/// The CPU has PMULL and NEON.
#[target_feature(enable = "neon,aes")]
pub(super) unsafe fn pmull(folding: &'static Folding, register: u64, data: &[u8]) -> u64 {
    // SAFETY: guaranteed by the caller.
    unsafe { folding.folded::<uint64x2_t, 8>(register, data) }
}
