//! Stored trees by name: which file a tree belongs to, where the tree of a file is stored, and
//! opening one.

use crate::console::Console;
use crate::exit::Exit;
use crate::words::path_word;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use truesum::Error;
use truesum::tree::store::{Store, with_suffix};
use truesum_fs::name::OsStrExt;

/// Returns where the tree of a file is stored.
pub fn tree_of(file: &[u8], folder: Option<&Path>) -> PathBuf {
    stored_tree_path(file, folder, ".ftr")
}

/// Does the same for a tree with this extension.
pub fn stored_tree_path(file: &[u8], folder: Option<&Path>, ending: &str) -> PathBuf {
    let file = Path::new(std::ffi::OsStr::from_bytes(file));
    match (folder, file.file_name()) {
        (Some(folder), Some(name)) => with_suffix(folder.join(name), ending),
        _ => with_suffix(file, ending),
    }
}

/// Opens a stored tree. Returns the name of its file, and the tree. `given` is the tree, or the
/// file, whose tree is then next to it. Returns `None` after reporting an error if the tree cannot
/// be used. `copy` is an intact copy for the hint, if the user specified one.
pub fn opened(
    given: &Path,
    file: Option<&OsString>,
    copy: Option<&OsStr>,
    console: &mut Console,
) -> Option<(Vec<u8>, Store)> {
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
                // A tree of the damaged file would match the damage.
                console.hint(&match copy {
                    Some(copy) => {
                        let (copy, file) = (path_word(copy), path_word(given));
                        format!(
                            "to repair the file with the tree of the intact copy: truesum tree --save {copy} && truesum tree repair \
                             --from {copy} {copy}.ftr {file}"
                        )
                    }
                    None => "if a tree exists under another name, specify TREE FILE; to store the tree of an intact \
                             copy: truesum tree --save COPY"
                        .to_owned(),
                });
            }
            None
        }
    }
}

/// Returns the command that repairs a file, from parity or from a copy, with the arguments of the current command.
pub fn repair_command(tree: &Path, file: Option<&OsStr>, from_copy: bool) -> String {
    let from = if from_copy { " --from COPY" } else { "" };
    let file = file.map_or(String::new(), |file| format!(" {}", path_word(file)));
    format!("truesum tree repair{from} {}{file}", path_word(tree))
}

/// Returns the hint for a file that matches its tree except for bytes after its original end.
pub fn truncation(file: &[u8], size: u64) -> String {
    let file = path_word(OsStr::from_bytes(file));
    format!("if the bytes at its end are not wanted, remove them: truncate -s {size} {file}")
}

/// Opens a stored tree, or returns why it is invalid.
pub fn open(path: &Path) -> Result<Store, Error> {
    Store::open(path)?.map_err(|refusal| {
        Error::new(path.as_os_str().as_bytes(), "use", truesum::Cause::Other(refusal.to_string()))
    })
}

/// Prints why a file is refused.
pub fn refuse(path: &Path, why: &str, console: &mut Console) -> Exit {
    console.error_of(path.as_os_str().as_bytes(), why);
    Exit::NotAsRequested
}
