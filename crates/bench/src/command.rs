//! `truesum bench`: from the command line to a run, and from its record to what was asked for.

use crate::args::{Bench, Common, Form, What};
use crate::chart::Theme;
use crate::compare::{self, Verdict};
use crate::definition;
use crate::progress::Line;
use crate::record::Record;
use crate::view;
use crate::{Error, Session, algorithms, csv, io, limit, markdown, readme, report, table, tools, tree};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use truesum_hash::Spec;

/// How `truesum bench` ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All that was asked was measured and written.
    Done,
    /// `bench compare` found the second run slower beyond noise, or an engine disagreed on a digest.
    Differs,
    /// The run was interrupted; what was measured was written.
    Interrupted,
}

/// Runs `truesum bench`.
///
/// Results go to `out`, progress to standard error. When `stop` becomes true the run ends soon and what was measured is
/// written. `command` is the command line as typed, for the record.
///
/// # Errors
/// The run could not be carried out as asked, or its result not be written.
pub fn run(bench: &Bench, command: &str, stop: &AtomicBool, out: &mut dyn Write) -> Result<Outcome, Error> {
    let mut session = Session::new(stop, command).with_progress(Line::new());
    let session = &mut session;
    let (record, common) = match &bench.what {
        What::Algorithms(args) => {
            let request = algorithms::Request {
                algorithms: specs(&args.algorithms)?,
                sizes: args.sizes.clone(),
                threads: args.threads.clone(),
                parts: args.part.clone(),
                stream: args.stream,
                compare: args.compare.clone(),
                quick: args.common.quick,
                seconds: args.common.time,
            };
            let definition = definition::Algorithms::read(args.common.definition.as_deref())?;
            (algorithms::run(&definition, &request, session)?, &args.common)
        }
        What::Tools(args) => {
            let request = tools::Request {
                algorithms: args.algorithms.clone(),
                engines: args.engine.clone(),
                rounds: args.rounds,
                cold: args.cold,
                seconds: args.common.time,
                quick: args.common.quick,
            };
            let definition = definition::Tools::read(args.common.definition.as_deref())?;
            (tools::run(&definition, &args.directory, &request, session)?, &args.common)
        }
        What::Io(args) => {
            let request = io::Request {
                hashes: args.algorithms.clone(),
                threads: args.threads.clone(),
                drop_caches: args.drop_caches,
                seconds: args.common.time,
                quick: args.common.quick,
            };
            let definition = definition::Io::read(args.common.definition.as_deref())?;
            (io::run(&definition, &args.file, &request, session)?, &args.common)
        }
        What::Limit(args) => {
            let request = limit::Request {
                algorithms: specs(&args.algorithms)?,
                seconds: args.common.time,
                quick: args.common.quick,
            };
            let definition = definition::Limit::read(args.common.definition.as_deref())?;
            (limit::run(&definition, &args.path, &request, session)?, &args.common)
        }
        What::Tree(args) => {
            let request = tree::Request {
                hashes: args.algorithms.clone(),
                leaves: args.leaves.clone(),
                threads: args.threads.clone(),
                seconds: args.common.time,
                quick: args.common.quick,
            };
            let definition = definition::Tree::read(args.common.definition.as_deref())?;
            (tree::run(&definition, &args.file, &request, session)?, &args.common)
        }
        What::Report(args) => {
            let records = saved(&args.runs)?;
            if let Some(path) = &args.readme {
                write_readme(path, &args.runs[0], &records)?;
                return Ok(Outcome::Done);
            }
            let page = report::page(&records);
            match &args.output {
                Some(path) => save(path, page.as_bytes())?,
                None => print(out, &page)?,
            }
            return Ok(Outcome::Done);
        }
        What::Compare(args) => {
            let (before, after) = (Record::read(&args.before)?, Record::read(&args.after)?);
            let comparison = compare::compare(&before, &after, args.threshold / 100.0)?;
            print(out, &comparison.text(args.form))?;
            return Ok(if comparison.verdict == Verdict::Slower { Outcome::Differs } else { Outcome::Done });
        }
    };
    write(&record, common, out)?;
    Ok(if record.interrupted {
        Outcome::Interrupted
    } else if record.agreements.iter().any(|agreement| !agreement.disagree.is_empty()) {
        Outcome::Differs
    } else {
        Outcome::Done
    })
}

