//! Timed loops: how one sample is taken.
//!
//! A sample repeats an operation until it is long against the clock's resolution, after one repetition that is not counted
//! (cold caches, first touch of memory). Work in memory is timed by the processor time of its thread: what other programs do
//! to the wall clock says nothing of an algorithm. Beside each sample the core's clock is measured, because processors
//! change it by tens of percent while they work: cycles per byte stay, bytes per second do not.

use crate::allocations::{self, Counts};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// What one slot of measuring gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Processor seconds of one operation, one value a sample.
    pub seconds: Vec<f64>,
    /// The core's clock around each sample, in Hz.
    pub clock: Vec<f64>,
    /// Heap allocations and bytes of one operation, where the program counts them.
    pub allocations: Option<(f64, f64)>,
}

/// The shortest sample: some hundred times what reading the thread's processor time costs.
const SHORTEST: f64 = 100e-6;

/// Takes `count` samples of `operation` in about `slot`, after one uncounted operation.
///
/// At least one operation a sample is done, however long it takes.
pub fn samples(slot: Duration, count: usize, mut operation: impl FnMut()) -> Samples {
    let start = thread_seconds();
    let counts = allocations::during(&mut operation);
    let first = thread_seconds() - start;
    let allocations = counts.map(|Counts { allocations, bytes }| (allocations as f64, bytes as f64));

    let target = (slot.as_secs_f64() / count as f64).max(SHORTEST);
    // The first operation is the slow one; what the first sample takes corrects the number of repetitions.
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

/// The clock of the core this thread runs on, in Hz, from a chain of additions and exclusive-ors: each waits for the one
/// before and takes one cycle on every processor of the last twenty years.
pub fn core_clock() -> f64 {
    const STEPS: u32 = 4096;
    let (a, b) = (black_box(0x9e37_79b9_7f4a_7c15_u64), black_box(0xd134_2543_de82_ef95_u64));
    let mut best = f64::INFINITY;
    // The shortest of a few: an interrupt within a chain only ever makes it longer.
    for _ in 0..4 {
        let mut x = black_box(1u64);
        let start = Instant::now();
        for _ in 0..STEPS {
            x = x.wrapping_add(a) ^ b;
        }
        black_box(x);
        best = best.min(start.elapsed().as_secs_f64());
    }
    f64::from(2 * STEPS) / best
}

/// Processor seconds this thread has used.
pub fn thread_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Processor seconds this process has used, all threads.
pub fn process_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Shortens slots, which are processor time, where others use the processor too, so that a run ends in time.
#[derive(Debug)]
pub struct Pace {
    start: Instant,
    slot: Duration,
    visits: u32,
}

impl Pace {
    /// A run of visits of `slot` each that begins now.
    pub fn new(slot: Duration) -> Pace {
        Pace { start: Instant::now(), slot, visits: 0 }
    }

    /// The slot of the next visit.
    pub fn next_slot(&mut self) -> Duration {
        let planned = self.slot.as_secs_f64() * f64::from(self.visits);
        let late = if planned > 0.0 { self.start.elapsed().as_secs_f64() / planned } else { 1.0 };
        self.visits += 1;
        self.slot.div_f64(late.max(1.0))
    }
}

/// A point to be measured: what one operation is expected to take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Seconds of one operation.
    pub operation: f64,
}

/// How a time budget is spent on points of different cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Time for one visit of one point.
    pub slot: Duration,
    /// Whether each point is measured; a point is left out when its operation alone would eat the budget.
    pub keep: Vec<bool>,
}

/// Divides `budget` seconds among points visited `rounds` times each, with `samples` samples a visit.
///
/// A slow operation takes as long as it takes; the others share what is left. When even one operation a sample is too much,
/// the most expensive points go first.
pub fn plan(costs: &[Cost], budget: f64, rounds: usize, samples: usize) -> Plan {
    let visits = rounds as f64;
    // One uncounted operation and one a sample.
    let least = |cost: &Cost| cost.operation * (samples + 1) as f64;
    let mut keep = vec![true; costs.len()];
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by(|&a, &b| costs[b].operation.total_cmp(&costs[a].operation));
    let mut total: f64 = costs.iter().map(least).sum::<f64>() * visits;
    for index in order {
        // Points that are too slow may take half of the budget, so that the others are measured well.
        if total <= budget / 2.0 || keep.iter().filter(|k| **k).count() == 1 {
            break;
        }
        keep[index] = false;
        total -= least(&costs[index]) * visits;
    }
    let kept: Vec<f64> = costs.iter().zip(&keep).filter(|(_, k)| **k).map(|(c, _)| least(c)).collect();
    let spent = |slot: f64| kept.iter().map(|&least| least.max(slot)).sum::<f64>() * visits;
    let (mut low, mut high) = (0.0, budget.max(1e-3));
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if spent(middle) <= budget { low = middle } else { high = middle }
    }
    Plan { slot: Duration::from_secs_f64(low), keep }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(result.seconds.iter().all(|s| *s >= 0.002 && *s < 0.02), "{result:?}");
        // One uncounted operation and two or so a sample.
        assert!((5..=13).contains(&calls), "{calls}");
    }

    #[test]
    fn a_slow_operation_is_still_sampled() {
        let mut calls = 0;
        let result = samples(Duration::from_micros(10), 3, || {
            calls += 1;
            work(0.001);
        });
        assert_eq!((calls, result.seconds.len()), (4, 3));
    }

    #[test]
    fn waiting_is_not_counted() {
        let result = samples(Duration::from_micros(10), 3, || std::thread::sleep(Duration::from_millis(5)));
        assert!(result.seconds.iter().all(|seconds| *seconds < 0.004), "{result:?}");
    }

    #[test]
    fn the_clock_is_a_processors() {
        let clock = core_clock();
        assert!((2e8..2e10).contains(&clock), "{clock}");
    }

    #[test]
    fn processor_time_grows_with_work() {
        let (thread, process) = (thread_seconds(), process_seconds());
        work(0.01);
        assert!(thread_seconds() - thread >= 0.01 && process_seconds() - process >= 0.01);
    }

    #[test]
    fn slots_shrink_when_the_wall_clock_runs_ahead() {
        let slot = Duration::from_millis(10);
        let mut pace = Pace::new(slot);
        assert_eq!(pace.next_slot(), slot);
        std::thread::sleep(Duration::from_millis(40));
        assert!(pace.next_slot() <= slot / 4);
    }

    #[test]
    fn a_plan_spends_the_budget_evenly() {
        let costs = [Cost { operation: 1e-6 }; 10];
        let plan = plan(&costs, 10.0, 5, 4);
        assert!(plan.keep.iter().all(|k| *k));
        assert!((plan.slot.as_secs_f64() - 0.2).abs() < 1e-6, "{plan:?}");
    }

    #[test]
    fn a_slow_point_takes_from_the_others_and_a_hopeless_one_is_left_out() {
        let slow = [Cost { operation: 0.15 }, Cost { operation: 1e-6 }, Cost { operation: 1e-6 }];
        let fits = plan(&slow, 10.0, 5, 4);
        assert!(fits.keep.iter().all(|k| *k));
        assert!((fits.slot.as_secs_f64() - 0.625).abs() < 1e-3, "{fits:?}");
        let hopeless = [Cost { operation: 9.0 }, Cost { operation: 1e-6 }];
        assert_eq!(plan(&hopeless, 10.0, 5, 4).keep, [false, true]);
        // The last point is measured whatever it costs.
        assert_eq!(plan(&[Cost { operation: 9.0 }], 1.0, 5, 4).keep, [true]);
    }
}
