//! `truesum hash`: computes digests of files. A digest is written only for a file that was read
//! completely. Other files are reported on standard error, and a manifest that would lack them is
//! not written.

pub mod arguments;
mod history;
mod parameters;
pub mod plan;
pub mod reading;
mod replacing;
mod sidecar;
mod summary;
pub mod writing;

use crate::console::Console;
use crate::digests::pasted::is_digest;
use crate::earlier::EarlierManifest;
use crate::ending::{self, Ending};
use crate::exit::{Exit, Refusal};
use crate::output::{Output, cannot_write, id, not_replaced};
use crate::selection;
use crate::tasks::{Inputs, sort_in_tree_order, under_file_name};
use crate::watch::Watch;
use crate::words::{count, path_word, size};
use arguments::HashArgs;
use plan::{Form, Hashing, Place, plan};
use reading::list_failed;
use replacing::{Collected, NAMED};
use sidecar::{Content, SidecarWriter, folder_name};
use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Instant;
use truesum::manifest::PieceLayout;
use truesum::manifest::path::display_safe;
use truesum::update::{SIGNATURES, is_detached_signature};
use truesum::walk::ExcludedCounts;
use truesum::{Error, FileId, PieceDigests, Root, Summary, Task};
use truesum_fs::name::{self, OsStrExt};
use writing::{Writing, first_unstorable, writer};

/// A run without `-o` on a single file smaller than this many bytes is too short for a progress
/// line.
const SMALL: u64 = 16 << 20;

/// A single file smaller than this many bytes is hashed before a second thread could start.
const TINY: u64 = 128 << 10;

/// Runs the command.
pub fn run(args: HashArgs) -> Exit {
    let summary = args.summary;
    ending::summarized(hash(args), summary)
}

fn hash(args: HashArgs) -> Exit {
    let mut console = Console::new(args.run.color);
    let plan = match plan(args) {
        Ok(plan) => plan,
        Err(refusal) => return console.refuse(&refusal),
    };
    if plan.reading.reporting.notes {
        plan.notes.iter().for_each(|note| console.note(note));
    }
    if is_bag_of_folder(&plan) {
        console.hint("this command prints a payload manifest; to create a bag: truesum bag create DIR");
    }
    match plan.place {
        None => execute(plan, &mut console),
        Some(place) => write_local_manifests(&plan, place, &mut console),
    }
}

/// Returns whether a bag's payload manifest is printed for a folder; the user probably wants to
/// create a bag.
fn is_bag_of_folder(plan: &Hashing) -> bool {
    let is_bagit = matches!(plan.form, Form::Entries(format, _) if format.name() == "bagit");
    let names_folder = || match &plan.reading.inputs {
        Inputs::Named(names) => names.iter().any(|name| Path::new(OsStr::from_bytes(name)).is_dir()),
        Inputs::Listed(..) => false,
    };
    is_bagit
        && plan.reading.reporting.notes
        && plan.output.is_none()
        && plan.place.is_none()
        && names_folder()
}

