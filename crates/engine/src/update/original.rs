//! The manifest that is to be changed: opened once, and the same from then on until another takes its place.

use crate::error::{Cause, Error};
use crate::io::file_id::FileId;
use crate::io::open::{Root, Special};
use crate::io::read::Guarded;
use std::io::{self, BufReader, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use truesum_manifest::Time;

/// An open manifest.
pub(super) struct Original {
    file: Guarded,
}

impl Original {
    /// Opens it. Only what is a file can be replaced.
    ///
    /// # Errors
    /// It cannot be opened, is no file, or somebody is writing to it.
    pub fn open(manifest: &Path) -> Result<Original, Error> {
        let name = manifest.as_os_str().as_bytes();
        Ok(Original { file: Guarded::open(&Root::Anywhere, name, Special::Refuse)? })
    }

    /// Its text from the beginning.
    pub fn reader(&self) -> Box<dyn Read + '_> {
        Box::new(at_beginning(self.file.as_fd()))
    }

    /// When it was last written.
    pub fn written(&self) -> Time {
        let stat = self.file.stat();
        Time { seconds: stat.st_mtime, nanos: stat.st_mtime_nsec as u32 }
    }

    /// How many bytes it has.
    pub fn size(&self) -> u64 {
        self.file.stat().st_size as u64
    }

    /// Whether it has other names: they keep the old content, for another file takes this name.
    pub fn has_other_names(&self) -> bool {
        self.file.stat().st_nlink > 1
    }

    /// Whether this name leads to it.
    pub fn is_at(&self, path: &Path) -> bool {
        let own = self.file.stat();
        rustix::fs::stat(path).is_ok_and(|stat| FileId::from(&stat) == FileId::from(own))
    }

    /// Whether this name still leads to it, and nobody wrote to it.
    ///
    /// # Errors
    /// Somebody did, or put another file in its place.
    pub fn unchanged(&self, manifest: &Path) -> Result<(), Error> {
        let name = manifest.as_os_str().as_bytes();
        let changed = |what: String| Error::new(name, "replace", Cause::Changed(what));
        let now = rustix::fs::stat(manifest).map_err(|error| Error::io(name, "replace", error))?;
        let before = self.file.stat();
        if FileId::from(&now) != FileId::from(before) {
            return Err(changed("it was replaced by another file".to_owned()));
        }
        match self.file.change().map_err(|error| Error::io(name, "replace", error))? {
            Some(what) => Err(changed(what)),
            None => Ok(()),
        }
    }
}

/// A file from its beginning, whatever else is done with it.
pub(super) fn at_beginning<'f>(file: impl AsFd + 'f) -> impl Read + 'f {
    BufReader::with_capacity(1 << 16, Placed { file, at: 0 })
}

struct Placed<F> {
    file: F,
    at: u64,
}

impl<F: AsFd> Read for Placed<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let file: BorrowedFd<'_> = self.file.as_fd();
        let read = rustix::io::retry_on_intr(|| rustix::io::pread(file, &mut *buffer, self.at))?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_that_somebody_changed_meanwhile_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (name, other) = (folder.path().join("M"), folder.path().join("N"));
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
            matches!(original.unchanged(&name), Err(Error { cause: Cause::Changed(_), .. })),
            "written to"
        );
        let original = of("one");
        std::fs::copy(&name, &other).unwrap();
        std::fs::rename(&other, &name).unwrap();
        assert!(
            matches!(original.unchanged(&name), Err(Error { cause: Cause::Changed(_), .. })),
            "another file"
        );
        let original = of("one");
        std::fs::remove_file(&name).unwrap();
        assert!(original.unchanged(&name).is_err_and(|error| error.is_missing()));
    }
}
