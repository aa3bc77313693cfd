//! The runs of a comparison: comparing files with the manifest, and hashing files without known digests.

use crate::audit::comparison::QuickCheck;
use crate::audit::comparison::{Comparison, FAILED, LISTED, NOT_FOUND, Observer, SAME};
use crate::audit::stamps::{is_before, same_time};
use crate::audit::status::Event;
use crate::content::set::{Compared, Set};
use crate::error::{Error, Kind};
use crate::hash_files::OutcomeFn;
use crate::io::memory_limit::thread;
use crate::io::open::{FolderCache, Root};
use crate::job::{FileResult, Job, Outcome, Summary, Verdict};
use crate::run::config::cores;
use crate::run::run;
use crate::task::Task;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use truesum_hash::{Digest, Spec};
use truesum_manifest::{Place, Time};

/// The minimum number of files that a thread examines. It takes longer to start a thread than to examine fewer.
const SHARE: usize = 256;

/// The files of a set as tasks.
struct Jobs<'s> {
    set: &'s Set,
    /// The folder in which sizes are examined before files are read, if requested.
    sizes: Option<FolderCache<'s>>,
    files: std::vec::IntoIter<u32>,
    /// The algorithms to compute if no digests are expected.
    specs: Option<&'s Arc<[Spec]>>,
    /// Files that are not read because their sizes differ, with size and time.
    skipped: Vec<(u32, u64, Time)>,
}

/// Returns the current size, modification time and status change time of a file.
fn look(folders: &mut FolderCache<'_>, name: &[u8]) -> Option<(u64, Time, Time)> {
    let stat = folders.stat(name).ok()?;
    stat.kind().is_file().then_some((stat.size(), stat.mtime(), stat.ctime()))
}

impl Jobs<'_> {
    /// Returns the size and time of a file whose size differs from the manifest.
    fn other_size(&mut self, at: u32) -> Option<(u64, Time)> {
        let (folders, size) = (self.sizes.as_mut()?, self.set.size(at)?);
        let (found, time, _) = look(folders, self.set.name(at))?;
        (found != size).then_some((found, time))
    }
}

impl QuickCheck {
    /// Returns whether a file need not be read: size and time match the manifest, and its status has not changed since
    /// the manifest was written. Programs cannot set the status change time, so it also reveals an edit after which the
    /// modification time was set back.
    fn seems_same(self, set: &Set, at: u32, folders: &mut FolderCache<'_>) -> bool {
        look(folders, set.name(at)).is_some_and(|(size, time, changed)| {
            let same = set
                .time(at)
                .map_or(self.trusts_date && is_before(time, self.written), |listed| same_time(listed, time));
            same && is_before(changed, self.written) && set.size(at).is_none_or(|listed| listed == size)
        })
    }

    /// Returns the files that must be read. Several threads examine them, each of them files that follow each other.
    /// Files that are not examined because the run is stopped are among the result.
    fn unread(self, set: &Set, root: &Root, files: Vec<u32>, threads: usize, stop: &AtomicBool) -> Vec<u32> {
        let differs = |folders: &mut FolderCache<'_>, at: &u32| {
            stop.load(Relaxed) || !self.seems_same(set, *at, folders)
        };
        let some = |share: &[u32]| -> Vec<u32> {
            let mut folders = FolderCache::new(root);
            share.iter().copied().filter(|at| differs(&mut folders, at)).collect()
        };
        let share = files.len().div_ceil(threads.max(1)).max(SHARE);
        let (first, others) = files.split_at(share.min(files.len()));
        std::thread::scope(|scope| {
            let others: Vec<_> = others
                .chunks(share)
                .map(|share| {
                    let some = || some(share);
                    (share, thread("stat").and_then(|builder| builder.spawn_scoped(scope, some).ok()))
                })
                .collect();
            let mut unread = some(first);
            for (share, started) in others {
                unread.extend(match started {
                    Some(started) => started.join().expect("examining files does not panic"),
                    None => some(share),
                });
            }
            unread
        })
    }
}

/// Records what was found for files in the manifest.
pub(super) struct Results<'r> {
    pub(super) listed: &'r Set,
    pub(super) found: &'r mut Set,
    pub(super) state: &'r mut [u32],
    pub(super) errors: &'r mut BTreeMap<(usize, u32), Error>,
    pub(super) pieces: &'r mut HashMap<u32, Compared>,
    pub(super) undecided: &'r mut HashMap<u32, bool>,
    /// Whether a file whose time differs is recorded even if its content is the same.
    pub(super) notes: bool,
}

impl Results<'_> {
    /// Records the facts found about a file.
    fn add_found(
        &mut self,
        at: u32,
        facts: (Option<u64>, Option<Time>),
        specs: &Arc<[Spec]>,
        digests: &[Digest],
    ) {
        let found = self.found.insert(self.listed.name(at), facts, specs, digests);
        self.state[at as usize] = found.unwrap_or(FAILED);
    }

    /// Records the outcome for the file with the index that the job has as its origin.
    pub(super) fn add(&mut self, outcome: Outcome) {
        let at = outcome.job.origin.0 as u32;
        let verdict = outcome.verdict();
        let is_shared = outcome.has_only_shared_damage();
        let touched = |read: &FileResult| {
            let time = Time { seconds: read.mtime().0, nanos: read.mtime().1 };
            self.notes && self.listed.time(at).is_some_and(|listed| !same_time(listed, time))
        };
        self.state[at as usize] = match (verdict, outcome.result) {
            (Verdict::Verified, Ok(read)) if !touched(&read) => SAME,
            (Verdict::Missing, _) => NOT_FOUND,
            (_, Ok(read)) => {
                match (read.pieces(), verdict) {
                    (Some(_), Verdict::Mismatch) if !is_shared => {
                        self.pieces.insert(at, Compared::Differs);
                    }
                    (Some(_), Verdict::Mismatch | Verdict::Unverified) => {
                        self.undecided.insert(at, is_shared);
                    }
                    _ => {}
                }
                let time = Time { seconds: read.mtime().0, nanos: read.mtime().1 };
                return self.add_found(
                    at,
                    (Some(read.size()), Some(time)),
                    &outcome.job.specs,
                    read.digests(),
                );
            }
            (_, Err(error)) if error.kind() == Kind::Interrupted => NOT_FOUND,
            (_, Err(error)) => {
                self.errors.insert((LISTED, at), error);
                FAILED
            }
        };
    }
}

