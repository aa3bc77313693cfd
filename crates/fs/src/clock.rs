//! The clocks: the time of day, and the time from which file timestamps are taken.

use rustix::time::{ClockId, clock_gettime};
use truesum_manifest::Time;

/// Returns the current time.
pub fn now() -> Time {
    read(ClockId::Realtime)
}

/// Returns the current time of the clock from which file timestamps are taken. A file that is
/// written to from now on has this timestamp or a later one.
pub fn coarse_now() -> Time {
    read(ClockId::RealtimeCoarse)
}

fn read(clock: ClockId) -> Time {
    let now = clock_gettime(clock);
    Time { seconds: now.tv_sec, nanos: now.tv_nsec as u32 }
}
