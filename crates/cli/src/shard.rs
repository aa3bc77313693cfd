//! `truesum shard`: divides work between machines with files (`docs/scale.md`): a plan, a part for
//! each bundle of the plan, and the merged manifest.

mod merge;
mod plan;
mod replan;
mod run;
mod workers;

use crate::console::Console;
use crate::exit::Exit;
use crate::values::color::Color;
use clap::{Args, Subcommand};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Distribute hashing across machines: plan, run, merge
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum shard plan -o plan.jsonl --root /data /data  write a plan
  truesum shard run plan.jsonl 0                       hash one bundle
  truesum shard merge plan.jsonl -o /data/SHA256SUMS   merge all parts
The manifest is identical to the output of `truesum hash --root /data /data`; if anything is missing, no manifest is written.")]
pub struct ShardArgs {
    #[command(subcommand)]
    command: ShardCommand,
}

#[derive(Subcommand)]
enum ShardCommand {
    Plan(plan::PlanArgs),
    Replan(replan::ReplanArgs),
    Run(run::RunShardArgs),
    Merge(merge::MergeArgs),
}

/// Runs the command.
pub fn run(args: ShardArgs) -> Exit {
    let mut console = Console::new(Color::Auto);
    match args.command {
        ShardCommand::Plan(args) => plan::plan(args, &mut console),
        ShardCommand::Replan(args) => replan::replan(&args, &mut console),
        ShardCommand::Run(args) => run::compute(&args, &mut console),
        ShardCommand::Merge(args) => merge::merge(&args, &mut console),
    }
}

/// Returns the default folder for the parts of a plan.
fn parts_of(plan: &Path) -> PathBuf {
    let mut name = OsString::from(plan);
    name.push(".parts");
    name.into()
}
