//! AICH, eMule's hash of large files: SHA-1 over blocks of 180 KiB, joined within parts of 9728000 bytes and then over parts.
//!
//! A node cuts at a block or part so that, where they are an odd number, a left child's left half is the larger one and a
//! right child's the smaller. Which of both a part is shows only at the end, so both of its hashes are kept.

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
        "SHA-1's collisions (Stevens et al. 2017); no leaf and node prefixes: a file of two hashes has the \
         digest of a longer file",
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
    /// The block under way, and its bytes so far.
    open: Hasher,
    filled: u64,
    /// Bytes so far of the part under way.
    in_part: u64,
    /// Hashes of the blocks of the part under way.
    blocks: Vec<Digest>,
    /// Hashes of whole parts, as right and as left children.
    parts: Vec<[Digest; 2]>,
}

/// The hash over children, the `left` or right child of its parent; `leaf` gives that of one of them.
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
