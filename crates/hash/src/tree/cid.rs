//! IPFS content identifiers of single files: a balanced tree of blocks in dag-pb and UnixFS, with the common profiles.
//!
//! The digest is the binary identifier: a multihash for version 0; version, codec and multihash for version 1. It does
//! not contain chunk size, width and codec of leaves, so the same file has a different identifier with each profile.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::digest::Digest;
use crate::family::sha2;
use crate::hasher::Hasher;
use crate::many::{finish_many, update_many};
use crate::spec::Spec;

/// The rows of this file.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "cid-v0",
        tag: "CID-V0",
        aliases: &["unixfs-v0-2015"],
        digest_len: 34,
        status: SIZES_COVERED,
        summary: "IPFS CID of `ipfs add` (kubo): 256 KiB chunks in dag-pb, 174 links per node",
        check: "1220c15d9bb130fe1d0089b9cf53d9e62ce2f3c6566a69af2b67367c44cb83f4d5e6",
        kind: Kind::Serial(|_| new(&Profile { chunk: 256 << 10, width: 174, raw: false })),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "cid-v1",
        tag: "CID-V1",
        aliases: &["cid"],
        digest_len: 36,
        status: SIZES_COVERED,
        summary: "IPFS CID of `ipfs add --cid-version=1` (kubo): raw 256 KiB chunks, 174 links per node",
        check: "0155122015e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
        kind: Kind::Serial(|_| new(&Profile { chunk: 256 << 10, width: 174, raw: true })),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "cid-2025",
        tag: "CID-2025",
        aliases: &["unixfs-v1-2025"],
        digest_len: 36,
        status: SIZES_COVERED,
        summary: "IPFS CID with the profile unixfs-v1-2025 (IPIP-499): raw 1 MiB chunks, 1024 links per node",
        check: "0155122015e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
        kind: Kind::Serial(|_| new(&Profile { chunk: 1 << 20, width: 1024, raw: true })),
        ..Algorithm::PLAIN
    },
];

const SIZES_COVERED: Status =
    Status::Secure("SHA-256 of blocks that include the sizes of their subtrees (FIPS 180-4)");

/// Specifies how a file is divided and how its blocks are encoded.
#[derive(Clone, Copy)]
struct Profile {
    /// The size of a leaf.
    chunk: usize,
    /// The maximum number of links in a node.
    width: usize,
    /// True if leaves are raw blocks and identifiers have version 1.
    raw: bool,
}

/// A node's link to a child.
#[derive(Clone)]
struct Link {
    id: Vec<u8>,
    /// The total size of the block and everything below it.
    total: u64,
    /// The number of file bytes in it.
    content: u64,
}

#[derive(Clone)]
struct Dag {
    profile: Profile,
    base: Spec,
    /// Chunks that wait to be hashed together.
    waiting: Vec<u8>,
    /// Links that wait for a node, leaves first; fewer than a node has.
    levels: Vec<Vec<Link>>,
}

/// The number of chunks hashed at once: enough to fill some lanes, and few enough for the cache.
const BATCH: usize = 4;

fn new(profile: &Profile) -> Box<dyn Serial> {
    let base = Spec::new(&sha2::ROWS[1]);
    Box::new(Dag { profile: *profile, base, waiting: Vec::new(), levels: Vec::new() })
}

/// Appends a number as a varint of protocol buffers and multiformats: seven bits per byte, the lowest first.
fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends the header of a field of this length.
fn field(tag: u8, len: usize, out: &mut Vec<u8>) {
    out.push(tag);
    varint(len as u64, out);
}

/// Returns what precedes and follows a leaf's bytes in a dag-pb block.
fn wrapper(len: usize) -> (Vec<u8>, Vec<u8>) {
    // UnixFS: the type file (1), its bytes (2) if there are any, their number (3).
    let mut head = vec![0x08, 0x02];
    if len > 0 {
        field(0x12, len, &mut head);
    }
    let mut tail = vec![0x18];
    varint(len as u64, &mut tail);
    let mut before = Vec::new();
    field(0x0a, head.len() + len + tail.len(), &mut before);
    before.extend_from_slice(&head);
    (before, tail)
}

