//! The summary of `audit` and `diff`.

use crate::advice::Trouble;
use crate::comparing::{OutputStyle, tone as tone_of, uncertain};
use crate::drawing::record::{Heading, Note, Tone};
use crate::ending::{facts, lines, manifest, rate, shortened};
use crate::origin;
use crate::words::{as_sentence, count, grouped, not_shown, size};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;
use truesum::audit::{Equality, Facts, FileStatus, Finding, Report};
use truesum::manifest::path::display_safe;
use truesum_fs::name::OsStrExt;

/// Returns the summary line: what was compared, the counts, and the overall result.
pub fn summary(style: &OutputStyle, report: &Report) -> String {
    let files = |status: FileStatus| {
        let number = report.count(status);
        (number > 0).then(|| format!("{} {}", grouped(number), style.word(status)))
    };
    let mut parts: Vec<String> = FileStatus::ALL.into_iter().filter_map(files).collect();
    if report.malformed() > 0 {
        parts.push(count(report.malformed(), "malformed line", "malformed lines"));
    }
    let parts = if parts.is_empty() { "nothing was compared".to_owned() } else { parts.join(", ") };
    let mut text =
        format!("truesum: {} {}; {parts}", count(report.listed(), "file", "files"), style.sides[0]);
    text += &format!("; {} read", size(report.bytes()));
    weak(report).into_iter().for_each(|weak| text += &format!("; {weak}"));
    if let Some(part) = part(style, report) {
        text += &format!("; {part}");
    }
    text += match report.equality() {
        Equality::PartEqual if report.count(FileStatus::Moved) > 0 => {
            "; the selected files are identical except for their names"
        }
        Equality::PartEqual => "; the selected files are equal",
        Equality::Equal if report.count(FileStatus::Moved) > 0 => "; identical except for their names",
        Equality::Equal => "; equal",
        Equality::Different => "; DIFFERENCES found",
        Equality::NotAsRequested => "; not everything could be compared",
        Equality::Interrupted => "; interrupted",
    };
    text
}

/// Returns the algorithms for which an equal file may still have been tampered with, and those that
/// compare only a small part of a file.
pub fn weak(report: &Report) -> Vec<String> {
    label(report.not_tamper_evident())
}

/// Does the same for algorithms given by name.
pub fn label(names: &BTreeSet<String>) -> Vec<String> {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    names.iter().for_each(|name| by_reason.entry(not_shown(name)).or_default().push(name));
    by_reason.into_iter().map(|(what, names)| format!("{}: {what}", names.join(", "))).collect()
}

/// Returns a note if only part of the files was compared.
pub fn part(style: &OutputStyle, report: &Report) -> Option<String> {
    report.is_part().then(|| format!("not selected: {}", left_out(style, report)))
}

/// Returns a note on the rules of the manifests, if any were applied.
pub fn rules(report: &Report) -> Option<String> {
    let (all, is_one) = (report.rules(), report.manifests().len() == 1);
    let whose = if is_one { "rules of the manifest" } else { "rules of the manifests" };
    (!all.is_empty()).then(|| format!("{whose}: {}", crate::words::rules(all)))
}

/// Returns the numbers of files and folders on each side that were not selected.
fn left_out(style: &OutputStyle, report: &Report) -> String {
    let [old, new] = report.left_out().map(grouped);
    format!("{old} {} and {new} {}", style.sides[0], style.sides[1])
}

/// Returns the kind of failure of a standing, for advice.
fn trouble(status: FileStatus) -> Option<Trouble> {
    Some(match status {
        FileStatus::Same => return None,
        FileStatus::Changed => Trouble::Changed,
        FileStatus::Corrupt => Trouble::Corrupt,
        FileStatus::Restored => Trouble::Restored,
        FileStatus::MovedModified => Trouble::MovedModified,
        FileStatus::Missing => Trouble::Gone,
        FileStatus::New => Trouble::Unlisted,
        FileStatus::Moved => Trouble::Moved,
        FileStatus::Copied | FileStatus::Duplicated => Trouble::Copied,
        FileStatus::Unreadable => Trouble::Unreadable,
        FileStatus::Unknown => Trouble::Unknown,
    })
}

/// Returns the lines of the long summary: what was compared and skipped, the speed, and advice for
/// each kind of failure.
pub fn long(style: &OutputStyle, report: &Report, time: Duration) -> String {
    let row = |name: &str, text: String| (name.to_owned(), text);
    let name = |path: &Path, digest| manifest(path.as_os_str().as_bytes(), digest);
    let checked =
        report.manifests().iter().map(|(path, digest)| row("compared", name(path, digest.as_ref())));
    let mut rows: Vec<(String, String)> = checked.collect();
    rows.push(row("read", rate(report.bytes(), time)));
    if report.is_part() {
        rows.push(row("left out", left_out(style, report)));
    }
    for status in FileStatus::ALL.into_iter().filter(|status| report.count(*status) > 0) {
        rows.extend(trouble(status).map(|trouble| row(style.word(status), trouble.advice().to_owned())));
    }
    if report.malformed() > 0 {
        rows.push(row("malformed", Trouble::Malformed.advice().to_owned()));
    }
    lines(&rows)
}

