//! The standard streams, which are descriptors 0 to 2.
#![allow(unsafe_code)]

#[cfg(not(target_os = "linux"))]
use crate::sys::bsd::{path, placeholder};
use crate::sys::errno::Errno;
#[cfg(target_os = "linux")]
use crate::sys::linux::{path, placeholder};
use rustix::fs::OFlags;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{BorrowedFd, FromRawFd, IntoRawFd, RawFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether each of the three streams was closed when the program was started.
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

/// Occupies the descriptors of closed standard streams. The program calls it before Rust's runtime starts, on its only
/// thread.
///
/// It does not use the runtime: it makes system calls and sets flags; it neither allocates, panics nor unwinds.
pub extern "C" fn open_closed_streams() {
    for (fd, closed) in (0..).zip(&CLOSED) {
        // SAFETY: queries the flags of a descriptor number, which may be invalid.
        if unsafe { libc::fcntl(fd, libc::F_GETFD) } != -1 {
            continue;
        }
        closed.store(true, Relaxed);
        // The system returns the lowest free number, which is this one. It stays open to the end.
        if let Ok(place) = placeholder::open(fd) {
            let _ = place.into_raw_fd();
        }
    }
}

/// Returns whether a stream was closed when the program was started.
pub fn was_closed(stream: usize) -> bool {
    CLOSED[stream].load(Relaxed)
}

/// Returns a standard stream by its number on Unix.
pub fn stream(fd: RawFd) -> ManuallyDrop<File> {
    // SAFETY: the standard streams belong to the whole process and are never closed; neither is this value.
    ManuallyDrop::new(unsafe { File::from_raw_fd(fd) })
}

/// Returns a descriptor inherited from the parent process, at its current position; it is not
/// reopened by name.
///
/// # Errors
/// Fails if there is no descriptor with this number.
pub fn inherited(fd: u32) -> io::Result<File> {
    let fd = i32::try_from(fd).map_err(|_| Errno::BADF)?;
    // SAFETY: the number is not negative. It is borrowed for one call, which duplicates the
    // descriptor or fails.
    let borrowed = unsafe { BorrowedFd::borrow_raw(fd) };
    Ok(borrowed.try_clone_to_owned()?.into())
}

/// Returns the path of the file that is standard output, if it has one.
pub fn output_path() -> Option<PathBuf> {
    path::real_path(&stream(1)).ok().map(|path| OsString::from_vec(path).into())
}

/// Returns whether standard input may be read.
pub fn input_is_readable() -> io::Result<bool> {
    Ok(rustix::fs::fcntl_getfl(&*stream(0))? & OFlags::ACCMODE != OFlags::WRONLY)
}

/// Replaces standard input.
pub fn replace_input(file: File) -> io::Result<()> {
    Ok(rustix::stdio::dup2_stdin(file)?)
}
