//! Points in time as written in manifests: RFC 3339 in UTC, with nanoseconds.

use std::fmt;

/// A point in time: seconds since 1970-01-01 00:00:00 UTC and nanoseconds (below 10^9) after that
/// second.
///
/// A plain record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time {
    /// Whole seconds, negative before 1970.
    pub seconds: i64,
    /// Nanoseconds after that second, below 10^9.
    pub nanos: u32,
}

/// Days from year 0 (proleptic Gregorian, March first) to 1970-01-01.
const EPOCH_DAYS: i64 = 719_468;
/// Days in 400 years.
const ERA_DAYS: i64 = 146_097;

impl fmt::Display for Time {
    /// Formats the time as in RFC 3339, in UTC with nanoseconds: `2026-11-21T19:06:42.000000000Z`.
    /// Years outside 0 to 9999, which file systems can store, have a sign and any number of digits,
    /// as in ISO 8601.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = self.seconds.div_euclid(86_400) + EPOCH_DAYS;
        let second = self.seconds.rem_euclid(86_400);
        // Years that start in March have the leap day at their end: Howard Hinnant,
        // "chrono-Compatible Low-Level Date Algorithms" (2013).
        let (era, day_of_era) = (days.div_euclid(ERA_DAYS), days.rem_euclid(ERA_DAYS));
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        match year {
            0..=9999 => write!(f, "{year:04}")?,
            _ => write!(f, "{year:+}")?,
        }
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:09}Z", self.nanos)
    }
}

impl Time {
    /// Parses the format that `Display` writes. The fraction may have fewer digits or be missing.
    /// Returns `None` if the text has another format or no such date exists.
    pub fn parse(text: &str) -> Option<Time> {
        let (date, clock) = text.strip_suffix('Z')?.split_once('T')?;
        let (year_month, day) = date.rsplit_once('-')?;
        let (year, month) = year_month.rsplit_once('-')?;
        let (whole, fraction) = clock.split_once('.').unwrap_or((clock, ""));
        let mut parts = whole.split(':');
        let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() || fraction.len() > 9 || (fraction.is_empty() && clock.ends_with('.')) {
            return None;
        }
        let (month, day) = (two_digits(month, 1..=12)?, two_digits(day, 1..=31)?);
        let clock =
            two_digits(hour, 0..=23)? * 3600 + two_digits(minute, 0..=59)? * 60 + two_digits(second, 0..=59)?;
        let signed = year.starts_with(['+', '-']);
        let digits = year.trim_start_matches(['+', '-']);
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) || (!signed && digits.len() != 4) {
            return None;
        }
        let year: i64 = year.parse().ok()?;
        let march_year = year.checked_sub(i64::from(month <= 2))?;
        let (era, year_of_era) = (march_year.div_euclid(400), march_year.rem_euclid(400));
        let day_of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        let days = i128::from(era) * i128::from(ERA_DAYS) + i128::from(day_of_era) - i128::from(EPOCH_DAYS);
        let seconds = i64::try_from(days * 86_400 + i128::from(clock)).ok()?;
        let nanos = match fraction {
            "" => 0,
            digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse::<u32>().ok()? * 10u32.pow(9 - digits.len() as u32)
            }
            _ => return None,
        };
        let time = Time { seconds, nanos };
        // Only one form of a year with a sign is accepted.
        let is_usual = !signed || time.to_string().split_once('T')?.0 == date;
        (day <= days_in_month(year, month) && is_usual).then_some(time)
    }
}

fn days_in_month(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn two_digits(text: &str, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
    let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|value| is_number && range.contains(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_times_are_formatted_correctly() {
        for (seconds, nanos, text) in [
            (0, 0, "1970-01-01T00:00:00.000000000Z"),
            (-1, 999_999_999, "1969-12-31T23:59:59.999999999Z"),
            (951_827_696, 5, "2000-02-29T12:34:56.000000005Z"),
            (4_107_542_399, 0, "2100-02-28T23:59:59.000000000Z"),
            (4_107_542_400, 0, "2100-03-01T00:00:00.000000000Z"),
            (-62_167_219_200, 0, "0000-01-01T00:00:00.000000000Z"),
            (253_402_300_799, 0, "9999-12-31T23:59:59.000000000Z"),
            (253_402_300_800, 0, "+10000-01-01T00:00:00.000000000Z"),
            (-62_167_219_201, 0, "-1-12-31T23:59:59.000000000Z"),
        ] {
            let time = Time { seconds, nanos };
            assert_eq!(time.to_string(), text);
            assert_eq!(Time::parse(text), Some(time), "{text}");
        }
    }

    #[test]
    fn invalid_times_are_rejected() {
        for text in [
            "",
            "Z",
            "2026-11-21",
            "2026-11-21T10:00:00",
            "2026-11-21T10:00:00+01:00",
            "2026-11-21 10:00:00Z",
            "2026-02-29T10:00:00Z",
            "2026-13-01T10:00:00Z",
            "2026-11-31T10:00:00Z",
            "1900-02-29T10:00:00Z",
            "+2026-11-21T10:00:00Z",
            "-0-11-21T10:00:00Z",
            "2026-11-21T24:00:00Z",
            "2026-11-21T10:60:00Z",
            "2026-11-21T10:00:00.Z",
            "2026-11-21T10:00:00.1234567890Z",
            "2026-11-21T10:00:00.-1Z",
            "26-11-21T10:00:00Z",
            "2026-1-21T10:00:00Z",
            "+99999999999999999999-01-01T00:00:00Z",
            "++1-01-01T00:00:00Z",
        ] {
            assert_eq!(Time::parse(text), None, "{text:?}");
        }
        assert_eq!(Time::parse("2026-11-21T10:00:00.5Z").map(|time| time.nanos), Some(500_000_000));
    }

    proptest! {
        #[test]
        fn times_round_trip(seconds: i64, nanos in 0..1_000_000_000u32) {
            let time = Time { seconds, nanos };
            prop_assert_eq!(Time::parse(&time.to_string()), Some(time));
        }
    }
}
