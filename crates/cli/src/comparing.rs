//! The output of `audit` and `diff`: lines for users and pipes, JSON lines for programs, and
//! finally the overall result, which the library determines ([`Report::equality`]).

pub mod json;
pub mod words;

use crate::advice::{FORMATS, Trouble};
use crate::console::Console;
use crate::drawing::record::{Note, Record, Tone};
use crate::ending::{self, Ending};
use crate::exit::Exit;
use crate::key::HINT;
use crate::objects;
use crate::output::{Output, cannot_write};
use crate::values::path::folder_of;
use crate::watch::Watch;
use crate::words::path_word;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;
use truesum::audit::{Comparison, Equality, Event, FileStatus, Finding, Observer, Options, Report};
use truesum::manifest::Entry;
use truesum::manifest::path::display_safe;
use truesum::manifest::template::Template;
use truesum::{BadLine, Error, Kind};
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;

/// Standings of files with equal content.
const EQUAL: [FileStatus; 4] =
    [FileStatus::Same, FileStatus::Moved, FileStatus::Copied, FileStatus::Duplicated];

/// The maximum number of malformed lines that are shown.
const NAMED_LINES: u64 = 20;

/// The form in which files are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultForm {
    /// A line for each file: standing, name and, if it was moved or copied, the original name,
    /// separated by tabs.
    Lines,
    /// Files are not reported.
    Silent,
    /// A JSON object for each file.
    Json,
}

