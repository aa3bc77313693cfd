//! The summary of a run: what was read, the time and speed, the machine, and the HTML report.

use crate::drawing::record::{Heading, MARK, Record};
use crate::exit::{Exit, Refusal};
use crate::terminal::lost_messages;
use crate::words::{grouped, size};
use crate::{origin, output};
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use std::time::Duration;
use truesum::manifest::path::display_safe;
use truesum::verify::{lists_one_of, place_of};
use truesum::{Error, Progress, ReadOptions};
use truesum_fs::machine;
use truesum_fs::name::OsStrExt;

/// The detail of the final summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Ending {
    /// No summary
    None,
    /// One line
    Short,
    /// Bytes read, speed, skipped files, and advice for each kind of failure
    Long,
    /// The summary object of --json, printed on standard error
    Json,
}

/// Returns the exit of a run that has ended. If its summary was requested and could not be written, not everything requested
/// was done.
pub fn summarized(exit: Exit, requested: Option<Ending>) -> Exit {
    let is_requested = requested.is_some_and(|ending| ending != Ending::None);
    if is_requested && lost_messages() { exit.max(Exit::NotAsRequested) } else { exit }
}

/// Returns the amount read, the time and the speed.
pub fn rate(bytes: u64, time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let rate = size((bytes as f64 / seconds.max(1e-9)) as u64);
    format!("{} in {seconds:.3} s ({rate}/s)", size(bytes))
}

/// Returns the lines below the summary line.
pub fn lines(rows: &[(String, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let lines: Vec<String> = rows.iter().map(|(name, text)| format!("  {name:width$}  {text}")).collect();
    lines.join("\n")
}

/// Returns what a report contains about the machine, the program and the time, in addition to what was read.
pub fn facts(bytes: u64, time: Duration) -> Vec<(&'static str, String)> {
    let now = origin::rfc3339(origin::now());
    vec![
        ("Date", format!("{} {} UTC", &now[..10], &now[11..19])),
        ("Machine", format!("{} ({} {})", origin::host(), machine::system(), machine::architecture())),
        ("Program", format!("truesum {}", origin::VERSION)),
        ("Read", format!("{} bytes, {}", grouped(bytes), rate(bytes, time))),
    ]
}

/// Returns the name of a manifest with its digest, for a report.
pub fn manifest(name: &[u8], digest: Option<&truesum::hash::Digest>) -> String {
    match digest {
        Some(digest) => format!("{}, SHA-256 {digest}", display_safe(name)),
        None => display_safe(name),
    }
}

/// Returns the names of manifests for a title: the first, and how many more there are.
pub fn shortened(names: &[String]) -> String {
    match names {
        [] => "nothing".to_owned(),
        [name] => name.clone(),
        [name, more @ ..] => format!("{name} and {} more", more.len()),
    }
}

/// A file to write: the option that specifies it, and its path.
pub type OutputFile<'w> = (&'static str, &'w Path);

/// Tests the output files before any file is read: no two may be the same file, and none may be standard output or in
/// one of the manifests.
///
/// # Errors
/// Fails if any of these conditions is not met.
pub fn outputs(
    written: &[OutputFile<'_>],
    manifests: &[PathBuf],
    options: &ReadOptions,
) -> Result<(), Refusal> {
    for (at, (option, path)) in written.iter().enumerate() {
        if *path == Path::new("-") {
            let hint = format!("to write to a file named '-': {option} ./-");
            return Err(Refusal::with_hint(format!("{option}: cannot write to standard output"), hint));
        }
        let place = place_of(path);
        let same =
            |(_, other): &&OutputFile<'_>| *other == *path || place.is_some() && place_of(other) == place;
        if let Some((other, _)) = written[..at].iter().find(same) {
            return Err(Refusal::new(format!("{other} and {option}: the same file was specified for both")));
        }
    }
    let paths: Vec<&Path> = written.iter().map(|(_, path)| *path).collect();
    for manifest in manifests {
        if let Some(at) = lists_one_of(manifest, options, &Progress::default(), &paths) {
            let (option, path) = written[at];
            let [path, manifest] = [path, manifest].map(|path| display_safe(path.as_os_str().as_bytes()));
            return Err(Refusal::new(format!(
                "{option}: {path} is listed in {manifest}, so it is not replaced"
            )));
        }
    }
    Ok(())
}

/// Tests in advance whether a report can be written at the end.
///
/// # Errors
/// Fails if the existing file is not a report.
pub fn may_write(path: &Path) -> Result<(), Error> {
    output::may_replace(path, MARK)?;
    // An output file that is not completed is removed.
    output::begin(path).map(drop)
}

/// Writes a report.
///
/// # Errors
/// Fails if the file cannot be written, or is something else.
pub fn write(path: &Path, record: &Record, heading: &Heading) -> Result<(), Error> {
    output::save_page(path, &record.page(heading), MARK)
}
