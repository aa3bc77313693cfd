//! Creates a bag (RFC 8493) from a folder, or updates one.
//!
//! Everything is read and compared before anything is written: the files in existing manifests must
//! exist and match. Then each file is written atomically, and the declaration of a new bag comes
//! last. A run that is killed therefore leaves a folder that is not a bag, or a bag whose tag
//! manifests do not match; running the same command again completes it.

use crate::bag::older::Older;
use crate::bag::parts::{
    Bag, DATA, DECLARED, Purpose, Stop, manifest_name, named, once, place, refused, shown,
};
use crate::bag::payload::{Listing, Payload};
use crate::bag::{info, moving, tags};
use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::hash::reading::Reading;
use crate::tasks::{Inputs, Tasks};
use crate::watch::Watch;
use crate::words::{count, shell_word, size};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truesum::hash::Spec;
use truesum::manifest::path::display_safe;
use truesum::verify::bag::{DECLARATION, is_bag, unsafe_fetches};
use truesum::{Cause, Error, FileId, Sink, Summary};

/// Creates or updates the bag in each of the named folders.
pub fn run(plan: &Reading, wanted: &Bag, console: &mut Console) -> Exit {
    let Inputs::Named(names) = &plan.inputs else { unreachable!("the command has no option for a list") };
    let watch = Watch::start(plan.reporting.line, None, console);
    let mut exit = Exit::Done;
    for name in names {
        let folder = Path::new(OsStr::from_bytes(name));
        match make(&Making { plan, wanted, watch: &watch }, folder, console) {
            Ok(said) => {
                if plan.reporting.notes {
                    console.line(&format!("truesum: {}: {said}", shown(folder)));
                }
            }
            Err(Stop::Refused(refusal)) => exit = exit.max(console.refuse(&refusal)),
            Err(Stop::Failed(error)) => {
                console.failure(&error);
                exit = exit.max(Exit::NotAsAsked);
            }
            Err(Stop::Reported) => exit = exit.max(Exit::Failed),
            Err(Stop::Interrupted(written)) => {
                let what = match written {
                    false => "unchanged",
                    true => "an incomplete bag; run the same command again to complete it",
                };
                console.error(&format!("interrupted: {} is {what}", shown(folder)));
                exit = exit.max(Exit::Signal(watch.signals.ended_by().unwrap_or(2)));
                break;
            }
        }
    }
    console.display = None;
    exit
}

/// The parameters of a run that creates or updates bags.
struct Making<'a> {
    plan: &'a Reading,
    wanted: &'a Bag,
    watch: &'a Watch,
}

