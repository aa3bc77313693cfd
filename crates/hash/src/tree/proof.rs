//! Proofs over a tree of RFC 9162's shape: that a range of leaves belongs to it, and that it grew from an older one.
//!
//! The functions know shapes and no hashes: the caller hashes what it has (`inside`, `subtree`) and its nodes (`node`). A
//! proof says nothing by itself. It leads to a root; comparing that with a trusted one is the caller's part.

use crate::digest::Digest;
use std::ops::Range;

/// A proof that does not have the form its leaves ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofError {
    /// The range is empty or not within the tree.
    Range,
    /// It has fewer hashes than the range needs.
    Short,
    /// It has more hashes than the range needs.
    Long,
}

impl std::fmt::Display for ProofError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ProofError::Range => "the range is empty or not within the tree",
            ProofError::Short => "the proof has too few hashes",
            ProofError::Long => "the proof has more hashes than the range needs",
        })
    }
}

impl std::error::Error for ProofError {}

/// The first leaf of the right child of a node over at least two leaves.
fn middle(node: &Range<u64>) -> u64 {
    node.start + (1 << (node.end - node.start - 1).ilog2())
}

/// The hashes that, with the leaves of `range`, lead to the root of a tree of `leaves` leaves; for one leaf they are RFC
/// 9162's inclusion proof. `subtree` gives the hash of a node by the leaves under it.
///
/// # Errors
/// Those of `subtree`. An empty range or one not within the tree has an empty proof, which no range is proven by.
pub fn range_path<E>(
    leaves: u64,
    range: Range<u64>,
    mut subtree: impl FnMut(Range<u64>) -> Result<Digest, E>,
) -> Result<Vec<Digest>, E> {
    let mut path = Vec::new();
    if is_within(&range, leaves) {
        collect(0..leaves, &range, &mut subtree, &mut path)?;
    }
    Ok(path)
}

fn is_within(range: &Range<u64>, leaves: u64) -> bool {
    range.start < range.end && range.end <= leaves
}

fn collect<E>(
    node: Range<u64>,
    range: &Range<u64>,
    subtree: &mut impl FnMut(Range<u64>) -> Result<Digest, E>,
    path: &mut Vec<Digest>,
) -> Result<(), E> {
    if range.start <= node.start && node.end <= range.end {
        return Ok(());
    }
    let middle = middle(&node);
    let (left, right) = (node.start..middle, middle..node.end);
    if range.start < middle {
        collect(left.clone(), range, subtree, path)?;
    }
    if range.end > middle {
        collect(right.clone(), range, subtree, path)?;
    }
    if range.end <= middle {
        path.push(subtree(right)?);
    } else if range.start >= middle {
        path.push(subtree(left)?);
    }
    Ok(())
}

/// The number of hashes in a range's proof.
pub fn range_path_len(leaves: u64, range: Range<u64>) -> usize {
    let any = Digest::new(&[0]);
    let path = range_path(leaves, range, |_| Ok::<_, std::convert::Infallible>(any.clone()));
    path.map_or(0, |path| path.len())
}

/// The root that a range's proof leads to. `inside` hashes a node all of whose leaves are in the range; `node` hashes two
/// children and is told whether their parent is the root.
///
/// # Errors
/// [`ProofError`] as text of the caller's error type, or what `inside` returns.
pub fn verify_range<E: From<ProofError>>(
    leaves: u64,
    range: Range<u64>,
    path: &[Digest],
    mut inside: impl FnMut(Range<u64>) -> Result<Digest, E>,
    mut node: impl FnMut(&Digest, &Digest, bool) -> Digest,
) -> Result<Digest, E> {
    if !is_within(&range, leaves) {
        return Err(ProofError::Range.into());
    }
    // Before anything is read: a wrong number of hashes is no proof.
    match path.len().cmp(&range_path_len(leaves, range.clone())) {
        std::cmp::Ordering::Less => return Err(ProofError::Short.into()),
        std::cmp::Ordering::Greater => return Err(ProofError::Long.into()),
        std::cmp::Ordering::Equal => {}
    }
    let mut path = path.iter();
    rebuild(0..leaves, leaves, &range, &mut path, &mut inside, &mut node)
}

fn rebuild<E: From<ProofError>>(
    at: Range<u64>,
    leaves: u64,
    range: &Range<u64>,
    path: &mut std::slice::Iter<'_, Digest>,
    inside: &mut impl FnMut(Range<u64>) -> Result<Digest, E>,
    node: &mut impl FnMut(&Digest, &Digest, bool) -> Digest,
) -> Result<Digest, E> {
    if range.start <= at.start && at.end <= range.end {
        return inside(at);
    }
    let root = at == (0..leaves);
    let middle = middle(&at);
    let (mut left, mut right) = (None, None);
    if range.start < middle {
        left = Some(rebuild(at.start..middle, leaves, range, path, inside, node)?);
    }
    if range.end > middle {
        right = Some(rebuild(middle..at.end, leaves, range, path, inside, node)?);
    }
    let mut or_next = |hash: Option<Digest>| match hash {
        Some(hash) => Ok(hash),
        None => path.next().cloned().ok_or(ProofError::Short),
    };
    let (left, right) = (or_next(left)?, or_next(right)?);
    Ok(node(&left, &right, root))
}

/// RFC 9162 section 2.1.4.1: the hashes that show that the first `old` leaves of a tree of `new` leaves are a tree with the
/// same leaves. Empty if `old` is 0, equal to `new` or larger.
///
/// # Errors
/// Those of `subtree`.
pub fn consistency_path<E>(
    old: u64,
    new: u64,
    mut subtree: impl FnMut(Range<u64>) -> Result<Digest, E>,
) -> Result<Vec<Digest>, E> {
    let mut path = Vec::new();
    let (mut node, mut whole) = (0..new, true);
    let mut siblings = Vec::new();
    if old == 0 || old >= new {
        return Ok(path);
    }
    while old < node.end {
        let middle = middle(&node);
        if old <= middle {
            siblings.push(middle..node.end);
            node.end = middle;
        } else {
            siblings.push(node.start..middle);
            node.start = middle;
            whole = false;
        }
    }
    if !whole {
        path.push(subtree(node)?);
    }
    for sibling in siblings.into_iter().rev() {
        path.push(subtree(sibling)?);
    }
    Ok(path)
}

/// RFC 9162 section 2.1.4.2: whether a consistency proof leads from `old_root` over `old` leaves to `new_root` over `new`.
pub fn verify_consistency(
    (old, old_root): (u64, &Digest),
    (new, new_root): (u64, &Digest),
    path: &[Digest],
    node: impl Fn(&Digest, &Digest) -> Digest,
) -> bool {
    if old == 0 || old > new {
        return false;
    }
    let (mut at, mut turns) = (0..new, Vec::new());
    while old < at.end {
        let middle = middle(&at);
        let in_left = old <= middle;
        turns.push(in_left);
        at = if in_left { at.start..middle } else { middle..at.end };
    }
    let mut path = path.iter();
    let first = if at.start == 0 { Some(old_root) } else { path.next() };
    let Some(first) = first else { return false };
    let (mut old_hash, mut new_hash) = (first.clone(), first.clone());
    for in_left in turns.into_iter().rev() {
        let Some(sibling) = path.next() else { return false };
        if in_left {
            new_hash = node(&new_hash, sibling);
        } else {
            old_hash = node(sibling, &old_hash);
            new_hash = node(sibling, &new_hash);
        }
    }
    path.next().is_none() && old_hash == *old_root && new_hash == *new_root
}
