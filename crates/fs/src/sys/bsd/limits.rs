//! Limits of this process, and how much of the address space is left (mmap(2)).
#![allow(unsafe_code)]

use crate::sys::unix::limits::memory;
pub use crate::sys::unix::limits::{address_space_is_limited, open_files, stack};
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::ptr;
use std::sync::OnceLock;

/// Returns how much memory in bytes this process can still get, if its address space is limited.
/// These systems report only to debuggers how much is in use, so blocks are mapped on trial: of any
/// size for the first call, which comes before other threads need memory, and small ones later. As
/// long as a small block can be allocated, the first result is returned.
pub fn address_space_left() -> Option<u64> {
    const SMALL: u64 = 8 << 20;
    static FIRST: OnceLock<Option<u64>> = OnceLock::new();
    let limit = || memory().into_iter().flatten().min();
    let first = (*FIRST.get_or_init(|| limit().map(largest_block)))?;
    Some(if first <= SMALL || !is_available(SMALL) { largest_block(SMALL) } else { first })
}

/// Returns the size of the largest block of memory below `limit` that can be allocated.
fn largest_block(limit: u64) -> u64 {
    const PRECISION: u64 = 64 << 10;
    let (mut fits, mut fails) = (0, limit);
    while fails - fits > PRECISION {
        let middle = fits + (fails - fits) / 2;
        *(if is_available(middle) { &mut fits } else { &mut fails }) = middle;
    }
    fits
}

/// Returns whether a block of memory of this size can be allocated at this moment.
fn is_available(size: u64) -> bool {
    let Ok(size) = usize::try_from(size) else { return false };
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a new mapping at an address chosen by the kernel, which nothing uses and which is removed at once.
    unsafe {
        let mapped = mmap_anonymous(ptr::null_mut(), size, access, MapFlags::PRIVATE);
        mapped.is_ok_and(|block| munmap(block, size).is_ok())
    }
}
