//! Metadata (stat(2)).

use crate::sys::errno::Errno;
use crate::sys::metadata::{FileId, FileType, Metadata};
use rustix::fs::{self, AtFlags, Stat};
use std::fs::File;
use std::os::fd::BorrowedFd;
use std::path::Path;
use truesum_manifest::Time;

/// Whether modes include permissions, in particular to execute a file.
pub const MODES_ARE_KNOWN: bool = true;

/// Returns the metadata of an open file.
pub fn of(file: &File) -> Result<Metadata, Errno> {
    Ok(fs::fstat(file).map(|stat| metadata(&stat))?)
}

/// Returns the metadata of the object with this path.
pub fn at(path: &Path, follow: bool) -> Result<Metadata, Errno> {
    let stat = if follow { fs::stat(path) } else { fs::lstat(path) };
    Ok(stat.map(|stat| metadata(&stat))?)
}

/// Returns the metadata of the object with this name in a folder.
pub fn in_folder(folder: BorrowedFd<'_>, name: &[u8], follow: bool) -> Result<Metadata, Errno> {
    let flags = if follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
    Ok(fs::statat(folder, name, flags).map(|stat| metadata(&stat))?)
}

#[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "other widths on other systems")]
fn metadata(stat: &Stat) -> Metadata {
    Metadata {
        kind: kind(fs::FileType::from_raw_mode(stat.st_mode as _)),
        mode: stat.st_mode as u32,
        size: u64::try_from(stat.st_size).unwrap_or(0),
        allocated: (stat.st_blocks as u64).saturating_mul(512),
        links: stat.st_nlink as u64,
        id: FileId { device: stat.st_dev as u64, inode: stat.st_ino as u128 },
        mtime: Time { seconds: stat.st_mtime as i64, nanos: stat.st_mtime_nsec as u32 },
        ctime: Time { seconds: stat.st_ctime as i64, nanos: stat.st_ctime_nsec as u32 },
    }
}

/// Returns the type that a system call reported.
pub fn kind(kind: fs::FileType) -> FileType {
    match kind {
        fs::FileType::RegularFile => FileType::RegularFile,
        fs::FileType::Directory => FileType::Directory,
        fs::FileType::Symlink => FileType::Symlink,
        fs::FileType::Fifo => FileType::Fifo,
        fs::FileType::Socket => FileType::Socket,
        fs::FileType::CharacterDevice => FileType::CharacterDevice,
        fs::FileType::BlockDevice => FileType::BlockDevice,
        fs::FileType::Unknown => FileType::Unknown,
    }
}