impl Iterator for Jobs<'_> {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        let at = loop {
            let at = self.files.next()?;
            match self.other_size(at) {
                Some((size, time)) => self.skipped.push((at, size, time)),
                None => break at,
            }
        };
        let name = self.set.name(at).to_vec();
        let (specs, expected): (Arc<[Spec]>, Vec<Digest>) = match self.specs {
            Some(specs) => (specs.clone(), Vec::new()),
            None => {
                let digests = self.set.digests(at).into_iter().map(|(_, digest)| digest).collect();
                (self.set.specs(at).clone(), digests)
            }
        };
        let size = if expected.is_empty() { None } else { self.set.size(at) };
        let (mtime, origin) = (self.set.time(at), (at as usize, Place::Line(0)));
        let alternatives = if expected.is_empty() { &[] } else { self.set.alternatives(at) }.into();
        Some(Task::File(Job { alternatives, size, mtime, origin, ..Job::entry(name, specs, expected) }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.files.size_hint()
    }
}

impl Comparison<'_> {
    /// Compares files in the manifest with the files of these names. With `sizes_first`, files of a different size are
    /// not read.
    pub(super) fn listed_files(
        &mut self,
        folder: &Path,
        files: Vec<u32>,
        sizes_first: bool,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        let read = &self.options.read;
        let root = match read.root_of(folder) {
            Ok(root) => root,
            Err(error) => return self.failed(&error, on_event),
        };
        let config = read.config(root);
        // An update refuses manifests with pieces, so they need not be read.
        let (files, pieced) = match self.requested.notes {
            true => (files, Vec::new()),
            false => self.take_pieced(files),
        };
        let [listed, found] = &mut self.sets;
        let (listed, state) = (&*listed, &mut self.state);
        let sizes = sizes_first.then(|| FolderCache::new(&config.root));
        let files = match self.requested.quick {
            None => files,
            Some(quick) => {
                let threads = if read.threads == 0 { cores() } else { read.threads };
                let stop = self.progress.stop_flag();
                let unread = quick.unread(listed, &config.root, files.clone(), threads, &stop);
                self.requested.unread += (files.len() - unread.len()) as u64;
                files.into_iter().for_each(|at| state[at as usize] = SAME);
                unread.iter().for_each(|&at| state[at as usize] = NOT_FOUND);
                unread
            }
        };
        let mut jobs =
            Jobs { set: listed, sizes, files: files.into_iter(), specs: None, skipped: Vec::new() };
        let mut results = Results {
            listed,
            found,
            state,
            errors: &mut self.errors,
            pieces: &mut self.compared_pieces,
            undecided: &mut self.undecided,
            notes: self.requested.notes,
        };
        let summary = run(&config, &mut jobs, self.progress, &mut OutcomeFn(|outcome| results.add(outcome)))?;
        for (at, size, time) in std::mem::take(&mut jobs.skipped) {
            results.add_found(at, (Some(size), Some(time)), &Arc::from([]), &[]);
        }
        let (by_pieces, doubts) = results.of_pieces(pieced, &config, self.progress)?;
        self.add_summary(&summary);
        self.add_summary(&by_pieces);
        doubts.iter().try_for_each(|doubt| on_event(Event::Doubtful(doubt)))
    }

    /// Computes the digests of a side's files. Files that could not be read have an error afterwards.
    pub(super) fn hash(
        &mut self,
        side: usize,
        folder: &Path,
        files: &[u32],
        specs: &Arc<[Spec]>,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        if files.is_empty() || self.progress.stopped() {
            return Ok(());
        }
        let read = &self.options.read;
        let root = match read.root_of(folder) {
            Ok(root) => root,
            Err(error) => return self.failed(&error, on_event),
        };
        let config = read.config(root);
        let set = &self.sets[side];
        let files = Vec::from(files).into_iter();
        let mut jobs = Jobs { set, sizes: None, files, specs: Some(specs), skipped: Vec::new() };
        let (mut read, errors) = (Vec::new(), &mut self.errors);
        let mut each = OutcomeFn(|outcome: Outcome| {
            let at = outcome.job.origin.0 as u32;
            match outcome.result {
                Ok(found) => read.push((at, found)),
                Err(error) => drop(errors.insert((side, at), error)),
            }
        });
        let summary = run(&config, &mut jobs, self.progress, &mut each)?;
        for (at, found) in read {
            let time = Time { seconds: found.mtime().0, nanos: found.mtime().1 };
            self.sets[side].set_facts(at, found.size(), time);
            self.sets[side].set_digests(at, specs, found.digests());
        }
        self.add_summary(&summary);
        Ok(())
    }

    fn add_summary(&mut self, summary: &Summary) {
        self.report.read += summary.files;
        self.report.bytes += summary.bytes;
        self.report.interrupted |= summary.interrupted;
    }
}
