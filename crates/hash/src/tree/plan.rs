//! Divides a message of known length into pieces that any thread can hash in any order.
//!
//! There are two kinds of pieces: those hashed from a single buffer (a granule of small leaves, which fill the lanes),
//! and those that are one leaf each (mtsum's, the parts of an S3 object), which are added to a [`Hasher`] side by side
//! so that together they fill the lanes. The piece digests are then combined in order. CRCs and Adler-32 can be divided
//! anywhere.

use crate::algorithm::{Close, Composite, Kind, Linear};
use crate::digest::Digest;
use crate::hasher::Hasher;
use crate::spec::Spec;
use crate::tree::compact_range::CompactRange;
use crate::tree::list::Listing;
use crate::tree::merkle::{Merkle, zero_levels};
use crate::tree::mtsum::{Stack, Step, Steps};
use std::ops::Range;
use std::sync::Arc;

/// Specifies how one message is divided for one digest.
#[derive(Clone)]
pub struct Plan {
    spec: Spec,
    size: u64,
    method: Method,
}

#[derive(Clone)]
enum Method {
    Granules { merkle: Arc<Merkle>, granule: u64 },
    Parts(&'static Composite),
    Halves { composite: &'static Composite, ends: Arc<[u64]> },
    Linear { linear: Linear, granule: u64 },
}

/// Leaves up to this size share a buffer with their neighbors.
const SMALL: u64 = 64 << 10;
/// The default granule: sixteen leaves of 64 KiB.
const GRANULE: u64 = 1 << 20;
/// The maximum size of a part whose digest for zeros is precomputed: longer ones are hashed like data, which can be
/// interrupted.
const LONGEST: u64 = 64 << 20;

impl Plan {
    /// Returns the plan for a message of `size` bytes; `None` if the digest is sequential, or for a BLAKE3 message that
    /// is a single piece, whose root cannot be computed from the piece's value.
    pub fn new(spec: &Spec, size: u64) -> Option<Plan> {
        // Larger leaves are pieces of their own, because a granule of only a few would leave lanes empty.
        let large = Merkle::new(spec).map(|merkle| merkle.leaf_size()).filter(|leaf| *leaf > SMALL);
        let plan = Plan::with_granule(spec, size, large.unwrap_or(GRANULE))?;
        (plan.pieces() > 1 || plan.merkle().is_none_or(Merkle::place_independent)).then_some(plan)
    }

    /// Returns a plan with granules of `granule` bytes, a power of two, if the leaves are smaller. For BLAKE3 this
    /// includes a plan with a single piece, whose fold has no digest.
    pub fn with_granule(spec: &Spec, size: u64, granule: u64) -> Option<Plan> {
        let method = match (Merkle::new(spec), &spec.algorithm().kind) {
            (Some(merkle), _) => {
                let granule = granule.max(merkle.leaf_size());
                Method::Granules { merkle: Arc::new(merkle), granule }
            }
            (None, Kind::Composite(composite)) => match composite.close {
                Close::Alone => return None,
                Close::Halves(variant) => {
                    let mut end = 0;
                    let leaves = Steps::new(variant, size).filter_map(|step| match step {
                        Step::Leaf(len) => Some(len),
                        Step::Node { .. } => None,
                    });
                    let ends = leaves.map(|len| {
                        end += len;
                        end
                    });
                    Method::Halves { composite, ends: ends.collect() }
                }
                _ => Method::Parts(composite),
            },
            (None, _) => Method::Linear { linear: Linear::of(spec.algorithm())?, granule },
        };
        Some(Plan { spec: spec.clone(), size, method })
    }

    /// Returns the algorithm.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Returns the length of the message.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the tree, if it is a Merkle tree.
    pub fn merkle(&self) -> Option<&Merkle> {
        match &self.method {
            Method::Granules { merkle, .. } => Some(merkle),
            Method::Parts(_) | Method::Halves { .. } | Method::Linear { .. } => None,
        }
    }

    /// Returns the number of pieces, at least 1.
    pub fn pieces(&self) -> u64 {
        match &self.method {
            Method::Granules { granule, .. } | Method::Linear { granule, .. } => {
                self.size.div_ceil(*granule).max(1)
            }
            Method::Parts(_) => self.size.div_ceil(self.spec.unit()).max(1),
            Method::Halves { ends, .. } => ends.len() as u64,
        }
    }

    /// Returns the byte range of a piece.
    pub fn piece(&self, index: u64) -> Range<u64> {
        let equal = |len: u64| index * len..((index + 1) * len).min(self.size);
        match &self.method {
            Method::Granules { granule, .. } | Method::Linear { granule, .. } => equal(*granule),
            Method::Parts(_) => equal(self.spec.unit()),
            Method::Halves { ends, .. } => {
                let index = index as usize;
                let start = index.checked_sub(1).map_or(0, |before| ends[before]);
                start..ends[index]
            }
        }
    }

    /// Returns a hasher for a piece that is one leaf, or `None` if pieces are hashed with [`Plan::hash_piece`].
    pub fn piece_hasher(&self) -> Option<Hasher> {
        match &self.method {
            Method::Granules { merkle, granule } if merkle.leaf_size() == *granule && *granule > SMALL => {
                merkle.leaf_hasher()
            }
            Method::Granules { .. } | Method::Linear { .. } => None,
            Method::Parts(composite) | Method::Halves { composite, .. } => Some(composite.leaf_hasher()),
        }
    }

    /// Returns the digests of the pieces in `data`, which begins with piece `first` and consists of complete pieces,
    /// except possibly the last one of the message. The leaves of all of them share the lanes.
    pub fn hash_pieces(&self, first: u64, data: &[u8]) -> Vec<Digest> {
        let len = self.piece(0).end.max(1) as usize;
        match &self.method {
            Method::Granules { merkle, granule } if data.len() > len && merkle.place_independent() => {
                let leaves = merkle.leaf_hashes(data, 0);
                leaves
                    .chunks((granule / merkle.leaf_size()) as usize)
                    .map(|row| merkle.reduce(row.to_vec()))
                    .collect()
            }
            _ if data.is_empty() => vec![self.hash_piece(first, data)],
            _ => {
                (first..).zip(data.chunks(len)).map(|(index, piece)| self.hash_piece(index, piece)).collect()
            }
        }
    }

    /// Returns the digest of piece `index` with the bytes `data`.
    pub fn hash_piece(&self, index: u64, data: &[u8]) -> Digest {
        match &self.method {
            Method::Granules { merkle, granule } => {
                merkle.subtree(data, index * (granule / merkle.leaf_size()))
            }
            Method::Linear { linear, .. } => linear.part(&self.spec, data),
            Method::Parts(_) | Method::Halves { .. } => {
                let mut hasher = self.piece_hasher().expect("these pieces are leaves");
                hasher.update(data);
                hasher.finish()
            }
        }
    }

    /// Returns the digests of runs of complete pieces of zeros, for [`Fold::push_zeros`]; `None` if they depend on the
    /// position, or if one piece takes too long.
    pub fn zeros(&self) -> Option<Zeros> {
        match &self.method {
            Method::Granules { merkle, granule } => {
                let mut leaf = merkle.leaf_hasher()?;
                leaf.update_zeros(merkle.leaf_size());
                let levels = zero_levels(merkle, leaf.finish());
                Some(Zeros(levels[(granule / merkle.leaf_size()).ilog2() as usize..].to_vec()))
            }
            Method::Linear { linear, granule } => {
                let first = linear.part(&self.spec, &vec![0; *granule as usize]);
                let lengths = std::iter::successors(Some(*granule), |len| len.checked_mul(2));
                let double = |value: &mut Digest, len: u64| {
                    let next = linear.join(value, value, len);
                    Some(std::mem::replace(value, next))
                };
                Some(Zeros(lengths.scan(first, double).collect()))
            }
            Method::Parts(_) if self.pieces() > 1 && self.piece(0).end <= LONGEST => {
                let mut part = self.piece_hasher()?;
                part.update_zeros(self.piece(0).end);
                Some(Zeros(vec![part.finish()]))
            }
            Method::Parts(_) | Method::Halves { .. } => None,
        }
    }

    /// Combines the value so far with that of the next `len` bytes, for checksums that can be combined.
    fn join(&self, so_far: Option<Digest>, next: Digest, len: u64) -> Digest {
        match (&self.method, so_far) {
            (Method::Linear { linear, .. }, Some(so_far)) => linear.join(&so_far, &next, len),
            _ => next,
        }
    }

    /// Returns a fold, which combines piece digests in order.
    pub fn fold(&self) -> Fold {
        Fold {
            plan: self.clone(),
            digests: match &self.method {
                Method::Granules { .. } => PieceDigests::Range(CompactRange::starting_at(0)),
                Method::Linear { .. } => PieceDigests::Sum(None, 0),
                Method::Parts(composite) => PieceDigests::List(Listing::new(composite)),
                Method::Halves { composite, .. } => {
                    let Close::Halves(variant) = composite.close else {
                        unreachable!("digests divided by halves are also combined by halves")
                    };
                    PieceDigests::Halves(Box::new(Stack::new(variant, composite.base(), self.size)))
                }
            },
        }
    }
}

/// Digests of runs of zero pieces, by the logarithm of their number.
pub struct Zeros(Vec<Digest>);

impl Zeros {
    /// Returns the digest of one piece.
    pub fn piece(&self) -> &Digest {
        &self.0[0]
    }
}

/// Combines the piece digests of a [`Plan`] as they arrive.
pub struct Fold {
    plan: Plan,
    digests: PieceDigests,
}

enum PieceDigests {
    Range(CompactRange),
    List(Listing),
    Halves(Box<Stack>),
    Sum(Option<Digest>, u64),
}

impl Fold {
    /// Returns the number of the next piece.
    pub fn next(&self) -> u64 {
        match &self.digests {
            PieceDigests::Range(range) => range.next(),
            PieceDigests::List(list) => list.count(),
            PieceDigests::Sum(_, count) => *count,
            PieceDigests::Halves(stack) => stack.taken(),
        }
    }

    /// Adds the digest of the next piece.
    ///
    /// # Panics
    /// If all pieces have been added.
    pub fn push(&mut self, piece: Digest) {
        let next = self.next();
        assert!(next < self.plan.pieces(), "all pieces have been added");
        match &mut self.digests {
            PieceDigests::Range(range) => {
                let merkle = self.plan.merkle().expect("only Merkle trees have granules");
                range.push(0, piece, |l, r| merkle.node(l, r)).expect("one piece fits anywhere");
            }
            PieceDigests::List(list) => list.push(&piece),
            PieceDigests::Halves(stack) => stack.push(piece),
            PieceDigests::Sum(sum, count) => {
                let range = self.plan.piece(next);
                *sum = Some(self.plan.join(sum.take(), piece, range.end - range.start));
                *count += 1;
            }
        }
    }

    /// Adds `count` complete pieces of zeros. The cost is logarithmic in the number, or linear if digests are listed.
    ///
    /// # Panics
    /// If the plan has no [`Plan::zeros`], or fewer pieces are left.
    pub fn push_zeros(&mut self, zeros: &Zeros, count: u64) {
        assert!(self.next() + count <= self.plan.pieces(), "fewer pieces are left than zeros were added for");
        match &mut self.digests {
            PieceDigests::Range(range) => {
                let merkle = self.plan.merkle().expect("only Merkle trees have granules");
                range.push_run(count, &zeros.0, |l, r| merkle.node(l, r));
            }
            PieceDigests::Sum(sum, done) => {
                let len = self.plan.piece(0).end;
                for level in (0..u64::BITS).filter(|level| count >> level & 1 == 1) {
                    let run = zeros.0[level as usize].clone();
                    *sum = Some(self.plan.join(sum.take(), run, len << level));
                }
                *done += count;
            }
            PieceDigests::List(list) => (0..count).for_each(|_| list.push(zeros.piece())),
            PieceDigests::Halves(_) => panic!("this plan has no zeros"),
        }
    }

    /// Returns the digest of the message after all pieces have been added.
    pub fn finish(mut self) -> Option<Digest> {
        if self.next() < self.plan.pieces() {
            return None;
        }
        match &mut self.digests {
            PieceDigests::Range(range) => self.plan.merkle()?.close(range, self.plan.size),
            PieceDigests::List(list) => Some(list.finish(self.plan.size, self.plan.spec.unit())),
            PieceDigests::Halves(stack) => stack.root(),
            PieceDigests::Sum(sum, _) => match self.plan.method {
                Method::Linear { linear, .. } => Some(linear.close(sum.take()?, self.plan.size)),
                _ => None,
            },
        }
    }
}
