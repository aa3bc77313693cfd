//! Plans how the time of a run is spent: on points of different cost, and while other programs use the processor.

use std::time::{Duration, Instant};

/// Shortens slots, which are processor time, when other programs use the processor too, so that a run ends in time.
#[derive(Debug)]
pub struct Pace {
    start: Instant,
    slot: Duration,
    visits: u32,
}

impl Pace {
    /// Starts a run of visits of `slot` each.
    pub fn new(slot: Duration) -> Pace {
        Pace { start: Instant::now(), slot, visits: 0 }
    }

    /// Returns the slot of the next visit.
    pub fn next_slot(&mut self) -> Duration {
        let planned = self.slot.as_secs_f64() * f64::from(self.visits);
        let late = if planned > 0.0 { self.start.elapsed().as_secs_f64() / planned } else { 1.0 };
        self.visits += 1;
        self.slot.div_f64(late.max(1.0))
    }
}

/// A point to be measured: the expected cost of one operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Seconds per operation.
    pub operation: f64,
}

/// Describes how a time budget is divided among points of different cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Time for one visit of one point.
    pub slot: Duration,
    /// True for each point that is measured; a point is omitted if a single operation would use up the budget.
    pub keep: Vec<bool>,
}

/// Divides `budget` seconds among points visited `rounds` times each, with `samples` samples per visit.
///
/// A slow operation takes its full time; the others share the rest. If even one operation per sample is too much, the
/// most expensive points are omitted first.
pub fn plan(costs: &[Cost], budget: f64, rounds: usize, samples: usize) -> Plan {
    let visits = rounds as f64;
    // One uncounted operation and one per sample.
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

    #[test]
    fn slots_shrink_when_the_wall_clock_runs_ahead() {
        let slot = Duration::from_millis(10);
        let mut pace = Pace::new(slot);
        assert_eq!(pace.next_slot(), slot);
        std::thread::sleep(Duration::from_millis(40));
        assert!(pace.next_slot() <= slot / 4);
    }

    #[test]
    fn plan_spends_the_budget_evenly() {
        let costs = [Cost { operation: 1e-6 }; 10];
        let plan = plan(&costs, 10.0, 5, 4);
        assert!(plan.keep.iter().all(|k| *k));
        assert!((plan.slot.as_secs_f64() - 0.2).abs() < 1e-6, "{plan:?}");
    }

    #[test]
    fn slow_point_takes_time_from_others_and_hopeless_one_is_dropped() {
        let slow = [Cost { operation: 0.15 }, Cost { operation: 1e-6 }, Cost { operation: 1e-6 }];
        let fits = plan(&slow, 10.0, 5, 4);
        assert!(fits.keep.iter().all(|k| *k));
        assert!((fits.slot.as_secs_f64() - 0.625).abs() < 1e-3, "{fits:?}");
        let hopeless = [Cost { operation: 9.0 }, Cost { operation: 1e-6 }];
        assert_eq!(plan(&hopeless, 10.0, 5, 4).keep, [false, true]);
        // The last point is measured whatever its cost.
        assert_eq!(plan(&[Cost { operation: 9.0 }], 1.0, 5, 4).keep, [true]);
    }
}