/// Writes manifests in each folder, or next to each file.
fn write_local_manifests(plan: &Hashing, place: Place, console: &mut Console) -> Exit {
    let Form::Entries(format, _) = plan.form else { unreachable!("refused with --raw") };
    let name = folder_name(format, &plan.reading.specs);
    let watch = Watch::start(plan.reading.reporting.line, None, console);
    let tasks = match plan.reading.tasks(&watch.progress) {
        Ok(tasks) => tasks,
        Err(refusal) => return console.refuse(&refusal),
    };
    let mut content = Content::new(tasks, place, &name, plan);
    let mut sink = SidecarWriter::new(console, place, &name, plan);
    let config = plan.reading.engine(Vec::new());
    let summary = truesum::run(&config, &mut content, &watch.progress, &mut sink);
    let summary = summary.expect("a sink that never fails");
    // If the run was interrupted, incompletely read folders keep their existing manifests.
    if !summary.interrupted() {
        sink.finish();
    }
    let (written, listed, refused) = (sink.written, sink.listed, sink.refused);
    let console = sink.console();
    console.display = None;
    let failed = summary.failed() + refused > 0;
    let mut exit = if failed { Exit::Failed } else { Exit::Done };
    exit = exit.max(list_failed(content.inner(), console));
    if summary.interrupted() {
        exit = exit.max(Exit::Signal(watch.signals.ended_by().unwrap_or(2)));
    } else if written == 0 && !failed {
        let left_out = content.inner().left_out();
        console.error(&match left_out == ExcludedCounts::default() {
            true => "no files to hash".to_owned(),
            false => selection::nothing_selected_message(left_out),
        });
        exit = exit.max(Exit::NotAsRequested);
    }
    if plan.reading.reporting.notes {
        let manifests = match place {
            Place::Folder => format!("{} named {name}", count(written, "manifest", "manifests")),
            Place::File => count(written, "manifest", "manifests"),
        };
        let mut text = format!(
            "truesum: {manifests} written; {}, {}",
            count(listed, "entry", "entries"),
            size(summary.bytes())
        );
        let own = [
            (content.passed, "manifest of an earlier run", "manifests of earlier runs"),
            (content.signatures, "signature of a manifest", "signatures of manifests"),
        ];
        for (number, one, many) in own.into_iter().filter(|(number, ..)| *number > 0) {
            text += &format!("; {} not hashed", count(number, one, many));
        }
        if refused > 0 {
            text += &format!("; {} NOT written", count(refused, "manifest", "manifests"));
        }
        if summary.interrupted() {
            text += "; interrupted";
        }
        console.line(&text);
    }
    exit
}

/// Returns whether the list of a media hash list history is written.
fn is_history(plan: &Hashing) -> bool {
    matches!(plan.form, Form::Entries(format, _) if format.name() == "ascmhl")
}

