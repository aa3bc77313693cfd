//! The stored tree (`.ftr`): two superblocks and a row of granule hashes, `docs/spec/tree.md` section 8.
//!
//! A checkpoint makes the row durable before the superblock that lists it, and never overwrites the valid superblock. A
//! reader trusts nothing that is not confirmed by a CRC or the file's length.

use crate::error::{Cause, Error};
use crate::io::open::{Root, Special, open_companion};
use crate::pieces::ranges::joined;
use crate::tree::header::{BLOCK, MAGIC, ROW};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use truesum_fs::Errno;
use truesum_fs::data::FileExt;
use truesum_fs::lock::try_lock;
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;
use truesum_fs::open::open_or_create;
use truesum_hash::tree::{Merkle, Plan};
use truesum_hash::{Digest, Spec};

pub(crate) use crate::tree::header::crc32c;
pub use crate::tree::header::{GRANULE, Header, Hints, Unusable, can_store};

/// A stored tree in a file.
#[derive(Debug)]
pub struct Store {
    file: File,
    path: PathBuf,
    header: Header,
    /// Damage that does not prevent reading the tree: one superblock is damaged.
    pub blemish: Option<Unusable>,
}

/// Returns the path under which a tree is built.
pub fn part_of(path: impl AsRef<Path>) -> PathBuf {
    with_suffix(path, ".part")
}

/// Returns the path with `suffix` appended to its last component.
pub fn with_suffix(path: impl AsRef<Path>, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path.as_ref());
    name.push(suffix);
    PathBuf::from(name)
}

impl Store {
    /// Creates a new tree in a file with this name, discarding the remains of an earlier build.
    ///
    /// # Errors
    /// Fails if the file cannot be created or written, or if an existing file is not a stored tree.
    pub fn create(path: impl AsRef<Path>, header: Header) -> Result<Store, Error> {
        let path = path.as_ref();
        let file = emptied(path)?;
        let mut store = Store { file, path: path.to_owned(), header, blemish: None };
        store.checkpoint(&[])?;
        Ok(store)
    }

    /// Opens a tree for reading. The newest valid superblock counts.
    ///
    /// # Errors
    /// Returns the outer error if the file cannot be read, the inner one if it is not a stored tree.
    pub fn open(path: impl AsRef<Path>) -> Result<Result<Store, Unusable>, Error> {
        let path = path.as_ref();
        let file = open_companion(path).map_err(|error| error.with_action("read"))?;
        Store::of(file, path)
    }

    /// Opens a tree to resume it.
    ///
    /// # Errors
    /// Fails as [`Store::open`], or if another process is resuming it.
    pub(crate) fn open_to_write(path: &Path) -> Result<Result<Store, Unusable>, Error> {
        Store::of(own_file(path)?, path)
    }

    /// Creates a copy of the tree at `from` to be modified.
    ///
    /// # Errors
    /// Fails as [`Store::create`] and [`Store::open`].
    pub(crate) fn copy(from: &Path, path: &Path) -> Result<Result<Store, Unusable>, Error> {
        let mut file = emptied(path)?;
        let mut old = open_companion(from).map_err(|error| error.with_action("read"))?;
        io::copy(&mut old, &mut file).map_err(|error| io_error(path, "write", error))?;
        Store::of(file, path)
    }

    /// Opens a tree for reading by a name that is resolved from `root`.
    ///
    /// # Errors
    /// Fails as [`Store::open`].
    pub fn open_in(root: &Root, name: impl AsRef<Path>) -> Result<Result<Store, Unusable>, Error> {
        let name = name.as_ref();
        let (file, _) = root.open(name.as_os_str().as_bytes(), Special::Refuse)?;
        Store::of(file, name)
    }

    /// Reads the tree in an open file.
    fn of(file: File, path: &Path) -> Result<Result<Store, Unusable>, Error> {
        let fail = |error: io::Error| io_error(path, "read", error);
        let metadata = file.metadata().map_err(fail)?;
        if !metadata.is_file() {
            return Err(Error::new(
                path.as_os_str().as_bytes(),
                "read",
                Cause::Special("directory or device"),
            ));
        }
        let len = metadata.len();
        let mut blocks = [[0; BLOCK]; 2];
        for (block, at) in blocks.iter_mut().zip([0, BLOCK as u64]) {
            let here = len.saturating_sub(at).min(BLOCK as u64) as usize;
            file.read_exact_at(&mut block[..here], at).map_err(fail)?;
        }
        let read: Vec<Result<Header, Unusable>> = blocks.iter().map(Header::decode).collect();
        let mut blemish = None;
        for (block, header) in blocks.iter().zip(&read) {
            // A tree has only one superblock after its first checkpoint.
            if let Err(refusal) = header
                && block.iter().any(|&byte| byte != 0)
            {
                blemish = Some(refusal.clone());
            }
        }
        let unusable = blemish.clone().unwrap_or(Unusable::Foreign);
        let Some(header) = read.into_iter().flatten().max_by_key(|header| header.seq) else {
            return Ok(Err(match (unusable, len) {
                (Unusable::Foreign, len) if len >= 8 && blocks[0][1..8] == MAGIC[1..] => {
                    Unusable::Damaged("its first byte is wrong".to_owned())
                }
                (refusal, _) => refusal,
            }));
        };
        let blemish = blemish.map(|_| Unusable::Damaged("one of its two superblocks is invalid".to_owned()));
        let end = ROW + header.granules().saturating_mul(header.hash_len());
        if header.is_complete() && len != end {
            return Ok(Err(Unusable::Damaged(format!("it has {len} bytes, but should have {end}"))));
        }
        if let Some(last) = header.extents.last()
            && len < ROW + last.end * header.hash_len()
        {
            return Ok(Err(Unusable::Damaged("it ends before the last of its hashes".to_owned())));
        }
        Ok(Ok(Store { file, path: path.to_owned(), header, blemish }))
    }

