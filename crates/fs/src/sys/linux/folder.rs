//! Names in an open folder: its entries (getdents(2)), and renames that replace nothing (renameat2(2)).

use crate::sys::errno::Errno;
use crate::sys::metadata::FileType;
pub use crate::sys::unix::folder::{is_writable, make, stat};
use crate::sys::unix::folder::{rename_by_link, visit_entry};
use rustix::fs::{self, RawDir, RenameFlags};
use std::fs::File;
use std::mem::MaybeUninit;

/// Passes the name and the type of each entry to `visit`, without `.` and `..`.
pub fn list(folder: &File, mut visit: impl FnMut(&[u8], FileType)) -> Result<(), Errno> {
    let mut buffer: Vec<MaybeUninit<u8>> = vec![MaybeUninit::uninit(); 1 << 15];
    let mut reading = RawDir::new(folder, &mut buffer);
    while let Some(entry) = reading.next() {
        let entry = match entry {
            Err(rustix::io::Errno::INTR) => continue,
            entry => entry?,
        };
        visit_entry(folder, entry.file_name().to_bytes(), entry.file_type(), &mut visit);
    }
    Ok(())
}

/// Renames a file. Nothing is replaced.
pub fn rename(old: &File, from: &[u8], new: &File, to: &[u8]) -> Result<(), Errno> {
    match fs::renameat_with(old, from, new, to, RenameFlags::NOREPLACE) {
        // Some file systems do not support such a rename.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => rename_by_link(old, from, new, to),
        result => Ok(result?),
    }
}
