//! The output of a run: a line for each file that is not intact, and a summary.

use crate::comparing::{OutputStyle, ResultForm, json, text_line};
use crate::console::Console;
use crate::ending::Ending;
use crate::objects;
use crate::output::Output;
use crate::words::{count, grouped, size};
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use truesum::audit::FileStatus;
use truesum::scrub::{Event, Report, Treatment};

/// The schema of the JSON lines.
pub const SCHEMA: &str = "truesum-scrub/1";

/// The words of the output, and where files are counted.
const OUTPUT_STYLE: OutputStyle = OutputStyle {
    form: ResultForm::Lines,
    schema: SCHEMA,
    one_sided: ["missing", "new"],
    sides: ["recorded", "found"],
    same: false,
    moved_passes: false,
    ending: Ending::Short,
    quiet: false,
    of_folder: true,
    otherwise: None,
    html: None,
    template: None,
};

/// Returns the word for a status.
pub fn word(status: FileStatus) -> &'static str {
    OUTPUT_STYLE.word(status)
}

/// Prints the events of a run.
pub struct Printer {
    pub console: Console,
    pub output: Output,
    pub json: bool,
    pub quiet: bool,
    /// Whether the state is left as it is.
    pub dry_run: bool,
    /// The first changed file that was not accepted because its entry has no modification time.
    pub undated: Option<PathBuf>,
    /// The files that this run reported as corrupt, except those that were repaired.
    pub corrupt: BTreeSet<PathBuf>,
    /// Whether output was not written, and why.
    pub failed: Option<io::Error>,
}

impl Printer {
    /// Prints an event. Intact files are not printed.
    pub fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let mut line = Vec::new();
        let (kind, finding, treatment) = match event {
            Event::Failed(error) => {
                self.console.failure(error);
                return Ok(());
            }
            Event::Finding(finding, treatment) => ("file", finding, treatment),
            Event::Manifest(finding, treatment) => ("manifest", finding, treatment),
        };
        let name = || finding.name().to_owned();
        let is_undated = || finding.listed().is_some_and(|facts| facts.mtime().is_none());
        match finding.status() {
            // In a collection, the error names the manifest to update.
            FileStatus::Changed if treatment.is_failure() && finding.error().is_none() && is_undated() => {
                self.undated.get_or_insert_with(name);
            }
            FileStatus::Corrupt if treatment.is_failure() => {
                self.corrupt.insert(name());
            }
            _ if *treatment == Treatment::Repaired => {
                self.corrupt.remove(&name());
            }
            _ => {}
        }
        match treatment {
            Treatment::Intact => {}
            _ if self.quiet && !treatment.is_failure() && *treatment != Treatment::Repaired => {}
            _ if self.json => {
                json::of_kind(kind, &OUTPUT_STYLE, finding, Some(action(*treatment)), &mut line);
            }
            _ => {
                text_line(word(finding.status()), finding, &mut line);
                line.pop();
                line.extend_from_slice(note(finding.status(), *treatment, self.dry_run).as_bytes());
                line.push(b'\n');
            }
        }
        self.write(&line)
    }

    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        if line.is_empty() {
            return Ok(());
        }
        let written = self.output.write(line);
        written.map_err(|error| {
            let kind = error.kind();
            self.failed = Some(error);
            kind.into()
        })
    }

    /// Prints the last JSON object.
    pub fn summary_object(&mut self, report: &Report, seconds: f64, exit: u8) -> io::Result<()> {
        let mut line = Vec::new();
        objects::begin(SCHEMA, "summary", &mut line);
        for status in FileStatus::ALL {
            objects::add(&mut line, format_args!(",\"{}\":{}", word(status), report.count(status)));
        }
        for (name, value) in [
            ("repaired", report.repaired()),
            ("failures", report.failures()),
            ("failed", report.failed()),
            ("deferred", report.deferred()),
            ("excluded", report.excluded()),
            ("skipped", report.skipped()),
            ("files", report.files()),
            ("read", report.read()),
            ("bytes", report.bytes()),
        ] {
            objects::add(&mut line, format_args!(",\"{name}\":{value}"));
        }
        if let Some(coverage) = report.coverage() {
            let (all, within) = (coverage.all(), coverage.within());
            objects::add(
                &mut line,
                format_args!(",\"recorded_files\":{},\"recorded_bytes\":{}", all.files(), all.bytes()),
            );
            objects::add(
                &mut line,
                format_args!(",\"within_files\":{},\"within_bytes\":{}", within.files(), within.bytes()),
            );
            if let Some(oldest) = coverage.oldest() {
                objects::add(&mut line, format_args!(",\"oldest\":\"{oldest}\""));
            }
        }
        objects::end_summary([], seconds, exit, &mut line);
        self.write(&line)
    }
}

