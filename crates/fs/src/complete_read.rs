//! The proof that a file or an object was read to its end and did not change during the read.

use crate::error::Cause;
use crate::metadata::Metadata;
use truesum_manifest::Time;

/// Proof that a file was read to its end without error and did not change during the read.
///
/// Only [`Guarded::finish`](super::read::Guarded::finish) and [`Counting::finish`] create one.
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
        CompleteRead { size, mtime: pair(stat.mtime()), ctime: pair(stat.ctime()), inode: stat.id().inode }
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

    /// Returns the inode number; 0 for an object.
    pub fn inode(&self) -> u64 {
        self.inode
    }
}

/// Counts the bytes of one version of an object that is read in order from a place that is not a file system.
///
/// The client of an object store passes every range it received to [`Counting::add`].
#[derive(Debug)]
pub struct Counting {
    size: u64,
    modified: i64,
    seen: u64,
}

impl Counting {
    /// Starts with no bytes of an object of `size` bytes that was written at `modified`, in seconds since 1970.
    pub fn of(size: u64, modified: i64) -> Counting {
        Counting { size, modified, seen: 0 }
    }

    /// Returns the number of bytes counted, which is where the next range begins.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Counts bytes that follow the previous ones.
    pub fn add(&mut self, bytes: &[u8]) {
        self.seen += bytes.len() as u64;
    }

    /// Returns the proof that all bytes were counted.
    ///
    /// # Errors
    /// Fails if there were fewer or more bytes than the object has.
    pub fn finish(self) -> Result<CompleteRead, Cause> {
        let Counting { size, modified, seen } = self;
        if seen != size {
            return Err(Cause::Other(format!("received {seen} of {size} bytes")));
        }
        Ok(CompleteRead { size, mtime: (modified, 0), ctime: (modified, 0), inode: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_fails_for_missing_or_extra_bytes() {
        for (size, seen, whole) in [(0, 0, true), (5, 5, true), (5, 4, false), (5, 6, false), (0, 1, false)] {
            let mut counting = Counting::of(size, 7);
            counting.add(&vec![0; seen]);
            assert_eq!(counting.finish().is_ok_and(|whole| whole.size() == size), whole, "{seen} of {size}");
        }
        let mut counting = Counting::of(10, 7);
        counting.add(&[0; 4]);
        assert_eq!(counting.seen(), 4);
    }
}
