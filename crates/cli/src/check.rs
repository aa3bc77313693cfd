//! `truesum check`: compares files with manifests. The library decides which verdict each entry
//! gets and what they add up to ([`Report::verdict`]); this module contains the wording, the
//! progress line and the exit status.

mod advice;
pub mod arguments;
mod events;
pub mod named;
mod plan;
mod report;
#[cfg(feature = "stores")]
mod stored;
mod total;

use crate::console::Console;
use crate::drawing::page;
use crate::ending::{self, Ending};
use crate::exit::{Exit, Refusal};
use crate::output::{self, Output, cannot_write};
use crate::watch::Watch;
use crate::words::{count, size};
use arguments::CheckArgs;
use events::Printer;
use plan::{Subject, plan};
use report::Detail;
use std::io;
use std::path::Path;
use std::time::Instant;
use truesum::hash::Spec;
use truesum::manifest::identify::{Candidate, matching};
use truesum::manifest::path::display_safe;
use truesum::{Error, Event, Report, Root, Unlisted, Verification};
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;

/// Runs the command.
pub fn run(args: CheckArgs) -> Exit {
    let summary = args.summary;
    ending::summarized(check(args), summary)
}

fn check(mut args: CheckArgs) -> Exit {
    let mut console = Console::new(args.run.color);
    let unsuitable = std::mem::take(&mut args.unsuitable);
    for refusal in &unsuitable {
        console.refuse(refusal);
    }
    if !unsuitable.is_empty() && args.manifests.is_empty() {
        return Exit::NotAsRequested;
    }
    let plan = match plan(args) {
        Ok(plan) => plan,
        Err(refusal) => return console.refuse(&refusal),
    };
    if plan.reporting.notes {
        plan.notes.iter().for_each(|note| console.note(note));
    }
    #[cfg(feature = "stores")]
    if let (Some(read), Some(url)) = (plan.stored, plan.options.get_read().get_root()) {
        return stored::run(&plan, url, read, &mut console);
    }
    let trees = plan.locate.as_ref().and_then(|locate| locate.trees.as_ref());
    let trees = trees.map(|folder| Root::folder(folder, plan.options.get_read().get_allow_outside()));
    let trees = match trees.transpose() {
        Ok(trees) => trees,
        Err(error) => {
            console.failure(&error);
            return Exit::NotAsRequested;
        }
    };
    let output = Output::stdout();
    // A report from an earlier run does not count as a file that is missing from the manifest.
    let page = plan.html.as_ref().and_then(|html| Metadata::at(html).ok());
    let own = output.own().into_iter().chain(page.map(|file| file.id())).collect();
    let options = plan.options.clone().map_read(|read| read.own(own));
    let watch = Watch::start(plan.reporting.line, None, &mut console);
    let began = Instant::now();
    if let Subject::Files(files, expected) = &plan.subject
        && expected.parts.is_some()
        && (plan.options.get_read().get_remote().is_some() || files.iter().any(|file| file == Path::new("-")))
    {
        console.display = None;
        let why = "--expect: the part size must be specified for standard input and objects";
        return console.refuse(&Refusal::with_hint(why, "specify it, for example: -a 's3-etag;part=8MiB'"));
    }
    let mut verification = Verification::new(&options, &watch.progress);
    let mut printer = Printer::new(&plan, console, output, trees.as_ref(), &watch.progress);
    let result = match &plan.subject {
        Subject::Manifests(names) => verification.manifests(names, &mut |event| printer.event(event)),
        Subject::Below(places) => verification.below(places, &mut |event| printer.event(event)),
        Subject::Embedded(places) => verification.embedded(places, &mut |event| printer.event(event)),
        Subject::ContentAddressed(places) => {
            verification.content_addressed(places, &mut |event| printer.event(event))
        }
        Subject::Files(files, expected) => files.iter().try_for_each(|file| {
            let parts = expected.parts.as_ref();
            let spec = parts
                .and_then(|parts| with_part_size(parts, file, &watch, plan.options.get_read().get_threads()));
            printer.line_of_another(file, expected);
            let mut on_event = |event: Event<'_>| printer.event(event);
            let spec = spec.as_ref().unwrap_or(&expected.spec);
            verification.expect(file, (spec, &expected.digest), expected.size, &mut on_event)
        }),
    };
    let least = if unsuitable.is_empty() { Exit::Done } else { Exit::NotAsRequested };
    end(verification.report(), result, printer, &watch, began, least)
}

/// Returns the algorithm with the part size that produces this digest of a multipart upload.
/// Returns `None` if none of the usual sizes does, or if the file cannot be read; the comparison
/// that follows reports why.
fn with_part_size(parts: &Candidate, file: &Path, watch: &Watch, threads: usize) -> Option<Spec> {
    let size = || match std::fs::metadata(file) {
        Ok(metadata) => Ok(metadata.len()),
        Err(error) => Err(Error::io(file.as_os_str().as_bytes(), "open", error)),
    };
    let digests = |specs: &[Spec]| Ok(watch.digests(file.as_os_str(), specs, threads)?.into_digests());
    let (found, _) = matching(std::slice::from_ref(parts), size, digests).ok()?;
    found.into_iter().next().map(|found| found.spec().clone())
}

