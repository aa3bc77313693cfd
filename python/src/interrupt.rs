//! Runs long work in a separate thread while the calling thread handles Ctrl-C and delivers events.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use truesum::Progress;

/// The interval at which the calling thread checks for signals. Including the slice being hashed, KeyboardInterrupt is
/// raised within a tenth of a second.
pub const SIGNAL_INTERVAL: Duration = Duration::from_millis(20);

/// The number of events that are buffered for the calling thread.
const MAX_QUEUED: usize = 1024;

/// The sending side of the events.
pub struct EventSender<E>(SyncSender<E>);

impl<E> EventSender<E> {
    /// Sends an event.
    ///
    /// # Errors
    /// The receiver is gone.
    pub fn send(&self, event: E) -> std::io::Result<()> {
        self.0.send(event).map_err(|_| std::io::Error::other("interrupted"))
    }
}

/// Calls a Python function with the number of bytes read so far: at most every 50 ms, and once at the end.
pub struct Meter {
    callback: Option<Py<PyAny>>,
    shown: Option<u64>,
    due: Instant,
}

impl Meter {
    /// Returns a meter for this function; without one, nothing is called.
    pub fn new(callback: Option<Py<PyAny>>) -> Meter {
        Meter { callback, shown: None, due: Instant::now() + Meter::INTERVAL }
    }

    const INTERVAL: Duration = Duration::from_millis(50);

    /// Calls the function if the number has changed and the last call is long enough ago.
    ///
    /// # Errors
    /// Returns the exception of the function.
    pub fn show(&mut self, py: Python<'_>, bytes: u64) -> PyResult<()> {
        if self.callback.is_none() || Instant::now() < self.due { Ok(()) } else { self.finish(py, bytes) }
    }

    /// Calls the function if the number has changed.
    ///
    /// # Errors
    /// Returns the exception of the function.
    pub fn finish(&mut self, py: Python<'_>, bytes: u64) -> PyResult<()> {
        if let Some(callback) = self.callback.as_ref().filter(|_| self.shown != Some(bytes)) {
            callback.call1(py, (bytes,))?;
            self.shown = Some(bytes);
            self.due = Instant::now() + Meter::INTERVAL;
        }
        Ok(())
    }
}

/// Runs `work` without the interpreter lock and calls `each` with its events. If a signal handler or `each` raises an
/// exception, `progress` is stopped, and the exception is raised when the work has ended.
///
/// # Errors
/// Returns the error of `each` or a signal handler. Fails if the work panicked or no thread could be started.
pub fn interruptible<T: Send, E: Send>(
    py: Python<'_>,
    progress: &Progress,
    work: impl FnOnce(&EventSender<E>) -> T + Send,
    each: impl FnMut(Python<'_>, E) -> PyResult<()>,
) -> PyResult<T> {
    metered(py, progress, Meter::new(None), work, each)
}

/// Does the same as [`interruptible`] and reports the number of bytes read.
///
/// # Errors
/// Also returns the error of the meter's function.
pub fn metered<T: Send, E: Send>(
    py: Python<'_>,
    progress: &Progress,
    mut meter: Meter,
    work: impl FnOnce(&EventSender<E>) -> T + Send,
    mut each: impl FnMut(Python<'_>, E) -> PyResult<()>,
) -> PyResult<T> {
    let (send, receive) = sync_channel(MAX_QUEUED);
    std::thread::scope(|scope| {
        let builder = truesum::thread("python").unwrap_or_else(std::thread::Builder::new);
        let working = builder
            .spawn_scoped(scope, move || work(&EventSender(send)))
            .map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))?;
        let result = listen(py, receive, &mut each, &mut || meter.show(py, progress.bytes()));
        if result.is_err() {
            progress.stop();
        }
        let ended = py.detach(move || working.join());
        result?;
        meter.finish(py, progress.bytes())?;
        ended.map_err(|_| PyRuntimeError::new_err("internal error: a thread of truesum panicked"))
    })
}

fn listen<E: Send>(
    py: Python<'_>,
    receive: Receiver<E>,
    each: &mut impl FnMut(Python<'_>, E) -> PyResult<()>,
    tick: &mut impl FnMut() -> PyResult<()>,
) -> PyResult<()> {
    let receive = std::sync::Mutex::new(receive);
    loop {
        let next = py.detach(|| receive.lock().expect("one listener").recv_timeout(SIGNAL_INTERVAL));
        match next {
            Ok(event) => each(py, event)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        tick()?;
        py.check_signals()?;
    }
}
