//! Requests to end the program: Ctrl-C, Ctrl-Break, and closing the console (`SetConsoleCtrlHandler`). The system calls the
//! handler on a thread of its own.
#![allow(unsafe_code)]

use super::process::exit_at_once;
use super::temporary::remove_all;
use super::wait::Waker;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler};

/// The numbers that Unix gives to the corresponding signals, so that the exit status is the same.
const SIGHUP: u8 = 1;
const SIGINT: u8 = 2;
const SIGPIPE: u8 = 13;
const SIGTERM: u8 = 15;

/// The time in which an interrupted run must end.
const GRACE: Duration = Duration::from_secs(5);

/// The data that the handler uses.
struct Target {
    stop: Arc<AtomicBool>,
    waker: Waker,
}

static TARGET: OnceLock<Target> = OnceLock::new();
static ENDED_BY: AtomicU8 = AtomicU8::new(0);

/// The requests that were made so far.
#[derive(Clone, Default)]
pub struct Signals(());

impl Signals {
    /// Makes requests to end the program set `stop` and wake waiting threads.
    pub(crate) fn register(
        stop: &Arc<AtomicBool>,
        waker: impl Fn() -> io::Result<Waker>,
    ) -> io::Result<Signals> {
        let target = Target { stop: stop.clone(), waker: waker()? };
        if TARGET.set(target).is_err() {
            return Err(io::Error::other("a signal handler is already installed"));
        }
        // SAFETY: adds a function that exists as long as the process.
        match unsafe { SetConsoleCtrlHandler(Some(handle), 1) } {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(Signals(())),
        }
    }

    /// Returns the number of the signal that corresponds to the request that ended the run, if any.
    pub fn ended_by(&self) -> Option<u8> {
        Some(ENDED_BY.load(SeqCst)).filter(|&signal| signal != 0)
    }

    /// Returns false: Windows has no request for a status line.
    pub fn take_status(&self) -> bool {
        false
    }
}

/// Handles a request. Returns whether that was done.
unsafe extern "system" fn handle(event: u32) -> i32 {
    let Some(target) = TARGET.get() else { return 0 };
    let signal = match event {
        CTRL_C_EVENT => SIGINT,
        CTRL_BREAK_EVENT => SIGTERM,
        // The console is closed, the user logs off or the machine is shut down.
        _ => SIGHUP,
    };
    if ENDED_BY.compare_exchange(0, signal, SeqCst, SeqCst).is_err() {
        end_at_once(signal);
    }
    target.stop.store(true, SeqCst);
    target.waker.wake();
    // The system ends the process when the handler for a closed console returns.
    if signal == SIGHUP {
        end_after_grace(signal);
    }
    let late = std::thread::Builder::new().spawn(move || end_after_grace(signal));
    if late.is_err() {
        end_at_once(signal);
    }
    1
}

fn end_after_grace(signal: u8) -> ! {
    std::thread::sleep(GRACE);
    end_at_once(signal)
}

fn end_at_once(signal: u8) -> ! {
    remove_all();
    exit_at_once(i32::from(128 + signal))
}

/// Returns the exit status of a program that writes to a pipe without a reader, as on Unix.
pub fn end_by_closed_pipe() -> u8 {
    128 + SIGPIPE
}
