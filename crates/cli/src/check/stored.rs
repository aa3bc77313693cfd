//! `check --stored`: compares entries with the checksums that an object store keeps. No result is
//! called verified, because the checksums were recorded by the service. With `--read`, objects for
//! which the store has no matching checksum are read.

use crate::check::plan::{Checking, Subject};
use crate::check::report;
use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::output::{Output, cannot_write};
use crate::watch::Watch;
use crate::words::count;
use std::io;
use std::path::Path;
use std::sync::Arc;
use truesum::manifest::path::display_safe;
use truesum::verify::entries::Entries;
use truesum::verify::listed::ListedNames;
use truesum::verify::unlisted_objects;
use truesum::{Error, Input, Notice, Root, Unlisted, Verdict};
use truesum_fs::name::OsStrExt;
use truesum_stores::stored::{StoredComparison, StoredResult, describe};
use truesum_stores::{Store, compare_stored};

/// The number of entries with each result.
#[derive(Default)]
struct Counts {
    agree: u64,
    differ: u64,
    silent: u64,
    /// The object was read, and its digest matches.
    verified: u64,
    /// The object does not exist, has changed, or its checksums or content cannot be read.
    failed: u64,
    malformed: u64,
    /// Objects that are not in the manifest.
    unlisted: u64,
}

/// Runs the command.
pub fn run(plan: &Checking, url: &Path, read: bool, console: &mut Console) -> Exit {
    let Subject::Manifests(names) = &plan.subject else {
        return console.refuse(&Refusal::new("--stored: no manifest given"));
    };
    let store = match crate::stores::store(url.as_os_str()) {
        Ok(store) => Arc::new(store),
        Err(refusal) => return console.refuse(&refusal),
    };
    let mut output = Output::stdout();
    let watch = Watch::start(plan.reporting.line, None, console);
    let mut counts = Counts::default();
    let mut exit = Exit::Done;
    let mut listed = (plan.options.get_unlisted() == Unlisted::Refused).then(ListedNames::default);
    for name in names {
        let known = listed.as_mut();
        match manifest(plan, &store, name, read, known, &watch, &mut counts, &mut output, console) {
            Ok(None) => {}
            Ok(Some(error)) => {
                console.failure(&error);
                exit = Exit::NotAsRequested;
            }
            Err(error) => return cannot_write(&Error::io(&output.name(), "write", error), console),
        }
    }
    if let Some(mut listed) = listed.filter(|_| exit == Exit::Done && !watch.progress.stopped())
        && let Err(error) = unlisted(plan, &store, &mut listed, &watch, &mut counts, &mut output, console)
    {
        return cannot_write(&Error::io(&output.name(), "write", error), console);
    }
    console.display = None;
    if let Err(error) = output.finish() {
        return cannot_write(&error, console);
    }
    if watch.progress.stopped() {
        console.error("interrupted");
        return Exit::Signal(watch.signals.ended_by().unwrap_or(2));
    }
    if counts.differ + counts.failed + counts.unlisted > 0 {
        exit = exit.max(Exit::Failed);
    } else if counts.silent + counts.malformed > 0 || counts.agree + counts.verified == 0 {
        exit = exit.max(Exit::NotAsRequested);
    }
    if plan.reporting.notes || exit != Exit::Done {
        console.summary(exit, &total(&counts));
    }
    exit
}

/// Returns the summary line.
fn total(counts: &Counts) -> String {
    let Counts { agree, differ, silent, verified, failed, malformed, unlisted } = *counts;
    let mut text = format!(
        "truesum: {} with the checksums in the object store (without reading the objects)",
        count(agree, "entry agrees", "entries agree")
    );
    for (number, one, many) in [
        (verified, "was read and verified", "were read and verified"),
        (differ, "differs", "differ"),
        (silent, "could not be compared", "could not be compared"),
        (failed, "failed", "failed"),
        (malformed, "line is malformed", "lines are malformed"),
        (unlisted, "object is not in the manifest", "objects are not in the manifest"),
    ] {
        if number > 0 {
            text += &format!("; {}", count(number, one, many));
        }
    }
    text
}

