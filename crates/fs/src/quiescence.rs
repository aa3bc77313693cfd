//! Determines whether a file is at rest before it is read, so that its timestamps show every later
//! change.
//!
//! # Problem
//!
//! A digest is worth something only if the bytes belong to one state of the file. The usual test
//! compares size and timestamps before and after reading. It proves less than it seems to: a file
//! can be rewritten while it is read and have the same size and the same timestamps at the end.
//!
//! # Idea
//!
//! Equal timestamps before and after mean that nothing was written in between only if
//! - **a later write gets a different timestamp**: file system clocks have ticks of one nanosecond to two seconds. A
//!   file changed in the current tick is read after the tick;
//! - **no write is in progress**: the kernel sets the timestamp when write(2) begins, and one call may write 2 GiB;
//! - **no mapped page is dirty**: only the first store to a page updates the timestamp, until the page has been written
//!   back.
//!
//! So these conditions are established before the first byte is read:
//!
//! ```text
//! wait until the file's last change is older than one tick of its file system
//! if the change is older than the longest write plus the time in which dirty pages are written back:
//!     at rest
//! repeat for half a second:
//!     if no process has the file open for writing: at rest
//!     if that cannot be tested: at rest, but reported as unknown
//!     if the last change is older than the longest write, write dirty pages back; if that changed
//!         neither time nor size: at rest
//! refuse the file: it is being written
//! ```
//!
//! The last two conditions require a process that has the file open for writing, which can be
//! tested ([`writers`]). The test costs as much as opening a small file, so it is made only if the
//! timestamp is so recent that a write may still be in progress or a page dirty, or if timestamps
//! do not reveal changes. A process that opens the file later begins with a write or a store that
//! updates the timestamp, so repeating the test at the end would not reveal more. Where a write may update it only when
//! the file is closed (Windows), the test is repeated at the end.
//!
//! # Trade-offs
//!
//! A process that merely has a file open for writing does not prevent reading: a log file of an
//! idle service could otherwise never be hashed. A clock that is set back, or a server whose clock is ahead, makes the
//! age of a timestamp negative; such a file is tested for writers, however old it is. On file systems where
//! the test is impossible (most network file systems), the result is
//! [`Unknown`](Quiescence::Unknown), which the report counts instead of hiding it.

use crate::clock::coarse_now;
use crate::error::Cause;
use crate::lease::{Writers, writers};
use crate::metadata::Metadata;
use crate::sys::writeback;
use crate::system::{Sizes, Stamps, System};
use std::fs::File;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use truesum_manifest::Time;

/// The state of a file before it is read: whether its timestamps will show every change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quiescence {
    /// Its timestamps will show every change.
    Known,
    /// Its timestamps will show every change, unless a process was already writing to it before it
    /// was opened. The system does not report whether that is so.
    Unknown,
}

const SECOND: i64 = 1_000_000_000;
/// The maximum number of ticks to wait for if the file keeps changing, and the minimum wait in
/// nanoseconds.
const TICKS: usize = 4;
const MIN_WAIT: i64 = SECOND / 1000;
/// The maximum length of one write(2) in bytes.
const WRITE: u64 = 1 << 31;
/// The speed, in bytes per second, of the slowest disk whose writes are awaited.
const SLOWEST: u64 = 1 << 18;
/// The time in nanoseconds that may pass between the timestamp of a write and its first byte.
const WRITE_DELAY: i64 = SECOND / 10;
/// The maximum time to wait for a file that is open for writing.
const MAX_WAIT: Duration = Duration::from_millis(500);
/// The time, in nanoseconds, that dirty pages may wait for a busy disk beyond the intended time.
const BUSY: i64 = 60 * SECOND;

