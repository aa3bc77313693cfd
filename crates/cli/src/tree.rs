//! `truesum tree`: huge files on all cores, stored trees, damage located and mended, proofs, work divided between machines.
//!
//! Names and help of the options stand here, beside what they do; each subcommand is one function below or one file in
//! `tree/`.

pub mod draw;
mod mtsum;
pub mod page;
mod proofs;
pub mod show;
mod text;
pub mod verify;

pub use mtsum::{NAME as MTSUM, run as mtsum};

use crate::args::{Color, SpecParser};
use crate::console::Console;
use crate::exit::Exit;
use crate::output::{Output, cannot_write};
use crate::progress::{Display, Line, Outlook};
use crate::signals::Signals;
use clap::{Args, Subcommand, ValueHint};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use truesum::hash::Spec;
use truesum::manifest::{Entry, append};
use truesum::tree::build::{Begin, Saving, save};
use truesum::tree::piece::{combine, hash_range};
use truesum::tree::store::{Store, with_suffix};
use truesum::{Error, Found, Job, Notice, Outcome, Progress, Sink, Task};

/// Hash huge files on all cores; store their trees, find and mend damage
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  truesum tree big.img                             its digest, on all cores
  truesum tree --save big.img                      keep the tree in big.img.ftr
  truesum tree verify big.img.ftr                  which bytes are damaged, if any
  truesum tree repair --from /mnt/copy/big.img big.img.ftr
  truesum tree prove big.img --range 1MiB..2MiB    that these bytes belong to the digest
  truesum tree prove log --grown-from old.ftr      that the log only grew
Files called like a subcommand are written with a folder: ./verify."
)]
pub struct TreeArgs {
    #[command(subcommand)]
    command: Option<TreeCommand>,
    /// Files
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<OsString>,
    /// Algorithms, in one read [default: sha256-tree]; the first that has a tree is saved
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',', value_parser = SpecParser)]
    #[arg(hide_possible_values = true)]
    algorithm: Vec<Spec>,
    /// Threads [default: one a core]
    #[arg(short, long, visible_alias = "jobs", short_alias = 'j', value_name = "N")]
    processors: Option<usize>,

    /// Keep the tree in FILE.ftr
    #[arg(long, help_heading = "Stored trees")]
    save: bool,
    /// Keep trees in this folder
    #[arg(short, long, value_name = "DIR", help_heading = "Stored trees", requires = "save")]
    output: Option<PathBuf>,
    /// Bytes told apart by a stored tree: 64KiB to 64MiB
    #[arg(long, value_name = "SIZE", default_value = "1MiB", value_parser = text::size, requires = "save")]
    #[arg(help_heading = "Stored trees")]
    granule: u64,
    /// Go on with a build that was interrupted
    #[arg(long, help_heading = "Stored trees", requires = "save")]
    resume: bool,
    /// The file grew: read only what is new
    #[arg(long, help_heading = "Stored trees", requires = "save", conflicts_with = "resume")]
    append: bool,
    /// Read again only the ranges this list names, one `OFFSET LENGTH` a line: all that changed since
    #[arg(long, value_name = "LIST", help_heading = "Stored trees", requires = "save")]
    #[arg(conflicts_with_all = ["resume", "append"])]
    since: Option<PathBuf>,

    /// Draw the tree as DOT, for Graphviz
    #[arg(short = 'g', long, help_heading = "Drawing", conflicts_with_all = ["save", "svg"])]
    dot: bool,
    /// Draw the tree as SVG
    #[arg(long, help_heading = "Drawing", conflicts_with = "save")]
    svg: bool,
    /// Levels below the root that are drawn
    #[arg(long, value_name = "N", default_value_t = 8, help_heading = "Drawing")]
    depth: usize,
    /// Tell the time it took
    #[arg(long)]
    benchmark: bool,
    /// Tell algorithm, threads and size
    #[arg(short, long)]
    verbose: bool,
}

#[derive(Subcommand)]
enum TreeCommand {
    Verify(verify::VerifyArgs),
    Repair(verify::RepairArgs),
    Prove(proofs::ProveArgs),
    VerifyProof(proofs::VerifyProofArgs),
    Leaf(LeafArgs),
    Combine(CombineArgs),
}

/// Hash a range of a file towards a digest of the whole, for `combine`
#[derive(Args)]
struct LeafArgs {
    /// The file
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: OsString,
    /// Bytes; both ends where the digest can be cut
    #[arg(long, value_name = "A..B", value_parser = text::range)]
    range: Range<u64>,
    /// The digest
    #[arg(short, long, value_name = "NAME", default_value = "sha256-tree", value_parser = SpecParser)]
    #[arg(hide_possible_values = true)]
    algorithm: Spec,
    /// Threads [default: one a core]
    #[arg(short, long, visible_alias = "jobs", short_alias = 'j', value_name = "N")]
    processors: Option<usize>,
}

