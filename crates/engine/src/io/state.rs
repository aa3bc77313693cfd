//! Recognition of the state files of `scrub`, which are in the folders that they describe and change in every run.

use crate::io::write::is_internal;
use std::path::Path;
use truesum_fs::metadata::Metadata;

/// The first bytes of the state of a tree.
pub(crate) const MAGIC: &[u8; 16] = b"truesum-scrub/1\n";
/// The first bytes of the state of a collection of manifests.
pub(crate) const COLLECTION_MAGIC: &[u8; 16] = b"truesum-scrub/2\n";

/// The name of a state file in the folder that it describes.
pub const DEFAULT_STATE: &str = ".truesum-state";

/// Returns whether a file is a state of `scrub`.
pub fn is_state(path: &Path) -> bool {
    Metadata::at(path).is_ok_and(|stat| stat.kind().is_file() && stat.size() > 0)
        && [MAGIC, COLLECTION_MAGIC].iter().any(|magic| is_internal(path, &magic[..]))
}

/// Returns whether a file is the state of a collection of manifests.
pub fn is_collection_state(path: &Path) -> bool {
    is_state(path) && is_internal(path, &COLLECTION_MAGIC[..])
}

/// Returns whether a file is a state of `scrub` under its default name, which the user did not create.
pub fn is_default_state(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == DEFAULT_STATE) && is_state(path)
}
