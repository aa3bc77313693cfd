//! Waits for input, and for a request to stop waiting (poll(2)).

use crate::sys::errno::Errno;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A pipe that wakes all threads that wait for input. No thread ever reads it: once it contains a byte, it wakes all
/// threads that wait or will wait.
pub struct WakePipe {
    reader: PipeReader,
    writer: PipeWriter,
}

impl WakePipe {
    /// Creates the pipe.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn new() -> io::Result<WakePipe> {
        let (reader, writer) = io::pipe()?;
        rustix::fs::fcntl_setfl(&writer, OFlags::NONBLOCK)?;
        Ok(WakePipe { reader, writer })
    }

    /// Wakes all threads.
    pub fn wake(&self) {
        // If the pipe is full, all threads have been woken already.
        let _ = rustix::io::write(&self.writer, &[1]);
    }

    /// Returns a value that wakes the threads from a signal handler.
    ///
    /// # Errors
    /// Returns the system's error if no descriptor is available.
    pub fn waker(&self) -> io::Result<Waker> {
        Ok(Waker(self.writer.as_fd().try_clone_to_owned()?))
    }

    /// Waits until `file` has data or reaches its end. Returns false if `stopped` was set and the threads were woken.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn wait(&self, file: &File, stopped: &AtomicBool) -> Result<bool, Errno> {
        while !stopped.load(Relaxed) {
            let mut both = [PollFd::new(file, PollFlags::IN), PollFd::new(&self.reader, PollFlags::IN)];
            match poll(&mut both, None) {
                // A handler that sets the flag and then writes to the pipe has set it by the time the pipe is readable.
                Ok(_) if !both[0].revents().is_empty() => return Ok(!stopped.load(Relaxed)),
                Ok(_) if !both[1].revents().is_empty() => return Ok(false),
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(false)
    }
}

/// Wakes the threads that wait for input, from any thread or signal handler.
pub struct Waker(OwnedFd);

impl Waker {
    /// Wakes the threads. It makes one system call, which never blocks.
    pub fn wake(&self) {
        let _ = rustix::io::write(&self.0, &[1]);
    }
}

/// Waits until a file has data or reaches its end.
pub fn until_readable(file: &File) -> Result<(), Errno> {
    rustix::io::retry_on_intr(|| poll(&mut [PollFd::new(file, PollFlags::IN)], None))?;
    Ok(())
}

/// Returns whether a read would return at once, or whether that cannot be determined.
pub fn is_ready(file: &File) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    !matches!(poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&now)), Ok(0))
}

/// Returns a pipe, for tests.
#[cfg(test)]
pub fn pipe() -> (File, PipeWriter) {
    let (reader, writer) = io::pipe().expect("a pipe");
    (File::from(OwnedFd::from(reader)), writer)
}
