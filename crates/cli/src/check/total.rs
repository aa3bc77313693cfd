//! The counts of a check: one line for users, names and numbers for programs.

use crate::advice::Trouble;
use crate::check::plan::{Checking, Subject};
use crate::drawing::record::{Heading, Tone};
use crate::ending::{facts, lines, manifest, rate, shortened};
use crate::words::{as_sentence, count, grouped, not_shown, size};
use std::time::Duration;
use truesum::hash::Digest;
use truesum::manifest::path::display_safe;
use truesum::{Conclusion, Report, Sample, Summary, Unlisted};
use truesum_fs::name::OsStrExt;

/// Returns names and numbers in the order of the JSON summary; `read` is the number of bytes read.
pub fn counts(report: &Report, read: u64) -> Vec<(&'static str, u64)> {
    let counts = &report.counts();
    let mut named = vec![
        ("verified", counts.verified()),
        ("mismatched", counts.mismatched()),
        ("unverified", counts.unverified()),
        ("missing", counts.missing()),
        ("moved", report.moved()),
        ("renamed", report.renamed()),
        ("not_renamed", report.not_renamed()),
        ("ignored", report.ignored()),
        ("changed", counts.changed()),
        ("unreadable", counts.unreadable()),
        ("malformed", counts.malformed()),
        ("unlisted", report.unlisted()),
        ("incomplete", report.incomplete()),
        ("unmarked", report.unmarked()),
        ("own", report.own()),
        ("signatures", report.signatures()),
        ("left_out", report.left_out()),
        ("not_in_turn", report.deferred()),
        ("still_failed", report.still_failed()),
        ("not_tamper_evident", report.not_tamper_evident().values().sum()),
        ("bytes", read),
    ];
    for (name, number) in [("unsigned", report.unsigned()), ("omitted", report.omitted())] {
        if number > 0 {
            named.push((name, number));
        }
    }
    if let Some(manifests) = report.manifests() {
        named.extend([
            ("manifests", manifests),
            ("missing_manifests", report.missing_manifests()),
            ("skipped_manifests", report.skipped_manifests()),
        ]);
    }
    named
}

/// A count with its word.
pub struct Row {
    pub tone: Tone,
    pub number: u64,
    pub word: &'static str,
    pub trouble: Option<Trouble>,
}

/// Returns the counts of failures that are not zero.
fn faulty(counts: &Summary) -> impl Iterator<Item = Row> {
    let lines = if counts.malformed() == 1 { "malformed line" } else { "malformed lines" };
    let rows = [
        (counts.mismatched(), Tone::Bad, "FAILED", Trouble::Mismatch),
        (counts.unverified(), Tone::Unsure, "NOT VERIFIED", Trouble::Unverified),
        (counts.missing(), Tone::Bad, "MISSING", Trouble::Missing),
        (counts.changed(), Tone::Bad, "CHANGED or IN USE", Trouble::Busy),
        (counts.unreadable(), Tone::Bad, "UNREADABLE", Trouble::Unreadable),
        (counts.malformed(), Tone::Unsure, lines, Trouble::Malformed),
    ];
    let row = |(number, tone, word, trouble)| Row { tone, number, word, trouble: Some(trouble) };
    rows.into_iter().filter(|(number, ..)| *number > 0).map(row)
}

/// Returns the counts that are not zero, after the number of verified files, which is always
/// included.
pub fn rows(report: &Report, exact: bool) -> Vec<Row> {
    let counts = &report.counts();
    let mut rows = vec![Row { tone: Tone::Good, number: counts.verified(), word: "verified", trouble: None }];
    rows.extend(faulty(counts));
    let mut row = |number: u64, tone: Tone, word: &'static str, trouble: Option<Trouble>| {
        if number > 0 {
            rows.push(Row { tone, number, word, trouble });
        }
    };
    let plural = |number: u64, one: &'static str, many: &'static str| if number == 1 { one } else { many };
    row(report.moved(), if report.moved_pass() { Tone::Unsure } else { Tone::Bad }, "MOVED", None);
    row(report.still_failed(), Tone::Bad, "FAILED in an earlier run", Some(Trouble::StillFailed));
    row(report.ignored(), Tone::Unsure, "missing and ignored", None);
    let unlisted = if report.is_cut() { "or more not in the manifest" } else { "not in the manifest" };
    row(report.unlisted(), if exact { Tone::Bad } else { Tone::Unsure }, unlisted, Some(Trouble::Unlisted));
    row(report.unmarked(), Tone::Unsure, "without a digest in the name", None);
    row(report.renamed(), Tone::Unsure, "renamed", None);
    row(report.not_renamed(), Tone::Bad, "NOT renamed", None);
    let faults = plural(report.incomplete(), "structure error", "structure errors");
    row(report.incomplete(), Tone::Bad, faults, Some(Trouble::Incomplete));
    row(report.unsigned(), Tone::Bad, "WITHOUT A VALID SIGNATURE", None);
    let missing = plural(report.missing_manifests(), "manifest MISSING", "manifests MISSING");
    row(report.missing_manifests(), Tone::Bad, missing, None);
    if exact {
        row(report.own(), Tone::Unsure, "created by truesum", None);
        let signatures = plural(report.signatures(), "signature not checked", "signatures not checked");
        row(report.signatures(), Tone::Unsure, signatures, None);
    }
    rows
}