fn execute(plan: Hashing, console: &mut Console) -> Exit {
    let history = plan.output.as_deref().filter(|_| is_history(&plan));
    if let Some(Err(refusal)) = history.map(history::prepare) {
        return console.refuse(&refusal);
    }
    let (output, earlier) = match open(&plan) {
        Ok(opened) => opened,
        Err(refusal) => return console.refuse(&refusal),
    };
    let only_size = only_size(&plan.reading.inputs);
    let small = plan.output.is_none() && only_size.is_some_and(|size| size < SMALL);
    let named = match &plan.reading.inputs {
        Inputs::Named(names) => names.clone(),
        Inputs::Listed(..) => Vec::new(),
    };
    let watch = match small {
        true => Watch::default(),
        false => Watch::start(plan.reading.reporting.line, only_size, console),
    };
    let tasks = plan.reading.tasks(&watch.progress);
    let mut tasks = match tasks {
        Ok(tasks) => tasks,
        Err(refusal) => return console.refuse(&refusal),
    };
    // Refused before anything is read, because reading may take hours.
    if let (Some(path), Some(naming), None) = (&plan.output, &mut tasks.naming, &plan.torrent)
        && !plan.accept.outside
        && let Some(name) = named.iter().find(|name| naming.is_outside(name))
    {
        return console.refuse(&outside(path, &format!("{} is", display_safe(name)), &plan));
    }
    let engine = plan.reading.engine([output.own(), signatures(&plan)].concat());
    let engine = if only_size.is_some_and(|size| size < TINY) { engine.threads(1) } else { engine };
    let began = Instant::now();
    let recorded = earlier.as_ref().map(|earlier| earlier.recorded.clone());
    let widened = |task: Task| match (&recorded, task) {
        (Some(recorded), Task::File(job)) => {
            let specs = recorded.widened(job.name());
            under_file_name(Task::File(job.with_specs(specs)))
        }
        (_, task) => under_file_name(task),
    };
    let mut sink = Writing {
        console,
        output,
        template: plan.template.as_ref(),
        writer: writer(plan.form, &plan.reading.specs, plan.torrent.as_ref(), &plan.rules),
        reporting: plan.reading.reporting,
        names_output: names_output(&plan, &named),
        bounds: bounds(&plan, &named),
        led_out: 0,
        named,
        root: plan.reading.root.as_deref(),
        signed: plan.output.as_deref(),
        earlier,
        requested: plan.reading.specs.clone(),
        signatures: 0,
        lines: Vec::new(),
        refused: 0,
        waiting: plan.torrent.is_some().then(Vec::new),
        links: 0,
        temporary: 0,
        found_own: false,
    };
    let result = match &plan.torrent {
        None => truesum::run(&engine, &mut tasks.by_ref().map(widened), &watch.progress, &mut sink).and_then(
            |summary| {
                if !summary.interrupted() {
                    sink.finish()?;
                }
                Ok(summary)
            },
        ),
        Some(torrent) => {
            let mut list: Vec<Task> = tasks.by_ref().map(widened).collect();
            if torrent.cut != PieceLayout::Concatenated {
                sort_in_tree_order(&mut list);
            }
            let tried = writer(plan.form, &plan.reading.specs, None, &[]);
            if let Some((name, why)) = tried.and_then(|tried| first_unstorable(&list, torrent.cut, tried)) {
                sink.console.error_of(&name, &format!("cannot be included in this torrent: {why}"));
                let create = |folder: &[u8]| {
                    let output = plan.output.as_deref().map(|path| format!(" -o {}", path_word(path)));
                    let folder = path_word(OsStr::from_bytes(folder));
                    format!(
                        "to create a torrent of the folder: truesum torrent create{} {folder}",
                        output.unwrap_or_default()
                    )
                };
                let hint = match (tasks.naming.as_ref(), &sink.named[..]) {
                    (Some(naming), _) if naming.outside > 0 => {
                        "a torrent cannot contain absolute paths; to make them relative to another folder, use --root DIR"
                            .to_owned()
                    }
                    (_, [folder]) if Path::new(OsStr::from_bytes(folder)).is_dir() => create(folder),
                    _ => "a torrent covers one file or one folder; to include all files, run the command in their parent folder"
                        .to_owned(),
                };
                sink.console.hint(&hint);
                return Exit::Failed;
            }
            let hashed = truesum::hash_pieces(
                torrent.cut,
                torrent.piece_len,
                &engine,
                list,
                &watch.progress,
                &mut sink,
            );
            hashed.and_then(|(summary, pieces)| {
                if let PieceDigests::Complete(pieces) = pieces
                    && summary.files() > 0
                {
                    sink.pieces(pieces)?;
                    sink.finish()?;
                }
                Ok(summary)
            })
        }
    };
    let Writing {
        console, output, refused, links, temporary, found_own, signatures, led_out, earlier, ..
    } = sink;
    console.display = None;
    if let (Some(path), 1.., true) = (&plan.output, signatures, plan.reading.reporting.notes) {
        let path = display_safe(path.as_os_str().as_bytes());
        let are = if signatures == 1 { "is" } else { "are" };
        let signatures = count(signatures, "signature", "signatures");
        console.note(&format!("{signatures} of {path} {are} left out of the manifest"));
    }
    let is_nothing = |summary: &Summary| summary.files() + summary.failed() == 0 && !summary.interrupted();
    if plan.torrent.is_some() && plan.output.is_none() && result.as_ref().is_ok_and(is_nothing) {
        console.error("no torrent was written: there are no files");
        return Exit::NotAsRequested;
    }
    let outside = tasks.naming.as_ref().map_or(0, |naming| naming.outside);
    let (left_out, read) = (tasks.left_out(), watch.progress.bytes());
    let counts = RunCounts { refused, links, temporary, found_own, outside, led_out, left_out, read };
    let list_error = tasks.list_error();
    // An empty list or folder may be a mistake. A template without digests reads no files.
    let is_noted = plan.reading.reporting.notes && plan.output.is_none() && plan.template.is_none();
    if is_noted
        && list_error.is_none()
        && left_out == ExcludedCounts::default()
        && result.as_ref().is_ok_and(is_nothing)
    {
        console.note("there are no files");
    }
    end(&plan, result, output, counts, (list_error, earlier), &watch, began, console)
}

