//! Files that appear whole or not at all: a temporary file beside the target, flushed to the disk, then renamed over it.

use crate::error::{Cause, Error};
use rustix::fs::{CWD, Mode, OFlags};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::fd::IntoRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file being written. Dropped before [`AtomicFile::commit`] it leaves nothing behind and the old file as it was.
pub struct AtomicFile {
    temporary: BufWriter<NamedTempFile>,
    target: PathBuf,
}

impl AtomicFile {
    /// Begins to write `target`. A symbolic link is followed, so that the link survives and its file is replaced.
    ///
    /// # Errors
    /// The folder is not there or not writable, or the target is not a regular file.
    pub fn create(target: &Path) -> Result<AtomicFile, Error> {
        let name = target.as_os_str().as_bytes();
        let fail = |error: io::Error| Error::io(name, "write", error);
        let real = match std::fs::canonicalize(target) {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => target.to_owned(),
            Err(error) => return Err(fail(error)),
        };
        let old = std::fs::metadata(&real).ok();
        if let Some(old) = &old
            && !old.is_file()
        {
            let what = if old.is_dir() { "it is a directory" } else { "it is not a regular file" };
            return Err(Error::new(name, "write", Cause::Other(what.to_owned())));
        }
        let mut prefix = std::ffi::OsString::from(".");
        prefix.push(real.file_name().unwrap_or(OsStr::new("truesum")));
        // Names at the limit of the file system leave no room for a suffix.
        let prefix = OsStr::from_bytes(&prefix.as_bytes()[..prefix.len().min(200)]);
        let temporary = tempfile::Builder::new()
            .prefix(prefix)
            .suffix(".part")
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666))
            .tempfile_in(folder(&real))
            .map_err(fail)?;
        if let Some(old) = old {
            temporary.as_file().set_permissions(old.permissions()).map_err(fail)?;
        }
        Ok(AtomicFile { temporary: BufWriter::with_capacity(1 << 16, temporary), target: real })
    }

    /// The temporary file, to recognise it in a walk.
    pub fn file(&self) -> &File {
        self.temporary.get_ref().as_file()
    }

    /// Where the file will be.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Makes everything written durable and visible under the target's name.
    ///
    /// # Errors
    /// Any step failed; the old file is then still there, byte for byte.
    pub fn commit(self) -> Result<(), Error> {
        let AtomicFile { temporary, target } = self;
        let name = target.as_os_str().as_bytes().to_vec();
        let fail = |error: io::Error| Error::io(&name, "write", error);
        let temporary = temporary.into_inner().map_err(|error| fail(error.into_error()))?;
        temporary.as_file().sync_all().map_err(fail)?;
        // Network file systems and quotas report some write errors only when a descriptor is closed: one is closed
        // before the old file goes, one after, when the file has its final name.
        let (file, path) = temporary.into_parts();
        let second = file.try_clone().map_err(fail)?;
        close(file).map_err(fail)?;
        path.persist(&target).map_err(|error| fail(error.error))?;
        close(second).map_err(fail)?;
        sync_folder(folder(&target)).map_err(fail)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.flush()
    }
}

/// Closes a file and tells whether that worked, which dropping it does not.
///
/// # Errors
/// The system's: on network file systems and under quotas, that of an earlier write.
#[allow(unsafe_code)]
pub fn close(file: File) -> io::Result<()> {
    // SAFETY: the descriptor is taken out of its only owner here and not used again.
    unsafe { rustix::io::try_close(file.into_raw_fd()) }.map_err(io::Error::from)
}

pub(crate) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Makes a rename durable. File systems that cannot flush a directory say EINVAL: nothing is lost by that.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    let directory =
        rustix::fs::openat(CWD, folder, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    match rustix::fs::fsync(directory) {
        Err(rustix::io::Errno::INVAL) => Ok(()),
        result => Ok(result?),
    }
}
