//! The counts of a check: one line for people, names and numbers for programs.

use crate::words::{count, grouped, size};
use truesum::Report;

/// Names and numbers, in the order of the JSON summary; `read` is how many bytes were read.
pub fn counts(report: &Report, read: u64) -> Vec<(&'static str, u64)> {
    let counts = &report.counts;
    vec![
        ("verified", counts.verified),
        ("mismatched", counts.mismatched),
        ("unverified", counts.unverified),
        ("missing", counts.missing),
        ("moved", report.moved),
        ("renamed", report.renamed),
        ("not_renamed", report.not_renamed),
        ("ignored", report.ignored),
        ("changed", counts.changed),
        ("unreadable", counts.unreadable),
        ("malformed", counts.malformed),
        ("unlisted", report.unlisted),
        ("incomplete", report.incomplete),
        ("unmarked", report.unmarked),
        ("own", report.own),
        ("not_tamper_evident", report.not_tamper_evident.values().sum()),
        ("bytes", read),
    ]
}

/// The last line of a check that read so many bytes.
pub fn words(report: &Report, read: u64, exact: bool) -> String {
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
    part(report.moved, "MOVED");
    part(counts.changed, "CHANGED while read");
    part(counts.unreadable, "UNREADABLE");
    part(counts.malformed, if counts.malformed == 1 { "malformed line" } else { "malformed lines" });
    part(report.ignored, "not there and ignored");
    part(report.unlisted, if report.cut { "or more not listed" } else { "not listed" });
    part(report.unmarked, "without a CRC-32 in the name");
    part(report.renamed, "renamed");
    part(report.not_renamed, "NOT renamed");
    part(report.incomplete, if report.incomplete == 1 { "fault of a bag" } else { "faults of bags" });
    if exact {
        part(report.own, "of truesum's own beside them");
    }
    let mut text = format!("truesum: {}; {} read", parts.join(", "), size(read));
    for (name, entries) in &report.not_tamper_evident {
        text += &format!("; {} by {name}: not tamper-evident", count(*entries, "entry", "entries"));
    }
    if counts.interrupted {
        text += "; interrupted";
    }
    text
}
