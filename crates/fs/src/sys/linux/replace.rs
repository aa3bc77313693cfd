//! Atomic replacement, with files that have no name until they are complete (`O_TMPFILE`, open(2)).

use super::resolve::alias;
use crate::sys::errno::Errno;
pub use crate::sys::unix::replace::{
    close, create_new, is_link, link_program, remove, replace, symlink, sync_folder,
};
use crate::sys::unix::stat;
use rustix::fs::{self, AtFlags, CWD, Mode, OFlags};
use std::fs::File;

/// Creates a file without a name, if it can be given one later.
pub fn create_unnamed(folder: &File) -> Option<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = File::from(fs::openat(folder, ".", flags, Mode::from_raw_mode(0o666)).ok()?);
    // Naming requires /proc, which is not always available.
    let (own, seen) = (stat::of(&file).ok()?, stat::at(&alias(&file).ok()?, true).ok()?);
    (own.id == seen.id).then_some(file)
}

/// Gives a file without a name one that does not exist yet.
pub fn link_unnamed(file: &File, folder: &File, name: &[u8]) -> Result<(), Errno> {
    Ok(fs::linkat(CWD, alias(file)?, folder, name, AtFlags::SYMLINK_FOLLOW)?)
}