    /// Returns the header of the tree.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the path of the tree.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes entries starting with granule `first`. Threads may write in any order.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn put(&self, first: u64, hashes: &[Digest]) -> Result<(), Error> {
        let bytes: Vec<u8> = hashes.iter().flat_map(Digest::as_bytes).copied().collect();
        let at = ROW + first * self.header.hash_len();
        self.file.write_all_at(&bytes, at).map_err(|error| self.fail("write", error))
    }

    /// Reads entries.
    ///
    /// # Errors
    /// Returns the system's error, or fails if the row is shorter.
    pub fn get(&self, granules: Range<u64>) -> Result<Vec<Digest>, Error> {
        let len = self.header.hash_len();
        let mut bytes = vec![0; ((granules.end - granules.start) * len) as usize];
        let at = ROW + granules.start * len;
        self.file.read_exact_at(&mut bytes, at).map_err(|error| self.fail("read", error))?;
        Ok(bytes.chunks(len as usize).map(Digest::new).collect())
    }

    /// Makes the row durable, then writes a superblock that lists the `finished` granules in addition to those before.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn checkpoint(&mut self, finished: &[Range<u64>]) -> Result<(), Error> {
        self.sync()?;
        let extents = self.header.extents.iter().chain(finished).cloned();
        self.header.extents = joined(extents);
        self.write_superblock()?;
        self.sync()
    }

    /// Completes the tree: both superblocks record that it is complete, with this digest.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn complete(&mut self, digest: Digest) -> Result<(), Error> {
        let granules = self.header.granules();
        let end = ROW + granules * self.header.hash_len();
        self.file.set_len(end).map_err(|error| self.fail("write", error))?;
        self.checkpoint(&[0..granules])?;
        self.header.digest = Some(digest);
        self.write_superblock()?;
        self.sync()?;
        self.write_superblock()?;
        self.sync()
    }

    /// Renames the file to its final name and makes that durable.
    ///
    /// # Errors
    /// Returns the system's error. If the file could not be renamed, it still has its previous name.
    pub fn publish(&mut self, name: impl AsRef<Path>) -> Result<(), Error> {
        let name = name.as_ref();
        std::fs::rename(&self.path, name).map_err(|error| io_error(name, "write", error))?;
        crate::io::write::sync_folder(crate::io::write::folder(name))
            .map_err(|error| io_error(name, "write", error))?;
        name.clone_into(&mut self.path);
        Ok(())
    }

    /// Turns a complete tree into an unfinished one over a file of a different size, of which only `kept` granules are
    /// finished.
    pub(crate) fn reopen(&mut self, size: u64, hints: Hints, kept: &[Range<u64>]) -> Result<(), Error> {
        self.header.size = size;
        self.header.hints = hints;
        self.header.digest = None;
        self.header.extents = joined(kept.iter().cloned());
        self.checkpoint(&[])
    }

    /// Sets the state of the file, which [`Store::complete`] writes.
    pub(crate) fn set_hints(&mut self, hints: Hints) {
        self.header.hints = hints;
    }

    fn write_superblock(&mut self) -> Result<(), Error> {
        self.header.seq += 1;
        let slot = (self.header.seq % 2) * BLOCK as u64;
        self.file.write_all_at(&self.header.encode(), slot).map_err(|error| self.fail("write", error))
    }

    fn sync(&self) -> Result<(), Error> {
        self.file.sync_data().map_err(|error| self.fail("write", error))
    }

    fn fail(&self, action: &'static str, error: io::Error) -> Error {
        io_error(&self.path, action, error)
    }

    /// Returns the BLAKE3 digest of the complete stored tree, including superblocks and hints.
    ///
    /// # Errors
    /// Fails if the tree cannot be read.
    pub(crate) fn fingerprint(&self) -> Result<Digest, Error> {
        let mut hasher = "blake3".parse::<Spec>().expect("a row of the table").hasher();
        let mut buffer = vec![0; 1 << 16];
        let mut at = 0;
        loop {
            match self.file.read_at(&mut buffer, at) {
                Ok(0) => return Ok(hasher.finish()),
                Ok(count) => {
                    hasher.update(&buffer[..count]);
                    at += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.fail("read", error)),
            }
        }
    }

    /// Returns the digest that row 0 folds to; `None` for BLAKE3 with a single granule, whose root is not computed from
    /// the entry.
    ///
    /// # Errors
    /// Fails if the row cannot be read.
    pub fn fold(&self) -> Result<Option<Digest>, Error> {
        const AT_ONCE: u64 = 1 << 14;
        let header = &self.header;
        let granule = if Merkle::new(&header.spec).is_some() { header.granule } else { GRANULE };
        let plan = Plan::with_granule(&header.spec, header.size, granule).expect("a stored tree has a plan");
        let mut fold = plan.fold();
        let granules = header.granules();
        for first in (0..granules).step_by(AT_ONCE as usize) {
            for entry in self.get(first..(first + AT_ONCE).min(granules))? {
                fold.push(entry);
            }
        }
        Ok(fold.finish())
    }
}

