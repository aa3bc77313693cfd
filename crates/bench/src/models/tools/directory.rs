//! The directory that is hashed: its contents, and the state of the cache.

use crate::Error;
use crate::measure::read::evict;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use truesum_fs::name::{OsStrExt, entry_name};

/// Returns the path with these bytes.
pub(super) fn path_of(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// Returns the regular files below a directory with their sizes, sorted; symbolic links are not followed.
pub(super) fn listing(root: &Path) -> Result<Vec<(Vec<u8>, u64)>, Error> {
    let mut files = Vec::new();
    let mut directories = vec![PathBuf::new()];
    while let Some(directory) = directories.pop() {
        let path = root.join(&directory);
        let failed = |why: std::io::Error| Error::file(&path, "list", &why);
        for entry in std::fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            let name = directory.join(entry.file_name());
            if kind.is_dir() {
                directories.push(name);
            } else if kind.is_file() {
                files.push((entry_name(name), entry.metadata().map_err(failed)?.len()));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Reads every file once, so that the first engine does not pay for the cold cache.
pub(super) fn warm(root: &Path, files: &[(Vec<u8>, u64)], stopped: impl Fn() -> bool) {
    let mut buffer = vec![0; 1 << 18];
    for (name, _) in files {
        let path = root.join(path_of(name));
        // An unreadable file fails the engines' own check, with their messages.
        let Ok(mut file) = std::fs::File::open(path) else { continue };
        while std::io::Read::read(&mut file, &mut buffer).is_ok_and(|len| len > 0 && !stopped()) {}
    }
}

/// Specifies what is dropped from the cache before a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cold {
    No,
    /// Only the pages of the files.
    Files,
    /// Pages, names and inodes of the whole machine: requires administrator rights.
    Machine,
}

/// Ensures that the next run reads the files from disk.
pub(super) fn chill(root: &Path, files: &[(Vec<u8>, u64)]) -> Cold {
    #[cfg(unix)]
    rustix::fs::sync();
    if std::fs::write("/proc/sys/vm/drop_caches", "3").is_ok() {
        return Cold::Machine;
    }
    for (name, _) in files {
        // Pages that cannot be dropped stay cached for all engines.
        let _ = evict(&root.join(path_of(name)));
    }
    Cold::Files
}
