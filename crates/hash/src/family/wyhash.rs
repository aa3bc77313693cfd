//! wyhash, final version 4 (Wang Yi, <https://github.com/wangyi-fudan/wyhash>), with a seed. Release 4.2 uses different
//! secrets and gives different digests.
//!
//! Digests are the number, big-endian.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::digest::Digest;

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[Algorithm {
    name: "wyhash",
    tag: "WYHASH",
    aliases: &["wyhash-final4"],
    digest_len: 8,
    status: Status::Checksum("64 bits, not cryptographic (Wang Yi 2019)"),
    summary: "wyhash final 4; hash tables of Zig, Go and Nim",
    check: "c3901284d62a3e7b",
    seed_bits: 64,
    kind: Kind::Serial(|params| Box::new(Wyhash::new(params.seed))),
    ..Algorithm::PLAIN
}];

const SECRET: [u64; 4] =
    [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3, 0x5899_65cc_7537_4cc3];

/// The number of bytes that the three lanes process at once.
const BLOCK: usize = 48;
/// The number of bytes that are read again at the end.
const BACK: usize = 16;

/// Returns the halves of a product.
fn product(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a) * u128::from(b);
    (product as u64, (product >> 64) as u64)
}

fn mixed(a: u64, b: u64) -> u64 {
    let (low, high) = product(a, b);
    low ^ high
}

/// Returns the little-endian number of `N` bytes at an offset.
fn number<const N: usize>(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + N].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[derive(Clone)]
struct Wyhash {
    lanes: [u64; 3],
    total: u64,
    /// The last bytes of the processed blocks, and the waiting bytes: up to a block, because the last one is processed
    /// differently.
    waiting: [u8; BACK + BLOCK],
    filled: usize,
}

impl Wyhash {
    fn new(seed: u64) -> Wyhash {
        let seed = seed ^ mixed(seed ^ SECRET[0], SECRET[1]);
        Wyhash { lanes: [seed; 3], total: 0, waiting: [0; BACK + BLOCK], filled: 0 }
    }

    /// Processes the waiting block, because more bytes follow.
    fn take(&mut self) {
        let block = &self.waiting[BACK..];
        for (lane, (state, secret)) in self.lanes.iter_mut().zip(&SECRET[1..]).enumerate() {
            let at = 16 * lane;
            *state = mixed(number::<8>(block, at) ^ secret, number::<8>(block, at + 8) ^ *state);
        }
        self.waiting.copy_within(BLOCK.., 0);
        self.filled = 0;
    }
}

impl Serial for Wyhash {
    fn update(&mut self, mut data: &[u8]) {
        self.total += data.len() as u64;
        while !data.is_empty() {
            if self.filled == BLOCK {
                self.take();
            }
            let (head, rest) = data.split_at(data.len().min(BLOCK - self.filled));
            self.waiting[BACK + self.filled..BACK + self.filled + head.len()].copy_from_slice(head);
            self.filled += head.len();
            data = rest;
        }
    }

    fn finish(&mut self) -> Digest {
        let mut seed = self.lanes[0];
        if self.total > BLOCK as u64 {
            seed ^= self.lanes[1] ^ self.lanes[2];
        }
        let left = self.filled;
        let end = BACK + left;
        let message = &self.waiting[BACK..end];
        let (a, b) = match self.total {
            0 => (0, 0),
            1..=3 => {
                let (first, middle, last) = (message[0], message[left >> 1], message[left - 1]);
                (u64::from(first) << 16 | u64::from(middle) << 8 | u64::from(last), 0)
            }
            4..=16 => {
                let step = (left >> 3) << 2;
                let pair = |x, y| number::<4>(message, x) << 32 | number::<4>(message, y);
                (pair(0, step), pair(left - 4, left - 4 - step))
            }
            _ => {
                let mut at = 0;
                while left - at > 16 {
                    seed = mixed(number::<8>(message, at) ^ SECRET[1], number::<8>(message, at + 8) ^ seed);
                    at += 16;
                }
                (number::<8>(&self.waiting, end - 16), number::<8>(&self.waiting, end - 8))
            }
        };
        let (a, b) = product(a ^ SECRET[1], b ^ seed);
        Digest::number(mixed(a ^ SECRET[0] ^ self.total, b ^ SECRET[1]), 8)
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use crate::Spec;

    /// The author's test vectors: message number n with the seed n.
    #[test]
    fn author_test_vectors_match() {
        for (seed, (message, expected)) in [
            ("", 0x0409_638e_e2bd_e459_u64),
            ("a", 0xa841_2d09_1b5f_e0a9),
            ("abc", 0x32dd_92e4_b291_5153),
            ("message digest", 0x8619_1240_89a3_a16b),
        ]
        .into_iter()
        .enumerate()
        {
            let spec: Spec = format!("wyhash;seed={seed}").parse().unwrap();
            assert_eq!(spec.digest(message.as_bytes()).as_bytes(), expected.to_be_bytes(), "{message:?}");
        }
    }
}
