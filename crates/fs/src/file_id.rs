//! The identity of a file within a running system.

pub use crate::sys::metadata::FileId;
use crate::sys::stat;
use std::io;
use std::path::Path;

impl FileId {
    /// Returns the identity of the file with this path. Symbolic links are followed.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn at(path: impl AsRef<Path>) -> io::Result<FileId> {
        Ok(stat::at(path.as_ref(), true)?.id)
    }
}
