//! Computes the composite digest of one message, whose bytes arrive in slices.
//!
//! Leaves of up to half a mebibyte are collected to one mebibyte, so that they fill the lanes however small the slices
//! are; slices of a mebibyte or more are hashed in place. Larger leaves are hashed as one message each: their lanes are
//! other leaves of the same file, which the engine reads side by side.

use crate::algorithm::{Composite, Division, Params, Serial, feed_zeros};
use crate::digest::Digest;
use crate::hasher::Hasher;
use crate::spec::Spec;
use crate::tree::compact_range::{CompactRange, decompose};
use crate::tree::list::Listing;
use crate::tree::merkle::{Merkle, hash_from, zero_levels};
use crate::tree::mtsum;
use std::sync::Arc;

impl Composite {
    /// Returns the hash of leaves and nodes.
    pub fn base(&self) -> Spec {
        let (algorithm, len) = self.base;
        Spec::new(algorithm).with_bits(len * 8).expect("the base supports the length in the row")
    }

    /// Returns a hasher that has processed the prefix of a leaf.
    pub fn leaf_hasher(&self) -> Hasher {
        let mut hasher = self.base().hasher();
        hasher.update(self.prefix);
        hasher
    }
}

/// Returns a hasher for one message.
pub(crate) fn hasher(composite: &'static Composite, params: &Params, size: Option<u64>) -> Box<dyn Serial> {
    match (composite.division, size) {
        (Division::Equal(_), _) => Box::new(Leaves::new(composite, params)),
        (Division::Halves(variant), Some(size)) => {
            Box::new(mtsum::Halves::new(variant, composite.base(), size))
        }
        (Division::Halves(variant), None) => Box::new(mtsum::BufferedMessage::new(variant, composite.base())),
    }
}

/// The number of bytes collected to hash many leaves at once.
const GATHER: usize = 1 << 20;

/// A message divided into leaves of equal size.
#[derive(Clone)]
struct Leaves {
    leaf: Hasher,
    leaf_size: u64,
    /// Bytes of leaves that are not hashed yet, at most [`GATHER`]; unused if leaves are large.
    gathered: Vec<u8>,
    /// The current large leaf, and the number of its bytes so far.
    open: Option<(Hasher, u64)>,
    total: u64,
    fold: LeafDigests,
}

/// Stores the digests of completed leaves, or the state that combines them.
#[derive(Clone)]
pub(crate) enum LeafDigests {
    Merkle { merkle: Arc<Merkle>, range: CompactRange },
    List { listing: Listing, leaf_size: u64 },
}

impl LeafDigests {
    pub(crate) fn new(composite: &Composite, params: &Params) -> LeafDigests {
        match Merkle::over(composite, params) {
            Some(merkle) => {
                LeafDigests::Merkle { merkle: Arc::new(merkle), range: CompactRange::starting_at(0) }
            }
            None => LeafDigests::List { listing: Listing::new(composite), leaf_size: params.unit },
        }
    }

    fn push(&mut self, leaves: Vec<Digest>) {
        match self {
            LeafDigests::Merkle { merkle, range } => {
                let first = range.next();
                for (start, level) in decompose(first, first + leaves.len() as u64) {
                    let start = (start - first) as usize;
                    let row = leaves[start..start + (1 << level)].to_vec();
                    let hash = merkle.reduce(row);
                    range.push(level, hash, |l, r| merkle.node(l, r)).expect("decompose aligns its subtrees");
                }
            }
            LeafDigests::List { listing, .. } => leaves.iter().for_each(|leaf| listing.push(leaf)),
        }
    }

    fn push_run(&mut self, leaf: Digest, run: u64) {
        match self {
            LeafDigests::Merkle { merkle, range } => {
                let levels = zero_levels(merkle, leaf);
                range.push_run(run, &levels, |l, r| merkle.node(l, r));
            }
            LeafDigests::List { listing, .. } => (0..run).for_each(|_| listing.push(&leaf)),
        }
    }

