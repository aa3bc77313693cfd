//! The clock from which file timestamps are taken (clock_gettime(2)).

#![allow(unsafe_code)]

use truesum_manifest::Time;

/// The clock that is never ahead of the one for timestamps. FreeBSD can take them from the last clock tick
/// (`vfs.timestamp_precision`), which is what this clock returns.
#[cfg(target_os = "freebsd")]
const CLOCK: libc::clockid_t = libc::CLOCK_REALTIME_FAST;
#[cfg(target_os = "macos")]
const CLOCK: libc::clockid_t = libc::CLOCK_REALTIME;

/// Returns the current time in whole microseconds, because timestamps may have no more digits.
pub fn coarse_now() -> Time {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes only to `now`. It cannot fail for these clocks.
    unsafe { libc::clock_gettime(CLOCK, &mut now) };
    Time { seconds: now.tv_sec, nanos: (now.tv_nsec / 1000 * 1000) as u32 }
}
