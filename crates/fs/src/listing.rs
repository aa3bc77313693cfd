//! The entries of a folder.

use crate::error::Errno;
use crate::metadata::{FileType, Metadata};
use crate::sys::folder;
use std::fs::File;

/// Passes the name and the type of each entry of an open folder to `visit`, in the order of the file system, without
/// `.` and `..`.
///
/// # Errors
/// Returns the system's error. The entries passed before are then only a part.
pub fn list(folder: &File, visit: impl FnMut(&[u8], FileType)) -> Result<(), Errno> {
    folder::list(folder, visit)
}

/// Returns the metadata of an entry of an open folder. A symbolic link is not followed.
///
/// # Errors
/// Returns the system's error.
pub fn stat(folder: &File, name: &[u8]) -> Result<Metadata, Errno> {
    folder::stat(folder, name)
}
