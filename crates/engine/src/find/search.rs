//! A search in progress: its events, its counts and its result.

use super::candidates::Candidates;
use super::wanted::{Contents, Index, Wanted};
use crate::error::Error;
use crate::io::file_id::FileId;
use crate::io::open::Root;
use crate::job::{Outcome, readings};
use crate::progress::Progress;
use crate::run::config::Config;
use crate::run::run;
use crate::task::{BadLine, Notice, Sink};
use crate::verify::listed_jobs::{ListEnd, ListItem, listed_jobs};
use crate::verify::options::ReadOptions;
use crate::walk::{self, ExcludedCounts, Walk};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::Arc;
use truesum_hash::{Digest, Spec};

readable! {
    /// A file with content that is searched for.
    #[derive(Debug)]
    pub struct Match<'f> {
        /// The index of the content.
        wanted: usize,
        /// The label of that content.
        label: &'f [u8],
        /// The file.
        name: &'f Path,
        /// Its size in bytes.
        size: u64,
        /// The digests by which it was recognized.
        by: &'f [(Spec, Digest)],
    }
}

/// An event of a search.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'e> {
    /// A file with content that is searched for. Reported in the order of files.
    Match(&'e Match<'e>),
    /// A line of this manifest that is malformed or has no digest to search for.
    Malformed(&'e Path, &'e BadLine),
    /// A manifest with objects that have no digest because they are not regular files, which are not searched for.
    Doubtful(&'e Error),
    /// A file or folder that could not be read. It may contain the content that is searched for.
    Failed(&'e Error),
    /// An object that was skipped during the walk, with the reason.
    Passed(&'e Notice),
    /// All results known so far have been reported; buffered output can be flushed.
    Pause,
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Everything that was searched for was found.
    AllFound,
    /// Everything was read, and something was not found.
    NotAllFound,
    /// Not everything could be read, no file was selected, or there was nothing to search for.
    /// Content that was not found may exist nevertheless.
    NotAsRequested,
    /// The search was stopped before its end.
    Interrupted,
}

readable! {
    /// The counts of a search.
    #[derive(Clone, Debug, Default)]
    pub struct Report {
        /// The number of files for each content.
        found: Vec<u64> => &[u64],
        /// Files read to their end.
        read: u64,
        /// The total size of those files in bytes.
        bytes: u64,
        /// Files skipped because their size rules them out.
        passed: u64,
        /// Files, folders and manifests that could not be read.
        failed: u64,
        /// Lines of manifests that are malformed or have nothing to search for.
        malformed: u64,
        /// Objects in manifests that have no digest because they are not regular files.
        omitted: u64,
        /// The number of objects left out by the selection.
        left_out: ExcludedCounts,
        /// Algorithms that require the size in advance and were not computed for standard input.
        not_computed: Vec<Spec> => &[Spec],
        /// Whether the search was stopped before its end.
        interrupted: bool,
    }
    private {
        lenient: bool,
    }
}

impl Report {
    /// Returns whether the selection left out all files.
    pub fn all_left_out(&self) -> bool {
        self.read + self.passed + self.failed == 0 && self.left_out != ExcludedCounts::default()
    }

    /// Returns the result of the search.
    pub fn conclusion(&self) -> Conclusion {
        let all = self.found.iter().all(|&files| files > 0);
        let trouble = self.failed > 0
            || !self.lenient && self.malformed > 0
            || self.found.is_empty()
            || self.all_left_out();
        match () {
            () if self.interrupted => Conclusion::Interrupted,
            () if trouble => Conclusion::NotAsRequested,
            () if all => Conclusion::AllFound,
            () => Conclusion::NotAllFound,
        }
    }
}

/// Receives the events of a search. Returning an error stops it.
pub type Observer<'t> = dyn FnMut(Event<'_>) -> io::Result<()> + 't;

/// A search for content.
///
/// ```
/// use truesum::find::{Conclusion, Event, Search, Wanted};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("a"), "123456789")?;
/// let crc32: truesum::hash::Spec = "crc32".parse()?;
/// let readings = vec![vec![(crc32.clone(), crc32.digest(b"123456789"))]];
///
/// let (options, progress) = (truesum::ReadOptions::default(), truesum::Progress::default());
/// let mut search = Search::new(&options, &progress);
/// search.add(Wanted::new(b"cbf43926".to_vec(), readings, None))?;
/// search.run([folder.path()], Default::default(), &mut |event| {
///     if let Event::Match(found) = event {
///         assert_eq!(found.name(), folder.path().join("a"));
///     }
///     Ok(())
/// })?;
/// assert_eq!(search.report().conclusion(), Conclusion::AllFound);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Search<'a> {
    options: &'a ReadOptions,
    progress: &'a Progress,
    contents: Contents,
    /// Files to ignore: the manifests and the caller's own files.
    own: Vec<FileId>,
    report: Report,
}

