//! Outboard files of Bao (`.obao`) and of bao-tree (`.obao4`): the nodes of a file's BLAKE3 tree,
//! each consisting of the two chaining values below it.
//!
//! `.obao` contains the file's length, followed by all nodes above chunks of 1 KiB in pre-order.
//! `.obao4` contains the nodes above groups of 16 KiB in pre-order or post-order, usually without
//! the length. Every node except the root is hashed and compared with the chaining value in its
//! parent, so a damaged outboard is never used to check a file.

use super::nameless::{self, LIMIT, ROW, le64};
use crate::entry::{Boundaries, PieceHashing, PieceList, SIZE_LIMIT};
use crate::formats::prelude::*;
use crate::records::{refused, stopped};
use truesum_hash::tree::Merkle;

pub(crate) static OBAO: Format = Format {
    name: "obao",
    file_names: &[".obao"],
    summary: "Bao outboard: BLAKE3 tree over 1 KiB chunks; locates damage",
    reading: Reading::document(LIMIT, |text, options| parse(&text, CHUNK, ".obao", options)),
    ..ROW
};

pub(crate) static OBAO4: Format = Format {
    name: "obao4",
    file_names: &[".obao4"],
    summary: "bao-tree outboard, as used by iroh: BLAKE3 tree over 16 KiB groups; locates damage",
    reading: Reading::document(LIMIT, |text, options| parse(&text, GROUP, ".obao4", options)),
    ..ROW
};

/// Size of a chunk and of a group in bytes.
const CHUNK: u64 = 1 << 10;
const GROUP: u64 = 16 << 10;
/// Size of a node, and of the length that precedes the nodes, in bytes.
const NODE: usize = 64;
const LENGTH: usize = 8;

fn parse(text: &[u8], leaf: u64, ending: &str, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    // The file's length is present if 8 bytes remain in addition to complete nodes.
    let has_length = text.len() % NODE == LENGTH;
    if !has_length && (leaf == CHUNK || !text.len().is_multiple_of(NODE)) {
        return Err(refused(text.len() / NODE * NODE, "the outboard is truncated"));
    }
    let nodes = &text[if has_length { LENGTH } else { 0 }..];
    let leaves = (nodes.len() / NODE) as u64 + 1;
    let size = le64(text, 0).filter(|_| has_length);
    if size.is_some_and(|size| size > SIZE_LIMIT || size.div_ceil(leaf).max(1) != leaves) {
        return Err(refused(0, "invalid length (truncated, or not an outboard)"));
    }
    let path = nameless::name(options, &[ending])?;
    if leaves == 1 {
        // Only the root could verify it, and the root's chaining value is not part of an
        // outboard.
        return Ok(nameless::only(path, size, Vec::new()));
    }
    let spec = find("blake3").map(Spec::new).ok_or(refused(0, "unsupported hash algorithm"))?;
    let merkle = Merkle::new(&spec).ok_or(refused(0, "unsupported hash algorithm"))?;
    let read = |post| {
        let mut walk = Walk {
            merkle: &merkle,
            nodes,
            base: text.len() - nodes.len(),
            at: 0,
            post,
            row: Vec::new(),
            options,
        };
        walk.row.reserve(nodes.len() / 2 + 32);
        walk.subtree(0, leaves, None).map(|()| walk.row)
    };
    let row = match read(false) {
        Err(error) if leaf == GROUP => read(true).map_err(|_| error),
        other => other,
    }?;
    let covered = 0..size.unwrap_or(leaves * leaf);
    let list = PieceList::of(spec, Boundaries::Equal { covered, len: leaf }, row.into(), 32);
    let list = list
        .ok_or(refused(0, "the number of nodes does not match the file size"))?
        .with_hashing(PieceHashing::Subtree);
    let list = if size.is_none() { list.ending_with_file() } else { list };
    Ok(nameless::only(path, size, vec![list]))
}

/// A traversal of all nodes in the order in which they are stored.
struct Walk<'a> {
    merkle: &'a Merkle,
    nodes: &'a [u8],
    /// Offset of the first node in the document.
    base: usize,
    at: usize,
    /// True if a node follows its descendants (post-order).
    post: bool,
    /// The chaining values of the leaves, concatenated.
    row: Vec<u8>,
    options: &'a Options,
}

impl Walk<'_> {
    /// Reads and verifies a subtree of `leaves` leaves (at least two) that begins with leaf
    /// number `first`. `expected` is its chaining value according to the parent, or `None` for
    /// the root.
    ///
    /// The recursion depth is at most 64, the logarithm of the number of leaves.
    ///
    /// # Errors
    /// The outboard is truncated, a node does not match its parent, or reading was canceled.
    fn subtree(&mut self, first: u64, leaves: u64, expected: Option<&[u8]>) -> Result<(), LineError> {
        // The number of leaves on the left is the largest power of two that leaves at least one
        // on the right.
        let left = 1 << (u64::BITS - 1 - (leaves - 1).leading_zeros());
        // Number of descendants of the node, which precede it in post-order.
        let before = if self.post { (leaves - 2) as usize } else { 0 };
        let at = self.at + before * NODE;
        let node =
            self.nodes.get(at..at + NODE).ok_or(refused(self.base + at, "the outboard is truncated"))?;
        let (l, r) = node.split_at(NODE / 2);
        if expected
            .is_some_and(|expected| self.merkle.node(&Digest::new(l), &Digest::new(r)).as_bytes() != expected)
        {
            return Err(refused(
                self.base + at,
                "a node does not match its parent, so the outboard is damaged",
            ));
        }
        if self.options.stopped() {
            return Err(stopped(self.base + at));
        }
        if !self.post {
            self.at += NODE;
        }
        for (first, leaves, value) in [(first, left, l), (first + left, leaves - left, r)] {
            match leaves {
                1 => self.row.extend_from_slice(value),
                _ => self.subtree(first, leaves, Some(value))?,
            }
        }
        if self.post {
            self.at += NODE;
        }
        Ok(())
    }
}
