//! The standard streams as passed to the program.
//!
//! Rust's runtime opens `/dev/null` in place of a closed standard stream, and its own streams treat
//! reads and writes that fail for that reason as successful: a program started without them would
//! hash nothing, report nothing, and succeed. Therefore each free descriptor is occupied before the
//! runtime starts ([`occupy`]), by something that can be neither read nor written nor reopened by its name in
//! `/dev`, and [`Input`] and [`Output`] return the system's errors.

#![allow(unsafe_code)]

use crate::data;
use crate::error::Errno;
use crate::handle::{AsFd, BorrowedFd};
use crate::metadata::{FileType, Metadata};
use rustix::fs::{Mode, OFlags};
pub use rustix::stdio::{stderr, stdin, stdout};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::IntoRawFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether each of the three streams was closed when the program was started.
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

/// Occupies the descriptors of closed standard streams. The program calls it before Rust's runtime starts, on its only
/// thread.
///
/// It does not use the runtime: it makes system calls and sets flags; it neither allocates, panics nor unwinds.
pub extern "C" fn occupy() {
    for (fd, closed) in (0..).zip(&CLOSED) {
        // SAFETY: queries the flags of a descriptor number, which may be invalid.
        if unsafe { libc::fcntl(fd, libc::F_GETFD) } != -1 {
            continue;
        }
        closed.store(true, Relaxed);
        // The system returns the lowest free number, which is this one. It stays open to the end. A
        // descriptor of a symbolic link makes reads and writes fail with EBADF, and opening
        // `/dev/stdin` with ELOOP.
        let place = rustix::fs::open(c"/proc/self", OFlags::PATH | OFlags::NOFOLLOW, Mode::empty());
        let direction = if fd == 0 { OFlags::WRONLY } else { OFlags::RDONLY };
        if let Ok(place) = place.or_else(|_| rustix::fs::open(c"/dev/null", direction, Mode::empty())) {
            let _ = place.into_raw_fd();
        }
    }
}

/// Returns whether standard input was closed when the program was started.
pub fn input_was_closed() -> bool {
    CLOSED[0].load(Relaxed)
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

/// Returns whether this is the file, pipe or socket that is standard input. Terminals and devices
/// without content are excluded, because every reader gets the same input.
pub fn is_input(file: &File) -> bool {
    let stats = (Metadata::of(stdin()), Metadata::of(file));
    let (Ok(input), Ok(file)) = stats else { return false };
    let is_device = input.kind() == FileType::CharacterDevice;
    !is_device && !input_was_closed() && input.id() == file.id()
}

/// Returns the path of the file that is standard output, if it has one.
pub fn output_path() -> Option<PathBuf> {
    std::fs::read_link("/proc/self/fd/1").ok()
}

/// Makes standard input empty if it was closed when the program was started or cannot be read.
///
/// # Errors
/// Returns the system's error.
pub fn replace_unreadable_input() -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(stdin())?;
    if input_was_closed() || flags & OFlags::ACCMODE == OFlags::WRONLY {
        rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    }
    Ok(())
}

/// Standard input. Unlike Rust's own, it is not buffered and returns all errors.
#[derive(Debug)]
pub struct Input;

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(data::read(stdin(), buffer)?)
    }
}

/// Standard output. Unlike Rust's own, it is not buffered and returns all errors.
#[derive(Debug)]
pub struct Output;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(data::write(stdout(), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsFd for Output {
    fn as_fd(&self) -> BorrowedFd<'_> {
        stdout()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_standard_streams_are_left_alone() {
        let streams = || [stdin(), stdout(), stderr()];
        let what = || streams().map(|stream| Metadata::of(stream).map(|stat| stat.id()));
        let before = what();
        occupy();
        assert_eq!(what(), before);
    }
}