/// Opens the file of an unfinished tree, creating it if necessary, and locks out other builds of the same tree until it
/// is closed. A symbolic link is not followed, and a file with other names is not written to: in a folder that other
/// users can write to, either could lead to a file of their choice.
fn own_file(path: &Path) -> Result<File, Error> {
    let refuse = |why: &str| Error::new(path.as_os_str().as_bytes(), "write", Cause::Other(why.to_owned()));
    let file = open_or_create(path).map_err(|error| match error {
        Errno::LOOP => refuse("it is a symbolic link"),
        _ => io_error(path, "write", error),
    })?;
    let metadata = file.metadata().map_err(|error| io_error(path, "write", error))?;
    if !metadata.is_file() {
        return Err(refuse("it is not a regular file"));
    }
    lock(&file, path)?;
    if Metadata::of(&file).map_err(|error| io_error(path, "write", error))?.links() > 1 {
        return Err(refuse("it has other hard links"));
    }
    Ok(file)
}

/// Opens the file of an unfinished tree and discards the remains of an earlier build.
fn emptied(path: &Path) -> Result<File, Error> {
    let file = own_file(path)?;
    may_be_replaced(&file, path)?;
    file.set_len(0).map_err(|error| io_error(path, "write", error))?;
    Ok(file)
}

/// Tests that the file to be replaced is a tree or empty, so that no document is lost because its name ends like that
/// of a tree.
///
/// # Errors
/// Fails if it is something else, or cannot be read.
pub(crate) fn may_be_replaced(file: &File, path: &Path) -> Result<(), Error> {
    let mut begin = [0; BLOCK];
    let len =
        file.metadata().map_err(|error| io_error(path, "read", error))?.len().min(BLOCK as u64) as usize;
    file.read_exact_at(&mut begin[..len], 0).map_err(|error| io_error(path, "read", error))?;
    // A tree that was killed before its first checkpoint is empty or contains zeros; a byte of a damaged one may be
    // wrong.
    let nothing = begin.iter().all(|&byte| byte == 0);
    if nothing || begin[..8].iter().zip(&MAGIC[..8]).filter(|(found, own)| found == own).count() >= 7 {
        return Ok(());
    }
    let why = "the existing file is not a stored tree, so it is not replaced";
    Err(Error::new(path.as_os_str().as_bytes(), "write", Cause::Other(why.to_owned())))
}

fn lock(file: &File, path: &Path) -> Result<(), Error> {
    // On file systems without locks, the user must avoid simultaneous builds.
    if try_lock(file) {
        return Ok(());
    }
    let why = Cause::Other("another truesum process is using it".to_owned());
    Err(Error::new(path.as_os_str().as_bytes(), "write", why))
}

fn io_error(path: &Path, action: &'static str, error: impl Into<io::Error>) -> Error {
    Error::io(path.as_os_str().as_bytes(), action, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, size: u64) -> Header {
        let hints = Hints { mtime: -5, ctime: 7, inode: 11, device: 13 };
        Header::new(&name.parse().expect("an algorithm"), size, 1 << 20, hints).expect("it can be stored")
    }

    #[test]
    fn newest_valid_superblock_is_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.ftr.part");
        let mut store = Store::create(&path, header("sha256-tree", 3 << 20)).expect("created");
        for granule in 0..3 {
            store.put(granule, &[Digest::new(&[granule as u8; 32])]).expect("put");
        }
        store.checkpoint(&[0..1]).expect("checkpoint");
        store.checkpoint(&[2..3]).expect("checkpoint");
        let newest = store.header.seq;
        let open = || Store::open(&path).expect("readable");
        assert_eq!(open().expect("valid").header.extents, [0..1, 2..3]);
        // The newest superblock was only partly written, so the previous one counts.
        store.file.write_all_at(&[1], (newest % 2) * BLOCK as u64 + 300).expect("torn");
        let older = open().expect("the other one");
        assert_eq!(older.header.extents, vec![0..1]);
        assert!(older.blemish.is_some());
        assert_eq!(older.header.missing(), vec![1..3]);
        store.file.write_all_at(&[1], (1 - newest % 2) * BLOCK as u64 + 300).expect("torn");
        assert!(matches!(open(), Err(Unusable::Damaged(_))));
    }
}
