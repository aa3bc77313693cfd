//! The counts of a check: one line for people, names and numbers for programs.

use crate::words::{count, grouped, size};
use truesum::{Report, Sample};

/// Names and numbers, in the order of the JSON summary; `read` is how many bytes were read.
pub fn counts(report: &Report, read: u64) -> Vec<(&'static str, u64)> {
    let counts = &report.counts;
    vec![
        ("verified", counts.verified),
        ("mismatched", counts.mismatched),
        ("unverified", counts.unverified),
        ("missing", counts.missing),
        ("ignored", report.ignored),
        ("changed", counts.changed),
        ("unreadable", counts.unreadable),
        ("malformed", counts.malformed),
        ("unlisted", report.unlisted),
        ("incomplete", report.incomplete),
        ("own", report.own),
        ("left_out", report.left_out),
        ("not_in_turn", report.not_in_turn),
        ("still_failed", report.still_failed),
        ("not_tamper_evident", report.not_tamper_evident.values().sum()),
        ("bytes", read),
    ]
}

/// The last line of a check that read so many bytes.
pub fn words(report: &Report, sample: Option<&Sample>, read: u64, exact: bool) -> String {
    let counts = &report.counts;
    let mut parts = vec![format!("{} verified", count(counts.verified, "file", "files"))];
    let mut part = |number: u64, text: &str| {
        if number > 0 {
            parts.push(format!("{} {text}", grouped(number)));
        }
    };
    part(counts.mismatched, "FAILED");
    part(counts.unverified, "NOT VERIFIED");
    part(counts.missing, "MISSING");
    part(counts.changed, "CHANGED while read");
    part(counts.unreadable, "UNREADABLE");
    part(counts.malformed, if counts.malformed == 1 { "malformed line" } else { "malformed lines" });
    part(report.still_failed, "FAILED before");
    part(report.ignored, "not there and ignored");
    part(report.unlisted, if report.cut { "or more not listed" } else { "not listed" });
    part(report.incomplete, if report.incomplete == 1 { "fault of a bag" } else { "faults of bags" });
    if exact {
        part(report.own, "of truesum's own beside them");
    }
    let mut text = format!("truesum: {}; {} read", parts.join(", "), size(read));
    for (name, entries) in &report.not_tamper_evident {
        text += &format!("; {} by {name}: not tamper-evident", count(*entries, "entry", "entries"));
    }
    if report.is_part() {
        let all = report.entries + report.not_in_turn + report.left_out;
        text += &format!("; part: {} of {}", grouped(report.entries), count(all, "entry", "entries"));
        if let Some(sample) = sample {
            text += &format!(" (sample of {}, seed {})", sample.share(), sample.seed());
        }
        if report.not_in_turn > 0 {
            text += &format!(", {} not in turn", grouped(report.not_in_turn));
        }
    }
    if counts.interrupted {
        text += "; interrupted";
    }
    text
}
