//! A file that many threads read at once, by place: mapped where its pages are in memory, else read.

use crate::error::{Cause, Error};
use crate::io::mapped::Window;
use crate::io::read::{Guarded, Whole};
use crate::progress::Progress;
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;
use std::ops::Range;
use std::os::fd::BorrowedFd;

/// Files up to this size are read: what is to gain is less than a mapping costs.
const SMALL: u64 = 1 << 20;

/// A file of known size that many threads read.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub file: BorrowedFd<'a>,
    pub path: &'a [u8],
    pub size: u64,
    /// Whether the file system tells holes truthfully, and there are some.
    pub holes: bool,
    /// Whether its pages are in memory, so that mapping them saves a copy.
    pub mapped: bool,
    pub progress: &'a Progress,
}

impl<'a> Source<'a> {
    pub(crate) fn new(file: &'a Guarded, path: &'a [u8], progress: &'a Progress) -> Source<'a> {
        let (size, holes) = (file.size_hint(), file.has_holes());
        let mapped = file.is_local() && size > SMALL && is_resident(file);
        Source { file: file.as_fd(), path, size, holes, mapped, progress }
    }

    /// Fills `buffer` from `offset`.
    ///
    /// # Errors
    /// The system's, or the file is shorter than it was.
    pub(crate) fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), Error> {
        let mut filled = 0;
        while filled < buffer.len() {
            match rustix::io::pread(self.file, &mut buffer[filled..], offset + filled as u64) {
                Ok(0) => {
                    let (end, size) = (offset + filled as u64, self.size);
                    let why = format!("{end} bytes could be read of {size}");
                    return Err(Error::new(self.path, "read", Cause::Changed(why)));
                }
                Ok(count) => filled += count,
                Err(Errno::INTR) => {}
                Err(error) => return Err(self.failed(error)),
            }
        }
        self.progress.add_bytes(buffer.len() as u64);
        Ok(())
    }

    /// Shows `len` bytes from `offset` to `hash`: mapped where that is worth it, else read into `buffer`.
    ///
    /// # Errors
    /// As [`Source::read`]. What `hash` returned is then lost, having perhaps seen other bytes than the file's.
    pub(crate) fn look<T>(
        &self,
        offset: u64,
        len: usize,
        buffer: &mut Vec<u8>,
        hash: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, Error> {
        if self.mapped
            && let Ok(window) = Window::map(self.file, &[(offset, len)])
        {
            let seen = hash(window.bytes(0));
            self.check(&window, &[(offset, len)])?;
            return Ok(seen);
        }
        buffer.resize(len, 0);
        self.read(buffer, offset)?;
        Ok(hash(buffer))
    }

    /// Counts what a window showed, or tells why it could not be read: by reading what it should have shown.
    ///
    /// # Errors
    /// As [`Source::read`].
    pub(crate) fn check(&self, window: &Window, views: &[(u64, usize)]) -> Result<(), Error> {
        if window.intact() {
            self.progress.add_bytes(views.iter().map(|view| view.1 as u64).sum());
            return Ok(());
        }
        views.iter().try_for_each(|&(offset, len)| self.read(&mut vec![0; len], offset))?;
        // The fault has passed; the bytes hashed were not the file's all the same.
        Err(self.failed(Errno::IO))
    }

    /// The first data at or after `start`, up to the next hole; at the file's end if there is none.
    ///
    /// # Errors
    /// The system's.
    pub(crate) fn data_from(&self, start: u64) -> Result<Range<u64>, Error> {
        let data = match seek(self.file, SeekFrom::Data(start)) {
            Ok(data) if data < self.size => data,
            Ok(_) | Err(Errno::NXIO) => return Ok(self.size..u64::MAX),
            Err(error) => return Err(self.failed(error)),
        };
        Ok(data..seek(self.file, SeekFrom::Hole(data)).map_err(|error| self.failed(error))?)
    }

    fn failed(&self, error: Errno) -> Error {
        Error::io(self.path, "read", error)
    }
}

/// The proof that a file was read whole, after its bytes were read by place.
///
/// # Errors
/// It is longer than it was, or as [`Guarded::finish`].
pub(crate) fn finish(mut file: Guarded, path: &[u8]) -> Result<Whole, Error> {
    let size = file.size_hint();
    loop {
        match rustix::io::pread(file.as_fd(), &mut [0; 1], size) {
            Ok(0) => break,
            Ok(_) => {
                let why = format!("it is longer than {size} bytes now");
                return Err(Error::new(path, "read", Cause::Changed(why)));
            }
            Err(Errno::INTR) => {}
            Err(error) => return Err(Error::io(path, "read", error)),
        }
    }
    file.read_elsewhere(size);
    file.finish(path)
}

/// Whether the file's pages are in memory: asked at places spread over it, without waiting for any.
pub(crate) fn is_resident(file: &Guarded) -> bool {
    const ASKED: u64 = 16;
    let step = (file.size_hint() / ASKED).max(1);
    (0..ASKED).all(|i| {
        let buffer = &mut [0; 1];
        let flags = rustix::io::ReadWriteFlags::NOWAIT;
        let read =
            rustix::io::preadv2(file.as_fd(), &mut [std::io::IoSliceMut::new(buffer)], i * step, flags);
        read == Ok(1)
    })
}
