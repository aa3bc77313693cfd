//! Names of files, which are bytes.

use crate::sys::errno::Errno;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
pub use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Returns an absolute path as it is.
pub fn plain(path: PathBuf) -> PathBuf {
    path
}

/// Returns a path that a user named as it is.
pub fn argument(path: OsString) -> OsString {
    path
}

/// Returns the path as it is: shells expand patterns.
pub fn expanded(path: OsString) -> Vec<OsString> {
    vec![path]
}

/// Whether a backslash separates the components of a path, instead of being part of a name.
pub const BACKSLASH_SEPARATES: bool = false;

/// Accepts every path.
pub fn check(_path: &[u8]) -> Result<(), Errno> {
    Ok(())
}

/// Returns nothing: the messages of these systems name the cause.
pub fn explanation(_path: &[u8], _error: &io::Error) -> Option<&'static str> {
    None
}

/// Returns the bytes of a path, as a name in a manifest.
pub fn of(path: &Path) -> Cow<'_, [u8]> {
    path.as_os_str().as_bytes().into()
}

/// Returns the bytes of a path, as a name in a manifest.
pub fn entry_name(path: PathBuf) -> Vec<u8> {
    path.into_os_string().into_vec()
}

/// Returns a path from a line of a list as it is.
pub fn from_line(line: Vec<u8>) -> Vec<u8> {
    line
}

/// Returns a path in a message as it is.
pub fn native(shown: String) -> String {
    shown
}

/// Returns the name by which a program was called.
pub fn program(called: &OsStr) -> Option<String> {
    Path::new(called).file_name()?.to_str().map(str::to_owned)
}
