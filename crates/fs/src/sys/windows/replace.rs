//! Atomic replacement: files that are created in an open folder and renamed over another one (`FileRenameInformationEx`
//! with POSIX semantics, which also replaces a file that other programs have open).
//!
//! `ReplaceFile` is not used where that is missing: it may fail between its steps and leave the new file with the temporary
//! name and the old one with none.
#![allow(unsafe_code)]

use super::failure::{self, IN_USE, last};
use super::folder::{new, one, set_name};
use super::native::open_at;
use super::stat::{self, query};
use crate::sys::errno::Errno;
use std::fs::File;
use std::io;
use std::os::windows::fs::{symlink_dir, symlink_file};
use std::os::windows::io::{AsRawHandle, IntoRawHandle};
use std::path::Path;
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_CREATE, FILE_DELETE_ON_CLOSE, FILE_NON_DIRECTORY_FILE, FILE_OPEN, FILE_OPEN_REPARSE_POINT,
    FILE_RENAME_POSIX_SEMANTICS, FILE_RENAME_REPLACE_IF_EXISTS, FileRenameInformation,
    FileRenameInformationEx,
};
use windows_sys::Win32::Foundation::{CloseHandle, ERROR_INVALID_FUNCTION};
use windows_sys::Win32::Storage::FileSystem::{
    DELETE, FILE_ATTRIBUTE_READONLY, FILE_BASIC_INFO, FILE_DISPOSITION_INFO, FILE_GENERIC_READ,
    FILE_GENERIC_WRITE, FileBasicInfo, FileDispositionInfo, SetFileInformationByHandle, WRITE_DAC,
};

/// Returns `None`: Windows cannot name a file later.
pub fn create_unnamed(_folder: &File) -> Option<File> {
    None
}

/// Fails, because no file is without a name.
pub fn link_unnamed(_file: &File, _folder: &File, _name: &[u8]) -> Result<(), Errno> {
    Err(Errno::OPNOTSUPP)
}

/// Creates a file for writing and reading, which must not exist yet.
pub fn create_new(folder: &File, name: &[u8]) -> Result<File, Errno> {
    let name = new(name)?;
    let access = FILE_GENERIC_READ | FILE_GENERIC_WRITE;
    // Its access list is set if this process may do so.
    match open_at(folder, &name, access | WRITE_DAC, FILE_CREATE, FILE_NON_DIRECTORY_FILE) {
        Err(Errno::ACCESS) => open_at(folder, &name, access, FILE_CREATE, FILE_NON_DIRECTORY_FILE),
        result => result,
    }
}

/// Renames a file in a folder. A file with the new name is replaced at the same moment, except on file systems without
/// POSIX semantics if a program has it open: between two renames, there is then no file with that name. One that is marked
/// as read-only is not replaced.
pub fn replace(folder: &File, from: &[u8], to: &[u8]) -> Result<(), Errno> {
    let file = open_at(folder, &one(from)?, DELETE, FILE_OPEN, FILE_OPEN_REPARSE_POINT)?;
    let to = new(to)?;
    let flags = FILE_RENAME_REPLACE_IF_EXISTS | FILE_RENAME_POSIX_SEMANTICS;
    let renamed = match set_name(&file, folder, &to, FileRenameInformationEx, flags) {
        // Windows before 10 (1607) and file systems other than NTFS.
        Err(error) if is_unsupported(error) => {
            set_name(&file, folder, &to, FileRenameInformation, FILE_RENAME_REPLACE_IF_EXISTS)
        }
        result => result,
    };
    match renamed {
        Err(error) if [Errno::ACCESS, IN_USE].contains(&error) => {
            let aside = one(&[from, b".old"].concat())?;
            replace_open(folder, &file, &to, &aside).map_err(|_| error)
        }
        result => result,
    }
}

/// Replaces a file that a program has open, by giving it another name before it is removed.
fn replace_open(folder: &File, file: &File, to: &[u16], aside: &[u16]) -> Result<(), Errno> {
    let old = open_at(folder, to, DELETE, FILE_OPEN, FILE_OPEN_REPARSE_POINT | FILE_NON_DIRECTORY_FILE)?;
    if query::<FILE_BASIC_INFO>(&old, FileBasicInfo)?.FileAttributes & FILE_ATTRIBUTE_READONLY != 0 {
        return Err(Errno::ACCESS);
    }
    set_name(&old, folder, aside, FileRenameInformation, 0)?;
    if let Err(error) = set_name(file, folder, to, FileRenameInformation, 0) {
        set_name(&old, folder, to, FileRenameInformation, 0)?;
        return Err(error);
    }
    let remove = FILE_DISPOSITION_INFO { DeleteFile: true };
    let size = size_of::<FILE_DISPOSITION_INFO>() as u32;
    // SAFETY: the handle is open, and the call reads only the struct, whose size it is given.
    match unsafe {
        SetFileInformationByHandle(old.as_raw_handle(), FileDispositionInfo, (&raw const remove).cast(), size)
    } {
        0 => Err(last()),
        _ => Ok(()),
    }
}

