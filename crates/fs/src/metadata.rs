//! The metadata of a file at one moment: its type, size, times, identity and links.

use crate::error::Errno;
use crate::file_id::FileId;
use crate::handle::AsFd;
use rustix::fs::{self, Stat};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use truesum_manifest::Time;

/// The type of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileType {
    /// A regular file.
    RegularFile,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A device that is read as a stream, such as a terminal.
    CharacterDevice,
    /// A device that is read in blocks, such as a disk.
    BlockDevice,
    /// A type that the file system does not report.
    Unknown,
}

impl FileType {
    /// Returns whether this is a regular file.
    pub fn is_file(self) -> bool {
        self == FileType::RegularFile
    }

    /// Returns whether this is a directory.
    pub fn is_dir(self) -> bool {
        self == FileType::Directory
    }

    /// Returns whether this is a symbolic link.
    pub fn is_symlink(self) -> bool {
        self == FileType::Symlink
    }
}

impl From<fs::FileType> for FileType {
    fn from(kind: fs::FileType) -> FileType {
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
}

/// The metadata of a file at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Metadata {
    kind: FileType,
    mode: u32,
    size: u64,
    allocated: u64,
    links: u64,
    id: FileId,
    mtime: Time,
    ctime: Time,
}

impl Metadata {
    /// Returns the metadata of an open file.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn of(file: impl AsFd) -> Result<Metadata, Errno> {
        fs::fstat(file).map(|stat| Metadata::from(&stat))
    }

    /// Returns the metadata of the file with this path. Symbolic links are followed.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn at(path: impl AsRef<Path>) -> Result<Metadata, Errno> {
        fs::stat(path.as_ref()).map(|stat| Metadata::from(&stat))
    }

    /// Returns the metadata of the object with this path, which may be a symbolic link.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn of_link(path: impl AsRef<Path>) -> Result<Metadata, Errno> {
        fs::lstat(path.as_ref()).map(|stat| Metadata::from(&stat))
    }

    /// Returns the metadata of a version of an object that is not in a file system.
    pub(crate) fn of_object(size: u64, modified: i64, number: u64) -> Metadata {
        let time = Time { seconds: modified, nanos: 0 };
        let id = FileId { device: 0, inode: number };
        let (kind, mode) = (FileType::RegularFile, fs::FileType::RegularFile.as_raw_mode());
        Metadata { kind, mode, size, allocated: 0, links: 1, id, mtime: time, ctime: time }
    }

    /// Returns the type.
    pub fn kind(&self) -> FileType {
        self.kind
    }

    /// Returns the type and the permissions in the system's representation.
    pub fn mode(&self) -> u32 {
        self.mode
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the number of bytes allocated on the disk, which is less than the size for a file with holes.
    pub fn allocated(&self) -> u64 {
        self.allocated
    }

    /// Returns the number of names.
    pub fn links(&self) -> u64 {
        self.links
    }

    /// Returns the identity.
    pub fn id(&self) -> FileId {
        self.id
    }

    /// Returns the modification time.
    pub fn mtime(&self) -> Time {
        self.mtime
    }

    /// Returns the time of the last change of the content, the names or the permissions.
    pub fn ctime(&self) -> Time {
        self.ctime
    }
}

impl From<&Stat> for Metadata {
    #[allow(clippy::unnecessary_cast, reason = "other widths on other architectures")]
    fn from(stat: &Stat) -> Metadata {
        Metadata {
            kind: fs::FileType::from_raw_mode(stat.st_mode).into(),
            mode: stat.st_mode,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            allocated: (stat.st_blocks as u64).saturating_mul(512),
            links: stat.st_nlink as u64,
            id: FileId::from(stat),
            mtime: Time { seconds: stat.st_mtime, nanos: stat.st_mtime_nsec as u32 },
            ctime: Time { seconds: stat.st_ctime, nanos: stat.st_ctime_nsec as u32 },
        }
    }
}

impl From<&Metadata> for FileId {
    fn from(metadata: &Metadata) -> FileId {
        metadata.id()
    }
}

/// Returns the modification time in metadata of the standard library.
pub fn modified(metadata: &std::fs::Metadata) -> Time {
    Time { seconds: metadata.mtime(), nanos: metadata.mtime_nsec() as u32 }
}
