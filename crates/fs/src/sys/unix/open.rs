//! Opens files for purposes other than reading them once below a root.

use super::resolve::{base, openat};
use crate::sys::errno::Errno;
use rustix::fs::{self, Mode, OFlags};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Opens an input that the user named, without waiting for the writer of a pipe. Reading waits for it.
pub fn input(path: &Path) -> Result<File, Errno> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let file = File::from(openat(base(None), path.as_os_str().as_bytes(), flags)?);
    wait_for_data(&file)?;
    Ok(file)
}

/// Makes reads of an open pipe or device wait for data.
pub fn wait_for_data(file: &File) -> Result<(), Errno> {
    Ok(fs::fcntl_setfl(file, OFlags::empty())?)
}

/// Opens a file for reading and writing, and creates it if it does not exist. A symbolic link is not followed. A pipe is
/// opened without waiting.
pub fn or_create(path: &Path) -> Result<File, Errno> {
    create(path, OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW)
}

/// Opens a file to lock it, and creates it if requested.
pub fn to_lock(path: &Path, or_create: bool) -> Result<File, Errno> {
    create(path, OFlags::RDONLY | if or_create { OFlags::CREATE } else { OFlags::empty() })
}

fn create(path: &Path, flags: OFlags) -> Result<File, Errno> {
    // Opening a pipe would block until it has a writer.
    let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::io::retry_on_intr(|| fs::open(path, flags, Mode::from_raw_mode(0o666)));
    match file {
        // FreeBSD's number for a link that may not be followed.
        #[cfg(target_os = "freebsd")]
        Err(rustix::io::Errno::MLINK) => Err(Errno::LOOP),
        result => Ok(result?.into()),
    }
}

/// Opens a device without content, in place of a file that is not in a file system.
pub fn null() -> Result<File, Errno> {
    openat(base(None), b"/dev/null", OFlags::RDONLY | OFlags::CLOEXEC).map(File::from)
}
