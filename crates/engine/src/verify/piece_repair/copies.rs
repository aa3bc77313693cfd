//! The copies from which files are repaired.

use crate::error::{Cause, Error};
use crate::io::open::{Root, Special};
use crate::io::read::Guarded;
use crate::job::{Outcome, Verdict};
use crate::verify::pieces::Pieced;
use crate::verify::place::in_folder;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;
use truesum_fs::name::OsStrExt;

/// The location of the copies.
pub(super) struct Copies {
    root: Root,
    /// The only copy.
    only: Option<Vec<u8>>,
    pub(super) open: HashMap<usize, Option<Guarded>>,
}

impl Copies {
    /// Returns the copies in a folder, or a single copy. `given` is true if the file's name differs from the one in the
    /// list.
    pub(super) fn new(copy: &Path, files: &[Pieced], given: bool) -> Result<Copies, Error> {
        let bytes = copy.as_os_str().as_bytes();
        if copy.is_dir() {
            let only = files.first().filter(|_| given).map(|file| file.job.name.clone());
            return Ok(Copies { root: Root::folder(copy, false)?, only, open: HashMap::new() });
        }
        let files = files.len();
        if files != 1 {
            let why = format!("the list covers {files} files; specify the folder with the copies");
            return Err(Error::new(bytes, "use", Cause::Other(why)));
        }
        Ok(Copies { root: Root::Anywhere, only: Some(bytes.to_vec()), open: HashMap::new() })
    }

    /// Uses the size of the copy for a file that is damaged and whose size is not in the list. The
    /// digest of its last piece will show whether the size is right. Returns whether there was such
    /// a file.
    pub(super) fn report_sizes(&self, files: &mut [Pieced], found: &[Outcome]) -> bool {
        let mut has_pieces = false;
        for (file, found) in files.iter_mut().zip(found) {
            if file.job.size.is_some() || !file.pieces[0].is_open() || found.verdict() == Verdict::Verified {
                continue;
            }
            let size = self.root.size(self.path(&file.job.name));
            let of_size: Option<Vec<_>> = file.pieces.iter().map(|list| list.of_size(size)).collect();
            if let Some(pieces) = of_size {
                (file.pieces, file.job.size, has_pieces) = (pieces, Some(size), true);
            }
        }
        has_pieces
    }

    pub(super) fn path<'p>(&'p self, name: &'p [u8]) -> &'p [u8] {
        let exists = |name: &[u8]| self.root.exists(OsStr::from_bytes(name));
        match (&self.only, in_folder(name)) {
            (Some(only), _) => only,
            // The folder may be the one that all names begin with. Its bytes are verified before they are used.
            (None, Some((_, rest))) if !exists(name) && exists(rest) => rest,
            (None, _) => name,
        }
    }

    /// Opens the copy of a file. A missing copy has no bytes.
    pub(super) fn open(&mut self, number: usize, name: &[u8]) -> Result<(), Error> {
        // A torrent may have more files than can be open at the same time.
        if self.open.len() > 16 {
            self.open.retain(|known, _| *known == number);
        }
        if !self.open.contains_key(&number) {
            let found = match Guarded::open(&self.root, self.path(name), Special::Refuse) {
                Ok(file) => Some(file),
                Err(error) if error.is_missing() && self.only.is_none() => None,
                Err(error) => return Err(error),
            };
            self.open.insert(number, found);
        }
        Ok(())
    }
}
