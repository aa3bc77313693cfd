//! The clocks: the time of day, and the time from which file timestamps are taken.

use crate::sys::clock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use truesum_manifest::Time;

/// Returns the current time.
pub fn now() -> Time {
    from_system_time(SystemTime::now())
}

/// Returns the current time of the clock from which file timestamps are taken. A file that is
/// written to from now on has this timestamp or a later one.
pub fn coarse_now() -> Time {
    clock::coarse_now()
}

/// Returns a time in the form of the standard library.
pub(crate) fn system_time(time: Time) -> SystemTime {
    let seconds = Duration::from_secs(time.seconds.unsigned_abs());
    let whole = if time.seconds < 0 { UNIX_EPOCH - seconds } else { UNIX_EPOCH + seconds };
    whole + Duration::from_nanos(time.nanos.into())
}

/// Returns a time of the standard library.
pub(crate) fn from_system_time(time: SystemTime) -> Time {
    let nanos = match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_nanos() as i128,
        Err(before) => -(before.duration().as_nanos() as i128),
    };
    let (seconds, nanos) = (nanos.div_euclid(1_000_000_000), nanos.rem_euclid(1_000_000_000));
    Time { seconds: seconds as i64, nanos: nanos as u32 }
}