/// Prints the summary, and returns the exit status, which is not better than `least`.
fn end(
    report: &Report,
    result: io::Result<()>,
    printer: Printer<'_>,
    watch: &Watch,
    began: Instant,
    least: Exit,
) -> Exit {
    let Printer { plan, mut console, mut output, page, record, taken, manifests, .. } = printer;
    let (time, sample) = (began.elapsed(), plan.options.get_read().get_select().sample());
    let exact = plan.options.get_unlisted() == Unlisted::Refused;
    let mut exit = least.max(Exit::of_status(report.verdict().exit_status(), watch.signals.ended_by()));
    // After an interruption, bytes of incompletely read files count too.
    let read = if watch.progress.stopped() { watch.progress.bytes() } else { report.counts().bytes() };
    let name = output.name();
    let cannot_write =
        |error, console: &mut Console| cannot_write(&Error::io(&name, "write", error), console);
    if let Err(error) = result {
        return exit.max(cannot_write(error, &mut console));
    }
    if let Some(path) = plan.locate.as_ref().and_then(|locate| locate.page.as_ref())
        && let Err(error) = output::save_page(path, &page.text(), page::MARK)
    {
        console.failure(&error);
        exit = exit.max(Exit::NotAsRequested);
    }
    if let Some(path) = plan.html.as_ref().filter(|_| taken) {
        let path = display_safe(path.as_os_str().as_bytes());
        console.error(&format!(
            "--html: the report was not written to {path}, because the manifest lists a missing file with this name"
        ));
        exit = exit.max(Exit::NotAsRequested);
    } else if let (Some(path), Some(record)) = (&plan.html, &record) {
        let heading = total::heading(report, &manifests, plan, read, time);
        if let Err(error) = ending::write(path, record, &heading) {
            console.failure(&error);
            exit = exit.max(Exit::NotAsRequested);
        }
    }
    let mut line = Vec::new();
    let counts = total::counts(report, read);
    report::summary(
        &counts,
        report.is_part(),
        sample,
        &manifests,
        time.as_secs_f64(),
        exit.code(),
        &mut line,
    );
    if plan.form.is_json()
        && let Err(error) = output.write(&line)
    {
        return exit.max(cannot_write(error, &mut console));
    }
    console.display = None;
    if report.nothing_selected() && report.unmatched() == 0 && plan.detail() != Detail::None {
        let entries = count(report.left_out(), "entry was", "entries were");
        console.error(&format!("nothing selected: {entries} excluded"));
    }
    if let Some(most) =
        plan.options.get_limits().get_max_bytes().filter(|most| read > *most && plan.reporting.notes)
    {
        let (read, most) = (size(read), size(most));
        console.note(&format!(
            "this run read {read}, which is more than --max-bytes ({most}), because each run reads at least one complete file"
        ));
        console.hint("to check a large file in several runs, store its tree: truesum tree --save FILE; then verify it: truesum tree verify --resume FILE.ftr");
    }
    if report.deferred() > 0 && plan.options.get_limits().get_state().is_none() && plan.reporting.notes {
        console.note("without --state, the next run starts with the same files");
    }
    if let Err(error) = output.finish() {
        return exit.max(output::cannot_write(&error, &mut console));
    }
    let wanted = match plan.detail() {
        Detail::All => true,
        Detail::Bad => exit != Exit::Done || plan.summary_requested,
        Detail::None => false,
    };
    if !wanted
        && plan.detail() == Detail::Bad
        // With a state, later runs check the entries that this run deferred.
        && (report.left_out() > 0 || plan.options.get_limits().get_state().is_none())
        && let Some(part) = total::part(report, sample)
    {
        // Without a note, a user would assume that everything was verified.
        console.note(&part);
    }
    let nothing = report.counts().verified() == 0 || report.unread() > 0;
    if exit == Exit::NotAsRequested && nothing && plan.detail() != Detail::None {
        advice::nothing_found(&plan.subject, report, &mut console);
    }
    if report.unsigned() > 0
        && let Subject::Manifests(names) = &plan.subject
        && let [name] = &names[..]
        && let Some(hint) =
            advice::manifest_in_folder_hint(name, true).filter(|_| plan.detail() != Detail::None)
    {
        console.hint(&hint);
    }
    match plan.ending {
        _ if !wanted => {}
        Ending::None => {}
        Ending::Json => console.line(String::from_utf8_lossy(&line).trim_end()),
        Ending::Short => console.summary(exit, &total::words(report, sample, read, exact)),
        Ending::Long => {
            console.summary(exit, &total::words(report, sample, read, exact));
            let names: Vec<String> =
                manifests.iter().map(|(name, digest)| ending::manifest(name, digest.as_ref())).collect();
            console.line(&total::long(report, &names, read, time, exact));
        }
    }
    exit
}
