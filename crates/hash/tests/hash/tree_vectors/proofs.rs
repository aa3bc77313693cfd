//! Proofs accepted and forgeries refused, with a weak but real hash: the tests cover the structure, and that every bit
//! counts.

use crate::input::Random;
use std::cell::RefCell;
use std::collections::HashMap;
use std::convert::Infallible;
use std::ops::Range;
use truesum_hash::tree::{
    CompactRange, Merkle, ProofError, consistency_path, consistency_roots, decompose, grown_leaf_roots,
    range_path, verify_range,
};
use truesum_hash::{Digest, Spec};

/// All subtree hashes of a tree with distinct leaves: computed once, looked up a million times.
struct Tree {
    merkle: Merkle,
    leaves: Vec<Digest>,
    hashes: RefCell<HashMap<Range<u64>, Digest>>,
}

impl Tree {
    fn new(leaves: u64) -> Tree {
        let md5: Spec = "md5".parse().expect("a row");
        let merkle = Merkle::new(&"md5-tree".parse().expect("a tree")).expect("a Merkle tree");
        let leaves = (0..leaves).map(|index| md5.digest(&index.to_le_bytes())).collect();
        Tree { merkle, leaves, hashes: RefCell::default() }
    }

    fn hash(&self, node: Range<u64>) -> Digest {
        let mut hashes = self.hashes.borrow_mut();
        let hash = hashes.entry(node.clone());
        hash.or_insert_with(|| {
            self.merkle.reduce(self.leaves[node.start as usize..node.end as usize].to_vec())
        })
        .clone()
    }

    fn path(&self, range: Range<u64>) -> Vec<Digest> {
        range_path(self.leaves.len() as u64, range, |node| Ok::<_, Infallible>(self.hash(node)))
            .expect("infallible")
    }

    fn root_of(&self, leaves: u64, range: Range<u64>, path: &[Digest]) -> Result<Digest, ProofError> {
        let node = |left: &Digest, right: &Digest, _| self.merkle.node(left, right);
        verify_range(leaves, range, path, |inside| Ok(self.hash(inside)), node)
    }
}

fn flip(path: &mut [Digest], random: &mut Random) {
    let at = random.below(path.len() as u64) as usize;
    let mut bytes = path[at].as_bytes().to_vec();
    let bit = random.below(bytes.len() as u64 * 8);
    bytes[(bit / 8) as usize] ^= 1 << (bit % 8);
    path[at] = Digest::new(&bytes);
}

/// Returns a proof with one kind of manipulation; `None` if it does not apply.
fn mutate(kind: u64, path: &[Digest], random: &mut Random) -> Option<Vec<Digest>> {
    let mut path = path.to_vec();
    let len = path.len() as u64;
    match kind {
        0 | 1 if len > 0 => flip(&mut path, random),
        2 if len > 0 => drop(path.remove(random.below(len) as usize)),
        3 => path.insert(
            random.below(len + 1) as usize,
            Digest::new(&random.below(u64::MAX).to_le_bytes().repeat(2)),
        ),
        4 if len > 1 => {
            let (a, b) = (random.below(len) as usize, random.below(len) as usize);
            if path[a] == path[b] {
                return None;
            }
            path.swap(a, b);
        }
        _ => return None,
    }
    Some(path)
}

#[test]
fn range_proofs_verify_and_forgeries_fail() {
    let mut random = Random::new(4);
    let (mut accepted, mut refused) = (0, 0);
    let trees: Vec<Tree> = (1..=24).map(Tree::new).collect();
    let mut trees = trees.iter().cycle();
    while accepted < 100_000 || refused < 1_000_000 {
        let tree = trees.next().expect("a cycle");
        let size = tree.leaves.len() as u64;
        let root = tree.hash(0..size);
        for _ in 0..200 {
            let start = random.below(size);
            let end = start + 1 + random.below(size - start);
            let path = tree.path(start..end);
            assert_eq!(tree.root_of(size, start..end, &path), Ok(root.clone()), "{start}..{end} of {size}");
            accepted += 1;
            for kind in [0, 1, 2, 3, 4, 0, 1, 0, 1, 3, 0, 1] {
                let Some(forged) = mutate(kind, &path, &mut random) else { continue };
                let result = tree.root_of(size, start..end, &forged);
                assert_ne!(result, Ok(root.clone()), "{start}..{end} of {size}, forged as {kind}");
                refused += 1;
            }
            // Another position: the leaves are distinct, so their hashes do not fit there.
            let shifted = start + 1..end + 1;
            if end < size {
                assert_ne!(tree.root_of(size, shifted, &path), Ok(root.clone()));
                refused += 1;
            }
        }
    }
    assert!(accepted >= 100_000 && refused >= 1_000_000);
}

