//! The output of a search: lines for users and pipes, names for `xargs -0`, JSON lines for
//! programs.

use crate::comparing::words::label;
use crate::console::Console;
use crate::exit::Exit;
use crate::notices::report;
use crate::objects;
use crate::options::Reporting;
use crate::output::Output;
use crate::selection::not_selected;
use crate::words::{count, grouped, size};
use std::collections::BTreeSet;
use std::io;
use truesum::BadLine;
use truesum::find::{Event, Match, Report, Search};
use truesum::hash::Spec;
use truesum::manifest::path::display_safe;
use truesum::manifest::weak;
use truesum::walk::ExcludedCounts;
use truesum_fs::name::OsStrExt;

const SCHEMA: &str = "truesum-find/1";
/// Maximum number of malformed lines that are shown.
const NAMED_LINES: u64 = 20;

/// The form in which files are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A line for each file.
    Lines,
    /// The name of each file, terminated by NUL.
    Names,
    /// A JSON object for each file.
    Json,
}

/// Reports the events of a search.
pub struct Printer {
    form: Form,
    /// Whether wanted files are identified by their names in a manifest, not by digests.
    by_name: bool,
    reporting: Reporting,
    pub console: Console,
    pub output: Output,
    line: Vec<u8>,
    named_lines: u64,
    /// The algorithms of found files for which a matching digest does not rule out tampering.
    pub weak: BTreeSet<String>,
}

impl Printer {
    /// Creates a reporter that prints to `output` and `console`.
    pub fn new(form: Form, by_name: bool, reporting: Reporting, console: Console, output: Output) -> Printer {
        Printer {
            form,
            by_name,
            reporting,
            console,
            output,
            line: Vec::new(),
            named_lines: 0,
            weak: BTreeSet::new(),
        }
    }

    /// Reports one event.
    ///
    /// # Errors
    /// Fails if the output cannot be written.
    pub fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Match(found) => self.found(found),
            Event::Failed(error) if self.form == Form::Json => objects::failed(SCHEMA, error, &mut self.line),
            Event::Failed(error) => self.console.failure(error),
            Event::Doubtful(doubt) if self.reporting.notes => {
                let name = display_safe(doubt.name());
                self.console.note(&format!("{name}: {}", doubt.reason()));
            }
            Event::Malformed(manifest, line) => self.malformed(manifest.as_os_str().as_bytes(), line),
            Event::Passed(notice) => {
                report(notice, self.reporting, ("not read", "not read"), &mut self.console)
            }
            Event::Pause => self.output.pause()?,
            _ => {}
        }
        self.write()
    }

    fn found(&mut self, found: &Match<'_>) {
        if found.by().iter().all(|(spec, _)| weak::verdict(spec) != weak::Strength::TamperEvident) {
            self.weak.extend(found.by().iter().map(|(spec, _)| spec.to_string()));
        }
        let Printer { line, by_name, .. } = self;
        let (name, label) = (found.name().as_os_str().as_bytes(), found.label());
        match self.form {
            Form::Names => {
                line.extend_from_slice(name);
                line.push(0);
            }
            Form::Lines => {
                let by: Vec<String> = found.by().iter().map(|(spec, _)| spec.to_string()).collect();
                let (name, label) = (display_safe(name), display_safe(label));
                line.extend_from_slice(format!("found\t{name}\t{label}\t{}\n", by.join("+")).as_bytes());
            }
            Form::Json => {
                objects::begin(SCHEMA, "found", line);
                objects::path(name, line);
                wanted(label, *by_name, line);
                objects::add(line, format_args!(",\"size\":{}", found.size()));
                let strong = |(spec, _): &(Spec, _)| weak::verdict(spec) == weak::Strength::TamperEvident;
                objects::add(line, format_args!(",\"tamper_evident\":{}", found.by().iter().any(strong)));
                objects::digests(found.by().iter().map(|(spec, digest)| (spec, digest)), line);
                objects::end(line);
            }
        }
    }

    fn malformed(&mut self, manifest: &[u8], line: &BadLine) {
        self.named_lines += 1;
        match self.form {
            Form::Json => objects::malformed(SCHEMA, manifest, line, &mut self.line),
            _ if self.named_lines <= NAMED_LINES => self.console.error_of(manifest, &line.to_string()),
            _ => {}
        }
    }

    /// Reports what was not found, and the summary.
    ///
    /// # Errors
    /// Fails if the output cannot be written.
    pub fn end(&mut self, search: &Search<'_>, not_tried: usize, seconds: f64, exit: Exit) -> io::Result<()> {
        let report = search.report();
        if self.form != Form::Json && self.named_lines > NAMED_LINES {
            let more = self.named_lines - NAMED_LINES;
            self.console.error(&count(more, "more malformed line", "more malformed lines"));
        }
        // After an interruption, it is unknown whether anything is absent.
        let absent = report.found().iter().zip(search.labels()).filter(|(files, _)| **files == 0);
        for label in absent.filter(|_| !report.interrupted()).map(|(_, label)| label) {
            match self.form {
                Form::Names => {}
                Form::Lines => {
                    self.line.extend_from_slice(format!("absent\t{}\n", display_safe(label)).as_bytes());
                }
                Form::Json => {
                    objects::begin(SCHEMA, "absent", &mut self.line);
                    wanted(label, self.by_name, &mut self.line);
                    objects::end(&mut self.line);
                }
            }
            if self.line.len() > 1 << 16 {
                self.output.write(&self.line)?;
                self.line.clear();
            }
        }
        if self.form == Form::Json {
            let found = report.found().iter().filter(|&&files| files > 0).count() as u64;
            let counts = [
                ("wanted", report.found().len() as u64),
                ("found", found),
                ("files", report.found().iter().sum()),
                ("read", report.read()),
                ("passed", report.passed()),
                ("left_out", report.left_out().files()),
                ("left_out_folders", report.left_out().folders()),
                ("not_tried", not_tried as u64),
                ("failed", report.failed()),
                ("malformed", report.malformed()),
                ("bytes", report.bytes()),
            ];
            let omitted = Some(("omitted", report.omitted())).filter(|(_, objects)| *objects > 0);
            let counts: Vec<_> = counts.into_iter().chain(omitted).collect();
            objects::summary(SCHEMA, &counts, seconds, exit.code(), &mut self.line);
        }
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        let Printer { output, line, .. } = self;
        if line.is_empty() {
            return Ok(());
        }
        let written = output.write(line);
        line.clear();
        written
    }
}

