//! `truesum embed`: adds the CRC-32 of files to their names, or verifies digests in names.

mod marking;

use crate::check;
use crate::check::arguments::{CheckArgs, ReportArgs};
use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::hash::reading::{Reading, list_failed};
use crate::options::RunArgs;
use crate::output::{Output, cannot_write};
use crate::selection::SelectArgs;
use crate::tasks::inputs;
use crate::watch::Watch;
use crate::words::{count, size};
use clap::{Args, Subcommand, ValueHint};
use marking::Renamer;
use std::collections::HashSet;
use std::ffi::OsString;
use truesum::{Error, embedded_crc};

/// Add the CRC-32 of files to their names, or verify digests in names
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum embed add *.mkv        show the new names: x [CBF43926].mkv
  truesum embed add --yes *.mkv  rename the files
  truesum embed check films      verify the files
A CRC-32 detects accidental damage only.")]
pub struct EmbedArgs {
    #[command(subcommand)]
    command: EmbedCommand,
}

#[derive(Subcommand)]
enum EmbedCommand {
    Add(AddArgs),
    Check(EmbedCheckArgs),
}

/// Add the CRC-32 of files to their names: name [CBF43926].mkv
///
/// A file whose name contains a different CRC-32 is reported as FAILED and not renamed.
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum embed add *.mkv        show the new names
  truesum embed add --yes *.mkv  rename the files")]
struct AddArgs {
    /// Files and folders
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    #[arg(required_unless_present_any = ["files_from", "files0_from"])]
    files: Vec<OsString>,
    /// Carry out the renames; existing files are never replaced
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    run: RunArgs,
    /// Print less: no progress, no notes
    #[arg(short, long, help_heading = "Running")]
    quiet: bool,
}

/// Verify files whose names contain their digest
///
/// Two kinds of names are recognized: names with a CRC-32 in brackets, and names in content-addressed stores, such as
/// SHA256E-s3--DIGEST.txt (git-annex) and blobs/sha256/DIGEST (OCI). truesum check --content-addressed accepts only
/// the paths of these stores, and reports all other files as not checked.
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum embed check films          also verify files in subfolders
  truesum embed check .git/annex/objects
  truesum embed check --quiet *.mkv  print failures only")]
struct EmbedCheckArgs {
    /// Files and folders to check
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath, required = true)]
    files: Vec<OsString>,
    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: EmbedArgs) -> Exit {
    match args.command {
        EmbedCommand::Add(args) => {
            let mut console = Console::new(args.run.color);
            let yes = args.yes;
            match plan(args) {
                Ok(plan) => add(&plan, yes, &mut console),
                Err(refusal) => console.refuse(&refusal),
            }
        }
        EmbedCommand::Check(args) => {
            check::run(CheckArgs { embedded: true, ..args.report.check(args.files) })
        }
    }
}

/// Validates the arguments of `add`.
///
/// # Errors
/// Fails if standard input is named, or if the selection is invalid.
fn plan(args: AddArgs) -> Result<Reading, Refusal> {
    if args.files.iter().any(|name| name == "-") {
        return Err(Refusal::new("embed add: standard input is not supported (specify files or folders)"));
    }
    let specs = vec![embedded_crc::spec()].into();
    let (inputs, walk) = (inputs(args.files, &args.select), args.select.walk()?);
    Ok(Reading::local(specs, inputs, walk, args.run.reporting(args.quiet)))
}

/// Renames files, or prints their new names.
fn add(plan: &Reading, carried_out: bool, console: &mut Console) -> Exit {
    let output = Output::stdout();
    let config = plan.engine(output.own());
    let watch = Watch::start(plan.reporting.line, None, console);
    let mut tasks = match plan.tasks(&watch.progress) {
        Ok(tasks) => tasks,
        Err(refusal) => return console.refuse(&refusal),
    };
    let reporting = plan.reporting;
    let (planned, marked, right, wrong) = (HashSet::new(), 0, 0, 0);
    let mut sink = Renamer { console, output, carried_out, reporting, planned, marked, right, wrong };
    let result = truesum::run(&config, &mut tasks, &watch.progress, &mut sink);
    let Renamer { console, output, marked, right, wrong, .. } = sink;
    console.display = None;
    let name = output.name();
    let result = result.map_err(|error| Error::io(&name, "write", error));
    let summary = match result.and_then(|summary| output.finish().map(|()| summary)) {
        Ok(summary) => summary,
        Err(error) => return cannot_write(&error, console),
    };
    let mut exit = if summary.failed() + wrong > 0 { Exit::Failed } else { Exit::Done };
    exit = exit.max(list_failed(&tasks, console));
    if summary.interrupted() {
        exit = exit.max(Exit::Signal(watch.signals.ended_by().unwrap_or(2)));
    } else if exit == Exit::Done && marked + right == 0 {
        console.error("no files to rename");
        exit = Exit::NotAsRequested;
    }
    if plan.reporting.notes {
        let done = if carried_out { "renamed" } else { "to be renamed" };
        let mut text = format!("truesum: {} {done}", count(marked, "file", "files"));
        if right > 0 {
            text += &format!("; {right} already named correctly");
        }
        if wrong > 0 {
            text += &format!("; {wrong} failed");
        }
        text += &format!("; {} read", size(summary.bytes()));
        if summary.interrupted() {
            text += "; interrupted";
        }
        console.line(&text);
    }
    exit
}
