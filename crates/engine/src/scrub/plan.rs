//! Decides which files are due in a run.
//!
//! # Promise
//!
//! Every file is read completely at least once in N days (`--within`), although no run reads more than necessary. The
//! promise must not depend on the clock, which may stand still, jump or be set back, nor on what happens to other files:
//! edits, moves, deletions and additions between two runs must not make any file wait longer.
//!
//! # Days
//!
//! A state counts its own days. Each run is on a new day: the day of the run before plus the days that have passed
//! according to the clock, but at least one and at most N. So a clock that is wrong can cause more to be read than
//! necessary, but never less, and N runs always cover N days. A record stores the day of its last complete read. Its
//! *age* in a run is the difference, and all files with the same day are a *class*.
//!
//! # Share
//!
//! Let the runs be G days apart. A class of age A has `R = (N - A) / G + 1` runs left, this one included, or one if A
//! exceeds N: in the run after those, it would be older than N days. Files are read oldest first, so a class is reached
//! after all older ones. Their total weight W, with its own, must be read in R runs, and dividing it evenly makes the
//! share of this run at least `W / R`. The share is the maximum of this over all classes. If every run reads its share,
//! no class is ever late: a run that reads `W / R` leaves `W * (R - 1) / R` for `R - 1` runs, whose share is the same
//! again. With equal runs it is one Nth of the total, and a run that has been left out is made up for evenly.
//!
//! Files never become due later because of others: new and modified files are read in any case and join the newest
//! class, which is last in the queue, and a file that is removed leaves only less to read before the others.
//!
//! # Weight
//!
//! The weight of a file is its size plus a constant for opening it. So an empty file has a weight, too, and a run has
//! read a class completely if it has read its weight. A share ends with the file that reaches it, never before.

use std::collections::BTreeMap;

/// The number of days within which every file is read, unless another one is specified.
pub const DEFAULT_WITHIN: u64 = 30;

/// The weight of opening a file, in bytes: an SSD reads about as much in that time.
const OPENING: u64 = 4096;

/// The files that were last read on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Class {
    pub(crate) files: u64,
    pub(crate) bytes: u64,
}

impl Class {
    pub(crate) fn weight(self) -> u64 {
        self.bytes.saturating_add(self.files.saturating_mul(OPENING))
    }
}

/// Returns the weight of a file with this size.
pub(crate) fn weight(size: u64) -> u64 {
    size.saturating_add(OPENING)
}

/// All files by the day of their last complete read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes(BTreeMap<u64, Class>);

/// The schedule of a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule {
    /// The day of this run.
    pub(crate) today: u64,
    /// The number of days between the run before and this one.
    pub(crate) gap: u64,
    /// The number of days within which every file is read.
    pub(crate) within: u64,
}

impl Schedule {
    /// Returns the number of runs, including this one, in which a file that was last read on this day must be read.
    fn runs_left(self, day: u64) -> u64 {
        let age = self.today.saturating_sub(day);
        self.within.checked_sub(age).map_or(1, |left| left / self.gap.max(1) + 1)
    }
}

impl Classes {
    /// Adds a file.
    pub(crate) fn add(&mut self, day: u64, size: u64) {
        let class = self.0.entry(day).or_default();
        class.files += 1;
        class.bytes = class.bytes.saturating_add(size);
    }

    /// Returns the days of all classes, the oldest first.
    pub(crate) fn days(&self) -> Vec<u64> {
        self.0.keys().copied().collect()
    }

    /// Returns the weight to read in a run, so that every file is read in time.
    pub(crate) fn share(&self, schedule: Schedule) -> u64 {
        let mut before = 0u64;
        let shares = self.0.iter().map(|(&day, class)| {
            before = before.saturating_add(class.weight());
            before.div_ceil(schedule.runs_left(day))
        });
        shares.max().unwrap_or(0)
    }

