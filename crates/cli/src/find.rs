//! `truesum find`: finds files by their digests. The library determines what was found; this module
//! contains the wording.

pub mod arguments;
mod plan;
mod report;

use crate::console::Console;
use crate::exit::Exit;
use crate::output::{Output, cannot_write};
use crate::selection::{nothing_selected_message, selection};
use crate::watch::Watch;
use crate::words::{SAME_OPTIONS, count, names, path_word, sampled};
use arguments::FindArgs;
use plan::{plan, tried};
use report::{Form, Printer};
use std::ffi::{OsStr, OsString};
use std::time::Instant;
use truesum::find::{Conclusion, Search};
use truesum::{Error, Mapping, ReadOptions, walk};

/// Maximum number of algorithms in one read without a note.
const MANY_ALGORITHMS: usize = 8;

/// Runs the command.
pub fn run(args: FindArgs) -> Exit {
    let mut console = Console::new(args.run.color);
    let places = args.words.iter().map(OsString::as_os_str);
    let named: Vec<&OsStr> = places.chain(args.manifest.iter().map(|name| name.as_os_str())).collect();
    // Lines of manifests may name their algorithms; digests on the command line may not.
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
    let reporting = args.run.reporting(args.quiet);
    let output = Output::stdout();
    let options = ReadOptions::default()
        .algorithms(algorithms)
        .key(key)
        .format(args.format)
        .lenient(args.lenient)
        .threads(reporting.threads)
        .mapping(Mapping::Guarded)
        .own(output.own());
    let select = match selection(&args.filter.wanted()) {
        Ok(select) => select,
        Err(refusal) => return console.refuse(&refusal),
    };
    let walk = walk::Options::default()
        .select(select)
        .follow(args.ways.follow)
        .one_file_system(args.ways.one_file_system);
    let notes = notes.into_iter().chain(sampled(&args.algorithm));
    notes.filter(|_| reporting.notes).for_each(|note: String| console.note(&note));
    let tried = tried(&plan.wanted);
    if reporting.notes && tried.len() > MANY_ALGORITHMS {
        console.note(&format!("{} algorithms are possible; all of them are computed", tried.len()));
        console.hint("to compute only one, use -a NAME");
    }
    let watch = Watch::start(reporting.line, None, &mut console);
    let began = Instant::now();
    let mut search = Search::new(&options, &watch.progress);
    let form = match (args.json, args.print0) {
        (true, _) => Form::Json,
        (_, true) => Form::Names,
        _ => Form::Lines,
    };
    let by_name = !args.manifest.is_empty();
    let mut printer = Printer::new(form, by_name, reporting, console, output);
    let mut result = plan.wanted.into_iter().try_for_each(|wanted| search.add(wanted));
    for name in &args.manifest {
        result = result.and_then(|()| search.add_manifest(name, &mut |event| printer.event(&event)));
    }
    let result = result.and_then(|()| search.run(plan.places, walk, &mut |event| printer.event(&event)));
    let report = search.report();
    let exit = match report.conclusion() {
        Conclusion::AllFound => Exit::Done,
        Conclusion::NotAllFound => Exit::Failed,
        Conclusion::NotAsRequested => Exit::NotAsRequested,
        Conclusion::Interrupted => Exit::Signal(watch.signals.ended_by().unwrap_or(2)),
    };
    let not_tried = plan.not_tried;
    let result = result.and_then(|()| printer.end(&search, not_tried, began.elapsed().as_secs_f64(), exit));
    let Printer { mut console, output, weak, .. } = printer;
    let name = output.name();
    let finished = result.map_err(|error| Error::io(&name, "write", error)).and_then(|()| output.finish());
    console.display = None;
    if let Err(error) = finished {
        // If the results could not be written, do not report that anything is absent.
        return cannot_write(&error, &mut console);
    }
    if report.found().is_empty() && report.failed() + report.malformed() == 0 && !report.interrupted() {
        console.error("nothing to search for: the manifest has no entries");
    }
    if report.all_left_out() {
        console.error(&nothing_selected_message(report.left_out()));
    }
    if reporting.notes && !report.not_computed().is_empty() {
        let skipped = names(report.not_computed());
        console.note(&format!("-: skipped the algorithms that require the size in advance: {skipped}"));
    }
    let is_absent = report.found().contains(&0) && exit == Exit::Failed;
    if reporting.notes && is_absent && report.read() > 0 && not_tried > 0 {
        let others = count(not_tried as u64, "less common algorithm was", "less common algorithms were");
        console.note(&format!("tried only {}; {others} not tried", names(&tried)));
        let words: Vec<String> = args.words.iter().map(path_word).collect();
        console.hint(&format!(
            "to try all algorithms: truesum find{SAME_OPTIONS} --all-algorithms {}",
            words.join(" ")
        ));
    }
    if reporting.notes && form != Form::Json {
        console.summary(exit, &report::words(report, by_name, &weak));
    }
    exit
}
