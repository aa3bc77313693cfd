//! The metadata of a file: its type, size, times, identity and links.

use truesum_manifest::Time;

/// The device and inode number of a file, which all names of one file share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId {
    pub(crate) device: u64,
    pub(crate) inode: u128,
}

impl FileId {
    /// Returns the identity of the file with the number `inode` on `device`. The numbers are the inode number and the
    /// device number on Unix, the file ID and the serial number of the volume on Windows.
    pub fn new(device: u64, inode: u128) -> Self {
        FileId { device, inode }
    }

    /// Returns the number of the device or volume that holds the file.
    pub fn device(self) -> u64 {
        self.device
    }

    /// Returns the number of the file in 64 bits, for records of a file's state. It is the inode number; longer file
    /// IDs, which only ReFS has, are folded.
    pub fn number(self) -> u64 {
        (self.inode ^ self.inode >> 64) as u64
    }
}

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

/// The metadata of a file at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Metadata {
    pub(crate) kind: FileType,
    pub(crate) mode: u32,
    pub(crate) size: u64,
    pub(crate) allocated: u64,
    pub(crate) links: u64,
    pub(crate) id: FileId,
    pub(crate) mtime: Time,
    pub(crate) ctime: Time,
}
