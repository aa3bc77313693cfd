//! Stops a run: a flag that threads test between slices, and a pipe that wakes threads waiting for input.
//!
//! No thread ever reads the pipe: once it contains a byte, it wakes all threads that wait or will wait. It is created
//! when the first thread waits, so runs that read only regular files do not have one.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed, Ordering::SeqCst, fence};
use std::sync::{Arc, OnceLock};

/// The stop flag of a run, and the pipe that wakes waiting threads.
#[derive(Clone, Default)]
pub struct Stop {
    flag: Arc<AtomicBool>,
    bell: Arc<OnceLock<(PipeReader, PipeWriter)>>,
}

impl Stop {
    /// Returns whether a stop was requested.
    pub fn requested(&self) -> bool {
        self.flag.load(Relaxed)
    }

    /// Returns the flag that [`Stop::ask`] sets. The flag alone does not wake any thread; see [`Stop::bell`].
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.flag.clone()
    }

    /// Requests a stop.
    pub fn ask(&self) {
        self.flag.store(true, Relaxed);
        // Either this thread sees the pipe, or the thread that creates it sees the flag.
        fence(SeqCst);
        if let Some((_, end)) = self.bell.get() {
            // If the pipe is full, all threads have been woken already.
            let _ = rustix::io::write(end, &[1]);
        }
    }

    /// Returns the write end of the pipe that wakes waiting threads.
    ///
    /// # Errors
    /// Returns the system's error if no pipe can be created.
    pub fn bell(&self) -> io::Result<OwnedFd> {
        self.hung()?.1.as_fd().try_clone_to_owned()
    }

    fn hung(&self) -> io::Result<&(PipeReader, PipeWriter)> {
        if self.bell.get().is_none() {
            let ends = io::pipe()?;
            rustix::fs::fcntl_setfl(&ends.1, OFlags::NONBLOCK)?;
            // If another thread was faster, its pipe is used.
            let _ = self.bell.set(ends);
        }
        Ok(self.bell.get().expect("set above"))
    }

    /// Waits until `file` has data or reaches its end. Returns false if the run was stopped.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn wait(&self, file: impl AsFd) -> Result<bool, Errno> {
        let bell = self.hung().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::MFILE))?;
        fence(SeqCst);
        while !self.requested() {
            let mut both = [PollFd::new(&file, PollFlags::IN), PollFd::new(&bell.0, PollFlags::IN)];
            match poll(&mut both, None) {
                // A handler that sets the flag and then writes to the pipe has set it by the time the pipe is readable.
                Ok(_) if !both[0].revents().is_empty() => return Ok(!self.requested()),
                Ok(_) if !both[1].revents().is_empty() => return Ok(false),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::time::Duration;

    #[test]
    fn waiter_wakes_on_input_end_of_input_and_stop() {
        let stop = Stop::default();
        let (input, mut output) = io::pipe().unwrap();
        output.write_all(b"x").unwrap();
        assert_eq!(stop.wait(&input), Ok(true));
        let (closed, _) = io::pipe().unwrap();
        assert_eq!(stop.wait(&closed), Ok(true), "its end is something to be had");
        for by_handler in [false, true] {
            let stop = Stop::default();
            let (empty, _kept) = io::pipe().unwrap();
            std::thread::scope(|scope| {
                let waiting: Vec<_> = (0..3).map(|_| scope.spawn(|| stop.wait(&empty))).collect();
                std::thread::sleep(Duration::from_millis(20));
                if by_handler {
                    stop.flag().store(true, Relaxed);
                    rustix::io::write(stop.bell().unwrap(), &[1]).unwrap();
                } else {
                    stop.ask();
                }
                for waiting in waiting {
                    assert_eq!(waiting.join().unwrap(), Ok(false));
                }
            });
            assert_eq!(stop.wait(&empty), Ok(false), "and whoever comes later");
        }
    }

    #[test]
    fn stop_at_any_moment_wakes_the_waiter() {
        for _ in 0..2000 {
            let stop = Stop::default();
            let (empty, _kept) = io::pipe().unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| assert_eq!(stop.wait(&empty), Ok(false)));
                stop.ask();
            });
        }
    }
}