/// Returns the notes on a file for a report: sizes, times and digests of both sides; equal digests
/// are shown once.
pub fn notes(finding: &Finding<'_>) -> Vec<Note> {
    let name = |path: &Path| display_safe(path.as_os_str().as_bytes());
    let mut notes: Vec<String> =
        finding.from().map(|from| format!("from {}", name(from))).into_iter().collect();
    notes.extend(uncertain(finding));
    notes.extend(finding.error().map(|error| format!("cannot {}: {}", error.action(), error.reason())));
    // The content of a moved file is the same as in the manifest.
    let found = finding.found().filter(|_| finding.status() != FileStatus::Moved);
    for (word, facts) in [("in the manifest:", finding.listed()), ("found:", found)] {
        let Some(facts) = facts else { continue };
        let size = facts.size().map(|size| count(size, "byte", "bytes"));
        let time = facts.mtime().map(|time| format!("modified {}", origin::rfc3339(time)));
        let facts: Vec<String> = size.into_iter().chain(time).collect();
        if !facts.is_empty() {
            notes.push(format!("{word} {}", facts.join(", ")));
        }
    }
    let mut notes: Vec<Note> = notes.into_iter().map(Note::Text).collect();
    let digests = |facts: Option<&Facts>| facts.map_or(Vec::new(), |facts| facts.digests().to_vec());
    let (listed, found) = (digests(finding.listed()), digests(found));
    for (spec, expected) in &listed {
        match found.iter().find(|(other, _)| other == spec) {
            Some((_, actual)) if actual != expected => {
                let [expected, actual] = [expected, actual].map(|digest| digest.to_string());
                notes.push(Note::Differs { name: spec.to_string(), expected, actual });
            }
            _ => notes.push(Note::Text(format!("{spec} {expected}"))),
        }
    }
    let others = found.iter().filter(|(spec, _)| !listed.iter().any(|(other, _)| other == spec));
    notes.extend(others.map(|(spec, digest)| Note::Text(format!("{spec} {digest}"))));
    notes
}

/// Returns the head of a report.
pub fn heading(style: &OutputStyle, report: &Report, time: Duration) -> Heading {
    let name = |path: &Path| display_safe(path.as_os_str().as_bytes());
    let names: Vec<String> = report.manifests().iter().map(|(path, _)| name(path)).collect();
    let (tone, verdict, sentence) = match report.equality() {
        Equality::Equal if report.count(FileStatus::Moved) > 0 => (
            Tone::Good,
            "EQUAL except for names",
            "Every file in the manifest exists, some under other names, and there are no other files.",
        ),
        Equality::Equal => {
            (Tone::Good, "EQUAL", "Every file matches the manifest, and there are no other files.")
        }
        Equality::PartEqual => {
            (Tone::Good, "PARTLY EQUAL", "The selected files are equal. The other files were not compared.")
        }
        Equality::Different => (Tone::Bad, "NOT EQUAL", "The files and the manifest differ."),
        Equality::NotAsRequested => (Tone::Unsure, "INCOMPLETE", "Not everything could be compared."),
        Equality::Interrupted => (
            Tone::Unsure,
            "INTERRUPTED",
            "The audit was interrupted; the counts cover only the files processed before the interruption.",
        ),
    };
    let mut facts = facts(report.bytes(), time);
    let manifests = report.manifests().iter();
    let manifests = manifests.map(|(path, digest)| manifest(path.as_os_str().as_bytes(), digest.as_ref()));
    facts.splice(0..0, manifests.map(|text| ("Manifest", text)));
    facts.push(("In the manifest", count(report.listed(), "file", "files")));
    let mut labels: Vec<String> = part(style, report).map(|part| as_sentence(&part)).into_iter().collect();
    labels.extend(weak(report));
    let row = |status: FileStatus| {
        let (word, number) = (style.word(status).to_owned(), report.count(status));
        (number > 0).then(|| (tone_of(status, style), word, number, trouble(status)))
    };
    let mut counts: Vec<_> = FileStatus::ALL.into_iter().filter_map(row).collect();
    if report.malformed() > 0 {
        counts.push((Tone::Unsure, "malformed".to_owned(), report.malformed(), Some(Trouble::Malformed)));
    }
    Heading {
        verdict: (tone, verdict),
        subject: format!("audit of {}", shortened(&names)),
        sentence: sentence.to_owned(),
        labels,
        facts,
        counts,
    }
}
