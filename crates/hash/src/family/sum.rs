//! Sums of bytes: Adler-32 and the two Unix `sum` algorithms.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Decimal, Kind, Linear, Params, Serial, Status};
#[cfg(target_arch = "x86_64")]
use crate::block::cpu;
use crate::digest::Digest;

/// Defines the row of a plain sum.
macro_rules! plain {
    ($name:literal $tag:literal $len:literal, $summary:literal, $check:literal) => {
        Algorithm {
            name: $name,
            tag: $tag,
            digest_len: $len,
            status: Status::Checksum("a sum that ignores byte order (no standard)"),
            summary: $summary,
            check: $check,
            kind: Kind::Serial(|_| Box::new(Plain::<$len>(0))),
            ..Algorithm::PLAIN
        }
    };
}

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "bsd",
        tag: "BSD",
        aliases: &["sum-bsd"],
        digest_len: 2,
        status: Status::Checksum("16-bit rotating sum (4.2BSD, 1983)"),
        summary: "sum -r",
        check: "d16f",
        decimal: Some(Decimal { digits: 5, column: 5, block: 1024, usual: true }),
        kind: Kind::Serial(bsd),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "sysv",
        tag: "SYSV",
        aliases: &["sum-sysv"],
        digest_len: 2,
        status: Status::Checksum("16-bit sum that ignores byte order (System V, 1983)"),
        summary: "sum -s",
        check: "01dd",
        decimal: Some(Decimal { digits: 1, column: 1, block: 512, usual: true }),
        kind: Kind::Serial(sysv),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "adler32",
        tag: "ADLER32",
        aliases: &["adler-32"],
        digest_len: 4,
        status: Status::Checksum("32-bit sum, weak for short messages (RFC 1950)"),
        summary: "zlib",
        check: "091e01de",
        kind: Kind::Linear(&Linear::Adler32),
        ..Algorithm::PLAIN
    },
    plain!("sum8" "SUM8" 1, "the sum of all bytes modulo 2^8", "dd"),
    plain!("sum16" "SUM16" 2, "the sum of all bytes modulo 2^16", "01dd"),
    plain!("sum24" "SUM24" 3, "the sum of all bytes modulo 2^24", "0001dd"),
    plain!("sum32" "SUM32" 4, "the sum of all bytes modulo 2^32", "000001dd"),
    Algorithm {
        name: "xor8",
        tag: "XOR8",
        digest_len: 1,
        status: Status::Checksum("8 bits; ignores byte order (ISO 1155)"),
        summary: "XOR of all bytes; serial protocols, NMEA",
        check: "31",
        kind: Kind::Serial(|_| Box::new(Xor8(0))),
        ..Algorithm::PLAIN
    },
];

/// Returns a hasher for one message.
pub(crate) fn adler32() -> Box<dyn Serial> {
    Box::new(Adler32 { low: 1, high: 0 })
}

fn bsd(_: &Params) -> Box<dyn Serial> {
    Box::new(Bsd(0))
}

fn sysv(_: &Params) -> Box<dyn Serial> {
    Box::new(SysV(0))
}

/// The largest prime below 2^16.
const MODULUS: u32 = 65521;

/// The number of bytes summed at once.
const BLOCK: usize = 32;

/// RFC 1950 section 8.2: the sum of bytes, and the sum of these sums.
#[derive(Clone)]
struct Adler32 {
    low: u32,
    high: u32,
}

/// Returns the sum of all bytes, and the sum of each byte times the number of bytes from it to the end, which blocks
/// add to the two sums.
fn sums(blocks: &[[u8; BLOCK]]) -> (u32, u32) {
    #[cfg(target_arch = "x86_64")]
    if cpu::has(cpu::AVX2) {
        // SAFETY: the CPU has AVX2.
        return unsafe { sums_avx2(blocks) };
    }
    let (mut sum, mut before, mut weighted) = (0, 0, 0);
    for block in blocks {
        before += sum;
        for (i, &byte) in block.iter().enumerate() {
            sum += u32::from(byte);
            weighted += u32::from(byte) * (BLOCK - i) as u32;
        }
    }
    (sum, before * BLOCK as u32 + weighted)
}

/// # Safety
/// The CPU has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn sums_avx2(blocks: &[[u8; BLOCK]]) -> (u32, u32) {
    use std::arch::x86_64::*;
    const WEIGHTS: [u8; BLOCK] = {
        let mut weights = [0; BLOCK];
        let mut i = 0;
        while i < BLOCK {
            weights[i] = (BLOCK - i) as u8;
            i += 1;
        }
        weights
    };
    let zero = _mm256_setzero_si256();
    // SAFETY: 32 readable bytes, loaded unaligned.
    let weights = unsafe { _mm256_loadu_si256(WEIGHTS.as_ptr().cast()) };
    let (mut sum, mut before, mut weighted) = (zero, zero, zero);
    for block in blocks {
        // SAFETY: 32 readable bytes, loaded unaligned.
        let bytes = unsafe { _mm256_loadu_si256(block.as_ptr().cast()) };
        before = _mm256_add_epi32(before, sum);
        sum = _mm256_add_epi32(sum, _mm256_sad_epu8(bytes, zero));
        // Two products of a byte and at most 32 fit in sixteen bits.
        let pairs = _mm256_maddubs_epi16(bytes, weights);
        weighted = _mm256_add_epi32(weighted, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
    }
    let total = |register: __m256i| {
        let mut lanes = [0u32; 8];
        // SAFETY: 32 writable bytes, stored unaligned.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), register) };
        lanes.iter().sum::<u32>()
    };
    (total(sum), total(before) * BLOCK as u32 + total(weighted))
}