fn specs(names: &[String]) -> Result<Vec<Spec>, Error> {
    names.iter().map(|name| name.parse().map_err(|why| Error(format!("{why}")))).collect()
}

/// The record in every form asked for.
fn write(record: &Record, common: &Common, out: &mut dyn Write) -> Result<(), Error> {
    if let Some(path) = &common.save {
        save(path, record.to_json().as_bytes())?;
    }
    if let Some(path) = &common.html {
        save(path, report::page(std::slice::from_ref(record)).as_bytes())?;
    }
    if let Some(directory) = &common.svg {
        for (name, chart) in charts(record) {
            save(&in_directory(directory, &format!("{name}.svg"))?, chart.as_bytes())?;
        }
    }
    #[cfg(feature = "png")]
    if let Some(directory) = &common.png {
        for (name, image) in crate::png::charts(record)? {
            save(&in_directory(directory, &format!("{name}.png"))?, &image)?;
        }
    }
    print(out, &text(record, common.form))
}

/// A record in one of the forms for standard output.
pub fn text(record: &Record, form: Form) -> String {
    if form.json {
        record.to_json()
    } else if form.csv {
        csv::text(record)
    } else if form.markdown {
        markdown::text(record)
    } else {
        table::text(record)
    }
}

/// Each chart as an SVG file of its own, with its name.
fn charts(record: &Record) -> Vec<(String, String)> {
    view::sections(record)
        .into_iter()
        .filter_map(|section| Some((section.id.clone(), section.chart?.svg(720, Theme::Both))))
        .collect()
}

/// Writes the speed section of a README, and its chart beside the runs.
fn write_readme(path: &Path, runs: &Path, records: &[Record]) -> Result<(), Error> {
    let beside = if runs.is_dir() { runs } else { runs.parent().unwrap_or(Path::new("")) };
    let chart = beside.join("speed.svg");
    let linked = path.parent().and_then(|root| chart.strip_prefix(root).ok()).unwrap_or(&chart);
    let text = std::fs::read_to_string(path).map_err(|why| Error::file(path, "reading", &why))?;
    let text = readme::fill(&text, records, &linked.to_string_lossy())
        .map_err(|why| Error(format!("{}: {why}", path.display())))?;
    save(&chart, readme::chart(records)?.svg(720, Theme::Both).as_bytes())?;
    save(path, text.as_bytes())
}

fn in_directory(directory: &Path, name: &str) -> Result<PathBuf, Error> {
    std::fs::create_dir_all(directory).map_err(|why| Error::file(directory, "making the directory", &why))?;
    Ok(directory.join(name))
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    std::fs::write(path, bytes).map_err(|why| Error::file(path, "writing", &why))
}

fn print(out: &mut dyn Write, text: &str) -> Result<(), Error> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // Whoever reads has seen enough.
        Err(why) if why.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(why) => Err(Error(format!("writing to standard output: {why}"))),
        Ok(()) => Ok(()),
    }
}

/// The saved runs in files and directories, oldest first.
fn saved(paths: &[PathBuf]) -> Result<Vec<Record>, Error> {
    let mut records = Vec::new();
    for path in paths {
        if path.is_dir() {
            let failed = |why: std::io::Error| Error::file(path, "listing", &why);
            for entry in path.read_dir().map_err(failed)? {
                let file = entry.map_err(failed)?.path();
                if file.extension().is_some_and(|extension| extension == "json") {
                    records.push(Record::read(&file)?);
                }
            }
        } else {
            records.push(Record::read(path)?);
        }
    }
    if records.is_empty() {
        return Err(Error("no saved runs: make some with `truesum bench ... --save FILE`".to_owned()));
    }
    records.sort_by(|a, b| (&a.started, a.model).cmp(&(&b.started, b.model)));
    Ok(records)
}
