//! The JSON lines of `audit` and `diff`. The member `kind` of every object is `file`, `malformed`
//! or, for the last one, `summary`.

use crate::comparing::OutputStyle;
use crate::objects::{add, begin, end_summary, rules};
use std::time::Duration;
use truesum::Outcome;
use truesum::audit::known::KnownReport;
use truesum::audit::{Facts, FileStatus, Finding, Report};
use truesum::manifest::{Time, json};
use truesum_fs::name::OsStrExt;

/// Appends the object for one file, with the action taken.
pub fn file(style: &OutputStyle, finding: &Finding<'_>, action: Option<&str>, out: &mut Vec<u8>) {
    of_kind("file", style, finding, action, out);
}

/// Appends the object for a file or manifest, which is of this kind, with the action taken.
pub fn of_kind(
    kind: &str,
    style: &OutputStyle,
    finding: &Finding<'_>,
    action: Option<&str>,
    out: &mut Vec<u8>,
) {
    begin(style.schema, kind, out);
    add(out, format_args!(",\"standing\":\"{}\",", style.word(finding.status())));
    if let Some(action) = action {
        add(out, format_args!("\"action\":\"{action}\","));
    }
    json::path_into(finding.name().as_os_str().as_bytes(), out);
    if let Some(from) = finding.from() {
        out.extend_from_slice(b",\"from\":{");
        json::path_into(from.as_os_str().as_bytes(), out);
        out.push(b'}');
    }
    if finding.candidates() > 1 {
        add(out, format_args!(",\"candidates\":{}", finding.candidates()));
    }
    for (name, facts) in [("listed", finding.listed()), ("found", finding.found())] {
        if let Some(facts) = facts {
            add(out, format_args!(",\"{name}\":"));
            object(facts, out);
        }
    }
    if let Some(error) = finding.error() {
        out.extend_from_slice(b",\"reason\":");
        json::string_into(&format!("cannot {}: {}", error.action(), error.reason()), out);
    }
    out.extend_from_slice(b"}\n");
}

fn object(facts: &Facts, out: &mut Vec<u8>) {
    out.push(b'{');
    if let Some(size) = facts.size() {
        add(out, format_args!("\"size\":{size},"));
    }
    if let Some(mtime) = facts.mtime() {
        add(out, format_args!("\"mtime\":\"{mtime}\","));
    }
    out.extend_from_slice(b"\"digests\":{");
    for (at, (spec, digest)) in facts.digests().iter().enumerate() {
        add(out, format_args!("{}\"{spec}\":\"{digest}\"", if at == 0 { "" } else { "," }));
    }
    out.extend_from_slice(b"}}");
}

/// Appends the line for a file that was compared with sets of known content.
pub fn known(style: &OutputStyle, status: &str, outcome: &Outcome, out: &mut Vec<u8>) {
    begin(style.schema, "file", out);
    add(out, format_args!(",\"standing\":\"{status}\","));
    json::path_into(outcome.job.path(), out);
    if let Ok(found) = &outcome.result {
        let digests = outcome.job.specs().iter().cloned().zip(found.digests().iter().cloned()).collect();
        let (seconds, nanos) = found.mtime();
        out.extend_from_slice(b",\"found\":");
        object(&Facts::new(Some(found.size()), Some(Time { seconds, nanos }), digests), out);
    }
    out.extend_from_slice(b"}\n");
}

/// Appends the last object of a comparison with sets.
pub fn known_summary(style: &OutputStyle, report: &KnownReport, time: Duration, exit: u8) -> Vec<u8> {
    let mut out = Vec::new();
    begin(style.schema, "summary", &mut out);
    for (name, value) in [
        ("listed", report.listed()),
        ("known", report.known()),
        ("unknown", report.unknown()),
        ("unreadable", report.unreadable()),
        ("malformed", report.malformed()),
        ("failed", report.failed()),
        ("bytes", report.bytes()),
    ] {
        add(&mut out, format_args!(",\"{name}\":{value}"));
    }
    end_summary([], time.as_secs_f64(), exit, &mut out);
    out
}

/// Appends the last object, with additional members of a command.
pub fn summary(
    style: &OutputStyle,
    report: &Report,
    more: &[(&str, String)],
    time: Duration,
    exit: u8,
) -> Vec<u8> {
    let mut out = Vec::new();
    begin(style.schema, "summary", &mut out);
    for status in FileStatus::ALL {
        add(&mut out, format_args!(",\"{}\":{}", style.word(status), report.count(status)));
    }
    for (name, value) in more {
        add(&mut out, format_args!(",\"{name}\":{value}"));
    }
    let (malformed, failed, bytes) = (report.malformed(), report.failed(), report.bytes());
    add(&mut out, format_args!(",\"not_tamper_evident\":{}", report.weak()));
    if report.is_part() {
        let [listed, found] = report.left_out();
        add(&mut out, format_args!(",\"part\":true,\"left_out\":{{\"listed\":{listed},\"found\":{found}}}"));
    }
    rules(report.rules(), &mut out);
    add(&mut out, format_args!(",\"malformed\":{malformed},\"failed\":{failed},\"bytes\":{bytes}"));
    let manifests = report.manifests().iter();
    let manifests = manifests.map(|(path, digest)| (path.as_os_str().as_bytes(), digest.as_ref()));
    end_summary(manifests, time.as_secs_f64(), exit, &mut out);
    out
}
