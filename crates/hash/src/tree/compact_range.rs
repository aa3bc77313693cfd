//! RFC 9162's tree over leaves that arrive in order, with one hash kept per level.
//!
//! A *compact range* (a term of Certificate Transparency) is the list of maximal perfect subtrees that cover leaves
//! `[first, next)`. It is sufficient to continue, to join adjacent ranges and to compute the root.

use crate::digest::Digest;

readable! {
    /// A range that does not begin where the previous one ends, or a subtree that does not fit at its position.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Gap {
        /// The expected leaf.
        expected: u64,
        /// The actual leaf.
        found: u64,
    }
}

impl std::fmt::Display for Gap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "expected leaf {}, found leaf {}", self.expected, self.found)
    }
}

impl std::error::Error for Gap {}

/// Returns the maximal perfect subtrees of leaves `[first, end)`, from left to right, as `(first leaf, level)`.
pub fn decompose(first: u64, end: u64) -> impl Iterator<Item = (u64, u8)> {
    let mut at = first;
    std::iter::from_fn(move || {
        let left = end.checked_sub(at).filter(|&left| left > 0)?;
        let level = at.trailing_zeros().min(left.ilog2());
        let item = (at, level as u8);
        at += 1 << level;
        Some(item)
    })
}

/// The perfect subtrees of a range of leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactRange {
    first: u64,
    next: u64,
    /// `(level, hash)`, from left to right. Two entries of the same level may wait side by side until the next push,
    /// because the last merge of BLAKE3 is that of the root and must be known.
    subtrees: Vec<(u8, Digest)>,
}

impl CompactRange {
    /// Returns a range without leaves whose first leaf will be number `first`.
    pub fn starting_at(first: u64) -> CompactRange {
        CompactRange { first, next: first, subtrees: Vec::new() }
    }

    /// Returns the number of the next leaf.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Returns the number of the first leaf.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Adds the hash of the next perfect subtree of `level` (0 for a leaf). `node` hashes two children.
    ///
    /// # Errors
    /// Fails if a subtree of this level cannot begin at the next leaf.
    pub fn push(
        &mut self,
        level: u8,
        hash: Digest,
        node: impl Fn(&Digest, &Digest) -> Digest,
    ) -> Result<(), Gap> {
        let width = 1u64.checked_shl(u32::from(level)).unwrap_or(0);
        let fits = width > 0 && self.next.is_multiple_of(width) && self.next.checked_add(width).is_some();
        if !fits {
            let found = self.next.checked_next_multiple_of(width.max(1)).unwrap_or(u64::MAX);
            return Err(Gap { expected: self.next, found });
        }
        self.merge(&node);
        self.subtrees.push((level, hash));
        self.next += width;
        Ok(())
    }

    /// Adds `count` leaves with the same hash: `levels[v]` is that of a perfect subtree of `2^v` of them.
    ///
    /// # Panics
    /// If `levels` has fewer levels than a run of this length needs; 64 levels are always sufficient.
    pub(crate) fn push_run(
        &mut self,
        count: u64,
        levels: &[Digest],
        node: impl Fn(&Digest, &Digest) -> Digest,
    ) {
        for (_, level) in decompose(self.next, self.next + count) {
            self.push(level, levels[usize::from(level)].clone(), &node)
                .expect("decompose aligns its subtrees");
        }
    }

    /// Returns the perfect subtrees as `(level, hash)`, with all merges done.
    pub fn into_subtrees(mut self, node: impl Fn(&Digest, &Digest) -> Digest) -> Vec<(u8, Digest)> {
        self.merge(&node);
        self.subtrees
    }

    /// Returns the hashes that are combined from right to left to the root, without the last merge; empty if there are
    /// no leaves.
    pub(crate) fn peaks(&self) -> impl DoubleEndedIterator<Item = &Digest> + ExactSizeIterator {
        self.subtrees.iter().map(|(_, hash)| hash)
    }

    /// Returns the root, with every node hashed by `node`; `None` without leaves.
    pub fn root(&self, node: impl Fn(&Digest, &Digest) -> Digest) -> Option<Digest> {
        let mut peaks = self.peaks().rev();
        let last = peaks.next()?.clone();
        Some(peaks.fold(last, |right, left| node(left, &right)))
    }

    fn merge(&mut self, node: &impl Fn(&Digest, &Digest) -> Digest) {
        while let [.., (left, a), (right, b)] = self.subtrees.as_slice()
            && left == right
            && self.next.is_multiple_of(2 << left)
        {
            let merged = (left + 1, node(a, b));
            self.subtrees.truncate(self.subtrees.len() - 2);
            self.subtrees.push(merged);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decomposition_covers_the_range_with_maximal_aligned_subtrees() {
        for first in 0..40u64 {
            for end in first..90 {
                let mut at = first;
                for (start, level) in decompose(first, end) {
                    assert_eq!(start, at);
                    assert_eq!(start % (1 << level), 0);
                    let larger = 2u64 << level;
                    assert!(start % larger != 0 || start + larger > end, "{first}..{end}: could be larger");
                    at += 1 << level;
                }
                assert_eq!(at, end);
            }
        }
    }

    #[test]
    fn misplaced_subtrees_are_rejected() {
        let node = |a: &Digest, _: &Digest| a.clone();
        let mut range = CompactRange::starting_at(3);
        assert_eq!(range.push(1, Digest::new(b"x"), node), Err(Gap { expected: 3, found: 4 }));
        assert_eq!(range.push(0, Digest::new(b"x"), node), Ok(()));
        assert_eq!(range.push(2, Digest::new(b"x"), node), Ok(()));
        assert_eq!(range.next(), 8);
        assert!(range.push(64, Digest::new(b"x"), node).is_err());
    }
}
