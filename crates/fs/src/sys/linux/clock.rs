//! The clock from which file timestamps are taken (clock_gettime(2)).

use rustix::time::{ClockId, clock_gettime};
use truesum_manifest::Time;

/// Returns the time of the last clock tick, which the kernel uses for timestamps.
pub fn coarse_now() -> Time {
    let now = clock_gettime(ClockId::RealtimeCoarse);
    Time { seconds: now.tv_sec, nanos: now.tv_nsec as u32 }
}
