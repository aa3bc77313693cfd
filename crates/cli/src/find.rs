//! `truesum find`: digests in, names of the files that have them out. What was found, the library decides; here are the words.

pub mod arguments;
mod plan;
mod telling;

use crate::console::Console;
use crate::exit::Exit;
use crate::output::{Output, cannot_write};
use crate::selection::selection;
use crate::watch::Watch;
use crate::words::sampled;
use arguments::FindArgs;
use plan::{guesses, plan};
use std::ffi::{OsStr, OsString};
use std::time::Instant;
use telling::{Form, Telling};
use truesum::find::{Conclusion, Search};
use truesum::{Error, Mapping, walk};

/// So many algorithms in one read are worth a word.
const MANY: usize = 8;

/// Runs the command.
pub fn run(args: FindArgs) -> Exit {
    let mut console = Console::new(args.run.color);
    let places = args.words.iter().map(OsString::as_os_str);
    let named: Vec<&OsStr> = places.chain(args.manifest.iter().map(|name| name.as_os_str())).collect();
    // Lines of manifests may name their algorithms, and digests do not.
    let by_manifest = !args.manifest.is_empty();
    let brought = args.key.for_lines(if by_manifest { args.algorithm.clone() } else { Vec::new() }, &named);
    let (key, algorithms, notes) = match brought {
        Ok(read) => read,
        Err(refusal) => return console.refuse(&refusal),
    };
    let plan = match plan(&args, key.as_ref()) {
        Ok(plan) => plan,
        Err(refusal) => return console.refuse(&refusal),
    };
    let tell = args.run.tell(args.quiet);
    let output = Output::stdout();
    let options = truesum::Options {
        algorithms,
        key,
        format: args.format,
        lenient: args.lenient,
        threads: tell.threads,
        mapping: Mapping::Guarded,
        own: output.own(),
        ..truesum::Options::default()
    };
    let select = match selection(&args.filter.wanted()) {
        Ok(select) => select,
        Err(refusal) => return console.refuse(&refusal),
    };
    let walk = walk::Options {
        select,
        follow: args.ways.follow,
        one_file_system: args.ways.one_file_system,
        ..walk::Options::default()
    };
    let notes = notes.into_iter().chain(sampled(&args.algorithm));
    notes.filter(|_| tell.notes).for_each(|note: String| console.note(&note));
    let guesses = guesses(&plan.wanted);
    if tell.notes && guesses > MANY {
        console.note(&format!("{guesses} algorithms are possible, and all are computed"));
        console.hint("to compute only one, use -a NAME");
    }
    let watch = Watch::start(tell.line, None, &mut console);
    let began = Instant::now();
    let mut search = Search::new(&options, &watch.progress);
    let form = match (args.json, args.zero) {
        (true, _) => Form::Json,
        (_, true) => Form::Names,
        _ => Form::Lines,
    };
    let by_name = !args.manifest.is_empty();
    let mut telling = Telling::new(form, by_name, tell, console, output);
    plan.wanted.into_iter().for_each(|wanted| search.add(wanted));
    let mut told = Ok(());
    for name in &args.manifest {
        told = told.and_then(|()| search.add_manifest(name, &mut |event| telling.event(&event)));
    }
    telling.labels = search.wanted().iter().map(|wanted| wanted.label.clone()).collect();
    let told = told.and_then(|()| search.run(plan.places, walk, &mut |event| telling.event(&event)));
    let report = search.report();
    let exit = match report.conclusion() {
        Conclusion::AllFound => Exit::Done,
        Conclusion::NotAllFound => Exit::Failed,
        Conclusion::NotAsAsked => Exit::NotAsAsked,
        Conclusion::Interrupted => Exit::Signal(watch.signals.ended_by().unwrap_or(2)),
    };
    let told = told.and_then(|()| telling.end(report, began.elapsed().as_secs_f64(), exit));
    let Telling { mut console, output, weak, .. } = telling;
    let name = output.name();
    let finished = told.map_err(|error| Error::io(&name, "write", error)).and_then(|()| output.finish());
    console.display = None;
    if let Err(error) = finished {
        // Of an answer that nobody has, not even that something is absent is said.
        return cannot_write(&error, &mut console);
    }
    if report.found.is_empty() && report.failed + report.malformed == 0 && !report.interrupted {
        console.error("nothing to search for: the manifest is empty");
    }
    if tell.notes && form != Form::Json {
        console.summary(exit, &telling::words(report, by_name, &weak));
    }
    exit
}
