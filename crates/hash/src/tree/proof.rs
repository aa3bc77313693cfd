//! Proofs for trees with the structure of RFC 9162: that a range of leaves belongs to a tree, and that a tree is an
//! extension of an older one.
//!
//! The functions know structures but not hashes: the caller hashes its data (`inside`, `subtree`) and the nodes
//! (`node`). A proof alone proves nothing. It leads to a root, which the caller must compare with a trusted one.

use crate::digest::Digest;
use std::ops::Range;

/// A proof that does not have the form that its leaves require.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofError {
    /// The range is empty or not within the tree.
    Range,
    /// It has fewer hashes than the range needs.
    Short,
    /// It has more hashes than the range needs.
    Long,
    /// One of its hashes does not have the length of the tree's hashes.
    Hash,
}

impl std::fmt::Display for ProofError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ProofError::Range => "the range is empty or not within the tree",
            ProofError::Short => "the proof has too few hashes",
            ProofError::Long => "the proof has more hashes than the range needs",
            ProofError::Hash => "a hash in the proof has the wrong length",
        })
    }
}

impl std::error::Error for ProofError {}

/// Returns the first leaf of the right child of a node over at least two leaves.
fn middle(node: &Range<u64>) -> u64 {
    node.start + (1 << (node.end - node.start - 1).ilog2())
}

/// Returns the hashes that, together with the leaves of `range`, lead to the root of a tree of `leaves` leaves. For one
/// leaf, they are RFC 9162's inclusion proof. `subtree` returns the hash of the node over the given leaves.
///
/// # Errors
/// Returns the error of `subtree`. An empty range, or one outside the tree, has an empty proof, which proves no range.
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

/// Returns the number of hashes in a range's proof.
fn range_path_len(leaves: u64, range: Range<u64>) -> usize {
    let any = Digest::new(&[0]);
    let path = range_path(leaves, range, |_| Ok::<_, std::convert::Infallible>(any.clone()));
    path.map_or(0, |path| path.len())
}

/// Returns the root that a range's proof leads to. `inside` hashes a node whose leaves are all in the range; `node`
/// hashes two children and is passed whether their parent is the root.
///
/// # Errors
/// Returns a [`ProofError`] converted to the caller's error type, or the error of `inside`.
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
    // Tested before anything is read: with a wrong number of hashes, it is not a proof.
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

/// Returns the consistency proof of RFC 9162 section 2.1.4.1: the hashes that show that the first `old` leaves of a
/// tree of `new` leaves form a tree with the same leaves. Empty if `old` is 0, equal to `new` or larger.
///
/// # Errors
/// Returns the error of `subtree`.
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

/// Returns the roots over the first `old` and over all `new` leaves that a consistency proof leads to (RFC 9162 section
/// 2.1.4.2). It proves something only if the first one is `old_root` and the second one is trusted.
///
/// # Errors
/// Fails if it does not have the form that `old` and `new` require.
pub fn consistency_roots(
    (old, old_root): (u64, &Digest),
    new: u64,
    path: &[Digest],
    node: impl Fn(&Digest, &Digest) -> Digest,
) -> Result<(Digest, Digest), ProofError> {
    if old == 0 || old > new {
        return Err(ProofError::Range);
    }
    let (at, turns) = descend(new, old - 1, |at| at.end == old);
    let (first, path) = match at.start {
        0 => (old_root, path),
        _ => path.split_first().ok_or(ProofError::Short)?,
    };
    climb((first.clone(), first.clone()), &turns, path, node)
}

/// Returns the roots that the inclusion path of leaf `leaf` of `new` leaves leads to: over the first `leaf + 1` leaves
/// if that leaf has the hash `old`, and over all leaves if it has the hash `grown`. This is how a tree grows whose last
/// leaf was not full.
///
/// # Errors
/// Fails if the path does not have the form that `leaf` and `new` require.
pub fn grown_leaf_roots(
    leaf: u64,
    new: u64,
    (old, grown): (Digest, Digest),
    path: &[Digest],
    node: impl Fn(&Digest, &Digest) -> Digest,
) -> Result<(Digest, Digest), ProofError> {
    if leaf >= new {
        return Err(ProofError::Range);
    }
    let (_, turns) = descend(new, leaf, |at| at.end - at.start == 1);
    climb((old, grown), &turns, path, node)
}

/// Returns the path from the root of `new` leaves towards `leaf`, down to the node that is searched for: that node, and
/// for each step whether it went left.
fn descend(new: u64, leaf: u64, found: impl Fn(&Range<u64>) -> bool) -> (Range<u64>, Vec<bool>) {
    let (mut at, mut turns) = (0..new, Vec::new());
    while !found(&at) {
        let middle = middle(&at);
        let in_left = leaf < middle;
        turns.push(in_left);
        at = if in_left { at.start..middle } else { middle..at.end };
    }
    (at, turns)
}

/// The way back: nodes on the left belong to both trees, those on the right only to the new one.
fn climb(
    (mut old, mut new): (Digest, Digest),
    turns: &[bool],
    path: &[Digest],
    node: impl Fn(&Digest, &Digest) -> Digest,
) -> Result<(Digest, Digest), ProofError> {
    match path.len().cmp(&turns.len()) {
        std::cmp::Ordering::Less => return Err(ProofError::Short),
        std::cmp::Ordering::Greater => return Err(ProofError::Long),
        std::cmp::Ordering::Equal => {}
    }
    for (&in_left, sibling) in turns.iter().rev().zip(path) {
        if in_left {
            new = node(&new, sibling);
        } else {
            old = node(sibling, &old);
            new = node(sibling, &new);
        }
    }
    Ok((old, new))
}