/// The output options of a command that compares files.
pub struct OutputStyle {
    pub form: ResultForm,
    /// The schema of the JSON lines.
    pub schema: &'static str,
    /// The words for files that exist on one side only: `missing` and `new`, or `removed` and
    /// `added`.
    pub one_sided: [&'static str; 2],
    /// The two sides, where summaries count their files.
    pub sides: [&'static str; 2],
    /// Whether equal files are reported.
    pub same: bool,
    /// Whether moved files count as equal.
    pub moved_passes: bool,
    /// The kind of summary; with `quiet`, it is printed only if there are differences.
    pub ending: Ending,
    pub quiet: bool,
    /// Whether one side is a folder.
    pub of_folder: bool,
    /// A hint on how to compare the two sides if they are not manifests.
    pub otherwise: Option<String>,
    /// The file for the HTML report.
    pub html: Option<PathBuf>,
    /// The template for lines, if there is one.
    pub template: Option<Template>,
}

impl OutputStyle {
    /// Returns the word for a standing.
    pub fn word(&self, status: FileStatus) -> &'static str {
        match status {
            FileStatus::Same => "ok",
            FileStatus::Missing => self.one_sided[0],
            FileStatus::New => self.one_sided[1],
            _ => status.word(),
        }
    }
}

/// Runs a comparison and reports it.
pub fn compare(
    style: &OutputStyle,
    options: Options,
    line: crate::progress::Line,
    mut console: Console,
    work: impl FnOnce(&mut Comparison<'_>, &mut Observer<'_>) -> io::Result<()>,
) -> Exit {
    let output = Output::stdout();
    let needs_digests = style.form == ResultForm::Json
        || style.html.is_some()
        || matches!(style.ending, Ending::Long | Ending::Json);
    // A report from an earlier run is not one of the files to compare.
    let id = style.html.as_ref().and_then(|html| Metadata::at(html).ok());
    let own = output.own().into_iter().chain(id.map(|file| file.id())).collect();
    let options = options.map_read(|read| read.own(own).digest_manifests(needs_digests));
    let watch = Watch::start(line, None, &mut console);
    let began = Instant::now();
    let mut comparison = Comparison::new(&options, &watch.progress);
    let mut printer = Printer {
        style,
        console,
        output,
        line: Vec::new(),
        malformed: Malformed::default(),
        shift: Shift::default(),
        record: Record::default(),
    };
    let result = work(&mut comparison, &mut |event| printer.event(&event));
    let report = comparison.report();
    let Printer { mut console, mut output, malformed, shift, record, .. } = printer;
    let time = began.elapsed();
    let mut exit = exit(report.equality(), &watch);
    if let (Ok(()), Some(path)) = (&result, &style.html)
        && let Err(error) = ending::write(path, &record, &words::heading(style, report, time))
    {
        console.failure(&error);
        exit = exit.max(Exit::NotAsRequested);
    }
    let object = json::summary(style, report, &[], time, exit.code());
    let result = result.and_then(|()| match style.form {
        ResultForm::Json => output.write(&object),
        ResultForm::Lines | ResultForm::Silent => Ok(()),
    });
    let name = output.name();
    let finished = result.map_err(|error| Error::io(&name, "write", error)).and_then(|()| output.finish());
    console.display = None;
    if let Err(error) = finished {
        // If the results could not be written, do not report the overall result either.
        return cannot_write(&error, &mut console);
    }
    if style.form != ResultForm::Silent {
        advise(style, report, comparison.root(), &malformed, &mut console);
        words::rules(report).filter(|_| !style.quiet).into_iter().for_each(|rules| console.note(&rules));
        if style.of_folder {
            shift.advise(report.listed(), &mut console);
        }
    }
    if style.form != ResultForm::Silent && !(style.quiet && exit == Exit::Done) {
        match style.ending {
            // Notes on weak digests and on what was not compared must not be omitted.
            Ending::None if style.form == ResultForm::Lines => {
                if report.interrupted() {
                    let files = crate::words::count(report.read(), "file", "files");
                    let bytes = crate::words::size(report.bytes());
                    console.error(&format!("interrupted after {files}, {bytes}"));
                }
                let is_equal = EQUAL.iter().any(|&is| report.count(is) > 0);
                let weak = words::weak(report).into_iter().filter(|_| is_equal);
                weak.for_each(|weak| console.note(&format!("compared with {weak}")));
                words::part(style, report).into_iter().for_each(|part| console.note(&part));
            }
            Ending::None => {}
            Ending::Json => console.line(String::from_utf8_lossy(&object).trim_end()),
            Ending::Short => console.summary(exit, &words::summary(style, report)),
            Ending::Long => {
                console.summary(exit, &words::summary(style, report));
                console.line(&words::long(style, report, time));
            }
        }
    }
    exit
}

/// Returns the exit status of a comparison or an update.
pub fn exit(equality: Equality, watch: &Watch) -> Exit {
    Exit::of_status(equality.exit_status(), watch.signals.ended_by())
}

/// Prints further notes and hints.
fn advise(style: &OutputStyle, report: &Report, root: &Path, malformed: &Malformed, console: &mut Console) {
    if style.form == ResultForm::Lines && report.malformed() > malformed.named {
        let more = report.malformed() - malformed.named;
        console.error(&crate::words::count(more, "more malformed line", "more malformed lines"));
    }
    if report.nothing() && report.failed() == 0 && report.is_part() && !report.interrupted() {
        console.error("nothing selected: all files in the manifest were excluded");
    } else if report.nothing()
        && report.failed() == 0
        && !report.interrupted()
        && report.manifests().is_empty()
    {
        console.error("nothing to compare: the folders contain no files");
    } else if report.nothing() && report.failed() == 0 && !report.interrupted() {
        console.error("nothing to compare: the manifest has no entries");
        console.hint(match &style.otherwise {
            _ if malformed.lacks_key => HINT,
            Some(otherwise) => otherwise,
            None => FORMATS,
        });
    }
    let uncomparable = report.count(FileStatus::Unknown) - report.undecided();
    if uncomparable > 0 {
        let side = |at: usize| {
            let mut names = Vec::from_iter(report.algorithms()[at].iter().map(String::as_str));
            names.extend(report.pieces()[at].then_some("piece digests"));
            if names.is_empty() { "no digests".to_owned() } else { names.join(", ") }
        };
        let files = crate::words::count(uncomparable, "file", "files");
        let why = match report.pieces() {
            [true, true] => {
                "the pieces have different algorithms or boundaries, or do not cover complete files"
                    .to_owned()
            }
            _ if side(0) == side(1) => {
                "the two sides have no algorithm in common for a file, or accept different sets of digests"
                    .to_owned()
            }
            _ => format!(
                "the two sides have no algorithm in common ({} on one side, {} on the other)",
                side(0),
                side(1)
            ),
        };
        console.error(&format!("{files} could not be compared, because {why}"));
        match (report.pieces(), report.manifests()) {
            ([false, false], _) => {
                console.hint("to compare each manifest with the files: truesum diff MANIFEST DIR");
            }
            (_, [(manifest, _)]) => {
                console.hint(&format!("to verify the pieces: {}", check_command(manifest, root)));
            }
            _ => console.hint("to verify the pieces: truesum check MANIFEST"),
        }
    }
    if report.undecided() > 0 {
        let files = crate::words::count(report.undecided(), "file", "files");
        let verb = if report.pieces() == &[true, true] { "compared" } else { "verified" };
        console.error(&format!("{files} could not be {verb} completely with piece digests"));
        if let [(manifest, _)] = report.manifests() {
            console.hint(&format!("to show the ranges: {}", check_command(manifest, root)));
        }
    }
    if report.count(FileStatus::Corrupt) > 0 {
        advise_corrupt(console);
    }
}

/// Returns the command that checks this manifest against the files in the folder `root`.
fn check_command(manifest: &Path, root: &Path) -> String {
    let folder = folder_of(manifest);
    let is_same = root.as_os_str().is_empty()
        || folder.canonicalize().is_ok_and(|folder| root.canonicalize().is_ok_and(|root| folder == root));
    let root = if is_same { String::new() } else { format!("--root {} ", path_word(root)) };
    format!("truesum check {root}{}", path_word(manifest))
}

/// Prints advice on files that changed although they were not written to.
pub fn advise_corrupt(console: &mut Console) {
    console.hint(&format!("corrupt: {}", Trouble::Corrupt.advice()));
}

struct Printer<'m> {
    style: &'m OutputStyle,
    console: Console,
    output: Output,
    line: Vec<u8>,
    malformed: Malformed,
    shift: Shift,
    record: Record,
}

