//! Detects whether a file is open for writing: the system refuses to open it without sharing it with writers.
//!
//! The test sees the handles of all processes of all users, but not a mapping whose handle was closed.

use super::failure::IN_USE;
use super::native::open_shared;
use crate::sys::writers::{Obstacle, Writers};
use std::fs::File;
use windows_sys::Wdk::Storage::FileSystem::FILE_OPEN;
use windows_sys::Win32::Storage::FileSystem::{FILE_READ_DATA, FILE_SHARE_DELETE, FILE_SHARE_READ};

/// Tests an open file.
pub fn writers(file: &File) -> Writers {
    // The handle is closed at once, so other programs cannot be disturbed for longer than a moment.
    match open_shared(file, &[], FILE_READ_DATA, FILE_SHARE_READ | FILE_SHARE_DELETE, FILE_OPEN, 0) {
        Ok(_) => Writers::None,
        Err(IN_USE) => Writers::Some,
        Err(_) => Writers::Unknown(Obstacle::FileSystem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;

    #[test]
    fn only_writers_are_detected() {
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let reading = File::open(&path).unwrap();
        assert_eq!(writers(&reading), Writers::None);
        let other = File::open(&path).unwrap();
        assert_eq!(writers(&reading), Writers::None, "readers do not count");
        let writing = OpenOptions::new().append(true).open(&path).unwrap();
        assert_eq!((writers(&reading), writers(&other)), (Writers::Some, Writers::Some));
        drop(writing);
        assert_eq!(writers(&reading), Writers::None);
        OpenOptions::new().write(true).open(&path).expect("nothing is left behind");
    }
}
