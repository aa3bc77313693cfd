//! The parity file next to a stored tree (`.ftr.parity`, `docs/spec/parity.md`), from which damaged granules are
//! restored without a copy of the file.
//!
//! The file is divided into groups of blocks, and a block is a granule of the tree. Each group has its own parity
//! blocks, so memory is bounded whatever the file size. The blocks of a group are restored independently of the other
//! groups, and are used only if they have the hashes in the tree.

pub(crate) mod restore;

use crate::error::{Cause, Error};
use crate::io::open::{Root, Special, open_companion};
use crate::io::write::AtomicFile;
use crate::tree::header::{Header, MAX_SIZE};
use crate::tree::store::{Store, with_suffix};
use reed_solomon_simd::engine::DefaultEngine;
use reed_solomon_simd::rate::{HighRateEncoder, RateEncoder};
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use truesum_fs::data::FileExt;
use truesum_fs::name::OsStrExt;
use truesum_hash::tree::Merkle;
use truesum_hash::{Digest, Spec};

const MAGIC: [u8; 8] = *b"\x89FTP\r\n\x1a\n";
const VERSION: u32 = 1;
/// The length of a header, at the beginning and at the end of the file.
const HEADER: usize = 256;
/// The length of the digest of a header or a parity block.
const DIGEST: usize = 32;
/// The maximum length of the name of an algorithm and of a digest.
const NAME: usize = 64;
/// The default and maximum number of bytes in a group.
pub const GROUP: u64 = 256 << 20;
/// The maximum number of blocks in a group.
const MAX_BLOCKS: u64 = 4096;

/// Returns the path of the parity file of a stored tree.
pub fn parity_of(tree: impl AsRef<Path>) -> PathBuf {
    with_suffix(tree, ".parity")
}

/// The header of a parity file: how the file is divided, and the tree that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ParityHeader {
    percent: u32,
    /// The number of blocks in each group except the last.
    group: u32,
    size: u64,
    block: u64,
    algorithm: String,
    digest: Vec<u8>,
}

/// Returns the block size for a file with this tree: a granule, or the complete file if it is shorter.
fn block_of(tree: &Header) -> u64 {
    // The code works on multiples of 64 bytes.
    tree.granule.min(tree.size.max(1).next_multiple_of(64))
}

/// Returns the BLAKE3 digest of these bytes.
fn digest_of(parts: &[&[u8]]) -> Digest {
    let mut hasher = "blake3".parse::<Spec>().expect("a row of the table").hasher();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finish()
}

impl ParityHeader {
    /// Returns the header for a file with this tree, without the tree's digest.
    fn new(tree: &Header, percent: u32, group: u64) -> Result<ParityHeader, String> {
        if Merkle::new(&tree.spec).is_none() {
            return Err(format!(
                "parity cannot be computed for {}, whose leaves have different sizes",
                tree.spec
            ));
        }
        let (block, algorithm) = (block_of(tree), tree.spec.to_string());
        let group = (group / block).clamp(1, MAX_BLOCKS) as u32;
        let header = ParityHeader { percent, group, size: tree.size, block, algorithm, digest: Vec::new() };
        match header.is_valid() {
            true => Ok(header),
            false => Err(format!("invalid parity: {percent} % of groups of {group} blocks of {block} bytes")),
        }
    }

    /// Returns whether the fields are within the limits, on which memory use depends.
    fn is_valid(&self) -> bool {
        (1..=100).contains(&self.percent)
            && (1..=MAX_BLOCKS).contains(&self.group.into())
            && self.block > 0
            && self.block.is_multiple_of(64)
            && self.block.checked_mul(self.group.into()).is_some_and(|bytes| bytes <= GROUP)
            && self.size <= MAX_SIZE
            && self.algorithm.len() <= NAME
            && self.digest.len() <= NAME
    }

    fn encode(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        put(0, &MAGIC);
        put(8, &VERSION.to_le_bytes());
        put(12, &self.percent.to_le_bytes());
        put(16, &self.group.to_le_bytes());
        put(20, &[self.algorithm.len() as u8, self.digest.len() as u8]);
        put(24, &self.size.to_le_bytes());
        put(32, &self.block.to_le_bytes());
        put(40, self.algorithm.as_bytes());
        put(40 + NAME, &self.digest);
        let digest = digest_of(&[&bytes[..HEADER - DIGEST]]);
        bytes[HEADER - DIGEST..].copy_from_slice(digest.as_bytes());
        bytes
    }

    fn decode(bytes: &[u8; HEADER]) -> Option<ParityHeader> {
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let field = |at: usize, len: u8| bytes[at..at + NAME].get(..len.into());
        let header = ParityHeader {
            percent: u32_at(12),
            group: u32_at(16),
            size: u64_at(24),
            block: u64_at(32),
            algorithm: String::from_utf8(field(40, bytes[20])?.to_vec()).ok()?,
            digest: field(40 + NAME, bytes[21])?.to_vec(),
        };
        // Each header has exactly one encoding, which includes its magic number, version and digest.
        (header.is_valid() && header.encode() == *bytes).then_some(header)
    }

