//! Hashes one file on all cores: each thread takes the next pieces, hashes them and passes on their digests.
//!
//! This applies to digests that support it ([`Plan`](truesum_hash::tree::Plan)): trees, BLAKE3, CRCs, the parts of
//! cloud digests. Small pieces share a window of the file. Pieces that are large leaves are hashed side by side, a
//! slice of each at a time, so that they also fill the SIMD lanes. Pages that are already in memory are mapped, which
//! saves the kernel's copy; everything else is read. Holes are not read if the digests of zeros are known.

pub(crate) mod chains;
pub(crate) mod fold;
mod leaves;
pub(crate) mod ranges;
pub(crate) mod recipe;
pub(crate) mod scan;
pub(crate) mod sequence;
mod units;
mod work_queue;

use std::ops::Range;
use truesum_hash::Digest;

/// The size of a unit: sixteen leaves of 64 KiB fill the widest lanes, and this amount stays in the L2 cache. Small
/// pieces are handed out in complete units.
pub(crate) const UNIT: u64 = 1 << 20;

/// The result for pieces.
#[derive(Debug)]
pub(crate) enum PieceOutcome {
    /// The digests, starting with this piece.
    Digests(u64, Vec<Digest>),
    /// The pieces are in a hole.
    Zeros(Range<u64>),
}
