//! Stops a run: a flag that threads test between slices, and a pipe that wakes threads waiting for
//! input.
//!
//! The pipe is created when the first thread waits, so runs that read only regular files do not
//! have one.

use crate::error::Errno;
use crate::sys::wait::WakePipe;
pub use crate::sys::wait::Waker;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed, Ordering::SeqCst, fence};
use std::sync::{Arc, OnceLock};

/// The stop flag of a run, and the pipe that wakes waiting threads.
#[derive(Clone, Default)]
pub struct Stop {
    flag: Arc<AtomicBool>,
    pipe: Arc<OnceLock<WakePipe>>,
}

impl Stop {
    /// Returns whether a stop was requested.
    pub fn requested(&self) -> bool {
        self.flag.load(Relaxed)
    }

    /// Returns the flag that [`Stop::request`] sets. The flag alone does not wake any thread; see [`Stop::waker`].
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.flag.clone()
    }

    /// Requests a stop.
    pub fn request(&self) {
        self.flag.store(true, Relaxed);
        // Either this thread sees the pipe, or the thread that creates it sees the flag.
        fence(SeqCst);
        if let Some(pipe) = self.pipe.get() {
            pipe.wake();
        }
    }

    /// Returns a value that wakes waiting threads after the flag was set, from any thread or signal handler.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn waker(&self) -> io::Result<Waker> {
        self.pipe()?.waker()
    }

    fn pipe(&self) -> io::Result<&WakePipe> {
        if self.pipe.get().is_none() {
            // If another thread was faster, its pipe is used.
            let _ = self.pipe.set(WakePipe::new()?);
        }
        Ok(self.pipe.get().expect("set above"))
    }

    /// Waits until `file` has data or reaches its end. Returns false if the run was stopped.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn wait(&self, file: &File) -> Result<bool, Errno> {
        let pipe = self.pipe().map_err(|error| Errno::of(&error))?;
        fence(SeqCst);
        pipe.wait(file, &self.flag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::wait::pipe;
    use std::io::Write;
    use std::time::Duration;

    #[test]
    fn waiter_wakes_on_input_end_of_input_and_stop() {
        let stop = Stop::default();
        let (input, mut output) = pipe();
        output.write_all(b"x").unwrap();
        assert_eq!(stop.wait(&input), Ok(true));
        let (closed, _) = pipe();
        assert_eq!(stop.wait(&closed), Ok(true), "its end is something to be had");
        for by_handler in [false, true] {
            let stop = Stop::default();
            let (empty, _kept) = pipe();
            std::thread::scope(|scope| {
                let waiting: Vec<_> = (0..3).map(|_| scope.spawn(|| stop.wait(&empty))).collect();
                std::thread::sleep(Duration::from_millis(20));
                if by_handler {
                    stop.flag().store(true, Relaxed);
                    stop.waker().unwrap().wake();
                } else {
                    stop.request();
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
            let (empty, _kept) = pipe();
            std::thread::scope(|scope| {
                scope.spawn(|| assert_eq!(stop.wait(&empty), Ok(false)));
                stop.request();
            });
        }
    }
}