/// Compares the entries of one manifest. Returns the error if the manifest could not be read.
#[expect(clippy::too_many_arguments, reason = "called once, with all parts of a check")]
fn manifest(
    plan: &Checking,
    store: &Arc<Store>,
    name: &Path,
    read: bool,
    listed: Option<&mut ListedNames>,
    watch: &Watch,
    counts: &mut Counts,
    output: &mut Output,
    console: &mut Console,
) -> io::Result<Option<Error>> {
    let bytes = name.as_os_str().as_bytes();
    let opened = match bytes {
        b"-" => Input::stdin(watch.progress.stop_signal()),
        _ => Input::open(name, watch.progress.stop_signal()),
    };
    let input = match opened {
        Ok(input) => input,
        Err(error) => return Ok(Some(Error::io(bytes, "open", error))),
    };
    let options = plan.options.get_read();
    let reading = options.manifest(bytes, &watch.progress).allow_noise(false);
    let mut entries = Entries::new(input, reading, &Root::Nowhere, 0, listed).selecting(options.get_select());
    let mut lines = Vec::new();
    compare_stored(
        store,
        (options.get_threads(), options.get_order()),
        read,
        &mut entries,
        &watch.progress,
        &mut |requested| {
            lines.clear();
            match requested {
                StoredResult::Compared(job, answer) => {
                    lines.extend(comparison_text(job.name(), answer, counts).into_bytes())
                }
                StoredResult::Read(outcome) => {
                    match outcome.verdict() {
                        Verdict::Verified => counts.verified += 1,
                        Verdict::Unverified => counts.silent += 1,
                        _ => counts.failed += 1,
                    }
                    let names = report::Names { manifest: bytes, folder: b"" };
                    report::entry(plan.form, &outcome, names, None, &mut lines);
                }
                StoredResult::Notice(Notice::Malformed(line)) => {
                    counts.malformed += 1;
                    console.error_of(bytes, &line.to_string());
                }
                StoredResult::Notice(Notice::Failed(error)) => {
                    counts.failed += 1;
                    console.failure(&error);
                }
                StoredResult::Notice(_) => {}
            }
            output.write(&lines)
        },
    )?;
    let pieced = entries.pieced() as u64;
    if pieced > 0 {
        counts.silent += pieced;
        let entries = count(pieced, "entry has", "entries have");
        console.error_of(bytes, &format!("{entries} only piece digests, which object stores do not have"));
    }
    let facts = entries.facts();
    let (jobs, failure) = (facts.jobs(), facts.into_failure());
    if jobs == 0 && pieced == 0 && failure.is_none() && !watch.progress.stopped() {
        console.error_of(bytes, "no entries selected");
    }
    Ok(failure.map(|error| Error::io(bytes, "read", error)))
}

/// Lists the objects, without reading them, and reports those that are not in any of the manifests.
///
/// # Errors
/// The output could not be written.
fn unlisted(
    plan: &Checking,
    store: &Arc<Store>,
    listed: &mut ListedNames,
    watch: &Watch,
    counts: &mut Counts,
    output: &mut Output,
    console: &mut Console,
) -> io::Result<()> {
    let select = plan.options.get_read().get_select();
    let mut print =
        |name: &[u8]| output.write(format!("{}: NOT IN THE MANIFEST\n", display_safe(name)).as_bytes());
    let search = unlisted_objects(&**store, listed, select, &watch.progress, &mut print)?;
    counts.unlisted += search.files();
    counts.failed += search.failed().len() as u64;
    search.failed().iter().for_each(|error| console.failure(error));
    Ok(())
}

/// Returns the line for an entry that was compared with stored checksums.
fn comparison_text(name: &[u8], answer: Result<StoredComparison, Error>, counts: &mut Counts) -> String {
    let name = display_safe(name);
    match answer {
        Ok(StoredComparison::Agrees(specs)) => {
            counts.agree += 1;
            let names: Vec<String> = specs.iter().map(ToString::to_string).collect();
            format!("{name}: AGREES (stored checksum {}; object not read)\n", names.join(", "))
        }
        Ok(StoredComparison::Differs { listed, stored }) => {
            counts.differ += 1;
            format!(
                "{name}: DIFFERS (stored checksum; object not read)\n  listed {listed}\n  stored {stored}\n"
            )
        }
        Ok(StoredComparison::NotComparable(kept)) => {
            counts.silent += 1;
            format!("{name}: NOT COMPARED ({})\n", describe(&kept))
        }
        Err(error) if error.is_missing() => {
            counts.failed += 1;
            format!("{name}: MISSING\n")
        }
        Err(error) => {
            counts.failed += 1;
            format!("{name}: UNREADABLE (cannot {}: {})\n", error.action(), error.reason())
        }
    }
}
