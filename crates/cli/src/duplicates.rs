//! `truesum duplicates`: prints files with the same content in groups, and the space they waste.
//! The library decides which are equal.

pub mod arguments;

use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::notices::report;
use crate::objects;
use crate::output::{Output, cannot_write};
use crate::selection::{FilterArgs, not_selected, nothing_selected_message, selection};
use crate::watch::Watch;
use crate::words::{count, size};
use arguments::DuplicatesArgs;
use std::io;
use std::path::Path;
use std::time::Instant;
use truesum::duplicates::{Event, Group, Options, Report, duplicates};
use truesum::hash::Spec;
use truesum::manifest::json;
use truesum::manifest::path::display_safe;
use truesum::walk::ExcludedCounts;
use truesum::{Error, Mapping, walk};
use truesum_fs::name::OsStrExt;

const SCHEMA: &str = "truesum-duplicates/1";

/// The form in which groups are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Lines,
    Names,
    Json,
}

/// Runs the command.
pub fn run(args: DuplicatesArgs) -> Exit {
    let mut console = Console::new(args.run.color);
    if args.places.iter().any(|place| place == "-") {
        let why = "duplicates: standard input is not supported; use ./- for a file named '-'";
        return console.refuse(&Refusal::new(why));
    }
    let min_size = args.filter.min_size.unwrap_or(1);
    // Files that are too small must be counted, so their sizes are not filtered out here.
    let wanted = FilterArgs { min_size: None, ..args.filter }.wanted();
    let select = match selection(&wanted) {
        Ok(select) => select,
        Err(refusal) => return console.refuse(&refusal),
    };
    let reporting = args.run.reporting(args.quiet);
    let mut output = Output::stdout();
    let walk = walk::Options::default()
        .select(select)
        .follow(args.ways.follow)
        .one_file_system(args.ways.one_file_system);
    let options = Options::default()
        .walk(walk)
        .min_size(min_size)
        .threads(reporting.threads)
        .mapping(Mapping::Guarded)
        .own(output.own());
    let options = match args.algorithm {
        Some(spec) => options.spec(spec),
        None => options,
    };
    let form = match (args.json, args.print0) {
        (true, _) => Form::Json,
        (_, true) => Form::Names,
        _ => Form::Lines,
    };
    let watch = Watch::start(reporting.line, None, &mut console);
    let began = Instant::now();
    let mut line = Vec::new();
    let result = duplicates(args.places, &options, &watch.progress, &mut |event| {
        match event {
            Event::Group(group) => render_group(form, options.get_spec(), group, &mut line),
            Event::Failed(error) if form == Form::Json => objects::failed(SCHEMA, error, &mut line),
            Event::Failed(error) => console.failure(error),
            Event::Passed(notice) => report(notice, reporting, ("not read", "not read"), &mut console),
            _ => {}
        }
        let written = output.write(&line);
        line.clear();
        written
    });
    let name = output.name();
    let fail = |error: io::Error| Error::io(&name, "write", error);
    let mut exit = Exit::Done;
    let result = result.map_err(fail).and_then(|report| {
        if report.failed() > 0 {
            exit = Exit::Failed;
        }
        if report.found_nothing() {
            exit = exit.max(Exit::NotAsRequested);
        }
        if report.interrupted() {
            exit = exit.max(Exit::Signal(watch.signals.ended_by().unwrap_or(2)));
        }
        if form == Form::Json {
            let counts = counts(&report);
            objects::summary(SCHEMA, &counts, began.elapsed().as_secs_f64(), exit.code(), &mut line);
            output.write(&line).map_err(fail)?;
        }
        output.finish()?;
        Ok(report)
    });
    console.display = None;
    let report = match result {
        Ok(report) => report,
        Err(error) => return exit.max(cannot_write(&error, &mut console)),
    };
    if report.all_left_out() {
        console.error(&nothing_selected_message(report.left_out()));
    } else if report.found_nothing() && !report.interrupted() {
        console.error("nothing to compare: the folders contain no files");
    }
    if reporting.notes && form != Form::Json {
        console.summary(exit, &words(&report));
        if report.groups() > 0 && !options.get_spec().algorithm().status().tamper_evident() {
            console.note(&format!(
                "compared by {} only: different files can have the same digest",
                options.get_spec()
            ));
            console.hint("to use the default algorithm, BLAKE3, omit -a");
        }
    }
    exit
}

