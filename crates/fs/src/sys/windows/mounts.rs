//! Missing file systems.

use std::path::{Path, PathBuf};

/// Returns `None`: Windows has no table of the volumes that belong in folders.
pub fn absent(_root: &Path) -> Option<PathBuf> {
    None
}
