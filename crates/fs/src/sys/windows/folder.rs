//! Names in an open folder: its entries (`FileFullDirectoryInfo`), and renames that replace nothing
//! (`FileRenameInformation`).
#![allow(unsafe_code)]

use super::failure::{self, BAD_NAME, last, of_status};
use super::native::open_at;
use super::{name, stat};
use crate::sys::errno::Errno;
use crate::sys::metadata::{FileType, Metadata};
use std::fs::File;
use std::mem::{offset_of, zeroed};
use std::os::windows::io::AsRawHandle;
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_CREATE, FILE_DIRECTORY_FILE, FILE_INFORMATION_CLASS, FILE_OPEN, FILE_OPEN_REPARSE_POINT,
    FileRenameInformation, NtSetInformationFile,
};
use windows_sys::Win32::Foundation::{ERROR_FILE_NOT_FOUND, ERROR_NO_MORE_FILES};
use windows_sys::Win32::Storage::FileSystem::{
    DELETE, FILE_ADD_FILE, FILE_ATTRIBUTE_REPARSE_POINT, FILE_FULL_DIR_INFO, FILE_LIST_DIRECTORY,
    FILE_READ_ATTRIBUTES, FILE_RENAME_INFO, FileFullDirectoryInfo, FileFullDirectoryRestartInfo,
    GetFileInformationByHandleEx,
};

/// Passes the name and the type of each entry to `visit`, without `.` and `..`.
pub fn list(folder: &File, mut visit: impl FnMut(&[u8], FileType)) -> Result<(), Errno> {
    // Entries begin at multiples of 8 bytes.
    let mut buffer = vec![0_u64; 1 << 13];
    let mut class = FileFullDirectoryRestartInfo;
    loop {
        let size = (buffer.len() * 8) as u32;
        let place = buffer.as_mut_ptr().cast();
        // SAFETY: the handle is open, and the call writes at most the size of the buffer that it is given.
        if unsafe { GetFileInformationByHandleEx(folder.as_raw_handle(), class, place, size) } == 0 {
            return match last().raw_os_error() as u32 {
                ERROR_NO_MORE_FILES => Ok(()),
                // An empty root folder has not even the entries that all others have.
                ERROR_FILE_NOT_FOUND if class == FileFullDirectoryRestartInfo => Ok(()),
                error => Err(failure::error(error)),
            };
        }
        class = FileFullDirectoryInfo;
        // SAFETY: a slice of bytes over the whole buffer, all of which is initialized.
        let bytes = unsafe { std::slice::from_raw_parts(buffer.as_ptr().cast::<u8>(), buffer.len() * 8) };
        entries(bytes, &mut visit).ok_or(Errno::IO)?;
    }
}

/// Passes the entries in a buffer that the system has filled. Returns `None` if one of them does not fit in it.
fn entries(mut bytes: &[u8], visit: &mut impl FnMut(&[u8], FileType)) -> Option<()> {
    let number = |bytes: &[u8], at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    loop {
        let next = number(bytes, offset_of!(FILE_FULL_DIR_INFO, NextEntryOffset))?;
        let attributes = number(bytes, offset_of!(FILE_FULL_DIR_INFO, FileAttributes))?;
        let len = number(bytes, offset_of!(FILE_FULL_DIR_INFO, FileNameLength))? as usize;
        // For a reparse point, its tag is where the size of the extended attributes would be.
        let tag = number(bytes, offset_of!(FILE_FULL_DIR_INFO, EaSize))?;
        let begin = offset_of!(FILE_FULL_DIR_INFO, FileName);
        let pairs = bytes.get(begin..begin + len)?.chunks_exact(2);
        let wide: Vec<u16> = pairs.map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        let name = name::narrow(&wide);
        if name != b"." && name != b".." {
            let tag = if attributes & FILE_ATTRIBUTE_REPARSE_POINT == 0 { 0 } else { tag };
            visit(&name, stat::kind(attributes, tag));
        }
        if next == 0 {
            return Some(());
        }
        bytes = bytes.get(next as usize..)?;
    }
}

/// Returns the metadata of the object with this name, which may be a link.
pub fn stat(folder: &File, name: &[u8]) -> Result<Metadata, Errno> {
    stat::of(&open_at(folder, &one(name)?, FILE_READ_ATTRIBUTES, FILE_OPEN, FILE_OPEN_REPARSE_POINT)?)
}

/// Creates a folder.
pub fn make(folder: &File, name: &[u8]) -> Result<(), Errno> {
    open_at(folder, &new(name)?, FILE_LIST_DIRECTORY, FILE_CREATE, FILE_DIRECTORY_FILE).map(drop)
}

/// Tests whether this process may create and rename files in the folder.
pub fn is_writable(folder: &File) -> Result<(), Errno> {
    open_at(folder, &[], FILE_ADD_FILE, FILE_OPEN, FILE_DIRECTORY_FILE).map(drop)
}

/// Renames a file. Nothing is replaced.
pub fn rename(old: &File, from: &[u8], new_folder: &File, to: &[u8]) -> Result<(), Errno> {
    let file = open_at(old, &one(from)?, DELETE, FILE_OPEN, FILE_OPEN_REPARSE_POINT)?;
    set_name(&file, new_folder, &new(to)?, FileRenameInformation, 0)
}

