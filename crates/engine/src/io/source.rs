//! A file that many threads read at once at arbitrary offsets: mapped if its pages are in memory, otherwise read.

use crate::error::{Cause, Error};
use crate::io::mapped::Window;
use crate::io::mapping::Mapping;
use crate::io::memory_limit::is_tight;
use crate::io::read::{CompleteRead, Guarded};
use crate::progress::Progress;
use std::ops::Range;
use std::sync::OnceLock;
use truesum_fs::Errno;
use truesum_fs::data::{read_at, seek_data, seek_hole};

/// The contents of a hole. It is never written to, so it uses no memory.
fn zeros() -> &'static [u8] {
    static ZEROS: OnceLock<Vec<u8>> = OnceLock::new();
    ZEROS.get_or_init(|| vec![0; if is_tight() { 1 << 20 } else { 4 << 20 }])
}

/// A file of known size that many threads read.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) file: &'a Guarded,
    pub(crate) path: &'a [u8],
    pub(crate) size: u64,
    /// Whether the file has holes that its file system reports correctly.
    pub(crate) holes: bool,
    /// Whether its pages are in memory, so that mapping them saves a copy.
    pub(crate) mapped: bool,
    pub(crate) progress: &'a Progress,
}

impl<'a> Source<'a> {
    /// Returns a source that is mapped if `mapping` allows it and it helps.
    pub(crate) fn new(
        file: &'a Guarded,
        path: &'a [u8],
        mapping: Mapping,
        progress: &'a Progress,
    ) -> Source<'a> {
        let (size, holes, mapped) = (file.size_hint(), file.has_holes(), mapping.suits(file));
        Source { file, path, size, holes, mapped, progress }
    }

    /// Fills `buffer` from `offset`.
    ///
    /// # Errors
    /// Returns the system's error, or fails if the file is shorter than before.
    pub(crate) fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), Error> {
        self.progress.note_read(self.file, offset);
        if let Some(version) = self.file.version() {
            let read = version.read(buffer, offset);
            read.map_err(|error| Error::new(self.path, "read", error.into_cause()))?;
            self.progress.add_bytes(buffer.len() as u64);
            return Ok(());
        }
        let mut filled = 0;
        while filled < buffer.len() {
            match read_at(self.file.file(), &mut buffer[filled..], offset + filled as u64) {
                // The file was truncated. The proof would be refused too, but the buffer cannot be
                // filled.
                Ok(0) => {
                    let (end, size) = (offset + filled as u64, self.size);
                    let why = format!("only {end} of {size} bytes could be read");
                    return Err(Error::new(self.path, "read", Cause::Changed(why)));
                }
                Ok(count) => filled += count,
                Err(error) => return Err(self.failed(error)),
            }
        }
        self.file.forget(offset, offset + buffer.len() as u64);
        self.progress.add_bytes(buffer.len() as u64);
        Ok(())
    }

    /// Returns a reader that works like [`Source::read`].
    pub(crate) fn reader(self) -> impl FnMut(&mut [u8], u64) -> Result<(), Error> + 'a {
        move |buffer, offset| self.read(buffer, offset)
    }

    /// Passes `len` bytes from `offset` to `hash`, mapped if that is worthwhile, otherwise read into `buffer`.
    ///
    /// # Errors
    /// Fails as [`Source::read`]. The result of `hash` is discarded, because it may not be based on the file's bytes.
    pub(crate) fn look<T>(
        &self,
        offset: u64,
        len: usize,
        buffer: &mut Vec<u8>,
        hash: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, Error> {
        // If data are written into the hole now, the proof is refused because of the change.
        if self.is_hole(offset, len)?
            && let Some(zeros) = zeros().get(..len)
        {
            let seen = hash(zeros);
            self.progress.add_bytes(len as u64);
            return Ok(seen);
        }
        if self.mapped
            && let Ok(window) = Window::map(self.file.file(), &[(offset, len)])
        {
            let seen = hash(window.bytes(0));
            self.check(&window, &[(offset, len)])?;
            return Ok(seen);
        }
        buffer.resize(len, 0);
        self.read(buffer, offset)?;
        Ok(hash(buffer))
    }

    /// Returns whether all these bytes are in a hole. Reading them would fill the cache with zeros.
    fn is_hole(&self, offset: u64, len: usize) -> Result<bool, Error> {
        let end = offset + len as u64;
        Ok(self.holes && end <= self.size && self.data_from(offset)?.start >= end)
    }

    /// Counts the bytes of a window, or returns why they could not be read, by reading them.
    ///
    /// # Errors
    /// Fails as [`Source::read`].
    pub(crate) fn check(&self, window: &Window, views: &[(u64, usize)]) -> Result<(), Error> {
        views.iter().for_each(|view| self.progress.note_read(self.file, view.0));
        if window.intact() {
            self.progress.add_bytes(views.iter().map(|view| view.1 as u64).sum());
            return Ok(());
        }
        // A fault has no error code, but a read of the same bytes fails with one if the cause
        // persists.
        views.iter().try_for_each(|&(offset, len)| self.read(&mut vec![0; len], offset))?;
        // The fault was temporary, but the bytes that were hashed were not the file's.
        Err(Error::new(self.path, "read", self.file.cause_of(Errno::IO)))
    }

    /// Returns the first range of data at or after `start`, up to the next hole; at the file's end if there is none.
    ///
    /// # Errors
    /// Returns the system's error.
    pub(crate) fn data_from(&self, start: u64) -> Result<Range<u64>, Error> {
        let failed = |error| self.failed(error);
        // Data beyond the recorded size means that the file grew, which `finish` reports.
        let data = seek_data(self.file.file(), start).map_err(failed)?.filter(|data| *data < self.size);
        let Some(data) = data else { return Ok(self.size..u64::MAX) };
        match seek_hole(self.file.file(), data).map_err(failed)? {
            Some(end) => Ok(data..end),
            // The file was just truncated.
            None => Err(Error::new(self.path, "read", self.file.cause_of(Errno::NXIO))),
        }
    }

    fn failed(&self, error: Errno) -> Error {
        Error::io(self.path, "read", error)
    }
}

/// Returns the proof that a file was read completely, after its bytes were read at arbitrary offsets.
///
/// # Errors
/// Fails if it is longer than before, or as [`Guarded::finish`].
pub(crate) fn finish(mut file: Guarded, path: &[u8]) -> Result<CompleteRead, Error> {
    let size = file.size_hint();
    // The size of a version never changes.
    if file.version().is_none() {
        let more = read_at(file.file(), &mut [0; 1], size);
        if more.map_err(|error| Error::io(path, "read", error))? > 0 {
            let why = format!("it is now longer than {size} bytes");
            return Err(Error::new(path, "read", Cause::Changed(why)));
        }
    }
    file.mark_as_read(size);
    file.finish(path)
}
