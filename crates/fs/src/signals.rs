//! Requests to end the run: signals, and on Windows the console's.
//!
//! The first request lets the run finish what it has started and report its results; the second one ends it immediately.
//! So does a timeout of a few seconds after the first one, because a read from a device or server may never return.

use crate::stop::Stop;
pub use crate::sys::signals::{Signals, end_by_closed_pipe};
use std::io;

impl Signals {
    /// Makes requests to end the program stop the run: SIGINT, SIGTERM and SIGHUP, on Windows Ctrl-C, Ctrl-Break and
    /// closing the console. SIGUSR1, where it exists, requests a status line.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn install(stop: &Stop) -> io::Result<Signals> {
        Signals::register(&stop.flag(), || stop.waker())
    }
}
