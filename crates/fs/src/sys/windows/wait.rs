//! Waits for input, and for a request to stop waiting (`PeekNamedPipe`, `WaitForMultipleObjects`).
#![allow(unsafe_code)]

use super::failure::last;
use crate::sys::errno::Errno;
use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use windows_sys::Win32::Foundation::{WAIT_FAILED, WAIT_OBJECT_0};
use windows_sys::Win32::Storage::FileSystem::{FILE_TYPE_CHAR, FILE_TYPE_PIPE, GetFileType};
use windows_sys::Win32::System::Pipes::PeekNamedPipe;
use windows_sys::Win32::System::Threading::{
    CreateEventW, INFINITE, SetEvent, WaitForMultipleObjects, WaitForSingleObject,
};

/// How often, in milliseconds, a pipe is tested for data: no call waits for it without reading.
const INTERVAL: u32 = 10;

/// An event that wakes all threads that wait for input, and all that will wait.
pub struct WakePipe(Arc<OwnedHandle>);

/// Wakes the threads that wait for input, from any thread.
pub struct Waker(Arc<OwnedHandle>);

impl Waker {
    /// Wakes the threads.
    pub fn wake(&self) {
        wake(&self.0);
    }
}

fn wake(event: &OwnedHandle) {
    // SAFETY: the event is open.
    unsafe { SetEvent(event.as_raw_handle()) };
}

impl WakePipe {
    /// Creates the event.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn new() -> io::Result<WakePipe> {
        // SAFETY: creates an event without a name that stays set.
        let event = unsafe { CreateEventW(ptr::null(), 1, 0, ptr::null()) };
        if event.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a new handle that nothing else owns.
        Ok(WakePipe(Arc::new(unsafe { OwnedHandle::from_raw_handle(event) })))
    }

    /// Wakes all threads.
    pub fn wake(&self) {
        wake(&self.0);
    }

    /// Returns a value that wakes the threads from another thread.
    ///
    /// # Errors
    /// Never fails.
    pub fn waker(&self) -> io::Result<Waker> {
        Ok(Waker(self.0.clone()))
    }

    /// Waits until `file` has data or reaches its end. Returns false if `stopped` was set and the threads were woken. A
    /// console counts as ready when any key is pressed; what is read then is a whole line.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn wait(&self, file: &File, stopped: &AtomicBool) -> Result<bool, Errno> {
        let (event, input) = (self.0.as_raw_handle(), file.as_raw_handle());
        while !stopped.load(Relaxed) {
            // SAFETY: both handles are open, and the array lives until the call returns.
            let woken = unsafe {
                match GetFileType(input) {
                    FILE_TYPE_PIPE if !is_ready(file) => WaitForSingleObject(event, INTERVAL),
                    FILE_TYPE_CHAR => match WaitForMultipleObjects(2, [event, input].as_ptr(), 0, INFINITE) {
                        WAIT_FAILED => return Err(last()),
                        woken => woken,
                    },
                    _ => return Ok(!stopped.load(Relaxed)),
                }
            };
            match woken {
                WAIT_OBJECT_0 => return Ok(false),
                ready if ready == WAIT_OBJECT_0 + 1 => return Ok(!stopped.load(Relaxed)),
                _ => {}
            }
        }
        Ok(false)
    }
}

/// Does nothing: reads wait for data.
pub fn until_readable(_file: &File) -> Result<(), Errno> {
    Ok(())
}

/// Returns whether a read would return at once, or whether that cannot be determined.
pub fn is_ready(file: &File) -> bool {
    let pipe = file.as_raw_handle();
    let (none, mut available) = (ptr::null_mut(), 0);
    // SAFETY: the handle is open, and the call writes only to `available`. It fails at the end of a
    // pipe, and for files that are not pipes.
    unsafe {
        GetFileType(pipe) != FILE_TYPE_PIPE
            || PeekNamedPipe(pipe, none, 0, none.cast(), &mut available, none.cast()) == 0
            || available > 0
    }
}

/// Returns a pipe, for tests.
#[cfg(test)]
pub fn pipe() -> (File, io::PipeWriter) {
    let (reader, writer) = io::pipe().expect("a pipe");
    (File::from(OwnedHandle::from(reader)), writer)
}
