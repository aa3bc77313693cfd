//! Timed loops: how one sample is taken.
//!
//! A sample repeats an operation until it is long compared with the clock's resolution, after one
//! uncounted repetition (cold caches, first access to memory). Work in memory is timed by the
//! processor time of its thread: the effect of other programs on the wall clock is unrelated to the
//! algorithm. Only on Windows, which counts processor time in steps of 16 ms, the wall clock is
//! used. The core's clock is measured around each sample, because processors change it by tens of
//! percent under load: cycles per byte stay the same, bytes per second do not.

use super::allocations::{self, Counts};
use super::clock::{core_clock, thread_seconds};
use std::time::Duration;

/// The result of one slot of measurement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Seconds per operation, one value per sample.
    pub seconds: Vec<f64>,
    /// The core's clock around each sample, in Hz.
    pub clock: Vec<f64>,
    /// Heap allocations and bytes per operation, if the program counts them.
    pub allocations: Option<(f64, f64)>,
}

/// The shortest sample: about a hundred times the cost of reading the thread's processor time.
const SHORTEST: f64 = 100e-6;

/// Takes `count` samples of `operation` in about `slot`, after one uncounted operation.
///
/// Each sample performs at least one operation, however long it takes.
pub fn samples(slot: Duration, count: usize, mut operation: impl FnMut()) -> Samples {
    let start = thread_seconds();
    let counts = allocations::during(&mut operation);
    let first = thread_seconds() - start;
    let allocations = counts.map(|Counts { allocations, bytes }| (allocations as f64, bytes as f64));

    let target = (slot.as_secs_f64() / count as f64).max(SHORTEST);
    // The first operation is slow; the first sample's duration corrects the number of repetitions.
    let mut repeat = repetitions(target, first);
    let mut result = Samples { allocations, ..Samples::default() };
    let mut clock = core_clock();
    for _ in 0..count {
        let start = thread_seconds();
        for _ in 0..repeat {
            operation();
        }
        let elapsed = thread_seconds() - start;
        let after = core_clock();
        result.seconds.push(elapsed / f64::from(repeat));
        result.clock.push((clock + after) / 2.0);
        clock = after;
        repeat = repetitions(target, elapsed / f64::from(repeat));
    }
    result
}

fn repetitions(target: f64, one: f64) -> u32 {
    (target / one.max(1e-9)).clamp(1.0, f64::from(1 << 24)) as u32
}
#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    /// Works for this many seconds of processor time.
    fn work(seconds: f64) {
        let start = thread_seconds();
        let mut x = 1u64;
        while thread_seconds() - start < seconds {
            x = black_box(x.wrapping_mul(3));
        }
    }

    #[test]
    fn samples_time_one_operation() {
        let mut calls = 0u32;
        let result = samples(Duration::from_millis(20), 4, || {
            calls += 1;
            work(0.002);
        });
        assert_eq!((result.seconds.len(), result.clock.len()), (4, 4));
        // The wall clock of Windows includes other programs.
        let limit = if cfg!(windows) { f64::INFINITY } else { 0.02 };
        assert!(result.seconds.iter().all(|s| (0.002..limit).contains(s)), "{result:?}");
        // One uncounted operation and about two per sample.
        assert!((5..=13).contains(&calls), "{calls}");
    }

    #[test]
    fn slow_operation_is_still_sampled() {
        let mut calls = 0;
        let result = samples(Duration::from_micros(10), 3, || {
            calls += 1;
            work(0.001);
        });
        assert_eq!((calls, result.seconds.len()), (4, 3));
    }

    // There, the wall clock is used.
    #[cfg(not(windows))]
    #[test]
    fn sleeping_is_not_measured() {
        let result = samples(Duration::from_micros(10), 3, || std::thread::sleep(Duration::from_millis(5)));
        assert!(result.seconds.iter().all(|seconds| *seconds < 0.004), "{result:?}");
    }
}
