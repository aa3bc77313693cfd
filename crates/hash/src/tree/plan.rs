//! A message of known length cut into pieces that are hashed apart, by any thread and in any order.
//!
//! Two kinds of piece: one that is hashed from a single buffer (a granule of small leaves, whose leaves fill the lanes), and
//! one that is a leaf of its own (mtsum's, the parts of an S3 object), fed to a [`Hasher`] beside others so that together
//! they fill the lanes. The piece digests are then folded in order. CRCs and Adler-32 are cut anywhere: their pieces add up.

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
    Linear { linear: Linear, granule: u64 },
}

/// Leaves up to this size share a buffer with their neighbours.
const SMALL: u64 = 64 << 10;
/// The usual granule: sixteen leaves of 64 KiB.
const GRANULE: u64 = 1 << 20;
/// Longest part whose zeros are hashed once for all: longer ones are hashed like data, which can be interrupted.
const LONGEST: u64 = 64 << 20;

impl Plan {
    /// The plan for a message of `size` bytes; `None` if the digest is a chain, or BLAKE3's of a message that is one piece,
    /// whose root is not made from the piece's value.
    pub fn new(spec: &Spec, size: u64) -> Option<Plan> {
        // Larger leaves are pieces of their own: a granule of a few would leave lanes empty.
        let large = Merkle::new(spec).map(|merkle| merkle.leaf_size()).filter(|leaf| *leaf > SMALL);
        let plan = Plan::with_granule(spec, size, large.unwrap_or(GRANULE))?;
        (plan.pieces() > 1 || plan.merkle().is_none_or(Merkle::place_independent)).then_some(plan)
    }

