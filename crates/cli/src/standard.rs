//! The standard streams as the program was given them.
//!
//! Rust's runtime opens `/dev/null` where a standard stream is closed, and its own streams call a read or a write that the
//! system refuses for that reason a success: a program started without them would hash nothing, tell nobody, and say that
//! all is well. So each empty place is taken before the runtime looks, by something that can be neither read nor written nor
//! opened again by its name in `/dev`, and [`Input`] and [`Output`] pass on what the system says.

#![allow(unsafe_code)]

use rustix::fs::{FileType, Mode, OFlags};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use truesum::FileId;

/// Which of the three were closed when the program was started.
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

/// Called by the loader, before `main` and Rust's runtime.
//
// SAFETY: the section holds pointers to functions of the C calling convention, which the loader calls once each on the only
// thread there is. `occupy` needs nothing of Rust's runtime: it makes system calls and sets flags; it neither allocates,
// panics nor unwinds.
#[used]
#[unsafe(link_section = ".init_array")]
static OCCUPY: extern "C" fn() = occupy;

extern "C" fn occupy() {
    for (fd, closed) in (0..).zip(&CLOSED) {
        // SAFETY: asks for the flags of a number; that it may be no descriptor is the question.
        if unsafe { libc::fcntl(fd, libc::F_GETFD) } != -1 {
            continue;
        }
        closed.store(true, Relaxed);
        // The system gives the lowest number that is free, which is this one. It stays open to the end. The place of a
        // symbolic link says EBADF to reads and writes, and ELOOP to who opens `/dev/stdin`.
        let place = rustix::fs::open(c"/proc/self", OFlags::PATH | OFlags::NOFOLLOW, Mode::empty());
        let direction = if fd == 0 { OFlags::WRONLY } else { OFlags::RDONLY };
        if let Ok(place) = place.or_else(|_| rustix::fs::open(c"/dev/null", direction, Mode::empty())) {
            let _ = place.into_raw_fd();
        }
    }
}

/// Whether standard input was closed when the program was started.
pub fn input_was_closed() -> bool {
    CLOSED[0].load(Relaxed)
}

/// A descriptor that whoever started the program left open, from where it stands: it is not opened anew by a name.
///
/// # Errors
/// There is none of this number.
pub fn inherited(fd: u32) -> io::Result<File> {
    let fd = i32::try_from(fd).map_err(|_| io::Error::from_raw_os_error(libc::EBADF))?;
    // SAFETY: the number is no negative one. It is borrowed for one call, which copies the descriptor, or says that it is none.
    let borrowed = unsafe { BorrowedFd::borrow_raw(fd) };
    Ok(borrowed.try_clone_to_owned()?.into())
}

/// Whether this is the file, pipe or socket that is standard input. Of a terminal or a device that keeps nothing, every reader
/// has what it reads.
pub fn is_input(file: &File) -> bool {
    let stats = (rustix::fs::fstat(rustix::stdio::stdin()), rustix::fs::fstat(file));
    let (Ok(input), Ok(file)) = stats else { return false };
    let is_device = FileType::from_raw_mode(input.st_mode) == FileType::CharacterDevice;
    !is_device && !input_was_closed() && FileId::from(&input) == FileId::from(&file)
}

/// Standard input. Unlike Rust's own it is not buffered, and an error is an error.
#[derive(Debug)]
pub struct Input;

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(rustix::stdio::stdin(), buffer)?)
    }
}

/// Standard output. Unlike Rust's own it is not buffered, and an error is an error.
#[derive(Debug)]
pub struct Output;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(rustix::stdio::stdout(), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsFd for Output {
    fn as_fd(&self) -> BorrowedFd<'_> {
        rustix::stdio::stdout()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_streams_are_left_as_they_are() {
        let streams = || [rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr()];
        let what = || streams().map(|stream| rustix::fs::fstat(stream).map(|stat| FileId::from(&stat)));
        let before = what();
        occupy();
        assert_eq!(what(), before);
    }
}
