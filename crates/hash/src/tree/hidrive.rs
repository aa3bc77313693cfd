//! The content hash of HiDrive (IONOS, "HiDrive Synchronization", 2018): SHA-1 over pages of 4096 bytes, and sums of
//! hashes for every 256 of a level.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::digest::Digest;
use crate::family::sha1;
use crate::hasher::Hasher;
use crate::spec::Spec;
use crate::tree::gather::Gathered;
use crate::tree::merkle::hash_from;

/// The row of this tree.
pub(crate) const ROW: Algorithm = Algorithm {
    name: "hidrive",
    tag: "HIDRIVE",
    aliases: &["hidrivehash"],
    digest_len: 20,
    status: Status::Broken(
        "SHA-1 collisions (Stevens et al. 2017); sums hashes modulo 2^160 and ignores trailing zeros",
    ),
    summary: "HiDrive's content hash",
    check: "2524e86f17b2de4a33221a7fede3797c3954a82d",
    kind: Kind::Serial(|_| {
        Box::new(HiDrive {
            base: Spec::new(&sha1::ROWS[0]).hasher(),
            gathered: Gathered::new(PAGE),
            levels: Vec::new(),
        })
    }),
    ..Algorithm::PLAIN
};

const PAGE: usize = 4096;
/// The number of hashes that form one of the next level.
const CHILDREN: usize = 256;

type Hash = [u8; 20];

/// An unfinished level: its first hash, the number of hashes, and their sum.
#[derive(Clone, Default)]
struct Level {
    first: Hash,
    count: usize,
    sum: Hash,
}

#[derive(Clone)]
struct HiDrive {
    base: Hasher,
    gathered: Gathered,
    levels: Vec<Level>,
}

/// Adds big-endian numbers modulo 2^160.
fn add(sum: &mut Hash, other: &[u8]) {
    let mut carry = 0;
    for (sum, other) in sum.iter_mut().zip(other).rev() {
        let both = u16::from(*sum) + u16::from(*other) + carry;
        (*sum, carry) = (both as u8, both >> 8);
    }
}

impl HiDrive {
    /// Hashes pages, the last of which may be short. The hash of a page of zeros is zero.
    fn hash(&mut self, data: &[u8]) {
        let mut pages: Vec<&[u8]> = data.chunks(PAGE).collect();
        let mut last = [0; PAGE];
        if let Some(short) = pages.pop() {
            last[..short.len()].copy_from_slice(short);
            pages.push(&last);
        }
        for (hash, page) in hash_from(&self.base, &pages).iter().zip(&pages) {
            let mut bytes = Hash::default();
            if page.iter().any(|byte| *byte != 0) {
                bytes.copy_from_slice(hash.as_bytes());
            }
            self.push(0, bytes);
        }
    }

    fn push(&mut self, level: usize, hash: Hash) {
        if level == self.levels.len() {
            self.levels.push(Level::default());
        }
        let place = &mut self.levels[level];
        if place.count == 0 {
            place.first = hash;
        }
        if hash != Hash::default() {
            self.base.update(&hash);
            self.base.update(&[place.count as u8]);
            add(&mut place.sum, self.base.finish_reset().as_bytes());
        }
        place.count += 1;
        if place.count == CHILDREN {
            self.close(level);
        }
    }

    fn close(&mut self, level: usize) {
        let done = std::mem::take(&mut self.levels[level]);
        self.push(level + 1, done.sum);
    }
}

impl Serial for HiDrive {
    fn update(&mut self, data: &[u8]) {
        let mut gathered = std::mem::take(&mut self.gathered);
        gathered.feed(data, |whole| self.hash(whole));
        self.gathered = gathered;
    }

    fn finish(&mut self) -> Digest {
        let rest = self.gathered.take_rest();
        self.hash(&rest);
        let mut level = 0;
        while level + 1 < self.levels.len() || self.levels.get(level).is_some_and(|level| level.count > 1) {
            if self.levels[level].count > 0 {
                self.close(level);
            }
            level += 1;
        }
        Digest::new(&self.levels.get(level).map(|level| level.first).unwrap_or_default())
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
