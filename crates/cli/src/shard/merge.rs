//! `truesum shard merge`: merges all parts into one manifest, or reports what is missing.

use crate::console::Console;
use crate::earlier::EarlierManifest;
use crate::exit::{Exit, Refusal};
use crate::formats::readable_format;
use crate::options::RunArgs;
use crate::output::{Output, cannot_write, id, not_replaced};
use crate::shard::parts_of;
use crate::stores;
use crate::values::path::output_file;
use crate::values::table::FormatParser;
use crate::watch::Watch;
use crate::words::{count, size};
use clap::{Args, ValueHint};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use truesum::hash::Spec;
use truesum::manifest::path::{display_safe, within_root};
use truesum::manifest::{self, Entry, Format, Heading, Spelling, WriteError, Writer};
use truesum::shard::merge::{Fault, merge as merge_parts};
use truesum::shard::plan::Plan;
use truesum::verify::place::folder_of_names;
use truesum::{Cause, Error};
use truesum_fs::metadata::Metadata;
use truesum_fs::name::{OsStrExt, entry_name};

/// Check all parts against the plan and merge them into one manifest
///
/// The manifest is identical to one written by a single `truesum hash -o FILE`: names are relative to the folder of
/// FILE. Every planned file and range must be present exactly once; otherwise, nothing is written. Parts that are
/// missing, repeated, contradictory, damaged or from another plan are reported.
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum shard merge plan.jsonl -o /data/SHA256SUMS
  truesum shard merge plan.jsonl parts extra -t mtree -o data.mtree

Exit status: 0 the manifest is complete, 1 it is not, 2 usage, input or output error.")]
pub struct MergeArgs {
    /// Plan written by `truesum shard plan`
    #[arg(value_name = "PLAN", value_hint = ValueHint::FilePath)]
    plan: PathBuf,
    /// Parts, or folders with parts (*.jsonl) [default: PLAN.parts]
    #[arg(value_name = "PART", value_hint = ValueHint::AnyPath)]
    parts: Vec<PathBuf>,
    /// Write to FILE, atomically
    #[arg(short, long, value_name = "FILE", required = true, value_hint = ValueHint::FilePath, value_parser = output_file())]
    output: PathBuf,
    /// Write lines that name the algorithm: SHA256 (NAME) = ...
    #[arg(long, conflicts_with_all = ["json", "format"])]
    tag: bool,
    /// Print JSON: one object per line
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Format of the manifest [default: gnu]
    ///
    /// `truesum list formats` shows the available formats.
    #[arg(short = 't', long, value_name = "NAME", value_parser = FormatParser, hide_possible_values = true)]
    format: Option<&'static Format>,
    /// Write the result even if some files could not be read (they are left out)
    #[arg(long)]
    partial: bool,
    /// Replace FILE even if it is not a manifest, or if files it lists are now corrupt
    #[arg(long)]
    overwrite: bool,
    /// Keep the names as they are in the plan, relative to the folder recorded in it
    #[arg(long)]
    keep_names: bool,
    /// Allow names and links that lead outside the folder
    #[arg(long)]
    allow_outside: bool,
    #[command(flatten)]
    run: RunArgs,
    /// Print less: no progress, no notes
    #[arg(short, long, help_heading = "Running")]
    quiet: bool,
}

pub fn merge(args: &MergeArgs, console: &mut Console) -> Exit {
    match merged(args, console) {
        Ok(exit) => exit,
        Err(error) => {
            console.display = None;
            cannot_write(&error, console)
        }
    }
}

/// Returns which input of the merge the output file is, if it is one.
fn taken(output: &Path, plan: &Path, parts: &[PathBuf]) -> Option<&'static str> {
    let identity = |path: &Path| Metadata::at(path).ok().map(|found| found.id());
    let output = identity(output)?;
    match identity(plan) == Some(output) {
        true => Some("the plan"),
        false => parts.iter().any(|part| identity(part) == Some(output)).then_some("a part"),
    }
}

