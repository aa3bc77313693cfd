//! Limits of this process (getrlimit(2)).

use rustix::process::{Resource, getrlimit};

/// Returns the maximum number of open files and folders.
pub fn open_files() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Returns the maximum size in bytes of the first thread's stack.
pub fn stack() -> Option<u64> {
    getrlimit(Resource::Stack).current
}

/// Returns the limits in bytes of the address space and of the data in it.
pub fn memory() -> [Option<u64>; 2] {
    [Resource::As, Resource::Data].map(|kind| getrlimit(kind).current)
}

/// Returns whether the address space is limited.
pub fn address_space_is_limited() -> bool {
    memory().into_iter().any(|limit| limit.is_some())
}
