//! Stored Merkle trees of fs-verity and dm-verity: digests of blocks, and above them digests of
//! blocks of digests, beginning with the root's level.
//!
//! A tree of dm-verity begins with its superblock (`veritysetup format`). A tree of fs-verity is
//! written without a header (`fsverity digest --out-merkle-tree`). It may follow its descriptor
//! (`--out-descriptor`); without one, it is assumed to use SHA-256, blocks of 4096 bytes, and no
//! salt. The signature of an Android package in scheme v4 (`.idsig`) contains an fs-verity tree
//! after its own header.
//!
//! Every block of digests is hashed and compared with its digest in the level above.

use super::nameless::{self, LIMIT, ROW, le32, le64};
use crate::entry::{Boundaries, PieceHashing, PieceList, SIZE_LIMIT};
use crate::formats::prelude::*;
use crate::records::{refused, stopped};
use std::ops::Range;
use std::sync::Arc;

pub(crate) static FSVERITY: Format = Format {
    name: "fsverity-tree",
    file_names: &[".fsverity", ".merkle"],
    summary: "fs-verity Merkle tree, with or without its descriptor; locates damage",
    sniff: |head| Claim::mark(is_descriptor(head.text)),
    reading: Reading::document(LIMIT, fsverity),
    ..ROW
};

pub(crate) static DM_VERITY: Format = Format {
    name: "dm-verity-tree",
    file_names: &[".verity", ".hashtree"],
    summary: "dm-verity hash device, as written by veritysetup; locates damage",
    sniff: |head| head.begins(&[SIGNATURE]),
    reading: Reading::document(LIMIT, dm_verity),
    ..ROW
};

pub(crate) static IDSIG: Format = Format {
    name: "idsig",
    file_names: &[".idsig"],
    summary: "Android APK Signature Scheme v4 file with the package's Merkle tree; locates damage",
    sniff: |head| Claim::mark(hashing_of(head.text).is_some()),
    reading: Reading::document(LIMIT, idsig),
    ..ROW
};

const SIGNATURE: &[u8] = b"verity\0\0";
/// Sizes of fs-verity's descriptor and dm-verity's superblock in bytes.
const DESCRIPTOR: usize = 256;
const SUPERBLOCK: usize = 512;

fn is_block_size(bytes: u64) -> bool {
    bytes.is_power_of_two() && (512..=1 << 20).contains(&bytes)
}

/// The parameters of a tree.
struct Shape {
    spec: Spec,
    /// The bytes hashed before and after each block.
    before: Arc<[u8]>,
    after: Arc<[u8]>,
    /// Sizes of a block of the file and of a block of digests, in bytes.
    block: u64,
    node: usize,
    /// Space that a digest occupies in a block in bytes, and number of digests per block.
    slot: usize,
    per_node: u64,
}

impl Shape {
    /// Returns the parameters of an fs-verity tree. Returns `None` if they are invalid.
    fn fs(algorithm: &str, block: u64, salt: &[u8]) -> Option<Shape> {
        let spec = find(algorithm).map(Spec::new)?;
        let slot = spec.digest_len();
        // The salt is padded to a complete input block of the hash function.
        let mut before = salt.to_vec();
        before.resize(salt.len().next_multiple_of(2 * slot), 0);
        let node = usize::try_from(block).ok()?;
        let sound = is_block_size(block) && node >= 2 * slot;
        let (before, after) = (before.into(), Arc::from([]));
        sound.then(|| Shape { spec, before, after, block, node, slot, per_node: (node / slot) as u64 })
    }

    /// Reads a tree over `blocks` blocks at offset `from` of the document, the root's level
    /// first, and verifies it.
    ///
    /// # Errors
    /// The tree is truncated, or a block of digests does not match its digest in the level above.
    fn list(
        &self,
        text: &[u8],
        from: usize,
        blocks: u64,
        root: Option<&[u8]>,
        options: &Options,
    ) -> Result<PieceList, LineError> {
        let cut = |at: usize| refused(at.min(text.len()), "the tree is truncated");
        let levels = self.levels(blocks);
        // The expected digests of the next level's blocks, and the offset of that level.
        let mut named: Option<Vec<u8>> = root.map(<[u8]>::to_vec);
        let mut at = from;
        let len = self.spec.digest_len();
        for (index, nodes) in levels.iter().enumerate().rev() {
            let bytes =
                usize::try_from(*nodes).ok().and_then(|nodes| nodes.checked_mul(self.node)).ok_or(cut(at))?;
            let level = at.checked_add(bytes).and_then(|end| text.get(at..end)).ok_or(cut(at))?;
            let entries = if index == 0 { blocks } else { levels[index - 1] };
            let mut below = Vec::new();
            for (number, node) in level.chunks_exact(self.node).enumerate() {
                let here = at + number * self.node;
                if options.stopped() {
                    return Err(stopped(here));
                }
                scan::count(node.len());
                if let Some(named) = &named
                    && named.get(number * len..(number + 1) * len) != Some(&self.hash(node)[..])
                {
                    return Err(refused(
                        here,
                        "a block of digests does not match its parent, so the tree is damaged",
                    ));
                }
                let held = (entries - number as u64 * self.per_node).min(self.per_node) as usize;
                for slot in node.chunks_exact(self.slot).take(held) {
                    below.extend_from_slice(&slot[..len]);
                }
                if node[held * self.slot..].iter().any(|&byte| byte != 0) {
                    return Err(refused(
                        here,
                        "a block with too many digests for its level (truncated or damaged)",
                    ));
                }
            }
            (named, at) = (Some(below), at + bytes);
        }
        let digests =
            named.filter(|_| blocks > 1).ok_or(refused(from, "a file of a single block has no tree"))?;
        let end = blocks.checked_mul(self.block).filter(|end| *end <= SIZE_LIMIT).ok_or(cut(from))?;
        self.pieces(end, digests.into())
            .ok_or(refused(from, "the number of digests does not match the number of blocks in the file"))
    }

