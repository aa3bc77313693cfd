//! FarmHash's Fingerprint64 (Pike, <https://github.com/google/farmhash>), which is the same on all machines:
//! FARM_FINGERPRINT in BigQuery, feature columns in TensorFlow.
//!
//! Blocks of 64 bytes are processed from the beginning; the last 64 bytes are processed again at the end.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::digest::Digest;

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[Algorithm {
    name: "farmhash64",
    tag: "FARMHASH64",
    aliases: &["farm-fingerprint64", "farmhash-fingerprint64"],
    digest_len: 8,
    status: Status::Checksum("64 bits, not cryptographic (Pike 2014)"),
    summary: "FarmHash's Fingerprint64; BigQuery, TensorFlow",
    check: "6290b5b99f49dc6a",
    kind: Kind::Serial(|_| Box::new(Farm::new())),
    ..Algorithm::PLAIN
}];

pub(super) const K0: u64 = 0xc3a5_c85c_97cb_3127;
pub(super) const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;
const BLOCK: usize = 64;

pub(super) fn at(bytes: &[u8], from: usize) -> u64 {
    bytes[from..from + 8].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

pub(super) fn shifted(value: u64) -> u64 {
    value ^ value >> 47
}

/// Returns a hash of two words.
pub(super) fn joined_by(u: u64, v: u64, factor: u64) -> u64 {
    let a = shifted((u ^ v).wrapping_mul(factor));
    shifted((v ^ a).wrapping_mul(factor)).wrapping_mul(factor)
}

pub(super) fn sum(values: &[u64]) -> u64 {
    values.iter().fold(0, |sum, value| sum.wrapping_add(*value))
}

/// Returns two words computed from four of the message and two previous ones.
pub(super) fn weak(bytes: &[u8], a: u64, b: u64) -> [u64; 2] {
    let [w, x, y, z] = [0, 8, 16, 24].map(|from| at(bytes, from));
    let a = a.wrapping_add(w);
    let b = sum(&[b, a, z]).rotate_right(21);
    let all = sum(&[a, x, y]);
    [all.wrapping_add(z), sum(&[b, all.rotate_right(44), a])]
}

/// Returns the hash of a message of at most 64 bytes.
pub(super) fn short(s: &[u8]) -> u64 {
    let len = s.len();
    let factor = K2.wrapping_add(len as u64 * 2);
    let half = |from: usize| at(&[&s[from..from + 4], &[0; 4]].concat(), 0);
    match len {
        0 => K2,
        1..=3 => {
            let y = u64::from(s[0]) + (u64::from(s[len >> 1]) << 8);
            let z = len as u64 + (u64::from(s[len - 1]) << 2);
            shifted(y.wrapping_mul(K2) ^ z.wrapping_mul(K0)).wrapping_mul(K2)
        }
        4..=7 => joined_by(len as u64 + (half(0) << 3), half(len - 4), factor),
        8..=16 => {
            let (a, b) = (at(s, 0).wrapping_add(K2), at(s, len - 8));
            let c = b.rotate_right(37).wrapping_mul(factor).wrapping_add(a);
            let d = a.rotate_right(25).wrapping_add(b).wrapping_mul(factor);
            joined_by(c, d, factor)
        }
        17..=32 => {
            let (a, b) = (at(s, 0).wrapping_mul(K1), at(s, 8));
            let (c, d) = (at(s, len - 8).wrapping_mul(factor), at(s, len - 16).wrapping_mul(K2));
            let first = sum(&[a.wrapping_add(b).rotate_right(43), c.rotate_right(30), d]);
            let second = sum(&[a, b.wrapping_add(K2).rotate_right(18), c]);
            joined_by(first, second, factor)
        }
        _ => {
            let (a, b) = (at(s, 0).wrapping_mul(K2), at(s, 8));
            let (c, d) = (at(s, len - 8).wrapping_mul(factor), at(s, len - 16).wrapping_mul(K2));
            let y = sum(&[a.wrapping_add(b).rotate_right(43), c.rotate_right(30), d]);
            let z = joined_by(y, sum(&[a, b.wrapping_add(K2).rotate_right(18), c]), factor);
            let (e, f) = (at(s, 16).wrapping_mul(factor), at(s, 24));
            let g = y.wrapping_add(at(s, len - 32)).wrapping_mul(factor);
            let h = z.wrapping_add(at(s, len - 24)).wrapping_mul(factor);
            let first = sum(&[e.wrapping_add(f).rotate_right(43), g.rotate_right(30), h]);
            joined_by(first, sum(&[e, f.wrapping_add(a).rotate_right(18), g]), factor)
        }
    }
}

/// The state for a message of more than 64 bytes.
#[derive(Clone)]
pub(super) struct Long {
    pub(crate) x: u64,
    pub(crate) y: u64,
    pub(crate) z: u64,
    pub(crate) v: [u64; 2],
    pub(crate) w: [u64; 2],
}

impl Long {
    /// Processes a block. The last one uses a different factor, and different weights for `v` and `w`.
    pub fn block(&mut self, s: &[u8], factor: u64, times: u64) {
        let Long { x, y, z, v, w } = self;
        *x = sum(&[*x, *y, v[0], at(s, 8)]).rotate_right(37).wrapping_mul(factor);
        *y = sum(&[*y, v[1], at(s, 48)]).rotate_right(42).wrapping_mul(factor);
        *x ^= w[1].wrapping_mul(times);
        *y = sum(&[*y, v[0].wrapping_mul(times), at(s, 40)]);
        *z = z.wrapping_add(w[0]).rotate_right(33).wrapping_mul(factor);
        *v = weak(s, v[1].wrapping_mul(factor), x.wrapping_add(w[0]));
        *w = weak(&s[32..], z.wrapping_add(w[1]), y.wrapping_add(at(s, 16)));
        std::mem::swap(z, x);
    }
}

#[derive(Clone)]
struct Farm {
    long: Option<Long>,
    /// The previous block, and up to one block of bytes that may be the last.
    waiting: [u8; 2 * BLOCK],
    /// The number of waiting bytes; zero only at the beginning.
    filled: usize,
}

impl Farm {
    fn new() -> Farm {
        Farm { long: None, waiting: [0; 2 * BLOCK], filled: 0 }
    }

    /// Processes the waiting block, because more bytes follow.
    fn take(&mut self) {
        let mut block = [0; BLOCK];
        block.copy_from_slice(&self.waiting[BLOCK..]);
        let long = self.long.get_or_insert_with(|| {
            const SEED: u64 = 81;
            let y = SEED.wrapping_mul(K1).wrapping_add(113);
            let z = shifted(y.wrapping_mul(K2).wrapping_add(113)).wrapping_mul(K2);
            let x = SEED.wrapping_mul(K2).wrapping_add(at(&block, 0));
            Long { x, y, z, v: [0; 2], w: [0; 2] }
        });
        long.block(&block, K1, 1);
        self.waiting[..BLOCK].copy_from_slice(&block);
        self.filled = 0;
    }
}

impl Serial for Farm {
    fn update(&mut self, mut data: &[u8]) {
        while !data.is_empty() {
            if self.filled == BLOCK {
                self.take();
            }
            let (head, rest) = data.split_at(data.len().min(BLOCK - self.filled));
            self.waiting[BLOCK + self.filled..BLOCK + self.filled + head.len()].copy_from_slice(head);
            self.filled += head.len();
            data = rest;
        }
    }

    fn finish(&mut self) -> Digest {
        let Some(mut long) = self.long.clone() else {
            return Digest::number(short(&self.waiting[BLOCK..BLOCK + self.filled]), 8);
        };
        let factor = K1.wrapping_add((long.z & 0xff) << 1);
        long.w[0] = long.w[0].wrapping_add(self.filled as u64 - 1);
        long.v[0] = long.v[0].wrapping_add(long.w[0]);
        long.w[0] = long.w[0].wrapping_add(long.v[0]);
        let mut last = [0; BLOCK];
        last.copy_from_slice(&self.waiting[self.filled..self.filled + BLOCK]);
        long.block(&last, factor, 9);
        let Long { x, y, z, v, w } = long;
        let first = sum(&[joined_by(v[0], w[0], factor), shifted(y).wrapping_mul(K0), z]);
        Digest::number(joined_by(first, joined_by(v[1], w[1], factor).wrapping_add(x), factor), 8)
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
