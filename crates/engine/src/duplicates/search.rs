//! The search for duplicates: finds files, reads those that may be equal, and reports the results.

use super::files::Files;
use super::first::of_one_beginning;
use super::report::{Event, Group, Observer, Options, Report};
use crate::job::{Job, Outcome};
use crate::progress::Progress;
use crate::run::config::Config;
use crate::run::run;
use crate::task::{Notice, Sink, Task};
use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::Arc;
use truesum_hash::{Digest, Spec};

/// Searches these files and folders for files with the same content. Nothing is modified.
///
/// ```
/// use truesum::duplicates::{Event, Options, duplicates};
///
/// let folder = tempfile::tempdir()?;
/// for (name, text) in [("a", "same"), ("b", "same"), ("c", "else")] {
///     std::fs::write(folder.path().join(name), text)?;
/// }
/// let report = duplicates([folder.path()], &Options::default(), &Default::default(), &mut |event| {
///     if let Event::Group(group) = event {
///         assert_eq!(group.copies(), [[folder.path().join("a")], [folder.path().join("b")]]);
///     }
///     Ok(())
/// })?;
/// assert_eq!((report.groups(), report.copies(), report.wasted()), (1, 1, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns the error of `on_event`. Problems with files are reported and counted.
pub fn duplicates(
    paths: impl IntoIterator<Item: Into<OsString>>,
    options: &Options,
    progress: &Progress,
    on_event: &mut Observer<'_>,
) -> io::Result<Report> {
    let mut report = Report::default();
    let paths: Vec<OsString> = paths.into_iter().map(Into::into).collect();
    let mut files = Files::default();
    files.add_all(paths, options, progress, &mut report, on_event)?;
    let alike = files.of_one_size();
    let alike = of_one_beginning(&files, alike, options, progress, &mut report, on_event)?;
    let read = read(&files, &alike, options, progress, &mut report, on_event)?;
    report.counts = files.counts;
    report_groups(&files, read, &mut report, on_event)?;
    report.interrupted |= progress.stopped();
    Ok(report)
}

/// The files for each content.
type Contents = HashMap<(u64, Digest), Vec<u32>>;

/// Reads files completely and groups them by content.
fn read(
    files: &Files,
    alike: &[u32],
    options: &Options,
    progress: &Progress,
    report: &mut Report,
    on_event: &mut Observer<'_>,
) -> io::Result<Contents> {
    let specs: Arc<[Spec]> = Arc::from([options.spec.clone()]);
    let config = Config {
        threads: options.threads,
        mapping: options.mapping,
        own: options.own.clone(),
        ..Config::default()
    };
    let mut tasks = alike.iter().map(|&at| {
        let job = Job::hash(files.path(at), &specs);
        Task::File(Job { anchor: files.anchor(at), origin: (at as usize, job.origin.1), ..job })
    });
    let mut sink = Reading { contents: HashMap::new(), report, on_event };
    let summary = run(&config, &mut tasks, progress, &mut sink)?;
    let Reading { contents, report, .. } = sink;
    report.interrupted |= summary.interrupted;
    Ok(contents)
}

struct Reading<'r, 't> {
    contents: Contents,
    report: &'r mut Report,
    on_event: &'r mut Observer<'t>,
}

impl Sink for Reading<'_, '_> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        match outcome.result {
            Ok(found) => {
                self.report.read += 1;
                self.report.bytes += found.size();
                let content = (found.size(), found.digests()[0].clone());
                self.contents.entry(content).or_default().push(outcome.job.origin.0 as u32);
                Ok(())
            }
            Err(error) => {
                self.report.failed += 1;
                (self.on_event)(Event::Failed(&error))
            }
        }
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        (self.on_event)(Event::Passed(&notice))
    }
}

fn report_groups(
    files: &Files,
    contents: Contents,
    report: &mut Report,
    on_event: &mut Observer<'_>,
) -> io::Result<()> {
    // The names of each copy, for each content.
    type Copies<'f> = Vec<Vec<&'f Path>>;
    let mut failed = Vec::new();
    let mut groups: Vec<((u64, Digest), Copies<'_>)> = Vec::new();
    for (content, equal) in contents.into_iter().filter(|(_, equal)| equal.len() > 1) {
        let failed_before = failed.len();
        let copies = files.names_by_file(&equal, &mut failed);
        let of_others = (equal.len() + failed_before - failed.len() - copies.len()) as u64;
        report.counts.files -= of_others;
        report.counts.links += of_others;
        groups.push((content, copies));
    }
    groups.retain(|(_, copies)| copies.len() > 1);
    groups.sort_unstable_by(|(_, one), (_, other)| one.cmp(other));
    for ((size, digest), copies) in &groups {
        report.groups += 1;
        report.copies += copies.len() as u64 - 1;
        report.wasted += size * (copies.len() as u64 - 1);
        on_event(Event::Group(&Group { size: *size, digest, copies }))?;
    }
    for error in &failed {
        report.failed += 1;
        on_event(Event::Failed(error))?;
    }
    Ok(())
}