impl<'a> Search<'a> {
    /// Returns a search without anything to search for. The options specify how manifests and files are read.
    /// [`Progress::stop`] ends it early.
    pub fn new(options: &'a ReadOptions, progress: &'a Progress) -> Search<'a> {
        let report = Report { lenient: options.lenient, ..Report::default() };
        Search { options, progress, contents: Contents::default(), own: options.own.clone(), report }
    }

    /// Returns the labels of the content to search for, in the order in which it was added.
    pub fn labels(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.contents.len()).map(|at| self.contents.label(at))
    }

    /// Returns the counts so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Adds content to search for.
    ///
    /// # Errors
    /// Fails if there is more content than can be counted in 32 bits.
    pub fn add(&mut self, wanted: Wanted) -> io::Result<()> {
        self.contents.add_wanted(wanted).map_err(io::Error::other)
    }

    /// Adds the content of all entries in a manifest; `-` is standard input. Entries without a digest are reported as
    /// malformed lines.
    ///
    /// # Errors
    /// Returns the error of `on_event`. Problems with the manifest are reported and counted.
    pub fn add_manifest(&mut self, name: &Path, on_event: &mut Observer<'_>) -> io::Result<()> {
        let Search { options, progress, contents, own, report } = self;
        // An empty file needs no digest; torrents of version 2 have none for it.
        let sha256: Spec = "sha256".parse().map_err(io::Error::other)?;
        let (empty, specs) = ([sha256.digest(b"")], Arc::<[Spec]>::from([sha256]));
        let ended = listed_jobs(name, options, progress, own, &mut |listed| {
            let line = match listed {
                ListItem::Entry(job, _) if job.exempt => return Ok(()),
                ListItem::Entry(job, _) | ListItem::Pieced(job, _)
                    if !job.expected.is_empty() || job.size == Some(0) =>
                {
                    let (specs, readings) = match job.expected.is_empty() {
                        true => (&specs, vec![empty.to_vec()]),
                        false => (&job.specs, readings(&job.specs, &job.expected, &job.alternatives)),
                    };
                    let readings = readings.iter().map(|digests| (specs, &digests[..]));
                    match contents.add(&job.name, job.size, readings) {
                        Ok(()) => return Ok(()),
                        Err(reason) => BadLine { at: job.origin.1, reason, lacks_key: false },
                    }
                }
                ListItem::Entry(job, _) | ListItem::Pieced(job, _) => BadLine {
                    at: job.origin.1,
                    reason: "it contains no digest of a complete file".to_owned(),
                    lacks_key: false,
                },
                ListItem::Bad(line) => line,
                ListItem::Rules(_) => return Ok(()),
                ListItem::Omitted(doubt, objects) => {
                    report.omitted += objects;
                    return on_event(Event::Doubtful(&doubt));
                }
            };
            report.malformed += 1;
            on_event(Event::Malformed(name, &line))
        });
        match ended {
            Ok(_) => Ok(()),
            Err(ListEnd::Refused(error)) => Err(error),
            Err(ListEnd::Unread(error)) => {
                report.failed += 1;
                on_event(Event::Failed(&error))
            }
        }
    }

    /// Searches these files and folders. Symbolic links below a folder are followed only if `walk`
    /// specifies it.
    ///
    /// # Errors
    /// Returns the error of `on_event`. Problems with files are reported and counted.
    pub fn run(
        &mut self,
        paths: impl IntoIterator<Item: Into<OsString>>,
        walk: walk::Options,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        let Search { options, progress, contents, own, report } = self;
        report.found = vec![0; contents.len()];
        if contents.len() == 0 || progress.stopped() {
            report.interrupted |= progress.stopped();
            return Ok(());
        }
        let index = Index::new(contents);
        let paths: Vec<OsString> = paths.into_iter().map(Into::into).collect();
        let config = Config { special: walk.special, own: own.clone(), ..options.config(Root::Anywhere) };
        let walk = Walk::new(paths, walk, options.threads).of_arguments();
        let mut tasks = Candidates::new(walk.until(progress.stop_flag()), &index);
        let mut relay = Relay { index: &index, report, on_event };
        let summary = run(&config, &mut tasks, progress, &mut relay)?;
        report.passed += tasks.passed;
        report.left_out = tasks.walk.left_out();
        report.not_computed = std::mem::take(&mut tasks.not_computed);
        report.interrupted |= summary.interrupted;
        Ok(())
    }
}

/// Forwards the outcomes of a run to the receiver.
struct Relay<'r, 't> {
    index: &'r Index<'r>,
    report: &'r mut Report,
    on_event: &'r mut Observer<'t>,
}

impl Sink for Relay<'_, '_> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        let found = match &outcome.result {
            Ok(found) => found,
            Err(error) => {
                self.report.failed += 1;
                return (self.on_event)(Event::Failed(error));
            }
        };
        self.report.read += 1;
        self.report.bytes += found.size();
        for (wanted, by) in self.index.matches(found.size(), &outcome.job.specs, found.digests()) {
            self.report.found[wanted] += 1;
            let label = self.index.label(wanted);
            let found = Match { wanted, label, name: outcome.name(), size: found.size(), by: &by };
            (self.on_event)(Event::Match(&found))?;
        }
        Ok(())
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        match &notice {
            Notice::Failed(error) => {
                self.report.failed += 1;
                (self.on_event)(Event::Failed(error))
            }
            _ => (self.on_event)(Event::Passed(&notice)),
        }
    }

    fn pause(&mut self) -> io::Result<()> {
        (self.on_event)(Event::Pause)
    }
}
