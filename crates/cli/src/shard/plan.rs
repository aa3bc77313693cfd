//! `truesum shard plan`: finds the files and divides them into bundles.

use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::notices::report;
use crate::options::RunArgs;
use crate::output::{begin, cannot_write, may_replace_what, print};
use crate::selection::SelectArgs;
use crate::stores;
use crate::tasks::{Inputs, Tasks, inputs};
use crate::values::path::{folder_of, output_file};
use crate::values::size::size;
use crate::values::table::SpecParser;
use crate::watch::Watch;
use crate::words::{self, count};
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use truesum::hash::Spec;
use truesum::manifest::path::{display_safe, within_root};
use truesum::manifest::{self, ReadError, Reader};
use truesum::shard::Sizes;
use truesum::shard::merge::repeated;
use truesum::shard::plan::{Plan, Planner};
use truesum::{AtomicFile, Cause, Error, FileId, Input, Job, Notice, Progress, Remote, Root, Special, Task};
use truesum_fs::metadata::Metadata;
use truesum_fs::name::{OsStrExt, OsStringExt};

/// Find the files and divide them into bundles for the workers
///
/// The number of bundles is printed. File contents are not read. Workers report files that changed after the plan was
/// written.
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum shard plan -o plan.jsonl --root /data /data
  find -name '*.nc' -print0 | truesum shard plan -o plan.jsonl --files0-from -
  truesum shard plan -o plan.jsonl --manifest SHA256SUMS --bundle-bytes 8GiB")]
pub struct PlanArgs {
    /// Files and folders to hash
    #[cfg_attr(feature = "stores", arg(help = "Files and folders to hash, or a single s3://BUCKET/PREFIX"))]
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,
    /// Write to FILE, atomically
    #[arg(short, long, value_name = "FILE", required = true, value_hint = ValueHint::FilePath, value_parser = output_file())]
    output: PathBuf,
    /// Digest algorithms
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',', value_parser = SpecParser)]
    #[arg(hide_possible_values = true, default_value = "sha256")]
    algorithm: Vec<Spec>,
    /// Folder that names are relative to [default: folder of --manifest, else .]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    root: Option<PathBuf>,
    /// Process the files listed in this manifest
    ///
    /// Names in the manifest are relative to its folder, or to --root.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with_all = ["files", "files_from", "files0_from"])]
    manifest: Option<PathBuf>,
    /// Recognize changed files by size,mtime or by size,mtime,ctime,inode
    ///
    /// If workers read copies of the files, for example on their own disks, use `--identity size,mtime`.
    /// A change is then not detected if the size is unchanged and the modification time was reset.
    #[arg(long, value_name = "NAME,...", value_parser = identity, default_value = IDENTITY)]
    identity: Identity,
    #[command(flatten)]
    sizes: SizeArgs,
    /// Write the result even if some files could not be read (they are left out)
    #[arg(long)]
    partial: bool,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    run: RunArgs,
    /// Print less: no progress, no notes
    #[arg(short, long, help_heading = "Running")]
    quiet: bool,
}

/// The limits of bundles.
#[derive(Args)]
pub struct SizeArgs {
    /// Bundle size; larger files are split if the algorithm permits it
    ///
    /// A file can be split if the algorithm is a tree hash, an S3 ETag or a CRC. With other algorithms, a larger
    /// file is a bundle of its own.
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "64GiB")]
    bundle_bytes: u64,
    /// Maximum number of files in a bundle
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "N", default_value_t = Sizes::default().files())]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    bundle_files: u64,
}

impl SizeArgs {
    /// Returns the limits.
    pub fn sizes(&self) -> Sizes {
        Sizes::new(self.bundle_bytes, self.bundle_files)
    }
}

/// The properties by which changed files are recognized.
#[derive(Clone, Copy, PartialEq)]
enum Identity {
    /// All properties of a file.
    File,
    /// Those that copies of a file have in common.
    Copies,
}

/// The properties of a file.
const IDENTITY: &str = "size,mtime,ctime,inode";

/// Parses a list of properties, in any order.
fn identity(text: &str) -> Result<Identity, String> {
    let sorted = |text: &str| {
        let mut names: Vec<String> = text.split(',').map(str::to_owned).collect();
        names.sort();
        names
    };
    match sorted(text) {
        names if names == sorted(IDENTITY) => Ok(Identity::File),
        names if names == sorted("size,mtime") => Ok(Identity::Copies),
        _ => Err(format!("specify size,mtime or {IDENTITY}")),
    }
}

/// Returns whether the beginning of a file is that of a plan, which a new plan may replace.
pub fn is_plan(head: &[u8]) -> bool {
    head.is_empty() || head.starts_with(b"{\"schema\":\"truesum-plan/")
}

pub fn plan(args: PlanArgs, console: &mut Console) -> Exit {
    match planned(args, console) {
        Ok(exit) => exit,
        Err(PlanError::Refusal(refusal)) => console.refuse(&refusal),
        Err(PlanError::Error(error)) => {
            console.display = None;
            cannot_write(&error, console)
        }
    }
}