/// Returns the word for a treatment in JSON.
fn action(treatment: Treatment) -> &'static str {
    match treatment {
        Treatment::Intact => "intact",
        Treatment::Recovered => "recovered",
        Treatment::Repaired => "repaired",
        Treatment::Accepted => "accepted",
        Treatment::Failed => "failed",
        Treatment::StillFailed => "still-failed",
    }
}

/// Returns the last column of a line, with the separator before it.
fn note(status: FileStatus, treatment: Treatment, dry_run: bool) -> &'static str {
    match treatment {
        Treatment::Intact | Treatment::Failed => "",
        Treatment::Recovered => "\tintact again",
        Treatment::Repaired => "\trepaired",
        Treatment::Accepted => match (status == FileStatus::Missing, dry_run) {
            (true, false) => "\tentry removed",
            (true, true) => "\tentry would be removed",
            (false, false) => "\trecorded",
            (false, true) => "\twould be recorded",
        },
        Treatment::StillFailed => "\tfailed in an earlier run, not read in this one",
    }
}

/// Returns a percentage that is 100 only if it is exact.
pub fn percent(part: u64, all: u64) -> String {
    match all {
        0 => "100%".to_owned(),
        _ if part == all => "100%".to_owned(),
        _ => format!("{:.1}%", (part as f64 / all as f64 * 100.0).min(99.9)),
    }
}

/// Returns the words for the period of this many days that ends now.
pub fn in_the_last(days: u64) -> String {
    match days {
        1 => "in the last day".to_owned(),
        _ => format!("in the last {days} days"),
    }
}

/// Returns the summary of a run that promises `within` days.
pub fn summary(report: &Report, within: u64, dry_run: bool) -> String {
    let recorded = report.coverage().map_or(0, |coverage| coverage.all().files());
    let mut text = format!("truesum: {}", count(recorded, "file", "files"));
    let read = report.read();
    text += &format!(" recorded, {} read ({})", grouped(read), size(report.bytes()));
    let statuses = FileStatus::ALL.into_iter().filter(|status| report.count(*status) > 0);
    let repaired = Some(report.repaired()).filter(|files| *files > 0);
    let parts: Vec<String> = statuses
        .map(|status| match (status, report.failures_of(status)) {
            (FileStatus::Same, _) => format!("{} ok", grouped(report.count(status))),
            (_, failures) if failures == report.count(status) => {
                format!("{} {}", grouped(failures), word(status).to_uppercase())
            }
            _ => format!("{} {}", grouped(report.count(status)), word(status)),
        })
        .chain(repaired.map(|files| format!("{} repaired", grouped(files))))
        .collect();
    if !parts.is_empty() {
        text += &format!(": {}", parts.join(", "));
    }
    if report.deferred() > 0 {
        text += &format!(
            "; {} left for later runs",
            count(report.deferred(), "new or modified file", "new or modified files")
        );
    }
    if report.skipped() > 0 {
        let files = count(report.skipped(), "file that may be a manifest", "files that may be manifests");
        text += &format!("; {files} NOT used");
    }
    if let Some(coverage) = report.coverage() {
        let share = percent(coverage.within().weight(), coverage.all().weight());
        // Files that are not recorded yet are not counted.
        let is_partial = report.deferred() > 0 || report.exit_status() == 130;
        let of = if is_partial { " of the recorded files" } else { "" };
        text += &format!("; {share}{of} verified {}", in_the_last(within));
        let known = coverage.within().files() + coverage.failed_files();
        let is_all = known == coverage.all().files();
        if let Some(oldest) = coverage.oldest().filter(|_| !is_all) {
            text += &format!(", oldest verification {}", &oldest.to_string()[..10]);
        }
    }
    text += match report.exit_status() {
        0 if dry_run => "; nothing is wrong (dry run: the state file is unchanged)",
        0 => "; nothing is wrong",
        130 => "; interrupted",
        _ if dry_run => "; FAILURES found (dry run: the state file is unchanged)",
        _ => "; FAILURES found",
    };
    text
}
