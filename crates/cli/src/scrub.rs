//! `truesum scrub`: verifies an archive over time, one part per run.

pub mod arguments;
mod overview;
mod page;
mod plan;
mod report;
mod xattr;

use crate::advice::Trouble;
use crate::console::Console;
use crate::ending;
use crate::exit::{Exit, Refusal};
use crate::output::{Output, cannot_write, print};
use crate::watch::Watch;
use crate::words::{self, SAME_OPTIONS, count, path_word};
use arguments::ScrubArgs;
use report::Printer;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;
use truesum::audit::FileStatus;
use truesum::manifest::Rule;
use truesum::scrub::{self, Scrub};
use truesum::{Cause, Error, Kind, Progress, ReadOptions, StateFault};
use truesum_fs::name::OsStrExt;
use truesum_fs::process;

/// Runs the command.
pub fn run(mut args: ScrubArgs) -> Exit {
    let mut console = Console::new(args.run.color);
    if args.state.is_none() && scrub::is_state(&args.folder) {
        match scrub::recorded_folder(&args.folder) {
            Ok(folder) => args.state = Some(std::mem::replace(&mut args.folder, folder)),
            Err(error) => return failure(&args, &error, &mut console),
        }
    }
    match () {
        () if args.xattr => xattr::run(&args, console),
        () if !args.forget.is_empty() => forget(&args, console),
        () if args.import.is_some() => import(&args, console),
        () if args.status || args.log => show(&args, &mut console),
        () => execute(&args, console),
    }
}

fn execute(args: &ScrubArgs, mut console: Console) -> Exit {
    let reporting = args.run.reporting(args.quiet);
    let options =
        match plan::options(args, reporting.threads).and_then(|options| may_write(args).map(|()| options)) {
            Ok(options) => options,
            Err(refusal) => return console.refuse(&refusal),
        };
    if args.idle
        && let Err(error) = process::use_idle_io_priority()
    {
        return console.refuse(&Refusal::new(format!("--idle: not available on this system: {error}")));
    }
    let watch = Watch::start(reporting.line, None, &mut console);
    args.rate.into_iter().for_each(|rate| watch.progress.limit_rate(rate));
    let began = Instant::now();
    let mut scrub = Scrub::new(&options, &watch.progress);
    let (json, quiet) = (args.json, args.quiet);
    let (output, dry_run) = (Output::stdout(), args.dry_run);
    let (undated, corrupt, failed) = (None, BTreeSet::new(), None);
    let mut printer = Printer { console, output, json, quiet, dry_run, undated, corrupt, failed };
    let result = scrub.run(&mut |event| printer.event(&event));
    let report = scrub.report();
    let mut exit = match &result {
        Ok(()) => Exit::of_status(report.exit_status(), watch.signals.ended_by()),
        Err(_) => Exit::NotAsRequested,
    };
    let is_complete = result.is_ok() && printer.failed.is_none();
    if is_complete && json {
        // A failure to write it is in `printer.failed`.
        let _ = printer.summary_object(report, began.elapsed().as_secs_f64(), exit.code());
    }
    let Printer { mut console, output, undated, corrupt, failed, .. } = printer;
    let name = output.name();
    console.display = None;
    let finished = match failed {
        Some(error) => Err(Error::io(&name, "write", error)),
        None => output.finish(),
    };
    if let Err(error) = finished {
        return exit.max(cannot_write(&error, &mut console));
    }
    if let Err(error) = &result {
        exit = exit.max(failure(args, error, &mut console));
    } else {
        exit = exit.max(write_page(args, Some((reporting.threads, &watch.progress)), &mut console));
        if let Some(name) = corrupt.first().filter(|_| !json) {
            let copy = match args.repair_from {
                None => {
                    let (option, folder) = (state_option(args), path_word(&args.folder));
                    let manifests = if args.manifests { "--manifests " } else { "" };
                    format!(", or: truesum scrub {option}{manifests}--repair-from COPY {folder}")
                }
                Some(_) => String::new(),
            };
            let manifest = if args.manifests { ", correct its manifests and then run" } else { "" };
            console.hint(&format!(
                "corrupt: {}{copy}; if the current content is correct{manifest}: {}",
                Trouble::Corrupt.advice(),
                forget_command(args, name)
            ));
        }
        if let Some(name) = undated.filter(|_| !json) {
            console.hint(&format!(
                "changed: the entry has no modification time, so an edit cannot be distinguished from corruption; if the current content is correct: {}",
                forget_command(args, &name)
            ));
        }
        if !json && report.failures_of(FileStatus::MovedModified) > 0 {
            console.hint("moved-modified: the file has the size and modification time of a missing file, but different content; restore the file from a copy, or remove the entry of the missing file with --forget");
        }
        if let Some(file) = report.skipped_file().filter(|_| reporting.notes) {
            let shown = truesum::manifest::path::display_safe(file.as_os_str().as_bytes());
            let text = match report.skipped() {
                1 => format!("{shown} is not used, so its files are not verified"),
                all => format!(
                    "{} files that may be manifests are not used, such as {shown}, so their files are not verified",
                    words::grouped(all)
                ),
            };
            console.note(&text);
            console.hint(&format!("to verify such a manifest: truesum check {}", path_word(file)));
        }
        if report.created() && reporting.notes {
            let weak = args.algorithm.iter().filter(|spec| !spec.algorithm().status().tamper_evident());
            weak.for_each(|spec| console.note(&format!("{spec}: {}", words::not_shown(&spec.to_string()))));
        }
        if report.excluded() > 0 && !args.quiet {
            let removed = match args.dry_run {
                true => "would be removed",
                false => "removed",
            };
            let entries = count(report.excluded(), "entry", "entries");
            console.note(&format!("{entries} {removed}, because the new rules exclude the files"));
        }
        // A state that is created again by mistake must not go unnoticed.
        if !(json || quiet && exit == Exit::Done && !report.created()) {
            let within = plan::within(args);
            console.summary(exit, &report::summary(report, within, args.dry_run));
        }
    }
    exit
}

