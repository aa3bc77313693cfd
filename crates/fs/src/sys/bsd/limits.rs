//! Limits of this process, and how much of the address space is left (mmap(2)).
#![allow(unsafe_code)]

use crate::sys::unix::limits::memory;
pub use crate::sys::unix::limits::{address_space_is_limited, open_files, stack};
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::ptr;

/// Returns the size in bytes of the largest block of memory that this process can still get, if its address space is
/// limited. These systems report only to debuggers how much is in use.
pub fn address_space_left() -> Option<u64> {
    const PRECISION: u64 = 64 << 10;
    let (mut fits, mut fails) = (0, memory().into_iter().flatten().min()?);
    while fails - fits > PRECISION {
        let middle = fits + (fails - fits) / 2;
        *(if is_available(middle) { &mut fits } else { &mut fails }) = middle;
    }
    Some(fits)
}

/// Returns whether a block of memory of this size can be had at this moment.
fn is_available(size: u64) -> bool {
    let Ok(size) = usize::try_from(size) else { return false };
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a new mapping at an address chosen by the kernel, which nothing uses and which is removed at once.
    unsafe {
        let mapped = mmap_anonymous(ptr::null_mut(), size, access, MapFlags::PRIVATE);
        mapped.is_ok_and(|block| munmap(block, size).is_ok())
    }
}
