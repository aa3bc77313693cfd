//! The entries of a folder.

use crate::error::Errno;
use crate::metadata::FileType;
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