/// Returns how many of the entries were selected, or `None` if all were.
pub fn part(report: &Report, sample: Option<&Sample>) -> Option<String> {
    let all = report.entries() + report.deferred() + report.left_out();
    let mut text = format!("selected: {} of {}", grouped(report.entries()), count(all, "entry", "entries"));
    if let Some(sample) = sample {
        text += &format!(" (sample of {}, seed {})", sample.share(), sample.seed());
    }
    if report.deferred() > 0 {
        let deferred = grouped(report.deferred());
        text += &match report.never_read() {
            None => format!(", {deferred} left for later runs"),
            Some(0) => {
                format!(", {} checked in earlier runs", count(report.deferred(), "other", "others"))
            }
            Some(number) => {
                format!(
                    ", {deferred} left for later runs ({} not checked in any run so far)",
                    grouped(number)
                )
            }
        };
    }
    report.is_part().then_some(text)
}

/// Returns notes on the algorithms that detect accidental damage but not tampering.
pub fn weak(report: &Report) -> Vec<String> {
    let text = |(name, entries): (&String, &u64)| {
        format!("{name} ({}): {}", count(*entries, "entry", "entries"), not_shown(name))
    };
    report.not_tamper_evident().iter().map(text).collect()
}

/// Returns the failures of one of several manifests as text; `None` if there are none.
pub fn faults(counts: &Summary) -> Option<String> {
    let faults: Vec<String> =
        faulty(counts).map(|row| format!("{} {}", grouped(row.number), row.word)).collect();
    (!faults.is_empty()).then(|| faults.join(", "))
}

/// Returns the summary line of a check that read this many bytes.
pub fn words(report: &Report, sample: Option<&Sample>, read: u64, exact: bool) -> String {
    let text = |row: &Row| match row.word {
        "verified" => {
            let by =
                report.manifests().map(|found| format!(" with {}", count(found, "manifest", "manifests")));
            format!("{} verified{}", count(row.number, "file", "files"), by.unwrap_or_default())
        }
        word => format!("{} {word}", grouped(row.number)),
    };
    let parts: Vec<String> = rows(report, exact).iter().map(text).collect();
    let mut text = format!("truesum: {}; {} read", parts.join(", "), size(read));
    let part = part(report, sample);
    for more in weak(report).into_iter().chain(part) {
        text += &format!("; {more}");
    }
    if report.counts().interrupted() {
        text += "; interrupted";
    }
    text
}

/// Returns the lines of the long summary: what was checked and skipped, the speed, and advice for
/// each kind of failure.
pub fn long(report: &Report, manifests: &[String], read: u64, time: Duration, exact: bool) -> String {
    let row = |name: &str, text: String| (name.to_owned(), text);
    let mut rows_said: Vec<(String, String)> =
        manifests.iter().map(|name| row("checked", name.clone())).collect();
    rows_said.push(row("read", rate(read, time)));
    if report.left_out() > 0 {
        rows_said
            .push(row("left out", count(report.left_out(), "entry was", "entries were") + " not selected"));
    }
    if report.deferred() > 0 {
        rows_said.push(row(
            "deferred",
            count(report.deferred(), "entry was", "entries were") + " left for a later run",
        ));
    }
    let advice = rows(report, exact)
        .into_iter()
        .filter_map(|row| Some((row.word.to_owned(), row.trouble?.advice().to_owned())));
    rows_said.extend(advice);
    lines(&rows_said)
}

/// Returns the head of a report.
pub fn heading(
    report: &Report,
    manifests: &[(Vec<u8>, Option<Digest>)],
    plan: &Checking,
    read: u64,
    time: Duration,
) -> Heading {
    let exact = plan.options.get_unlisted() == Unlisted::Refused;
    let names: Vec<String> = match &plan.subject {
        Subject::Files(files, _) => {
            files.iter().map(|file| display_safe(file.as_os_str().as_bytes())).collect()
        }
        Subject::ContentAddressed(_) => vec!["the digests in file names".to_owned()],
        Subject::Embedded(_) => vec!["the CRC-32 in file names".to_owned()],
        Subject::Manifests(_) | Subject::Below(_) => {
            manifests.iter().map(|(name, _)| display_safe(name)).collect()
        }
    };
    let all = count(report.entries(), "entry", "entries");
    let (tone, verdict, sentence) = match report.verdict() {
        Conclusion::Verified => {
            (Tone::Good, "VERIFIED", format!("{all}: every file was read completely and matches its digest."))
        }
        Conclusion::PartVerified => (
            Tone::Good,
            "PARTLY VERIFIED",
            format!("The selected files were verified ({all}). The other files were not checked."),
        ),
        Conclusion::Failed => (Tone::Bad, "FAILED", "At least one file failed the check.".to_owned()),
        Conclusion::NotAsRequested => {
            (Tone::Unsure, "INCOMPLETE", "Not everything could be checked.".to_owned())
        }
        Conclusion::NothingVerified => {
            (Tone::Unsure, "NOTHING VERIFIED", "No file was compared with a digest.".to_owned())
        }
        Conclusion::Interrupted => (
            Tone::Unsure,
            "INTERRUPTED",
            "The check was interrupted; the counts cover only the files processed before the interruption."
                .to_owned(),
        ),
    };
    let mut facts = facts(read, time);
    facts.splice(0..0, manifests.iter().map(|(name, digest)| ("Manifest", manifest(name, digest.as_ref()))));
    if let Some(root) = plan.options.get_read().get_root() {
        facts.push(("Folder", display_safe(root.as_os_str().as_bytes())));
    }
    let part = part(report, plan.options.get_read().get_select().sample());
    let labels = part.map(|part| as_sentence(&part)).into_iter().chain(weak(report)).collect();
    let count = |row: Row| (row.tone, row.word.to_owned(), row.number, row.trouble);
    let counts = rows(report, exact).into_iter().map(count).collect();
    Heading {
        verdict: (tone, verdict),
        subject: format!("check of {}", shortened(&names)),
        sentence,
        labels,
        facts,
        counts,
    }
}
