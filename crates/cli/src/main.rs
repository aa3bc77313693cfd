//! The program `truesum`: arguments to a plan, the plan to a run, the run's counts to an exit status.

mod args;
mod b3;
mod bench;
mod check;
mod config;
mod console;
mod docs;
mod entries;
mod exit;
mod gnu;
mod hash;
mod links;
mod list;
mod names;
mod output;
mod progress;
mod report;
mod signals;
mod streams;
mod tree;

use args::Command;
use std::ffi::OsString;
use std::process::ExitCode;

/// Counts what each thread allocates, so that `truesum bench` can say what a call costs; an addition for each allocation.
#[global_allocator]
static ALLOCATOR: truesum_bench::allocations::Counting = truesum_bench::allocations::Counting::SYSTEM;

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let called = words.next().unwrap_or_default();
    if let Some(personality) = gnu::personality(&called) {
        return gnu::run(&personality, words);
    }
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if std::path::Path::new(&called).file_name().is_some_and(|name| name == tree::MTSUM) {
        return tree::mtsum(arguments).into();
    }
    let cli = match args::parse(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    match cli.command {
        Command::Hash(args) => hash::run(args).into(),
        Command::Check(args) => check::run(args).into(),
        Command::Bench(args) => bench::run(&args).into(),
        Command::Tree(args) => tree::run(args).into(),
        Command::List(args) => list::run(&args).into(),
        Command::Completions(args) => docs::completions(&args).into(),
        Command::Man(args) => docs::man(&args).into(),
        Command::InstallLinks(args) => links::run(&args).into(),
    }
}
