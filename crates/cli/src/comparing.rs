//! What `audit` and `diff` tell of two sets of files: lines for people and pipes, JSON lines for programs, and in the end what
//! it came to. Which of them is said, the library decides ([`Report::equality`]).

pub mod json;
mod words;

use crate::console::Console;
use crate::exit::Exit;
use crate::output::{Output, cannot_write};
use crate::watch::Watch;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Instant;
use truesum::audit::{Comparison, Equality, Event, Finding, Options, Report, Standing, Tell};
use truesum::manifest::path::display_safe;
use truesum::{BadLine, Error};

/// Malformed lines named, at most.
const NAMED_LINES: u64 = 20;

/// The form in which files are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultForm {
    /// A line each: standing, name and, where it came from, that name, with tabs between them.
    Lines,
    /// Nothing of files.
    Silent,
    /// An object each.
    Json,
}

/// What a command says.
pub struct Manner {
    pub form: ResultForm,
    /// The schema of JSON lines.
    pub schema: &'static str,
    /// The words for what is only on one side: `missing` and `new`, or `removed` and `added`.
    pub one_sided: [&'static str; 2],
    /// Whether files that are the same are told.
    pub same: bool,
    /// Whether a summary is told, and when only if something is amiss.
    pub summary: bool,
    pub quiet: bool,
}

impl Manner {
    /// The word for a standing.
    pub fn word(&self, standing: Standing) -> &'static str {
        match standing {
            Standing::Same => "ok",
            Standing::Changed => "changed",
            Standing::Corrupt => "corrupt",
            Standing::Missing => self.one_sided[0],
            Standing::New => self.one_sided[1],
            Standing::Moved => "moved",
            Standing::Copied => "copied",
            Standing::Duplicated => "duplicated",
            Standing::Unreadable => "unreadable",
            Standing::Unknown => "unknown",
        }
    }
}

/// Runs a comparison and tells it.
pub fn compare(
    manner: &Manner,
    options: Options,
    line: crate::progress::Line,
    mut console: Console,
    work: impl FnOnce(&mut Comparison<'_>, &mut Tell<'_>) -> io::Result<()>,
) -> Exit {
    let output = Output::stdout();
    let mut options = options;
    options.check.own = output.own();
    let watch = Watch::start(line, None, &mut console);
    let began = Instant::now();
    let mut comparison = Comparison::new(&options, &watch.progress);
    let mut telling = Telling { manner, console, output, line: Vec::new(), malformed: Malformed::default() };
    let told = work(&mut comparison, &mut |event| telling.event(&event));
    let report = comparison.report();
    let Telling { mut console, mut output, malformed, .. } = telling;
    let mut exit = match report.equality() {
        Equality::Equal => Exit::Done,
        Equality::Different => Exit::Failed,
        Equality::NotAsAsked => Exit::NotAsAsked,
        Equality::Interrupted => Exit::Signal(watch.signals.ended_by().unwrap_or(2)),
    };
    let told = told.and_then(|()| match manner.form {
        ResultForm::Json => output.write(&json::summary(manner, report, &[], began.elapsed(), exit.code())),
        ResultForm::Lines | ResultForm::Silent => Ok(()),
    });
    let name = output.name();
    let finished = told.map_err(|error| Error::io(&name, "write", error)).and_then(|()| output.finish());
    console.display = None;
    if let Err(error) = finished {
        exit = exit.max(cannot_write(&error, &mut console));
        return exit;
    }
    if manner.form != ResultForm::Silent {
        advise(manner, report, malformed.named, &mut console);
    }
    if manner.summary && manner.form == ResultForm::Lines && !(manner.quiet && exit == Exit::Done) {
        console.line(&words::summary(manner, report));
    }
    exit
}

/// What else there is to say, and what can be done.
fn advise(manner: &Manner, report: &Report, named_lines: u64, console: &mut Console) {
    if manner.form == ResultForm::Lines && report.malformed > named_lines {
        let more = report.malformed - named_lines;
        console.error(&crate::words::count(more, "more malformed line", "more malformed lines"));
    }
    if report.nothing && report.failed == 0 && !report.interrupted {
        console.error("nothing to compare: no file is listed");
        console.hint("is this a manifest?");
    }
    if report.count(Standing::Unknown) > 0 {
        let side = |at: usize| report.algorithms[at].iter().cloned().collect::<Vec<_>>().join(", ");
        let files = crate::words::count(report.count(Standing::Unknown), "file has", "files have");
        console.error(&format!("{files} no algorithm in common: here {}, there {}", side(0), side(1)));
        console.hint("compare each manifest with the files themselves: truesum diff MANIFEST DIR");
    }
    if report.count(Standing::Corrupt) > 0 {
        advise_corrupt(console);
    }
}

/// What to do about files that nobody wrote to and that changed.
pub fn advise_corrupt(console: &mut Console) {
    console.hint(
        "corrupt: size and time are those listed, so nothing wrote to the file; restore it from a copy and look at the disk",
    );
}

struct Telling<'m> {
    manner: &'m Manner,
    console: Console,
    output: Output,
    line: Vec<u8>,
    malformed: Malformed,
}

/// Malformed lines, as far as they are named.
#[derive(Default)]
pub struct Malformed {
    named: u64,
}

impl Malformed {
    /// Names one, unless enough are named.
    pub fn tell(&mut self, form: ResultForm, manifest: &Path, bad: &BadLine, console: &Console) {
        if form == ResultForm::Lines && self.named < NAMED_LINES {
            self.named += 1;
            console.error_of(manifest.as_os_str().as_bytes(), &bad.to_string());
        }
    }
}

impl Telling<'_> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let Telling { manner, console, output, line, malformed } = self;
        match event {
            Event::Finding(finding) if manner.same || finding.standing != Standing::Same => {
                match manner.form {
                    ResultForm::Json => json::file(manner, finding, None, line),
                    ResultForm::Lines => text_line(manner.word(finding.standing), finding, line),
                    ResultForm::Silent => {}
                }
            }
            Event::Finding(_) => {}
            Event::Malformed(manifest, bad) if manner.form == ResultForm::Json => {
                json::malformed(manner, manifest.as_os_str().as_bytes(), bad, line);
            }
            Event::Malformed(manifest, bad) => malformed.tell(manner.form, manifest, bad, console),
            Event::Failed(error) => console.failure(error),
        }
        let written = match output.is_terminal {
            true => console.around(|| output.write(line)),
            false => output.write(line),
        };
        line.clear();
        written
    }
}

/// Appends the line of one file: a word, its name, where its content is listed, and why it could not be read.
pub fn text_line(word: &str, finding: &Finding<'_>, out: &mut Vec<u8>) {
    let name = |path: &Path| display_safe(path.as_os_str().as_bytes());
    let mut line = format!("{word}\t{}", name(finding.name));
    if let Some(from) = finding.from {
        line += &format!("\t{}", name(from));
    }
    if let Some(error) = finding.error {
        line += &format!("\tcannot {}: {}", error.action, error.reason());
    }
    line.push('\n');
    out.extend_from_slice(line.as_bytes());
}
