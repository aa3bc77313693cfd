//! CityHash128 of version 1.1 (Pike & Alakuijala, <https://github.com/google/cityhash>), which FarmHash contains as
//! Fingerprint128: FarmHash's blocks of 64 bytes, two at a time, and the remainder read backwards, 32 bytes at a time.
//!
//! Its initial state depends on the message length. CityHash64, CityHash32 and FarmHash's 32-bit variant start with the
//! last bytes of the message and cannot be computed while a file is read, so they are not supported. Digests are the
//! number, big-endian.

use super::farmhash::{K0, K1, Long, at, joined_by, short, shifted, sum, weak};
use super::whole_message::whole_message;
use crate::algorithm::{Algorithm, Kind, Params, Serial, Status};
use crate::digest::Digest;

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[Algorithm {
    name: "cityhash128",
    tag: "CITYHASH128",
    aliases: &["farmhash128", "farm-fingerprint128", "farmhash-fingerprint128"],
    digest_len: 16,
    status: Status::Checksum("128 bits, not cryptographic (Pike & Alakuijala 2011)"),
    summary: "CityHash128 1.1, FarmHash's Fingerprint128",
    check: "f23b3efd020089f76cb62bb21026425b",
    kind: Kind::Sized(new, |size| size),
    ..Algorithm::PLAIN
}];

/// The length of the seed, which is the beginning of the message.
const SEED: usize = 16;
/// The number of bytes after the seed from which a message is long: two blocks.
const TWO: usize = 128;
/// The number of bytes read at a time at the end; up to this many bytes of the previous blocks may be read again.
const BACK: usize = 32;

fn new(_: &Params, size: Option<u64>) -> Box<dyn Serial> {
    match size {
        Some(size) if size >= (SEED + TWO) as u64 => Box::new(City {
            size,
            fed: 0,
            seed: [0; SEED],
            long: None,
            waiting: [0; BACK + TWO],
            filled: 0,
        }),
        Some(size) => Box::new(Short { size, bytes: Vec::new() }),
        None => whole_message(|message| {
            let mut hasher = new(&Params::default(), Some(message.len() as u64));
            hasher.update(message);
            hasher.finish()
        }),
    }
}

/// Returns a hash of two words.
fn joined(u: u64, v: u64) -> u64 {
    joined_by(u, v, 0x9ddf_ea08_eb38_2d69)
}

fn rotated(value: u64, by: u32, factor: u64) -> u64 {
    value.rotate_right(by).wrapping_mul(factor)
}

fn digest(low: u64, high: u64) -> Digest {
    Digest::new(&(u128::from(high) << 64 | u128::from(low)).to_be_bytes())
}

/// CityMurmur: for a message shorter than a seed and two blocks.
fn murmur(message: &[u8]) -> Digest {
    let (mut s, seed) = match message.split_at_checked(SEED) {
        Some((seed, rest)) => (rest, (at(seed, 0), at(seed, 8).wrapping_add(K0))),
        None => (message, (K0, K1)),
    };
    let ((mut a, mut b), len) = (seed, s.len());
    let (mut c, mut d);
    let mixed = |word: u64| shifted(word.wrapping_mul(K1)).wrapping_mul(K1);
    if len <= 16 {
        a = mixed(a);
        c = sum(&[b.wrapping_mul(K1), short(s)]);
        d = shifted(a.wrapping_add(if len >= 8 { at(s, 0) } else { c }));
    } else {
        c = joined(at(s, len - 8).wrapping_add(K1), a);
        d = joined(b.wrapping_add(len as u64), c.wrapping_add(at(s, len - 16)));
        a = a.wrapping_add(d);
        loop {
            a = (a ^ mixed(at(s, 0))).wrapping_mul(K1);
            b ^= a;
            c = (c ^ mixed(at(s, 8))).wrapping_mul(K1);
            d ^= c;
            if s.len() <= 32 {
                break;
            }
            s = &s[16..];
        }
    }
    a = joined(a, c);
    b = joined(d, b);
    digest(a ^ b, joined(b, a))
}

