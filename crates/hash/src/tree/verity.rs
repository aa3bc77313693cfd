//! Computes what Linux uses to verify the pages of a file or a device: fs-verity's digest
//! (Documentation/filesystems/fsverity.rst), a tree of blocks with a descriptor that binds its root to the file's size,
//! and dm-verity's root hash (Documentation/admin-guide/device-mapper/verity.rst, format 1), a tree of salted blocks
//! without a descriptor.

use crate::algorithm::{Algorithm, Close, Composite, Division, Kind, Params, Serial, Status, Unit};
use crate::digest::Digest;
use crate::family::{sha1, sha2, sha512};
use crate::hasher::Hasher;
use crate::tree::gather::Gathered;
use crate::tree::merkle::hash_from;

macro_rules! row {
    ($name:literal $tag:literal $aliases:tt $len:literal $base:expr, $status:expr, $summary:literal, $hasher:ident, $check:literal) => {
        Algorithm {
            name: $name,
            tag: $tag,
            aliases: &$aliases,
            digest_len: $len,
            status: $status,
            summary: $summary,
            check: $check,
            customized: Some("salt"),
            kind: Kind::Composite(&Composite {
                base: ($base, $len),
                prefix: &[],
                division: Division::Equal(Unit {
                    key: "block",
                    usual: 4096,
                    smallest: 1024,
                    largest: 65536,
                    power_of_two: true,
                }),
                close: Close::Alone,
                stored: None,
                hasher: $hasher,
            }),
            ..Algorithm::PLAIN
        }
    };
}

const WITH_DESCRIPTOR: Status =
    Status::Secure("the descriptor covers the file size and the tree's parameters (Linux 5.4, fsverity.rst)");
const LENGTH_NOT_COVERED: Status = Status::Secure(
    "the digest does not cover the device size, so compare only devices of equal size (Linux 3.4, verity.rst)",
);
const SHA1: Status = Status::Broken("SHA-1 collisions (Stevens et al. 2017)");

/// The rows of this tree.
pub(crate) static ROWS: &[Algorithm] = &[
    row!("fsverity" "FSVERITY" ["fsverity-sha256"] 32 &sha2::ROWS[1], WITH_DESCRIPTOR,
        "fs-verity, by default with 4096-byte blocks and no salt; Android, OSTree, RPM", fs,
        "a4b27150907ff38e09d8b21c895d10b081f713771cb60b656c6a0631310a3eba"),
    row!("fsverity-sha512" "FSVERITY-SHA512" [] 64 &sha512::ROWS[1], WITH_DESCRIPTOR,
        "fs-verity with SHA-512", fs,
        "cf5d93023d1f170fa1babdbcba972e42d5d34b7e78380306ea5fd4822784e7e04360c0f5402bc31d0be3295dcaf430ed74c68f558544abc332af4492abb3e904"),
    row!("dm-verity" "DM-VERITY" ["dm-verity-sha256"] 32 &sha2::ROWS[1], LENGTH_NOT_COVERED,
        "dm-verity root hash (a short last block is padded with zeros); verified boot", dm,
        "518fb918066c8998413f2d258cfaabef87cfbd8e58a981cdfa5091dccd6ef9f2"),
    row!("dm-verity-sha512" "DM-VERITY-SHA512" [] 64 &sha512::ROWS[1], LENGTH_NOT_COVERED,
        "dm-verity root hash with SHA-512", dm,
        "43cf72fdb90b7d292d446dc5e3370c0bc2729967014368417afdfc194a3c54308a78da650568fbe7e43b50391ad13837a5f1f4b5f5b41161483a8230fa4bad8d"),
    row!("dm-verity-sha1" "DM-VERITY-SHA1" [] 20 &sha1::ROWS[0], SHA1,
        "dm-verity root hash with SHA-1; older Android", dm,
        "2524e86f17b2de4a33221a7fede3797c3954a82d"),
];

