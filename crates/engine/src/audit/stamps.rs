//! Modification times as evidence: whether a file with different content was modified since its time was recorded.
//!
//! A file whose content differs although its time did not change was not written to: it is corrupt. This conclusion
//! requires care, because a time may pass through file systems that store it with less precision. FAT stores even
//! seconds of *local* time, so a timestamp may also shift by whole hours when the time zone or daylight saving time
//! changes. exFAT stores multiples of 10 ms, NTFS and SMB of 100 ns; others, and many manifests, store microseconds,
//! milliseconds or seconds. Some systems truncate, some round. Therefore two timestamps count as equal if one is the
//! other, truncated or rounded to one of these units. The price is that an edit within the unit is reported as
//! corruption: a false alarm, but never accepted corruption.

use crate::audit::status::FileStatus;
use truesum_fs::clock;
use truesum_manifest::Time;

/// The units of stored times, in nanoseconds: NTFS and SMB, microseconds, milliseconds, exFAT, seconds (HFS+, many
/// manifests), FAT.
const UNITS: [i128; 6] = [100, 1_000, 1_000_000, 10_000_000, 1_000_000_000, FAT];
const FAT: i128 = 2_000_000_000;
/// The longest tick of the clocks from which file systems take timestamps.
const TICK: i128 = 10_000_000;
const HOUR: i128 = 3_600_000_000_000;
/// The maximum number of hours by which local times differ from UTC.
const HOURS: i128 = 14;

/// The relation of a file's time to the recorded time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Movement {
    /// The times are equal as far as file systems can store them: the file was not written to.
    Unmoved,
    /// The file was modified later.
    Later,
    /// The file is older than the recorded time: an earlier version was restored.
    Earlier,
}

/// Compares the time of a file with the recorded one.
fn movement(recorded: Time, found: Time) -> Movement {
    let (recorded, found) = (nanos(recorded), nanos(found));
    match () {
        () if is_same_stamp(recorded, found) => Movement::Unmoved,
        () if found > recorded => Movement::Later,
        () => Movement::Earlier,
    }
}

/// Returns the status of a file whose content differs from that in the manifest or state. Its size is not considered:
/// damage that truncates a file or fills it with zeros need not change its time either. Without both times, corruption
/// cannot be distinguished from an edit.
pub(crate) fn of_different_content(recorded: Option<Time>, found: Option<Time>) -> FileStatus {
    match recorded.zip(found).map(|(recorded, found)| movement(recorded, found)) {
        Some(Movement::Unmoved) => FileStatus::Corrupt,
        Some(Movement::Earlier) => FileStatus::Restored,
        Some(Movement::Later) | None => FileStatus::Changed,
    }
}

/// Returns whether both times are equal as far as file systems can store them.
pub fn same_time(one: Time, other: Time) -> bool {
    is_same_stamp(nanos(one), nanos(other))
}

/// Returns whether the modification time of a file shows that it was edited after the time `written` of a manifest.
/// A manifest is dated at the beginning of the run that writes it, so a file whose time is within a tick of that date,
/// or within the unit of a coarse file system, may be in the manifest as it was. A time in the future shows nothing.
pub fn is_edited(written: Time, found: Time) -> bool {
    edited_by(nanos(written), nanos(found), nanos(clock::now()))
}

/// Returns whether something certainly happened before `written`, although its time `found` may have been truncated to
/// the unit of a coarse file system: the end of the unit must be before `written`, too.
pub(crate) fn is_before(found: Time, written: Time) -> bool {
    let found = nanos(found);
    let unit = UNITS.into_iter().rev().find(|unit| found % unit == 0).unwrap_or(1);
    found + unit <= nanos(written)
}

fn edited_by(written: i128, found: i128, now: i128) -> bool {
    found > written + TICK && found <= now && !is_same_stamp(written, found)
}

