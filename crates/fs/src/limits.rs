//! Limits of this process.

use rustix::process::{Resource, getrlimit};

/// Returns the maximum number of open files and folders.
pub fn open_files() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Returns the maximum size in bytes of the first thread's stack; `None` if it is not limited.
pub fn stack() -> Option<u64> {
    getrlimit(Resource::Stack).current
}

/// Returns whether the address space is limited.
pub fn address_space_is_limited() -> bool {
    [Resource::As, Resource::Data].into_iter().any(|kind| getrlimit(kind).current.is_some())
}
