//! Missing file systems, with bind mounts recognized by `/proc/self/mountinfo`.

use crate::sys::unix::mounts;
use std::path::{Path, PathBuf};

/// Returns a mount point at, above or below `root` that is not mounted.
pub fn absent(root: &Path) -> Option<PathBuf> {
    mounts::absent(root, is_bound)
}

/// Returns whether it is a bind mount of a folder in the same file system.
fn is_bound(place: &Path) -> bool {
    let Ok(table) = std::fs::read("/proc/self/mountinfo") else { return true };
    let mut lines = table.split(|&byte| byte == b'\n');
    lines.any(|line| line.split(|&byte| byte == b' ').nth(4).is_some_and(|at| mounts::unescaped(at) == place))
}
