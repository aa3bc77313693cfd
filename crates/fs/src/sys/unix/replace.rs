//! Atomic replacement: files that are created in an open folder and renamed over another one (openat(2), renameat(2)).

use crate::sys::errno::Errno;
use rustix::fs::{self, AtFlags, Mode, OFlags};
use std::fs::File;
use std::io;
use std::os::fd::IntoRawFd;
use std::path::Path;

/// Creates a file for writing and reading, which must not exist yet.
pub fn create_new(folder: &File, name: &[u8]) -> Result<File, Errno> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
    Ok(fs::openat(folder, name, flags, Mode::from_raw_mode(0o666))?.into())
}

/// Renames a file in a folder. A file with the new name is replaced at the same moment.
pub fn replace(folder: &File, from: &[u8], to: &[u8]) -> Result<(), Errno> {
    Ok(fs::renameat(folder, from, folder, to)?)
}

/// Removes a file.
pub fn remove(folder: &File, name: &[u8]) -> Result<(), Errno> {
    Ok(fs::unlinkat(folder, name, AtFlags::empty())?)
}

/// Closes a file and returns whether that succeeded, which dropping it does not.
///
/// # Errors
/// Returns the system's error, which on network file systems and under quotas may belong to an earlier write.
#[allow(unsafe_code)]
pub fn close(file: File) -> io::Result<()> {
    // SAFETY: the descriptor is taken from its only owner and not used again.
    unsafe { rustix::io::try_close(file.into_raw_fd()) }.map_err(io::Error::from)
}

/// Makes a rename in a folder durable. File systems that cannot flush a folder return EINVAL, which is harmless.
///
/// # Errors
/// Returns the system's error.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        Err(error) if Errno::of(&error) == Errno::INVAL => Ok(()),
        result => result,
    }
}

/// Creates a link at `at` to a program, which can be called by its name.
pub fn link_program(program: &Path, at: &Path) -> io::Result<()> {
    symlink(program, at)
}

/// Returns whether the file at `at` is a link to this program, or to another one of the same name.
pub fn is_link(program: &Path, at: &Path) -> bool {
    std::fs::read_link(at).is_ok_and(|to| to.file_name() == program.file_name())
}

/// Creates a symbolic link at `at` that leads to `target`.
///
/// # Errors
/// Returns the system's error.
pub fn symlink(target: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}
