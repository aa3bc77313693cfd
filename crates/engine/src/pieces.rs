//! One file on all cores: whoever is free takes the next pieces, hashes them and hands their digests on.
//!
//! For the digests that allow it ([`Plan`](truesum_hash::tree::Plan)): trees, BLAKE3, CRCs, the parts of cloud digests. Small
//! pieces share a window of the file; pieces that are large leaves are hashed side by side, a slice of each at a time, so
//! that they too fill the lanes. Pages that are in memory already are mapped, which saves the kernel's copy; everything else
//! is read. Holes are not read where zeros have digests of their own.

pub(crate) mod chains;
pub(crate) mod fold;
mod hand;
mod leaves;
pub(crate) mod ranges;
pub(crate) mod recipe;
pub(crate) mod scan;
pub(crate) mod sequence;
mod units;

use std::ops::Range;
use truesum_hash::Digest;

/// Bytes of a unit: sixteen leaves of 64 KiB fill the widest lanes, and as much stays in the second-level cache. Small
/// pieces are handed out in whole units.
pub(crate) const UNIT: u64 = 1 << 20;

/// What became of pieces.
#[derive(Debug)]
pub(crate) enum Hashed {
    /// Their digests, from this one on.
    Digests(u64, Vec<Digest>),
    /// They lie in a hole.
    Zeros(Range<u64>),
}
