//! Extended attributes, which are not supported on Windows.

use crate::sys::errno::Errno;
use std::fs::File;

/// Always fails.
///
/// # Errors
/// Returns [`Errno::OPNOTSUPP`].
pub fn get(_file: &File, _name: &str) -> Result<Option<Vec<u8>>, Errno> {
    Err(Errno::OPNOTSUPP)
}

/// Always fails.
///
/// # Errors
/// Returns [`Errno::OPNOTSUPP`].
pub fn set(_file: &File, _name: &str, _value: &[u8]) -> Result<(), Errno> {
    Err(Errno::OPNOTSUPP)
}
