//! `truesum tree repair` with a piece list: a torrent, Metalink, PAR2, zsync and so on.

use crate::console::Console;
use crate::exit::Exit;
use crate::output::listed;
use crate::tree::loss;
use crate::watch::Watch;
use crate::words::{count, path_word};
use std::ffi::OsStr;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};
use truesum::manifest::path::display_safe;
use truesum::manifest::{Head, detect};
use truesum::open::open_companion;
use truesum::tree::repair::Mode;
use truesum::verify::piece_repair::{Repaired, repair as repair_pieces};
use truesum::verify::place::{Placement, placement};
use truesum::{Error, Mapping, ReadOptions, Verdict};
use truesum_fs::name::OsStrExt;

/// The number of bytes by which a list is recognized.
const HEAD: u64 = 64 << 10;

/// Returns whether this is a piece list, and neither a stored tree nor a file that may have one
/// next to it.
pub fn is_list(path: &Path) -> bool {
    let mut head = Vec::new();
    if path.extension().is_some_and(|ending| ending == "ftr")
        || !open_companion(path).is_ok_and(|file| file.take(HEAD).read_to_end(&mut head).is_ok())
    {
        return false;
    }
    let complete = (head.len() as u64) < HEAD;
    detect(Head::new(&head, complete), Some(path.as_os_str().as_bytes()))
        .is_some_and(|row| row.capabilities().locates())
}

/// Determines whether a folder is the one that all names in a list begin with, or contains it.
pub fn placement_in(folder: &Path, list: &Path) -> Placement {
    let names: Vec<Vec<u8>> = listed(list).collect();
    placement(folder, names.iter().map(|name| &name[..]))
}

/// Repairs files with a piece list.
pub fn repair(
    list: &Path,
    file: Option<PathBuf>,
    copy: &Path,
    mode: Mode,
    threads: usize,
    console: &mut Console,
) -> Exit {
    let is_default = file.is_none();
    let (root, data) = match file {
        Some(folder) if folder.is_dir() => match placement_in(&folder, list) {
            Placement::Outer => (Some(folder), None),
            Placement::Inner => (None, Some(folder)),
            Placement::Unclear => {
                let shown = display_safe(folder.as_os_str().as_bytes());
                console.error(&format!(
                    "{shown}: may be the folder of the torrent, or the folder that contains it; nothing was written"
                ));
                let (copy, list) = (path_word(copy), path_word(list));
                let above = path_word(folder.join(".."));
                console.hint(&format!(
                    "if it is the folder of the torrent: truesum tree repair --from {copy} {list} {above}"
                ));
                return Exit::NotAsRequested;
            }
        },
        data => (None, data),
    };
    let options = ReadOptions::default().root(root).data(data).threads(threads).mapping(Mapping::Guarded);
    // Errors show paths that are valid in the current folder, not the names in the list.
    let folder = options.get_root().or(list.parent()).filter(|_| options.get_data().is_none());
    let folder = folder.unwrap_or(Path::new("")).to_owned();
    let found = |error: &Error| {
        let path = Path::new(OsStr::from_bytes(error.name()));
        let is_given = path == list || path.starts_with(copy);
        error.under(if is_given { path.to_owned() } else { folder.join(path) }.as_os_str().as_bytes())
    };
    let watch = Watch::of_one(None, console);
    let done = match repair_pieces(list, copy, mode, &options, &watch.progress) {
        Ok(done) => done,
        Err(error) => return watch.failed(&found(&error), console),
    };
    let several = done.files().len() > 1;
    let mut text = String::new();
    for file in done.files() {
        let name =
            if several { format!("{}: ", display_safe(file.before().job.name())) } else { String::new() };
        for repair in file.repairs() {
            let done = loss::done(repair, mode);
            let (start, len) = (repair.range().start, repair.range().end - repair.range().start);
            let _ = writeln!(text, "{name}{start} {len} {done}");
        }
    }
    let mut exit = watch.print(Ok(text), console);
    if done.files().is_empty() {
        console.error_of(list.as_os_str().as_bytes(), "it has no piece digests");
        return Exit::NotAsRequested;
    }
    for file in done.files() {
        loss::report(&display_safe(file.before().job.name()), file.repairs(), file.old_size(), mode, console);
        exit = exit.max(report_repaired(file, mode, &found, console));
    }
    if is_default && several && done.files().iter().all(|file| file.before().verdict() == Verdict::Missing) {
        let (copy, list) = (path_word(copy), path_word(list));
        console.hint(&format!(
            "if the damaged files are in another folder: truesum tree repair --from {copy} {list} FOLDER"
        ));
    }
    if !done.whole().is_empty() {
        let entries = count(
            done.whole().len() as u64,
            "entry without piece digests was",
            "entries without piece digests were",
        );
        console.note(&format!("{entries} skipped"));
    }
    for outcome in done.whole() {
        match (&outcome.result, outcome.verdict()) {
            (_, Verdict::Verified | Verdict::Unverified | Verdict::Hashed) => continue,
            (Err(error), _) => console.failure(&found(error)),
            _ => console.error_of(
                outcome.job.name(),
                "does not match, and there are no piece digests to locate the damage",
            ),
        }
        exit = exit.max(Exit::Failed);
    }
    exit
}

/// Prints the result for a file.
fn report_repaired(
    file: &Repaired,
    mode: Mode,
    found: &dyn Fn(&Error) -> Error,
    console: &mut Console,
) -> Exit {
    let name = display_safe(file.before().job.name());
    let outcome = file.after().unwrap_or(file.before());
    if let Err(error) = &outcome.result {
        console.failure(&found(error));
        return Exit::Failed;
    }
    let doubt = outcome.result.as_ref().ok().and_then(|found| found.pieces()?.doubt());
    if let (Some(doubt), Verdict::Verified) = (doubt, file.verdict()) {
        console.note(&format!("{name}: {doubt}"));
    }
    match (file.verdict(), mode) {
        (Verdict::Verified, _) if file.repairs().is_empty() => {
            console.line(&format!("truesum: {name}: intact, nothing to repair"));
            Exit::Done
        }
        (Verdict::Verified, _) => {
            console.line(&format!("truesum: {name}: repaired and verified; every byte matches"));
            Exit::Done
        }
        (_, Mode::DryRun) if !file.repairs().is_empty() => {
            console.line(&format!("truesum: {name}: nothing was written"));
            Exit::Failed
        }
        (Verdict::Unverified, _) => {
            console.error(&format!(
                "{name}: not verified: a part of it is in no piece, or in one that also contains bytes of a file that could not be read"
            ));
            Exit::Failed
        }
        _ => {
            let left = file.repairs().iter().filter(|repair| !repair.possible()).count() as u64;
            let why = match left {
                0 => match file
                    .before()
                    .job
                    .size()
                    .zip(outcome.result.as_ref().ok())
                    .map(|(size, found)| found.size().saturating_sub(size))
                {
                    Some(more @ 1..) => match more {
                        1 => "the last byte is not covered by the piece digests".to_owned(),
                        _ => format!("the last {more} bytes are not covered by the piece digests"),
                    },
                    _ => "it does not match, and the piece digests do not show where".to_owned(),
                },
                left => format!("{} still damaged", count(left, "range is", "ranges are")),
            };
            console.error(&format!("{name}: {why}"));
            Exit::Failed
        }
    }
}
