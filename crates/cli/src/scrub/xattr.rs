//! `truesum scrub --xattr`: digests in extended attributes instead of a state file.

use crate::comparing::advise_corrupt;
use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::output::{Output, cannot_write};
use crate::scrub::arguments::ScrubArgs;
use crate::scrub::plan;
use crate::selection::selection;
use crate::watch::Watch;
use crate::words::{count, grouped, size};
use truesum::manifest::path::display_safe;
use truesum::scrub::{AttributeEvent, AttributeOptions, AttributeReport, AttributeStatus, scrub_attributes};
use truesum::{Error, Mapping, Wanted};
use truesum_fs::name::OsStrExt;
use truesum_fs::process;

/// Runs the command.
pub fn run(args: &ScrubArgs, mut console: Console) -> Exit {
    let reporting = args.run.reporting(args.quiet);
    let options = match options(args, reporting.threads) {
        Ok(options) => options,
        Err(refusal) => return console.refuse(&refusal),
    };
    if args.idle
        && let Err(error) = process::use_idle_io_priority()
    {
        return console.refuse(&Refusal::new(format!("--idle: not available on this system: {error}")));
    }
    let mut output = Output::stdout();
    let watch = Watch::start(reporting.line, None, &mut console);
    args.rate.into_iter().for_each(|rate| watch.progress.limit_rate(rate));
    let note = if args.dry_run { "\twould be recorded" } else { "\trecorded" };
    let mut failed = None;
    let result = scrub_attributes(&options, &watch.progress, &mut |event| {
        let (word, name, note) = match event {
            AttributeEvent::File(AttributeStatus::Same, _) => return Ok(()),
            AttributeEvent::File(AttributeStatus::New | AttributeStatus::Modified, _) if args.quiet => {
                return Ok(());
            }
            AttributeEvent::File(AttributeStatus::New, name) => ("new", name, note),
            AttributeEvent::File(AttributeStatus::Modified, name) => ("modified", name, note),
            AttributeEvent::File(AttributeStatus::Corrupt, name) => ("corrupt", name, ""),
            AttributeEvent::Failed(error) => {
                console.failure(error);
                return Ok(());
            }
        };
        let line = format!("{word}\t{}{note}\n", display_safe(name.as_os_str().as_bytes()));
        let written = output.write(line.as_bytes());
        written.map_err(|error| {
            let kind = error.kind();
            failed = Some(error);
            kind.into()
        })
    });
    console.display = None;
    let name = output.name();
    let finished = match failed {
        Some(error) => Err(Error::io(&name, "write", error)),
        None => output.finish(),
    };
    if let Err(error) = finished {
        return cannot_write(&error, &mut console);
    }
    let report = match result {
        Ok(report) => report,
        Err(error) => {
            console.failure(&error);
            return Exit::NotAsRequested;
        }
    };
    let exit = Exit::of_status(report.exit_status(), watch.signals.ended_by());
    if report.count(AttributeStatus::Corrupt) > 0 {
        advise_corrupt(&mut console);
    }
    if !(args.quiet && exit == Exit::Done) {
        console.summary(exit, &summary(&report, args.dry_run));
    }
    exit
}

/// Returns the options of the run.
fn options(args: &ScrubArgs, threads: usize) -> Result<AttributeOptions, Refusal> {
    plan::folder(args)?;
    let wanted = Wanted::default().include(args.include.clone()).exclude(args.exclude.clone());
    Ok(AttributeOptions::default()
        .root(args.folder.clone())
        .select(selection(&wanted)?)
        .threads(threads)
        .reads(args.reads.mode())
        .mapping(Mapping::Guarded)
        .dry_run(args.dry_run))
}

/// Returns the summary.
fn summary(report: &AttributeReport, dry_run: bool) -> String {
    let mut text =
        format!("truesum: {} read ({})", count(report.read(), "file", "files"), size(report.bytes()));
    let parts: Vec<String> = [
        (report.count(AttributeStatus::Same), "ok"),
        (report.count(AttributeStatus::Modified), "modified"),
        (report.count(AttributeStatus::Corrupt), "CORRUPT"),
        (report.count(AttributeStatus::New), "new"),
        (report.failed(), "FAILED"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, word)| format!("{} {word}", grouped(number)))
    .collect();
    if !parts.is_empty() {
        text += &format!(": {}", parts.join(", "));
    }
    text += match report.exit_status() {
        0 => "; nothing is wrong",
        130 => "; interrupted",
        _ => "; FAILURES found",
    };
    if dry_run {
        text += " (dry run: the attributes are unchanged)";
    }
    text
}
