//! Limits of this process.

use crate::sys::unix::limits::memory;
pub use crate::sys::unix::limits::{address_space_is_limited, open_files, stack};

/// Returns the limit of the address space in bytes, if there is one. What is in use is not subtracted: these systems
/// report it only to debuggers.
pub fn address_space_left() -> Option<u64> {
    memory().into_iter().flatten().min()
}
