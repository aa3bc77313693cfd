//! Systems on which files are read and never mapped, because nothing guards a mapping of a file that shrinks.

use super::errno::Errno;
use std::convert::Infallible;
use std::fs::File;

/// A window of a file, of which there are none.
pub struct Window(Infallible);

impl Window {
    /// Maps nothing.
    ///
    /// # Errors
    /// Always fails with [`Errno::OPNOTSUPP`]; the file must be read.
    pub fn map(_file: &File, _views: &[(u64, usize)]) -> Result<Window, Errno> {
        Err(Errno::OPNOTSUPP)
    }

    /// Returns the bytes of a view.
    pub fn bytes(&self, _view: usize) -> &[u8] {
        match self.0 {}
    }

    /// Returns whether all bytes came from the file.
    pub fn intact(&self) -> bool {
        match self.0 {}
    }
}

/// Returns false, so that files are read.
pub fn is_resident(_file: &File, _size: u64) -> bool {
    false
}

/// Returns false, because this is not known.
pub fn is_partly_resident(_file: &File, _size: u64) -> bool {
    false
}
