//! `truesum tree FILE`: computes digests of large files on all cores, and draws or stores their
//! trees.

use crate::console::Console;
use crate::drawing::outline::{dot, svg};
use crate::exit::{Exit, Refusal};
use crate::options::threads;
use crate::output::{Output, cannot_write};
use crate::stores;
use crate::tree::stored::{open, stored_tree_path};
use crate::tree::text;
use crate::values;
use crate::values::{size::granule, table::SpecParser};
use crate::watch::Watch;
use crate::words::{SAME_OPTIONS, grouped, path_word};
use clap::{Args, ValueEnum, ValueHint};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;
use truesum::hash::{Digest, Spec};
use truesum::manifest::path::display_safe;
use truesum::manifest::{Entry, append};
use truesum::tree::build::{Begin, Saving, save};
use truesum::tree::outboard::{Outboard, write_outboard};
use truesum::tree::outline::outline;
use truesum::tree::parity::{Parity, parity_of};
use truesum::tree::store::part_of;
use truesum::{Cause, Error, Kind};
use truesum_fs::name::OsStrExt;

/// The files to hash, and what to do with their trees.
#[derive(Args)]
pub struct BuildArgs {
    /// Files to hash
    #[cfg_attr(feature = "stores", arg(help = "Files or objects (s3://BUCKET/OBJECT) to hash"))]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<OsString>,
    /// Digest algorithms [default: sha256-tree]
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',', value_parser = SpecParser)]
    #[arg(hide_possible_values = true)]
    algorithm: Vec<Spec>,
    /// Number of threads [default: one per core]
    #[arg(short, short_alias = 'p', long, value_name = "N")]
    #[arg(value_parser = values::threads::threads)]
    jobs: Option<usize>,

    /// Store the hash tree (of the first algorithm that has one) in FILE.ftr
    #[arg(long, help_heading = "Stored trees")]
    save: bool,
    /// Store the BLAKE3 tree in the format of Bao (FILE.obao) or iroh (FILE.obao4)
    #[arg(long, value_name = "FORMAT", value_enum, help_heading = "Stored trees", requires = "save")]
    #[arg(conflicts_with_all = ["algorithm", "resume", "append", "since", "granule"])]
    format: Option<OutboardFormat>,
    /// Store trees in DIR instead of next to the files
    #[arg(short, long, value_name = "DIR", help_heading = "Stored trees", requires = "save")]
    output: Option<PathBuf>,
    /// Block size of the stored tree, 64KiB to 64MiB
    #[arg(long, value_name = "SIZE", default_value = "1MiB", value_parser = granule, requires = "save")]
    #[arg(help_heading = "Stored trees")]
    granule: u64,
    /// Store parity in FILE.ftr.parity, 1% to 100% of the file's size, for repairs
    ///
    /// truesum tree repair restores damaged blocks from it without a copy of the file.
    #[arg(long, value_name = "PERCENT", value_parser = percentage, requires = "save")]
    #[arg(help_heading = "Stored trees", conflicts_with_all = ["format", "resume", "append", "since"])]
    parity: Option<u32>,
    /// Resume an interrupted run
    #[arg(long, help_heading = "Stored trees", requires = "save")]
    resume: bool,
    /// Read only appended data, after verifying the end of the old data
    #[arg(long, help_heading = "Stored trees", requires = "save", conflicts_with = "resume")]
    append: bool,
    /// Re-read only the ranges in LIST, one `OFFSET LENGTH` per line
    ///
    /// LIST must cover everything that changed since the tree was stored.
    #[arg(long, value_name = "LIST", help_heading = "Stored trees", requires = "save")]
    #[arg(conflicts_with_all = ["resume", "append"])]
    since: Option<PathBuf>,
    /// With --append or --since, trust the stored tree for the part that is not read
    #[arg(long, help_heading = "Stored trees", requires = "save")]
    trust_prefix: bool,

    /// Print the tree as a Graphviz DOT graph
    #[arg(short = 'g', long, help_heading = "Drawing", conflicts_with_all = ["save", "svg"])]
    dot: bool,
    /// Print the tree as SVG
    #[arg(long, help_heading = "Drawing", conflicts_with = "save")]
    svg: bool,
    /// Number of levels to draw below the root
    #[arg(long, value_name = "N", default_value_t = 8, help_heading = "Drawing")]
    depth: usize,
    /// Show the elapsed time
    #[arg(long)]
    benchmark: bool,
    /// Print more details, such as skipped files and the throughput
    #[arg(short, long)]
    verbose: bool,
}

/// Parses a percentage, `5%` or `5`.
fn percentage(text: &str) -> Result<u32, String> {
    let number = text.strip_suffix('%').unwrap_or(text).parse();
    number.ok().filter(|number| (1..=100).contains(number)).ok_or("expected 1% to 100%".to_owned())
}

/// The formats of trees in other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutboardFormat {
    /// Bao, with one leaf per chunk of 1 KiB
    Obao,
    /// iroh, with one leaf per chunk group of 16 KiB
    Obao4,
}

