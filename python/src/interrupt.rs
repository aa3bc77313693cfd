//! Long work in a thread of its own, while the calling one listens for Ctrl-C and hands over what is told.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;
use truesum::Progress;

/// How often the calling thread looks whether it is to end. With the slice that is being hashed meanwhile, KeyboardInterrupt
/// comes within a tenth of a second.
pub const LOOK: Duration = Duration::from_millis(20);

/// Events that wait for whoever is told.
const AHEAD: usize = 1024;

/// Where work tells its events. False: nobody listens any more.
pub struct Teller<E>(SyncSender<E>);

impl<E> Teller<E> {
    /// Tells one.
    ///
    /// # Errors
    /// Nobody listens any more.
    pub fn tell(&self, event: E) -> std::io::Result<()> {
        self.0.send(event).map_err(|_| std::io::Error::other("interrupted"))
    }
}

/// Does `work` without the interpreter, and calls `each` with what it tells. A signal whose handler raises, or an error of
/// `each`, stops `progress`; then the work is waited for and the error raised.
///
/// # Errors
/// Those of `each` and of signal handlers; the work panicked, or no thread can be had for it.
pub fn interruptible<T: Send, E: Send>(
    py: Python<'_>,
    progress: &Progress,
    work: impl FnOnce(&Teller<E>) -> T + Send,
    mut each: impl FnMut(Python<'_>, E) -> PyResult<()>,
) -> PyResult<T> {
    let (send, receive) = sync_channel(AHEAD);
    std::thread::scope(|scope| {
        let builder = truesum::thread("python").unwrap_or_else(std::thread::Builder::new);
        let working = builder
            .spawn_scoped(scope, move || work(&Teller(send)))
            .map_err(|error| PyRuntimeError::new_err(format!("no thread can be started: {error}")))?;
        let heard = listen(py, receive, &mut each);
        if heard.is_err() {
            progress.stop();
        }
        let ended = py.detach(move || working.join());
        heard?;
        ended.map_err(|_| PyRuntimeError::new_err("a defect of truesum: its thread panicked"))
    })
}

fn listen<E: Send>(
    py: Python<'_>,
    receive: Receiver<E>,
    each: &mut impl FnMut(Python<'_>, E) -> PyResult<()>,
) -> PyResult<()> {
    let receive = std::sync::Mutex::new(receive);
    loop {
        let next = py.detach(|| receive.lock().expect("one listener").recv_timeout(LOOK));
        match next {
            Ok(event) => each(py, event)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        py.check_signals()?;
    }
}