/// Appends the member that identifies what was searched for.
fn wanted(label: &[u8], by_name: bool, line: &mut Vec<u8>) {
    if by_name {
        line.extend_from_slice(b",\"listed\":{");
        truesum::manifest::json::path_into(label, line);
        line.push(b'}');
    } else {
        objects::text("wanted", &String::from_utf8_lossy(label), line);
    }
}

/// Returns the summary line; `weak` are the algorithms for which a matching digest does not rule out
/// tampering.
pub fn words(report: &Report, by_name: bool, weak: &BTreeSet<String>) -> String {
    let all = report.found().len() as u64;
    let found = report.found().iter().filter(|&&files| files > 0).count() as u64;
    let what =
        if by_name { count(all, "listed file", "listed files") } else { count(all, "digest", "digests") };
    let mut text = format!("truesum: {} of {what} found", grouped(found));
    text += &format!("; {} read ({})", size(report.bytes()), count(report.read(), "file", "files"));
    if report.passed() > 0 {
        let why = if report.passed() == 1 { "its size differs" } else { "their sizes differ" };
        text += &format!("; {} skipped, because {why}", count(report.passed(), "file", "files"));
    }
    if report.left_out() != ExcludedCounts::default() {
        text += &format!("; {} excluded", not_selected(report.left_out()));
    }
    if report.malformed() > 0 {
        text += &format!("; {}", count(report.malformed(), "malformed line", "malformed lines"));
    }
    if report.failed() > 0 {
        text +=
            &format!("; {} could NOT be read", count(report.failed(), "file or folder", "files or folders"));
        if found < all {
            text += ", so \"absent\" may be wrong";
        }
    }
    for label in label(weak) {
        text += &format!("; {label}");
    }
    if report.interrupted() {
        text += "; interrupted";
    }
    text
}
