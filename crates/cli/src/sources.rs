//! Files that this run reads in addition to what it hashes, such as a key or a list of names. No
//! output replaces one of them.

use std::path::Path;
use std::sync::Mutex;
use truesum::{Cause, Error, FileId};
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;

/// The files that this run reads: by device and inode, or by a name that the walk looks for in
/// every folder.
#[derive(Debug, Default)]
struct Sources {
    files: Vec<FileId>,
    names: Vec<&'static str>,
}

/// The state is global, like the standard streams, because every function that opens an output
/// queries it.
static SOURCES: Mutex<Sources> = Mutex::new(Sources { files: Vec::new(), names: Vec::new() });

fn known<T>(act: impl FnOnce(&mut Sources) -> T) -> T {
    // Nothing in here panics halfway, so the data is valid even if another thread panicked.
    act(&mut SOURCES.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
}

/// Protects a file that is read from being replaced. Only regular files could be lost.
pub fn keep(file: &Metadata) {
    if file.kind().is_file() {
        known(|sources| sources.files.push(file.id()));
    }
}

/// Protects files with a name that the walk looks for.
pub fn keep_named(name: &'static str) {
    known(|sources| sources.names.push(name));
}

/// Refuses to replace a protected file, whatever name is used for it.
///
/// # Errors
/// Fails if the path is such a file.
pub fn refuse_replacing(path: &Path) -> Result<(), Error> {
    let Ok(there) = Metadata::at(path) else { return Ok(()) };
    let named = |name: &&str| path.file_name().is_some_and(|last| last == *name);
    let is_one =
        |sources: &mut Sources| sources.files.contains(&there.id()) || sources.names.iter().any(named);
    match there.kind().is_file() && known(is_one) {
        true => {
            let why = Cause::Other("it is an input of this run, so it is not replaced".to_owned());
            Err(Error::new(path.as_os_str().as_bytes(), "write", why))
        }
        false => Ok(()),
    }
}
