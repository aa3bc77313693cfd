//! The clock from which file timestamps are taken (`GetSystemTimeAsFileTime`).
#![allow(unsafe_code)]

use super::stat::time;
use truesum_manifest::Time;
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::SystemInformation::GetSystemTimeAsFileTime;

/// Returns the time of the last clock tick, which the kernel uses for timestamps.
pub fn coarse_now() -> Time {
    let mut now = FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 };
    // SAFETY: the call writes only to `now`.
    unsafe { GetSystemTimeAsFileTime(&mut now) };
    time(i64::from(now.dwHighDateTime) << 32 | i64::from(now.dwLowDateTime))
}

#[cfg(test)]
mod tests {
    use crate::clock::now;

    #[test]
    fn it_is_not_ahead_of_the_time_of_day() {
        let coarse = super::coarse_now();
        assert!(coarse <= now() && coarse.seconds + 2 > now().seconds);
    }
}
