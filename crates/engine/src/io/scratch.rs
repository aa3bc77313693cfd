//! Files for tests, which no process has open: a file that is open for writing is not read.

use std::fs::{File, OpenOptions};
use std::path::Path;
use tempfile::{NamedTempFile, TempPath};

/// An empty file that is removed when dropped.
pub(crate) struct Scratch(TempPath);

impl Scratch {
    pub(crate) fn new() -> Scratch {
        Scratch(NamedTempFile::new().expect("a temporary file").into_temp_path())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Opens it for reading and writing; keep it open only briefly.
    pub(crate) fn open(&self) -> File {
        OpenOptions::new().read(true).write(true).open(&self.0).expect("it is there")
    }
}
