//! `truesum shard run`: computes the parts of bundles, on any machine that has the plan and the
//! files.

use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::options::RunArgs;
use crate::shard::parts_of;
use crate::shard::workers::Place;
use crate::stores;
use crate::watch::Watch;
use crate::words::{count, size};
use clap::{Args, ValueHint};
use std::ops::Range;
use std::path::PathBuf;
use truesum::manifest::path::display_safe;
use truesum::shard::part::{ComputeOptions, PartStatus, compute as compute_part};
use truesum::shard::plan::Plan;
use truesum::{Cause, Error, Kind, Mapping};
use truesum_fs::name::OsStrExt;

/// Hash bundles of a plan, and write a part file for each one atomically
///
/// A bundle whose part file exists and contains no failures is not hashed again.
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum shard run plan.jsonl 0 1 2
  truesum shard run plan.jsonl --index-from-env  hash this array task's bundles
  seq 0 6 | xargs -P 4 -n 1 truesum shard run -q plan.jsonl

Exit status: 0 every file has a digest, 1 some files have none, 2 invalid request, 4 temporary error: a retry may succeed.")]
pub struct RunShardArgs {
    /// Plan written by `truesum shard plan`
    #[arg(value_name = "PLAN", value_hint = ValueHint::FilePath)]
    plan: PathBuf,
    /// Bundles to hash: numbers from 0, or ranges A..B, which do not include B
    #[arg(value_name = "BUNDLE", value_parser = bundles)]
    bundles: Vec<Range<usize>>,
    /// Take the number of this worker from the environment variable NAME
    ///
    /// The default is the variable of the scheduler or MPI: SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX,
    /// AWS_BATCH_JOB_ARRAY_INDEX, SGE_TASK_ID, PBS_ARRAY_INDEX, PBS_ARRAYID, LSB_JOBINDEX,
    /// OMPI_COMM_WORLD_RANK, PMI_RANK or SLURM_PROCID. Arrays may be numbered from 0 or from 1.
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    #[arg(conflicts_with = "bundles")]
    index_from_env: Option<String>,
    /// Run as one of N workers: also hash every N-th bundle after the given one
    ///
    /// The default is the number of bundles. With --index-from-env, the default is the number of processes started by
    /// MPI or srun, or the size of the job array that first ran this plan, if it is known.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    of: Option<u64>,
    /// Folder for the parts, created if missing [default: PLAN.parts]
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: Option<PathBuf>,
    /// Folder that names are relative to [default: the folder in the plan]
    ///
    /// In builds with object store support, DIR can be s3://BUCKET/PREFIX.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    root: Option<PathBuf>,
    /// Allow names and links that lead outside the folder
    #[arg(long)]
    allow_outside: bool,
    /// Hash bundles again even if their parts exist, and compare the results
    #[arg(long)]
    again: bool,
    #[command(flatten)]
    run: RunArgs,
    /// Print less: no progress, no notes
    #[arg(short, long, help_heading = "Running")]
    quiet: bool,
}

/// Parses a bundle number `3` or a range `3..7`.
fn bundles(text: &str) -> Result<Range<usize>, String> {
    let number = |text: &str| text.parse::<usize>().map_err(|_| format!("'{text}' is not a bundle number"));
    let (start, end) = match text.split_once("..") {
        Some((start, end)) => (number(start)?, number(end)?),
        None => (number(text)?, number(text)?.saturating_add(1)),
    };
    if start < end { Ok(start..end) } else { Err("the range is empty or ends before it begins".to_owned()) }
}