/// Put what `leaf` printed on several machines together to one digest
#[derive(Args)]
struct CombineArgs {
    /// Files with lines of `truesum tree leaf`; - is standard input
    #[arg(value_name = "LINES", required = true, value_hint = ValueHint::FilePath)]
    lines: Vec<PathBuf>,
}

/// Runs the command.
pub fn run(args: TreeArgs) -> Exit {
    let mut console = Console::new(Color::Auto);
    match args.command {
        None => hash(&args, &mut console),
        Some(TreeCommand::Verify(args)) => verify::verify(&args, &mut console),
        Some(TreeCommand::Repair(args)) => verify::repair(&args, &mut console),
        Some(TreeCommand::Prove(args)) => proofs::prove(&args, &mut console),
        Some(TreeCommand::VerifyProof(args)) => proofs::verify(&args, &mut console),
        Some(TreeCommand::Leaf(args)) => leaf(&args, &mut console),
        Some(TreeCommand::Combine(args)) => join(&args, &mut console),
    }
}

/// Threads that read one file: as asked, else one a core.
pub fn threads(asked: Option<usize>) -> usize {
    match asked {
        None | Some(0) => std::thread::available_parallelism().map_or(1, usize::from),
        Some(threads) => threads,
    }
}

/// Counters, signals and the progress line of one command.
struct Watch {
    progress: Arc<Progress>,
    signals: Signals,
}

impl Watch {
    fn start(console: &mut Console, size: Option<u64>) -> Watch {
        let progress = Arc::new(Progress::default());
        let signals = Signals::install(&progress).unwrap_or_default();
        let line = if std::io::stderr().is_terminal() { Line::Drawn } else { Line::Hidden };
        console.display = Some(Display::start(&progress, &signals, line, Outlook { size, list: None }));
        Watch { progress, signals }
    }

    /// The exit after a failure: that of the signal, if one asked for the end.
    fn failed(&self, error: &Error, console: &mut Console) -> Exit {
        console.display = None;
        console.failure(error);
        self.signals.ended_by().map_or(Exit::Failed, Exit::Signal)
    }
}

/// Where the tree of a file is kept.
fn tree_of(file: &[u8], folder: Option<&Path>) -> PathBuf {
    let file = Path::new(std::ffi::OsStr::from_bytes(file));
    match (folder, file.file_name()) {
        (Some(folder), Some(name)) => with_suffix(&folder.join(name), ".ftr"),
        _ => with_suffix(file, ".ftr"),
    }
}

fn hash(args: &TreeArgs, console: &mut Console) -> Exit {
    if args.files.is_empty() {
        console.error("tree: no files named");
        console.hint("truesum tree FILE... ; truesum tree --help");
        return Exit::NotAsAsked;
    }
    let specs = match args.algorithm.is_empty() {
        true => vec!["sha256-tree".parse().expect("a name of ours")],
        false => args.algorithm.clone(),
    };
    let threads = threads(args.processors);
    let mut output = Output::stdout();
    let mut exit = Exit::Done;
    for file in &args.files {
        let name = file.as_bytes();
        let watch = Watch::start(console, std::fs::metadata(file).ok().map(|metadata| metadata.len()));
        if args.verbose {
            let names: Vec<String> = specs.iter().map(Spec::to_string).collect();
            let size = std::fs::metadata(file).map_or(0, |metadata| metadata.len());
            let line = format!(
                "Algorithm: {}\nNumber of processors: {threads}\nFile size: {size} bytes",
                names.join(",")
            );
            console.line(&line);
        }
        let started = Instant::now();
        let lines = if args.dot || args.svg {
            drawn(args, name, &specs[0], threads, &watch)
        } else if args.save {
            saved(args, name, &specs, threads, &watch)
        } else {
            hashed(name, &specs, threads, &watch).map(|found| tag_lines(name, &specs, &found))
        };
        console.display = None;
        match lines {
            Ok(lines) => {
                if let Err(error) = output.write(&lines) {
                    return cannot_write(&Error::io(&output.name(), "write", error), console);
                }
            }
            Err(error) => exit = exit.max(watch.failed(&error, console)),
        }
        if args.benchmark || args.verbose {
            let (seconds, bytes) = (started.elapsed().as_secs_f64(), watch.progress.bytes() as f64);
            console.line(&format!("{seconds:.2} s ({:.2} GB/s)", bytes / seconds.max(1e-9) / 1e9));
        }
    }
    match output.finish() {
        Ok(()) => exit,
        Err(error) => exit.max(cannot_write(&error, console)),
    }
}

/// Lines that name their algorithm: a tree's digest says nothing without it.
fn tag_lines(name: &[u8], specs: &[Spec], found: &Found) -> Vec<u8> {
    let format = truesum::manifest::format("bsd").expect("a format of ours");
    let mut lines = Vec::new();
    let entry = Entry {
        path: name.to_vec(),
        size: Some(found.size),
        mtime: None,
        digests: specs.iter().cloned().zip(found.digests.iter().cloned()).collect(),
        elapsed: Some(found.time),
        ..Entry::default()
    };
    if append(&entry, format, &Default::default(), &mut lines).is_err() {
        lines.clear();
    }
    lines
}