    /// Returns the numbers of blocks of digests in the levels of a tree, the lowest level first.
    fn levels(&self, blocks: u64) -> Vec<u64> {
        let above = |count: &u64| (*count > 1).then(|| count.div_ceil(self.per_node));
        std::iter::successors(above(&blocks), above).collect()
    }

    /// Returns the list of these digests of the blocks of a file, which is padded to `end` bytes.
    fn pieces(&self, end: u64, digests: Arc<[u8]>) -> Option<PieceList> {
        let cuts = Boundaries::Equal { covered: 0..end, len: self.block };
        let made = PieceHashing::Salted { before: self.before.clone(), after: self.after.clone() };
        let list = PieceList::of(self.spec.clone(), cuts, digests, self.spec.digest_len())?;
        Some(list.with_hashing(made).padded())
    }

    fn hash(&self, node: &[u8]) -> Vec<u8> {
        let mut hasher = self.spec.hasher();
        hasher.update(&self.before);
        hasher.update(node);
        hasher.update(&self.after);
        hasher.finish().as_bytes().to_vec()
    }

    /// Returns the numbers of blocks of a file whose tree occupies `bytes` bytes, or `None` if
    /// there are none. The size of a tree grows monotonically with the number of blocks.
    fn blocks(&self, bytes: usize) -> Option<Range<u64>> {
        let nodes = (bytes.is_multiple_of(self.node)).then_some((bytes / self.node) as u64)?;
        let size_of = |blocks: u64| self.levels(blocks).iter().sum::<u64>();
        // The number of blocks in the lowest level, without the levels above it.
        let (mut low, mut high) = (1, nodes);
        while low < high {
            let middle = low + (high - low) / 2;
            if size_of(middle * self.per_node) < nodes { low = middle + 1 } else { high = middle }
        }
        (nodes > 0 && size_of(low * self.per_node) == nodes)
            .then(|| (low - 1) * self.per_node + 1..low * self.per_node + 1)
    }

    /// Reads a tree that extends from `from` to the end of `text` without a stated number of
    /// blocks. The number is that of the digests in the lowest level, after which there are
    /// zeros.
    fn open(
        &self,
        text: &[u8],
        from: usize,
        root: Option<&[u8]>,
        options: &Options,
    ) -> Result<PieceList, LineError> {
        let bytes = text.len().saturating_sub(from);
        let blocks = self
            .blocks(bytes)
            .ok_or(refused(from, "invalid tree size (truncated, or not an fs-verity tree)"))?;
        let row = &text[text.len() - (blocks.end - 1).div_ceil(self.per_node) as usize * self.node..];
        scan::count(row.len());
        let used = row.chunks_exact(self.slot).rposition(|slot| slot.iter().any(|&byte| byte != 0));
        let count = used.map_or(0, |last| last as u64 + 1);
        // A file of one block has no tree, so a level has at least two digests.
        if !blocks.contains(&count) || count < 2 {
            return Err(refused(from, "digests are missing from the lowest level of the tree"));
        }
        Ok(self.list(text, from, count, root, options)?.ending_with_file())
    }
}

fn is_descriptor(text: &[u8]) -> bool {
    let Some(head) = text.get(..DESCRIPTOR) else { return false };
    let (algorithm, log, salt) = (head[1], head[2], head[3]);
    head[0] == 1
        && matches!(algorithm, 1 | 2)
        && (9..=20).contains(&log)
        && salt <= 32
        && head[4..8] == [0; 4]
        && head[80 + usize::from(salt)..].iter().all(|&byte| byte == 0)
}

