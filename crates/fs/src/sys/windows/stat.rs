//! Metadata (`GetFileInformationByHandleEx`).
#![allow(unsafe_code)]

use super::failure::{self, last};
use super::native::SHARE_ALL;
use crate::sys::errno::Errno;
use crate::sys::metadata::{FileId, FileType, Metadata};
use std::fs::{File, OpenOptions};
use std::mem::zeroed;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::Path;
use truesum_manifest::Time;
use windows_sys::Win32::Foundation::NO_ERROR;
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_READONLY,
    FILE_ATTRIBUTE_REPARSE_POINT, FILE_ATTRIBUTE_TAG_INFO, FILE_BASIC_INFO, FILE_FLAG_BACKUP_SEMANTICS,
    FILE_FLAG_OPEN_REPARSE_POINT, FILE_ID_INFO, FILE_INFO_BY_HANDLE_CLASS, FILE_READ_ATTRIBUTES,
    FILE_STANDARD_INFO, FILE_TYPE_CHAR, FILE_TYPE_DISK, FILE_TYPE_PIPE, FileAttributeTagInfo, FileBasicInfo,
    FileIdInfo, FileStandardInfo, GetFileInformationByHandle, GetFileInformationByHandleEx, GetFileType,
    SYNCHRONIZE,
};
use windows_sys::Win32::System::SystemServices::IO_REPARSE_TAG_AF_UNIX;

/// Whether modes include permissions, in particular to execute a file.
pub const MODES_ARE_KNOWN: bool = false;

/// Returns the metadata of an open file.
pub fn of(file: &File) -> Result<Metadata, Errno> {
    // SAFETY: the handle is open as long as the file is borrowed.
    match unsafe { GetFileType(file.as_raw_handle()) } {
        FILE_TYPE_DISK => of_disk_file(file),
        FILE_TYPE_PIPE => Ok(of_stream(FileType::Fifo)),
        FILE_TYPE_CHAR => Ok(of_stream(FileType::CharacterDevice)),
        _ => match last() {
            error if error.raw_os_error() == NO_ERROR as i32 => Ok(of_stream(FileType::Unknown)),
            error => Err(error),
        },
    }
}

/// Returns the type of an open file.
pub fn kind_of(file: &File) -> Result<FileType, Errno> {
    // SAFETY: the handle is open as long as the file is borrowed.
    match unsafe { GetFileType(file.as_raw_handle()) } {
        FILE_TYPE_DISK => query::<FILE_ATTRIBUTE_TAG_INFO>(file, FileAttributeTagInfo)
            .map(|found| kind(found.FileAttributes, found.ReparseTag)),
        _ => of(file).map(|stat| stat.kind),
    }
}

/// Returns the metadata of the object with this path.
pub fn at(path: &Path, follow: bool) -> Result<Metadata, Errno> {
    let link = if follow { 0 } else { FILE_FLAG_OPEN_REPARSE_POINT };
    let mut options = OpenOptions::new();
    options.access_mode(FILE_READ_ATTRIBUTES | SYNCHRONIZE).share_mode(SHARE_ALL);
    let file = options.custom_flags(FILE_FLAG_BACKUP_SEMANTICS | link).open(path);
    of(&file.map_err(|error| failure::of(&error))?)
}

/// Returns the metadata of a pipe or a device, which has neither times nor an identity.
fn of_stream(kind: FileType) -> Metadata {
    let time = Time { seconds: 0, nanos: 0 };
    let id = FileId { device: 0, inode: 0 };
    Metadata { kind, mode: mode(kind, 0), size: 0, allocated: 0, links: 1, id, mtime: time, ctime: time }
}

fn of_disk_file(file: &File) -> Result<Metadata, Errno> {
    let basic: FILE_BASIC_INFO = query(file, FileBasicInfo)?;
    let standard: FILE_STANDARD_INFO = query(file, FileStandardInfo)?;
    let tag = match basic.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT {
        0 => 0,
        _ => query::<FILE_ATTRIBUTE_TAG_INFO>(file, FileAttributeTagInfo)?.ReparseTag,
    };
    let kind = kind(basic.FileAttributes, tag);
    // FAT has no time of the last change.
    let changed = if basic.ChangeTime == 0 { basic.LastWriteTime } else { basic.ChangeTime };
    Ok(Metadata {
        kind,
        mode: mode(kind, basic.FileAttributes),
        size: u64::try_from(standard.EndOfFile).unwrap_or(0),
        allocated: u64::try_from(standard.AllocationSize).unwrap_or(0),
        links: standard.NumberOfLinks.into(),
        id: id(file)?,
        mtime: time(basic.LastWriteTime),
        ctime: time(changed),
    })
}

/// Returns the identity of a file: 128 bits, or 64 on file systems without longer ones.
fn id(file: &File) -> Result<FileId, Errno> {
    if let Ok(info) = query::<FILE_ID_INFO>(file, FileIdInfo) {
        let inode = u128::from_le_bytes(info.FileId.Identifier);
        return Ok(FileId { device: info.VolumeSerialNumber, inode });
    }
    // SAFETY: all-zero is a valid value, and the call writes only to it.
    let info = unsafe {
        let mut info: BY_HANDLE_FILE_INFORMATION = zeroed();
        if GetFileInformationByHandle(file.as_raw_handle(), &mut info) == 0 {
            return Err(last());
        }
        info
    };
    let inode = u128::from(info.nFileIndexHigh) << 32 | u128::from(info.nFileIndexLow);
    Ok(FileId { device: info.dwVolumeSerialNumber.into(), inode })
}

