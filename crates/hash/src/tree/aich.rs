//! AICH, eMule's hash of large files: SHA-1 over blocks of 180 KiB, combined within parts of 9728000 bytes and then
//! over parts.
//!
//! A node divides at a block or part such that, if their number is odd, the left half is larger in a left child and
//! smaller in a right child. Which of both a part is becomes known only at the end, so both of its hashes are kept.

use crate::algorithm::{Algorithm, Kind, Params, Serial, Status};
use crate::digest::Digest;
use crate::family::sha1;
use crate::hasher::Hasher;
use crate::spec::Spec;

/// The row of this tree.
pub(crate) const ROW: Algorithm = Algorithm {
    name: "aich",
    tag: "AICH",
    digest_len: 20,
    status: Status::Broken(
        "SHA-1 collisions (Stevens et al. 2017); leaves and nodes have no distinct prefixes, so a file that \
         consists of the two leaf hashes of another file has the same digest",
    ),
    summary: "eMule: SHA-1 tree over 180 KiB blocks",
    check: "f7c3bc1d808e04732adf679965ccc34ca7ae3441",
    kind: Kind::Serial(new),
    ..Algorithm::PLAIN
};

const PART: u64 = 9_728_000;
const BLOCK: u64 = 184_320;

fn new(_: &Params) -> Box<dyn Serial> {
    let base = Spec::new(&sha1::ROWS[0]);
    Box::new(Aich { open: base.hasher(), filled: 0, in_part: 0, blocks: Vec::new(), parts: Vec::new() })
}

#[derive(Clone)]
struct Aich {
    /// The current block, and its bytes so far.
    open: Hasher,
    filled: u64,
    /// The number of bytes in the current part so far.
    in_part: u64,
    /// The hashes of the blocks in the current part.
    blocks: Vec<Digest>,
    /// The hashes of complete parts, as right and as left children.
    parts: Vec<[Digest; 2]>,
}

/// Returns the hash over children, as the `left` or right child of its parent. `leaf` returns the hash of one of them.
fn node(children: usize, left: bool, first: usize, leaf: &dyn Fn(usize, bool) -> Digest) -> Digest {
    if children <= 1 {
        return leaf(first, left);
    }
    let half = (children + usize::from(left)) / 2;
    let mut hasher = Spec::new(&sha1::ROWS[0]).hasher();
    hasher.update(node(half, true, first, leaf).as_bytes());
    hasher.update(node(children - half, false, first + half, leaf).as_bytes());
    hasher.finish()
}

impl Aich {
    fn end_block(&mut self) {
        let block = self.open.finish_reset();
        self.blocks.push(block);
        self.filled = 0;
    }

    fn end_part(&mut self) {
        let blocks = std::mem::take(&mut self.blocks);
        let part = |left| node(blocks.len(), left, 0, &|block, _| blocks[block].clone());
        self.parts.push([part(false), part(true)]);
        self.in_part = 0;
    }
}

impl Serial for Aich {
    fn update(&mut self, mut data: &[u8]) {
        while !data.is_empty() {
            let room = (BLOCK - self.filled).min(PART - self.in_part);
            let (taken, rest) = data.split_at(data.len().min(room as usize));
            self.open.update(taken);
            self.filled += taken.len() as u64;
            self.in_part += taken.len() as u64;
            if self.filled == BLOCK || self.in_part == PART {
                self.end_block();
            }
            if self.in_part == PART {
                self.end_part();
            }
            data = rest;
        }
    }

    fn finish(&mut self) -> Digest {
        if self.filled > 0 || self.blocks.is_empty() && self.parts.is_empty() {
            self.end_block();
        }
        if !self.blocks.is_empty() {
            self.end_part();
        }
        node(self.parts.len(), true, 0, &|part, left| self.parts[part][usize::from(left)].clone())
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