fn is_unsupported(error: Errno) -> bool {
    let unknown = failure::error(ERROR_INVALID_FUNCTION);
    [Errno::INVAL, Errno::OPNOTSUPP, Errno::NOSYS, unknown].contains(&error)
}

/// Removes a file.
pub fn remove(folder: &File, name: &[u8]) -> Result<(), Errno> {
    let options = FILE_DELETE_ON_CLOSE | FILE_OPEN_REPARSE_POINT | FILE_NON_DIRECTORY_FILE;
    open_at(folder, &one(name)?, DELETE, FILE_OPEN, options).map(drop)
}

/// Closes a file and returns whether that succeeded, which dropping it does not.
pub fn close(file: File) -> io::Result<()> {
    // SAFETY: the handle is taken from its only owner and not used again.
    match unsafe { CloseHandle(file.into_raw_handle()) } {
        0 => Err(last().into()),
        _ => Ok(()),
    }
}

/// Does nothing: Windows cannot flush a folder. File systems with a journal keep the order of renames.
pub fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Creates a hard link at `at` to a program, or a copy of it on another volume.
pub fn link_program(program: &Path, at: &Path) -> io::Result<()> {
    std::fs::hard_link(program, at).or_else(|_| std::fs::copy(program, at).map(drop))
}

/// Returns whether the file at `at` is a hard link to this program.
pub fn is_link(program: &Path, at: &Path) -> bool {
    let id = |path| stat::at(path, true).map(|stat| stat.id).ok();
    id(program).is_some_and(|program| id(at) == Some(program))
}

/// Creates a symbolic link at `at` that leads to `target`, which requires a privilege or developer mode.
pub fn symlink(target: &Path, at: &Path) -> io::Result<()> {
    let resolved = at.parent().map(|folder| folder.join(target));
    if resolved.is_some_and(|target| target.is_dir()) {
        symlink_dir(target, at)
    } else {
        symlink_file(target, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::access::{Confinement, OpenMode};
    use crate::sys::windows::resolve;
    use std::io::{Read, Write};

    #[test]
    fn a_file_is_replaced_while_others_have_it_open() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().as_os_str().as_encoded_bytes();
        let folder = resolve::open(None, path, OpenMode::Folder, Confinement::Anywhere).unwrap();
        std::fs::write(dir.path().join("M"), "old").unwrap();
        let mut reading = File::open(dir.path().join("M")).unwrap();
        let mut file = create_new(&folder, b".M.part").unwrap();
        assert_eq!(create_new(&folder, b".M.part").err(), Some(Errno::EXIST));
        file.write_all(b"new").unwrap();
        replace(&folder, b".M.part", b"M").unwrap();
        close(file).unwrap();
        assert_eq!(std::fs::read(dir.path().join("M")).unwrap(), b"new");
        let mut text = String::new();
        reading.read_to_string(&mut text).unwrap();
        assert_eq!(text, "old");
        drop(reading);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "the old file is gone");
        let mut protected = std::fs::metadata(dir.path().join("M")).unwrap().permissions();
        protected.set_readonly(true);
        std::fs::set_permissions(dir.path().join("M"), protected.clone()).unwrap();
        drop(create_new(&folder, b".M.part").unwrap());
        assert_eq!(replace(&folder, b".M.part", b"M"), Err(Errno::ACCESS));
        assert_eq!(std::fs::read(dir.path().join("M")).unwrap(), b"new");
        #[allow(
            clippy::permissions_set_readonly_false,
            reason = "on Windows, this is not about other users"
        )]
        protected.set_readonly(false);
        std::fs::set_permissions(dir.path().join("M"), protected).unwrap();
        remove(&folder, b".M.part").unwrap();
        remove(&folder, b"M").unwrap();
        assert!(!dir.path().join("M").exists());
        assert_eq!(remove(&folder, b"M"), Err(Errno::NOENT));
        for name in [&b"NUL"[..], b"a.", b"a:b"] {
            assert!(create_new(&folder, name).is_err(), "{}", name.escape_ascii());
        }
    }
}
