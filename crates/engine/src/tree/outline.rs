//! The tree of a file as nodes with byte ranges and hashes, for drawings.

use crate::error::{Cause, Error};
use crate::io::source::finish;
use crate::pieces::UNIT;
use crate::pieces::scan::Scan;
use crate::tree::build::root_of_one;
use crate::tree::reading::Reading;
use std::ops::Range;
use std::path::Path;
use truesum_fs::name::OsStrExt;
use truesum_hash::tree::{Merkle, Plan, Step, Steps, halves};
use truesum_hash::{Digest, Spec};

readable! {
    /// A node and its subtree.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Node {
        /// The byte range that it covers.
        range: Range<u64> => &Range<u64>,
        /// Its hash; for the top node, that of the tree before it is sealed.
        hash: Digest => &Digest,
        /// The left and right child; empty for a leaf and for a node whose children are not shown.
        children: Vec<Node> => &[Node],
    }
}

readable! {
    /// A file's tree.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Outline {
        /// The digest.
        digest: Digest => &Digest,
        /// The top node.
        root: Node => &Node,
    }
}

/// The maximum number of leaves that are shown individually; larger trees end at granules of a mebibyte.
const LEAVES: u64 = 1 << 12;

/// Hashes a file and returns the nodes of its tree, from the root to `depth` levels below it.
///
/// # Errors
/// Fails if the digest is not a tree with nodes, if the file cannot be read or changed during the read, or if the run
/// was stopped.
pub fn outline(
    path: impl AsRef<Path>,
    spec: &Spec,
    depth: usize,
    reading: &Reading<'_>,
) -> Result<Outline, Error> {
    let path = path.as_ref().as_os_str().as_bytes();
    let file = reading.open(path)?;
    let source = reading.source(&file, path);
    let fail = || Error::new(path, "draw", Cause::Other(format!("{spec} has no tree to draw")));
    let tree = Merkle::new(spec);
    let granule = match &tree {
        Some(tree) if tree.leaves(source.size) <= LEAVES => tree.leaf_size(),
        _ => UNIT,
    };
    let plan = Plan::with_granule(spec, source.size, granule).ok_or_else(fail)?;
    let row = Scan::new(source, std::slice::from_ref(&plan), reading.thread_count()).row(0..plan.pieces())?;
    let size = source.size;
    let of_one = match &tree {
        Some(tree) if row.len() == 1 && !tree.place_independent() => Some(root_of_one(source, spec)?),
        _ => None,
    };
    finish(file, path)?;
    let leaves: Vec<Node> = (0..)
        .zip(row)
        .map(|(piece, hash)| Node { range: plan.piece(piece), hash, children: Vec::new() })
        .collect();
    let (digest, root) = match (tree, halves(spec)) {
        (Some(tree), _) => {
            let root = left_full(&tree, &leaves, true);
            (of_one.unwrap_or_else(|| tree.seal(&root.hash, size)), root)
        }
        (None, Some((variant, base))) => {
            let mut leaves = leaves.into_iter();
            let mut open: Vec<Node> = Vec::new();
            for step in Steps::new(variant, size) {
                match step {
                    Step::Leaf(_) => open.extend(leaves.next()),
                    Step::Node { root } => {
                        let children = open.split_off(open.len() - 2);
                        let hash = variant.node(&base, &children[0].hash, &children[1].hash, root);
                        open.push(Node {
                            range: children[0].range.start..children[1].range.end,
                            hash,
                            children,
                        });
                    }
                }
            }
            let root = open.pop().ok_or_else(fail)?;
            (root.hash.clone(), root)
        }
        (None, None) => return Err(fail()),
    };
    Ok(Outline { digest, root: cut(root, depth) })
}

fn left_full(tree: &Merkle, leaves: &[Node], root: bool) -> Node {
    if let [leaf] = leaves {
        return leaf.clone();
    }
    let (left, right) = leaves.split_at(1 << (leaves.len() - 1).ilog2());
    let (left, right) = (left_full(tree, left, false), left_full(tree, right, false));
    let hash = if root { tree.root(&left.hash, &right.hash) } else { tree.node(&left.hash, &right.hash) };
    Node { range: left.range.start..right.range.end, hash, children: vec![left, right] }
}

fn cut(mut node: Node, depth: usize) -> Node {
    node.children = match depth {
        0 => Vec::new(),
        _ => node.children.into_iter().map(|child| cut(child, depth - 1)).collect(),
    };
    node
}
