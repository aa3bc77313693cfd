//! Limits of this process.

use crate::sys::limits;

/// Returns the maximum number of open files and folders.
pub fn open_files() -> u64 {
    limits::open_files()
}

/// Returns the maximum size in bytes of the first thread's stack; `None` if it is not limited.
pub fn stack() -> Option<u64> {
    limits::stack()
}

/// Returns whether the address space is limited.
pub fn address_space_is_limited() -> bool {
    limits::address_space_is_limited()
}
