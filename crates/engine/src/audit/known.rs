//! Sets of known content: determines which files have digests that are in a set, regardless of their names.
//!
//! A file is known if it matches all digests of one entry of one set, and the size if the entry has one. Digests are
//! stored as sorted bytes, so a set of millions of entries needs little more memory than the digests themselves.

use crate::error::{Cause, Error};
use crate::io::input::Input;
use crate::io::open::Root;
use crate::job::{Job, Outcome, readings};
use crate::progress::Progress;
use crate::run::run;
use crate::task::{BadLine, Notice, Sink, Task};
use crate::verify::entries::tasks::Entries;
use crate::verify::foreign::manifest_reader;
use crate::verify::manifest_digest::{CountedReader, ManifestDigest};
use crate::verify::options::ReadOptions;
use crate::verify::place::open;
use crate::walk::{Options as WalkOptions, Walk};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truesum_fs::name::OsStrExt;
use truesum_hash::{Digest, Spec};
use truesum_manifest::weak;

/// The maximum number of algorithms in all sets together.
const ALGORITHMS: usize = 16;

/// An event of a comparison with sets.
#[derive(Debug)]
#[non_exhaustive]
pub enum KnownEvent<'e> {
    /// A file that was read, whether it is known, and the digests that decided this.
    File(&'e Outcome, bool),
    /// A malformed line in this set.
    Malformed(&'e Path, &'e BadLine),
    /// A set, a folder or a file that could not be read.
    Failed(&'e Error),
}

/// Receives the events. Returning an error stops the comparison.
pub type KnownObserver<'t> = dyn FnMut(KnownEvent<'_>) -> io::Result<()> + 't;

readable! {
    /// The counts of a comparison with sets.
    #[derive(Clone, Debug, Default)]
    pub struct KnownReport {
        /// Entries in all sets that have a digest.
        listed: u64,
        /// Files whose content is in a set.
        known: u64,
        /// Files whose content is in no set.
        unknown: u64,
        /// Files and folders that could not be read.
        unreadable: u64,
        /// Bytes read.
        bytes: u64,
        /// Malformed lines.
        malformed: u64,
        /// Sets that could not be read or contain no digest.
        failed: u64,
        /// Whether the comparison was stopped before its end.
        interrupted: bool,
        /// Algorithms in the sets for which a matching digest does not rule out tampering.
        not_tamper_evident: BTreeSet<String> => &BTreeSet<String>,
    }
}

/// Entries that have the same properties.
struct Kind {
    specs: Arc<[Spec]>,
    /// Whether the entries have a size, which must match too. It follows the digests.
    sized: bool,
    /// The length of an entry's properties in bytes.
    width: usize,
    /// The properties of all entries, sorted after all entries have been read.
    digests: Vec<u8>,
}

/// Sets of known content.
pub struct KnownSets<'a> {
    options: &'a ReadOptions,
    progress: &'a Progress,
    kinds: Vec<Kind>,
    report: KnownReport,
}

