//! What a reader wants to know of a run of `bench limit`; the section has the reasons.

use super::views::{Limits, pair};
use crate::quantity::rate;
use crate::record::{Measurement, Record};
use crate::show::cells::{distinct, status};

pub(super) fn sentences(record: &Record) -> Vec<String> {
    let limits = Limits::of(record);
    let Some((name, source)) = limits.source() else { return Vec::new() };
    let list = limits.list();
    let sources: Vec<String> = list.iter().map(|(name, value)| format!("{name} {}", rate(*value))).collect();
    let mut found = vec![format!("What can be read: {}.", sources.join("; "))];
    let one = |algorithm: &str| pair(record, algorithm).0.and_then(Measurement::rate);
    let measured: Vec<(&str, f64)> = distinct(record.part("hash"), |m| m.algorithm.as_str())
        .into_iter()
        .filter_map(|algorithm| Some((algorithm, one(algorithm)?)))
        .collect();
    let names = |fast: bool| {
        let fitting = measured.iter().filter(|(_, rate)| (*rate >= source) == fast);
        fitting.map(|(algorithm, _)| *algorithm).collect::<Vec<_>>().join(", ")
    };
    found.push(match (names(true), names(false)) {
        (fast, slow) if slow.is_empty() => format!("One core keeps up with the {name} in all of {fast}."),
        (fast, slow) if fast.is_empty() => format!("No core keeps up with the {name} alone: {slow}."),
        (fast, slow) => format!("One core keeps up with the {name} in {fast}; it is the limit in {slow}."),
    });
    let secure = measured.iter().filter(|(algorithm, _)| status(algorithm) == "secure");
    if let Some((best, rate_of_it)) = secure.max_by(|a, b| a.1.total_cmp(&b.1)) {
        found
            .push(format!("The fastest secure algorithm here is {best}: {} on one core.", rate(*rate_of_it)));
    }
    found
}