/// Appends a group.
fn render_group(form: Form, spec: &Spec, group: &Group<'_>, out: &mut Vec<u8>) {
    let bytes = |name: &Path| name.as_os_str().as_bytes().to_vec();
    let safe = |name: &Path| display_safe(name.as_os_str().as_bytes());
    match form {
        Form::Names => {
            for copy in group.copies() {
                out.extend_from_slice(&bytes(copy[0]));
                out.push(0);
            }
            out.push(0);
        }
        Form::Lines => {
            let first = safe(group.copies()[0][0]);
            for (at, copy) in group.copies().iter().enumerate() {
                let name = safe(copy[0]);
                let mut lines = match at {
                    0 => format!("first\t{name}\n"),
                    _ => format!("copy\t{name}\t{first}\n"),
                };
                for link in &copy[1..] {
                    lines += &format!("link\t{}\t{name}\n", safe(link));
                }
                out.extend_from_slice(lines.as_bytes());
            }
        }
        Form::Json => {
            objects::begin(SCHEMA, "group", out);
            objects::add(out, format_args!(",\"size\":{}", group.size()));
            objects::digests([(spec, group.digest())], out);
            out.extend_from_slice(b",\"copies\":[");
            for (at, copy) in group.copies().iter().enumerate() {
                out.extend_from_slice(if at == 0 { b"{" } else { b",{" });
                json::path_into(&bytes(copy[0]), out);
                out.extend_from_slice(b",\"links\":[");
                for (nth, link) in copy[1..].iter().enumerate() {
                    out.extend_from_slice(if nth == 0 { b"{" } else { b",{" });
                    json::path_into(&bytes(link), out);
                    out.push(b'}');
                }
                out.extend_from_slice(b"]}");
            }
            out.push(b']');
            objects::end(out);
        }
    }
}

fn counts(report: &Report) -> [(&'static str, u64); 12] {
    [
        ("files", report.counts().files()),
        ("links", report.counts().links()),
        ("small", report.counts().small()),
        ("left_out", report.left_out().files()),
        ("left_out_folders", report.left_out().folders()),
        ("groups", report.groups()),
        ("copies", report.copies()),
        ("wasted", report.wasted()),
        ("read", report.read()),
        ("failed", report.failed()),
        ("interrupted", u64::from(report.interrupted())),
        ("bytes", report.bytes()),
    ]
}

/// Returns the summary line.
fn words(report: &Report) -> String {
    let mut text = format!("truesum: {}: ", count(report.counts().files(), "file", "files"));
    text += &match report.groups() {
        0 => "no copies".to_owned(),
        groups => {
            let groups = count(groups, "group", "groups");
            let copies = count(report.copies(), "copy", "copies");
            format!("{copies} in {groups}, {} wasted", size(report.wasted()))
        }
    };
    if report.counts().links() > 0 {
        text += &format!("; {}", count(report.counts().links(), "hard link", "hard links"));
    }
    if report.counts().small() > 0 {
        text += &format!("; {} below the minimum size", count(report.counts().small(), "file", "files"));
    }
    if report.left_out() != ExcludedCounts::default() {
        text += &format!("; {} excluded", not_selected(report.left_out()));
    }
    text += &format!("; {} read ({})", size(report.bytes()), count(report.read(), "file", "files"));
    if report.failed() > 0 {
        text +=
            &format!("; {} could NOT be read", count(report.failed(), "file or folder", "files or folders"));
    }
    if report.interrupted() {
        text += "; interrupted";
    }
    text
}