    /// Returns the files that a run with this share reads, oldest first: the number of files and bytes, for reports.
    /// Within the last class, files are counted by their average size.
    pub(crate) fn due(&self, mut share: u64) -> Class {
        let mut due = Class::default();
        for class in self.0.values().filter(|class| class.files > 0) {
            let part = u128::from(share.min(class.weight()));
            let files = (u128::from(class.files) * part).div_ceil(u128::from(class.weight()));
            let bytes = (u128::from(class.bytes) * files).div_ceil(u128::from(class.files));
            due.files += files as u64;
            due.bytes = due.bytes.saturating_add(bytes as u64);
            share -= part as u64;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scrub::tests::Random;

    /// Files by name: the day of the last read, the size, and the number of runs since then.
    type Files = BTreeMap<u64, (u64, u64, u64)>;

    /// Reads what is due, oldest first, as a run does.
    fn run(files: &mut Files, schedule: Schedule) -> u64 {
        let mut classes = Classes::default();
        files.values().for_each(|&(day, size, _)| classes.add(day, size));
        let (share, mut read) = (classes.share(schedule), 0);
        files.values_mut().for_each(|file| file.2 += 1);
        for day in classes.days() {
            for file in files.values_mut().filter(|file| file.0 == day) {
                if read >= share {
                    break;
                }
                read += weight(file.1);
                *file = (schedule.today, file.1, 0);
            }
        }
        read
    }

    #[test]
    fn nothing_starves_in_180_nights_with_edits_deletions_and_clock_jumps() {
        for within in [1, 7, 30] {
            let mut random = Random(0x2545_f491_4f6c_dd1d ^ within);
            let mut files: Files = (0..2000).map(|name| (name, (0, random.below(1 << 20), 0))).collect();
            let (mut today, mut next) = (0, 2000);
            for night in 0..180 {
                let gap = match night % 17 {
                    // The clock was set back, or jumped by years: the difference is limited by `Run::next`.
                    3 => 1,
                    5 => within,
                    11 => 1 + random.below(within),
                    _ => 1,
                };
                today += gap;
                for _ in 0..20 {
                    let names: Vec<u64> = files.keys().copied().collect();
                    let name = names[random.below(names.len() as u64) as usize];
                    match random.below(4) {
                        0 => drop(files.remove(&name)),
                        1 => drop(files.insert(next, (today, random.below(1 << 22), 0))),
                        // Read at once because it was edited, with another size.
                        2 => drop(files.insert(name, (today, random.below(1 << 20), 0))),
                        _ => drop(files.insert(next, (today, 0, 0))),
                    }
                    next += 1;
                }
                run(&mut files, Schedule { today, gap, within });
                let late = files.values().filter(|file| file.2 > within).count();
                assert_eq!(late, 0, "night {night}, within {within}");
                assert!(
                    files.values().all(|file| today - file.0 <= within),
                    "night {night}, within {within}"
                );
            }
        }
    }

    #[test]
    fn daily_runs_read_equal_shares() {
        let mut files: Files = (0..3000).map(|name| (name, (0, 1 << 16, 0))).collect();
        let total: u64 = files.values().map(|file| weight(file.1)).sum();
        for today in 1..=90 {
            let read = run(&mut files, Schedule { today, gap: 1, within: 30 });
            assert!(read >= total / 30 && read <= total / 30 + (1 << 17), "day {today}: {read}");
        }
    }

    #[test]
    fn weekly_runs_read_everything_within_the_days() {
        let mut files: Files = (0..3000).map(|name| (name, (0, 1 << 16, 0))).collect();
        for week in 1..=30 {
            let today = week * 7;
            run(&mut files, Schedule { today, gap: 7, within: 30 });
            assert!(files.values().all(|file| today + 7 - file.0 <= 30), "week {week}");
        }
    }

    #[test]
    fn overdue_files_are_all_due_even_if_they_are_empty() {
        let mut classes = Classes::default();
        (0..10).for_each(|_| classes.add(3, 0));
        classes.add(40, 1000);
        let schedule = Schedule { today: 40, gap: 1, within: 7 };
        assert_eq!(classes.share(schedule), 10 * OPENING);
        assert_eq!(classes.due(10 * OPENING), Class { files: 10, bytes: 0 });
        assert_eq!(classes.days(), [3, 40]);
        // Files are read completely.
        let mut one = Classes::default();
        one.add(1, 3_000_000);
        assert_eq!(one.due(100_000), Class { files: 1, bytes: 3_000_000 });
    }
}