#[test]
fn consistency_proofs_verify_and_forgeries_fail() {
    let mut random = Random::new(5);
    for new in 1..=40 {
        let tree = Tree::new(new);
        let new_root = tree.hash(0..new);
        let is_proof = |(old, old_root): (u64, &Digest), (new, new_root): (u64, &Digest), path: &[Digest]| {
            let roots =
                consistency_roots((old, old_root), new, path, |left, right| tree.merkle.node(left, right));
            roots == Ok((old_root.clone(), new_root.clone()))
        };
        for old in 1..=new {
            let old_root = tree.hash(0..old);
            let path =
                consistency_path(old, new, |node| Ok::<_, Infallible>(tree.hash(node))).expect("infallible");
            assert!(is_proof((old, &old_root), (new, &new_root), &path), "{old} of {new}");
            for kind in 0..5 {
                if let Some(forged) = mutate(kind, &path, &mut random) {
                    let fooled = is_proof((old, &old_root), (new, &new_root), &forged);
                    assert!(!fooled, "{old} of {new}, forged as {kind}");
                }
            }
            let other = Digest::new(&[7; 16]);
            assert!(!is_proof((old, &other), (new, &new_root), &path));
            assert!(!is_proof((old, &old_root), (new, &other), &path));
            if old < new {
                assert!(!is_proof((old + 1, &old_root), (new, &new_root), &path));
                assert!(!is_proof((new + 1, &old_root), (new, &new_root), &path));
            }
        }
    }
}

#[test]
fn grown_last_leaf_is_proven_and_forgeries_fail() {
    let mut random = Random::new(6);
    let part = Digest::new(&[9; 16]);
    for new in 1..=40 {
        let tree = Tree::new(new);
        let node = |left: &Digest, right: &Digest| tree.merkle.node(left, right);
        let new_root = tree.hash(0..new);
        for leaf in 0..new {
            // The old tree, hashed level by level: the last leaf of the old file was shorter.
            let old_leaves = [&tree.leaves[..leaf as usize], std::slice::from_ref(&part)].concat();
            let roots = (tree.merkle.reduce(old_leaves), new_root.clone());
            let path = tree.path(leaf..leaf + 1);
            let see = |leaf: u64, new: u64, path: &[Digest]| {
                let grown = tree.leaves[leaf.min(tree.leaves.len() as u64 - 1) as usize].clone();
                grown_leaf_roots(leaf, new, (part.clone(), grown), path, node)
            };
            assert_eq!(see(leaf, new, &path), Ok(roots.clone()), "{leaf} of {new}");
            for kind in 0..5 {
                if let Some(forged) = mutate(kind, &path, &mut random) {
                    assert_ne!(
                        see(leaf, new, &forged),
                        Ok(roots.clone()),
                        "{leaf} of {new}, forged as {kind}"
                    );
                }
            }
            assert_ne!(see(leaf + 1, new, &path), Ok(roots.clone()));
            assert_eq!(see(new, new, &path), Err(ProofError::Range));
        }
    }
}

#[test]
fn invalid_ranges_prove_nothing() {
    let tree = Tree::new(5);
    for range in [0..0, 3..3, 5..6, 0..6, 4..7] {
        assert_eq!(tree.root_of(5, range.clone(), &[]), Err(ProofError::Range), "{range:?}");
        assert_eq!(tree.path(range), []);
    }
    #[allow(clippy::reversed_empty_ranges, reason = "a proof may claim it")]
    let reversed = 3..2;
    assert_eq!(tree.root_of(5, reversed, &[]), Err(ProofError::Range));
    assert_eq!(tree.root_of(u64::MAX, 0..1, &[]), Err(ProofError::Short));
}

#[test]
fn any_division_into_ranges_combines_to_the_root() {
    let mut random = Random::new(6);
    for size in 1..200 {
        let tree = Tree::new(size);
        let node = |left: &Digest, right: &Digest| tree.merkle.node(left, right);
        let mut whole = CompactRange::starting_at(0);
        while whole.next() < size {
            let first = whole.next();
            let end = first + 1 + random.below(size - first);
            let mut part = CompactRange::starting_at(first);
            for index in first..end {
                part.push(0, tree.leaves[index as usize].clone(), node).expect("leaves come in order");
            }
            let subtrees = part.into_subtrees(node);
            let levels: Vec<u8> = subtrees.iter().map(|(level, _)| *level).collect();
            assert_eq!(levels, decompose(first, end).map(|(_, level)| level).collect::<Vec<u8>>());
            for (level, hash) in subtrees {
                whole.push(level, hash, node).expect("ranges come in order");
            }
        }
        assert_eq!(whole.root(node), Some(tree.hash(0..size)));
    }
}
