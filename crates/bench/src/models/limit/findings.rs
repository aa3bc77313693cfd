//! The findings of `bench limit`: the verdict first; the section has the reasons.

use super::views::{Limits, algorithms, pair};
use crate::quantity::rate;
use crate::record::{Measurement, Record};
use crate::show::cells::status;

/// Algorithms named in one list.
const NAMED: usize = 4;

pub(super) fn sentences(record: &Record) -> Vec<String> {
    let limits = Limits::of(record);
    let Some((name, source)) = limits.source() else { return Vec::new() };
    let one = |algorithm: &str| pair(record, algorithm).0.and_then(Measurement::rate);
    let measured: Vec<(&str, f64)> =
        algorithms(record).into_iter().filter_map(|algorithm| Some((algorithm, one(algorithm)?))).collect();
    let (fast, slow): (Vec<_>, Vec<_>) = measured.iter().partition(|(_, rate)| *rate >= source);
    let delivers = format!("the {name} delivers {}", rate(source));
    let mut found = vec![match (list(&fast), list(&slow)) {
        (None, None) => format!("No algorithm was measured; {delivers}."),
        (Some(fast), None) => format!("Disk-bound: {delivers}, and one core computes {fast}."),
        (None, Some(slow)) => format!("CPU-bound: one core computes {slow}, and {delivers}."),
        (Some(fast), Some(slow)) => format!("Disk-bound with {fast}; CPU-bound with {slow}: {delivers}."),
    }];
    if name != "disk" {
        found[0] = found[0].replace("Disk-bound", "Memory-bound");
    }
    let others: Vec<String> = limits
        .list()
        .iter()
        .filter(|(other, _)| !other.starts_with(name))
        .map(|(name, value)| format!("{name} {}", rate(*value)))
        .collect();
    if !others.is_empty() {
        found.push(format!("Other sources: {}.", others.join("; ")));
    }
    let secure = measured.iter().filter(|(algorithm, _)| status(algorithm) == "secure");
    if let Some((best, rate_of_it)) = secure.max_by(|a, b| a.1.total_cmp(&b.1)) {
        found.push(format!("The fastest secure algorithm is {best}: {} on one core.", rate(*rate_of_it)));
    }
    found
}

/// Algorithms with their rates, as many as are read.
fn list(algorithms: &[&(&str, f64)]) -> Option<String> {
    let words: Vec<String> =
        algorithms.iter().take(NAMED).map(|(name, value)| format!("{name} at {}", rate(*value))).collect();
    let more = match algorithms.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!words.is_empty()).then(|| words.join(", ") + &more)
}