/// Returns the UTF-16 form of the name of an object in a folder.
pub fn one(name: &[u8]) -> Result<Vec<u16>, Errno> {
    let is_one =
        !name.is_empty() && name != b".." && !name.iter().any(|byte| matches!(byte, b':' | b'/' | b'\\'));
    if is_one { name::wide(name) } else { Err(BAD_NAME) }
}

/// Returns the UTF-16 form of a name that is to be created, which all programs must be able to use.
pub fn new(name: &[u8]) -> Result<Vec<u16>, Errno> {
    if name::is_plain(name) { name::wide(name) } else { Err(BAD_NAME) }
}

/// Renames an open file. The flags are those of the class.
pub fn set_name(
    file: &File,
    folder: &File,
    name: &[u16],
    class: FILE_INFORMATION_CLASS,
    flags: u32,
) -> Result<(), Errno> {
    let begin = offset_of!(FILE_RENAME_INFO, FileName);
    let size = (begin + name.len() * 2).max(size_of::<FILE_RENAME_INFO>());
    let mut buffer = vec![0_u64; size.div_ceil(8)];
    let info = buffer.as_mut_ptr().cast::<FILE_RENAME_INFO>();
    // SAFETY: the buffer is aligned and large enough for the struct and the name after it, and
    // lives until the call returns. Both handles are open. All-zero is a valid status block.
    let status = unsafe {
        (*info).Anonymous.Flags = flags;
        (*info).RootDirectory = folder.as_raw_handle();
        (*info).FileNameLength = (name.len() * 2) as u32;
        let place = info.cast::<u8>().add(begin).cast::<u16>();
        std::ptr::copy_nonoverlapping(name.as_ptr(), place, name.len());
        let mut block = zeroed();
        NtSetInformationFile(file.as_raw_handle(), &mut block, info.cast(), size as u32, class)
    };
    if status < 0 { Err(of_status(status)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::access::{Confinement, OpenMode};
    use crate::sys::windows::resolve;

    fn open(path: &std::path::Path) -> File {
        let bytes = path.as_os_str().as_encoded_bytes();
        resolve::open(None, bytes, OpenMode::Listing, Confinement::Anywhere).unwrap()
    }

    #[test]
    fn all_entries_are_listed_again_and_again() {
        let dir = tempfile::tempdir().unwrap();
        // More than fit in the buffer.
        let mut expected: Vec<String> = (0..900).map(|number| format!("{number:0>100}")).collect();
        for name in &expected {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        std::fs::create_dir(dir.path().join("\u{e4}\u{1f600}")).unwrap();
        expected.push("\u{e4}\u{1f600}".to_owned());
        expected.sort();
        let folder = open(dir.path());
        for _ in 0..2 {
            let mut names = Vec::new();
            list(&folder, |name, kind| {
                assert_eq!(kind.is_dir(), !name.starts_with(b"0"));
                names.push(String::from_utf8(name.to_vec()).unwrap());
            })
            .unwrap();
            names.sort();
            assert_eq!(names, expected);
        }
        let empty = tempfile::tempdir().unwrap();
        list(&open(empty.path()), |name, _| panic!("{name:?}")).unwrap();
    }

    #[test]
    fn a_buffer_that_ends_early_is_noticed() {
        let mut entry = vec![0_u8; size_of::<FILE_FULL_DIR_INFO>()];
        let at = offset_of!(FILE_FULL_DIR_INFO, FileNameLength);
        entry[at..at + 4].copy_from_slice(&400_u32.to_le_bytes());
        assert_eq!(entries(&entry, &mut |_, _| panic!("an entry")), None);
        entry[at..at + 4].copy_from_slice(&0_u32.to_le_bytes());
        entry[..4].copy_from_slice(&4096_u32.to_le_bytes());
        assert_eq!(entries(&entry, &mut |_, _| ()), None);
    }

    #[test]
    fn rename_replaces_nothing_and_creates_no_reserved_name() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a"), "content").unwrap();
        std::fs::write(dir.path().join("taken"), "other").unwrap();
        let folder = open(dir.path());
        make(&folder, b"sub").unwrap();
        assert_eq!(make(&folder, b"sub"), Err(Errno::EXIST));
        is_writable(&folder).unwrap();
        let below = open(&dir.path().join("sub"));
        assert_eq!(rename(&folder, b"a", &folder, b"taken"), Err(Errno::EXIST));
        for name in [&b"NUL"[..], b"b.", b"b:c", b"sub/b", b"..", b""] {
            assert_eq!(rename(&folder, b"a", &folder, name), Err(BAD_NAME), "{}", name.escape_ascii());
            assert_eq!(make(&folder, name), Err(BAD_NAME), "{}", name.escape_ascii());
        }
        rename(&folder, b"a", &below, b"b").unwrap();
        assert_eq!(std::fs::read(dir.path().join("sub/b")).unwrap(), b"content");
        assert_eq!(std::fs::read(dir.path().join("taken")).unwrap(), b"other");
        assert_eq!(stat(&folder, b"a").unwrap_err(), Errno::NOENT);
        assert_eq!(stat(&below, b"b").unwrap().size, 7);
    }
}
