//! Limits of this process.

use rustix::process::{Resource, getrlimit};

/// Returns the maximum number of open files and folders.
pub fn open_files() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}
