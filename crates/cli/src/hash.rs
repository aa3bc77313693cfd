//! `truesum hash`: files in, lines out. A digest is written only for a file that was read whole; the others are named on
//! standard error, and the manifest holds the good ones.

use crate::args::HashArgs;
use crate::config::{self, Form, Hashing, Inputs, Tell};
use crate::console::{Console, count, visible};
use crate::exit::Exit;
use crate::names::{Listed, Naming};
use crate::output::{Output, cannot_write};
use crate::progress::{Display, Outlook, size};
use crate::signals::Signals;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use truesum::manifest::path::display_safe;
use truesum::manifest::{Entry, Time, append};
use truesum::walk::{Item, Walk};
use truesum::{Config, Error, Job, Notice, Outcome, Progress, Root, Sink, Summary, Task};

/// A run on one file below this size is over before anybody could ask how far it is.
const SMALL: u64 = 16 << 20;

/// One file below this size is hashed before a second thread could begin.
const TINY: u64 = 128 << 10;

/// Runs the command.
pub fn run(args: HashArgs) -> Exit {
    let mut console = Console::new(args.run.color);
    let plan = match config::hash(args) {
        Ok(plan) => plan,
        Err(refusal) => return console.refuse(&refusal),
    };
    execute(plan, &mut console)
}

fn execute(plan: Hashing, console: &mut Console) -> Exit {
    let output = match &plan.output {
        Some(path) => Output::file(path),
        None => Ok(Output::stdout()),
    };
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            console.failure(&error);
            return Exit::NotAsAsked;
        }
    };
    let only_size = only_size(&plan.inputs);
    let small = plan.output.is_none() && only_size.is_some_and(|size| size < SMALL);
    let named = match &plan.inputs {
        Inputs::Named(names) => names.clone(),
        Inputs::Listed(..) => Vec::new(),
    };
    let progress = Arc::new(Progress::default());
    let signals = if small { Signals::default() } else { watch(&progress, &plan, only_size, console) };
    let tasks = Tasks::new(&plan, &progress);
    let mut tasks = match tasks {
        Ok(tasks) => tasks,
        Err(refusal) => return console.refuse(&refusal),
    };
    let engine = Config {
        root: Root::Anywhere,
        special: plan.walk.special,
        threads: if only_size.is_some_and(|size| size < TINY) { 1 } else { plan.tell.threads },
        order: plan.order,
        own: output.own(),
    };
    let began = Instant::now();
    let mut sink = Writing {
        console,
        output,
        form: plan.form,
        tell: plan.tell,
        named,
        lines: Vec::new(),
        refused: 0,
        links: 0,
        temporary: 0,
    };
    let result = truesum::run(&engine, &mut tasks, &progress, &mut sink);
    let Writing { console, output, refused, links, temporary, .. } = sink;
    console.display = None;
    let outside = tasks.naming.as_ref().map_or(0, |naming| naming.outside);
    let told = Told { refused, links, temporary, outside, read: progress.bytes() };
    let list_error = tasks.list_error();
    end(&plan, result, output, told, list_error, &signals, began, console)
}

/// What was counted beside the engine's summary.
struct Told {
    refused: u64,
    links: u64,
    temporary: u64,
    outside: u64,
    /// Bytes that were read, those of files that were not read to their end among them.
    read: u64,
}

