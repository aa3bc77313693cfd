//! Signals: the first one that asks to end lets the run finish what it holds and report, the second ends at once. Some seconds after
//! the first the same is done: a read may never return, from a device or a server that is gone.
//!
//! Handlers set flags and ring a bell for those who wait for input, so no thread waits for them.

#![allow(unsafe_code)]

use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::{flag, low_level};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use truesum::Progress;

/// What signals have asked for so far.
#[derive(Clone, Default)]
pub struct Signals {
    ended_by: Arc<AtomicUsize>,
    status: Arc<AtomicBool>,
}

impl Signals {
    /// Lets SIGINT, SIGTERM and SIGHUP stop `progress`, and SIGUSR1 ask for a status line.
    ///
    /// A signal that was ignored when the program began (`nohup`) stays ignored. One that comes meanwhile waits until all that
    /// it is to do is known: with half of it done the run would go on as if nobody had asked.
    ///
    /// # Errors
    /// The system's.
    pub fn install(progress: &Progress) -> io::Result<Signals> {
        let held = Held::all()?;
        let signals = Signals::register(progress);
        drop(held);
        signals
    }

    fn register(progress: &Progress) -> io::Result<Signals> {
        let signals = Signals::default();
        let stop = progress.stop_flag();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            if signal == SIGHUP && is_ignored(SIGHUP) {
                continue;
            }
            let again = stop.clone();
            let end = move || {
                if again.load(Relaxed) {
                    end_at_once(signal);
                }
                // SAFETY: it takes a number, and is one of the calls that handlers may make.
                unsafe { libc::alarm(GRACE) };
            };
            // SAFETY: a handler may use atomics and make system calls, and this does nothing else.
            unsafe { low_level::register(signal, end) }?;
            flag::register_usize(signal, signals.ended_by.clone(), signal as usize)?;
            flag::register(signal, stop.clone())?;
            // After the flag: who is woken looks at it.
            low_level::pipe::register(signal, progress.bell()?)?;
        }
        flag::register(SIGUSR1, signals.status.clone())?;
        let asked = signals.ended_by.clone();
        let late = move || match asked.load(Relaxed) {
            0 => {}
            signal => end_at_once(signal as i32),
        };
        // SAFETY: as above.
        unsafe { low_level::register(SIGALRM, late) }?;
        Ok(signals)
    }

    /// The signal that asked the run to end, if one did.
    pub fn ended_by(&self) -> Option<u8> {
        match self.ended_by.load(Relaxed) {
            0 => None,
            signal => Some(signal as u8),
        }
    }

    /// Whether a status line was asked for since the last question.
    pub fn take_status(&self) -> bool {
        self.status.swap(false, Relaxed)
    }
}

/// While it lives no signal that is handled reaches this thread, which is to be the only one.
struct Held {
    before: libc::sigset_t,
}

impl Held {
    /// # Errors
    /// The system's.
    fn all() -> io::Result<Held> {
        // SAFETY: an all-zero set is valid, and the calls write only to the two sets.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            let mut before = set;
            libc::sigemptyset(&mut set);
            for signal in [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGALRM] {
                libc::sigaddset(&mut set, signal);
            }
            match libc::pthread_sigmask(libc::SIG_BLOCK, &set, &mut before) {
                0 => Ok(Held { before }),
                error => Err(io::Error::from_raw_os_error(error)),
            }
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: the set is one that the system gave.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut()) };
    }
}

/// Seconds that a run has to end by itself.
const GRACE: u32 = 5;

fn end_at_once(signal: i32) -> ! {
    truesum::write::remove_temporaries();
    low_level::exit(128 + signal);
}

/// Whether a signal is ignored, by what the kernel tells of this process: the C library would need unsafe code.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

/// Ends as a program does that writes to a pipe nobody reads: by the signal for it, without a word.
pub fn end_by_closed_pipe() -> u8 {
    let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGPIPE);
    // Only where the signal could not be raised.
    128 + signal_hook::consts::SIGPIPE as u8
}
