//! The runs of a comparison: comparing files with the manifest, and hashing files without known digests.

use crate::audit::comparison::Quick;
use crate::audit::comparison::{Comparison, FAILED, LISTED, Observer, SAME, UNSEEN};
use crate::audit::stamps::{is_before, same_time};
use crate::content::set::Set;
use crate::error::Kind;
use crate::hash_files::Each;
use crate::io::open::Root;
use crate::job::{Found, Job, Outcome, Summary, Verdict};
use crate::run::run;
use crate::task::Task;
use std::io;
use std::path::Path;
use std::sync::Arc;
use truesum_hash::{Digest, Spec};
use truesum_manifest::{Place, Time};

/// The files of a set as tasks.
struct Jobs<'s> {
    set: &'s Set,
    /// The folder in which sizes are examined before files are read, if requested.
    sizes: Option<&'s Root>,
    /// The folder in which files are examined that need not be read if they appear to match the manifest.
    quick: Option<(&'s Root, Quick)>,
    files: std::vec::IntoIter<u32>,
    /// The algorithms to compute if no digests are expected.
    specs: Option<&'s Arc<[Spec]>>,
    /// Files that are not read because their sizes differ, with size and time.
    skipped: Vec<(u32, u64, Time)>,
    /// Files that are not read because they appear to match the manifest.
    passed: Vec<u32>,
}

impl Jobs<'_> {
    /// Returns the current size, modification time and status change time of a file.
    fn look(&self, root: &Root, at: u32) -> Option<(u64, Time, Time)> {
        let stat = root.stat(self.set.name(at), false).ok()?;
        let time = stat.mtime();
        let changed = stat.ctime();
        stat.kind().is_file().then_some((stat.size(), time, changed))
    }

    /// Returns the size and time of a file whose size differs from the manifest.
    fn other_size(&self, at: u32) -> Option<(u64, Time)> {
        let (root, size) = (self.sizes?, self.set.size(at)?);
        let (found, time, _) = self.look(root, at)?;
        (found != size).then_some((found, time))
    }

    /// Returns whether a file need not be read: size and time match the manifest, and its status has not changed since
    /// the manifest was written. Programs cannot set the status change time, so it also reveals an edit after which the
    /// modification time was set back.
    fn seems_same(&self, at: u32) -> bool {
        let Some((root, quick)) = self.quick else { return false };
        self.look(root, at).is_some_and(|(size, time, changed)| {
            let same =
                self.set.time(at).map_or(quick.trusts_date && is_before(time, quick.written), |listed| {
                    same_time(listed, time)
                });
            same && is_before(changed, quick.written) && self.set.size(at).is_none_or(|listed| listed == size)
        })
    }
}

impl Iterator for Jobs<'_> {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        let at = loop {
            let at = self.files.next()?;
            if self.seems_same(at) {
                self.passed.push(at);
                continue;
            }
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
        Some(Task::File(Job { size, mtime, origin, ..Job::entry(name, specs, expected) }))
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
        let [listed, found] = &mut self.sets;
        let sizes = sizes_first.then_some(&config.root);
        let quick = self.requested.quick.map(|written| (&config.root, written));
        let (skipped, passed) = (Vec::new(), Vec::new());
        let mut jobs =
            Jobs { set: listed, sizes, quick, files: files.into_iter(), specs: None, skipped, passed };
        let notes = self.requested.notes;
        let (state, errors) = (&mut self.state, &mut self.errors);
        let none: Arc<[Spec]> = Arc::from([]);
        let mut add = |at: u32, facts, specs: &Arc<[Spec]>, digests: &[Digest]| {
            // Every name in the manifest is processed once, so nothing is recorded for it yet.
            found.insert(listed.name(at), facts, specs, digests).unwrap_or(FAILED)
        };
        let mut each = Each(|outcome: Outcome| {
            let at = outcome.job.origin.0 as u32;
            let verdict = outcome.verdict();
            let touched = |read: &Found| {
                let time = Time { seconds: read.mtime().0, nanos: read.mtime().1 };
                notes && listed.time(at).is_some_and(|listed| !same_time(listed, time))
            };
            state[at as usize] = match (verdict, outcome.result) {
                (Verdict::Verified, Ok(read)) if !touched(&read) => SAME,
                (Verdict::Missing, _) => UNSEEN,
                (_, Ok(read)) => {
                    let time = Time { seconds: read.mtime().0, nanos: read.mtime().1 };
                    add(at, (Some(read.size()), Some(time)), &outcome.job.specs, read.digests())
                }
                (_, Err(error)) if error.kind() == Kind::Interrupted => UNSEEN,
                (_, Err(error)) => {
                    errors.insert((LISTED, at), error);
                    FAILED
                }
            };
        });
        let summary = run(&config, &mut jobs, self.progress, &mut each)?;
        for (at, size, time) in std::mem::take(&mut jobs.skipped) {
            state[at as usize] = add(at, (Some(size), Some(time)), &none, &[]);
        }
        self.requested.unread += jobs.passed.len() as u64;
        jobs.passed.into_iter().for_each(|at| state[at as usize] = SAME);
        self.ran(&summary);
        Ok(())
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
        let (skipped, passed) = (Vec::new(), Vec::new());
        let mut jobs = Jobs { set, sizes: None, quick: None, files, specs: Some(specs), skipped, passed };
        let (mut read, errors) = (Vec::new(), &mut self.errors);
        let mut each = Each(|outcome: Outcome| {
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
        self.ran(&summary);
        Ok(())
    }

    fn ran(&mut self, summary: &Summary) {
        self.report.read += summary.files;
        self.report.bytes += summary.bytes;
        self.report.interrupted |= summary.interrupted;
    }
}
