//! Files that this run is told to read beside what it hashes, such as a key or a list of names: no output takes the place of one.

use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Mutex;
use truesum::{Cause, Error, FileId};

/// What is read: files by device and inode, and names that the walk looks for in every folder.
#[derive(Debug, Default)]
struct Sources {
    files: Vec<FileId>,
    names: Vec<&'static str>,
}

/// Of the whole run, as its standard streams are: whatever opens an output asks here.
static SOURCES: Mutex<Sources> = Mutex::new(Sources { files: Vec::new(), names: Vec::new() });

fn known<T>(act: impl FnOnce(&mut Sources) -> T) -> T {
    // Nothing in here panics half way: what is known holds whatever became of another thread.
    act(&mut SOURCES.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
}

/// Keeps a file that is read from being replaced. What is no regular file has nothing that could be lost.
pub fn keep(file: &Metadata) {
    if file.is_file() {
        known(|sources| sources.files.push(FileId::from(file)));
    }
}

/// Keeps files of a name that is looked for while folders are walked.
pub fn keep_named(name: &'static str) {
    known(|sources| sources.names.push(name));
}

/// Refuses to write where such a file is, under whatever name.
///
/// # Errors
/// One is there.
pub fn refuse_replacing(path: &Path) -> Result<(), Error> {
    let Ok(there) = std::fs::metadata(path) else { return Ok(()) };
    let named = |name: &&str| path.file_name().is_some_and(|last| last == *name);
    let is_one = |sources: &mut Sources| {
        sources.files.contains(&FileId::from(&there)) || sources.names.iter().any(named)
    };
    match there.is_file() && known(is_one) {
        true => {
            let why = Cause::Other("it is an input of this run, and is not replaced".to_owned());
            Err(Error::new(path.as_os_str().as_bytes(), "write", why))
        }
        false => Ok(()),
    }
}
