//! Names of files, which are bytes.

use std::ffi::OsString;
pub use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Returns an absolute path as it is.
pub fn plain(path: PathBuf) -> PathBuf {
    path
}

/// Returns an argument of the command line as it is.
pub fn argument(word: OsString) -> OsString {
    word
}
