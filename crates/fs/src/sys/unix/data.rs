//! The contents of open files: positioned reads and writes, and holes (pread(2), lseek(2)).

use crate::sys::errno::Errno;
use rustix::fs::{SeekFrom, seek};
use std::fs::File;

/// Reads from the current position.
pub fn read(file: &File, buffer: &mut [u8]) -> Result<usize, Errno> {
    Ok(rustix::io::read(file, buffer)?)
}

/// Writes at the current position.
pub fn write(file: &File, bytes: &[u8]) -> Result<usize, Errno> {
    Ok(rustix::io::write(file, bytes)?)
}

/// Reads from an offset.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
    Ok(rustix::io::pread(file, buffer, offset)?)
}

/// Writes at an offset.
pub fn write_at(file: &File, bytes: &[u8], offset: u64) -> Result<usize, Errno> {
    Ok(rustix::io::pwrite(file, bytes, offset)?)
}

/// Moves to the first byte of data at or after `start`; `None` if there is only a hole.
pub fn seek_data(file: &File, start: u64) -> Result<Option<u64>, Errno> {
    found(seek(file, SeekFrom::Data(start)))
}

/// Moves to the first hole at or after `start`; `None` if the file ends before it.
pub fn seek_hole(file: &File, start: u64) -> Result<Option<u64>, Errno> {
    found(seek(file, SeekFrom::Hole(start)))
}

fn found(offset: rustix::io::Result<u64>) -> Result<Option<u64>, Errno> {
    match offset {
        Ok(offset) => Ok(Some(offset)),
        Err(rustix::io::Errno::NXIO) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
