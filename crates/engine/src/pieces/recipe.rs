//! The computation of the digest of a piece: a digest of its bytes, with or without salt, or a node
//! of BLAKE3's tree; and the rolling checksum of zsync.

use std::sync::Arc;
use truesum_hash::tree::Merkle;
use truesum_hash::{Hasher, Spec, finish_many, update_many};
use truesum_manifest::{PieceHashing, PieceList};

/// The number of pieces hashed at a time: more than there are lanes.
const BATCH: usize = 64;

/// The method by which the pieces of one list are hashed.
#[derive(Clone)]
pub(crate) struct Recipe {
    method: Method,
    /// The bytes that are hashed after a piece.
    after: Arc<[u8]>,
    sums: bool,
}

#[derive(Clone)]
enum Method {
    /// A hasher that has processed the bytes that precede each piece.
    Hash(Box<Hasher>),
    /// Hashed as a subtree at its position.
    Subtree(Arc<Merkle>),
}

/// The results for pieces.
#[derive(Debug, Default)]
pub(crate) struct PieceResults {
    /// The digests, concatenated.
    pub(crate) digests: Vec<u8>,
    /// The length of each digest in bytes.
    pub(crate) digest_len: usize,
    /// The rolling checksums, if the list has them.
    pub(crate) sums: Vec<u32>,
}

impl PieceResults {
    /// Returns the number of pieces.
    pub(crate) fn count(&self) -> usize {
        self.digests.len() / self.digest_len.max(1)
    }

    /// Returns whether result number `at` matches the piece with this number in the list.
    pub(crate) fn agrees(&self, at: usize, list: &PieceList, piece: u64) -> bool {
        let digest = self.digests.get(at * self.digest_len..(at + 1) * self.digest_len);
        digest.is_some_and(|digest| list.agrees(piece, digest, self.sums.get(at).copied()))
    }
}

impl Recipe {
    /// Returns the recipe for plain digests of the bytes.
    pub(crate) fn plain(spec: &Spec) -> Recipe {
        Recipe { method: Method::Hash(Box::new(spec.hasher())), after: Arc::from([]), sums: false }
    }

    /// Returns the recipe for a list, or `None` if its algorithm has no tree.
    pub(crate) fn of(list: &PieceList) -> Option<Recipe> {
        let method = match list.hasher() {
            Some(hasher) => Method::Hash(Box::new(hasher)),
            None => Method::Subtree(Arc::new(Merkle::new(list.spec())?)),
        };
        let after = match list.hashing() {
            PieceHashing::Salted { after, .. } => after.clone(),
            PieceHashing::Plain | PieceHashing::Subtree => Arc::from([]),
        };
        Some(Recipe { method, after, sums: list.has_sums() })
    }

    /// Hashes pieces side by side, each with its offset in the file.
    pub(crate) fn finish(&self, pieces: &[(&[u8], u64)]) -> PieceResults {
        let mut results = PieceResults::default();
        match &self.method {
            Method::Subtree(merkle) => {
                results.digest_len = merkle.hash_len();
                for (bytes, start) in pieces {
                    let node = merkle.subtree(bytes, start / merkle.leaf_size());
                    results.digests.extend_from_slice(node.as_bytes());
                }
            }
            Method::Hash(fresh) => {
                results.digest_len = fresh.spec().digest_len();
                results.digests.reserve(pieces.len() * results.digest_len);
                for pieces in pieces.chunks(BATCH) {
                    // Clones, because the recipe is shared by threads and `fresh` may have
                    // processed salt.
                    let mut hashers = vec![Hasher::clone(fresh); pieces.len()];
                    let mut hashers: Vec<&mut Hasher> = hashers.iter_mut().collect();
                    let bytes: Vec<&[u8]> = pieces.iter().map(|(bytes, _)| *bytes).collect();
                    update_many(&mut hashers, &bytes);
                    if !self.after.is_empty() {
                        update_many(&mut hashers, &vec![&self.after[..]; pieces.len()]);
                    }
                    let digests = finish_many(&mut hashers);
                    digests.iter().for_each(|digest| results.digests.extend_from_slice(digest.as_bytes()));
                }
            }
        }
        if self.sums {
            results.sums = pieces.iter().map(|(bytes, _)| rolling(bytes)).collect();
        }
        results
    }

    /// Returns the state for a large piece that is hashed as its bytes arrive.
    pub(crate) fn large(&self) -> LargePiece {
        LargePiece { recipe: self.clone(), state: self.state(), sum: (0, 0), held: Vec::new() }
    }