#[expect(clippy::too_many_arguments, reason = "everything a run leaves behind meets here, once")]
fn end(
    plan: &Hashing,
    result: io::Result<Summary>,
    output: Output,
    told: Told,
    list_error: Option<io::Error>,
    signals: &Signals,
    began: Instant,
    console: &mut Console,
) -> Exit {
    let name = output.name();
    let mut exit = Exit::Done;
    let summary = match result {
        Ok(summary) => summary,
        Err(error) => return cannot_write(&Error::io(&name, "write", error), console),
    };
    if let Some(error) = list_error
        && let Inputs::Listed(list, _) = &plan.inputs
    {
        console.failure(&Error::io(list.as_os_str().as_bytes(), "read", error));
        exit = Exit::NotAsAsked;
        // Nobody can name what the rest of the list would have named, so no manifest stands for it.
        if let Some(path) = &plan.output {
            console.error_of(
                path.as_os_str().as_bytes(),
                "not written, for the list of files was not read to its end",
            );
            return if summary.failed() > 0 { Exit::Failed } else { exit };
        }
    }
    if summary.failed() + told.refused > 0 {
        exit = exit.max(Exit::Failed);
    }
    if summary.interrupted {
        let done = format!("{}, {}", count(summary.files, "file", "files"), size(told.read));
        match &plan.output {
            Some(path) => {
                let path = display_safe(path.as_os_str().as_bytes());
                console.error(&format!("interrupted after {done}: {path} was not written"));
            }
            None => {
                let _ = output.finish();
                console.error(&format!("interrupted after {done}"));
            }
        }
        return exit.max(Exit::Signal(signals.ended_by().unwrap_or(2)));
    }
    if let Err(error) = output.finish() {
        return exit.max(cannot_write(&error, console));
    }
    if plan.tell.notes {
        notes(plan, &summary, &told, &name, console);
    }
    if plan.tell.verbose {
        let seconds = began.elapsed().as_secs_f64();
        let rate = size((summary.bytes as f64 / seconds.max(1e-9)) as u64);
        let files = count(summary.files, "file", "files");
        console.line(&format!("truesum: {files}, {} in {seconds:.3} s ({rate}/s)", size(summary.bytes)));
    }
    exit
}

fn notes(plan: &Hashing, summary: &Summary, told: &Told, name: &[u8], console: &mut Console) {
    let failed = summary.failed() + told.refused;
    if failed > 0 && (failed > 1 || plan.output.is_some()) {
        let failed = count(failed, "file or folder", "files or folders");
        let anchor = plan.output.as_ref().map(|_| format!(" and not in {}", display_safe(name)));
        console.error(&format!("{failed} could not be read{}", anchor.unwrap_or_default()));
    }
    if told.links > 0 {
        let links = count(told.links, "symbolic link was", "symbolic links were");
        console.note(&format!("{links} not followed (--follow does)"));
    }
    if told.temporary > 0 {
        let files = count(told.temporary, "temporary file", "temporary files");
        console.note(&format!("{files} of other runs of truesum, ended or not, not hashed (-v names them)"));
    }
    if told.outside > 0 {
        let base = plan.root.as_deref().unwrap_or(Path::new("."));
        let names = count(told.outside, "name lies", "names lie");
        let base = display_safe(base.as_os_str().as_bytes());
        console.note(&format!(
            "{names} outside {base}: written absolute, refused by check without --allow-outside"
        ));
        console.hint("--root DIR writes names relative to another folder");
    }
}

/// Installs signals and starts the progress line.
fn watch(progress: &Arc<Progress>, plan: &Hashing, size: Option<u64>, console: &mut Console) -> Signals {
    let signals = Signals::install(progress).unwrap_or_default();
    let outlook = Outlook { size, list: None };
    console.display = Some(Display::start(progress, &signals, plan.tell.line, outlook));
    signals
}

/// The size of the only file, if there is one and it is a file.
fn only_size(inputs: &Inputs) -> Option<u64> {
    let Inputs::Named(names) = inputs else { return None };
    let [name] = &names[..] else { return None };
    let metadata = std::fs::metadata(Path::new(OsStr::from_bytes(name))).ok()?;
    metadata.is_file().then_some(metadata.len())
}

/// The files to hash, from a walk of everything named.
struct Tasks {
    walk: Walk,
    specs: Arc<[truesum::hash::Spec]>,
    naming: Option<Naming>,
    list_failed: Option<Arc<Mutex<Option<io::Error>>>>,
}

impl Tasks {
    fn new(plan: &Hashing, progress: &Progress) -> Result<Tasks, config::Refusal> {
        let threads = plan.tell.threads;
        let options = plan.walk.clone();
        let mut list_failed = None;
        let walk = match &plan.inputs {
            Inputs::Named(names) => Walk::new(names.clone(), options, threads),
            Inputs::Listed(path, terminator) => {
                let list = Listed::open(path, *terminator).map_err(|error| {
                    config::Refusal::new(Error::io(path.as_os_str().as_bytes(), "open", error).to_string())
                })?;
                list_failed = Some(list.failed.clone());
                Walk::new(list, options, threads)
            }
        };
        let walk = walk.map_err(|why| config::Refusal::new(format!("--include or --exclude: {why}")))?;
        let walk = walk.until(progress.stop_flag());
        let naming = plan.root.clone().map(Naming::new);
        Ok(Tasks { walk, specs: plan.specs.clone(), naming, list_failed })
    }