fn is_same_stamp(one: i128, other: i128) -> bool {
    let apart = (one - other).abs();
    if apart == 0 {
        return true;
    }
    let is_rounded = |unit: i128, apart: i128| apart < unit && (one % unit == 0 || other % unit == 0);
    if UNITS.into_iter().any(|unit| is_rounded(unit, apart)) {
        return true;
    }
    // A FAT timestamp from another time zone: a difference of whole hours after truncation to two seconds.
    let cut = |time: i128| time.div_euclid(FAT) * FAT;
    let is_fat = one % FAT == 0 || other % FAT == 0;
    let rest = (cut(one) - cut(other)).abs() % HOUR;
    is_fat && apart < HOURS * HOUR + FAT && (rest == 0 || rest == FAT || rest == HOUR - FAT)
}

fn nanos(time: Time) -> i128 {
    i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDED: Time = Time { seconds: 1_750_000_001, nanos: 123_456_789 };

    fn at(seconds: i64, nanos: u32) -> Time {
        Time { seconds: 1_750_000_000 + seconds, nanos }
    }

    #[test]
    fn mtime_kept_by_a_coarser_file_system_is_unmoved() {
        for (found, why) in [
            (RECORDED, "equal"),
            (at(1, 123_456_700), "NTFS, truncated"),
            (at(1, 123_456_800), "100 ns, rounded"),
            (at(1, 123_456_000), "microseconds"),
            (at(1, 123_457_000), "microseconds, rounded"),
            (at(1, 123_000_000), "milliseconds"),
            (at(1, 120_000_000), "exFAT"),
            (at(1, 0), "seconds"),
            (at(2, 0), "seconds or FAT, rounded up"),
            (at(0, 0), "FAT, truncated"),
            (at(3600, 0), "FAT and an hour"),
            (at(-14 * 3600, 0), "FAT and fourteen hours"),
        ] {
            assert_eq!(movement(RECORDED, found), Movement::Unmoved, "{why}");
            assert_eq!(movement(found, RECORDED), Movement::Unmoved, "{why}, recorded coarsely");
        }
    }

    #[test]
    fn later_or_earlier_mtime_has_moved() {
        for found in [
            at(1, 123_456_790),
            at(1, 123_500_001),
            at(2, 123_456_789),
            at(60, 0),
            at(15 * 3600, 0),
            at(86_400, 0),
        ] {
            assert_eq!(movement(RECORDED, found), Movement::Later, "{found:?}");
            assert_eq!(movement(found, RECORDED), Movement::Earlier, "{found:?}");
        }
        // A difference of whole hours counts only for times that FAT can represent.
        assert_eq!(movement(RECORDED, at(3601, 123_456_789)), Movement::Later);
    }

    #[test]
    fn coarse_mtime_is_earlier_only_if_its_unit_has_passed() {
        for (found, written, expected) in [
            (at(1, 123_456_788), RECORDED, true),
            (RECORDED, RECORDED, false),
            (at(1, 0), RECORDED, false),
            (at(1, 0), at(2, 0), true),
            // FAT: an edit at any time until second 2 may have this stamp.
            (at(0, 0), at(1, 999_999_999), false),
            (at(0, 0), at(2, 0), true),
            (at(1, 120_000_000), RECORDED, false),
            (at(1, 110_000_000), RECORDED, true),
        ] {
            assert_eq!(is_before(found, written), expected, "{found:?} {written:?}");
        }
    }

    #[test]
    fn only_a_past_mtime_after_the_manifest_tick_shows_an_edit() {
        let now = nanos(at(100, 0));
        let edited = |found| edited_by(nanos(RECORDED), nanos(found), now);
        for found in [at(-60, 5), RECORDED, at(1, 123_456_790), at(1, 133_456_789), at(2, 0), at(100, 1)] {
            assert!(!edited(found), "{found:?}");
        }
        for found in [at(1, 133_456_790), at(2, 123_456_789), at(4, 0), at(100, 0)] {
            assert!(edited(found), "{found:?}");
        }
    }
}