    /// Returns whether the parity was computed from the bytes that this tree was built from.
    fn belongs_to(&self, tree: &Header) -> bool {
        self.size == tree.size
            && self.block == block_of(tree)
            && self.algorithm == tree.spec.to_string()
            && tree.digest.as_ref().is_some_and(|digest| digest.as_bytes() == self.digest)
    }

    /// Returns the number of blocks of the file.
    fn blocks(&self) -> u64 {
        self.size.div_ceil(self.block)
    }

    /// Returns the blocks of a group.
    fn blocks_of(&self, group: u64) -> Range<u64> {
        let blocks = u64::from(self.group);
        group * blocks..((group + 1) * blocks).min(self.blocks())
    }

    /// Returns the number of parity blocks for this many blocks.
    fn parity_for(&self, blocks: u64) -> u64 {
        (blocks * u64::from(self.percent)).div_ceil(100)
    }

    /// Returns the parity blocks of a group.
    fn parity_of(&self, group: u64) -> Range<u64> {
        let (first, blocks) = (group * self.parity_for(self.group.into()), self.blocks_of(group));
        first..first + self.parity_for(blocks.end - blocks.start)
    }

    /// Returns the offset of a parity block, which is followed by its digest.
    fn offset(&self, parity: u64) -> u64 {
        HEADER as u64 + parity * (self.block + DIGEST as u64)
    }

    /// Returns the length of the parity file.
    fn file_len(&self) -> u64 {
        let groups = self.blocks().div_ceil(self.group.into());
        let end = groups.checked_sub(1).map_or(0, |last| self.parity_of(last).end);
        self.offset(end) + HEADER as u64
    }
}

/// A parity file that is being written.
pub(crate) struct ParityWriter {
    file: AtomicFile,
    header: ParityHeader,
    coder: Option<HighRateEncoder<DefaultEngine>>,
    /// The beginning of the next block.
    block: Vec<u8>,
    /// The number of blocks added.
    added: u64,
}

impl ParityWriter {
    /// Starts to write the parity file of the tree at `target`, for a file with this mode.
    ///
    /// # Errors
    /// Fails if the tree has no blocks of equal size, or if the file cannot be written or is not a parity file.
    pub(crate) fn create(
        target: &Path,
        tree: &Header,
        percent: u32,
        group: u64,
        mode: u32,
    ) -> Result<ParityWriter, Error> {
        let path = parity_of(target);
        let header = ParityHeader::new(tree, percent, group);
        let header =
            header.map_err(|why| Error::new(path.as_os_str().as_bytes(), "write", Cause::Undivided(why)))?;
        // A parity file whose magic number is damaged is replaced, too.
        let file = match open_companion(&path).is_ok_and(|old| is_recognizable(&old)) {
            true => AtomicFile::begin_internal(&path)?,
            false => AtomicFile::create_internal(&path, &MAGIC)?,
        };
        file.limit_mode(mode)?;
        let mut writer = ParityWriter { file, header, coder: None, block: Vec::new(), added: 0 };
        // The header follows when the digest of the tree is known.
        writer.write(&[0; HEADER])?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let result = self.file.write_all(bytes);
        result.map_err(|error| self.fail(error))
    }

    fn fail(&self, error: io::Error) -> Error {
        Error::io(self.file.target().as_os_str().as_bytes(), "write", error)
    }

    /// Adds the next bytes of the file.
    ///
    /// # Errors
    /// Fails if parity blocks cannot be written.
    pub(crate) fn add(&mut self, mut data: &[u8]) -> Result<(), Error> {
        let block = self.header.block as usize;
        while !data.is_empty() {
            let (here, rest) = data.split_at(data.len().min(block - self.block.len()));
            self.block.extend_from_slice(here);
            data = rest;
            if self.block.len() == block {
                self.end_block()?;
            }
        }
        Ok(())
    }