    fn list_error(&self) -> Option<io::Error> {
        self.list_failed
            .as_ref()
            .and_then(|failed| failed.lock().unwrap_or_else(PoisonError::into_inner).take())
    }
}

impl Iterator for Tasks {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        Some(match self.walk.next()? {
            Item::File(path, anchor) => {
                let mut job = Job { anchor, ..Job::hash(path, &self.specs) };
                if let Some(naming) = &mut self.naming
                    && job.name != b"-"
                {
                    let name = naming.name(&job.name, self.walk.current_root());
                    job.open = Some(std::mem::replace(&mut job.name, name));
                }
                Task::File(job)
            }
            Item::Temporary(path) => Task::Tell(Notice::Temporary(path)),
            Item::Failed(error) => Task::Tell(Notice::Failed(error)),
            Item::Link(path) => Task::Tell(Notice::Link(path)),
            Item::Dangling(path) => Task::Tell(Notice::Dangling(path)),
            Item::Special(path, kind) => Task::Tell(Notice::Special(path, kind)),
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.walk.size_hint()
    }
}

/// Writes outcomes.
struct Writing<'a> {
    console: &'a mut Console,
    output: Output,
    form: Form,
    tell: Tell,
    /// What the user named: that one of these was passed over is worth a word.
    named: Vec<Vec<u8>>,
    lines: Vec<u8>,
    /// Files whose entry the format cannot hold.
    refused: u64,
    /// Links not followed.
    links: u64,
    /// Temporary files of this program passed over.
    temporary: u64,
}

impl Sink for Writing<'_> {
    fn pause(&mut self) -> io::Result<()> {
        self.output.pause()
    }

    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        let Outcome { job, result } = outcome;
        let found = match result {
            Ok(found) => found,
            Err(error) => {
                let path = job.open.unwrap_or(job.name);
                self.console.failure(&Error { path, ..error });
                return Ok(());
            }
        };
        self.lines.clear();
        match self.form {
            Form::Raw => {
                found.digests.iter().for_each(|digest| self.lines.extend_from_slice(digest.as_bytes()))
            }
            Form::Entries(format, style) => {
                let (seconds, nanos) = found.mtime;
                let entry = Entry {
                    path: job.name,
                    size: Some(found.size),
                    mtime: Some(Time { seconds, nanos }),
                    digests: job.specs.iter().cloned().zip(found.digests).collect(),
                    elapsed: Some(found.time),
                };
                if let Err(why) = append(&entry, format, &style, &mut self.lines) {
                    self.refused += 1;
                    self.console
                        .error_of(&entry.path, &format!("cannot be written as {}: {why}", format.name));
                    return Ok(());
                }
                if self.output.is_terminal && format.terminator == b'\n' {
                    self.lines = visible(&self.lines);
                }
            }
        }
        let Writing { console, output, lines, .. } = self;
        if output.is_terminal { console.around(|| output.write(lines)) } else { output.write(lines) }
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        match notice {
            Notice::Failed(error) => self.console.failure(&error),
            _ if !self.tell.notes => {}
            Notice::Link(path) => {
                self.links += 1;
                if self.tell.verbose {
                    self.console.note(&format!("{}: symbolic link, not followed", display_safe(&path)));
                }
            }
            Notice::Dangling(path) => {
                self.console.note(&format!("{}: symbolic link to nothing", display_safe(&path)));
            }
            Notice::Special(path, kind) => {
                self.console.note(&format!("{}: {kind}, not read (--special does)", display_safe(&path)));
            }
            Notice::Own(path) => {
                if self.tell.verbose || self.named.contains(&path) {
                    self.console.note(&format!("{}: this run's own output, not hashed", display_safe(&path)));
                }
            }
            Notice::Temporary(path) => {
                self.temporary += 1;
                if self.tell.verbose {
                    self.console
                        .note(&format!("{}: temporary file of truesum, not hashed", display_safe(&path)));
                }
            }
            Notice::Malformed(_) => {}
        }
        Ok(())
    }
}
