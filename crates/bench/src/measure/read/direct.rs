//! Unbuffered reads (`O_DIRECT`, `FILE_FLAG_NO_BUFFERING`), with a thread for each request in flight.

use super::plain::read_at;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// The alignment of buffers, offsets and lengths that every device accepts for unbuffered reads.
const ALIGN: usize = 4096;

/// A buffer that starts at a multiple of [`ALIGN`].
struct Aligned {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

impl Aligned {
    fn new(len: usize) -> Aligned {
        let len = len.next_multiple_of(ALIGN);
        let bytes = vec![0; len + ALIGN];
        let start = bytes.as_ptr().align_offset(ALIGN);
        Aligned { bytes, start, len }
    }

    fn slice(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..][..self.len]
    }
}

/// Opens a file for unbuffered reads.
pub(super) fn open_direct(path: &Path) -> io::Result<File> {
    #[cfg(any(target_os = "linux", target_os = "freebsd"))]
    {
        use rustix::fs::{Mode, OFlags};
        let flags = OFlags::RDONLY | OFlags::DIRECT | OFlags::CLOEXEC;
        Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
    }
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt;
        const FILE_FLAG_NO_BUFFERING: u32 = 0x2000_0000;
        File::options().read(true).custom_flags(FILE_FLAG_NO_BUFFERING).open(path)
    }
    #[cfg(not(any(target_os = "linux", target_os = "freebsd", windows)))]
    {
        let _ = path;
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Reads whole aligned requests, as unbuffered reads require, up to the end of the file.
fn fill_aligned(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    // A read with an unaligned end has reached the end of the file.
    while filled < buffer.len() && filled.is_multiple_of(ALIGN) {
        match read_at(file, &mut buffer[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(len) => filled += len,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
    Ok(filled)
}

/// The result of a reader: a filled buffer and the number of valid bytes.
type Filled = io::Result<(Aligned, usize)>;

/// `depth` threads keep one request each in flight; this thread takes the buffers in file order.
pub(super) fn read(
    path: &Path,
    buffer: u64,
    depth: usize,
    range: Range<u64>,
    sink: &mut dyn FnMut(u64, &[u8]),
) -> io::Result<()> {
    let size = (buffer as usize).next_multiple_of(ALIGN);
    let requests = (range.end - range.start).div_ceil(size as u64);
    let depth = (depth.max(1) as u64).min(requests);
    let file = open_direct(path)?;
    std::thread::scope(|scope| {
        let mut readers: Vec<(Receiver<Filled>, SyncSender<Aligned>)> = Vec::new();
        for first in 0..depth {
            let (filled, to_take) = sync_channel(1);
            let (empty, to_fill) = sync_channel::<Aligned>(1);
            let (file, range) = (&file, range.clone());
            scope.spawn(move || {
                let mut spare = Some(Aligned::new(size));
                for request in (first..requests).step_by(depth as usize) {
                    let Some(mut buffer) = spare.take().or_else(|| to_fill.recv().ok()) else { return };
                    let offset = range.start + request * size as u64;
                    let want = (range.end - offset).min(size as u64) as usize;
                    let result = fill_aligned(file, buffer.slice(), offset).and_then(|len| {
                        if len < want { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok((buffer, want)) }
                    });
                    let failed = result.is_err();
                    if filled.send(result).is_err() || failed {
                        return;
                    }
                }
            });
            readers.push((to_take, empty));
        }
        for request in 0..requests {
            let (to_take, empty) = &readers[(request % depth) as usize];
            let (mut buffer, len) = to_take.recv().map_err(io::Error::other)??;
            sink(range.start + request * size as u64, &buffer.slice()[..len]);
            // A reader that has finished needs no buffer.
            let _ = empty.try_send(buffer);
        }
        Ok(())
    })
}