    /// The same with granules of `granule` bytes, a power of two, where the leaves are smaller than that. For BLAKE3 there is
    /// a plan for one piece too; its fold has no digest.
    pub fn with_granule(spec: &Spec, size: u64, granule: u64) -> Option<Plan> {
        let way = match (Merkle::new(spec), &spec.algorithm().kind) {
            (Some(merkle), _) => {
                let granule = granule.max(merkle.leaf_size());
                Way::Granules { merkle: Arc::new(merkle), granule }
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
                    Way::Halves { composite, ends: ends.collect() }
                }
                _ => Way::Parts(composite),
            },
            (None, _) => Way::Linear { linear: Linear::of(spec.algorithm())?, granule },
        };
        Some(Plan { spec: spec.clone(), size, way })
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
            Way::Parts(_) | Way::Halves { .. } | Way::Linear { .. } => None,
        }
    }

    /// Number of pieces, at least 1.
    pub fn pieces(&self) -> u64 {
        match &self.way {
            Way::Granules { granule, .. } | Way::Linear { granule, .. } => {
                self.size.div_ceil(*granule).max(1)
            }
            Way::Parts(_) => self.size.div_ceil(self.spec.unit()).max(1),
            Way::Halves { ends, .. } => ends.len() as u64,
        }
    }

    /// The bytes of a piece.
    pub fn piece(&self, index: u64) -> Range<u64> {
        let equal = |len: u64| index * len..((index + 1) * len).min(self.size);
        match &self.way {
            Way::Granules { granule, .. } | Way::Linear { granule, .. } => equal(*granule),
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
            Way::Granules { .. } | Way::Linear { .. } => None,
            Way::Parts(composite) | Way::Halves { composite, .. } => Some(composite.leaf_hasher()),
        }
    }

    /// The digests of the pieces of `data`, which begins with piece `first` and holds whole pieces, the message's last
    /// excepted. Leaves of all of them share the lanes.
    pub fn hash_pieces(&self, first: u64, data: &[u8]) -> Vec<Digest> {
        let len = self.piece(0).end.max(1) as usize;
        match &self.way {
            Way::Granules { merkle, granule } if data.len() > len && merkle.place_independent() => {
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

    /// The digest of piece `index`, whose bytes are `data`.
    pub fn hash_piece(&self, index: u64, data: &[u8]) -> Digest {
        match &self.way {
            Way::Granules { merkle, granule } => merkle.subtree(data, index * (granule / merkle.leaf_size())),
            Way::Linear { linear, .. } => linear.part(&self.spec, data),
            Way::Parts(_) | Way::Halves { .. } => {
                let mut hasher = self.piece_hasher().expect("these pieces are leaves");
                hasher.update(data);
                hasher.finish()
            }
        }
    }

    /// Digests of runs of whole pieces that are all zeros, for [`Fold::push_zeros`]; `None` if they depend on the place, or one
    /// piece takes too long.
    pub fn zeros(&self) -> Option<Zeros> {
        match &self.way {
            Way::Granules { merkle, granule } => {
                let mut leaf = merkle.leaf_hasher()?;
                leaf.update_zeros(merkle.leaf_size());
                let levels = zero_levels(merkle, leaf.finish());
                Some(Zeros(levels[(granule / merkle.leaf_size()).ilog2() as usize..].to_vec()))
            }
            Way::Linear { linear, granule } => {
                let first = linear.part(&self.spec, &vec![0; *granule as usize]);
                let lengths = std::iter::successors(Some(*granule), |len| len.checked_mul(2));
                let double = |value: &mut Digest, len: u64| {
                    let next = linear.join(value, value, len);
                    Some(std::mem::replace(value, next))
                };
                Some(Zeros(lengths.scan(first, double).collect()))
            }
            Way::Parts(_) if self.pieces() > 1 && self.piece(0).end <= LONGEST => {
                let mut part = self.piece_hasher()?;
                part.update_zeros(self.piece(0).end);
                Some(Zeros(vec![part.finish()]))
            }
            Way::Parts(_) | Way::Halves { .. } => None,
        }
    }

    /// The value of what came so far and of the next `len` bytes, for checksums that add up.
    fn join(&self, so_far: Option<Digest>, next: Digest, len: u64) -> Digest {
        match (&self.way, so_far) {
            (Way::Linear { linear, .. }, Some(so_far)) => linear.join(&so_far, &next, len),
            _ => next,
        }
    }

    /// Takes piece digests in order.
    pub fn fold(&self) -> Fold {
        Fold {
            plan: self.clone(),
            kept: match &self.way {
                Way::Granules { .. } => PieceDigests::Range(CompactRange::starting_at(0)),
                Way::Linear { .. } => PieceDigests::Sum(None, 0),
                Way::Parts(composite) => PieceDigests::List(Listing::new(composite)),
                Way::Halves { composite, .. } => {
                    let Close::Halves(variant) = composite.close else {
                        unreachable!("cut by halves, closed by halves")
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
    /// The digest of one piece.
    pub fn piece(&self) -> &Digest {
        &self.0[0]
    }
}

/// The piece digests of a [`Plan`], joined as they come.
pub struct Fold {
    plan: Plan,
    kept: PieceDigests,
}

enum PieceDigests {
    Range(CompactRange),
    List(Listing),
    Halves(Box<Stack>),
    Sum(Option<Digest>, u64),
}

impl Fold {
    /// The number of the piece that comes next.
    pub fn next(&self) -> u64 {
        match &self.kept {
            PieceDigests::Range(range) => range.next(),
            PieceDigests::List(list) => list.count(),
            PieceDigests::Sum(_, count) => *count,
            PieceDigests::Halves(stack) => stack.taken(),
        }
    }

    /// Takes the digest of the next piece.
    ///
    /// # Panics
    /// If all pieces have come.
    pub fn push(&mut self, piece: Digest) {
        let next = self.next();
        assert!(next < self.plan.pieces(), "all pieces have come");
        match &mut self.kept {
            PieceDigests::Range(range) => {
                let merkle = self.plan.merkle().expect("granules are of a Merkle tree");
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

    /// Takes `count` whole pieces of zeros, at the cost of their logarithm, or of a digest each where digests are listed.
    ///
    /// # Panics
    /// If the plan has no [`Plan::zeros`], or not so many pieces are left.
    pub fn push_zeros(&mut self, zeros: &Zeros, count: u64) {
        assert!(self.next() + count <= self.plan.pieces(), "not so many pieces are left");
        match &mut self.kept {
            PieceDigests::Range(range) => {
                let merkle = self.plan.merkle().expect("granules are of a Merkle tree");
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

    /// The digest of the message, when all pieces have come.
    pub fn finish(mut self) -> Option<Digest> {
        if self.next() < self.plan.pieces() {
            return None;
        }
        match &mut self.kept {
            PieceDigests::Range(range) => self.plan.merkle()?.close(range, self.plan.size),
            PieceDigests::List(list) => Some(list.finish(self.plan.size, self.plan.spec.unit())),
            PieceDigests::Halves(stack) => stack.root(),
            PieceDigests::Sum(sum, _) => match self.plan.way {
                Way::Linear { linear, .. } => Some(linear.close(sum.take()?, self.plan.size)),
                _ => None,
            },
        }
    }
}
