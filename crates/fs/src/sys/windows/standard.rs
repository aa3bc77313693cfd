//! The standard streams (`GetStdHandle`).
#![allow(unsafe_code)]

use super::{failure, name, resolve};
use crate::sys::errno::Errno;
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::windows::io::{AsRawHandle, FromRawHandle, IntoRawHandle};
use std::path::PathBuf;
use std::ptr;
use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::Storage::FileSystem::{FILE_TYPE_DISK, GetFileType, ReadFile};
use windows_sys::Win32::System::Console::{
    GetStdHandle, STD_ERROR_HANDLE, STD_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle,
};

const STREAMS: [STD_HANDLE; 3] = [STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE];

/// Does nothing: Windows does not give the place of a closed stream to another file.
pub extern "C" fn open_closed_streams() {}

/// Returns whether a stream was closed when the program was started.
pub fn was_closed(stream: usize) -> bool {
    let handle = handle(stream);
    handle.is_null() || handle == INVALID_HANDLE_VALUE
}

fn handle(stream: usize) -> HANDLE {
    // SAFETY: returns a handle of this process, which may be null or invalid.
    unsafe { GetStdHandle(STREAMS[stream]) }
}

/// Returns a standard stream by its number on Unix.
pub fn stream(stream: usize) -> ManuallyDrop<File> {
    // SAFETY: the standard streams belong to the whole process and are never closed; neither is this value. Calls with a
    // handle that is null or invalid fail.
    ManuallyDrop::new(unsafe { File::from_raw_handle(handle(stream)) })
}

/// Returns a standard stream by its number on Unix; no other files are inherited by number.
///
/// # Errors
/// Fails for other numbers, or if the stream is closed.
pub fn inherited(fd: u32) -> io::Result<File> {
    match fd as usize {
        number if number < STREAMS.len() && !was_closed(number) => stream(number).try_clone(),
        _ => Err(Errno::BADF.into()),
    }
}

/// Returns the path of the file that is standard output, if it has one.
pub fn output_path() -> Option<PathBuf> {
    // SAFETY: the call fails for a handle that is null or invalid.
    let is_file = unsafe { GetFileType(handle(1)) } == FILE_TYPE_DISK;
    let path = resolve::real_path(&stream(1)).ok().filter(|_| is_file)?;
    Some(PathBuf::from(name::checked(&path)?))
}

/// Returns whether standard input may be read.
pub fn input_is_readable() -> io::Result<bool> {
    let input = stream(0);
    let mut read = 0;
    // SAFETY: reads no bytes, and so does not need a buffer. The call is made only for files, where it does not wait.
    let is_readable = unsafe {
        GetFileType(input.as_raw_handle()) != FILE_TYPE_DISK
            || ReadFile(input.as_raw_handle(), ptr::null_mut(), 0, &mut read, ptr::null_mut()) != 0
    };
    Ok(is_readable)
}

/// Replaces standard input.
pub fn replace_input(file: File) -> io::Result<()> {
    // SAFETY: the handle is taken from its only owner and stays open.
    match unsafe { SetStdHandle(STD_INPUT_HANDLE, file.into_raw_handle()) } {
        0 => Err(failure::last().into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_three_streams_are_inherited() {
        assert!(inherited(3).is_err() && inherited(u32::MAX).is_err());
        assert_eq!(inherited(2).is_ok(), !was_closed(2));
    }
}