/// A message that is short according to its length.
#[derive(Clone)]
struct Short {
    size: u64,
    bytes: Vec<u8>,
}

impl Serial for Short {
    fn update(&mut self, data: &[u8]) {
        self.bytes.extend_from_slice(data);
    }
    fn finish(&mut self) -> Digest {
        murmur(&self.bytes)
    }
    fn is_complete(&self) -> bool {
        self.bytes.len() as u64 == self.size
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}

#[derive(Clone)]
struct City {
    size: u64,
    fed: u64,
    seed: [u8; SEED],
    long: Option<Long>,
    /// The end of the processed blocks, and up to two blocks of bytes after it.
    waiting: [u8; BACK + TWO],
    filled: usize,
}

impl City {
    /// Processes the two waiting blocks.
    fn take(&mut self) {
        let City { size, seed, .. } = *self;
        let blocks = &self.waiting[BACK..];
        let long = self.long.get_or_insert_with(|| {
            let (x, y) = (at(&seed, 0), at(&seed, 8).wrapping_add(K0));
            let z = (size - SEED as u64).wrapping_mul(K1);
            let first = rotated(y ^ K1, 49, K1).wrapping_add(at(blocks, 0));
            let v = [first, rotated(first, 42, K1).wrapping_add(at(blocks, 8))];
            let w = [
                rotated(y.wrapping_add(z), 35, K1).wrapping_add(x),
                rotated(x.wrapping_add(at(blocks, 88)), 53, K1),
            ];
            Long { x, y, z, v, w }
        });
        for block in blocks.chunks(TWO / 2) {
            long.block(block, K1, 1);
        }
        self.waiting.copy_within(TWO.., 0);
        self.filled = 0;
    }
}

impl Serial for City {
    fn update(&mut self, mut data: &[u8]) {
        if self.fed < SEED as u64 {
            let have = self.fed as usize;
            let (head, rest) = data.split_at(data.len().min(SEED - have));
            self.seed[have..have + head.len()].copy_from_slice(head);
            self.fed += head.len() as u64;
            data = rest;
        }
        self.fed += data.len() as u64;
        while !data.is_empty() {
            let (head, rest) = data.split_at(data.len().min(TWO - self.filled));
            self.waiting[BACK + self.filled..BACK + self.filled + head.len()].copy_from_slice(head);
            self.filled += head.len();
            if self.filled == TWO {
                self.take();
            }
            data = rest;
        }
    }

    fn finish(&mut self) -> Digest {
        let Some(Long { mut x, mut y, mut z, mut v, mut w }) = self.long.clone() else {
            unreachable!("a message of the announced length is not short");
        };
        x = x.wrapping_add(rotated(v[0].wrapping_add(z), 49, K0));
        y = y.wrapping_mul(K0).wrapping_add(w[1].rotate_right(37));
        z = z.wrapping_mul(K0).wrapping_add(w[0].rotate_right(27));
        w[0] = w[0].wrapping_mul(9);
        v[0] = v[0].wrapping_mul(K0);
        let mut done = 0;
        while done < self.filled {
            done += BACK;
            let s = &self.waiting[BACK + self.filled - done..];
            y = rotated(x.wrapping_add(y), 42, K0).wrapping_add(v[1]);
            w[0] = w[0].wrapping_add(at(s, 16));
            x = x.wrapping_mul(K0).wrapping_add(w[0]);
            z = sum(&[z, w[1], at(s, 0)]);
            w[1] = w[1].wrapping_add(v[0]);
            v = weak(s, v[0].wrapping_add(z), v[1]);
            v[0] = v[0].wrapping_mul(K0);
        }
        x = joined(x, v[0]);
        y = joined(y.wrapping_add(z), w[0]);
        let low = joined(x.wrapping_add(v[1]), w[1]).wrapping_add(y);
        digest(low, joined(x.wrapping_add(w[1]), y.wrapping_add(v[1])))
    }

    fn is_complete(&self) -> bool {
        self.fed == self.size
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
