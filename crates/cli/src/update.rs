//! `truesum update`: updates a manifest to match its folder, as far as requested.

pub mod arguments;
mod plan;
mod report;

use crate::comparing;
use crate::console::Console;
use crate::exit::Exit;
use crate::output::{Output, cannot_write, refuse_own_stream};
use crate::watch::Watch;
use arguments::UpdateArgs;
pub use plan::consent;
use plan::{Updating, plan};
use report::Printer;
use std::time::Instant;
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
        return Exit::NotAsRequested;
    }
    plan.notes.iter().filter(|_| plan.reporting.notes).for_each(|note| console.note(note));
    let output = Output::stdout();
    let options = plan.options.clone().map_read(|read| read.own(output.own()));
    let watch = Watch::start(plan.reporting.line, None, &mut console);
    let began = Instant::now();
    let mut update = Update::new(&options, &watch.progress);
    let mut printer = Printer::new(&plan, console, output);
    let result = update.run(&plan.manifest, &mut |event| printer.event(&event));
    let report = update.report();
    let mut exit = comparing::exit(report.equality(), &watch);
    let result = result.and_then(|()| printer.summary(report, began.elapsed(), exit));
    let (mut console, output, shift) = printer.parts();
    let name = output.name();
    let finished = result.map_err(|error| Error::io(&name, "write", error)).and_then(|()| output.finish());
    console.display = None;
    if let Err(error) = finished {
        exit = exit.max(cannot_write(&error, &mut console));
    }
    report::advise(&plan, report, &shift, exit, &mut console);
    exit
}
