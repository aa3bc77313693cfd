//! The contents of open files: reads at any offset, holes, and advice for the cache.

use crate::error::Errno;
use crate::handle::AsFd;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Advice, SeekFrom, fadvise, seek};
use std::num::NonZeroU64;
pub use std::os::unix::fs::FileExt;

/// Reads from the current position. Returns the number of bytes, which is 0 at the end.
///
/// # Errors
/// Returns the system's error, which is [`Errno::INTR`] if a signal arrived first.
pub fn read(file: impl AsFd, buffer: &mut [u8]) -> Result<usize, Errno> {
    rustix::io::read(&file, buffer)
}

/// Writes bytes at the current position. Returns how many were written.
///
/// # Errors
/// Returns the system's error, which is [`Errno::INTR`] if a signal arrived first.
pub fn write(file: impl AsFd, bytes: &[u8]) -> Result<usize, Errno> {
    rustix::io::write(&file, bytes)
}

/// Returns whether a read would return at once. A file for which this cannot be determined is assumed to be ready.
pub fn is_ready(file: impl AsFd) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    !matches!(poll(&mut [PollFd::new(&file, PollFlags::IN)], Some(&now)), Ok(0))
}

/// Reads from an offset, and again if the call was interrupted. Returns the number of bytes, which is 0 at the end.
///
/// # Errors
/// Returns the system's error.
pub fn read_at(file: impl AsFd, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
    rustix::io::retry_on_intr(|| rustix::io::pread(&file, &mut *buffer, offset))
}

/// Moves to the first byte of data at or after `start`. Returns its offset, or `None` if there is only a hole up to the
/// end of the file.
///
/// # Errors
/// Returns the system's error.
pub fn seek_data(file: impl AsFd, start: u64) -> Result<Option<u64>, Errno> {
    found(seek(file, SeekFrom::Data(start)))
}

/// Moves to the first hole at or after `start`, or to the end of the file. Returns its offset, or `None` if the file
/// ends before `start`.
///
/// # Errors
/// Returns the system's error.
pub fn seek_hole(file: impl AsFd, start: u64) -> Result<Option<u64>, Errno> {
    found(seek(file, SeekFrom::Hole(start)))
}

fn found(offset: Result<u64, Errno>) -> Result<Option<u64>, Errno> {
    match offset {
        Ok(offset) => Ok(Some(offset)),
        Err(Errno::NXIO) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Advises the system that a file is read from beginning to end. Reading also works without this.
pub fn advise_sequential(file: impl AsFd) {
    let _ = fadvise(file, 0, None, Advice::Sequential);
}

/// Advises the system that `len` bytes are read soon. Reading also works without this.
pub fn advise_soon(file: impl AsFd, offset: u64, len: Option<NonZeroU64>) {
    let _ = fadvise(file, offset, len, Advice::WillNeed);
}