/// A struct of numbers that the system fills, for which all-zero is a valid value.
pub trait Info: Sized {}

impl Info for FILE_BASIC_INFO {}
impl Info for FILE_STANDARD_INFO {}
impl Info for FILE_ATTRIBUTE_TAG_INFO {}
impl Info for FILE_ID_INFO {}

/// Returns a kind of information on an open file.
pub fn query<T: Info>(file: &File, class: FILE_INFO_BY_HANDLE_CLASS) -> Result<T, Errno> {
    // SAFETY: all-zero is a valid value of these types; the call writes to it no more than the size that it is given.
    unsafe {
        let mut info: T = zeroed();
        let size = size_of::<T>() as u32;
        match GetFileInformationByHandleEx(file.as_raw_handle(), class, (&raw mut info).cast(), size) {
            0 => Err(last()),
            _ => Ok(info),
        }
    }
}

/// Returns the type of a file with these attributes and this reparse tag. An object that refers to
/// another file or folder (links, junctions, mounted volumes) is a link; one whose tag only
/// describes how the content is stored (deduplicated, in the cloud) is not.
pub fn kind(attributes: u32, tag: u32) -> FileType {
    const NAME_SURROGATE: u32 = 0x2000_0000;
    match attributes & FILE_ATTRIBUTE_DIRECTORY {
        _ if attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0 && tag & NAME_SURROGATE != 0 => FileType::Symlink,
        _ if attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0 && tag == IO_REPARSE_TAG_AF_UNIX => {
            FileType::Socket
        }
        0 => FileType::RegularFile,
        _ => FileType::Directory,
    }
}

/// Returns the type as Unix represents it, and permissions for the owner alone: those of others, and which files are
/// programs, are not known.
fn mode(kind: FileType, attributes: u32) -> u32 {
    let write = if attributes & FILE_ATTRIBUTE_READONLY == 0 { 0o200 } else { 0 };
    match kind {
        FileType::Directory => 0o040_700,
        FileType::Symlink => 0o120_777,
        FileType::RegularFile => 0o100_400 | write,
        FileType::Fifo => 0o010_600,
        FileType::Socket => 0o140_600,
        FileType::CharacterDevice => 0o020_600,
        FileType::BlockDevice => 0o060_600,
        FileType::Unknown => 0,
    }
}

/// Returns a time given in units of 100 ns since 1601.
pub fn time(stamp: i64) -> Time {
    const UNITS: i64 = 10_000_000;
    const FROM_1601_TO_1970: i64 = 11_644_473_600;
    Time {
        seconds: stamp.div_euclid(UNITS) - FROM_1601_TO_1970,
        nanos: (stamp.rem_euclid(UNITS) * 100) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_are_those_of_the_standard_library_and_names_of_one_file_share_an_identity() {
        let dir = tempfile::tempdir().unwrap();
        let (first, second, other) = (dir.path().join("a"), dir.path().join("b"), dir.path().join("c"));
        std::fs::write(&first, [7; 5000]).unwrap();
        std::fs::write(&other, [7; 5000]).unwrap();
        std::fs::hard_link(&first, &second).unwrap();
        let stat = at(&first, true).unwrap();
        assert_eq!((stat.kind, stat.size, stat.links), (FileType::RegularFile, 5000, 2));
        assert_eq!(stat.id, at(&second, false).unwrap().id);
        assert_ne!(stat.id, at(&other, false).unwrap().id);
        let modified = std::fs::metadata(&first).unwrap().modified().unwrap();
        assert_eq!(stat.mtime, crate::clock::from_system_time(modified));
        assert_eq!(at(dir.path(), true).unwrap().kind, FileType::Directory);
        assert_eq!(at(&dir.path().join("none/x"), true).unwrap_err(), Errno::NOENT);
    }

    #[test]
    fn the_time_of_the_last_change_is_set_by_the_system() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        file.as_file().set_modified(old).unwrap();
        let stat = of(file.as_file()).unwrap();
        assert_eq!(stat.mtime.seconds, 1_000_000_000);
        assert!(stat.ctime.seconds > 1_700_000_000, "{:?}", stat.ctime);
    }

    #[test]
    fn times_count_from_1970() {
        assert_eq!(time(116_444_736_000_000_000), Time { seconds: 0, nanos: 0 });
        assert_eq!(time(116_444_736_000_000_001), Time { seconds: 0, nanos: 100 });
        assert_eq!(time(116_444_735_999_999_999), Time { seconds: -1, nanos: 999_999_900 });
    }

    #[test]
    fn only_name_surrogates_are_links() {
        const REPARSE_POINT: u32 = FILE_ATTRIBUTE_REPARSE_POINT;
        // A symbolic link, a junction or mounted volume, a deduplicated file, a file in the cloud.
        for (tag, expected) in [
            (0xa000_000c, FileType::Symlink),
            (0xa000_0003, FileType::Symlink),
            (0x8000_0013, FileType::RegularFile),
            (0x9000_001a, FileType::RegularFile),
        ] {
            assert_eq!(kind(REPARSE_POINT, tag), expected, "{tag:x}");
        }
        assert_eq!(kind(REPARSE_POINT | FILE_ATTRIBUTE_DIRECTORY, 0xa000_0003), FileType::Symlink);
        assert_eq!(kind(REPARSE_POINT | FILE_ATTRIBUTE_DIRECTORY, 0x9000_001a), FileType::Directory);
    }
}
