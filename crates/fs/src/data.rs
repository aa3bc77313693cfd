//! The contents of open files: reads at any offset, holes, and advice for the cache.

use crate::error::Errno;
use crate::sys::{data, wait};
use std::fs::File;
use std::io;
use std::num::NonZeroU64;

/// Reads from the current position. Returns the number of bytes, which is 0 at the end.
///
/// # Errors
/// Returns the system's error, which is [`Errno::INTR`] if a signal arrived first.
pub fn read(file: &File, buffer: &mut [u8]) -> Result<usize, Errno> {
    data::read(file, buffer)
}

/// Writes bytes at the current position. Returns how many were written.
///
/// # Errors
/// Returns the system's error, which is [`Errno::INTR`] if a signal arrived first.
pub fn write(file: &File, bytes: &[u8]) -> Result<usize, Errno> {
    data::write(file, bytes)
}

/// Returns whether a read would return at once. A file for which this cannot be determined is assumed to be ready.
pub fn is_ready(file: &File) -> bool {
    wait::is_ready(file)
}

/// Reads from an offset, and again if the call was interrupted. Returns the number of bytes, which is 0 at the end.
///
/// # Errors
/// Returns the system's error.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
    retry(|| data::read_at(file, buffer, offset))
}

/// Reads and writes at offsets, as the extension of the same name in the standard library for Unix.
pub trait FileExt {
    /// Reads from an offset. Returns the number of bytes, which is 0 at the end.
    ///
    /// # Errors
    /// Returns the system's error.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Fills the buffer from an offset.
    ///
    /// # Errors
    /// Returns the system's error, or [`io::ErrorKind::UnexpectedEof`] if the file ends before.
    fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match self.read_at(buffer, offset)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => (buffer, offset) = (&mut buffer[count..], offset + count as u64),
            }
        }
        Ok(())
    }

    /// Writes all bytes at an offset.
    ///
    /// # Errors
    /// Returns the system's error.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
}

impl FileExt for File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        Ok(read_at(self, buffer, offset)?)
    }

    fn write_all_at(&self, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match retry(|| data::write_at(self, bytes, offset))? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                count => (bytes, offset) = (&bytes[count..], offset + count as u64),
            }
        }
        Ok(())
    }
}

/// Repeats a call while signals interrupt it.
pub(crate) fn retry<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            result => return result,
        }
    }
}

/// Moves to the first byte of data at or after `start`. Returns its offset, or `None` if there is only a hole up to the
/// end of the file.
///
/// # Errors
/// Returns the system's error.
pub fn seek_data(file: &File, start: u64) -> Result<Option<u64>, Errno> {
    data::seek_data(file, start)
}

/// Moves to the first hole at or after `start`, or to the end of the file. Returns its offset, or `None` if the file
/// ends before `start`.
///
/// # Errors
/// Returns the system's error.
pub fn seek_hole(file: &File, start: u64) -> Result<Option<u64>, Errno> {
    data::seek_hole(file, start)
}

/// Advises the system that a file is read from beginning to end. Reading also works without this.
pub fn advise_sequential(file: &File) {
    data::advise_sequential(file);
}

/// Advises the system that the first `end` bytes, or all, are not needed any more. They may stay in the cache anyway.
pub fn advise_unneeded(file: &File, end: Option<NonZeroU64>) {
    data::advise_unneeded(file, end);
}

/// Advises the system that `len` bytes are read soon. Reading also works without this.
pub fn advise_soon(file: &File, offset: u64, len: Option<NonZeroU64>) {
    data::advise_soon(file, offset, len);
}