impl Dag {
    /// Returns the identifier of a block with this digest.
    fn id(&self, is_leaf: bool, digest: &Digest) -> Vec<u8> {
        let version: &[u8] = match (self.profile.raw, is_leaf) {
            (false, _) => &[],
            (true, true) => &[0x01, 0x55],
            (true, false) => &[0x01, 0x70],
        };
        [version, &[0x12, 0x20], digest.as_bytes()].concat()
    }

    /// Hashes chunks, the last of which may be short.
    fn leaves(&mut self, data: &[u8]) {
        let chunks: Vec<&[u8]> = match data {
            [] => vec![data],
            _ => data.chunks(self.profile.chunk).collect(),
        };
        for chunks in chunks.chunks(64) {
            let wrapped: Vec<(Vec<u8>, Vec<u8>)> = match self.profile.raw {
                true => vec![Default::default(); chunks.len()],
                false => chunks.iter().map(|chunk| wrapper(chunk.len())).collect(),
            };
            let mut hashers: Vec<Hasher> = chunks.iter().map(|_| self.base.hasher()).collect();
            let mut hashers: Vec<&mut Hasher> = hashers.iter_mut().collect();
            hashers.iter_mut().zip(&wrapped).for_each(|(hasher, (before, _))| hasher.update(before));
            update_many(&mut hashers, chunks);
            hashers.iter_mut().zip(&wrapped).for_each(|(hasher, (_, behind))| hasher.update(behind));
            let digests = finish_many(&mut hashers);
            for ((chunk, (before, behind)), digest) in chunks.iter().zip(&wrapped).zip(digests) {
                let content = chunk.len() as u64;
                let total = content + (before.len() + behind.len()) as u64;
                self.push(0, Link { id: self.id(true, &digest), total, content });
            }
        }
    }

    /// Adds a link to a level. A node is created only when more links follow.
    fn push(&mut self, level: usize, link: Link) {
        if self.levels.len() <= level {
            self.levels.push(Vec::new());
        }
        if self.levels[level].len() == self.profile.width {
            let links = std::mem::take(&mut self.levels[level]);
            let node = self.node(&links);
            self.push(level + 1, node);
        }
        self.levels[level].push(link);
    }

    /// Returns the link to the block over these links.
    fn node(&self, links: &[Link]) -> Link {
        let mut block = Vec::new();
        for link in links {
            let mut fields = Vec::new();
            field(0x0a, link.id.len(), &mut fields);
            fields.extend_from_slice(&link.id);
            // An empty name.
            field(0x12, 0, &mut fields);
            fields.push(0x18);
            varint(link.total, &mut fields);
            field(0x12, fields.len(), &mut block);
            block.extend_from_slice(&fields);
        }
        let content = links.iter().map(|link| link.content).sum();
        let mut unixfs = vec![0x08, 0x02, 0x18];
        varint(content, &mut unixfs);
        for link in links {
            unixfs.push(0x20);
            varint(link.content, &mut unixfs);
        }
        field(0x0a, unixfs.len(), &mut block);
        block.extend_from_slice(&unixfs);
        let total = block.len() as u64 + links.iter().map(|link| link.total).sum::<u64>();
        Link { id: self.id(false, &self.base.digest(&block)), total, content }
    }
}

impl Serial for Dag {
    fn update(&mut self, mut data: &[u8]) {
        let full = self.profile.chunk * BATCH;
        while !data.is_empty() {
            if self.waiting.is_empty() && data.len() >= full {
                let (whole, rest) = data.split_at(data.len() / full * full);
                self.leaves(whole);
                data = rest;
                continue;
            }
            let (taken, rest) = data.split_at(data.len().min(full - self.waiting.len()));
            self.waiting.extend_from_slice(taken);
            data = rest;
            if self.waiting.len() == full {
                let waiting = std::mem::take(&mut self.waiting);
                self.leaves(&waiting);
                self.waiting = waiting;
                self.waiting.clear();
            }
        }
    }

    fn finish(&mut self) -> Digest {
        let waiting = std::mem::take(&mut self.waiting);
        if !waiting.is_empty() || self.levels.is_empty() {
            self.leaves(&waiting);
        }
        let mut level = 0;
        loop {
            let links = std::mem::take(&mut self.levels[level]);
            match (links.as_slice(), self.levels.len() - 1 == level) {
                ([root], true) => return Digest::new(&root.id),
                _ => {
                    let node = self.node(&links);
                    self.push(level + 1, node);
                }
            }
            level += 1;
        }
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