    fn end_block(&mut self) -> Result<(), Error> {
        const VALID: &str = "the counts and sizes of the header are valid";
        let group = self.added / u64::from(self.header.group);
        let (blocks, parity) = (self.header.blocks_of(group), self.header.parity_of(group));
        if self.added == blocks.start {
            let counts = ((blocks.end - blocks.start) as usize, (parity.end - parity.start) as usize);
            let block = self.header.block as usize;
            match &mut self.coder {
                Some(coder) => coder.reset(counts.0, counts.1, block).expect(VALID),
                None => {
                    let coder = HighRateEncoder::new(counts.0, counts.1, block, DefaultEngine::new(), None);
                    self.coder = Some(coder.expect(VALID));
                }
            }
        }
        let coder = self.coder.as_mut().expect("the coder is created with the first block");
        coder.add_original_shard(&self.block).expect(VALID);
        self.block.clear();
        self.added += 1;
        if self.added == blocks.end {
            let encoded = coder.encode().expect("every block was added");
            for (index, block) in parity.zip(encoded.recovery_iter()) {
                let digest = digest_of(&[&index.to_le_bytes(), block]);
                let written =
                    self.file.write_all(block).and_then(|()| self.file.write_all(digest.as_bytes()));
                let name = self.file.target().as_os_str().as_bytes();
                written.map_err(|error| Error::io(name, "write", error))?;
            }
        }
        Ok(())
    }

    /// Writes the header, with the digest of the tree, and makes the file visible under its name after `publish` has
    /// given the tree its name. Everything is durable before that, so that almost nothing can fail in between.
    ///
    /// # Errors
    /// Fails if the file cannot be written, or with the error of `publish`. An earlier parity file is then unchanged.
    pub(crate) fn commit(
        mut self,
        digest: &Digest,
        publish: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        if !self.block.is_empty() {
            self.block.resize(self.header.block as usize, 0);
            self.end_block()?;
        }
        digest.as_bytes().clone_into(&mut self.header.digest);
        let header = self.header.encode();
        self.write(&header)?;
        let written = self.file.flush().and_then(|()| self.file.file().write_all_at(&header, 0));
        written.map_err(|error| self.fail(error))?;
        self.file.commit_if(publish)
    }
}

/// A parity file that belongs to a stored tree.
#[derive(Debug)]
pub struct Parity {
    file: File,
    path: PathBuf,
    header: ParityHeader,
}

/// Reads the header of a parity file: that at its beginning or, if it is damaged, that at its end.
fn header_in(file: &File) -> io::Result<Option<ParityHeader>> {
    let len = file.metadata()?.len();
    for at in [0, len.saturating_sub(HEADER as u64)] {
        let mut bytes = [0; HEADER];
        if len >= HEADER as u64 {
            file.read_exact_at(&mut bytes, at)?;
        }
        if let Some(header) = ParityHeader::decode(&bytes) {
            return Ok(Some(header));
        }
    }
    Ok(None)
}

/// Returns whether an open file is a parity file, which may be damaged: one of its headers is intact, or at most one
/// byte of its magic number is wrong.
fn is_recognizable(file: &File) -> bool {
    let mut begin = [0; MAGIC.len()];
    let right = |begin: &[u8]| begin.iter().zip(MAGIC).filter(|(found, right)| **found == *right).count();
    (file.read_exact_at(&mut begin, 0).is_ok() && right(&begin) + 1 >= MAGIC.len())
        || header_in(file).is_ok_and(|header| header.is_some())
}

/// Returns whether an open file is a parity file of the right length. Parity blocks are not read.
pub(crate) fn is_parity(file: &File) -> bool {
    let len = file.metadata().map(|metadata| metadata.len()).ok();
    header_in(file).ok().flatten().is_some_and(|header| Some(header.file_len()) == len)
}

impl Parity {
    /// Opens the parity file next to a stored tree.
    ///
    /// # Errors
    /// Fails as [`Parity::open_at`].
    pub fn open(store: &Store) -> Result<Parity, Error> {
        Parity::open_at(parity_of(store.path()), store)
    }

    /// Opens the parity file next to a stored tree whose name is resolved from `root`.
    ///
    /// # Errors
    /// Fails as [`Parity::open_at`].
    pub fn open_in(root: &Root, store: &Store) -> Result<Parity, Error> {
        let path = parity_of(store.path());
        let (file, _) = root.open(path.as_os_str().as_bytes(), Special::Refuse)?;
        Parity::of(file, path, store)
    }

    /// Opens a parity file in any place.
    ///
    /// # Errors
    /// Fails if the file does not exist or cannot be read, is not a parity file, or belongs to another tree.
    pub fn open_at(path: impl Into<PathBuf>, store: &Store) -> Result<Parity, Error> {
        let path = path.into();
        let file = open_companion(&path).map_err(|error| error.with_action("read"))?;
        Parity::of(file, path, store)
    }

    fn of(file: File, path: PathBuf, store: &Store) -> Result<Parity, Error> {
        let name = path.as_os_str().as_bytes();
        let refuse = |why: &str| Error::new(name, "use", Cause::Other(why.to_owned()));
        let header = header_in(&file).map_err(|error| Error::io(name, "read", error))?;
        let header = header.ok_or_else(|| refuse("not a parity file, or both of its headers are damaged"))?;
        if !header.belongs_to(store.header()) {
            return Err(refuse("the parity file belongs to another stored tree"));
        }
        Ok(Parity { file, path, header })
    }

    /// Returns the path of the parity file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