/// The reason why there is no plan.
enum PlanError {
    Refusal(Refusal),
    Error(Error),
}

impl From<Refusal> for PlanError {
    fn from(refusal: Refusal) -> PlanError {
        PlanError::Refusal(refusal)
    }
}

impl From<Error> for PlanError {
    fn from(error: Error) -> PlanError {
        PlanError::Error(error)
    }
}

fn planned(args: PlanArgs, console: &mut Console) -> Result<Exit, PlanError> {
    let mut specs: Vec<Spec> = Vec::new();
    for spec in args.algorithm {
        if !specs.contains(&spec) {
            specs.push(spec);
        }
    }
    let reporting = args.run.reporting(args.quiet);
    let names = inputs(args.files, &args.select);
    let walk = args.select.walk()?;
    if walk.get_special() == Special::Read {
        return Err(Refusal::new("--special: a plan can contain only regular files").into());
    }
    if args.manifest.is_none()
        && let Inputs::Named(names) = &names
        && names.iter().any(|name| name == b"-")
    {
        let why = "no files given: workers cannot read standard input";
        return Err(Refusal::with_hint(why, "specify files and folders, --files0-from or --manifest").into());
    }
    let remote = stores::named(
        &names,
        &[
            ("--root", args.root.is_some()),
            ("--identity", args.identity == Identity::Copies),
            (
                "selection options",
                !walk.get_select().is_open() || walk.get_gitignore() || walk.get_one_file_system(),
            ),
        ],
    )?;
    let given = match (&args.root, &args.manifest) {
        (Some(root), _) => root.clone(),
        (None, Some(manifest)) => folder_of(manifest),
        (None, None) => PathBuf::from("."),
    };
    let path = given.as_os_str().as_bytes();
    let folder = match remote {
        Some(_) => PathBuf::new(),
        None => std::fs::canonicalize(&given).map_err(|error| Error::io(path, "open", error))?,
    };
    may_replace_what(&args.output, "not a plan", &|head| is_plan(head.text()))?;
    let (output, sizes) = (begin(&args.output)?, args.sizes.sizes());
    let own = own(&output);
    let watch = Watch::start(reporting.line, None, console);
    let fail = |error| Error::io(args.output.as_os_str().as_bytes(), "write", error);
    let objects = remote.map(|remote| objects(&*remote, &specs, &watch.progress));
    let root = objects.as_ref().map_or(folder.as_os_str().as_bytes(), |(root, _)| root);
    let planner = Planner::new(output, root, &specs, sizes).map_err(fail)?;
    let mut planner = planner.copies(args.identity == Identity::Copies);
    let mut met_own = false;
    let mut hear = |notice: Notice| {
        met_own |= matches!(notice, Notice::Own(_));
        report(&notice, reporting, ("not included in the plan", "not included in the plan"), console);
    };
    let mut outside = 0;
    let (planned, list_error) = match (&args.manifest, objects) {
        (_, Some((_, mut tasks))) => {
            let root = &Root::Nowhere;
            let planned =
                truesum::shard::plan(&mut tasks, root, &own, &mut planner, &watch.progress, &mut hear);
            (planned.map_err(fail)?, None)
        }
        (Some(manifest), None) => {
            let mut tasks = ManifestFiles::open(manifest, &watch.progress)?;
            let root = Root::folder(&folder, false)?;
            let planned =
                truesum::shard::plan(&mut tasks, &root, &own, &mut planner, &watch.progress, &mut hear);
            (planned.map_err(fail)?, None)
        }
        (None, None) => {
            let root = Some(folder.clone());
            let mut tasks =
                Tasks::new(&names, walk, root, specs.clone().into(), reporting.threads, &watch.progress)?;
            let root = &Root::Anywhere;
            let planned =
                truesum::shard::plan(&mut tasks, root, &own, &mut planner, &watch.progress, &mut hear);
            outside = tasks.naming.as_ref().map_or(0, |naming| naming.outside);
            (planned.map_err(fail)?, tasks.list_error())
        }
    };
    console.display = None;
    let output = display_safe(args.output.as_os_str().as_bytes());
    if planned.interrupted() {
        console.error(&format!("interrupted: {output} was not written"));
        return Ok(Exit::Signal(watch.signals.ended_by().unwrap_or(2)));
    }
    if let Some(error) = list_error {
        return Err(error.into());
    }
    let lacking = count(planned.failed(), "file or folder", "files or folders");
    if let (true, Some(manifest)) = (met_own, &args.manifest) {
        let manifest = display_safe(manifest.as_os_str().as_bytes());
        let text = format!("{output}: not written: it is listed in {manifest}");
        return Err(Refusal::with_hint(
            text,
            "use another name for the plan, or remove that line from the manifest",
        )
        .into());
    }
    if planned.failed() > 0 && !args.partial {
        console.error(&format!("{output}: not written: {lacking} would be missing from it"));
        console.hint("to write an incomplete plan, use --partial");
        return Ok(Exit::Failed);
    }
    if planner.totals().files() == 0 {
        return Err(Refusal::new(format!("{output}: not written: there are no files for the plan")).into());
    }
    let may_repeat = planner.may_repeat();
    let (file, totals) = planner.finish().map_err(fail)?;
    if may_repeat {
        let copy = file.file().try_clone().map_err(fail)?;
        if let Some(name) = repeated(&Plan::of(copy, &args.output)?)? {
            let text = format!("{output}: not written: {} occurs twice", display_safe(&name));
            return Err(Refusal::with_hint(text, "specify folders that do not overlap").into());
        }
    }
    file.commit()?;
    if reporting.notes {
        let bundles = count(totals.bundles(), "bundle", "bundles");
        let files = count(totals.files(), "file", "files");
        console.line(&format!(
            "truesum: {bundles}, {files}, {}, written to {output}",
            words::size(totals.bytes())
        ));
        if outside > 0 {
            let names = count(outside, "name leads", "names lead");
            let folder = display_safe(folder.as_os_str().as_bytes());
            console.note(&format!(
                "{names} outside {folder}; shard run and shard merge reject such names without --allow-outside"
            ));
            console.hint("to make names relative to another folder, use --root DIR");
        }
    }
    if planned.failed() > 0 {
        let are = if planned.failed() == 1 { "is" } else { "are" };
        console.error(&format!("{lacking} {are} missing from {output}"));
    }
    let exit = if planned.failed() > 0 { Exit::Failed } else { Exit::Done };
    Ok(exit.max(print(&format!("{}\n", totals.bundles()), console)))
}