/// Waits until changes of an opened file can be detected. Returns its metadata at that point.
///
/// # Errors
/// Fails if another process has it open for writing, or modifies it continuously.
pub fn wait_until_stable(
    file: &File,
    stat: Metadata,
    system: &System,
) -> Result<(Metadata, Quiescence), Cause> {
    if system.sizes == Sizes::Invented {
        return Ok((stat, Quiescence::Known));
    }
    let (stat, age) = after_tick(file, stat, system)?;
    // The age proves nothing if timestamps do not reveal every write, or if the clock was set back.
    let is_reliable = system.stamps == Stamps::Written && age >= 0;
    if is_reliable && grace(stat.size()).is_some_and(|grace| age >= grace) {
        return Ok((stat, Quiescence::Known));
    }
    let (mut stat, begun, mut pause) = (stat, Instant::now(), Duration::from_millis(1));
    loop {
        // The timestamps have been taken: a process that began before either still has the file open, or finished
        // before anything was read.
        match writers(file) {
            Writers::None => return Ok((stat, Quiescence::Known)),
            Writers::Unknown(_) => return Ok((stat, Quiescence::Unknown)),
            Writers::Some if is_reliable && is_quiet(file, &stat) => {
                return Ok((stat, Quiescence::Known));
            }
            // This may be only a copy of the descriptor, in a process that is just being started.
            Writers::Some if begun.elapsed() < MAX_WAIT => {}
            Writers::Some => return Err(Cause::InUse),
        }
        std::thread::sleep(pause);
        // A descriptor that a starting process inherited is closed within milliseconds, so the
        // first pauses are short.
        pause *= 2;
        let later = Metadata::of(file).map_err(|error| Cause::Io(error.into()))?;
        (stat, _) = after_tick(file, later, system)?;
    }
}

/// Waits until the next write to a file would get a different timestamp. Returns the metadata at that point and the age
/// of the timestamp in nanoseconds, which is negative if the clock was set back.
///
/// # Errors
/// Fails if it is modified continuously.
pub fn after_tick(file: &File, mut stat: Metadata, system: &System) -> Result<(Metadata, i64), Cause> {
    let mut moved = 0;
    // The timestamp with which the last wait began.
    let mut waited_with = None;
    loop {
        // The clock from which timestamps are taken, which can lag behind others on a busy machine.
        let age = now().saturating_sub(changed(&stat));
        let tick = system.resolution(changed(&stat).rem_euclid(SECOND).unsigned_abs()) as i64;
        let waited = waited_with.replace(changed(&stat)) == Some(changed(&stat));
        let Some(wait) = wait(age, tick, system.sizes == Sizes::Local, waited) else {
            return Ok((stat, age));
        };
        std::thread::sleep(wait);
        let later = Metadata::of(file).map_err(|error| Cause::Io(error.into()))?;
        // Only changes count: an idle file passes, however many waits turn out to be too short.
        moved += usize::from(changed(&later) != changed(&stat));
        if moved == TICKS {
            return Err(Cause::Changed("it is being modified continuously".to_owned()));
        }
        stat = later;
    }
}

/// Returns how long to wait until the next write would get a different timestamp than one of this age; `None` if it
/// already would. `waited` is true if the file had the same timestamp during the previous wait.
fn wait(age: i64, tick: i64, is_local: bool, waited: bool) -> Option<Duration> {
    let nanoseconds = match age >= -SECOND {
        _ if age >= tick => return None,
        // For a timestamp slightly in the future, this includes the time until the clock reaches it.
        true => tick - age,
        // A local clock was set back: no later timestamp equals this one.
        false if is_local => return None,
        // The clock of a server may be ahead. It ticks as fast as this one, so a wait of one tick is enough.
        false if waited => return None,
        false => tick,
    };
    Some(Duration::from_nanos(nanoseconds.max(MIN_WAIT).unsigned_abs()))
}

/// Returns whether a file that is open for writing is not being written to, and no store to it can go unnoticed.
fn is_quiet(file: &File, stat: &Metadata) -> bool {
    // Pages that were written back are clean, and the next store to one updates the timestamp.
    now().saturating_sub(changed(stat)) >= WRITE_DELAY + writing(stat.size())
        && file.sync_data().is_ok()
        && Metadata::of(file).is_ok_and(|now| changed(&now) == changed(stat) && now.size() == stat.size())
}

