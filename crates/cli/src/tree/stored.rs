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
    kept_as(file, folder, ".ftr")
}

/// The same of a tree whose name ends so.
pub fn kept_as(file: &[u8], folder: Option<&Path>, ending: &str) -> PathBuf {
    let file = Path::new(std::ffi::OsStr::from_bytes(file));
    match (folder, file.file_name()) {
        (Some(folder), Some(name)) => with_suffix(folder.join(name), ending),
        _ => with_suffix(file, ending),
    }
}

/// The file a tree is about, and the tree. `given` may also be the file, whose tree is then the one beside it. `None` when
/// there is no such tree, and that has been said.
pub fn opened(given: &Path, file: Option<&OsString>, console: &mut Console) -> Option<(Vec<u8>, Store)> {
    let bytes = given.as_os_str().as_bytes();
    let (tree, name) = match (file, bytes.strip_suffix(b".ftr")) {
        (Some(file), _) => (given.to_owned(), file.as_bytes()),
        (None, Some(name)) => (given.to_owned(), name),
        (None, None) => (tree_of(bytes, None), bytes),
    };
    match open(&tree) {
        Ok(store) => Some((name.to_vec(), store)),
        Err(error) => {
            console.failure(&error);
            if error.is_missing() && tree != given {
                console.hint(
                    "to store a tree: truesum tree --save FILE; if its name differs, give TREE before FILE",
                );
            }
            None
        }
    }
}

/// A stored tree, or why it is none.
pub fn open(path: &Path) -> Result<Store, Error> {
    Store::open(path)?.map_err(|refusal| {
        Error::new(path.as_os_str().as_bytes(), "use", truesum::Cause::Other(refusal.to_string()))
    })
}

/// Says of a file why nothing is done with it.
pub fn refuse(path: &Path, why: &str, console: &mut Console) -> Exit {
    console.error_of(path.as_os_str().as_bytes(), why);
    Exit::NotAsAsked
}