fn fs(composite: &'static Composite, params: &Params, _: Option<u64>) -> Box<dyn Serial> {
    let mut base = composite.base().hasher();
    let len = composite.base.1;
    let salt = params.custom();
    // A salt fills the first block of every hash.
    let mut prefix = salt.to_vec();
    prefix.resize(salt.len().next_multiple_of(2 * len), 0);
    base.update(&prefix);
    let mut descriptor = [0; 256];
    // SHA-256 is number 1, SHA-512 number 2.
    descriptor[..4].copy_from_slice(&[1, (len / 32) as u8, params.unit.ilog2() as u8, salt.len() as u8]);
    descriptor[80..80 + salt.len()].copy_from_slice(salt);
    Box::new(Verity::new(base, params.unit, len, Some(Box::new((composite.base().hasher(), descriptor)))))
}

fn dm(composite: &'static Composite, params: &Params, _: Option<u64>) -> Box<dyn Serial> {
    let mut base = composite.base().hasher();
    base.update(params.custom());
    Box::new(Verity::new(base, params.unit, composite.base.1.next_power_of_two(), None))
}

/// An unfinished file.
#[derive(Clone)]
struct Verity {
    /// A hasher that has processed the salt.
    base: Hasher,
    block: usize,
    /// The space for a hash in a block of hashes.
    slot: usize,
    /// The descriptor that is hashed last, still without size and root, and its hasher.
    descriptor: Option<Box<(Hasher, [u8; 256])>>,
    gathered: Gathered,
    /// The incomplete block of hashes of each level.
    levels: Vec<Vec<u8>>,
    size: u64,
}

impl Verity {
    fn new(base: Hasher, block: u64, slot: usize, descriptor: Option<Box<(Hasher, [u8; 256])>>) -> Verity {
        let block = block as usize;
        Verity { base, block, slot, descriptor, gathered: Gathered::new(block), levels: Vec::new(), size: 0 }
    }

    /// Hashes blocks, the last of which may be short.
    fn hash(&mut self, data: &[u8]) {
        let mut blocks: Vec<&[u8]> = data.chunks(self.block).collect();
        let mut last = vec![0; self.block];
        if let Some(short) = blocks.pop() {
            last[..short.len()].copy_from_slice(short);
            blocks.push(&last);
        }
        for hash in hash_from(&self.base, &blocks) {
            self.push(0, &hash);
        }
    }

    fn push(&mut self, level: usize, hash: &Digest) {
        if level == self.levels.len() {
            self.levels.push(Vec::new());
        }
        let hashes = &mut self.levels[level];
        hashes.extend_from_slice(hash.as_bytes());
        hashes.resize(hashes.len().next_multiple_of(self.slot), 0);
        if hashes.len() == self.block {
            self.close(level);
        }
    }

    /// Hashes the block of a level, padded with zeros.
    fn close(&mut self, level: usize) {
        let mut block = std::mem::take(&mut self.levels[level]);
        block.resize(self.block, 0);
        let mut hasher = self.base.clone();
        hasher.update(&block);
        self.push(level + 1, &hasher.finish());
    }
}

impl Serial for Verity {
    fn update(&mut self, data: &[u8]) {
        self.size += data.len() as u64;
        let mut gathered = std::mem::take(&mut self.gathered);
        gathered.feed(data, |whole| self.hash(whole));
        self.gathered = gathered;
    }

    fn finish(&mut self) -> Digest {
        let rest = self.gathered.take_rest();
        self.hash(&rest);
        let mut level = 0;
        while level + 1 < self.levels.len()
            || self.levels.get(level).is_some_and(|hashes| hashes.len() > self.slot)
        {
            if !self.levels[level].is_empty() {
                self.close(level);
            }
            level += 1;
        }
        let len = self.base.spec().digest_len();
        // Without blocks there is no tree.
        let root = self.levels.get(level).map_or(vec![0; len], |hashes| hashes[..len].to_vec());
        match self.descriptor.as_deref() {
            None => Digest::new(&root),
            Some((hasher, descriptor)) => {
                let (mut hasher, mut descriptor) = (hasher.clone(), *descriptor);
                descriptor[8..16].copy_from_slice(&self.size.to_le_bytes());
                descriptor[16..16 + len].copy_from_slice(&root);
                hasher.update(&descriptor);
                hasher.finish()
            }
        }
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
