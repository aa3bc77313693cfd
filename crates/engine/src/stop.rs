//! Asking a run to end: a flag that threads look at between slices, and a bell for those that wait for input.
//!
//! The bell is a pipe of which nobody ever reads: once a byte is in it, it wakes all that wait and all that come to wait. It is
//! made when the first of them waits, so runs on files have none.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed, Ordering::SeqCst, fence};
use std::sync::{Arc, OnceLock};

/// Whether a run was asked to end, and what wakes who waits.
#[derive(Clone, Default)]
pub(crate) struct Stop {
    flag: Arc<AtomicBool>,
    bell: Arc<OnceLock<(PipeReader, PipeWriter)>>,
}

impl Stop {
    /// Whether the end was asked for.
    pub(crate) fn asked(&self) -> bool {
        self.flag.load(Relaxed)
    }

    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        self.flag.clone()
    }

    /// Asks for the end.
    pub(crate) fn ask(&self) {
        self.flag.store(true, Relaxed);
        // Either this sees the bell, or who hangs it up sees the flag.
        fence(SeqCst);
        if let Some((_, end)) = self.bell.get() {
            // Where it is full it has long been rung.
            let _ = rustix::io::write(end, &[1]);
        }
    }

    /// The end to ring the bell by.
    pub(crate) fn bell(&self) -> io::Result<OwnedFd> {
        self.hung()?.1.as_fd().try_clone_to_owned()
    }

    fn hung(&self) -> io::Result<&(PipeReader, PipeWriter)> {
        if self.bell.get().is_none() {
            let ends = io::pipe()?;
            rustix::fs::fcntl_setfl(&ends.1, OFlags::NONBLOCK)?;
            // Where another thread was faster its bell hangs.
            let _ = self.bell.set(ends);
        }
        Ok(self.bell.get().expect("set above"))
    }

    /// Waits until there is something to be had from `file`, were it its end; false where the run was asked to end.
    ///
    /// # Errors
    /// The system's.
    pub(crate) fn wait(&self, file: impl AsFd) -> Result<bool, Errno> {
        let bell = self.hung().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::MFILE))?;
        fence(SeqCst);
        while !self.asked() {
            let mut both = [PollFd::new(&file, PollFlags::IN), PollFd::new(&bell.0, PollFlags::IN)];
            match poll(&mut both, None) {
                // A handler that sets the flag and then rings has set it when the bell is heard.
                Ok(_) if !both[0].revents().is_empty() => return Ok(!self.asked()),
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
    fn who_waits_is_woken_by_input_by_its_end_and_by_the_bell() {
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
    fn asking_at_any_moment_wakes() {
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