/// Creates or updates one bag, and returns what was done.
fn make(making: &Making<'_>, folder: &Path, console: &mut Console) -> Result<String, Stop> {
    let Making { plan, wanted, .. } = *making;
    if !folder.is_dir() {
        return Err(refused(folder, "not a folder"));
    }
    // A bag that a check would refuse is not completed.
    if let Some(error) = unsafe_fetches(folder).into_iter().next() {
        return Err(Stop::Failed(error));
    }
    let real = std::fs::canonicalize(folder)
        .map_err(|error| Error::io(folder.as_os_str().as_bytes(), "open", error))?;
    let _lock = lock(folder)?;
    let is_new = !is_bag(folder);
    let in_place = match (wanted.purpose, is_new) {
        (Purpose::Create { in_place }, true) => in_place,
        (Purpose::Update, false) => false,
        (Purpose::Create { .. }, false) => {
            return Err(refused_with(folder, "it is already a bag", "update"));
        }
        (Purpose::Update, true) => return Err(refused_with(folder, "it is not a bag", "create")),
    };
    let moved = moving::plan(folder, in_place, is_new)?;
    // Files that will be moved are payload, whatever their names.
    let mut older = if moved.is_none() { Older::read(folder, console)? } else { Older::default() };
    let specs = specs(plan, wanted, &older)?;
    let tag_specs: Arc<[Spec]> = specs.iter().chain(older.tag_specs()).fold(Vec::new(), once).into();
    let info = folder.join("bag-info.txt");
    let fields = if moved.is_none() { info::Info::read(&info, is_new)? } else { info::Info::default() };
    let others = if moved.is_none() { tags::others(folder)? } else { Vec::new() };
    let mut found = tags::Found::default();
    let tagged = |names, written, found: tags::Found, console: &mut Console| -> Result<_, Stop> {
        let mut tags = tags::Tags::new(found, console);
        let summary = read(making, names, &real, &tag_specs, Vec::new(), &mut tags)?;
        tags.end(summary.interrupted, written)
    };
    if !others.is_empty() {
        found = tagged(others, false, found, console)?;
        tag_specs.iter().enumerate().try_for_each(|(at, _)| found.manifest(at).map(drop))?;
    }
    let Listing { manifests, files, bytes, own } = {
        let root = if moved.is_some() { folder.to_path_buf() } else { folder.join(DATA) };
        let mut payload = Payload::begin(folder, &specs, moved.is_some(), &mut older, console)?;
        let summary = read(making, vec![root], &real, &specs, payload.own(), &mut payload)?;
        payload.end(summary.interrupted)?
    };
    if let Some(moved) = moved {
        moved.carry_out(folder, &own)?;
    }
    for (manifest, target) in manifests {
        manifest.commit().map_err(|error| named(error, &target))?;
    }
    place(&info, fields.text(&wanted.info, bytes, files).as_bytes())?;
    found = tagged(tags::written(folder, &specs), true, found, console)?;
    if is_new {
        found.add(DECLARATION.as_bytes(), DECLARED, &tag_specs);
    }
    for name in older.changed_tags(&found.entries) {
        console
            .note(&format!("{}: did not match its tag manifest, which was rewritten", display_safe(&name)));
    }
    for (at, spec) in tag_specs.iter().enumerate() {
        let text = found.manifest(at)?;
        place(&folder.join(format!("tag{}", manifest_name(spec)?)), &text)?;
    }
    if is_new {
        moving::declare(folder)?;
    }
    let added = older.added(files);
    let with = specs.iter().map(Spec::to_string).collect::<Vec<_>>().join(", ");
    let done = if is_new { "bag created".to_owned() } else { format!("bag updated, {added} added") };
    Ok(format!("{done}; payload of {}, {}, by {with}", count(files, "file", "files"), size(bytes)))
}

/// Refuses a folder that requires another subcommand.
fn refused_with(folder: &Path, why: &str, subcommand: &str) -> Stop {
    let text = format!("{}: {why}", shown(folder));
    Stop::Refused(Refusal::with_hint(text, format!("truesum bag {subcommand} {}", shell_word(folder))))
}

/// Locks a folder until the returned file is closed, if the file system supports locks: two
/// concurrent runs on one folder would list each other's files.
///
/// # Errors
/// Fails if another run has locked the folder, or if it cannot be opened.
fn lock(folder: &Path) -> Result<File, Stop> {
    let name = folder.as_os_str().as_bytes();
    let file = File::open(folder).map_err(|error| Error::io(name, "open", error))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => {
            let why = Cause::Other("another truesum process is changing this bag".to_owned());
            Err(Error::new(name, "lock", why).into())
        }
        _ => Ok(file),
    }
}

/// Returns the algorithms of the payload manifests: those of the existing manifests, and the
/// requested ones.
fn specs(plan: &Reading, wanted: &Bag, older: &Older) -> Result<Arc<[Spec]>, Stop> {
    let requested = if wanted.named || older.specs().next().is_none() { &plan.specs[..] } else { &[] };
    let specs = older.specs().chain(requested).fold(Vec::new(), once);
    specs.iter().try_for_each(|spec| manifest_name(spec).map(drop))?;
    Ok(specs.into())
}

/// Reads these files, whose names are relative to the bag, and passes the outcomes to `sink`.
fn read(
    making: &Making<'_>,
    names: Vec<PathBuf>,
    real: &Path,
    specs: &Arc<[Spec]>,
    own: Vec<FileId>,
    sink: &mut dyn Sink,
) -> Result<Summary, Stop> {
    let names = names.into_iter().map(|name| name.into_os_string().as_bytes().to_vec()).collect();
    let Making { plan, watch, .. } = *making;
    let (walk, threads) = (plan.walk.clone(), plan.reporting.threads);
    let root = Some(real.to_owned());
    let mut tasks = Tasks::new(&Inputs::Named(names), walk, root, specs.clone(), threads, &watch.progress)?;
    let config = plan.engine(own);
    truesum::run(&config, &mut tasks, &watch.progress, sink)
        .map_err(|error| Stop::Failed(Error::io(real.as_os_str().as_bytes(), "write", error)))
}
