//! Open files and folders as the system refers to them: descriptors.

use std::os::fd::AsRawFd;
pub use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

/// Returns a path that leads to an open file or folder, whatever its name.
pub fn path_of(file: impl AsFd) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_fd().as_raw_fd()).into()
}
