//! The program `truesum`: converts arguments to a plan, runs it, and converts the result to an exit status.
//!
//! Only the binary of this package uses this library; other programs use the crate `truesum`.

mod advice;
mod applet;
mod audit;
mod bag;
mod bench;
mod check;
mod command;
mod comparing;
mod complete;
mod config;
mod console;
mod convert;
mod defect;
mod diff;
mod digests;
mod directory;
mod docs;
mod drawing;
mod duplicates;
mod earlier;
mod embed;
mod ending;
mod exit;
mod find;
mod findings;
mod formats;
mod hash;
mod identify;
mod key;
mod links;
mod list;
mod locate;
mod members;
mod memory;
mod notices;
mod objects;
mod options;
mod origin;
mod output;
mod parity;
mod progress;
mod scrub;
mod selection;
mod settings;
mod shard;
mod sign;
mod sources;
mod startup;
mod stores;
mod tasks;
mod terminal;
mod text;
mod topics;
mod torrent;
mod tree;
mod update;
mod values;
mod version;
mod watch;
mod words;

use applet::Call;
use command::Command;
use console::Console;
use exit::{Exit, Refusal};
use std::ffi::OsString;
use std::process::ExitCode;
use truesum::hash::kernel::{check_forced, limit};
use values::color::Color;

/// Runs the program with the arguments of this process and returns its exit status.
pub fn main() -> ExitCode {
    memory::on_enough_stack(program)
}

fn program() -> ExitCode {
    let mut words = std::env::args_os();
    let called = words.next().unwrap_or_default();
    let applet = applet::called(&called);
    if let Some(applet) = applet {
        memory::set_applet_name(applet.name);
    }
    memory::prepare();
    defect::prepare();
    let arguments: Vec<OsString> = words.collect();
    if let Err(why) = limit_cpu().and_then(|()| check_forced()) {
        let refused = Console::new(Color::Auto).refuse(&Refusal::new(why));
        // The replaced programs fail with status 1, which their callers expect.
        return if applet.is_some() { ExitCode::FAILURE } else { refused.into() };
    }
    if let Some(applet) = applet {
        return (applet.run)(Call { name: applet.name, called, arguments });
    }
    if let Some(why) = applet::foreign(&called) {
        let _ = Console::new(Color::Auto).refuse(&why);
        return ExitCode::FAILURE;
    }
    match command::parse(called, arguments) {
        Ok(command) => run(command).into(),
        Err(error) => command::report(&error).into(),
    }
}

/// Restricts the CPU features to those in the environment variable, before anything is hashed.
fn limit_cpu() -> Result<(), String> {
    let list = std::env::var_os("TRUESUM_CPU").unwrap_or_default();
    limit(&list.to_string_lossy()).map_err(|why| format!("TRUESUM_CPU={why}"))
}

fn run(command: Command) -> Exit {
    // These are used to diagnose problems, possibly with the settings.
    match command {
        Command::Complete(words) => return docs::complete(&words, command::definition()),
        Command::Topic(topic) => return topics::run(topic),
        Command::Version => return version::run(),
        _ => {}
    }
    if let Err(refusal) = settings::load() {
        return Console::new(Color::Auto).refuse(&refusal);
    }
    match command {
        Command::Hash(args) => hash::run(args),
        Command::Check(args) => check::run(args),
        Command::Audit(args) => audit::run(args),
        Command::Update(args) => update::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Scrub(args) => scrub::run(args),
        Command::Bench(args) => bench::run(&args),
        Command::Bag(args) => bag::run(args),
        Command::Torrent(args) => torrent::run(args),
        Command::Text(args) => text::run(args),
        Command::Embed(args) => embed::run(args),
        Command::Tree(args) => tree::run(args),
        Command::Shard(args) => shard::run(args),
        Command::Directory(args) => directory::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Sign(args) => sign::run(&args),
        Command::Identify(args) => identify::run(args),
        Command::Find(args) => find::run(args),
        Command::Duplicates(args) => duplicates::run(args),
        Command::List(args) => list::run(&args),
        Command::Config(args) => config::run(&args),
        Command::Completions(args) => docs::completions(&args),
        Command::Man(args) => docs::man(&args, command::definition()),
        Command::InstallLinks(args) => links::run(&args),
        Command::Complete(_) | Command::Topic(_) | Command::Version => {
            unreachable!("these were handled above")
        }
    }
}
