//! The manifest to be updated: opened once, and unchanged from then on until it is replaced.

use crate::error::{Cause, Error};
use crate::io::file_id::FileId;
use crate::io::open::{Root, Special};
use crate::io::read::Guarded;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use truesum_fs::data::read_at;
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;
use truesum_manifest::Time;

/// An open manifest.
pub(super) struct Original {
    file: Guarded,
}

impl Original {
    /// Opens the manifest. Only a regular file can be replaced.
    ///
    /// # Errors
    /// Fails if it cannot be opened, is not a regular file, or is being written to.
    pub fn open(manifest: &Path) -> Result<Original, Error> {
        let name = manifest.as_os_str().as_bytes();
        Ok(Original { file: Guarded::open(&Root::Anywhere, name, Special::Refuse)? })
    }

    /// Returns a reader at its beginning.
    pub fn reader(&self) -> Box<dyn Read + '_> {
        Box::new(at_beginning(self.file.file()))
    }

    /// Returns its modification time.
    pub fn written(&self) -> Time {
        let stat = self.file.stat();
        stat.mtime()
    }

    /// Returns its size in bytes.
    pub fn size(&self) -> u64 {
        self.file.stat().size()
    }

    /// Returns whether it has other names. These keep the old content, because a new file gets this name.
    pub fn has_other_names(&self) -> bool {
        self.file.stat().links() > 1
    }

    /// Returns whether this name refers to it.
    pub fn is_at(&self, path: &Path) -> bool {
        let own = self.file.stat();
        Metadata::at(path).is_ok_and(|stat| FileId::from(&stat) == FileId::from(own))
    }

    /// Tests that this name still refers to it, and that it was not modified.
    ///
    /// # Errors
    /// Fails if it was modified or replaced.
    pub fn unchanged(&self, manifest: &Path) -> Result<(), Error> {
        let name = manifest.as_os_str().as_bytes();
        let changed = |what: String| Error::new(name, "replace", Cause::Changed(what));
        let now = Metadata::at(manifest).map_err(|error| Error::io(name, "replace", error))?;
        let before = self.file.stat();
        if FileId::from(&now) != FileId::from(before) {
            return Err(changed("it was replaced by another file".to_owned()));
        }
        match self.file.change().map_err(|error| Error::io(name, "replace", error))? {
            Some(cause) => Err(Error::new(name, "replace", cause)),
            None => Ok(()),
        }
    }
}

/// Returns a reader at the beginning of a file, independent of other readers.
pub(super) fn at_beginning(file: &File) -> impl Read + '_ {
    BufReader::with_capacity(1 << 16, Placed { file, at: 0 })
}

struct Placed<'f> {
    file: &'f File,
    at: u64,
}

impl Read for Placed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_at(self.file, buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use truesum_fs::write::AtomicFile;

    #[test]
    fn concurrently_modified_manifest_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("M");
        let of = |text: &str| {
            std::fs::write(&name, text).unwrap();
            Original::open(&name).unwrap()
        };
        let original = of("one");
        assert!(original.unchanged(&name).is_ok());
        let mut text = String::new();
        original.reader().read_to_string(&mut text).unwrap();
        original.reader().read_to_string(&mut text).unwrap();
        assert_eq!(text, "oneone");
        std::fs::write(&name, "two").unwrap();
        assert!(
            original.unchanged(&name).is_err_and(|error| matches!(error.cause(), Cause::Changed(_))),
            "written to"
        );
        let original = of("one");
        let mut other = AtomicFile::create(&name).unwrap();
        other.write_all(b"one").unwrap();
        other.commit().unwrap();
        assert!(
            original.unchanged(&name).is_err_and(|error| matches!(error.cause(), Cause::Changed(_))),
            "another file"
        );
        let original = of("one");
        std::fs::remove_file(&name).unwrap();
        // Old versions of Windows, and Wine, remove the name of an open file only when it is closed.
        assert!(cfg!(windows) || original.unchanged(&name).is_err_and(|error| error.is_missing()));
    }
}
