//! The hash tree of version 2 torrents (BEP 52): a binary tree of SHA-256 digests, padded with
//! zeros in place of missing leaves.

use truesum_hash::{Digest, Hasher, Spec, find};

/// The number of file bytes hashed into a leaf.
pub(crate) const LEAF: u64 = 16 << 10;
/// The length of a node in bytes.
pub(crate) const NODE: usize = 32;

/// A hasher for pairs of nodes.
pub(crate) struct Pairs(Hasher);

impl Pairs {
    pub(crate) fn new() -> Pairs {
        Pairs(Spec::new(find("sha256").expect("a row of the table of algorithms")).hasher())
    }

    fn node(&mut self, left: &[u8], right: &[u8]) -> Digest {
        self.0.update(left);
        self.0.update(right);
        self.0.finish_reset()
    }

    /// Returns the node at this level above the leaves if all of its leaves are missing.
    fn empty(&mut self, level: u32) -> Digest {
        let mut node = Digest::new(&[0; NODE]);
        for _ in 0..level {
            node = self.node(node.as_bytes(), node.as_bytes());
        }
        node
    }

    /// Returns the node at `level` that has `node`, which is at level `from`, as its leftmost
    /// descendant. All leaves to the right of `node` are missing.
    pub(crate) fn raised(&mut self, node: &[u8], from: u32, level: u32) -> Digest {
        let (mut node, mut empty) = (Digest::new(node), self.empty(from));
        for _ in from..level {
            node = self.node(node.as_bytes(), empty.as_bytes());
            empty = self.node(empty.as_bytes(), empty.as_bytes());
        }
        node
    }

    /// Returns the root above consecutive nodes at `level`, which are padded with empty nodes to a
    /// power of two.
    pub(crate) fn root(&mut self, row: &[u8], level: u32) -> Digest {
        let mut row = row.to_vec();
        let mut empty = self.empty(level);
        while row.len() > NODE {
            if !(row.len() / NODE).is_multiple_of(2) {
                row.extend_from_slice(empty.as_bytes());
            }
            let above: Vec<Digest> =
                row.chunks_exact(2 * NODE).map(|pair| self.node(&pair[..NODE], &pair[NODE..])).collect();
            row.clear();
            above.iter().for_each(|node| row.extend_from_slice(node.as_bytes()));
            empty = self.node(empty.as_bytes(), empty.as_bytes());
        }
        Digest::new(&row)
    }
}

/// Returns the height of the tree of a file with this many bytes.
pub(crate) fn height(bytes: u64) -> u32 {
    bytes.div_ceil(LEAF).next_power_of_two().trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the root directly from the definition: leaves, zeros up to a power of two, pairs.
    fn naive(data: &[u8], least: usize) -> Digest {
        let sha256 = Spec::new(find("sha256").unwrap());
        let mut row: Vec<Vec<u8>> =
            data.chunks(LEAF as usize).map(|leaf| sha256.digest(leaf).as_bytes().to_vec()).collect();
        row.resize(row.len().next_power_of_two().max(least), vec![0; NODE]);
        while row.len() > 1 {
            row = row.chunks(2).map(|pair| sha256.digest(&pair.concat()).as_bytes().to_vec()).collect();
        }
        Digest::new(&row[0])
    }

    #[test]
    fn piece_layers_give_the_root_of_the_leaves() {
        let data: Vec<u8> = (0..LEAF as usize * 11 + 5).map(|at| (at / 7) as u8).collect();
        let spec: Spec = "bt2-pieces-root".parse().unwrap();
        for leaves in [1usize, 2, 4, 8, 16] {
            let piece = leaves * LEAF as usize;
            for len in [piece + 1, piece * 2, piece * 3 - 1, data.len()].map(|len| len.min(data.len())) {
                let mut row = Vec::new();
                for part in data[..len].chunks(piece) {
                    let (from, level) = (height(part.len() as u64), height(piece as u64));
                    let found = Pairs::new().raised(spec.digest(part).as_bytes(), from, level);
                    assert_eq!(found, naive(part, leaves), "{leaves} {}", part.len());
                    row.extend_from_slice(found.as_bytes());
                }
                let root = Pairs::new().root(&row, height(piece as u64));
                if len > piece {
                    assert_eq!(root, naive(&data[..len], 1), "{leaves} {len}");
                    assert_eq!(root, spec.digest(&data[..len]));
                }
            }
        }
    }
}
