//! Advisory locks (`LockFileEx`).
#![allow(unsafe_code)]

use super::failure::last;
use crate::sys::errno::Errno;
use std::fs::File;
use std::mem::zeroed;
use std::os::windows::io::AsRawHandle;
use windows_sys::Win32::Storage::FileSystem::{
    LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx,
};
use windows_sys::Win32::System::IO::OVERLAPPED;

/// The offset of the locked byte. Nobody else may read or write locked bytes, so it is one that no file has.
const OFFSET: u64 = i64::MAX as u64 - 1;

/// Locks an open file without waiting. The error is [`Errno::AGAIN`] if another process has locked it.
pub fn try_lock(file: &File) -> Result<(), Errno> {
    // SAFETY: the handle is open; all-zero is a valid request, which lives until the call returns. The call does not wait.
    let done = unsafe {
        let mut place: OVERLAPPED = zeroed();
        place.Anonymous.Anonymous.Offset = OFFSET as u32;
        place.Anonymous.Anonymous.OffsetHigh = (OFFSET >> 32) as u32;
        let flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
        LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &mut place)
    };
    if done == 0 { Err(last()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_excludes_other_locks_and_no_reader() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, "content").unwrap();
        let (first, second) = (File::open(&path).unwrap(), File::open(&path).unwrap());
        try_lock(&first).unwrap();
        assert_eq!(try_lock(&second), Err(Errno::AGAIN));
        assert_eq!(std::fs::read(&path).unwrap(), b"content");
        let duplicate = first.try_clone().unwrap();
        drop(first);
        assert_eq!(try_lock(&second), Err(Errno::AGAIN), "a duplicate keeps the lock");
        drop(duplicate);
        assert_eq!(try_lock(&second), Ok(()));
    }
}
