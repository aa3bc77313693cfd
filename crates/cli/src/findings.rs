//! Formats the result of comparing a file with its stored tree: as lines, as one sentence and as
//! members of a JSON object.

use crate::words::count;
use std::fmt::Write;
use std::ops::Range;
use truesum::tree::locate::{Diagnosis, Difference, Length};

/// Returns a line `OFFSET LENGTH damaged` for each range; `missing` or `unreadable` if it is not in the file or the
/// device cannot read it.
pub fn lines(report: &Difference) -> String {
    let mut text = String::new();
    let mut line = |range: Range<u64>, state: &str| {
        if !range.is_empty() {
            let _ = writeln!(text, "{} {} {state}", range.start, range.end - range.start);
        }
    };
    for range in report.damaged() {
        let state = if range.start >= report.size() { "missing" } else { "damaged" };
        let mut at = range.start;
        for unreadable in report.unreadable().iter().filter(|part| range.contains(&part.start)) {
            line(at..unreadable.start, state);
            line(unreadable.clone(), "unreadable");
            at = unreadable.end;
        }
        line(at..range.end, state);
    }
    text
}

/// Returns the number of bytes in these ranges.
fn sum(ranges: &[Range<u64>]) -> u64 {
    ranges.iter().map(|range| range.end - range.start).sum()
}

/// Returns the result in one sentence.
pub fn words(report: &Difference) -> String {
    let ranges = count(report.damaged().len() as u64, "range", "ranges");
    let bytes = sum(report.damaged());
    let mut text = match report.diagnosis() {
        Diagnosis::Good => "intact".to_owned(),
        Diagnosis::FileDamaged if report.damaged().is_empty() => "file damaged".to_owned(),
        Diagnosis::FileDamaged => {
            format!("file damaged: {ranges}, up to {}", count(bytes, "byte", "bytes"))
        }
        Diagnosis::TreeDamaged => {
            "tree damaged, but the file matches the undamaged part of the tree; store the tree again"
                .to_owned()
        }
        Diagnosis::CannotTell => {
            format!(
                "cannot tell whether the file or the tree is damaged: they differ in {}",
                count(report.damaged().len() as u64, "range", "ranges")
            )
        }
        Diagnosis::OtherTree => "the stored tree does not match the trusted digest".to_owned(),
    };
    if !report.unreadable().is_empty() {
        let bytes = count(sum(report.unreadable()), "byte", "bytes");
        let _ = write!(text, "; up to {bytes} cannot be read (Input/output error)");
    }
    let _ = match report.length() {
        Length::Same => Ok(()),
        Length::Truncated(bytes) => {
            write!(text, "; truncated: {} missing at the end", count(bytes, "byte is", "bytes are"))
        }
        Length::Grown(bytes) => {
            write!(text, "; grown: {} longer than the original file", count(bytes, "byte", "bytes"))
        }
    };
    if let Some(shift) = report.shift() {
        let what = if shift.by() > 0 { "inserted" } else { "lost" };
        let bytes = count(shift.by().unsigned_abs(), "byte was", "bytes were");
        let _ = write!(text, "; shifted: {bytes} {what} before offset {} of the original file", shift.from());
    }
    if let Some(blemish) = report.blemish() {
        let _ = write!(text, " ({blemish})");
    }
    text
}

/// Appends the result as members of a JSON object, `verdict` first, without braces.
pub fn members(report: &Difference, out: &mut Vec<u8>) {
    let (length, bytes) = match report.length() {
        Length::Same => ("same", 0),
        Length::Truncated(bytes) => ("truncated", bytes),
        Length::Grown(bytes) => ("grown", bytes),
    };
    let pairs = |ranges: &[Range<u64>]| -> Vec<[u64; 2]> {
        ranges.iter().map(|range| [range.start, range.end - range.start]).collect()
    };
    let shift = report.shift().map(|shift| serde_json::json!({"from": shift.from(), "by": shift.by()}));
    let mut member = |name: &str, value: serde_json::Value| {
        let comma = if name == "verdict" { "" } else { "," };
        out.extend_from_slice(format!("{comma}\"{name}\":{value}").as_bytes());
    };
    member("verdict", verdict(report.diagnosis()).into());
    member("size", report.size().into());
    member("length", length.into());
    member("length_differs_by", bytes.into());
    member("damaged", serde_json::json!(pairs(report.damaged())));
    member("unreadable", serde_json::json!(pairs(report.unreadable())));
    member("shift", shift.into());
    member("tree_damage", report.blemish().into());
}

/// Returns the name of a verdict.
fn verdict(verdict: Diagnosis) -> &'static str {
    match verdict {
        Diagnosis::Good => "intact",
        Diagnosis::FileDamaged => "file damaged",
        Diagnosis::TreeDamaged => "tree damaged",
        Diagnosis::CannotTell => "cannot tell",
        Diagnosis::OtherTree => "other tree",
    }
}
