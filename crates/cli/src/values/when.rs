//! Points in time: a date, a time, an age, or the modification time of a file.

use std::time::{Duration, SystemTime, UNIX_EPOCH};
use truesum::manifest::Time;

/// Seconds per unit of time.
const UNITS: [(char, u64); 5] = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400), ('w', 604_800)];

/// Parses `2026-11-21` (its first moment in UTC), `2026-11-21T19:06:42Z` with any offset, `7d` ago,
/// or the name of a file, whose modification time is used. A file named like a time is written
/// `./7d`.
pub fn when(text: &str) -> Result<Time, String> {
    at(text, SystemTime::now())
}

fn at(text: &str, now: SystemTime) -> Result<Time, String> {
    let since = |time: SystemTime| match time.duration_since(UNIX_EPOCH) {
        Ok(after) => Time { seconds: after.as_secs() as i64, nanos: after.subsec_nanos() },
        Err(before) => {
            let before = before.duration();
            let (seconds, nanos) = (before.as_secs() as i64, before.subsec_nanos());
            match nanos {
                0 => Time { seconds: -seconds, nanos },
                _ => Time { seconds: -seconds - 1, nanos: 1_000_000_000 - nanos },
            }
        }
    };
    if let Ok(length) = length(text) {
        return now.checked_sub(length).map(since).ok_or_else(|| "too long ago".to_owned());
    }
    if let Some(time) = Time::parse(&format!("{text}T00:00:00Z")).or_else(|| with_offset(text)) {
        return Ok(time);
    }
    let written = std::fs::metadata(text).and_then(|metadata| metadata.modified()).map(since);
    written.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            "expected a date (2026-11-21), a time (2026-11-21T19:06:42Z), an age (90m, 12h, 7d, 2w) or a file"
                .to_owned()
        }
        _ => truesum::error::io_reason(&error),
    })
}

/// Parses a duration: `90s`, `30m`, `12h`, `7d`, `2w`.
pub fn length(text: &str) -> Result<Duration, String> {
    let refused = || "expected a duration: 90s, 30m, 12h, 7d, 2w".to_owned();
    let (unit, seconds) = UNITS.into_iter().find(|(unit, _)| text.ends_with(*unit)).ok_or_else(refused)?;
    let digits = &text[..text.len() - unit.len_utf8()];
    let number: u64 = digits
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| digits.parse().ok())
        .flatten()
        .ok_or_else(refused)?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(refused)
}

/// Parses RFC 3339 with any offset from UTC.
fn with_offset(text: &str) -> Option<Time> {
    if let Some(time) = Time::parse(text) {
        return Some(time);
    }
    let (local, offset) = text.split_at_checked(text.len().checked_sub(6)?)?;
    let (sign, clock) = (offset.get(..1)?, offset.get(1..)?);
    let (hours, minutes) = clock.split_once(':')?;
    let number = |digits: &str, most: i64| {
        let plain = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<i64>().ok().filter(|&number| plain && number <= most)
    };
    let east = number(hours, 23)? * 3600 + number(minutes, 59)? * 60;
    let local = Time::parse(&format!("{local}Z"))?;
    match sign {
        "+" => Some(Time { seconds: local.seconds.checked_sub(east)?, ..local }),
        "-" => Some(Time { seconds: local.seconds.checked_add(east)?, ..local }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_times_and_durations_are_parsed() {
        let now = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let seconds = |text: &str| at(text, now).map(|time| time.seconds);
        assert_eq!(seconds("1970-01-02"), Ok(86_400));
        assert_eq!(seconds("1970-01-01T01:00:00+01:00"), Ok(0));
        assert_eq!(seconds("1970-01-01T00:00:00.5-00:30"), Ok(1800));
        assert_eq!(seconds("1970-01-01T00:00:07Z"), Ok(7));
        assert_eq!(seconds("7d"), Ok(1_000_000_000 - 7 * 86_400));
        assert_eq!(seconds("0s"), Ok(1_000_000_000));
        for text in [
            "",
            "d",
            "-7d",
            "7",
            "1.5d",
            "2026-13-01",
            "1970-01-01T00:00:00+24:00",
            "99999999999999999999d",
            "é",
            "+01:00",
        ] {
            assert!(at(text, now).is_err(), "{text}");
        }
    }

    #[test]
    fn file_argument_means_its_mtime() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (time, expected) in [
            (UNIX_EPOCH + Duration::from_millis(1500), Time { seconds: 1, nanos: 500_000_000 }),
            (UNIX_EPOCH - Duration::from_millis(1500), Time { seconds: -2, nanos: 500_000_000 }),
        ] {
            file.as_file().set_modified(time).unwrap();
            assert_eq!(when(file.path().to_str().unwrap()), Ok(expected));
        }
    }
}
