//! Files for tests, which no process has open: a file that is open for writing is not read.

use std::fs::{File, OpenOptions};
use std::path::Path;
use tempfile::{NamedTempFile, TempPath};

/// An empty file that is removed when dropped.
pub struct Scratch(TempPath);

impl Scratch {
    /// Creates an empty file in the system's folder for temporary files.
    #[allow(clippy::new_without_default, reason = "it creates a file")]
    pub fn new() -> Scratch {
        Scratch(NamedTempFile::new().expect("a temporary file").into_temp_path())
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Opens the file for reading and writing; keep it open only briefly.
    pub fn open(&self) -> File {
        OpenOptions::new().read(true).write(true).open(&self.0).expect("it is there")
    }
}