    fn finish(&mut self, size: u64) -> Digest {
        match self {
            LeafDigests::Merkle { merkle, range } => {
                merkle.close(range, size).expect("a message has at least one leaf")
            }
            LeafDigests::List { listing, leaf_size } => listing.finish(size, *leaf_size),
        }
    }
}

impl Leaves {
    fn new(composite: &Composite, params: &Params) -> Leaves {
        Leaves {
            leaf: composite.leaf_hasher(),
            leaf_size: params.unit,
            gathered: Vec::new(),
            open: None,
            total: 0,
            fold: LeafDigests::new(composite, params),
        }
    }

    /// Returns the number of bytes of complete leaves hashed at once; 0 if leaves are too large to collect.
    fn batch(&self) -> usize {
        let leaf = self.leaf_size.min(GATHER as u64) as usize;
        if leaf * 2 <= GATHER { GATHER / leaf * leaf } else { 0 }
    }

    fn hash(&mut self, data: &[u8]) {
        let slices: Vec<&[u8]> = data.chunks(self.leaf_size as usize).collect();
        let leaves = hash_from(&self.leaf, &slices);
        self.fold.push(leaves);
    }

    fn update_gathering(&mut self, mut data: &[u8], batch: usize) {
        while !data.is_empty() {
            if self.gathered.is_empty() && data.len() >= batch {
                let (whole, rest) = data.split_at(data.len() / batch * batch);
                self.hash(whole);
                data = rest;
                continue;
            }
            let (taken, rest) = data.split_at(data.len().min(batch - self.gathered.len()));
            self.gathered.extend_from_slice(taken);
            data = rest;
            if self.gathered.len() == batch {
                let gathered = std::mem::take(&mut self.gathered);
                self.hash(&gathered);
                self.gathered = gathered;
                self.gathered.clear();
            }
        }
    }

    fn update_open(&mut self, mut data: &[u8]) {
        while !data.is_empty() {
            let (mut hasher, filled) = self.open.take().unwrap_or_else(|| (self.leaf.clone(), 0));
            let room = usize::try_from(self.leaf_size - filled).unwrap_or(usize::MAX);
            let (taken, rest) = data.split_at(data.len().min(room));
            hasher.update(taken);
            let filled = filled + taken.len() as u64;
            if filled == self.leaf_size {
                self.fold.push(vec![hasher.finish()]);
            } else {
                self.open = Some((hasher, filled));
            }
            data = rest;
        }
    }
}

impl Serial for Leaves {
    fn update(&mut self, data: &[u8]) {
        self.total += data.len() as u64;
        match self.batch() {
            0 => self.update_open(data),
            batch => self.update_gathering(data, batch),
        }
    }

    fn finish(&mut self) -> Digest {
        if let Some((last, _)) = self.open.take() {
            self.fold.push(vec![last.finish()]);
        } else if !self.gathered.is_empty() {
            let gathered = std::mem::take(&mut self.gathered);
            self.hash(&gathered);
        } else if self.total == 0 {
            let empty = self.leaf.clone().finish();
            self.fold.push(vec![empty]);
        }
        self.fold.finish(self.total)
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }

    fn update_zeros(&mut self, count: u64) {
        let to_boundary = (self.leaf_size - self.total % self.leaf_size) % self.leaf_size;
        if count < to_boundary + self.leaf_size {
            feed_zeros(count, |zeros| self.update(zeros));
            return;
        }
        feed_zeros(to_boundary, |zeros| self.update(zeros));
        if !self.gathered.is_empty() {
            // Only complete leaves, because this is a boundary.
            let gathered = std::mem::take(&mut self.gathered);
            self.hash(&gathered);
        }
        let run = (count - to_boundary) / self.leaf_size;
        let mut leaf = self.leaf.clone();
        leaf.update_zeros(self.leaf_size);
        self.fold.push_run(leaf.finish(), run);
        self.total += run * self.leaf_size;
        let rest = count - to_boundary - run * self.leaf_size;
        feed_zeros(rest, |zeros| self.update(zeros));
    }
}
