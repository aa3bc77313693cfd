//! `truesum bench`: from the command line to a run, and from its record to the requested output.

use crate::args::{Bench, BenchAction, Measure, Output, Saved};
use crate::models::progress::Line;
use crate::models::{self, Session};
use crate::record::Record;
use crate::record::compare::{self, Change};
use crate::show::chart::Theme;
use crate::show::{Report, html};
use crate::{Error, readme};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Describes how `truesum bench` ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything requested was measured and written.
    Done,
    /// `bench compare` found the second run slower beyond noise, or an engine disagreed on a digest.
    Differs,
    /// The run was interrupted; the measurements taken so far were written.
    Interrupted,
}

/// Runs `truesum bench`.
///
/// Results go to `out`, progress to standard error. When `stop` becomes true, the run ends soon and the measurements
/// taken so far are written. `command` is the command line as typed, for the record.
///
/// # Errors
/// The run could not be carried out as requested, or its result could not be written.
pub fn run(bench: &Bench, command: &str, stop: &AtomicBool, out: &mut dyn Write) -> Result<Outcome, Error> {
    match &bench.what {
        BenchAction::Measure(Measure { model, matches, scope, output }) => {
            let mut session = Session::new(stop, command).with_progress(Line::new()).within(scope.clone());
            let record = (model.run)(matches, &mut session)?;
            write(&record, output, out)?;
            Ok(if record.interrupted {
                Outcome::Interrupted
            } else if record.agreements.iter().any(|agreement| !agreement.disagree.is_empty()) {
                Outcome::Differs
            } else {
                Outcome::Done
            })
        }
        BenchAction::Saved(Saved::Report(args)) => {
            let records = saved(&args.runs)?;
            if let Some(path) = &args.readme {
                write_readme(path, &args.runs[0], &records)?;
                return Ok(Outcome::Done);
            }
            let reports: Vec<Report> = records.iter().map(models::report).collect();
            let page = html::page(&reports);
            match &args.output {
                Some(path) => save(path, page.as_bytes())?,
                None => print(out, &page)?,
            }
            Ok(Outcome::Done)
        }
        BenchAction::Saved(Saved::Compare(args)) => {
            let (before, after) = (models::read(&args.before)?, models::read(&args.after)?);
            let comparison = compare::compare(&before, &after, args.threshold / 100.0)?;
            print(out, &comparison.text(args.form))?;
            Ok(if comparison.verdict == Change::Slower { Outcome::Differs } else { Outcome::Done })
        }
    }
}

/// Writes the record in every requested form.
fn write(record: &Record, output: &Output, out: &mut dyn Write) -> Result<(), Error> {
    let report = models::report(record);
    if let Some(path) = &output.save {
        save(path, record.to_json().as_bytes())?;
    }
    if let Some(path) = &output.html {
        save(path, html::page(std::slice::from_ref(&report)).as_bytes())?;
    }
    if let Some(directory) = &output.svg {
        for section in &report.sections {
            if let Some(chart) = &section.chart {
                let path = in_directory(directory, &format!("{}.svg", section.id))?;
                save(&path, chart.svg(720, Theme::Both).as_bytes())?;
            }
        }
    }
    #[cfg(feature = "png")]
    if let Some(directory) = &output.png {
        for (name, image) in crate::show::png::charts(&report)? {
            save(&in_directory(directory, &format!("{name}.png"))?, &image)?;
        }
    }
    print(out, &output.form.of(&report))
}

/// Writes the speed section of a README, and its chart next to the runs.
fn write_readme(path: &Path, runs: &Path, records: &[Record]) -> Result<(), Error> {
    let folder = if runs.is_dir() { runs } else { runs.parent().unwrap_or(Path::new("")) };
    let chart = folder.join("speed.svg");
    let linked = path.parent().and_then(|root| chart.strip_prefix(root).ok()).unwrap_or(&chart);
    let text = std::fs::read_to_string(path).map_err(|why| Error::file(path, "read", &why))?;
    let text = readme::fill(&text, records, &linked.to_string_lossy())
        .map_err(|why| Error(format!("{}: {why}", path.display())))?;
    save(&chart, readme::chart(records)?.svg(720, Theme::Both).as_bytes())?;
    save(path, text.as_bytes())
}

fn in_directory(directory: &Path, name: &str) -> Result<PathBuf, Error> {
    std::fs::create_dir_all(directory).map_err(|why| Error::file(directory, "create", &why))?;
    Ok(directory.join(name))
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    std::fs::write(path, bytes).map_err(|why| Error::file(path, "write", &why))
}

fn print(out: &mut dyn Write, text: &str) -> Result<(), Error> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // The reader has closed the pipe.
        Err(why) if why.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(why) => Err(Error(format!("standard output: cannot write: {why}"))),
        Ok(()) => Ok(()),
    }
}

/// Returns the saved runs in files and directories, oldest first.
fn saved(paths: &[PathBuf]) -> Result<Vec<Record>, Error> {
    let mut records = Vec::new();
    for path in paths {
        if path.is_dir() {
            let failed = |why: std::io::Error| Error::file(path, "list", &why);
            for entry in path.read_dir().map_err(failed)? {
                let file = entry.map_err(failed)?.path();
                if file.extension().is_some_and(|extension| extension == "json") {
                    records.push(models::read(&file)?);
                }
            }
        } else {
            records.push(models::read(path)?);
        }
    }
    if records.is_empty() {
        return Err(Error("no saved runs found (to save a run: truesum bench ... --save FILE)".to_owned()));
    }
    records.sort_by(|a, b| (&a.started, models::place(&a.model)).cmp(&(&b.started, models::place(&b.model))));
    Ok(records)
}
