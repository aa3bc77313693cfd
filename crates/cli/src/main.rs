//! The program `truesum`: arguments to a plan, the plan to a run, the run's counts to an exit status.

mod args;
mod bench;
mod check;
mod config;
mod console;
mod docs;
mod exit;
mod hash;
mod links;
mod list;
mod names;
mod output;
mod progress;
mod report;
mod signals;
mod tree;

use args::Command;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let called_as = arguments.first().map(std::path::Path::new).and_then(std::path::Path::file_name);
    if called_as.is_some_and(|name| name == "mtsum") {
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
