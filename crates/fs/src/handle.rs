//! Open files and folders, which are values of [`File`], and the paths that lead to them.

use crate::error::Errno;
use crate::sys::resolve;
use std::fs::File;
use std::path::PathBuf;

/// Returns a path that leads to an open file or folder. On Linux, it does so whatever the name of the folder is now;
/// elsewhere, it is the path that the folder has at this moment.
///
/// # Errors
/// Returns the system's error.
pub fn path_of(file: &File) -> Result<PathBuf, Errno> {
    resolve::alias(file)
}
