//! Creates a bag (RFC 8493) from a folder, or updates one.
//!
//! Everything is read and compared with the existing manifests before anything is written. Then files are written
//! atomically, one after the other: the payload manifests, `bag-info.txt`, the tag manifests, and the declaration of a
//! new bag. A run that is killed leaves a folder that is not a bag, or a bag whose tag manifests do not match, and the
//! same command completes it. While manifests exist, a journal distinguishes such a bag from one whose payload
//! manifests were modified by something else.

use crate::bag::older::{FileStatus, RecordedEntries};
use crate::bag::parts::{
    Allowed, Bag, BagError, DATA, DECLARED, Place, Purpose, journal_name, manifest_name, named, once,
    place as place_file, refused, shown,
};
use crate::bag::payload::{Changes, Listing, Manifest, Payload};
use crate::bag::{creation, info, moving, tags};
use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::hash::reading::Reading;
use crate::tasks::{Inputs, Tasks};
use crate::watch::Watch;
use crate::words::{count, path_word, size};
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truesum::hash::Spec;
use truesum::manifest::Entry;
use truesum::open::open_named;
use truesum::update::Consent;
use truesum::verify::bag::{
    DECLARATION, check_writable, is_bag, is_of_payload, unlisted_fetches, unsafe_fetches,
};
use truesum::{Cause, Error, FileId, Sink, Summary};
use truesum_fs::lock::try_lock;
use truesum_fs::name::OsStrExt;

