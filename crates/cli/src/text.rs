//! `truesum text`: computes digests of texts on the command line, and of each line of a file. They
//! are not written to a manifest, because they are not digests of files.

use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::hash::arguments::{AlgorithmArgs, FormatArgs};
use crate::hash::plan::{Digesting, Form, Target, digesting};
use crate::hash::writing::writer;
use crate::options::{Reporting, RunArgs};
use crate::output::{Output, cannot_write};
use crate::tasks::NameList;
use crate::watch::Watch;
use crate::words::count;
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use truesum::hash::SpecError;
use truesum::manifest::path::display_safe;
use truesum::manifest::{Entry, WriteError, Writer};
use truesum::{Error, Input};
use truesum_fs::name::OsStrExt;

/// Maximum length of a line in bytes, which is kept in memory.
const LINE: usize = 64 << 20;

/// Compute digests of text instead of files
#[derive(Args)]
#[command(
    after_help = "\
Examples:
  truesum text hello              like printf %s hello | truesum hash
  truesum text -a md5 --raw hello | xxd
  truesum text --lines words.txt  hash each line
A TEXT that begins with - must be preceded by --. Secrets given as TEXT are visible to other users in the process \
list; use --lines - to read them from standard input.",
    mut_arg("format", |arg| arg
        .help("Output format [default: gnu]")
        .long_help("Output format [default: gnu]\n\n`truesum list formats` shows the available formats.")),
)]
pub struct TextArgs {
    /// Strings to hash; no line ending is added
    #[arg(value_name = "TEXT", value_hint = ValueHint::Other, required_unless_present = "lines")]
    texts: Vec<OsString>,
    /// Hash each line of FILE, without its line ending; - is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["texts", "raw"])]
    lines: Option<PathBuf>,
    #[command(flatten)]
    algorithms: AlgorithmArgs,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    run: RunArgs,
    /// Print less: no progress, no notes
    #[arg(short, long, help_heading = "Running")]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: TextArgs) -> Exit {
    let mut console = Console::new(args.run.color);
    match plan(&args) {
        Ok(plan) => {
            let reporting = args.run.reporting(args.quiet);
            if reporting.notes {
                plan.notes.iter().for_each(|note| console.note(note));
            }
            hash(&plan, &args, reporting, &mut console)
        }
        Err(refusal) => console.refuse(&refusal),
    }
}

/// Validates the arguments.
///
/// # Errors
/// Fails if they contradict each other or request something that does not exist.
fn plan(args: &TextArgs) -> Result<Digesting, Refusal> {
    let plan = digesting(&args.algorithms, &args.format, Target::default())?;
    if let Some(spec) = plan.specs.iter().find(|spec| spec.lacks_name()) {
        return Err(Refusal::new(SpecError::LacksName(spec.algorithm().name()).to_string()));
    }
    if plan.form == Form::Raw && args.texts.len() > 1 {
        return Err(Refusal::new("--raw requires exactly one TEXT"));
    }
    if let Some(format) = args.format.format.filter(|format| format.capabilities().pieces().is_some()) {
        return Err(Refusal::new(format!("-t {}: a torrent can cover only files", format.name())));
    }
    if let (Some(key), Some(lines)) = (&plan.key, &args.lines) {
        key.leaves(&[lines.as_os_str().as_bytes()])?;
    }
    Ok(plan)
}

/// Hashes the texts.
fn hash(plan: &Digesting, args: &TextArgs, reporting: Reporting, console: &mut Console) -> Exit {
    let writer = writer(plan.form, &plan.specs, None, &[]);
    let mut entries = Entries { plan, reporting, writer, output: Output::stdout() };
    let watch = Watch::start(reporting.line, None, console);
    let mut exit = Exit::Done;
    let result = match &args.lines {
        None => args.texts.iter().try_for_each(|text| entries.write(b"-", text.as_bytes())),
        Some(path) => match lines(path, &watch) {
            Ok(list) => of_lines(path, list, &mut entries, console, &mut exit),
            Err(error) => {
                console.display = None;
                console.failure(&Error::io(path.as_os_str().as_bytes(), "open", error));
                return Exit::Failed;
            }
        },
    };
    if watch.progress.stopped() {
        exit = exit.max(Exit::Signal(watch.signals.ended_by().unwrap_or(2)));
    }
    let result = result.and_then(|()| if exit == Exit::Done { entries.finish() } else { Ok(()) });
    let name = entries.output.name();
    let finished =
        result.map_err(|error| Error::io(&name, "write", error)).and_then(|()| entries.output.finish());
    console.display = None;
    match finished {
        Ok(()) => exit,
        Err(error) => exit.max(cannot_write(&error, console)),
    }
}

fn lines(path: &Path, watch: &Watch) -> io::Result<NameList> {
    let input = if path == Path::new("-") {
        Input::stdin(watch.progress.stop_signal())?
    } else {
        Input::open(path, watch.progress.stop_signal())?
    };
    Ok(NameList::of(input, b'\n'))
}

fn of_lines(
    path: &Path,
    mut list: NameList,
    entries: &mut Entries<'_>,
    console: &mut Console,
    exit: &mut Exit,
) -> io::Result<()> {
    let name = path.as_os_str().as_bytes();
    let (mut number, mut returns) = (0u64, 0);
    let mut text = Vec::new();
    let failed = loop {
        match list.part(LINE, &mut text) {
            Ok(true) => {}
            Ok(false) => {
                if returns > 0 && entries.reporting.notes {
                    let lines = count(returns, "line ends", "lines end");
                    let name = display_safe(name);
                    console.note(&format!("{name}: {lines} in CR LF; the CR is hashed as part of the line"));
                }
                return Ok(());
            }
            Err(error) => break error,
        }
        number += 1;
        returns += u64::from(text.ends_with(b"\r"));
        entries.write(&[name, format!(":{number}").as_bytes()].concat(), &text)?;
    };
    if !Input::is_interruption(&failed) {
        console.failure(&Error::io(name, "read", failed));
        *exit = Exit::Failed;
    }
    Ok(())
}

/// Writes the digests of texts in the form that the plan specifies.
struct Entries<'a> {
    plan: &'a Digesting,
    reporting: Reporting,
    /// `None` for templates and raw bytes.
    writer: Option<Writer<Vec<u8>>>,
    output: Output,
}

impl Entries<'_> {
    fn write(&mut self, name: &[u8], text: &[u8]) -> io::Result<()> {
        let digests = self.plan.specs.iter().map(|spec| (spec.clone(), spec.digest(text))).collect();
        let entry = Entry { path: name.to_vec(), size: Some(text.len() as u64), digests, ..Entry::default() };
        let mut lines = Vec::new();
        match (&self.plan.template, &mut self.writer) {
            (Some(template), _) => template.render(&entry, &mut lines),
            (None, Some(writer)) => {
                writer.write(&entry).map_err(failed)?;
                lines.append(writer.get_mut());
            }
            (None, None) => {
                entry.digests.iter().for_each(|(_, digest)| lines.extend_from_slice(digest.as_bytes()));
            }
        }
        self.output.write_entry(&lines, name)
    }

    /// Writes the end of the list.
    fn finish(&mut self) -> io::Result<()> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        self.output.write(&writer.finish().map_err(failed)?)
    }
}

fn failed(error: WriteError) -> io::Error {
    match error {
        WriteError::Io(error) => error,
        WriteError::Refused(why) => io::Error::other(why),
    }
}
