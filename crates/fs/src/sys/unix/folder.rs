//! Names in an open folder (mkdirat(2), faccessat(2), linkat(2)).

use super::stat::{in_folder, kind};
use crate::sys::errno::Errno;
use crate::sys::metadata::{FileType, Metadata};
use rustix::fs::{self, Access, AtFlags, Mode};
use std::fs::File;
use std::os::fd::AsFd;

/// Returns the metadata of the object with this name, which may be a symbolic link.
pub fn stat(folder: &File, name: &[u8]) -> Result<Metadata, Errno> {
    in_folder(folder.as_fd(), name, false)
}

/// Passes an entry of a listing to `visit`, unless it is `.` or `..`. If the listing does not contain its type, the type
/// is determined separately.
pub fn visit_entry(
    folder: &File,
    name: &[u8],
    file_type: fs::FileType,
    visit: &mut impl FnMut(&[u8], FileType),
) {
    if name == b"." || name == b".." {
        return;
    }
    let file_type = match file_type {
        fs::FileType::Unknown => stat(folder, name).map_or(FileType::Unknown, |stat| stat.kind),
        known => kind(known),
    };
    visit(name, file_type);
}

/// Creates a folder.
pub fn make(folder: &File, name: &[u8]) -> Result<(), Errno> {
    Ok(fs::mkdirat(folder, name, Mode::from_raw_mode(0o777))?)
}

/// Tests whether this process may create and rename files in the folder.
pub fn is_writable(folder: &File) -> Result<(), Errno> {
    Ok(fs::accessat(folder, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)?)
}

/// Renames a file by giving it a second name, which replaces nothing, and removing the first one.
pub fn rename_by_link(old: &File, from: &[u8], new: &File, to: &[u8]) -> Result<(), Errno> {
    fs::linkat(old, from, new, to, AtFlags::empty())?;
    Ok(fs::unlinkat(old, from, AtFlags::empty())?)
}
