//! The last line of an audit or a diff.

use crate::comparing::Manner;
use crate::words::{count, grouped, size};
use truesum::audit::{Equality, Report, Standing};

/// What was compared, what came of it, and what it means.
pub fn summary(manner: &Manner, report: &Report) -> String {
    let files = |standing: Standing| {
        let number = report.count(standing);
        (number > 0).then(|| format!("{} {}", grouped(number), manner.word(standing)))
    };
    let mut parts: Vec<String> = Standing::ALL.into_iter().filter_map(files).collect();
    if report.malformed > 0 {
        parts.push(count(report.malformed, "malformed line", "malformed lines"));
    }
    let parts = if parts.is_empty() { "nothing compared".to_owned() } else { parts.join(", ") };
    let mut text = format!("truesum: {}: {parts}", count(report.listed, "file listed", "files listed"));
    text += &format!("; {} read", size(report.bytes));
    let weak: Vec<String> = report.not_tamper_evident.iter().cloned().collect();
    if !weak.is_empty() {
        text += &format!("; {}: not tamper-evident", weak.join(", "));
    }
    if report.is_part() {
        let [listed, found] = report.left_out.map(grouped);
        text += &format!("; part: {listed} listed and {found} found left out");
    }
    text += match report.equality() {
        Equality::PartEqual if report.count(Standing::Moved) > 0 => {
            ": what was selected is equal but for names"
        }
        Equality::PartEqual => ": what was selected is equal",
        Equality::Equal if report.count(Standing::Moved) > 0 => ": equal but for names",
        Equality::Equal => ": equal",
        Equality::Different => ": NOT equal",
        Equality::NotAsAsked => ": not all could be compared",
        Equality::Interrupted => ": interrupted",
    };
    text
}
