//! fs-verity's digest (Linux, Documentation/filesystems/fsverity.rst): a tree of pages of 4096 bytes without salt, and the
//! descriptor that binds its root to the file's size.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::digest::Digest;
use crate::family::{sha2, sha512};
use crate::hasher::Hasher;
use crate::spec::Spec;
use crate::tree::gather::Gathered;
use crate::tree::merkle::hash_from;

macro_rules! row {
    ($name:literal $tag:literal $aliases:tt $len:literal $number:literal $base:expr, $check:literal) => {
        Algorithm {
            name: $name,
            tag: $tag,
            aliases: &$aliases,
            digest_len: $len,
            status: Status::Secure("the descriptor binds size and shape (Linux 5.4, fsverity.rst)"),
            summary: "fs-verity without salt, pages of 4096 bytes; Android, OSTree, RPM",
            check: $check,
            kind: Kind::Serial(|_| Box::new(Verity::new($base, $number))),
            ..Algorithm::PLAIN
        }
    };
}

/// The rows of this tree.
pub(crate) static ROWS: &[Algorithm] = &[
    row!("fsverity" "FSVERITY" ["fsverity-sha256"] 32 1 &sha2::ROWS[1], "a4b27150907ff38e09d8b21c895d10b081f713771cb60b656c6a0631310a3eba"),
    row!("fsverity-sha512" "FSVERITY-SHA512" [] 64 2 &sha512::ROWS[1], "cf5d93023d1f170fa1babdbcba972e42d5d34b7e78380306ea5fd4822784e7e04360c0f5402bc31d0be3295dcaf430ed74c68f558544abc332af4492abb3e904"),
];

const PAGE: usize = 4096;

/// A file under way.
#[derive(Clone)]
struct Verity {
    base: Hasher,
    /// The hash's number in the descriptor.
    number: u8,
    gathered: Gathered,
    /// The page of hashes that is not full yet, of each level.
    levels: Vec<Vec<u8>>,
    size: u64,
}

impl Verity {
    fn new(base: &'static Algorithm, number: u8) -> Verity {
        let base = Spec::new(base).hasher();
        Verity { base, number, gathered: Gathered::new(PAGE), levels: Vec::new(), size: 0 }
    }

    /// Hashes pages, the last of which may be short.
    fn hash(&mut self, data: &[u8]) {
        let mut pages: Vec<&[u8]> = data.chunks(PAGE).collect();
        let mut last = [0; PAGE];
        if let Some(short) = pages.pop() {
            last[..short.len()].copy_from_slice(short);
            pages.push(&last);
        }
        for hash in hash_from(&self.base, &pages) {
            self.push(0, &hash);
        }
    }

    fn push(&mut self, level: usize, hash: &Digest) {
        if level == self.levels.len() {
            self.levels.push(Vec::new());
        }
        self.levels[level].extend_from_slice(hash.as_bytes());
        if self.levels[level].len() == PAGE {
            self.close(level);
        }
    }

    /// Hashes the page of a level, with zeros behind what there is.
    fn close(&mut self, level: usize) {
        let mut page = std::mem::take(&mut self.levels[level]);
        page.resize(PAGE, 0);
        self.base.update(&page);
        let hash = self.base.finish_reset();
        self.push(level + 1, &hash);
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
        let rest = self.gathered.rest();
        self.hash(&rest);
        let len = self.base.spec().digest_len();
        let mut level = 0;
        while level + 1 < self.levels.len() || self.levels.get(level).is_some_and(|page| page.len() > len) {
            if !self.levels[level].is_empty() {
                self.close(level);
            }
            level += 1;
        }
        let mut descriptor = [0; 256];
        descriptor[..3].copy_from_slice(&[1, self.number, PAGE.ilog2() as u8]);
        descriptor[8..16].copy_from_slice(&self.size.to_le_bytes());
        if let Some(root) = self.levels.get(level) {
            descriptor[16..16 + root.len()].copy_from_slice(root);
        }
        self.base.update(&descriptor);
        self.base.finish_reset()
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
