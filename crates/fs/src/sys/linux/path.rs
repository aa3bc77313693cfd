//! The paths of open files (`/proc/self/fd`, proc(5)).

use crate::sys::errno::Errno;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::PathBuf;

/// Returns the path of an open file without symbolic links. This requires `/proc`.
pub fn real_path(file: &File) -> Result<Vec<u8>, Errno> {
    Ok(rustix::fs::readlink(alias(file)?, Vec::new())?.into_bytes())
}

/// Returns a path that leads to an open file or folder, whatever its name.
pub fn alias(file: &File) -> Result<PathBuf, Errno> {
    Ok(format!("/proc/self/fd/{}", file.as_raw_fd()).into())
}
