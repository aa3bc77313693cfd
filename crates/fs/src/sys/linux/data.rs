//! The contents of open files, with advice for the cache (posix_fadvise(2)).

pub use crate::sys::unix::data::{read, read_at, seek_data, seek_hole, write, write_at};
use rustix::fs::{Advice, fadvise};
use std::fs::File;
use std::num::NonZeroU64;

/// Advises the kernel that a file is read from beginning to end.
pub fn advise_sequential(file: &File) {
    let _ = fadvise(file, 0, None, Advice::Sequential);
}

/// Advises the kernel that the first `end` bytes are not needed any more. Modified pages stay in the cache.
pub fn advise_unneeded(file: &File, end: Option<NonZeroU64>) {
    let _ = fadvise(file, 0, end, Advice::DontNeed);
}

/// Advises the kernel that `len` bytes are read soon.
pub fn advise_soon(file: &File, offset: u64, len: Option<NonZeroU64>) {
    let _ = fadvise(file, offset, len, Advice::WillNeed);
}
