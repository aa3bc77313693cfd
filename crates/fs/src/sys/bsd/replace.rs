//! Atomic replacement. Files always have a name while they are written.

use crate::sys::errno::Errno;
pub use crate::sys::unix::replace::{
    close, create_new, is_link, link_program, remove, replace, symlink, sync_folder,
};
use std::fs::File;

/// Returns `None`: these systems have no files without a name.
pub fn create_unnamed(_folder: &File) -> Option<File> {
    None
}

/// Fails, because no file is without a name.
pub fn link_unnamed(_file: &File, _folder: &File, _name: &[u8]) -> Result<(), Errno> {
    Err(Errno::OPNOTSUPP)
}
