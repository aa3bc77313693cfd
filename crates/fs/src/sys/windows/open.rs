//! Opens files for purposes other than reading them once below a root.

use super::native::SHARE_ALL;
use super::{failure, name, stat};
use crate::sys::errno::Errno;
use std::fs::{File, OpenOptions};
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use windows_sys::Win32::Storage::FileSystem::{FILE_FLAG_OPEN_REPARSE_POINT, FILE_GENERIC_READ};

/// Opens an input that the user named.
pub fn input(path: &Path) -> Result<File, Errno> {
    open(path, OpenOptions::new().read(true))
}

/// Does nothing: reads of pipes and devices wait for data.
pub fn wait_for_data(_file: &File) -> Result<(), Errno> {
    Ok(())
}

/// Opens a file for reading and writing, and creates it if it does not exist. A symbolic link is not followed.
pub fn or_create(path: &Path) -> Result<File, Errno> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
    let file = open(path, &mut options)?;
    if stat::of(&file)?.kind.is_symlink() { Err(Errno::LOOP) } else { Ok(file) }
}

/// Opens a file to lock it, and creates it if requested.
pub fn to_lock(path: &Path, or_create: bool) -> Result<File, Errno> {
    // A file can be created without access for writing, which would be detected as a program that
    // writes to it.
    let mut options = OpenOptions::new();
    options.access_mode(FILE_GENERIC_READ).write(or_create).create(or_create).truncate(false);
    open(path, &mut options)
}

/// Opens a device without content, in place of a file that is not in a file system.
pub fn null() -> Result<File, Errno> {
    File::open("NUL").map_err(|error| failure::of(&error))
}

fn open(path: &Path, options: &mut OpenOptions) -> Result<File, Errno> {
    let path = name::path(path.as_os_str().as_encoded_bytes())?;
    options.share_mode(SHARE_ALL).open(path).map_err(|error| failure::of(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::windows::lease::writers;
    use crate::sys::writers::Writers;

    #[test]
    fn a_file_that_is_created_to_be_locked_is_not_open_for_writing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        assert_eq!(to_lock(&path, false).err(), Some(Errno::NOENT));
        let locked = to_lock(&path, true).unwrap();
        assert_eq!(writers(&locked), Writers::None);
        let writing = or_create(&path).unwrap();
        assert_eq!(writers(&locked), Writers::Some);
        drop(writing);
        assert_eq!(null().and_then(|null| stat::of(&null)).unwrap().size, 0);
    }
}