/// Detects a folder by which all names in the manifest differ from the names found.
#[derive(Default)]
pub struct Shift {
    before: Vec<u8>,
    files: u64,
}

impl Shift {
    /// Processes one file.
    pub fn process(&mut self, finding: &Finding<'_>) {
        let name = finding.name().as_os_str().as_bytes();
        let from = finding.from().and_then(|from| from.as_os_str().as_bytes().strip_suffix(name));
        // A folder above the manifest's has no name that the manifest shows.
        let is_below = |before: &&[u8]| before.split(|&byte| byte == b'/').all(|part| part != b"..");
        if let Some(before) = from.filter(|before| before.ends_with(b"/")).filter(is_below) {
            if self.files == 0 {
                self.before = before.to_vec();
            }
            self.files += u64::from(self.before == before);
        }
    }

    /// Prints a hint if most names in the manifest have the same additional folder at the
    /// beginning.
    pub fn advise(&self, listed: u64, console: &mut Console) {
        if self.files > 0 && self.files * 2 > listed {
            let before = display_safe(&self.before);
            console.hint(&format!(
                "the names in the manifest begin with {before}: specify the folder that contains {before}"
            ));
        }
    }
}

/// Malformed lines, of which only the first ones are shown.
#[derive(Default)]
pub struct Malformed {
    named: u64,
    /// Whether the only problem of the lines was a missing key.
    lacks_key: bool,
}

impl Malformed {
    /// Shows a line, unless enough have been shown.
    pub fn report(&mut self, form: ResultForm, manifest: &Path, bad: &BadLine, console: &mut Console) {
        if form == ResultForm::Lines && self.named < NAMED_LINES {
            self.named += 1;
            self.lacks_key |= bad.lacks_key();
            console.error_of(manifest.as_os_str().as_bytes(), &bad.to_string());
            if bad.lacks_key() {
                console.hint(HINT);
            }
        }
    }
}