/// Returns the objects of a store, and the URL to which their names are relative. For a single
/// object, this is the URL of its folder.
fn objects(
    remote: &dyn Remote,
    specs: &[Spec],
    progress: &Progress,
) -> (Vec<u8>, impl Iterator<Item = Task> + use<>) {
    let (url, specs) = (remote.name().into_bytes(), specs.into());
    let mut list = remote.list(&specs, progress);
    let (mut begun, mut root) = (Vec::new(), url.clone());
    for task in list.by_ref() {
        let key = match &task {
            Task::File(job) => Some(&job.path()[..job.path().len() - job.name().len()]),
            Task::Notice(_) => None,
        };
        if let Some(folder) = key {
            let bucket = url.split_inclusive(|&byte| byte == b'/').take(3);
            root = bucket.flatten().chain(folder).copied().collect();
        }
        begun.push(task);
        if root != url || matches!(begun.last(), Some(Task::File(_))) {
            break;
        }
    }
    (root, begun.into_iter().chain(list))
}

/// Returns the plan itself and the one that it replaces, which must not be hashed.
fn own(output: &AtomicFile) -> Vec<FileId> {
    let new = Metadata::of(output.file());
    let old = Metadata::at(output.target());
    [new, old].into_iter().flatten().map(|stat| stat.id()).collect()
}

/// The files in a manifest.
struct ManifestFiles {
    path: PathBuf,
    lines: Reader<Input>,
    last: Vec<u8>,
}

impl ManifestFiles {
    fn open(path: &Path, progress: &Progress) -> Result<ManifestFiles, Error> {
        let name = path.as_os_str().as_bytes();
        let file =
            Input::open(path, progress.stop_signal()).map_err(|error| Error::io(name, "open", error))?;
        let options = manifest::Options::for_name(path.file_name().unwrap_or_default().as_bytes())
            .allow_undigested(true)
            .allow_pieces(true)
            .allow_keyless(true);
        Ok(ManifestFiles { path: path.to_owned(), lines: Reader::new(file, options), last: Vec::new() })
    }
}

impl Iterator for ManifestFiles {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        let of_manifest = |cause| {
            let error = Error::new(self.path.as_os_str().as_bytes(), "read", cause);
            Some(Task::Notice(Notice::Failed(error)))
        };
        loop {
            let name = match self.lines.next()? {
                Ok(line) => line.entry.path,
                Err(ReadError::Io(error)) if Input::is_interruption(&error) => return None,
                Err(ReadError::Io(error)) => return of_manifest(Cause::Io(error)),
                Err(ReadError::Line(error)) => return of_manifest(Cause::Other(error.to_string())),
            };
            if name == self.last {
                // Some formats have one line for each digest of a file.
                continue;
            }
            self.last.clone_from(&name);
            if let Err(fault) = within_root(&name) {
                let error = Error::new(&name, "plan", Cause::Other(fault.to_string()));
                return Some(Task::Notice(Notice::Failed(error)));
            }
            let open = Some(name.clone());
            let job = Job::hash(OsString::from_vec(name), &std::sync::Arc::from([]));
            return Some(Task::File(job.with_open(open)));
        }
    }
}
