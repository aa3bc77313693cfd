//! `truesum update`: updates a manifest to match its folder, as far as requested.

pub mod arguments;
mod plan;
mod telling;

use crate::comparing;
use crate::console::Console;
use crate::exit::Exit;
use crate::output::{Output, cannot_write, refuse_own_stream};
use crate::watch::Watch;
use arguments::UpdateArgs;
pub use plan::consent;
use plan::{Updating, plan};
use std::time::Instant;
use telling::Telling;
use truesum::Error;
use truesum::update::Update;

/// Runs the command.
pub fn run(args: UpdateArgs) -> Exit {
    let mut console = Console::new(args.run.color);
    match plan(args) {
        Ok(plan) => execute(plan, console),
        Err(refusal) => console.refuse(&refusal),
    }
}

fn execute(plan: Updating, mut console: Console) -> Exit {
    if let Err(error) = refuse_own_stream(&plan.manifest) {
        console.failure(&error);
        return Exit::NotAsAsked;
    }
    plan.notes.iter().filter(|_| plan.tell.notes).for_each(|note| console.note(note));
    let output = Output::stdout();
    let mut options = plan.options.clone();
    options.audit.check.own = output.own();
    let watch = Watch::start(plan.tell.line, None, &mut console);
    let began = Instant::now();
    let mut update = Update::new(&options, &watch.progress);
    let mut telling = Telling::new(&plan, console, output);
    let told = update.run(&plan.manifest, &mut |event| telling.event(&event));
    let report = update.report();
    let mut exit = comparing::exit(report.equality(), &watch);
    let told = told.and_then(|()| telling.summary(report, began.elapsed(), exit));
    let (mut console, output, shift) = telling.parts();
    let name = output.name();
    let finished = told.map_err(|error| Error::io(&name, "write", error)).and_then(|()| output.finish());
    console.display = None;
    if let Err(error) = finished {
        exit = exit.max(cannot_write(&error, &mut console));
        return exit;
    }
    telling::advise(&plan, report, &shift, exit, &mut console);
    exit
}