impl<'a> KnownSets<'a> {
    /// Returns a comparison without sets. [`Progress::stop`] ends the work early.
    pub fn new(options: &'a ReadOptions, progress: &'a Progress) -> KnownSets<'a> {
        KnownSets { options, progress, kinds: Vec::new(), report: KnownReport::default() }
    }

    /// Returns the counts so far.
    pub fn report(&self) -> &KnownReport {
        &self.report
    }

    /// Reads the sets, which are manifests of any format, then the files and all files in the folders. Reports each
    /// file in order.
    ///
    /// # Errors
    /// Returns the error of `on_event`. Problems with sets and files are reported and counted.
    pub fn compare(
        &mut self,
        sets: &[impl AsRef<Path>],
        paths: &[PathBuf],
        on_event: &mut KnownObserver<'_>,
    ) -> io::Result<()> {
        for name in sets {
            self.read(name.as_ref(), on_event)?;
        }
        self.kinds.iter_mut().for_each(Kind::sort);
        let mut specs: Vec<Spec> = Vec::new();
        for spec in self.kinds.iter().flat_map(|kind| kind.specs.iter()) {
            if !specs.contains(spec) {
                specs.push(spec.clone());
            }
        }
        if specs.len() > ALGORITHMS {
            let why = format!(
                "the sets contain digests of {} algorithms, but at most {ALGORITHMS} algorithms can be used at once",
                specs.len()
            );
            return self.failed(&Error::new(b"known sets", "use", Cause::Other(why)), on_event);
        }
        self.report.interrupted |= self.progress.stopped();
        if self.report.failed > 0 || self.report.interrupted {
            return Ok(());
        }
        for spec in specs.iter().filter(|spec| weak::verdict(spec) != weak::Strength::TamperEvident) {
            self.report.not_tamper_evident.insert(spec.to_string());
        }
        let specs: Arc<[Spec]> = specs.into();
        let walk = Walk::new(paths.to_vec(), WalkOptions::default(), self.options.threads);
        let walk = walk.until(self.progress.stop_flag());
        let mut tasks = walk.map(|item| item.task(&specs));
        let mut config = self.options.config(Root::Anywhere);
        config.own.clone_from(&self.options.own);
        let mut relay = Relay { kinds: &self.kinds, report: &mut self.report, on_event };
        let summary = run(&config, &mut tasks, self.progress, &mut relay)?;
        self.report.bytes = summary.bytes;
        self.report.interrupted |= summary.interrupted;
        Ok(())
    }

    /// Reads one set.
    fn read(&mut self, name: &Path, on_event: &mut KnownObserver<'_>) -> io::Result<()> {
        let bytes = name.as_os_str().as_bytes();
        let file = match open(name, self.progress) {
            Ok((file, _)) => file,
            Err(error) => return self.failed(&error, on_event),
        };
        let manifest_digest = ManifestDigest::new(false);
        let reader = CountedReader { reader: file, progress: self.progress, digest: &manifest_digest };
        let reader = match manifest_reader(reader, name, None, self.options) {
            Ok(reader) => reader,
            Err(error) if matches!(error.cause(), Cause::Interrupted) => return Ok(()),
            Err(error) => return self.failed(&error, on_event),
        };
        let before = self.report.listed;
        let root = Root::Anywhere;
        let reading = self.options.manifest(bytes, self.progress).allow_set(true);
        let mut entries = Entries::new(reader, reading, &root, 0, None);
        for task in entries.by_ref() {
            match task {
                Task::File(job) => self.add(&job),
                Task::Notice(Notice::Malformed(line)) => {
                    self.report.malformed += 1;
                    on_event(KnownEvent::Malformed(name, &line))?;
                }
                Task::Notice(_) => {}
            }
        }
        match entries.facts().failed {
            Some(error) if Input::is_interruption(&error) => Ok(()),
            Some(error) => self.failed(&Error::io(bytes, "read", error), on_event),
            None if self.report.listed == before => {
                let why = Cause::Other("it contains no digest of a complete file".to_owned());
                self.failed(&Error::new(bytes, "use", why), on_event)
            }
            None => Ok(()),
        }
    }

    fn add(&mut self, job: &Job) {
        if job.expected.is_empty() {
            return;
        }
        self.report.listed += 1;
        let sized = job.size.is_some();
        let at = match self.kinds.iter().position(|kind| kind.specs == job.specs && kind.sized == sized) {
            Some(at) => at,
            None => {
                let width = job.expected.iter().map(width).sum::<usize>() + if sized { 8 } else { 0 };
                self.kinds.push(Kind { specs: job.specs.clone(), sized, width, digests: Vec::new() });
                self.kinds.len() - 1
            }
        };
        let kind = &mut self.kinds[at];
        for reading in readings(&job.specs, &job.expected, &job.alternatives) {
            reading.iter().for_each(|digest| put(digest, &mut kind.digests));
            kind.digests.extend(job.size.into_iter().flat_map(u64::to_be_bytes));
        }
    }

    fn failed(&mut self, error: &Error, on_event: &mut KnownObserver<'_>) -> io::Result<()> {
        self.report.failed += 1;
        on_event(KnownEvent::Failed(error))
    }
}

/// Appends the bytes of a digest and the number of its parts, if it has one.
fn put(digest: &Digest, into: &mut Vec<u8>) {
    into.extend_from_slice(digest.as_bytes());
    into.extend(digest.parts().into_iter().flat_map(u64::to_be_bytes));
}

fn width(digest: &Digest) -> usize {
    digest.len() + digest.parts().map_or(0, |_| 8)
}

impl Kind {
    fn sort(&mut self) {
        let mut rows: Vec<&[u8]> = self.digests.chunks_exact(self.width.max(1)).collect();
        rows.sort_unstable();
        rows.dedup();
        self.digests = rows.concat();
    }

    /// Returns whether an entry has these digests.
    fn holds(&self, digests: &[u8]) -> bool {
        let count = self.digests.len() / self.width.max(1);
        let row = |at: usize| &self.digests[at * self.width..(at + 1) * self.width];
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            match row(middle).cmp(digests) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        false
    }
}

/// Forwards the outcomes of a run to the receiver.
struct Relay<'r, 't> {
    kinds: &'r [Kind],
    report: &'r mut KnownReport,
    on_event: &'r mut KnownObserver<'t>,
}

impl Sink for Relay<'_, '_> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        let found = match &outcome.result {
            Ok(found) => found,
            Err(error) => {
                self.report.unreadable += 1;
                return (self.on_event)(KnownEvent::Failed(error));
            }
        };
        let mut row = Vec::new();
        let known = self.kinds.iter().any(|kind| {
            row.clear();
            for spec in kind.specs.iter() {
                let at = outcome.job.specs.iter().position(|own| own == spec);
                at.into_iter().for_each(|at| put(&found.digests()[at], &mut row));
            }
            if kind.sized {
                row.extend(found.size().to_be_bytes());
            }
            row.len() == kind.width && kind.holds(&row)
        });
        match known {
            true => self.report.known += 1,
            false => self.report.unknown += 1,
        }
        (self.on_event)(KnownEvent::File(&outcome, known))
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        match notice {
            Notice::Failed(error) => {
                self.report.unreadable += 1;
                (self.on_event)(KnownEvent::Failed(&error))
            }
            _ => Ok(()),
        }
    }
}