/// The digests of one file through the engine's run.
fn hashed(name: &[u8], specs: &[Spec], threads: usize, watch: &Watch) -> Result<Found, Error> {
    struct One(Option<Result<Found, Error>>);
    impl Sink for One {
        fn outcome(&mut self, outcome: Outcome) -> std::io::Result<()> {
            self.0 = Some(outcome.result);
            Ok(())
        }
        fn notice(&mut self, _: Notice) -> std::io::Result<()> {
            Ok(())
        }
    }
    let specs: Arc<[Spec]> = specs.into();
    let mut tasks = std::iter::once(Task::File(Job::hash(name.to_vec(), &specs)));
    let config = truesum::Config { threads, ..Default::default() };
    let mut sink = One(None);
    let fail = |error: std::io::Error| Error::io(name, "read", error);
    truesum::run(&config, &mut tasks, &watch.progress, &mut sink).map_err(fail)?;
    let stopped = || Error::new(name, "read", truesum::Cause::Other("interrupted".to_owned()));
    sink.0.unwrap_or_else(|| Err(stopped()))
}

fn drawn(args: &TreeArgs, name: &[u8], spec: &Spec, threads: usize, watch: &Watch) -> Result<Vec<u8>, Error> {
    let outline = truesum::tree::outline::outline(name, spec, args.depth, threads, &watch.progress)?;
    Ok(if args.svg { draw::svg(&outline, spec, name) } else { draw::dot(&outline, spec) }.into_bytes())
}

fn saved(
    args: &TreeArgs,
    name: &[u8],
    specs: &[Spec],
    threads: usize,
    watch: &Watch,
) -> Result<Vec<u8>, Error> {
    let target = tree_of(name, args.output.as_deref());
    let begin = match &args.since {
        Some(list) => Begin::Changed(text::ranges(list)?),
        None if args.append => Begin::Append,
        None if args.resume => Begin::Resume,
        None => Begin::Fresh,
    };
    // The first that has a tree; any other error than that is found when it is built.
    let first = specs.iter().position(truesum::tree::store::can_store).unwrap_or(0);
    let mut beside = specs.to_vec();
    let spec = beside.remove(first);
    let saving = Saving { target: &target, granule: args.granule, begin, beside: &beside };
    let saved = save(name, &spec, &saving, threads, &watch.progress)?;
    let mut found = saved.found;
    let tree = found.digests.remove(0);
    found.digests.insert(first, tree);
    Ok(tag_lines(name, specs, &found))
}

/// A stored tree, or why it is none.
fn open(path: &Path) -> Result<Store, Error> {
    Store::open(path, false)?.map_err(|refusal| {
        Error::new(path.as_os_str().as_bytes(), "use", truesum::Cause::Other(refusal.to_string()))
    })
}

fn refuse(path: &Path, why: &str, console: &mut Console) -> Exit {
    console.error_of(path.as_os_str().as_bytes(), why);
    Exit::NotAsAsked
}

fn leaf(args: &LeafArgs, console: &mut Console) -> Exit {
    let watch = Watch::start(console, Some(args.range.end - args.range.start.min(args.range.end)));
    let threads = threads(args.processors);
    let piece =
        hash_range(args.file.as_bytes(), &args.algorithm, args.range.clone(), threads, &watch.progress);
    print(piece.map(|piece| text::piece(&piece)), &watch, console)
}

fn join(args: &CombineArgs, console: &mut Console) -> Exit {
    let mut pieces = Vec::new();
    for path in &args.lines {
        let text = match text::read(path) {
            Ok(text) => text,
            Err(error) => {
                console.failure(&error);
                return Exit::NotAsAsked;
            }
        };
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            match text::parse_piece(line) {
                Ok(piece) => pieces.push(piece),
                Err(why) => return refuse(path, &format!("line {number}: {why}"), console),
            }
        }
    }
    let spec = pieces.first().map(|piece| piece.spec.to_string()).unwrap_or_default();
    match combine(pieces) {
        Ok(digest) => print(Ok(format!("{spec}:{digest}\n")), &Watch::start(console, None), console),
        Err(misfit) => {
            console.error(&format!("combine: {misfit}"));
            Exit::NotAsAsked
        }
    }
}

/// Prints a result, or says why there is none.
fn print(result: Result<String, Error>, watch: &Watch, console: &mut Console) -> Exit {
    console.display = None;
    let text = match result {
        Ok(text) => text,
        Err(error) => return watch.failed(&error, console),
    };
    let mut output = Output::stdout();
    let written = output.write(text.as_bytes()).map_err(|error| Error::io(&output.name(), "write", error));
    match written.and_then(|()| output.finish()) {
        Ok(()) => Exit::Done,
        Err(error) => cannot_write(&error, console),
    }
}