/// Opens the output and reads the manifest that it replaces.
fn open(plan: &Hashing) -> Result<(Output, Option<EarlierManifest>), Refusal> {
    let (Some(path), overwrite) = (&plan.output, plan.accept.overwrite) else {
        return Ok((Output::stdout(), None));
    };
    if plan.form == Form::Raw || plan.template.is_some() {
        return Ok((Output::unmarked(path, overwrite)?, None));
    }
    let output = Output::file(path)?;
    if overwrite {
        return Ok((output, None));
    }
    let root = plan.reading.root.as_deref();
    let named = match &plan.reading.inputs {
        Inputs::Named(names) => &names[..],
        Inputs::Listed(..) => &[],
    };
    let folders = named.iter().map(|name| PathBuf::from(OsStr::from_bytes(name)));
    let folders: Vec<PathBuf> = folders.filter(|folder| folder.is_dir()).collect();
    let earlier = EarlierManifest::read(path, root, &folders, Some(&plan.reading.specs), plan.key.as_ref());
    let earlier = earlier.map_err(|why| not_replaced(path, &why))?;
    match earlier.as_ref().and_then(EarlierManifest::doubt).filter(|_| plan.reading.remote.is_none()) {
        Some(doubt) => Err(not_replaced(path, doubt)),
        None => Ok((output, earlier)),
    }
}

/// Returns the folder of the manifest to write if symbolic links, which may lead out of it, are
/// followed.
fn bounds(plan: &Hashing, named: &[Vec<u8>]) -> Option<Root> {
    let is_link = |name: &Vec<u8>| Path::new(OsStr::from_bytes(name)).is_symlink();
    let root =
        plan.reading.root.as_ref().filter(|_| plan.reading.walk.get_follow() || named.iter().any(is_link))?;
    Root::folder(root, false).ok()
}

/// Returns whether the output counts as one of the input files when it is found, because the user
/// named it. A list of files is not read in advance, so it may also contain the output. Otherwise
/// the output is a file found in a folder, and `--overwrite` replaces it.
fn names_output(plan: &Hashing, named: &[Vec<u8>]) -> bool {
    let own = plan.output.as_deref().and_then(id);
    let is_own = |name: &Vec<u8>| id(Path::new(OsStr::from_bytes(name))) == own;
    own.is_some() && (matches!(plan.reading.inputs, Inputs::Listed(..)) || named.iter().any(is_own))
}

/// Returns the existing signatures of the manifest to write. They are skipped even if they are named,
/// as in `*`: the new manifest needs new ones, which would not match.
fn signatures(plan: &Hashing) -> Vec<FileId> {
    let Some(output) = &plan.output else { return Vec::new() };
    let existing = |end: &&str| {
        let mut path = output.clone().into_os_string();
        path.push(end);
        let path = Path::new(&path);
        is_detached_signature(path).then(|| id(path)).flatten()
    };
    SIGNATURES.iter().filter_map(existing).collect()
}

/// The counts of a run that are not in the engine's summary.
pub struct RunCounts {
    refused: u64,
    links: u64,
    temporary: u64,
    found_own: bool,
    outside: u64,
    led_out: u64,
    left_out: ExcludedCounts,
    /// Number of bytes read, including those of incompletely read files.
    read: u64,
}

