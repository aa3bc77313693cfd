//! The file hash of Xet, Hugging Face's storage (draft-denis-xet-03): chunks whose boundaries depend on the content,
//! each hashed by keyed BLAKE3, and nodes over the names and sizes of a few chunks, whose boundaries depend on the
//! hashes.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::digest::Digest;
use gearhash::Hasher as Gear;

/// The rows of this tree.
pub(crate) static ROWS: &[Algorithm] = &[Algorithm {
    name: "xet",
    tag: "XET",
    aliases: &["xet-file"],
    digest_len: 32,
    status: Status::Secure("nodes include the sizes of their subtrees (draft-denis-xet-03)"),
    summary: "Hugging Face's file hash, in Hugging Face's notation (four 64-bit little-endian numbers)",
    check: "a7b72d56d63af69ffb0635703396ff2bd2a3daf36c6be2628eb60b1b64a10efb",
    kind: Kind::Serial(|_| Box::new(Xet::new())),
    ..Algorithm::PLAIN
}];

const SHORTEST: usize = 8 << 10;
const LONGEST: usize = 128 << 10;
/// A chunk ends where these bits of the rolling hash are zero.
const MASK: u64 = 0xffff << 48;
/// The number of bytes that affect the rolling hash.
const WINDOW: usize = 64;

/// The keys for chunks, nodes and the file (section 4 of the draft).
#[rustfmt::skip]
const CHUNK: [u8; 32] = [
    102, 151, 245, 119, 91, 149, 80, 222, 49, 53, 203, 172, 165, 151, 24, 28,
    157, 228, 33, 16, 155, 235, 43, 88, 180, 208, 176, 75, 147, 173, 242, 41,
];
#[rustfmt::skip]
const NODE: [u8; 32] = [
    1, 126, 197, 199, 165, 71, 41, 150, 253, 148, 102, 102, 180, 138, 2, 230,
    93, 221, 83, 111, 55, 199, 109, 210, 248, 99, 82, 230, 74, 83, 113, 63,
];
const FILE: [u8; 32] = [0; 32];

/// A chunk or a node: its hash, and the number of bytes below it.
type Part = ([u8; 32], u64);

#[derive(Clone)]
struct Xet {
    gear: Gear<'static>,
    /// The current chunk.
    chunk: Vec<u8>,
    levels: Vec<Level>,
}

/// Holds the parts of a level that wait for their node, and whether the level has already created a node.
#[derive(Clone, Default)]
struct Level {
    parts: Vec<Part>,
    joined: bool,
}

impl Xet {
    fn new() -> Xet {
        Xet { gear: Gear::default(), chunk: Vec::new(), levels: Vec::new() }
    }

    fn end_chunk(&mut self) {
        let hash = *blake3::keyed_hash(&CHUNK, &self.chunk).as_bytes();
        let size = self.chunk.len() as u64;
        self.chunk.clear();
        self.gear.set_hash(0);
        self.push(0, (hash, size));
    }

    fn push(&mut self, level: usize, part: Part) {
        if level == self.levels.len() {
            self.levels.push(Level::default());
        }
        let parts = &mut self.levels[level].parts;
        parts.push(part);
        let last = part.0.last_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        if parts.len() == 9 || parts.len() >= 3 && last.is_some_and(|last| last % 4 == 0) {
            self.join(level);
        }
    }

    /// Creates a node from what waits in a level.
    fn join(&mut self, level: usize) {
        self.levels[level].joined = true;
        let parts = std::mem::take(&mut self.levels[level].parts);
        let names: String =
            parts.iter().map(|(hash, size)| format!("{} : {size}\n", shown(hash).to_hex())).collect();
        let size = parts.iter().map(|(_, size)| size).sum();
        self.push(level + 1, (*blake3::keyed_hash(&NODE, names.as_bytes()).as_bytes(), size));
    }
}

/// Returns a hash in its printed form: four numbers of eight bytes, in which the lowest byte is the first.
fn shown(hash: &[u8; 32]) -> Digest {
    let mut turned = *hash;
    turned.chunks_exact_mut(8).for_each(<[u8]>::reverse);
    Digest::new(&turned)
}

impl Serial for Xet {
    fn update(&mut self, mut data: &[u8]) {
        while !data.is_empty() {
            // Bytes before the window at the earliest possible boundary have no effect.
            let unseen = (SHORTEST - WINDOW).saturating_sub(self.chunk.len()).min(data.len());
            let (quiet, rest) = data.split_at(unseen);
            self.chunk.extend_from_slice(quiet);
            let warming = (SHORTEST - 1).saturating_sub(self.chunk.len()).min(rest.len());
            let (warm, rest) = rest.split_at(warming);
            self.gear.update(warm);
            self.chunk.extend_from_slice(warm);
            let room = (LONGEST - self.chunk.len()).min(rest.len());
            let end = self.gear.next_match(&rest[..room], MASK);
            let (taken, rest) = rest.split_at(end.unwrap_or(room));
            self.chunk.extend_from_slice(taken);
            data = rest;
            if end.is_some() || self.chunk.len() == LONGEST {
                self.end_chunk();
            }
        }
    }

    fn finish(&mut self) -> Digest {
        if !self.chunk.is_empty() {
            self.end_chunk();
        }
        let mut level = 0;
        loop {
            match self.levels.get(level) {
                // An empty message has no chunk.
                None => return Digest::new(&[0; 32]),
                Some(Level { parts, joined: false }) if parts.len() == 1 => {
                    return shown(blake3::keyed_hash(&FILE, &parts[0].0).as_bytes());
                }
                Some(Level { parts, .. }) => {
                    if !parts.is_empty() {
                        self.join(level);
                    }
                    level += 1;
                }
            }
        }
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