impl Serial for Adler32 {
    fn update(&mut self, data: &[u8]) {
        // The longest run of complete blocks after which `high` still fits in 32 bits.
        for run in data.chunks(5552 / BLOCK * BLOCK) {
            let (blocks, rest) = run.as_chunks::<BLOCK>();
            let (sum, weighted) = sums(blocks);
            self.high += self.low * (blocks.len() * BLOCK) as u32 + weighted;
            self.low += sum;
            for &byte in rest {
                self.low += u32::from(byte);
                self.high += self.low;
            }
            self.low %= MODULUS;
            self.high %= MODULUS;
        }
    }
    fn finish(&mut self) -> Digest {
        Digest::new(&(self.high << 16 | self.low).to_be_bytes())
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}

/// `sum -r`: sixteen bits, rotated to the right before each byte is added.
#[derive(Clone)]
struct Bsd(u16);

impl Serial for Bsd {
    fn update(&mut self, data: &[u8]) {
        for &byte in data {
            self.0 = self.0.rotate_right(1).wrapping_add(u16::from(byte));
        }
    }
    fn finish(&mut self) -> Digest {
        Digest::new(&self.0.to_be_bytes())
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}

/// `sum -s`: the sum of all bytes modulo 2^32, whose halves are added until sixteen bits remain.
#[derive(Clone)]
struct SysV(u32);

impl Serial for SysV {
    fn update(&mut self, data: &[u8]) {
        for run in data.chunks(1 << 16) {
            let sum: u32 = run.iter().map(|&byte| u32::from(byte)).sum();
            self.0 = self.0.wrapping_add(sum);
        }
    }
    fn finish(&mut self) -> Digest {
        let folded = (self.0 & 0xffff) + (self.0 >> 16);
        let folded = (folded & 0xffff) + (folded >> 16);
        Digest::new(&(folded as u16).to_be_bytes())
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}

/// The sum of all bytes, truncated to `LEN` bytes.
#[derive(Clone)]
struct Plain<const LEN: usize>(u32);

impl<const LEN: usize> Serial for Plain<LEN> {
    fn update(&mut self, data: &[u8]) {
        for run in data.chunks(1 << 16) {
            self.0 = self.0.wrapping_add(run.iter().map(|&byte| u32::from(byte)).sum());
        }
    }
    fn finish(&mut self) -> Digest {
        Digest::new(&self.0.to_be_bytes()[4 - LEN..])
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}

/// The exclusive or of all bytes.
#[derive(Clone)]
struct Xor8(u8);

impl Serial for Xor8 {
    fn update(&mut self, data: &[u8]) {
        self.0 ^= data.iter().fold(0, |all, byte| all ^ byte);
    }
    fn finish(&mut self) -> Digest {
        Digest::new(&[self.0])
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A literal implementation of RFC 1950.
    fn naive(data: &[u8]) -> u32 {
        let (low, high) = data.iter().fold((1, 0), |(low, high), &byte| {
            let low = (low + u32::from(byte)) % MODULUS;
            (low, (high + low) % MODULUS)
        });
        high << 16 | low
    }

    #[test]
    fn largest_bytes_never_overflow_a_run() {
        for len in [31, 32, 33, 5535, 5536, 5537, 5552, 5553, 100_000] {
            for byte in [1, 255] {
                let data = vec![byte; len];
                let mut adler = Adler32 { low: MODULUS - 1, high: MODULUS - 1 };
                adler.update(&data);
                let mut before = Adler32 { low: MODULUS - 1, high: MODULUS - 1 };
                for &byte in &data {
                    before.low = (before.low + u32::from(byte)) % MODULUS;
                    before.high = (before.high + before.low) % MODULUS;
                }
                assert_eq!((adler.low, adler.high), (before.low, before.high), "{len} bytes of {byte}");
            }
        }
    }

    #[test]
    fn every_length_matches_the_definition() {
        let data: Vec<u8> = (0..12_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for len in (0..1100).chain([5535, 5536, 5552, 11_104, 12_000]) {
            let mut adler = Adler32 { low: 1, high: 0 };
            adler.update(&data[..len]);
            assert_eq!(adler.finish().as_bytes(), naive(&data[..len]).to_be_bytes(), "{len} bytes");
        }
    }
}
