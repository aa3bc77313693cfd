//! Processes the bytes that a strategy reads: into a value that does not depend on the order and sizes of
//! reads.
//!
//! Strategies divide a file differently and threads read parts of it concurrently, so no plain digest of the file can
//! be compared. Blocks of 1 MiB can: each is hashed with its index, and the first eight bytes of the digests are added
//! up. A block that is read twice, omitted, swapped or divided at the wrong place changes the sum.

use truesum_hash::{Hasher, Spec};

/// Bytes of a block.
pub(crate) const BLOCK: u64 = 1 << 20;

/// Takes the bytes of a part of the file in order, starting at a multiple of [`BLOCK`].
pub(crate) enum Touch {
    /// Adds up all bytes, each at its position in a word: the least work that reads every byte.
    Sum(u64),
    /// Hashes blocks.
    Hash { hasher: Box<Hasher>, pending: bool, sum: u64 },
}

impl Touch {
    /// `None` for the sum of bytes.
    pub(crate) fn new(spec: Option<&Spec>) -> Touch {
        match spec {
            None => Touch::Sum(0),
            Some(spec) => Touch::Hash { hasher: Box::new(spec.hasher()), pending: false, sum: 0 },
        }
    }

    /// Processes the bytes at `offset`, which follow those of the previous call.
    pub(crate) fn feed(&mut self, mut offset: u64, mut bytes: &[u8]) {
        match self {
            Touch::Sum(sum) => *sum = sum.wrapping_add(sum_of(offset, bytes)),
            Touch::Hash { hasher, pending, sum } => {
                while !bytes.is_empty() {
                    if !*pending {
                        hasher.update(&(offset / BLOCK).to_le_bytes());
                        *pending = true;
                    }
                    let room = BLOCK - offset % BLOCK;
                    let (now, later) = bytes.split_at(bytes.len().min(room as usize));
                    hasher.update(now);
                    offset += now.len() as u64;
                    bytes = later;
                    if offset.is_multiple_of(BLOCK) {
                        *sum = sum.wrapping_add(end(hasher));
                        *pending = false;
                    }
                }
            }
        }
    }

    /// Returns the value of all bytes fed; values of several parts are added up (wrapping).
    pub(crate) fn value(self) -> u64 {
        match self {
            Touch::Sum(sum) => sum,
            Touch::Hash { mut hasher, pending, sum } => {
                if pending {
                    sum.wrapping_add(end(&mut hasher))
                } else {
                    sum
                }
            }
        }
    }
}

fn end(hasher: &mut Hasher) -> u64 {
    let digest = hasher.finish_reset();
    digest.as_bytes().iter().take(8).fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// Returns the bytes as a sum of words: byte `o` of the file counts `256^(o mod 8)`.
fn sum_of(offset: u64, bytes: &[u8]) -> u64 {
    let placed = |offset: u64, bytes: &[u8]| {
        let values = bytes.iter().zip(offset..).map(|(byte, o)| u64::from(*byte) << (8 * (o % 8)));
        values.fold(0, u64::wrapping_add)
    };
    let head = (offset.next_multiple_of(8) - offset).min(bytes.len() as u64) as usize;
    let (head, body) = bytes.split_at(head);
    let (words, tail) = body.as_chunks::<64>();
    // Eight independent sums, so that additions do not wait for each other.
    let mut sums = [0u64; 8];
    for words in words {
        let (words, _) = words.as_chunks::<8>();
        for (sum, word) in sums.iter_mut().zip(words) {
            *sum = sum.wrapping_add(u64::from_le_bytes(*word));
        }
    }
    let sum = sums.into_iter().fold(placed(offset, head), u64::wrapping_add);
    sum.wrapping_add(placed(offset + (bytes.len() - tail.len()) as u64, tail))
}

/// Returns the sum of the bytes of a buffer in memory, for measuring the rate of memory itself.
pub(crate) fn sum(bytes: &[u8]) -> u64 {
    sum_of(0, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(spec: Option<&Spec>, data: &[u8], size: usize) -> u64 {
        let mut touch = Touch::new(spec);
        for (i, bytes) in data.chunks(size).enumerate() {
            touch.feed((i * size) as u64, bytes);
        }
        touch.value()
    }

    #[test]
    fn value_does_not_depend_on_buffer_boundaries() {
        let data = crate::measure::input::generated(3, (2 << 20) + 12345);
        let sha256: Spec = "sha256".parse().unwrap();
        for spec in [None, Some(&sha256)] {
            let expected = cut(spec, &data, data.len());
            for size in [4097, 65536, 1 << 20, (1 << 20) + 7] {
                assert_eq!(cut(spec, &data, size), expected, "{size}");
            }
            let (first, second) = data.split_at(1 << 20);
            let mut parts = cut(spec, first, 9999);
            let mut touch = Touch::new(spec);
            touch.feed(1 << 20, second);
            parts = parts.wrapping_add(touch.value());
            assert_eq!(parts, expected);
        }
    }

    #[test]
    fn swapped_lost_and_repeated_blocks_change_the_hash() {
        let data = crate::measure::input::generated(4, 3 << 20);
        let sha256: Spec = "sha256".parse().unwrap();
        let value = |order: &[usize]| {
            let mut touch = Touch::new(Some(&sha256));
            for (i, block) in order.iter().enumerate() {
                touch.feed(i as u64 * BLOCK, &data[block << 20..][..1 << 20]);
            }
            touch.value()
        };
        let values =
            [value(&[0, 1, 2]), value(&[0, 2, 1]), value(&[0, 1]), value(&[0, 1, 1]), value(&[0, 1, 2, 2])];
        for (i, a) in values.iter().enumerate() {
            assert!(values[..i].iter().all(|b| a != b));
        }
    }

    #[test]
    fn sum_weights_bytes_by_position() {
        assert_eq!(sum_of(0, &[1, 0, 0, 0, 0, 0, 0, 0, 2]), 3);
        assert_eq!(sum_of(7, &[1, 1]), (1 << 56) + 1);
        assert_eq!(sum_of(3, &[]), 0);
    }
}
