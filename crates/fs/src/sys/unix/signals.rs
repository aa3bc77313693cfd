//! Signal handling. Handlers set flags and wake threads that wait for input.

#![allow(unsafe_code)]

use super::temporary::remove_all;
use super::wait::Waker;
use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::low_level;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// The requests that signals have made so far.
#[derive(Clone, Default)]
pub struct Signals {
    ended_by: Arc<AtomicUsize>,
    status: Arc<AtomicBool>,
}

impl Signals {
    /// Makes SIGINT, SIGTERM and SIGHUP set `stop` and wake waiting threads, and SIGUSR1 request a status line.
    ///
    /// A signal that was ignored when the program started (`nohup`) stays ignored. A signal that
    /// arrives during installation is deferred until all its actions are registered: with only some
    /// of them, the run would continue as if it had not arrived.
    pub(crate) fn register(
        stop: &Arc<AtomicBool>,
        waker: impl Fn() -> io::Result<Waker>,
    ) -> io::Result<Signals> {
        let held = BlockedSignals::all()?;
        let signals = Signals::register_all(stop, waker);
        drop(held);
        signals
    }

    fn register_all(stop: &Arc<AtomicBool>, waker: impl Fn() -> io::Result<Waker>) -> io::Result<Signals> {
        let signals = Signals::default();
        let first = Arc::new(AtomicUsize::new(0));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            if signal == SIGHUP && is_ignored(SIGHUP) {
                continue;
            }
            let (again, first) = (stop.clone(), first.clone());
            let end = move || {
                if !again.load(Relaxed) {
                    first.store(milliseconds(), Relaxed);
                    // SAFETY: it takes a number, and is async-signal-safe.
                    unsafe { libc::alarm(GRACE) };
                } else if milliseconds().wrapping_sub(first.load(Relaxed)) > REPETITION {
                    end_at_once(signal);
                }
            };
            // SAFETY: a handler may use atomics and make system calls, and this does nothing else.
            unsafe { low_level::register(signal, end) }?;
            signal_hook::flag::register_usize(signal, signals.ended_by.clone(), signal as usize)?;
            signal_hook::flag::register(signal, stop.clone())?;
            // This comes after the flag, because woken threads test the flag.
            let waker = waker()?;
            // SAFETY: as above.
            unsafe { low_level::register(signal, move || waker.wake()) }?;
        }
        signal_hook::flag::register(SIGUSR1, signals.status.clone())?;
        let requested = signals.ended_by.clone();
        let late = move || match requested.load(Relaxed) {
            0 => {}
            signal => end_at_once(signal as i32),
        };
        // SAFETY: as above.
        unsafe { low_level::register(SIGALRM, late) }?;
        Ok(signals)
    }

    /// Returns the signal that ended the run, if any.
    pub fn ended_by(&self) -> Option<u8> {
        match self.ended_by.load(Relaxed) {
            0 => None,
            signal => Some(signal as u8),
        }
    }

    /// Returns whether a status line was requested since the last call.
    pub fn take_status(&self) -> bool {
        self.status.swap(false, Relaxed)
    }
}

/// While this exists, no handled signal is delivered to this thread, which must be the only one.
struct BlockedSignals {
    before: libc::sigset_t,
}

impl BlockedSignals {
    /// Blocks all handled signals.
    ///
    /// # Errors
    /// Returns the system's error.
    fn all() -> io::Result<BlockedSignals> {
        // SAFETY: an all-zero set is valid, and the calls write only to the two sets.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            let mut before = set;
            libc::sigemptyset(&mut set);
            for signal in [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGALRM] {
                libc::sigaddset(&mut set, signal);
            }
            match libc::pthread_sigmask(libc::SIG_BLOCK, &set, &mut before) {
                0 => Ok(BlockedSignals { before }),
                error => Err(io::Error::from_raw_os_error(error)),
            }
        }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: the set was returned by the system.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut()) };
    }
}

/// The number of seconds in which an interrupted run must end.
const GRACE: u32 = 5;

/// The number of milliseconds in which a second signal is a repetition of the first one: `timeout`
/// sends each signal to the process, and then to its group. Later, it is a request to end at once.
const REPETITION: usize = 500;

/// Returns the number of milliseconds since some time in the past.
fn milliseconds() -> usize {
    // SAFETY: an all-zero time is valid, and the call, which is async-signal-safe, writes only to it.
    let time = unsafe {
        let mut time: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time);
        time
    };
    (time.tv_sec as usize).wrapping_mul(1000).wrapping_add(time.tv_nsec as usize / 1_000_000)
}

fn end_at_once(signal: i32) -> ! {
    remove_all();
    low_level::exit(128 + signal);
}

/// Returns whether a signal is ignored.
fn is_ignored(signal: i32) -> bool {
    // SAFETY: an all-zero action is valid, and the call writes only to it.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Ends like a program that writes to a pipe without a reader: by `SIGPIPE`, without a message.
/// Returns the exit status if the signal could not be raised.
pub fn end_by_closed_pipe() -> u8 {
    let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGPIPE);
    // This is reached only if the signal could not be raised.
    128 + signal_hook::consts::SIGPIPE as u8
}
