//! The contents of open files, with advice for the cache: posix_fadvise(2), or `F_RDAHEAD` and `F_RDADVISE`
//! (fcntl(2)) on macOS.

pub use crate::sys::unix::data::{read, read_at, seek_data, seek_hole, write, write_at};
use std::fs::File;
use std::num::NonZeroU64;

/// Advises the kernel that a file is read from beginning to end.
#[cfg(not(target_os = "macos"))]
pub fn advise_sequential(file: &File) {
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::Sequential);
}

/// Advises the kernel that `len` bytes are read soon.
#[cfg(not(target_os = "macos"))]
pub fn advise_soon(file: &File, offset: u64, len: Option<NonZeroU64>) {
    let _ = rustix::fs::fadvise(file, offset, len, rustix::fs::Advice::WillNeed);
}

/// Advises the kernel that the first `end` bytes are not needed any more.
#[cfg(not(target_os = "macos"))]
pub fn advise_unneeded(file: &File, end: Option<NonZeroU64>) {
    let _ = rustix::fs::fadvise(file, 0, end, rustix::fs::Advice::DontNeed);
}

/// Does nothing: macOS has no such advice for data that were read.
#[cfg(target_os = "macos")]
pub fn advise_unneeded(_file: &File, _end: Option<NonZeroU64>) {}

/// Advises the kernel that a file is read from beginning to end.
#[cfg(target_os = "macos")]
#[allow(unsafe_code)]
pub fn advise_sequential(file: &File) {
    // SAFETY: a system call on integers; the descriptor is open as long as the file is borrowed.
    unsafe { libc::fcntl(std::os::fd::AsRawFd::as_raw_fd(file), libc::F_RDAHEAD, 1) };
}

/// Advises the kernel that `len` bytes are read soon.
#[cfg(target_os = "macos")]
pub fn advise_soon(file: &File, offset: u64, len: Option<NonZeroU64>) {
    /// The number of bytes to read in advance if `len` is `None`: the kernel reads further ahead by
    /// itself.
    const DEFAULT_ADVANCE: u64 = 1 << 20;
    let _ = rustix::fs::fcntl_rdadvise(file, offset, len.map_or(DEFAULT_ADVANCE, NonZeroU64::get));
}
