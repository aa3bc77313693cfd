//! Files with a tree next to them in a directory of their own, and operations on them.

use std::path::{Path, PathBuf};
use truesum::hash::Spec;
use truesum::tree::build::{Begin, Saved, Saving, save};
use truesum::tree::locate::{Difference, verify};
use truesum::tree::reading::Reading;
use truesum::tree::store::Store;
use truesum::{Error, Mapping, Progress};
use truesum_fs::data::FileExt;

pub const MIB: u64 = 1 << 20;

/// Returns the algorithm with this name.
pub fn spec(name: &str) -> Spec {
    name.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the options for reading with this many threads, for files that may change.
pub fn reading(threads: usize, progress: &Progress) -> Reading<'_> {
    Reading::new(progress).threads(threads).mapping(Mapping::Guarded)
}

/// Returns random bytes that differ at every offset.
pub fn noise(seed: u64, len: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let word = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_F491_4F6C_DD1D).to_le_bytes()
    };
    let mut bytes: Vec<u8> = std::iter::repeat_with(word).take(len.div_ceil(8) as usize).flatten().collect();
    bytes.truncate(len as usize);
    bytes
}

/// A file and the path of its tree.
pub struct Case {
    _folder: tempfile::TempDir,
    pub file: PathBuf,
    pub tree: PathBuf,
}

impl Case {
    /// Creates a directory with a file of these bytes and no tree yet.
    pub fn new(bytes: &[u8]) -> Case {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, tree) = (folder.path().join("data"), folder.path().join("data.ftr"));
        std::fs::write(&file, bytes).expect("written");
        Case { _folder: folder, file, tree }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.file
    }

    /// Builds and saves the tree of the file.
    pub fn save(
        &self,
        name: &str,
        granule: u64,
        begin: Begin,
        plain_digests: &[Spec],
    ) -> Result<Saved, Error> {
        let saving = Saving::new(&self.tree).granule(granule).begin(begin).plain_digests(plain_digests);
        save(self.path(), &spec(name), &saving, &reading(3, &Progress::default()))
    }

    /// Builds a tree from the beginning, without additional digests.
    pub fn built(&self, name: &str, granule: u64) -> Saved {
        self.save(name, granule, Begin::Fresh, &[]).expect("built")
    }

    /// Opens the stored tree.
    pub fn store(&self) -> Store {
        Store::open(&self.tree).expect("readable").expect("a stored tree")
    }

    /// Verifies the file against the stored tree.
    pub fn verify(&self) -> Difference {
        verify(self.path(), &self.store(), None, &reading(2, &Progress::default())).expect("verified")
    }

    /// Overwrites the bytes at `offset`.
    pub fn patch(&self, offset: u64, bytes: &[u8]) {
        let file = std::fs::OpenOptions::new().write(true).open(&self.file).expect("writable");
        file.write_all_at(bytes, offset).expect("patched");
    }

    /// Changes a byte and restores the modification time.
    pub fn flip_unnoticed(&self, offset: u64) {
        let file = std::fs::File::options().read(true).write(true).open(&self.file).expect("open");
        let modified = file.metadata().and_then(|metadata| metadata.modified()).expect("a time");
        self.flip(offset);
        file.set_modified(modified).expect("put back");
    }

    /// Flips one bit of the byte at `offset`; twice restores it.
    pub fn flip(&self, offset: u64) {
        let mut byte = [0];
        let file = std::fs::File::open(&self.file).expect("readable");
        file.read_exact_at(&mut byte, offset).expect("there");
        self.patch(offset, &[byte[0] ^ 0x20]);
    }
}
