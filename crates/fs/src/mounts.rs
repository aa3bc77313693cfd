//! File systems that should be mounted and are not.

use crate::sys::mounts;
use std::path::{Path, PathBuf};

/// Returns a mount point at, above or below `root` that is not mounted, according to the system's table of file systems
/// (fstab(5)).
pub fn absent(root: &Path) -> Option<PathBuf> {
    mounts::absent(root)
}