/// Returns the option for the state file and a space, if the state file is not the default one.
fn state_option(args: &ScrubArgs) -> String {
    args.state.as_ref().map_or_else(String::new, |state| format!("--state {} ", path_word(state)))
}

/// Returns the command that removes an entry.
fn forget_command(args: &ScrubArgs, name: &Path) -> String {
    let (option, name, folder) = (state_option(args), path_word(name), path_word(&args.folder));
    format!("truesum scrub {option}--forget {name} {folder}")
}

/// Prints why the state or the folder cannot be used.
fn failure(args: &ScrubArgs, error: &Error, console: &mut Console) -> Exit {
    console.failure(error);
    let (state, folder) = (path_word(plan::state(args)), path_word(&args.folder));
    let option = state_option(args);
    let Kind::State(fault) = error.kind() else { return Exit::NotAsRequested };
    match fault {
        StateFault::Damaged if scrub::is_collection_state(&plan::state(args)) => console.hint(&format!(
            "the digests are in the manifests; to start again: rm {state} && truesum scrub {option}--manifests --all {folder}"
        )),
        StateFault::Damaged => console.hint(&format!(
            "to start again from an exported manifest: rm {state} && truesum scrub {option}--import MANIFEST --root {folder} {folder}"
        )),
        StateFault::OtherRules => console.hint(&format!(
            "to use the stored rules, omit --include and --exclude; to replace them: truesum scrub {option}--set-rules --exclude GLOB {folder}"
        )),
        StateFault::FailuresExcluded => console.hint(&format!(
            "restore the files from a copy, or remove their entries: truesum scrub {option}--forget PATH {folder}"
        )),
        StateFault::OfCollection => {
            console.hint(&format!("to verify the collection: truesum scrub {option}--manifests {folder}"));
        }
        StateFault::OfTree => console.hint(&format!(
            "to verify all files: truesum scrub {option}{folder}; for the manifests, use another state file: truesum scrub --manifests --state FILE {folder}"
        )),
        StateFault::Unsuitable if args.state.is_some() => {
            console.hint(&format!("to use another state file: truesum scrub --state FILE {folder}"));
        }
        StateFault::Unsuitable | StateFault::OtherNames => {}
    }
    Exit::NotAsRequested
}

/// Tests in advance whether the HTML page can be written.
fn may_write(args: &ScrubArgs) -> Result<(), Refusal> {
    let Some(html) = &args.html else { return Ok(()) };
    ending::outputs(&[("--state", &plan::state(args)), ("--html", html)], &[], &ReadOptions::default())?;
    ending::may_write(html).map_err(|error| Refusal::new(error.to_string()))
}

/// Writes the HTML page, if it was requested.
///
/// With the number of threads and the progress of a run, the page shows where corrupt files are damaged.
fn write_page(args: &ScrubArgs, reading: Option<(usize, &Progress)>, console: &mut Console) -> Exit {
    let Some(html) = &args.html else { return Exit::Done };
    let within = plan::days(args);
    let written = scrub::overview(&plan::state(args), &args.folder, within).and_then(|overview| {
        let (mut record, heading) = page::page(&overview, overview.within());
        if let Some(reading) = reading {
            page::add_damage(&overview, &args.folder, reading, &mut record);
        }
        ending::write(html, &record, &heading)
    });
    match written {
        Ok(()) => Exit::Done,
        Err(error) => failure(args, &error, console),
    }
}

