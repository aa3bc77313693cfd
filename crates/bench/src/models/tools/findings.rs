//! The main findings of a run of `bench tools`.

use super::views::{against_ours, by_algorithm, is_own, own, seconds};
use crate::measure::statistics::geometric_mean;
use crate::quantity::digits;
use crate::record::Record;

pub(super) fn sentences(record: &Record) -> Vec<String> {
    let table = by_algorithm(record);
    let mut found = Vec::new();
    let (mut raced, mut lost) = (0, Vec::new());
    for (name, rows) in &table {
        let Some(ours) = own(rows) else { continue };
        let others = rows.iter().filter(|m| !is_own(&m.engine));
        let Some(best) = others.min_by(|a, b| seconds(a).total_cmp(&seconds(b))) else { continue };
        raced += 1;
        if seconds(best) < seconds(ours) {
            let share = digits(seconds(ours) / seconds(best));
            lost.push(format!("{name} ({} is {share} times as fast)", best.engine));
        }
    }
    if raced > 0 {
        let won = raced - lost.len();
        let plural = if raced == 1 { "" } else { "s" };
        found.push(format!("truesum is the fastest tool for {won} of {raced} algorithm{plural}."));
    }
    if !lost.is_empty() {
        found.push(format!("truesum is slower than another tool for {}.", lost.join(", ")));
    }
    let mut means: Vec<(f64, &str)> = record
        .engines
        .iter()
        .filter(|engine| !is_own(&engine.name))
        .filter_map(|engine| {
            Some((geometric_mean(&against_ours(record, &engine.name, &table))?, &*engine.name))
        })
        .collect();
    means.sort_by(|a, b| a.0.total_cmp(&b.0));
    if let (Some((next, who)), Some((most, last))) = (means.first(), means.last()) {
        let slowest = match means.len() {
            1 => String::new(),
            _ => format!(", and {last} takes {} times as long", digits(*most)),
        };
        found.push(format!(
            "{who} takes {} times as long as truesum{slowest} (geometric means over shared algorithms).",
            digits(*next)
        ));
    }
    found
}
