//! The contents of open files: positioned reads and writes, and the allocated ranges of sparse files
//! (`FSCTL_QUERY_ALLOCATED_RANGES`).
#![allow(unsafe_code)]

use super::console;
use super::failure::{self, last};
use crate::sys::errno::Errno;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::num::NonZeroU64;
use std::os::windows::fs::FileExt;
use std::os::windows::io::AsRawHandle;
use std::ptr;
use windows_sys::Win32::Foundation::{ERROR_INVALID_FUNCTION, ERROR_MORE_DATA, ERROR_NOT_SUPPORTED};
use windows_sys::Win32::System::IO::DeviceIoControl;
use windows_sys::Win32::System::Ioctl::{FILE_ALLOCATED_RANGE_BUFFER, FSCTL_QUERY_ALLOCATED_RANGES};

/// Reads from the current position.
pub fn read(mut file: &File, buffer: &mut [u8]) -> Result<usize, Errno> {
    file.read(buffer).map_err(|error| failure::of(&error))
}

/// Writes at the current position.
pub fn write(mut file: &File, bytes: &[u8]) -> Result<usize, Errno> {
    if let Some(written) = console::write(file, bytes) {
        return written;
    }
    file.write(bytes).map_err(|error| failure::of(&error))
}

/// Reads from an offset.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
    in_place(file, || file.seek_read(buffer, offset))
}

/// Writes at an offset.
pub fn write_at(file: &File, bytes: &[u8], offset: u64) -> Result<usize, Errno> {
    in_place(file, || file.seek_write(bytes, offset))
}

/// Restores the position after a call that moves it. Other threads must not use the position at the same time.
fn in_place(mut file: &File, call: impl FnOnce() -> io::Result<usize>) -> Result<usize, Errno> {
    let position = file.stream_position();
    let result = call();
    // A pipe has no position.
    if let Ok(position) = position {
        file.seek(SeekFrom::Start(position)).map_err(|error| failure::of(&error))?;
    }
    result.map_err(|error| failure::of(&error))
}

/// Returns the offset of the first byte of data at or after `start`; `None` if there is only a hole.
pub fn seek_data(file: &File, start: u64) -> Result<Option<u64>, Errno> {
    Ok(first_range(file, start)?.map(|(begin, _)| begin.max(start)))
}

/// Returns the offset of the first hole at or after `start`, or the end of the file; `None` if it ends before `start`.
pub fn seek_hole(file: &File, start: u64) -> Result<Option<u64>, Errno> {
    let len = file.metadata().map_err(|error| failure::of(&error))?.len();
    if start >= len {
        return Ok(None);
    }
    let mut at = start;
    // Ranges may follow each other without a hole between them.
    while let Some((_, end)) = first_range(file, at)?.filter(|(begin, _)| *begin <= at) {
        at = end;
        if at >= len {
            return Ok(Some(len));
        }
    }
    Ok(Some(at))
}

/// Returns the first allocated range that ends after `start`: its begin and its end. A file on a file system that does not
/// report ranges is one range.
fn first_range(file: &File, start: u64) -> Result<Option<(u64, u64)>, Errno> {
    let len = file.metadata().map_err(|error| failure::of(&error))?.len();
    if start >= len {
        return Ok(None);
    }
    let query = FILE_ALLOCATED_RANGE_BUFFER {
        FileOffset: start as i64,
        Length: i64::try_from(len - start).unwrap_or(i64::MAX),
    };
    let mut found = FILE_ALLOCATED_RANGE_BUFFER { FileOffset: 0, Length: 0 };
    let size = size_of::<FILE_ALLOCATED_RANGE_BUFFER>() as u32;
    let mut written = 0;
    // SAFETY: the handle is open; the call reads one struct and writes at most one, of the size that it is given.
    let done = unsafe {
        DeviceIoControl(
            file.as_raw_handle(),
            FSCTL_QUERY_ALLOCATED_RANGES,
            (&raw const query).cast(),
            size,
            (&raw mut found).cast(),
            size,
            &mut written,
            ptr::null_mut(),
        )
    };
    if done == 0 {
        match last().raw_os_error() as u32 {
            ERROR_MORE_DATA => {}
            ERROR_INVALID_FUNCTION | ERROR_NOT_SUPPORTED => return Ok(Some((start, len))),
            error => return Err(failure::error(error)),
        }
    }
    if written < size {
        return Ok(None);
    }
    let begin = found.FileOffset.unsigned_abs();
    let end = begin.saturating_add(found.Length.unsigned_abs());
    // No progress would be possible.
    if end <= start { Err(Errno::IO) } else { Ok(Some((begin, end))) }
}

/// Does nothing: files are opened for sequential reads.
pub fn advise_sequential(_file: &File) {}

/// Does nothing: the cache manager has no such advice.
pub fn advise_unneeded(_file: &File, _end: Option<NonZeroU64>) {}

/// Does nothing: Windows has no such advice.
pub fn advise_soon(_file: &File, _offset: u64, _len: Option<NonZeroU64>) {}

#[cfg(test)]
mod tests {
    use super::*;
    use windows_sys::Win32::System::Ioctl::FSCTL_SET_SPARSE;

    #[test]
    fn reads_and_writes_at_offsets_meet() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(write_at(&file, b"abc", 10), Ok(3));
        let mut buffer = [1; 8];
        assert_eq!(read_at(&file, &mut buffer, 8), Ok(5));
        assert_eq!(&buffer[..5], b"\0\0abc");
        assert_eq!(read_at(&file, &mut buffer, 13), Ok(0));
        // regression: the first bytes of a manifest were missing after they had been examined.
        assert_eq!(read(&file, &mut buffer), Ok(8));
        assert_eq!(read(&file, &mut buffer), Ok(5), "the position is that of sequential reads");
    }

    #[test]
    fn ranges_of_a_file_cover_its_data() {
        let file = tempfile::tempfile().unwrap();
        let mut len = 0;
        // SAFETY: the handle is open, and the call has neither input nor output.
        let sparse = unsafe {
            let none = ptr::null_mut();
            DeviceIoControl(file.as_raw_handle(), FSCTL_SET_SPARSE, none, 0, none, 0, &mut len, none.cast())
        };
        file.set_len(16 << 20).unwrap();
        write_at(&file, &[7; 4096], 8 << 20).unwrap();
        let (mut at, mut data) = (0, Vec::new());
        while let Some(begin) = seek_data(&file, at).unwrap() {
            let end = seek_hole(&file, begin).unwrap().unwrap();
            assert!(begin >= at && end > begin);
            data.push((begin, end));
            at = end;
        }
        assert!(data.iter().any(|&(begin, end)| begin <= 8 << 20 && end >= (8 << 20) + 4096), "{data:?}");
        assert!(data.iter().all(|&(_, end)| end <= 16 << 20));
        assert_eq!(seek_hole(&file, 16 << 20), Ok(None));
        let _ = sparse;
    }
}