#[expect(clippy::too_many_arguments, reason = "called once, with all results of a run")]
fn end(
    plan: &Hashing,
    result: io::Result<Summary>,
    output: Output,
    counts: RunCounts,
    (list_error, mut earlier): (Option<Error>, Option<EarlierManifest>),
    watch: &Watch,
    began: Instant,
    console: &mut Console,
) -> Exit {
    let mut exit = Exit::Done;
    let summary = match result {
        Ok(summary) => summary,
        Err(error) => return cannot_write(&Error::io(&output.name(), "write", error), console),
    };
    let list_read = list_error.is_none();
    if let Some(error) = list_error {
        console.failure(&error);
        exit = Exit::NotAsRequested;
    }
    let lacking = summary.failed() + counts.refused;
    if lacking > 0 {
        exit = exit.max(Exit::Failed);
    }
    if exit == Exit::Done
        && !summary.interrupted()
        && let Some(earlier) = &mut earlier
    {
        earlier.verify_pieces(plan.reading.reporting.threads, &watch.progress);
    }
    if watch.progress.stopped() {
        let done = format!("{}, {}", count(summary.files(), "file", "files"), size(counts.read));
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
        return exit.max(Exit::Signal(watch.signals.ended_by().unwrap_or(2)));
    }
    // Files that are not read, because the template contains no digest, are counted as unverified.
    let listed = summary.files() + summary.unverified() - counts.refused;
    let over = counts.found_own.then_some(NAMED);
    let (left_out, may_lack) = (counts.left_out, plan.torrent.is_none());
    let collected = Collected { listed, lacking, may_lack, list_read, left_out, over };
    let mut is_written = false;
    match &plan.output {
        // Absolute names are the reason why some formats cannot store the entries.
        Some(path) => match found_outside(path, &counts, plan)
            .filter(|_| counts.refused > 0)
            .or_else(|| replacing::refused(path, collected, plan.accept))
            .or_else(|| earlier.as_ref()?.refusal(path, plan.form.format()))
            .or_else(|| found_outside(path, &counts, plan))
        {
            Some(refusal) => exit = exit.max(console.refuse(&refusal)),
            None => {
                let replaced = earlier
                    .filter(|_| plan.reading.reporting.notes)
                    .map(|earlier| earlier.notes(path, plan.form.format()));
                if let Err(error) = output.finish() {
                    return exit.max(cannot_write(&error, console));
                }
                if is_history(plan)
                    && let Err(error) = history::chain(path)
                {
                    return exit.max(cannot_write(&error, console));
                }
                written(path, collected, &summary, plan, console);
                is_written = true;
                replaced.into_iter().flatten().for_each(|note| console.note(&note));
            }
        },
        None => {
            if let Err(error) = output.finish() {
                return exit.max(cannot_write(&error, console));
            }
            if lacking > 1 && plan.reading.reporting.notes {
                let lacking = count(lacking, "file or folder", "files or folders");
                console.error(&format!("{lacking} could not be read"));
            }
        }
    }
    if plan.output.is_none()
        && summary.files() == 0
        && counts.left_out != ExcludedCounts::default()
        && exit == Exit::Done
    {
        console.error(&selection::nothing_selected_message(counts.left_out));
        exit = Exit::NotAsRequested;
    } else if counts.left_out.named() > 0
        && plan.reading.reporting.notes
        && matches!(plan.ending, Ending::None)
    {
        let excluded = count(counts.left_out.named(), "argument was", "arguments were");
        console.note(&format!("{excluded} excluded by the selection options"));
    }
    if plan.reading.reporting.notes {
        notes(plan, &counts, console);
    }
    let time = began.elapsed();
    match plan.ending {
        Ending::None => {}
        Ending::Json => console.line(&summary::object(&summary, &counts, time, exit.code())),
        Ending::Short => console.line(&summary::short(&summary, &counts, time)),
        Ending::Long => {
            console.line(&summary::short(&summary, &counts, time));
            let output = plan.output.as_deref().filter(|_| is_written);
            let long = summary::long(&summary, &counts, &plan.reading.specs, output);
            if !long.is_empty() {
                console.line(&long);
            }
        }
    }
    if plan.reading.reporting.verbose && summary.writers_unknown() > 0 {
        let young = count(summary.writers_unknown(), "file was", "files were");
        let them = if summary.writers_unknown() == 1 { "it" } else { "them" };
        let unknown = format!("and the system cannot report whether a program was still writing to {them}");
        console.note(&format!("{young} modified just before the read, {unknown}"));
    }
    exit
}