    fn state(&self) -> Option<Hasher> {
        match &self.method {
            Method::Hash(fresh) => Some(Hasher::clone(fresh)),
            Method::Subtree(_) => None,
        }
    }
}

/// A large piece in progress.
pub(crate) struct LargePiece {
    recipe: Recipe,
    state: Option<Hasher>,
    /// The rolling checksum so far.
    sum: (u16, u16),
    /// All bytes, if the piece is hashed as a subtree at its position.
    held: Vec<u8>,
}

impl LargePiece {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match &mut self.state {
            Some(hasher) => hasher.update(bytes),
            None => self.held.extend_from_slice(bytes),
        }
        if self.recipe.sums {
            self.sum = rolled(self.sum, bytes);
        }
    }

    pub(crate) fn zeros(&mut self, count: u64) {
        match &mut self.state {
            Some(hasher) => hasher.update_zeros(count),
            None => self.held.resize(self.held.len() + count as usize, 0),
        }
        if self.recipe.sums {
            // A zero leaves the first sum unchanged and adds it to the second one. Only the lower
            // 16 bits of the count matter modulo 2^16.
            self.sum.1 = self.sum.1.wrapping_add((count as u16).wrapping_mul(self.sum.0));
        }
    }

    /// Returns the result for the piece, which begins at this offset, and prepares for the next one.
    pub(crate) fn finish(&mut self, start: u64) -> PieceResults {
        // The next piece starts with a fresh state, which includes its salt.
        let state = std::mem::replace(&mut self.state, self.recipe.state());
        let mut results = match state {
            Some(mut hasher) => {
                hasher.update(&self.recipe.after);
                let digest = hasher.finish();
                PieceResults {
                    digests: digest.as_bytes().to_vec(),
                    digest_len: digest.len(),
                    sums: Vec::new(),
                }
            }
            None => self.recipe.finish(&[(&self.held, start)]),
        };
        if self.recipe.sums {
            results.sums = vec![joined(self.sum)];
        }
        self.held.clear();
        self.sum = (0, 0);
        results
    }
}

/// Returns the rolling checksum of zsync, which is rsync's without an offset: the sum of the bytes, and the sum of all
/// intermediate sums, each modulo 2^16.
fn rolling(bytes: &[u8]) -> u32 {
    joined(rolled((0, 0), bytes))
}

fn rolled((mut a, mut b): (u16, u16), bytes: &[u8]) -> (u16, u16) {
    for &byte in bytes {
        a = a.wrapping_add(u16::from(byte));
        b = b.wrapping_add(a);
    }
    (a, b)
}

fn joined((a, b): (u16, u16)) -> u32 {
    u32::from(a) << 16 | u32::from(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolling_sum_weights_bytes_by_remaining_length() {
        let bytes: Vec<u8> = (0..5000u32).map(|at| ((at * 7) >> 2) as u8).collect();
        let a = bytes.iter().fold(0u64, |sum, &byte| sum + u64::from(byte)) as u16;
        let weighed = bytes.iter().enumerate().map(|(at, &byte)| (bytes.len() - at) as u64 * u64::from(byte));
        let b = weighed.sum::<u64>() as u16;
        assert_eq!(rolling(&bytes), u32::from(a) << 16 | u32::from(b));
    }

    #[test]
    fn piece_fed_in_parts_gives_the_same_result() {
        let bytes: Vec<u8> = (0..70_000u32).map(|at| (at / 3) as u8).collect();
        let mut long = bytes.clone();
        long.extend_from_slice(&[0; 3000]);
        let salted =
            Recipe { after: Arc::from(*b"salt"), sums: true, ..Recipe::plain(&"sha1".parse().unwrap()) };
        let merkle = Merkle::new(&"blake3".parse().unwrap()).unwrap();
        let subtree = Recipe { method: Method::Subtree(Arc::new(merkle)), after: Arc::from([]), sums: false };
        for recipe in [salted, subtree] {
            let mut large = recipe.large();
            for _ in 0..2 {
                bytes.chunks(999).for_each(|part| large.update(part));
                large.zeros(3000);
                let (found, whole) = (large.finish(1 << 20), recipe.finish(&[(&long, 1 << 20)]));
                assert_eq!((found.digests, found.sums), (whole.digests, whole.sums));
            }
        }
    }
}