impl OutboardFormat {
    fn outboard(self) -> Outboard {
        match self {
            OutboardFormat::Obao => Outboard::Bao,
            OutboardFormat::Obao4 => Outboard::Groups,
        }
    }
}

/// Returns the extension of a stored tree.
fn ending(args: &BuildArgs) -> &'static str {
    args.format.map_or(".ftr", |format| format.outboard().ending())
}

pub fn hash(args: &BuildArgs, console: &mut Console) -> Exit {
    if args.files.is_empty() {
        console.error("tree: no files given");
        console.hint("usage: truesum tree FILE...; for help: truesum tree --help");
        return Exit::NotAsRequested;
    }
    let specs = match args.algorithm.is_empty() {
        true if args.format.is_some() => vec!["blake3".parse().expect("a known name")],
        true => vec!["sha256-tree".parse().expect("a known name")],
        false => args.algorithm.clone(),
    };
    if let Some((first, second)) = args.save.then(|| same_tree(args)).flatten() {
        let (first, second) = (display_safe(first.as_bytes()), display_safe(second.as_bytes()));
        if first == second {
            console.error(&format!("tree: {first} is given more than once"));
        } else {
            console
                .error(&format!("tree: the trees of {first} and {second} would be stored in the same file"));
            console.hint("omit -o to store each tree next to its file");
        }
        return Exit::NotAsRequested;
    }
    let threads = threads(args.jobs);
    let mut output = Output::stdout();
    let mut exit = Exit::Done;
    for file in &args.files {
        let remote = match stores::of_object(file) {
            Ok(remote) => remote,
            Err(refusal) => return console.refuse(&refusal),
        };
        if remote.is_some() && args.save && args.output.is_none() {
            let text = format!(
                "--save: {} is an object, so no tree can be stored next to it",
                display_safe(file.as_bytes())
            );
            return console
                .refuse(&Refusal::with_hint(text, "to store its tree in a local folder, use -o DIR"));
        }
        let name = file.as_bytes();
        let size = std::fs::metadata(file).ok().map(|metadata| metadata.len());
        let watch = Watch { remote, ..Watch::of_one(size, console) };
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
        let mut unread = None;
        let lines = if args.dot || args.svg {
            drawn(args, file, &specs[0], threads, &watch)
        } else if args.save {
            saved(args, file, &specs, threads, &watch).map(|(lines, of_file)| {
                unread = of_file;
                lines
            })
        } else {
            watch
                .digests(file, &specs, threads)
                .map(|found| tag_lines(stores::name_of(file), &specs, found.into_digests()))
        };
        console.display = None;
        match lines {
            Ok(lines) => {
                if let Err(error) = output.write(&lines) {
                    return cannot_write(&Error::io(&output.name(), "write", error), console);
                }
                let tree = stored_tree_path(name, args.output.as_deref(), ending(args));
                let (shown, kept) = (display_safe(name), display_safe(tree.as_os_str().as_bytes()));
                if args.save && std::io::stderr().is_terminal() {
                    let parity = match args.parity {
                        Some(_) => format!(
                            ", and parity in {}",
                            display_safe(parity_of(&tree).as_os_str().as_bytes())
                        ),
                        None => String::new(),
                    };
                    console.line(&format!("truesum: tree of {shown} stored in {kept}{parity}"));
                }
                // With a single piece, the digest above is the only hash; at most a length was
                // stored.
                if args.format.is_some() && std::fs::metadata(&tree).is_ok_and(|kept| kept.len() <= 8) {
                    console.note(&format!(
                        "{shown} is so short that {kept} contains no hash; the file can be verified only with its BLAKE3 digest"
                    ));
                }
                if let Some(unread) = &unread {
                    note_unread(file, unread, console);
                }
                if args.save && args.format.is_none() && args.parity.is_none() {
                    note_old_parity(&tree, console);
                }
            }
            Err(error) => {
                exit = exit.max(watch.failed(&error, console));
                note_unfinished(args, file, &error, console);
                if Path::new(file).is_dir() {
                    let folder = path_word(file);
                    console.hint(&format!(
                        "for each file in the folder: find {folder} -type f ! -name '*.ftr*' -exec truesum tree{SAME_OPTIONS} {{}} +"
                    ));
                }
            }
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

/// Reports that a failed run left an unfinished tree, and what the user can do with it.
fn note_unfinished(args: &BuildArgs, file: &OsStr, error: &Error, console: &Console) {
    let part = part_of(stored_tree_path(file.as_bytes(), args.output.as_deref(), ending(args)));
    // Another run may be building this tree, or the algorithm has no tree.
    let of_another = matches!(error.cause(), Cause::Other(_)) && error.path() == part;
    if !args.save || of_another || error.kind() == Kind::Undivided || !part.exists() {
        return;
    }
    let part = display_safe(part.as_os_str().as_bytes());
    console.note(&match args.append || args.since.is_some() || error.kind() == Kind::Changed {
        true => format!("{part} is an unfinished tree that cannot be resumed: remove it"),
        false => format!("the unfinished tree is in {part}: use --resume to continue it, or remove the file"),
    });
}

/// Reports that the parity file of the previous tree cannot be used with the one that was just stored.
fn note_old_parity(tree: &Path, console: &mut Console) {
    let Ok(store) = open(tree) else { return };
    if let Err(error) = Parity::open(&store)
        && !error.is_missing()
    {
        console.note(&format!("{error}; to store parity of this state, use --parity again"));
    }
}

/// The part of an extended file that was not read.
struct Unread {
    bytes: u64,
    size: u64,
}

/// Reports how much of a digest comes from the earlier tree and not from the file.
fn note_unread(file: &OsStr, unread: &Unread, console: &mut Console) {
    let (name, read, size) =
        (display_safe(file.as_bytes()), grouped(unread.size - unread.bytes), grouped(unread.size));
    console.note(&format!(
        "{name}: {read} of {size} bytes were read; the hashes of the other bytes were taken from the stored tree (to read everything: truesum tree verify TREE)"
    ));
}

/// Returns the line for an extended tree. It must not be mistaken for the digest of the complete
/// file.
fn extension_line(name: &[u8], state: &str, spec: &Spec, digest: &Digest, unread: &Unread) -> Vec<u8> {
    let (name, read, size) = (display_safe(name), unread.size - unread.bytes, unread.size);
    format!("stored tree of {name} {state}: {spec} {digest}, {read} of {size} bytes read\n").into_bytes()
}

/// Returns two files whose trees would have the same name.
fn same_tree(args: &BuildArgs) -> Option<(&OsString, &OsString)> {
    let mut trees = HashMap::new();
    args.files.iter().find_map(|file| {
        trees
            .insert(stored_tree_path(file.as_bytes(), args.output.as_deref(), ending(args)), file)
            .map(|first| (first, file))
    })
}

/// Returns lines that name their algorithm, because a tree digest is meaningless without it.
fn tag_lines(name: &[u8], specs: &[Spec], digests: Vec<Digest>) -> Vec<u8> {
    tag_line(name, specs.iter().cloned().zip(digests).collect())
}

fn tag_line(name: &[u8], digests: Vec<(Spec, Digest)>) -> Vec<u8> {
    let format = truesum::manifest::format("bsd").expect("a known format");
    let mut lines = Vec::new();
    let entry = Entry { path: name.to_vec(), digests, ..Entry::default() };
    if append(&entry, format, &Default::default(), &mut lines).is_err() {
        lines.clear();
    }
    lines
}

fn drawn(
    args: &BuildArgs,
    file: &OsStr,
    spec: &Spec,
    threads: usize,
    watch: &Watch,
) -> Result<Vec<u8>, Error> {
    let outline = outline(file, spec, args.depth, &watch.reading(threads))?;
    let name = file.as_bytes();
    Ok(if args.svg { svg(&outline, spec, name) } else { dot(&outline, spec) }.into_bytes())
}

fn saved(
    args: &BuildArgs,
    file: &OsStr,
    specs: &[Spec],
    threads: usize,
    watch: &Watch,
) -> Result<(Vec<u8>, Option<Unread>), Error> {
    let target = stored_tree_path(file.as_bytes(), args.output.as_deref(), ending(args));
    if let Some(format) = args.format {
        let digest = write_outboard(file, format.outboard(), &target, &watch.reading(threads))?;
        let spec: Spec = "blake3".parse().expect("a known name");
        return Ok((tag_line(stores::name_of(file), vec![(spec, digest)]), None));
    }
    let begin = match &args.since {
        Some(list) => Begin::Changed(text::ranges(list)?),
        None if args.append => Begin::Append,
        None if args.resume => Begin::Resume,
        None => Begin::Fresh,
    };
    // Use the first algorithm that has a tree; if there is none, building the tree reports the
    // error.
    let first = specs.iter().position(truesum::tree::store::can_store).unwrap_or(0);
    let mut plain_digests = specs.to_vec();
    let spec = plain_digests.remove(first);
    let trust_prefix = args.trust_prefix;
    let saving = Saving::new(&target)
        .granule(args.granule)
        .begin(begin)
        .plain_digests(&plain_digests)
        .trust_prefix(trust_prefix)
        .parity(args.parity);
    let old_size = if args.append { open(&target).ok().map(|old| old.header().size()) } else { None };
    let saved = save(file, &spec, &saving, &watch.reading(threads))?;
    let (name, size) = (stores::name_of(file), saved.found().size());
    let mut digests = saved.found().digests().to_vec();
    let tree = digests.remove(0);
    let unread = (saved.unread() > 0).then_some(Unread { bytes: saved.unread(), size });
    let lines = match &unread {
        Some(unread) if !trust_prefix => {
            let state = if old_size == Some(size) { "is up to date" } else { "extended" };
            extension_line(name, state, &spec, &tree, unread)
        }
        _ => {
            digests.insert(first, tree);
            tag_lines(name, specs, digests)
        }
    };
    Ok((lines, unread))
}
