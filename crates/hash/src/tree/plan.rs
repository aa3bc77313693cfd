//! A message of known length cut into pieces that are hashed apart, by any thread and in any order.
//!
//! Two kinds of piece: one that is hashed from a single buffer (a granule of small leaves, whose leaves fill the lanes), and
//! one that is a leaf of its own (mtsum's, the parts of an S3 object), fed to a [`Hasher`] beside others so that together
//! they fill the lanes. The piece digests are then folded in order.

use crate::algorithm::Kind;
use crate::digest::Digest;
use crate::hasher::Hasher;
use crate::spec::Spec;
use crate::tree::compact_range::CompactRange;
use crate::tree::composite::{Close, Composite};
use crate::tree::merkle::{Merkle, zero_levels};
use crate::tree::mtsum::{Stack, Step, Walk};
use std::ops::Range;
use std::sync::Arc;

/// How one message is cut for one digest.
#[derive(Clone)]
pub struct Plan {
    spec: Spec,
    size: u64,
    way: Way,
}

#[derive(Clone)]
enum Way {
    Granules { merkle: Arc<Merkle>, granule: u64 },
    Parts(&'static Composite),
    Halves { composite: &'static Composite, ends: Arc<[u64]> },
}

/// Leaves up to this size share a buffer with their neighbours.
const SMALL: u64 = 128 << 10;
/// The usual granule: sixteen leaves of 64 KiB.
const GRANULE: u64 = 1 << 20;

impl Plan {
    /// The plan for a message of `size` bytes; `None` if the digest is a chain, or the message too short to be cut.
    pub fn new(spec: &Spec, size: u64) -> Option<Plan> {
        Plan::with_granule(spec, size, GRANULE)
    }

    /// The same with granules of `granule` bytes, a power of two, where the leaves are smaller than that.
    pub fn with_granule(spec: &Spec, size: u64, granule: u64) -> Option<Plan> {
        let way = match (Merkle::new(spec), &spec.algorithm().kind) {
            (Some(merkle), _) => {
                let granule = granule.max(merkle.leaf_size());
                Way::Granules { merkle: Arc::new(merkle), granule }
            }
            (None, Kind::Composite(composite)) => match composite.close {
                Close::Halves(variant) => {
                    let mut end = 0;
                    let leaves = Walk::new(variant, size).filter_map(|step| match step {
                        Step::Leaf(len) => Some(len),
                        Step::Node { .. } => None,
                    });
                    let ends = leaves.map(|len| {
                        end += len;
                        end
                    });
                    Way::Halves { composite, ends: ends.collect() }
                }
                _ => Way::Parts(composite),
            },
            (None, _) => return None,
        };
        let plan = Plan { spec: spec.clone(), size, way };
        // BLAKE3's root over one granule is not made from the granule's value.
        (plan.pieces() > 1 || plan.merkle().is_none_or(Merkle::place_independent)).then_some(plan)
    }

    /// What is computed.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Length of the message.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The tree, if it is a Merkle tree.
    pub fn merkle(&self) -> Option<&Merkle> {
        match &self.way {
            Way::Granules { merkle, .. } => Some(merkle),
            Way::Parts(_) | Way::Halves { .. } => None,
        }
    }

    /// Number of pieces, at least 1.
    pub fn pieces(&self) -> u64 {
        match &self.way {
            Way::Granules { granule, .. } => self.size.div_ceil(*granule).max(1),
            Way::Parts(_) => self.size.div_ceil(self.spec.unit()).max(1),
            Way::Halves { ends, .. } => ends.len() as u64,
        }
    }

    /// The bytes of a piece.
    pub fn piece(&self, index: u64) -> Range<u64> {
        let equal = |len: u64| index * len..((index + 1) * len).min(self.size);
        match &self.way {
            Way::Granules { granule, .. } => equal(*granule),
            Way::Parts(_) => equal(self.spec.unit()),
            Way::Halves { ends, .. } => {
                let index = index as usize;
                let start = index.checked_sub(1).map_or(0, |before| ends[before]);
                start..ends[index]
            }
        }
    }

    /// A hasher for a piece that is a leaf of its own, or `None` if pieces go through [`Plan::hash_piece`].
    pub fn piece_hasher(&self) -> Option<Hasher> {
        match &self.way {
            Way::Granules { merkle, granule } if merkle.leaf_size() == *granule && *granule > SMALL => {
                merkle.leaf_hasher()
            }
            Way::Granules { .. } => None,
            Way::Parts(composite) | Way::Halves { composite, .. } => Some(composite.leaf_hasher()),
        }
    }

    /// The digest of piece `index`, whose bytes are `data`.
    pub fn hash_piece(&self, index: u64, data: &[u8]) -> Digest {
        match &self.way {
            Way::Granules { merkle, granule } => merkle.subtree(data, index * (granule / merkle.leaf_size())),
            Way::Parts(_) | Way::Halves { .. } => {
                let mut hasher = self.piece_hasher().expect("these pieces are leaves");
                hasher.update(data);
                hasher.finish()
            }
        }
    }

    /// Digests of runs of whole pieces that are all zeros, for [`Fold::push_zeros`]; `None` if they depend on the place.
    pub fn zeros(&self) -> Option<Zeros> {
        let Way::Granules { merkle, granule } = &self.way else { return None };
        let mut leaf = merkle.leaf_hasher()?;
        leaf.update_zeros(merkle.leaf_size());
        let levels = zero_levels(merkle, leaf.finish());
        Some(Zeros(levels[(granule / merkle.leaf_size()).ilog2() as usize..].to_vec()))
    }

    /// Takes piece digests in order.
    pub fn fold(&self) -> Fold {
        Fold {
            plan: self.clone(),
            kept: match &self.way {
                Way::Granules { .. } => Kept::Range(CompactRange::starting_at(0)),
                Way::Parts(composite) => Kept::List(Box::new(composite.base().hasher()), 0),
                Way::Halves { composite, .. } => {
                    let Close::Halves(variant) = composite.close else {
                        unreachable!("cut by halves, closed by halves")
                    };
                    Kept::Halves(Box::new(Stack::new(variant, composite.base(), self.size)))
                }
            },
        }
    }
}

/// Digests of perfect subtrees of zero pieces, by level.
pub struct Zeros(Vec<Digest>);

impl Zeros {
    /// The digest of one piece.
    pub fn piece(&self) -> &Digest {
        &self.0[0]
    }
}

/// The piece digests of a [`Plan`], joined as they come.
pub struct Fold {
    plan: Plan,
    kept: Kept,
}

enum Kept {
    Range(CompactRange),
    List(Box<Hasher>, u64),
    Halves(Box<Stack>),
}

impl Fold {
    /// The number of the piece that comes next.
    pub fn next(&self) -> u64 {
        match &self.kept {
            Kept::Range(range) => range.next(),
            Kept::List(_, count) => *count,
            Kept::Halves(stack) => stack.taken(),
        }
    }

    /// Takes the digest of the next piece.
    ///
    /// # Panics
    /// If all pieces have come.
    pub fn push(&mut self, piece: Digest) {
        assert!(self.next() < self.plan.pieces(), "all pieces have come");
        match &mut self.kept {
            Kept::Range(range) => {
                let merkle = self.plan.merkle().expect("granules are of a Merkle tree");
                range.push(0, piece, |l, r| merkle.node(l, r)).expect("one piece fits anywhere");
            }
            Kept::List(hasher, count) => {
                hasher.update(piece.as_bytes());
                *count += 1;
            }
            Kept::Halves(stack) => stack.push(piece),
        }
    }

    /// Takes `count` whole pieces of zeros, at the cost of their logarithm.
    ///
    /// # Panics
    /// If the plan has no [`Plan::zeros`], or not so many pieces are left.
    pub fn push_zeros(&mut self, zeros: &Zeros, count: u64) {
        assert!(self.next() + count <= self.plan.pieces(), "not so many pieces are left");
        let (Kept::Range(range), Some(merkle)) = (&mut self.kept, self.plan.merkle()) else {
            panic!("zeros are of a Merkle tree");
        };
        range.push_run(count, &zeros.0, |l, r| merkle.node(l, r));
    }

    /// The digest of the message, when all pieces have come.
    pub fn finish(mut self) -> Option<Digest> {
        if self.next() < self.plan.pieces() {
            return None;
        }
        match &mut self.kept {
            Kept::Range(range) => self.plan.merkle()?.close(range, self.plan.size),
            Kept::List(hasher, count) => Some(hasher.finish().with_parts(*count)),
            Kept::Halves(stack) => stack.root(),
        }
    }
}
