//! The history of runs that a state stores.

use crate::scrub::codec::{Rest, put_bytes, put_number, put_time};
use truesum_manifest::Time;

/// The way in which earlier runs processed the new and modified files that they accepted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EarlierRuns {
    /// The day of the last run that compared all accepted with all missing files.
    pub(crate) paired: u64,
    /// The day of the last run that reported its new files.
    pub(crate) reported: u64,
    /// Whether the last run compared all accepted with all missing files.
    pub(crate) is_last_paired: bool,
}

impl EarlierRuns {
    pub(crate) fn of(runs: &[Run]) -> EarlierRuns {
        let last = |is: fn(&Run) -> bool| runs.iter().rev().find(|run| is(run)).map_or(0, Run::day);
        EarlierRuns {
            paired: last(|run| run.paired),
            reported: last(|run| run.paired || run.end.is_some() && run.exit < 2),
            is_last_paired: runs.last().is_none_or(|run| run.paired),
        }
    }
}

/// The maximum number of runs that are kept: ten years of daily runs.
pub(crate) const KEPT: usize = 3660;

const SECONDS_PER_DAY: i64 = 86_400;

readable! {
    /// A run of `scrub`.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Run {
        /// The number of the run, from 1.
        number: u64,
        /// The day of the state: at least one more than that of the run before.
        day: u64,
        /// The time at which it started, according to the clock of its host.
        start: Option<Time>,
        /// The time at which it ended; `None` if it was killed.
        end: Option<Time>,
        /// The name of the host.
        host: String => &str,
        /// The version of the program.
        version: String => &str,
        /// The number of files read.
        files: u64,
        /// The number of bytes read.
        bytes: u64,
        /// The number of files that were not intact and not accepted at the end of the run.
        failures: u64,
        /// The exit status: 0 if nothing was wrong, 1 if something was, 2 if the run was not completed.
        exit: u8,
        /// The number of days within which it was to read every file; `None` if it was to read all of them.
        within: Option<u64>,
    }
    private {
        /// Whether missing and accepted files have been compared, so that files accepted until then are not moved ones.
        paired: bool,
    }
}

impl Run {
    /// Returns the run that follows this one and starts at this time. Its day is larger by the number of days that have
    /// passed, but by at least 1 and at most `within`, because the clock may be wrong.
    pub(crate) fn next(&self, start: Time, within: u64) -> Run {
        let passed = self.start.map_or(1, |before| {
            let seconds = start.seconds.saturating_sub(before.seconds);
            (seconds.saturating_add(SECONDS_PER_DAY / 2) / SECONDS_PER_DAY).max(1) as u64
        });
        let day = self.day + passed.clamp(1, within.max(1));
        Run { number: self.number + 1, day, start: Some(start), ..Run::default() }
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        put_number(self.number, out);
        put_number(self.day, out);
        let flags = [self.start.is_some(), self.end.is_some(), self.paired, self.within.is_some()];
        out.push(flags.iter().enumerate().map(|(bit, &flag)| u8::from(flag) << bit).sum());
        self.start.into_iter().chain(self.end).for_each(|time| put_time(time, out));
        put_bytes(self.host.as_bytes(), out);
        put_bytes(self.version.as_bytes(), out);
        [self.files, self.bytes, self.failures].into_iter().for_each(|count| put_number(count, out));
        out.push(self.exit);
        self.within.into_iter().for_each(|days| put_number(days, out));
    }

    pub(crate) fn take(rest: &mut Rest<'_>) -> Option<Run> {
        let (number, day) = (rest.number()?, rest.number()?);
        let flags = rest.byte().filter(|flags| *flags < 16)?;
        let start = if flags & 1 != 0 { Some(rest.time()?) } else { None };
        let end = if flags & 2 != 0 { Some(rest.time()?) } else { None };
        let (host, version) = (rest.text()?, rest.text()?);
        let (files, bytes, failures) = (rest.number()?, rest.number()?, rest.number()?);
        let paired = flags & 4 != 0;
        let exit = rest.byte()?;
        let within = if flags & 8 != 0 { Some(rest.number()?) } else { None };
        Some(Run { number, day, start, end, host, version, files, bytes, failures, exit, within, paired })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_advance_by_at_least_one_whatever_the_clock_does() {
        let at = |seconds| Time { seconds, nanos: 0 };
        let before = Run { number: 7, day: 100, start: Some(at(1_000_000)), ..Run::default() };
        for (seconds, day) in [
            (1_000_000, 101),
            (1_000_000 + 3_600, 101),
            (1_000_000 + 86_400 + 3_600, 101),
            (1_000_000 + 7 * 86_400 - 60, 107),
            (1_000_000 + 4_000 * 86_400, 130),
            (5, 101),
            (i64::MIN, 101),
            (i64::MAX, 130),
        ] {
            assert_eq!(before.next(at(seconds), 30).day, day, "{seconds}");
        }
    }

    #[test]
    fn runs_are_read_back() {
        let time = Some(Time { seconds: -5, nanos: 999_999_999 });
        for end in [None, time] {
            let run = Run {
                number: 3,
                day: 9,
                start: time,
                end,
                host: "h".into(),
                exit: 1,
                within: end.map(|_| 90),
                paired: end.is_some(),
                ..Run::default()
            };
            let mut bytes = Vec::new();
            run.put(&mut bytes);
            assert_eq!(Run::take(&mut Rest(&bytes)), Some(run));
        }
    }
}