fn forget(args: &ScrubArgs, mut console: Console) -> Exit {
    if let Err(refusal) = plan::folder(args) {
        return console.refuse(&refusal);
    }
    match scrub::forget(&plan::state(args), &args.folder, &args.forget) {
        Ok(()) => Exit::Done,
        Err(error) => {
            let exit = failure(args, &error, &mut console);
            if let [name] = &args.forget[..]
                && let Ok(rest) = name.strip_prefix(&args.folder)
            {
                let folder = path_word(&args.folder);
                let command = forget_command(args, rest);
                console.hint(&format!("names are relative to {folder}: {command}"));
            }
            exit
        }
    }
}

fn import(args: &ScrubArgs, mut console: Console) -> Exit {
    let Some(manifest) = &args.import else { return Exit::NotAsRequested };
    if let Err(refusal) = plan::folder(args) {
        return console.refuse(&refusal);
    }
    let rules = match plan::rules(args) {
        Ok(rules) => rules,
        Err(refusal) => return console.refuse(&refusal),
    };
    let reporting = args.run.reporting(args.quiet);
    let watch = Watch::start(reporting.line, None, &mut console);
    let read = ReadOptions::default()
        .root(args.root.clone())
        .algorithms(args.algorithm.clone())
        .ignore_rules(args.set_rules);
    let imported = scrub::import(manifest, &args.folder, &plan::state(args), &read, rules, &watch.progress);
    console.display = None;
    match imported {
        Ok(files) => {
            if reporting.notes {
                let state = plan::state(args);
                let shown = truesum::manifest::path::display_safe(state.as_os_str().as_bytes());
                console.note(&format!("{shown}: {} imported", count(files, "file", "files")));
                if let Ok(overview) = scrub::overview(&state, &args.folder, None) {
                    note_imported(overview.rules(), &mut console);
                }
            }
            Exit::Done
        }
        Err(error) => match watch.signals.ended_by() {
            Some(signal) => Exit::Signal(signal),
            None => {
                let exit = failure(args, &error, &mut console);
                if error.kind() == Kind::State(StateFault::OtherNames) {
                    console.hint(&names_hint(args, manifest, &read));
                }
                exit
            }
        },
    }
}

/// Returns the hint for a manifest whose names are not those of files in the folder.
fn names_hint(args: &ScrubArgs, manifest: &Path, read: &ReadOptions) -> String {
    let (word, folder) = (path_word(manifest), path_word(&args.folder));
    match scrub::import_root(manifest, &args.folder, read) {
        Some(root) => {
            let root = path_word(root);
            format!("to use the names: truesum scrub{SAME_OPTIONS} --import {word} --root {root} {folder}")
        }
        None => format!(
            "to specify the folder that the names are relative to: truesum scrub{SAME_OPTIONS} --import {word} --root FOLDER {folder}; to select entries: truesum convert --only NAME -t jsonl {word} -o NEW"
        ),
    }
}

/// Prints the rules that a new state took from its manifest, which select what later runs record.
fn note_imported(rules: &[Rule], console: &mut Console) {
    if !rules.is_empty() {
        console.note(&format!("rules: {}", words::rules(rules)));
    }
}

/// Prints the status or the history of a state.
fn show(args: &ScrubArgs, console: &mut Console) -> Exit {
    if let Err(refusal) = may_write(args) {
        return console.refuse(&refusal);
    }
    let overview = match scrub::overview(&plan::state(args), &args.folder, plan::days(args)) {
        Ok(overview) if args.manifests && !overview.collection() => {
            let why = "it is the state file of all files of a folder".to_owned();
            let why = Cause::State(StateFault::OfTree, why);
            let state = plan::state(args);
            let error = Error::new(state.as_os_str().as_bytes(), "use for manifests", why);
            return failure(args, &error, console);
        }
        Ok(overview) => overview,
        Err(error) => return failure(args, &error, console),
    };
    let text = match (args.log, args.json, args.prometheus) {
        (true, true, _) => overview::log_objects(&overview),
        (true, false, _) => overview::log(&overview).into_bytes(),
        (false, true, _) => overview::status_object(&overview),
        (false, false, true) => overview::prometheus(&overview).into_bytes(),
        (false, false, false) => overview::status(&overview).into_bytes(),
    };
    let printed = print(&String::from_utf8_lossy(&text), console);
    let written = write_page(args, None, console);
    match args.status && !overview.coverage().failures().is_empty() {
        true => printed.max(written).max(Exit::Failed),
        false => printed.max(written),
    }
}
