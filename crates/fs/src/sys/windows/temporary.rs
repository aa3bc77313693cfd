//! Files that are removed if the process is ended (`DeleteFileW`).
#![allow(unsafe_code)]

use super::{name, resolve};
use std::fs::File;
use std::os::windows::ffi::OsStrExt;
use std::sync::{Mutex, PoisonError, TryLockError};
use windows_sys::Win32::Storage::FileSystem::DeleteFileW;

/// A file that [`remove_all`] removes while this value exists.
pub struct Removal(u64);

/// The number of a file, and its path with the terminator that the system wants.
type Registered = (u64, Vec<u16>);

/// The last number, and the files to be removed.
static FILES: Mutex<(u64, Vec<Registered>)> = Mutex::new((0, Vec::new()));

impl Removal {
    /// Registers a file, if the path of its folder is known.
    pub fn of(folder: &File, name: &[u8]) -> Option<Removal> {
        let path = resolve::alias(folder).ok()?.join(name::checked(name)?);
        let wide: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
        let (last, files) = &mut *FILES.lock().unwrap_or_else(PoisonError::into_inner);
        *last += 1;
        files.push((*last, wide));
        Some(Removal(*last))
    }
}

impl Drop for Removal {
    fn drop(&mut self) {
        let (_, files) = &mut *FILES.lock().unwrap_or_else(PoisonError::into_inner);
        files.retain(|(number, _)| *number != self.0);
    }
}

/// Removes all registered files. It does not allocate.
pub fn remove_all() {
    let guard = match FILES.try_lock() {
        Ok(guard) => guard,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        // A file is being registered, by this thread if it is out of memory: it is not waited for.
        Err(TryLockError::WouldBlock) => return,
    };
    for (_, path) in &guard.1 {
        // SAFETY: the path ends in a terminator.
        unsafe { DeleteFileW(path.as_ptr()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::access::{Confinement, OpenMode};

    #[test]
    fn only_existing_files_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().as_os_str().as_encoded_bytes();
        let folder = resolve::open(None, path, OpenMode::Folder, Confinement::Anywhere).unwrap();
        let made = |name: &str| {
            std::fs::write(dir.path().join(name), "").unwrap();
            Removal::of(&folder, name.as_bytes()).unwrap()
        };
        let (kept, _first, _second) = (made("kept"), made("first"), made("second"));
        drop(kept);
        remove_all();
        let left: Vec<_> =
            std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["kept"]);
    }
}
