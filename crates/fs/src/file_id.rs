//! The identity of a file within a running system.

use rustix::fs::Stat;
use std::os::unix::fs::MetadataExt;

/// The device and inode number of a file, which all names of one file share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId {
    /// The number of the device that holds the file.
    pub device: u64,
    /// The inode number of the file on that device.
    pub inode: u64,
}

impl From<&Stat> for FileId {
    fn from(stat: &Stat) -> FileId {
        FileId { device: stat.st_dev, inode: stat.st_ino }
    }
}

impl From<&std::fs::Metadata> for FileId {
    fn from(metadata: &std::fs::Metadata) -> FileId {
        FileId { device: metadata.dev(), inode: metadata.ino() }
    }
}