impl Printer<'_> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if self.style.html.is_some() {
            self.file(event);
        }
        let Printer { style, console, output, line, malformed, shift, .. } = self;
        if let Event::Finding(finding) = event {
            shift.process(finding);
        }
        match event {
            Event::Finding(finding) if style.same || finding.status() != FileStatus::Same => {
                match style.form {
                    ResultForm::Json => json::file(style, finding, None, line),
                    ResultForm::Lines => match &style.template {
                        None => text_line(style.word(finding.status()), finding, line),
                        Some(template) => {
                            template_line(template, style.word(finding.status()), finding, line);
                        }
                    },
                    ResultForm::Silent => {}
                }
            }
            Event::Finding(_) => {}
            Event::Malformed(manifest, bad) if style.form == ResultForm::Json => {
                objects::malformed(style.schema, manifest.as_os_str().as_bytes(), bad, line);
            }
            Event::Malformed(manifest, bad) => malformed.report(style.form, manifest, bad, console),
            Event::Doubtful(_) if style.quiet => {}
            Event::Doubtful(doubt) => {
                console.note(&format!("{}: {}", display_safe(doubt.name()), doubt.reason()));
            }
            Event::Failed(error) => match &style.otherwise {
                Some(otherwise) if error.kind() == Kind::NoManifest => {
                    console.error(&error.to_string());
                    console.hint(otherwise);
                }
                _ => console.failure(error),
            },
        }
        let name = match event {
            Event::Finding(finding) => finding.name().as_os_str().as_bytes(),
            _ => b"",
        };
        let written = output.write_entry(line, name);
        line.clear();
        written
    }
}

impl Printer<'_> {
    /// Adds the file of an event to the report.
    fn file(&mut self, event: &Event<'_>) {
        let Printer { style, record, .. } = self;
        match event {
            Event::Finding(finding) if finding.status() == FileStatus::Same => {
                record.other(Tone::Good, "ok", finding.name().as_os_str().as_bytes());
            }
            Event::Finding(finding) => {
                let path = finding.name().as_os_str().as_bytes();
                let tone = tone(finding.status(), style);
                record.failure(tone, style.word(finding.status()), path, &words::notes(finding));
            }
            Event::Malformed(manifest, bad) => {
                record.failure(
                    Tone::Unsure,
                    "malformed",
                    manifest.as_os_str().as_bytes(),
                    &[Note::Text(bad.to_string())],
                );
            }
            Event::Doubtful(doubt) => {
                record.other(Tone::Unsure, "doubtful", doubt.name());
            }
            Event::Failed(error) => {
                record.failure(Tone::Bad, "ERROR", error.name(), &[Note::Text(error.to_string())]);
            }
        }
    }
}

/// Returns the severity of a standing.
fn tone(status: FileStatus, style: &OutputStyle) -> Tone {
    match status {
        FileStatus::Same => Tone::Good,
        FileStatus::Moved if style.moved_passes => Tone::Good,
        FileStatus::New
        | FileStatus::Moved
        | FileStatus::Copied
        | FileStatus::Duplicated
        | FileStatus::Unknown => Tone::Unsure,
        FileStatus::Changed
        | FileStatus::Corrupt
        | FileStatus::Restored
        | FileStatus::MovedModified
        | FileStatus::Missing
        | FileStatus::Unreadable => Tone::Bad,
    }
}

/// Appends one file formatted with a template, using the facts found, or those in the manifest if
/// there are none.
fn template_line(template: &Template, word: &str, finding: &Finding<'_>, out: &mut Vec<u8>) {
    let path = finding.name().as_os_str().as_bytes().to_vec();
    let facts = finding.found().or(finding.listed());
    let entry = match facts {
        None => Entry { path, ..Entry::default() },
        Some(facts) => Entry {
            path,
            size: facts.size(),
            mtime: facts.mtime(),
            digests: facts.digests().to_vec(),
            ..Entry::default()
        },
    };
    template.render_compared(&entry, word, b"", out);
}

/// Returns a note if a file was moved, but several files with its content are equally likely to be its other name.
pub fn uncertain(finding: &Finding<'_>) -> Option<String> {
    (finding.candidates() > 1).then(|| format!("one of {} possible moves", finding.candidates()))
}

/// Appends the line for one file: a word, its name, the name of its content in the manifest, whether
/// that is uncertain, and why it could not be read.
pub fn text_line(word: &str, finding: &Finding<'_>, out: &mut Vec<u8>) {
    let name = |path: &Path| display_safe(path.as_os_str().as_bytes());
    let mut line = format!("{word}\t{}", name(finding.name()));
    if let Some(from) = finding.from() {
        line += &format!("\t{}", name(from));
    }
    if let Some(uncertain) = uncertain(finding) {
        line += &format!("\t{uncertain}");
    }
    if let Some(error) = finding.error() {
        line += &format!("\tcannot {}: {}", error.action(), error.reason());
    }
    line.push('\n');
    out.extend_from_slice(line.as_bytes());
}
