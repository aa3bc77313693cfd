//! `read` and `pread` into one buffer.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

pub(super) fn sequential(
    mut file: &File,
    buffer: u64,
    range: Range<u64>,
    sink: &mut dyn FnMut(u64, &[u8]),
) -> io::Result<()> {
    file.seek(SeekFrom::Start(range.start))?;
    let mut bytes = vec![0; buffer as usize];
    let mut offset = range.start;
    while offset < range.end {
        let want = buffer.min(range.end - offset) as usize;
        let len = retry(|| file.read(&mut bytes[..want]))?;
        sink(offset, &bytes[..len]);
        offset += len as u64;
    }
    Ok(())
}

pub(super) fn positioned(
    file: &File,
    buffer: u64,
    range: Range<u64>,
    sink: &mut dyn FnMut(u64, &[u8]),
) -> io::Result<()> {
    let mut bytes = vec![0; buffer as usize];
    let mut offset = range.start;
    while offset < range.end {
        let want = buffer.min(range.end - offset) as usize;
        let len = retry(|| read_at(file, &mut bytes[..want], offset))?;
        sink(offset, &bytes[..len]);
        offset += len as u64;
    }
    Ok(())
}

/// Reads from an offset. Returns the number of bytes, which is 0 at the end.
pub(super) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::read_at(file, buffer, offset)
    }
    // This also moves the position, which no caller uses.
    #[cfg(windows)]
    {
        std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
    }
}

/// Fills the buffer from an offset.
pub(crate) fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        let len = retry(|| read_at(file, buffer, offset))?;
        buffer = &mut buffer[len..];
        offset += len as u64;
    }
    Ok(())
}

/// Repeats the call after an interruption; the end of the file is an error, because the range lies within the file.
fn retry(mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match call() {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