/// Returns the maximum time in nanoseconds that a write to a file of `size` bytes may take.
fn writing(size: u64) -> i64 {
    // The product is at most 2^31 * 10^9, which is below 2^61; the result is at most 2^13 seconds.
    (size.min(WRITE) * (SECOND as u64) / SLOWEST) as i64
}

/// Returns how long after the timestamp of a file of `size` bytes a write may be in progress or a page dirty, in
/// nanoseconds; `None` if dirty pages are never written back.
fn grace(size: u64) -> Option<i64> {
    static WRITEBACK_TIME: OnceLock<Option<i64>> = OnceLock::new();
    let writeback_time = (*WRITEBACK_TIME.get_or_init(writeback::longest))?;
    Some(writeback_time + BUSY + writing(size))
}

/// Returns the time of the last status change, in nanoseconds since 1970.
fn changed(stat: &Metadata) -> i64 {
    nanoseconds(stat.ctime())
}

fn now() -> i64 {
    nanoseconds(coarse_now())
}

fn nanoseconds(time: Time) -> i64 {
    time.seconds.saturating_mul(SECOND).saturating_add(time.nanos.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::FileExt;
    use truesum_test_support::Scratch;

    fn stat_when_stable(file: &File) -> Result<(Metadata, Quiescence), Cause> {
        let stat = Metadata::of(file).expect("open");
        wait_until_stable(file, stat, &System::of_file(file, &stat))
    }

    #[test]
    fn timestamp_in_the_future_is_waited_for_at_most_once() {
        let (tick, hour) = (10_000_000, 3600 * SECOND);
        let of = |age, is_local, waited| wait(age, tick, is_local, waited).map(|wait| wait.as_nanos() as i64);
        // A clock that was set back, and a server whose clock is ahead.
        assert_eq!(of(-hour, true, false), None);
        assert_eq!(of(-hour, false, false), Some(tick));
        assert_eq!(of(-hour, false, true), None);
        assert_eq!(of(-SECOND, false, true), Some(SECOND + tick), "soon reached");
        assert_eq!((of(0, true, false), of(tick, true, false)), (Some(tick), None));
        // Whatever the clock, the age of such a file proves nothing: it is never known to be at rest without a test.
        let scratch = Scratch::new();
        let (file, begun) = (File::open(scratch.path()).expect("open"), Instant::now());
        let stat = Metadata::of(&file).expect("open");
        let future = Metadata { ctime: Time { seconds: stat.ctime().seconds + 3600, nanos: 0 }, ..stat };
        let network = System { sizes: Sizes::Other, ..System::of_file(&file, &stat) };
        let (later, _) = after_tick(&file, future, &network).expect("at rest");
        assert_eq!(changed(&later), changed(&stat), "it was examined again after the wait");
        assert!(begun.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn recently_written_file_is_read_after_the_tick() {
        let scratch = Scratch::new();
        for _ in 0..20 {
            scratch.open().write_all_at(&[1], 0).expect("written");
            let file = File::open(scratch.path()).expect("open");
            let (stat, _) = stat_when_stable(&file).expect("no process has it open");
            assert!(now() > changed(&stat), "a write from here on gets another stamp");
        }
    }

    #[test]
    fn large_file_with_a_writer_is_refused_and_small_one_may_be_read() {
        let scratch = Scratch::new();
        let writer = scratch.open();
        for (len, quiet) in [(1 << 24, false), (4096, true)] {
            writer.set_len(len).expect("written");
            let file = File::open(scratch.path()).expect("open");
            let has_writers = writers(&file) == Writers::Some;
            let kept = System::of_file(&file, &Metadata::of(&file).expect("open")).stamps != Stamps::Written;
            // regression: the error claimed that the file had changed.
            let refused = matches!(stat_when_stable(&file), Err(Cause::InUse));
            assert_eq!(refused, has_writers && (kept || !quiet), "{len} bytes");
        }
    }
}
