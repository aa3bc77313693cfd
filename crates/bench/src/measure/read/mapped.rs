//! A shared read-only mapping, window by window.
//!
//! Without protection against truncation, unlike the program's own reader: a benchmark reads a file that does not
//! change.
#![allow(unsafe_code)]

#[cfg(unix)]
use rustix::mm::{Advice, MapFlags, ProtFlags};
use std::fs::File;
use std::io;
use std::ops::Range;

#[cfg(unix)]
/// A read-only mapping of a part of a file.
struct Mapping {
    start: *mut std::ffi::c_void,
    len: usize,
}

#[cfg(unix)]
impl Mapping {
    fn new(file: &File, offset: u64, len: usize, populate: bool) -> io::Result<Mapping> {
        #[cfg(target_os = "linux")]
        let flags = if populate { MapFlags::SHARED | MapFlags::POPULATE } else { MapFlags::SHARED };
        #[cfg(not(target_os = "linux"))]
        let flags = if populate { return Err(io::ErrorKind::Unsupported.into()) } else { MapFlags::SHARED };
        // SAFETY: the system chooses a free address; the length is not zero and the offset is a multiple of the page size.
        let start =
            unsafe { rustix::mm::mmap(std::ptr::null_mut(), len, ProtFlags::READ, flags, file, offset)? };
        Ok(Mapping { start, len })
    }

    fn advise(&self, advice: Advice) {
        // Unknown advice has no effect. SAFETY: the mapping belongs to this value and stays mapped; advice for reading
        // does not change its contents.
        let _ = unsafe { rustix::mm::madvise(self.start, self.len, advice) };
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: mapped and readable until dropped. A benchmark requires that no other process writes the file
        // meanwhile; truncating it would terminate the program, as with any mapping.
        unsafe { std::slice::from_raw_parts(self.start.cast(), self.len) }
    }
}

#[cfg(unix)]
impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` with this length, and nothing borrows from it any more.
        let _ = unsafe { rustix::mm::munmap(self.start, self.len) };
    }
}

/// When pages are mapped.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pages {
    /// Each on first access.
    AsTouched,
    /// All of a window at once (`MAP_POPULATE`).
    AtOnce,
    /// As huge pages if the system supports it (`MADV_HUGEPAGE`).
    Huge,
}

/// Fails: a read error in a mapping would end the program.
#[cfg(windows)]
pub(super) fn read(
    _: &File,
    _: u64,
    _: Pages,
    _: Range<u64>,
    _: &mut dyn FnMut(u64, &[u8]),
) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this program does not memory-map files on Windows"))
}

/// Maps `window` bytes at a time; the whole range at once for 0.
#[cfg(unix)]
pub(super) fn read(
    file: &File,
    window: u64,
    pages: Pages,
    range: Range<u64>,
    sink: &mut dyn FnMut(u64, &[u8]),
) -> io::Result<()> {
    if file.metadata()?.len() < range.end {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let window = if window == 0 { range.end - range.start } else { window };
    let mut offset = range.start;
    while offset < range.end {
        let len = usize::try_from(window.min(range.end - offset)).map_err(io::Error::other)?;
        let mapping = Mapping::new(file, offset, len, pages == Pages::AtOnce)?;
        mapping.advise(Advice::Sequential);
        #[cfg(target_os = "linux")]
        if pages == Pages::Huge {
            mapping.advise(Advice::LinuxHugepage);
        }
        sink(offset, mapping.bytes());
        offset += len as u64;
    }
    Ok(())
}
