//! Sums of bytes: Adler-32 and the two Unix `sum` algorithms.

use crate::digest::Digest;
use crate::hasher::Serial;
use crate::spec::Spec;

pub(crate) fn adler32(_: &Spec) -> Box<dyn Serial> {
    Box::new(Adler32 { low: 1, high: 0 })
}

pub(crate) fn bsd(_: &Spec) -> Box<dyn Serial> {
    Box::new(Bsd(0))
}

pub(crate) fn sysv(_: &Spec) -> Box<dyn Serial> {
    Box::new(SysV(0))
}

/// The largest prime below 2^16.
const MODULUS: u32 = 65521;

/// RFC 1950 section 8.2: the sum of bytes, and the sum of those sums.
#[derive(Clone)]
struct Adler32 {
    low: u32,
    high: u32,
}

impl Serial for Adler32 {
    fn update(&mut self, data: &[u8]) {
        // The longest run of bytes 255 after which `high` still fits 32 bits.
        for run in data.chunks(5552) {
            for &byte in run {
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

/// `sum -s`: the sum of all bytes modulo 2^32, its halves added until sixteen bits are left.
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
