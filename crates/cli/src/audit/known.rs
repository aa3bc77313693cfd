//! `truesum audit --known SET`: finds the files whose content is in a set of digests, or those
//! whose content is not.

use crate::audit::arguments::AuditArgs;
use crate::comparing::words::label;
use crate::comparing::{Malformed, OutputStyle, ResultForm, json};
use crate::console::Console;
use crate::exit::Exit;
use crate::objects;
use crate::output::{Output, cannot_write};
use crate::watch::Watch;
use crate::words::{count, size};
use std::io;
use std::path::PathBuf;
use std::time::Instant;
use truesum::audit::known::{KnownEvent, KnownReport, KnownSets};
use truesum::manifest::path::display_safe;
use truesum::{Error, Mapping, Outcome, ReadOptions};
use truesum_fs::name::OsStrExt;

/// Returns the word for a file.
fn word(known: bool) -> &'static str {
    if known { "known" } else { "unknown" }
}

/// Compares files and folders with the sets.
pub fn run(args: AuditArgs, read: ReadOptions, style: &OutputStyle, mut console: Console) -> Exit {
    let reporting = args.run.reporting(args.quiet || args.status);
    let output = Output::stdout();
    let options =
        read.threads(reporting.threads).reads(args.reads.mode()).mapping(Mapping::Guarded).own(output.own());
    let mut paths: Vec<PathBuf> = args.manifests.into_iter().map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.push(PathBuf::from("."));
    }
    let watch = Watch::start(reporting.line, None, &mut console);
    let began = Instant::now();
    let mut sets = KnownSets::new(&options, &watch.progress);
    let (wanted, with_digests) = (!args.unknown, args.digests);
    let (mut output, mut line, mut malformed) = (output, Vec::new(), Malformed::default());
    let result = sets.compare(&args.known, &paths, &mut |event| {
        match event {
            KnownEvent::File(_, known) if known != wanted => return Ok(()),
            KnownEvent::File(outcome, known) => match style.form {
                ResultForm::Silent => return Ok(()),
                ResultForm::Lines => text(outcome, known, with_digests, &mut line),
                ResultForm::Json => json::known(style, word(known), outcome, &mut line),
            },
            KnownEvent::Malformed(set, bad) if style.form == ResultForm::Json => {
                objects::malformed(style.schema, set.as_os_str().as_bytes(), bad, &mut line);
            }
            KnownEvent::Malformed(set, bad) => malformed.report(style.form, set, bad, &mut console),
            KnownEvent::Failed(error) => console.failure(error),
            _ => {}
        }
        let written = output.write(&line);
        line.clear();
        written
    });
    let report = sets.report();
    let mut exit = match () {
        () if report.interrupted() => Exit::Signal(watch.signals.ended_by().unwrap_or(2)),
        () if report.unknown() + report.unreadable() > 0 => Exit::Failed,
        () if report.failed() > 0 || report.known() == 0 => Exit::NotAsRequested,
        () if report.malformed() > 0 && !options.get_lenient() => Exit::NotAsRequested,
        () => Exit::Done,
    };
    let result = result.and_then(|()| match style.form {
        ResultForm::Json => output.write(&json::known_summary(style, report, began.elapsed(), exit.code())),
        ResultForm::Lines | ResultForm::Silent => Ok(()),
    });
    let name = output.name();
    let finished: Result<(), Error> =
        result.map_err(|error: io::Error| Error::io(&name, "write", error)).and_then(|()| output.finish());
    console.display = None;
    if let Err(error) = finished {
        exit = exit.max(cannot_write(&error, &mut console));
        return exit;
    }
    let files = report.known() + report.unknown() + report.unreadable();
    if files == 0 && report.failed() == 0 && !report.interrupted() && style.form != ResultForm::Silent {
        console.error("no files to compare");
    }
    if style.form == ResultForm::Lines && !(style.quiet && exit == Exit::Done) {
        console.summary(exit, &words(report));
    }
    exit
}

/// Appends the line for one file.
fn text(outcome: &Outcome, known: bool, with_digests: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{}\t{}", word(known), display_safe(outcome.job.path())).as_bytes());
    if let (true, Ok(found)) = (with_digests, &outcome.result) {
        for (spec, digest) in outcome.job.specs().iter().zip(found.digests()) {
            out.extend_from_slice(format!("\t{spec}:{digest}").as_bytes());
        }
    }
    out.push(b'\n');
}

/// Returns the summary line.
fn words(report: &KnownReport) -> String {
    let files = report.known() + report.unknown();
    let mut text = format!(
        "truesum: {} of {} known; {} read and compared with {}",
        report.known(),
        count(files, "file", "files"),
        size(report.bytes()),
        count(report.listed(), "entry", "entries"),
    );
    if report.unreadable() > 0 {
        text += &format!("; {} unreadable", count(report.unreadable(), "file", "files"));
    }
    if report.malformed() > 0 {
        text += &format!("; {}", count(report.malformed(), "malformed line", "malformed lines"));
    }
    for weak in label(report.not_tamper_evident()) {
        text += &format!("; {weak}");
    }
    text
}