pub fn compute(args: &RunShardArgs, console: &mut Console) -> Exit {
    let reporting = args.run.reporting(args.quiet);
    let plan = match Plan::open(&args.plan) {
        Ok(plan) => plan,
        Err(error) => {
            console.failure(&error);
            return if error.is_transient() { Exit::TryAgain } else { Exit::NotAsRequested };
        }
    };
    let folder = args.output.clone().unwrap_or_else(|| parts_of(&args.plan));
    if let Err(error) = std::fs::create_dir_all(&folder) {
        console.failure(&Error::io(folder.as_os_str().as_bytes(), "create", error));
        return Exit::TryAgain;
    }
    let wanted = match &args.index_from_env {
        Some(name) => Place::from_env(name)
            .and_then(|place| place.bundles(args.of, &plan, &folder, console, reporting.notes)),
        None => wanted(args, &plan),
    };
    let wanted = match wanted {
        Ok(wanted) => wanted,
        Err(refusal) => return console.refuse(&refusal),
    };
    let root = args.root.as_deref().unwrap_or(plan.root()).as_os_str();
    let remote = match stores::is_url(root).then(|| stores::open(root)).transpose() {
        Ok(remote) => remote,
        Err(refusal) => return console.refuse(&refusal),
    };
    let watch = Watch::start(reporting.line, None, console);
    let mut exit = Exit::Done;
    // If any of the bundles may succeed, the run is worth repeating.
    let mut again = false;
    for bundle in wanted {
        let computing = ComputeOptions::new(&watch.progress)
            .root(args.root.as_deref())
            .outside(args.allow_outside)
            .remote(remote.as_ref())
            .threads(reporting.threads)
            .mapping(Mapping::Guarded)
            .again(args.again);
        let done = compute_part(&plan, bundle, &folder, &computing, &mut |error| console.failure(error));
        let done = match done {
            Ok(done) => done,
            Err(error) if error.kind() == Kind::Interrupted => {
                console.display = None;
                console.error(&format!("interrupted: no part was written for bundle {bundle}"));
                return Exit::Signal(watch.signals.ended_by().unwrap_or(2));
            }
            Err(error) => {
                console.failure(&error);
                // A system error on one machine may not occur on another.
                again |= matches!(error.cause(), Cause::Io(_));
                exit = exit.max(Exit::NotAsRequested);
                continue;
            }
        };
        if let PartStatus::Contradicts(beside) = &done.status() {
            let beside = display_safe(beside.as_os_str().as_bytes());
            console
                .error(&format!("bundle {bundle}: the result contradicts the existing part (see {beside})"));
            console
                .hint("one of the two reads was wrong: hash the bundle again on machines known to be good");
            exit = exit.max(Exit::Failed);
        }
        // Fail only if the user explicitly requested a comparison.
        if args.again && matches!(done.status(), PartStatus::Kept(_)) {
            exit = exit.max(Exit::Failed);
        }
        let counts = done.counts();
        again |= counts.again() > 0;
        exit = exit.max(if counts.failed() > 0 { Exit::Failed } else { Exit::Done });
        if reporting.notes {
            let files = count(counts.lines() - counts.failed(), "file or range", "files or ranges");
            let failed =
                if counts.failed() > 0 { format!("; {} FAILED", counts.failed()) } else { String::new() };
            let there = match done.status() {
                PartStatus::Identical => "; the part already exists".to_owned(),
                PartStatus::Kept(failed) => {
                    let failed = count(*failed, "file or range", "files or ranges");
                    format!("; the part already exists, but {failed} could not be compared")
                }
                PartStatus::Written | PartStatus::Contradicts(_) => String::new(),
            };
            console
                .line(&format!("truesum: bundle {bundle}: {files}, {}{failed}{there}", size(counts.bytes())));
        }
    }
    console.display = None;
    if again { Exit::TryAgain } else { exit }
}

/// Returns the bundles requested by number.
fn wanted(args: &RunShardArgs, plan: &Plan) -> Result<Vec<usize>, Refusal> {
    let all = plan.totals().bundles() as usize;
    let mut first: Vec<usize> = args.bundles.iter().cloned().flatten().take(all + 1).collect();
    if first.is_empty() {
        let text = "no bundle given";
        return Err(Refusal::with_hint(
            text,
            "specify bundle numbers (0..N for all), or --index-from-env in an array job",
        ));
    }
    let Some(of) = args.of.map(|of| of as usize) else {
        return match first.iter().find(|bundle| **bundle >= all) {
            Some(bundle) => Err(Refusal::new(format!(
                "no bundle {bundle}: bundles are numbered from 0, and the plan has {}",
                count(all as u64, "bundle", "bundles")
            ))),
            None => Ok(first),
        };
    };
    if let Some(worker) = first.iter().find(|worker| **worker >= of) {
        return Err(Refusal::new(format!(
            "--of {of}: there is no worker {worker}; workers are numbered from 0 to {}",
            of - 1
        )));
    }
    first.sort_unstable();
    first.dedup();
    // There may be more workers than bundles; the remaining workers have nothing to do.
    Ok(first.into_iter().flat_map(|worker| (worker..all).step_by(of)).collect())
}
