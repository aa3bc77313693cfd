//! `read` and `pread` into one buffer.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::os::unix::fs::FileExt;

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
        let len = retry(|| file.read_at(&mut bytes[..want], offset))?;
        sink(offset, &bytes[..len]);
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
