//! Names in an open folder: its entries (fdopendir(3)), and renames that replace nothing (renameatx_np(2) on macOS).

use crate::sys::errno::Errno;
use crate::sys::metadata::FileType;
pub use crate::sys::unix::folder::{is_writable, make, stat};
use crate::sys::unix::folder::{rename_by_link, visit_entry};
use rustix::fs::Dir;
use std::fs::File;

/// Passes the name and the type of each entry to `visit`, without `.` and `..`.
pub fn list(folder: &File, mut visit: impl FnMut(&[u8], FileType)) -> Result<(), Errno> {
    for entry in Dir::read_from(folder)? {
        let entry = match entry {
            Err(rustix::io::Errno::INTR) => continue,
            entry => entry?,
        };
        visit_entry(folder, entry.file_name().to_bytes(), entry.file_type(), &mut visit);
    }
    Ok(())
}

/// Renames a file. Nothing is replaced.
#[cfg(target_os = "macos")]
pub fn rename(old: &File, from: &[u8], new: &File, to: &[u8]) -> Result<(), Errno> {
    use rustix::fs;
    use rustix::io::Errno as Error;
    match fs::renameat_with(old, from, new, to, fs::RenameFlags::NOREPLACE) {
        // Some file systems do not support such a rename.
        Err(Error::INVAL | Error::NOSYS | Error::NOTSUP | Error::OPNOTSUPP) => {
            rename_by_link(old, from, new, to)
        }
        result => Ok(result?),
    }
}

/// Renames a file. Nothing is replaced.
#[cfg(not(target_os = "macos"))]
pub fn rename(old: &File, from: &[u8], new: &File, to: &[u8]) -> Result<(), Errno> {
    rename_by_link(old, from, new, to)
}