fn fsverity(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    let path = nameless::name(options, FSVERITY.file_names)?;
    if !is_descriptor(&text) {
        let shape = Shape::fs("sha256", 4096, b"").ok_or(refused(0, "unsupported hash algorithm"))?;
        let list = shape.open(&text, 0, None, options)?;
        return Ok(nameless::only(path, None, vec![list]));
    }
    let algorithm = if text[1] == 1 { "sha256" } else { "sha512" };
    let salt = &text[80..80 + usize::from(text[3])];
    let shape = Shape::fs(algorithm, 1 << text[2], salt).ok_or(refused(2, "invalid block size"))?;
    let size = le64(&text, 8).filter(|size| *size <= SIZE_LIMIT);
    let size = size.ok_or(refused(8, "invalid size"))?;
    let blocks = size.div_ceil(shape.block);
    let root = &text[16..16 + shape.spec.digest_len()];
    let lists = match blocks {
        // There is no tree: the root is the digest of the only block.
        1 => shape.pieces(shape.block, root.into()).into_iter().collect(),
        0 => Vec::new(),
        _ => vec![shape.list(&text, DESCRIPTOR, blocks, Some(root), options)?],
    };
    Ok(nameless::only(path, Some(size), lists))
}

fn dm_verity(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    if !text.starts_with(SIGNATURE) || text.len() < SUPERBLOCK {
        return Err(refused(0, "the dm-verity superblock is missing or truncated"));
    }
    let name = &text[32..64];
    let name = &name[..name.iter().position(|&byte| byte == 0).unwrap_or(name.len())];
    let spec = std::str::from_utf8(name).ok().and_then(|name| name.parse::<Spec>().ok());
    let spec = spec.ok_or(refused(32, "unsupported hash algorithm"))?;
    let number = |at| le32(&text, at).map_or(0, u64::from);
    if number(8) != 1 {
        return Err(refused(8, "unsupported superblock version"));
    }
    let (block, node) = (number(64), number(68));
    if !is_block_size(block) || !is_block_size(node) {
        return Err(refused(64, "invalid block size"));
    }
    let blocks = le64(&text, 72).filter(|blocks| (1..=SIZE_LIMIT / block).contains(blocks));
    let blocks = blocks.ok_or(refused(72, "invalid size"))?;
    let salt = usize::from(u16::from_le_bytes([text[80], text[81]]));
    let salt = text[88..344].get(..salt).ok_or(refused(80, "the salt is longer than 256 bytes"))?;
    let padded = spec.digest_len().next_power_of_two();
    let empty = || Arc::from([]);
    let (before, after, slot) = match number(12) {
        0 => (empty(), Arc::from(salt), spec.digest_len()),
        1 => (Arc::from(salt), empty(), padded),
        _ => return Err(refused(12, "unsupported hash type, expected 0 or 1")),
    };
    let per_node = node / padded as u64;
    if per_node < 2 {
        return Err(refused(68, "invalid block size"));
    }
    let shape = Shape { spec, before, after, block, node: node as usize, slot, per_node };
    let path = nameless::name(options, DM_VERITY.file_names)?;
    if blocks == 1 {
        return Ok(nameless::only(path, Some(block), Vec::new()));
    }
    let from = SUPERBLOCK.next_multiple_of(node as usize);
    let list = shape.list(&text, from, blocks, None, options)?;
    Ok(nameless::only(path, Some(blocks * block), vec![list]))
}

/// Returns the end of the first field of an `.idsig` file, and the ranges of the salt and the
/// root in it.
fn hashing_of(text: &[u8]) -> Option<(usize, Range<usize>, Range<usize>)> {
    let field = |at: usize| -> Option<Range<usize>> {
        let len = usize::try_from(le32(text, at)?).ok()?;
        let end = at.checked_add(4)?.checked_add(len)?;
        (end <= text.len()).then_some(at + 4..end)
    };
    let hashing = field(4).filter(|_| le32(text, 0) == Some(2))?;
    let is_known = le32(text, hashing.start) == Some(1) && text.get(hashing.start + 4) == Some(&12);
    let salt = field(hashing.start + 5).filter(|_| is_known)?;
    let root = field(salt.end).filter(|root| root.len() == 32 && root.end <= hashing.end)?;
    Some((hashing.end, salt, root))
}

fn idsig(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    let (at, salt, root) =
        hashing_of(&text).ok_or(refused(0, "not an APK Signature Scheme v4 file with SHA-256"))?;
    let cut = |at: usize| refused(at.min(text.len()), "the signature is truncated");
    let len = |at: usize| le32(&text, at).and_then(|len| usize::try_from(len).ok());
    let tree = len(at).and_then(|len| at.checked_add(4)?.checked_add(len)).ok_or(cut(at))?;
    let bytes = len(tree).ok_or(refused(tree.min(text.len()), "the signature contains no tree"))?;
    let end = tree.checked_add(4 + bytes).filter(|end| *end <= text.len()).ok_or(cut(tree))?;
    let path = nameless::name(options, IDSIG.file_names)?;
    let shape = Shape::fs("sha256", 4096, &text[salt]).ok_or(refused(0, "unsupported hash algorithm"))?;
    if bytes == 0 {
        return Ok(nameless::only(path, None, Vec::new()));
    }
    let list = shape.open(&text[..end], tree + 4, Some(&text[root]), options)?;
    Ok(nameless::only(path, None, vec![list]))
}
