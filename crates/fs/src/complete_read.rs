//! The proof that a file or an object was read to its end and did not change during the read.

use crate::metadata::Metadata;
use truesum_manifest::Time;

/// Proof that a file was read to its end without error and did not change during the read.
///
/// Only [`Guarded::finish`](super::read::Guarded::finish) creates one.
#[derive(Debug)]
pub struct CompleteRead {
    size: u64,
    mtime: (i64, u32),
    ctime: (i64, u32),
    inode: u64,
}

impl CompleteRead {
    /// Returns the proof for a file of which `size` bytes were read.
    pub(crate) fn of_file(size: u64, stat: &Metadata) -> CompleteRead {
        let pair = |time: Time| (time.seconds, time.nanos);
        CompleteRead { size, mtime: pair(stat.mtime()), ctime: pair(stat.ctime()), inode: stat.id().number() }
    }

    /// Returns the number of bytes read.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the modification time: seconds since 1970 and nanoseconds.
    pub fn mtime(&self) -> (i64, u32) {
        self.mtime
    }

    /// Returns the time of the last status change: seconds since 1970 and nanoseconds.
    pub fn ctime(&self) -> (i64, u32) {
        self.ctime
    }

    /// Returns the inode number, or the number of an object's version.
    pub fn inode(&self) -> u64 {
        self.inode
    }
}