/// Creates or updates the bag in each of the named folders.
pub fn run(plan: &Reading, wanted: &Bag, console: &mut Console) -> Exit {
    let Inputs::Named(names) = &plan.inputs else { unreachable!("the command has no option for a list") };
    let watch = Watch::start(plan.reporting.line, None, console);
    let mut exit = Exit::Done;
    for name in names {
        let folder = Path::new(OsStr::from_bytes(name));
        match make(&Making { plan, wanted, watch: &watch }, folder, console) {
            Ok(message) => {
                if plan.reporting.notes {
                    console.line(&format!("truesum: {}: {message}", shown(folder)));
                }
            }
            Err(BagError::Refused(refusal)) => exit = exit.max(console.refuse(&refusal)),
            Err(BagError::Failed(error)) => {
                console.failure(&error);
                exit = exit.max(Exit::NotAsRequested);
            }
            Err(BagError::Reported) => exit = exit.max(Exit::Failed),
            Err(BagError::Interrupted) => {
                console.error(&format!("interrupted: {} is unchanged", shown(folder)));
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
fn make(making: &Making<'_>, folder: &Path, console: &mut Console) -> Result<String, BagError> {
    let Making { plan, wanted, .. } = *making;
    if !folder.is_dir() {
        return Err(refused(folder, "not a folder"));
    }
    let real = std::fs::canonicalize(folder)
        .map_err(|error| Error::io(folder.as_os_str().as_bytes(), "open", error))?;
    let options = wanted.options.clone();
    let place = Place { folder: folder.to_owned(), real, follow: plan.walk.get_follow(), options };
    let _lock = lock(folder)?;
    let is_new = !is_bag(folder);
    let (in_place, allowed) = match (wanted.purpose, is_new) {
        (Purpose::Create { in_place }, true) => (in_place, Allowed::default()),
        (Purpose::Update(allowed), false) => (false, allowed),
        // An interrupted run of this command completed the bag, but did not remove its marker.
        (Purpose::Create { .. }, false) if moving::is_moved(folder) => {
            (false, Allowed { is_update: true, ..Allowed::default() })
        }
        (Purpose::Create { .. }, false) => {
            return Err(refused_with(&place, "already a bag", "to add new files", "update"));
        }
        (Purpose::Update(_), true) => {
            return Err(refused_with(&place, "not a bag", "to make it a bag", creation(folder)));
        }
    };
    let moved = moving::plan(&place, in_place, is_new)?;
    let info = folder.join("bag-info.txt");
    // Files that are to be moved are payload, whatever their names.
    let (mut older, fields, others) = match &moved {
        Some(_) => Default::default(),
        None => {
            acceptable(folder, is_new)?;
            (RecordedEntries::read(folder, console)?, info::Info::read(&info, is_new)?, tags::others(folder)?)
        }
    };
    let specs = specs(plan, wanted, &older)?;
    let tag_specs: Arc<[Spec]> = specs.iter().chain(older.tag_specs()).fold(Vec::new(), once).into();
    let compared: Arc<[Spec]> = tag_specs.iter().chain(older.compared_specs()).fold(Vec::new(), once).into();
    let tags = |names: Vec<PathBuf>, console: &mut Console| -> Result<tags::TagFiles, BagError> {
        if names.is_empty() {
            return Ok(tags::TagFiles::default());
        }
        let mut tags = tags::Tags::new(&place, console);
        let summary = read(making, names, &place, &compared, Vec::new(), &mut tags)?;
        tags.end(summary.interrupted())
    };
    let mut found = tags(others, console)?;
    if is_new {
        let digests = compared.iter().map(|spec| spec.digest(DECLARED)).collect();
        found.add(DECLARATION.as_bytes(), &compared, digests);
    }
    let replaced = tags(older.replaced(&info), console)?;
    let tag_changes = compare_tags(&older, &found, &replaced, allowed, &place, console)?;
    let is_interrupted = older.is_interrupted(&replaced.entries);
    let Listing { manifests, mut changes, files, bytes, listed, listed_bytes, own, names } = {
        let root = if moved.is_some() { folder.to_path_buf() } else { folder.join(DATA) };
        let specs_of = (&specs[..], &tag_specs);
        let mut payload = Payload::begin(&place, specs_of, moved.is_some(), &mut older, allowed, console)?;
        let summary = read(making, vec![root], &place, &specs, payload.own(), &mut payload)?;
        payload.end(summary.interrupted())?
    };
    changes.refreshed += tag_changes.refreshed;
    changes.removed += tag_changes.removed;
    if allowed.is_update
        && allowed.refresh == Consent::Withheld
        && !is_interrupted
        && let Some(fault) = fields.oxum_fault(listed, listed_bytes)
    {
        console.error_of(b"bag-info.txt", &fault);
        console.error(&format!("{}: nothing was written (1 error)", shown(folder)));
        console.hint(&format!(
            "to accept the payload and correct Payload-Oxum: {}",
            place.command("update --refresh")
        ));
        return Err(BagError::Reported);
    }
    if let Some(names) = names
        && let Some(error) = unlisted_fetches(folder, &mut |name| names.contains(name)).into_iter().next()
    {
        let hint = "download the file, or delete its line from fetch.txt";
        return Err(BagError::Refused(Refusal::with_hint(error.to_string(), hint)));
    }
    let fields = fields.text(&wanted.info, bytes, files);
    let mut written = tags::TagFiles::default();
    let digests = |text: &[u8]| tag_specs.iter().map(|spec| spec.digest(text)).collect();
    written.add(b"bag-info.txt", &tag_specs, digests(fields.as_bytes()));
    for Manifest { target, digests, .. } in &manifests {
        let name = target.file_name().unwrap_or_default().as_bytes();
        written.add(name, &tag_specs, digests.clone());
    }
    found.entries.extend(written.entries.iter().cloned());
    let texts: Vec<Vec<u8>> = (0..tag_specs.len()).map(|at| found.manifest(at)).collect::<Result<_, _>>()?;
    // Nothing was written so far.
    if let Some(moved) = moved {
        moved.carry_out(folder, &own)?;
    }
    let mut journals = older.journals.clone();
    if !replaced.entries.is_empty() {
        written.entries.extend(replaced.entries);
        let journal = folder.join(journal_name(&tag_specs[0])?);
        place_file(&journal, &written.manifest(0)?)?;
        journals.push(journal);
    }
    for Manifest { file, target, .. } in manifests {
        file.commit().map_err(|error| named(error, &target))?;
    }
    place_file(&info, fields.as_bytes())?;
    for (spec, text) in tag_specs.iter().zip(texts) {
        place_file(&folder.join(format!("tag{}", manifest_name(spec)?)), &text)?;
    }
    for journal in journals {
        match std::fs::remove_file(&journal) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io(journal.as_os_str().as_bytes(), "remove", error).into());
            }
            _ => {}
        }
    }
    if is_new {
        moving::declare(folder)?;
    }
    moving::remove_marker(folder)?;
    let with = specs.iter().map(Spec::to_string).collect::<Vec<_>>().join(", ");
    let done = if is_new { "bag created:".to_owned() } else { update_words(changes) + "; now" };
    Ok(format!("{done} {}, {} ({with})", count(files, "file", "files"), size(bytes)))
}

/// Checks the parts of an existing folder that a check of the bag would reject.
fn acceptable(folder: &Path, is_new: bool) -> Result<(), BagError> {
    if let Some(error) = unsafe_fetches(folder).into_iter().next() {
        return Err(BagError::Failed(error));
    }
    if !is_new {
        check_writable(folder)?;
    }
    Ok(())
}

/// Compares the tag files with the existing tag manifests, and returns how many changes are accepted. Missing and
/// modified payload manifests are never accepted: the files could not be compared with what they contained.
fn compare_tags(
    older: &RecordedEntries,
    found: &tags::TagFiles,
    replaced: &tags::TagFiles,
    allowed: Allowed,
    place: &Place,
    console: &mut Console,
) -> Result<Changes, BagError> {
    let all: Vec<Entry> = found.entries.iter().chain(&replaced.entries).cloned().collect();
    let (mut accepted, mut modified, mut lost, mut unknown) = (Changes::default(), 0, 0, 0);
    for (name, status) in older.changed_tags(&all, allowed) {
        let is_manifest = !name.contains(&b'/') && is_of_payload(Path::new(OsStr::from_bytes(&name)));
        unknown += u64::from(is_manifest);
        match status {
            Some(status) if is_manifest || status == FileStatus::Modified => {
                modified += 1;
                console.error_of(&name, "does not match the bag's tag manifest");
            }
            None if is_manifest || !allowed.prune => {
                lost += 1;
                console.error_of(&name, "in the bag's tag manifest, but missing from the bag");
            }
            Some(_) => accepted.refreshed += 1,
            None => accepted.removed += 1,
        }
    }
    if allowed.is_update && unknown == 0 && !older.has_manifest() {
        (lost, unknown) = (lost + 1, 1);
        console.error_of(b"manifest-*.txt", "the bag has no payload manifest");
    }
    if modified + lost == 0 {
        return Ok(accepted);
    }
    console.error(&format!(
        "{}: nothing was written ({})",
        shown(&place.folder),
        count(modified + lost, "error", "errors")
    ));
    if allowed.is_update && unknown > 0 {
        console.hint(&recreation(older, place));
    } else {
        allowed.advise(place, modified > 0, lost > 0, console);
    }
    Err(BagError::Reported)
}

/// Returns the advice for a bag whose payload manifests are not those in its tag manifests.
fn recreation(older: &RecordedEntries, place: &Place) -> String {
    let declaration = place.folder.join(DECLARATION);
    let words = std::iter::once(&declaration).chain(older.all_manifests());
    let words = words.map(path_word).collect::<Vec<_>>().join(" ");
    let create = place.command("create");
    format!(
        "restore the payload manifests from a copy; to record the files without verifying them: rm {words} && {create}"
    )
}

/// Returns what an update changed.
fn update_words(changes: Changes) -> String {
    let Changes { added, refreshed, removed } = changes;
    let mut text = format!("bag updated, {} added", count(added, "file", "files"));
    for (number, word) in [(refreshed, "refreshed"), (removed, "removed")] {
        if number > 0 {
            text += &format!(", {number} {word}");
        }
    }
    text
}

/// Refuses a folder for which another subcommand is meant.
fn refused_with(place: &Place, why: &str, purpose: &str, subcommand: &str) -> BagError {
    let text = format!("{}: {why}", shown(&place.folder));
    BagError::Refused(Refusal::with_hint(text, format!("{purpose}: {}", place.command(subcommand))))
}

/// Locks a folder until the returned file is closed, if the file system supports locks: two
/// concurrent runs on one folder would list each other's files.
///
/// # Errors
/// Fails if another run has locked the folder, or if it cannot be opened.
fn lock(folder: &Path) -> Result<File, BagError> {
    let name = folder.as_os_str().as_bytes();
    let file = open_named(folder).map_err(|error| Error::io(name, "open", error))?;
    if try_lock(&file) {
        return Ok(file);
    }
    let why = Cause::Other("another truesum process is changing this bag".to_owned());
    Err(Error::new(name, "lock", why).into())
}

/// Returns the algorithms of the payload manifests: those of the existing manifests, and the
/// requested ones.
fn specs(plan: &Reading, wanted: &Bag, older: &RecordedEntries) -> Result<Arc<[Spec]>, BagError> {
    let requested = if wanted.named || older.specs().next().is_none() { &plan.specs[..] } else { &[] };
    let specs = older.specs().chain(requested).fold(Vec::new(), once);
    specs.iter().try_for_each(|spec| manifest_name(spec).map(drop))?;
    Ok(specs.into())
}

/// Reads these files, whose names are relative to the bag at `place`, and passes the outcomes to `sink`.
fn read(
    making: &Making<'_>,
    names: Vec<PathBuf>,
    place: &Place,
    specs: &Arc<[Spec]>,
    own: Vec<FileId>,
    sink: &mut dyn Sink,
) -> Result<Summary, BagError> {
    let names = names.into_iter().map(|name| name.into_os_string().as_bytes().to_vec()).collect();
    let Making { plan, watch, .. } = *making;
    let (walk, threads) = (plan.walk.clone(), plan.reporting.threads);
    let root = Some(place.real.clone());
    let mut tasks = Tasks::new(&Inputs::Named(names), walk, root, specs.clone(), threads, &watch.progress)?;
    let config = plan.engine(own);
    truesum::run(&config, &mut tasks, &watch.progress, sink)
        .map_err(|error| Error::io(place.folder.as_os_str().as_bytes(), "write", error).into())
}
