//! `truesum shard replan`: makes a new plan for the files of an earlier one and reuses its finished parts.

use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::options::RunArgs;
use crate::output::{begin, cannot_write, may_replace_what, print};
use crate::shard::parts_of;
use crate::shard::plan::{SizeArgs, is_plan};
use crate::stores;
use crate::values::path::output_file;
use crate::watch::Watch;
use crate::words::{count, size};
use clap::{Args, ValueHint};
use std::path::PathBuf;
use truesum::manifest::path::display_safe;
use truesum::shard::plan::{Plan, Planner};
use truesum::shard::{replan as replan_files, reuse_parts};
use truesum::{Error, Root};
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;

/// Make a new plan after files have changed, reusing the finished parts
///
/// The new plan contains the files of PLAN with their current sizes and times. Results for unchanged files are written
/// as parts of the new plan, so `shard run` reads only changed files and those that were not finished. Files created
/// since PLAN was written are not added.
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum shard replan plan.jsonl -o plan2.jsonl
  truesum shard run plan2.jsonl 0..10
  truesum shard merge plan2.jsonl -o /data/SHA256SUMS")]
pub struct ReplanArgs {
    /// Plan written by `truesum shard plan`
    #[arg(value_name = "PLAN", value_hint = ValueHint::FilePath)]
    plan: PathBuf,
    /// Folder with the parts of PLAN [default: PLAN.parts]
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    parts: Option<PathBuf>,
    /// Write the new plan to FILE, atomically, and its parts to FILE.parts
    #[arg(short, long, value_name = "FILE", required = true, value_hint = ValueHint::FilePath, value_parser = output_file())]
    output: PathBuf,
    /// Folder that names are relative to [default: the folder in the plan]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    root: Option<PathBuf>,
    #[command(flatten)]
    sizes: SizeArgs,
    /// Write the result even if some files could not be read (they are left out)
    #[arg(long)]
    partial: bool,
    #[command(flatten)]
    run: RunArgs,
    /// Print less: no progress, no notes
    #[arg(short, long, help_heading = "Running")]
    quiet: bool,
}

pub fn replan(args: &ReplanArgs, console: &mut Console) -> Exit {
    match replanned(args, console) {
        Ok(exit) => exit,
        Err(error) => {
            console.display = None;
            cannot_write(&error, console)
        }
    }
}

fn replanned(args: &ReplanArgs, console: &mut Console) -> Result<Exit, Error> {
    let reporting = args.run.reporting(args.quiet);
    let old = Plan::open(&args.plan)?;
    let shown = display_safe(args.output.as_os_str().as_bytes());
    if stores::is_url(old.root().as_os_str()) {
        let refusal = Refusal::with_hint(
            "replan: not available for plans of objects in an object store",
            "write a new plan with `truesum shard plan`",
        );
        return Ok(console.refuse(&refusal));
    }
    let id = |path: &PathBuf| Metadata::at(path).ok().map(|found| found.id());
    if id(&args.output).is_some_and(|output| Some(output) == id(&args.plan)) {
        let refusal = Refusal::new(format!("-o: {shown} is the plan, whose parts are still needed"));
        return Ok(console.refuse(&refusal));
    }
    may_replace_what(&args.output, "not a plan", &|head| is_plan(head.text()))?;
    let output = begin(&args.output)?;
    let parts = args.parts.clone().unwrap_or_else(|| parts_of(&args.plan));
    let folder = parts_of(&args.output);
    let root = Root::folder(args.root.as_deref().unwrap_or(old.root()), true)?;
    let watch = Watch::start(reporting.line, None, console);
    let fail = |error| Error::io(args.output.as_os_str().as_bytes(), "write", error);
    let recorded = old.root().as_os_str().as_bytes();
    let mut planner = Planner::new(output, recorded, old.specs(), args.sizes.sizes()).map_err(fail)?;
    let replanned =
        replan_files(&old, &parts, &root, &mut planner, &args.output, &watch.progress, &mut |error| {
            console.failure(error);
        })?;
    console.display = None;
    if replanned.interrupted() {
        console.error(&format!("interrupted: {shown} was not written"));
        return Ok(Exit::Signal(watch.signals.ended_by().unwrap_or(2)));
    }
    let lacking = count(replanned.failed(), "file", "files");
    if replanned.failed() > 0 && !args.partial {
        console.error(&format!("{shown}: not written: {lacking} would be missing from it"));
        console.hint("to write an incomplete plan, use --partial");
        return Ok(Exit::Failed);
    }
    if planner.totals().files() == 0 {
        let refusal = Refusal::new(format!("{shown}: not written: there are no files for the plan"));
        return Ok(console.refuse(&refusal));
    }
    let (file, totals) = planner.finish().map_err(fail)?;
    let copy = file.file().try_clone().map_err(fail)?;
    let new = Plan::of(copy, &args.output)?;
    let done = replanned.done();
    let reused = (0..done.len()).filter(|bundle| done[*bundle]);
    let (bundles, bytes) =
        reused.fold((0, 0), |(bundles, bytes), bundle| (bundles + 1, bytes + new.bytes_of(bundle)));
    if bundles > 0 {
        let fail = |error| Error::io(folder.as_os_str().as_bytes(), "create", error);
        std::fs::create_dir_all(&folder).map_err(fail)?;
        reuse_parts(&old, &parts, &new, &folder, done)?;
    }
    file.commit()?;
    if reporting.notes {
        console.line(&format!(
            "truesum: {}, {}, {}, written to {shown}; {} ({}) reused, {} changed",
            count(totals.bundles(), "bundle", "bundles"),
            count(totals.files(), "file", "files"),
            size(totals.bytes()),
            count(bundles, "bundle", "bundles"),
            size(bytes),
            count(replanned.changed(), "file", "files"),
        ));
    }
    if replanned.failed() > 0 {
        let are = if replanned.failed() == 1 { "is" } else { "are" };
        console.error(&format!("{lacking} {are} missing from {shown}"));
    }
    let exit = if replanned.failed() > 0 { Exit::Failed } else { Exit::Done };
    Ok(exit.max(print(&format!("{}\n", totals.bundles()), console)))
}