/// Returns the name of a file in a plan of this root, after resolving links. Returns `None` if the
/// file is outside the root.
fn name_below(file: &Path, root: &Path) -> Option<Vec<u8>> {
    let file = file.canonicalize().or_else(|_| {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok::<_, std::io::Error>(folder.canonicalize()?.join(file.file_name().unwrap_or_default()))
    });
    let below = file.ok()?.strip_prefix(root.canonicalize().ok()?).ok()?.to_owned();
    Some(entry_name(below))
}

/// Returns the path of a folder with links resolved, or unchanged if the folder does not exist on
/// this machine.
fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

fn merged(args: &MergeArgs, console: &mut Console) -> Result<Exit, Error> {
    let reporting = args.run.reporting(args.quiet);
    let plan = Plan::open(&args.plan)?;
    let format = match format(args, plan.specs()) {
        Ok(format) => format,
        Err(refusal) => return Ok(console.refuse(&refusal)),
    };
    let parts = match &args.parts[..] {
        [] => listed(&parts_of(&args.plan))?,
        given => {
            let mut parts = Vec::new();
            for path in given {
                match path.is_dir() {
                    true => parts.extend(listed(path)?),
                    false => parts.push(path.clone()),
                }
            }
            parts
        }
    };
    if let Some(what) = taken(&args.output, &args.plan, &parts) {
        let shown = display_safe(args.output.as_os_str().as_bytes());
        return Ok(
            console.refuse(&Refusal::new(format!("-o: {shown} is {what}, which must not be overwritten")))
        );
    }
    let own_name = name_below(&args.output, plan.root());
    let (own, is_store) = (id(&args.output), stores::is_url(plan.root().as_os_str()));
    let mut listed_itself = false;
    let folder = (!is_store && !args.keep_names).then(|| real(&folder_of_names(&args.output)));
    let root = real(plan.root());
    let opened = Output::file(&args.output).map_err(Refusal::from).and_then(|output| {
        let earlier = match args.overwrite {
            true => None,
            false => {
                let names = folder.as_deref().or_else(|| (!is_store).then_some(&root));
                let specs = plan.specs().into();
                let earlier = EarlierManifest::read(
                    &args.output,
                    names,
                    std::slice::from_ref(&root),
                    Some(&specs),
                    None,
                );
                earlier.map_err(|why| not_replaced(&args.output, &why))?
            }
        };
        Ok((output, earlier))
    });
    let (output, mut earlier) = match opened {
        Ok(opened) => opened,
        Err(refusal) => return Ok(console.refuse(&refusal)),
    };
    let name = args.output.as_os_str().as_bytes();
    let heading = Heading::default().specs(plan.specs().to_vec());
    let mut writer = Writer::new(Into(output), format, &heading);
    let watch = Watch::start(reporting.line, None, console);
    let mut unholdable = 0u64;
    let mut refused: Vec<(Vec<u8>, String)> = Vec::new();
    let mut far = 0;
    let mut each = |mut entry: Entry| {
        let outside = !is_store && within_root(&entry.path).is_err();
        let is_own = || own.is_some() && id(&plan.root().join(OsStr::from_bytes(&entry.path))) == own;
        listed_itself |= own_name.as_ref() == Some(&entry.path) || outside && is_own();
        if let Some(folder) = &folder {
            let path = root.join(OsStr::from_bytes(&entry.path));
            let name = path.strip_prefix(folder).unwrap_or(&path);
            entry.path = name.as_os_str().as_bytes().to_vec();
        }
        far += u64::from(!is_store && within_root(&entry.path).is_err());
        earlier.iter_mut().for_each(|earlier| earlier.compare(&entry));
        match writer.write(&entry) {
            Ok(()) => Ok(()),
            Err(WriteError::Io(error)) => Err(Error::io(name, "write", error)),
            Err(WriteError::Refused(why)) => {
                unholdable += 1;
                // This many names are sufficient to recognize the cause.
                if refused.len() < 100 {
                    refused.push((entry.path, why.to_string()));
                }
                Ok(())
            }
        }
    };
    let merged = merge_parts(&plan, &parts, &watch.progress, &mut each, &mut |fault| {
        console.error(&fault.to_string());
        if let Fault::Foreign(..) = fault {
            console.hint(
                "remove the parts of other plans, and use a separate folder for the parts of each plan",
            );
        }
    })?;
    console.display = None;
    for (name, why) in refused {
        console.error_of(&name, &format!("cannot be written: {why}"));
    }
    let shown = display_safe(name);
    if merged.interrupted() {
        console.error(&format!("interrupted: {shown} was not written"));
        return Ok(Exit::Signal(watch.signals.ended_by().unwrap_or(2)));
    }
    if listed_itself {
        console
            .error(&format!("{shown}: not written: it is one of the planned files and would be overwritten"));
        console.hint("use another name for the manifest, or exclude this file from the plan with --exclude");
        return Ok(Exit::NotAsRequested);
    }
    if far > 0 && !args.allow_outside {
        let names = count(far, "file is", "files are");
        let base = folder.as_deref().unwrap_or(&root);
        let base = display_safe(base.as_os_str().as_bytes());
        console.error(&format!(
            "{shown}: not written: {names} outside {base}, and truesum check would reject their names"
        ));
        console.hint(match folder {
            Some(_) => "to keep names relative to the folder recorded in the plan, use --keep-names; to write absolute paths, use --allow-outside",
            None => "to write absolute paths, use --allow-outside",
        });
        return Ok(Exit::NotAsRequested);
    }
    let lacking = merged.failed() + unholdable;
    // If the format can store none of the files, `--partial` would not help.
    let some_held = unholdable == 0 || unholdable < merged.files();
    if merged.faults() > 0 || lacking > 0 && !(args.partial && some_held) {
        let are = if merged.faults() == 1 { "is" } else { "are" };
        let faults = format!("there {are} {} in the parts", count(merged.faults(), "error", "errors"));
        let files = count(lacking, "file", "files") + " would be missing from it";
        let why = match (merged.faults(), lacking) {
            (_, 0) => faults,
            (0, _) => files,
            _ => format!("{faults}, and {files}"),
        };
        console.error(&format!("{shown}: not written: {why}"));
        if merged.faults() == 0 {
            console.hint(match some_held {
                true => "to write an incomplete manifest, use --partial",
                false => "to store all entries, use --json",
            });
        }
        return Ok(Exit::Failed);
    }
    if let Some(refusal) = earlier.as_ref().and_then(|earlier| earlier.refusal(&args.output, Some(format))) {
        return Ok(console.refuse(&refusal));
    }
    let written = writer.finish().map_err(|error| match error {
        WriteError::Io(error) => Error::io(name, "write", error),
        WriteError::Refused(why) => Error::new(name, "write", Cause::Other(why.to_string())),
    })?;
    let notes = earlier.filter(|_| reporting.notes).map(|earlier| earlier.notes(&args.output, Some(format)));
    written.0.finish()?;
    if reporting.notes {
        let parts = count(plan.totals().bundles(), "part", "parts");
        let files = count(merged.files() - unholdable, "file", "files");
        console.line(&format!("truesum: {files}, {}, from {parts}, listed in {shown}", size(merged.bytes())));
    }
    notes.into_iter().flatten().for_each(|note| console.note(&note));
    if lacking > 0 {
        console.error(&format!("{} missing from {shown}", count(lacking, "file is", "files are")));
        return Ok(Exit::Failed);
    }
    Ok(Exit::Done)
}

/// Returns the format of the manifest.
fn format(args: &MergeArgs, specs: &[Spec]) -> Result<&'static Format, Refusal> {
    let usual = match (args.json, args.tag) {
        (true, _) => "jsonl",
        (_, true) => "bsd",
        _ => "gnu",
    };
    let format =
        args.format.or_else(|| manifest::format(usual)).expect("the table contains the formats named here");
    if format.capabilities().pieces().is_some() {
        return Err(Refusal::new(format!(
            "-t {}: not available for shard merge, because pieces span files",
            format.name()
        )));
    }
    readable_format(Some(&args.output), format, args.format.is_some(), specs, Spelling::default())
}

/// Returns the parts in a folder, sorted by name.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let fail = |error| Error::io(folder.as_os_str().as_bytes(), "list", error);
    let mut parts = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            parts.push(path);
        }
    }
    parts.sort();
    Ok(parts)
}

/// A `Write` implementation that writes to an output.
struct Into(Output);

impl std::io::Write for Into {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.pause()
    }
}
