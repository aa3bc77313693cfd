//! Stored trees by their names: which file a tree is about, where a file's tree is kept, and opening one.

use crate::console::Console;
use crate::exit::Exit;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use truesum::Error;
use truesum::tree::store::{Store, with_suffix};

/// Where the tree of a file is kept.
pub fn tree_of(file: &[u8], folder: Option<&Path>) -> PathBuf {
    let file = Path::new(std::ffi::OsStr::from_bytes(file));
    match (folder, file.file_name()) {
        (Some(folder), Some(name)) => with_suffix(&folder.join(name), ".ftr"),
        _ => with_suffix(file, ".ftr"),
    }
}

/// The file a tree is about.
fn file_of(tree: &Path, file: Option<&OsString>) -> Option<Vec<u8>> {
    match file {
        Some(file) => Some(file.as_bytes().to_vec()),
        None => tree.as_os_str().as_bytes().strip_suffix(b".ftr").map(<[u8]>::to_vec),
    }
}

/// The file a tree is about, and the tree. `None` when that cannot be, and has been said.
pub fn opened(tree: &Path, file: Option<&OsString>, console: &mut Console) -> Option<(Vec<u8>, Store)> {
    let Some(name) = file_of(tree, file) else {
        console.error("tree: the stored tree's name does not end in .ftr, so name the file behind it");
        return None;
    };
    match open(tree) {
        Ok(store) => Some((name, store)),
        Err(error) => {
            console.failure(&error);
            None
        }
    }
}

/// A stored tree, or why it is none.
pub fn open(path: &Path) -> Result<Store, Error> {
    Store::open(path, false)?.map_err(|refusal| {
        Error::new(path.as_os_str().as_bytes(), "use", truesum::Cause::Other(refusal.to_string()))
    })
}

/// Says of a file why nothing is done with it.
pub fn refuse(path: &Path, why: &str, console: &mut Console) -> Exit {
    console.error_of(path.as_os_str().as_bytes(), why);
    Exit::NotAsAsked
}