/// Refuses a manifest with names that lead out of its folder, because a check would reject it.
fn found_outside(path: &Path, counts: &RunCounts, plan: &Hashing) -> Option<Refusal> {
    let is_refused = counts.outside > 0 && !plan.accept.outside;
    is_refused.then(|| outside(path, &count(counts.outside, "file is", "files are"), plan))
}

/// Returns the refusal for `files`, a name or a number with its verb.
fn outside(path: &Path, files: &str, plan: &Hashing) -> Refusal {
    let (shown, base) = (display_safe(path.as_os_str().as_bytes()), base(plan));
    let why = format!(
        "{shown}: not written: {files} outside {base}, the folder that the names in the manifest are relative to"
    );
    Refusal::with_hint(why, OTHER_ROOT)
}

/// The hint on files outside the folder of the manifest.
const OTHER_ROOT: &str = "to make names relative to another folder, use --root DIR with both hash and check; to write absolute paths, use --allow-outside";

/// Returns the folder to which names are relative, for messages.
fn base(plan: &Hashing) -> String {
    let base = plan.reading.root.as_deref().unwrap_or(Path::new("."));
    display_safe(&name::of(base))
}

/// Reports what the written manifest contains and what it lacks.
fn written(path: &Path, collected: Collected, summary: &Summary, plan: &Hashing, console: &Console) {
    if !plan.reading.reporting.notes {
        return;
    }
    let path = display_safe(path.as_os_str().as_bytes());
    if io::stderr().is_terminal() {
        let files = count(collected.listed, "file", "files");
        console.line(&format!("truesum: {files}, {}, listed in {path}", size(summary.bytes())));
    }
    if collected.lacking > 0 {
        let lacking = count(collected.lacking, "file or folder is", "files or folders are");
        console.error(&format!("{lacking} missing from {path}"));
    }
}

fn notes(plan: &Hashing, counts: &RunCounts, console: &mut Console) {
    if counts.links > 0 {
        let links = count(counts.links, "symbolic link was", "symbolic links were");
        console.note(&format!("{links} not followed (use --follow)"));
    }
    if counts.temporary > 0 {
        let files = count(
            counts.temporary,
            "temporary file of another truesum run was",
            "temporary files of other truesum runs were",
        );
        let them = if counts.temporary == 1 { "it" } else { "them" };
        console.note(&format!("{files} not hashed (use -v to list {them})"));
    }
    if counts.led_out > 0 {
        let names = count(counts.led_out, "name leads", "names lead");
        console.note(&format!(
            "{names} outside the folder through symbolic links; truesum check rejects such names without --allow-outside"
        ));
    }
    if counts.outside > 0 && (plan.output.is_none() || plan.accept.outside) {
        let (files, base) = (count(counts.outside, "file is", "files are"), base(plan));
        console.note(&format!(
            "{files} outside {base} and listed by absolute path, which truesum check rejects without --allow-outside"
        ));
        console.hint("to make names relative to another folder, use --root DIR");
    }
    if let Some(hint) = comparison_meant(&plan.reading.inputs) {
        console.hint(&hint);
    }
}

/// Returns a hint if the inputs are a file and a digest, which `check` compares.
fn comparison_meant(inputs: &Inputs) -> Option<String> {
    let Inputs::Named(names) = inputs else { return None };
    let [one, other] = &names[..] else { return None };
    let [one, other] = [one, other].map(|name| OsStr::from_bytes(name));
    let (digest, file) = match (is_digest(one), is_digest(other)) {
        (true, false) => (one, other),
        (false, true) => (other, one),
        _ => return None,
    };
    let (digest, file) = (path_word(digest), path_word(file));
    Some(format!("to compare the file with the digest: truesum check {digest} {file}"))
}

/// Returns the size in bytes of the only input, if it is a regular file.
fn only_size(inputs: &Inputs) -> Option<u64> {
    let Inputs::Named(names) = inputs else { return None };
    let [name] = &names[..] else { return None };
    let metadata = std::fs::metadata(Path::new(OsStr::from_bytes(name))).ok()?;
    metadata.is_file().then_some(metadata.len())
}
