//! The time and place of a run, for reports and records.

use std::time::{SystemTime, UNIX_EPOCH};
use truesum::manifest::Time;

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns the current time, to the second.
pub fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time { seconds: since.as_secs() as i64, nanos: 0 }
}

/// Returns a time in UTC without fractions of a second: `2026-11-21T19:06:42Z`.
pub fn rfc3339(time: Time) -> String {
    let text = time.to_string();
    text.split_once('.').map_or(text.clone(), |(seconds, _)| format!("{seconds}Z"))
}

pub use truesum_fs::machine::host;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc3339_times_are_rounded_to_whole_seconds() {
        let time = Time { seconds: 1_795_378_824, nanos: 500_000_000 };
        assert!(time.to_string().starts_with(rfc3339(time).trim_end_matches('Z')), "{}", rfc3339(time));
        assert_eq!(rfc3339(Time { seconds: 0, nanos: 7 }), "1970-01-01T00:00:00Z");
    }
}
