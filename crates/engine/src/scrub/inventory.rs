//! The files of the tree next to the entries of the state: both are in the order of names, so a single pass finds new,
//! missing and modified files, in memory that does not depend on their number.

use crate::audit::same_time;
use crate::error::{Cause, Error};
use crate::io::anchor::{Anchor, stat_found};
use crate::io::open::Root;
use crate::job::{FileResult, Job};
use crate::progress::Progress;
use crate::scrub::limits::Limits;
use crate::scrub::listing::manifest_name;
use crate::scrub::plan::Classes;
use crate::scrub::record::Record;
use crate::scrub::scan::{Entry, Scan};
use crate::scrub::stamps::Stamps;
use crate::scrub::store::State;
use crate::select::Selection;
use crate::walk::{Facts, Item, Options, Walk, relative};
use std::collections::HashMap;
use std::iter::Peekable;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use truesum_fs::name::{self, OsStringExt};
use truesum_hash::Spec;
use truesum_manifest::{Place, Time};

/// The findings of the pass apart from the files to read, and the results that are still expected.
/// Shared with the receiver of the results.
#[derive(Default)]
pub(crate) struct Findings {
    /// The files that are being read, by the number of their job, with what is recorded about them.
    pub(crate) expected: HashMap<usize, (Vec<u8>, Option<Record>)>,
    /// Entries for which the walk found no file.
    pub(crate) gone: Vec<Entry>,
    /// Unchanged files by the day of their last complete read.
    pub(crate) classes: Classes,
    /// Files that could not be examined and folders that could not be listed.
    pub(crate) errors: Vec<Error>,
    /// Whether an entry is a failure of an earlier run.
    pub(crate) has_failures: bool,
    /// The number of files that the walk found.
    pub(crate) files: u64,
    /// The number of new, modified and failed files that were not read because a limit was reached.
    pub(crate) deferred: u64,
    /// The new ones among these files, which may be missing files that were moved.
    pub(crate) unread: Stamps,
    /// Why corrupt files could not be repaired.
    pub(crate) unrepaired: Vec<Error>,
    /// Why the state could not be read to its end.
    pub(crate) damage: Option<Error>,
}

/// [`Findings`] that are shared between threads.
#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<Findings>>);

impl Shared {
    pub(crate) fn get(&self) -> MutexGuard<'_, Findings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name of a file, its path, and the anchor from which it is opened.
type Found = (Vec<u8>, Vec<u8>, Option<Anchor>);

/// The files to read at once: new and modified ones, and those that failed before.
pub(crate) struct Inventory<'l> {
    /// The walk of the tree. A collection has none: its files are those with an entry.
    walk: Option<Walk>,
    /// The next file of the walk, if it was not used yet, and its size and time, if they are known.
    file: Option<(Found, Option<Facts>)>,
    scan: Peekable<Scan>,
    shared: Shared,
    limits: &'l Limits,
    specs: Arc<[Spec]>,
    root: &'l Path,
    folder: &'l Root,
    /// The files that belong to the tree. Files with an entry do so in any case.
    select: Selection,
    /// The names of files that are not part of the tree, such as the state file.
    own: Vec<Vec<u8>>,
    progress: &'l Progress,
    next: usize,
}

impl<'l> Inventory<'l> {
    /// Returns the inventory of a tree, given by its path and as an open folder.
    ///
    /// # Errors
    /// Fails if a rule of the state is invalid.
    pub(crate) fn new(
        (root, folder): (&'l Path, &'l Root),
        threads: usize,
        state: &State,
        own: Vec<Vec<u8>>,
        shared: &Shared,
        limits: &'l Limits,
        progress: &'l Progress,
    ) -> Result<Inventory<'l>, Error> {
        let select = state.head.selection(state.path())?;
        let options = Options::default().select(select.clone()).below_root(true);
        let walk = || Walk::new([root.to_owned()], options, threads).until(progress.stop_flag()).examining();
        let walk = (!state.head.is_collection()).then(walk);
        let (scan, shared, specs) = (state.scan().peekable(), shared.clone(), state.head.specs.clone());
        Ok(Inventory {
            walk,
            file: None,
            scan,
            shared,
            limits,
            specs,
            root,
            folder,
            select,
            own,
            progress,
            next: 0,
        })
    }

    /// Finds the next file of the walk, and stores it.
    fn find_file(&mut self) {
        let Some(walk) = &mut self.walk else { return };
        while self.file.is_none() {
            match walk.next() {
                None => return,
                Some(Item::File(path, anchor)) => {
                    let path = path.into_os_string().into_vec();
                    let name = relative(&path, &name::of(self.root)).to_vec();
                    if !self.own.contains(&name) {
                        self.shared.get().files += 1;
                        self.file = Some(((name, path, anchor), walk.last_facts()));
                    }
                }
                Some(Item::Failed(error)) => self.shared.get().errors.push(error),
                Some(
                    Item::Temporary(_)
                    | Item::State(_)
                    | Item::Link(_)
                    | Item::Dangling(_)
                    | Item::Special(..)
                    | Item::Stdin,
                ) => {}
            }
        }
    }

    /// Returns the job for a file, unless a limit has been reached.
    fn job(&mut self, file: Found, before: Option<Record>, facts: Facts) -> Option<(Job, u64)> {
        let ((name, path, anchor), size) = (file, facts.size);
        let is_open = before.as_ref().is_none_or(Record::is_failure);
        if !(if is_open { self.limits.grant_new(size) } else { self.limits.grant(size) }) {
            let mut found = self.shared.get();
            found.deferred += 1;
            // Other files must not delay it beyond its scheduled run, even if they are modified
            // before every run.
            match before {
                None => found.unread.add(Some(size), Some(facts.mtime)),
                Some(before) if !before.is_failure() => found.classes.add(before.day, size),
                Some(_) => {}
            }
            return None;
        }
        let job = match &before {
            Some(before) => Job { anchor, ..job_of(path, before) },
            None => Job { anchor, ..Job::entry(path, self.specs.clone(), Vec::new()) },
        };
        let job = job.with_origin((self.next, Place::Line(0)));
        self.shared.get().expected.insert(self.next, (name, before));
        self.next += 1;
        Some((job, size))
    }

    /// Returns the job for a file that must be read now, unless a limit has been reached.
    fn examine(&mut self, file: Found, before: Option<Record>, facts: Facts) -> Option<(Job, u64)> {
        if let Some(before) = &before
            && is_unchanged(before, facts.size, facts.mtime)
            && !before.is_failure()
            && !before.needs_examination()
        {
            self.shared.get().classes.add(before.day, facts.size);
            return None;
        }
        self.job(file, before, facts)
    }

    /// Returns the size and time of a file that has an entry and that the walk did not find: because the rules exclude it, or
    /// because a collection is not walked. Manifests may list symbolic links to files.
    fn unwalked(&self, name: &[u8]) -> Option<Facts> {
        if self.walk.is_some() && self.select.has_name(name) {
            return None;
        }
        let stat = self.folder.stat(name, self.walk.is_none()).ok().filter(|stat| stat.kind().is_file())?;
        Some(Facts::from(&stat))
    }

    /// Returns the next entry if its name is at most `name`.
    fn entry_until(&mut self, name: Option<&[u8]>) -> Option<Entry> {
        let fits = |entry: &Result<Entry, Error>| match (entry, name) {
            (Ok((key, _)), Some(name)) => key.as_slice() <= name,
            _ => true,
        };
        match self.scan.next_if(fits)? {
            Ok(entry) => {
                if entry.1.is_failure() {
                    self.shared.get().has_failures = true;
                }
                Some(entry)
            }
            Err(error) => {
                self.shared.get().damage.get_or_insert(error);
                None
            }
        }
    }
}

impl Iterator for Inventory<'_> {
    type Item = (Job, u64);

    fn next(&mut self) -> Option<(Job, u64)> {
        loop {
            self.find_file();
            let name = self.file.as_ref().map(|(file, _)| file.0.clone());
            let entry = self.entry_until(name.as_deref());
            // Without the other entries, or the other files, nothing more is known to be new or missing.
            if self.shared.get().damage.is_some() || self.progress.stopped() {
                return None;
            }
            let before = match (entry, &name) {
                (None, None) => return None,
                (None, Some(_)) => None,
                (Some((key, record)), Some(name)) if key == *name => Some(record),
                (Some((key, _)), _) if manifest_name(&key).is_some() => continue,
                (Some(entry), name) => {
                    if let Some(facts) = self.unwalked(&entry.0) {
                        self.shared.get().files += 1;
                        let (key, before) = entry;
                        if let Some(job) = self.examine((key.clone(), key, None), Some(before), facts) {
                            return Some(job);
                        }
                        continue;
                    }
                    let mut found = self.shared.get();
                    found.gone.push(entry);
                    // Nothing is missing if everything is: the run is refused.
                    if self.walk.is_some() && name.is_none() && found.files == 0 {
                        return None;
                    }
                    continue;
                }
            };
            let (file, facts) = self.file.take()?;
            let stat = || stat_found(&file.1, file.2.as_ref()).map(|stat| Facts::from(&stat));
            let facts = match facts.map_or_else(stat, Ok) {
                Ok(facts) => facts,
                Err(error) => {
                    let mut found = self.shared.get();
                    match before {
                        // It was removed after its folder was listed, or cannot be examined: decided later.
                        Some(before) => found.gone.push((file.0, before)),
                        None => found.errors.push(Error::io(&file.1, "open", error)),
                    }
                    continue;
                }
            };
            if let Some(job) = self.examine(file, before, facts) {
                return Some(job);
            }
        }
    }
}

/// Returns the job that compares a file with its record. Digests for entries that differ from it are computed too.
pub(crate) fn job_of(path: Vec<u8>, record: &Record) -> Job {
    let mut job = Job::entry(path, record.specs.clone(), record.digests.clone());
    job.compute_also(&record.pending_specs());
    job
}

/// Returns whether nothing shows that a file was modified since it was recorded.
fn is_unchanged(before: &Record, size: u64, mtime: Time) -> bool {
    before.size.is_none_or(|before| before == size)
        && before.mtime.is_none_or(|before| same_time(before, mtime))
}

/// The number of the first job of a pass of [`Due`].
pub(crate) const FIRST_DUE: usize = usize::MAX / 2;

/// The number of the first job that reads a repaired file.
pub(crate) const FIRST_REPAIRED: usize = usize::MAX / 4 * 3;

/// Returns whether a job reads a file that was due, although a limit had deferred it as a modified one.
pub(crate) fn was_deferred(job: &Job, before: &Record, found: &FileResult) -> bool {
    let (seconds, nanos) = found.mtime();
    let is_unchanged = is_unchanged(before, found.size(), Time { seconds, nanos });
    (FIRST_DUE..FIRST_REPAIRED).contains(&job.origin.0) && (before.needs_examination() || !is_unchanged)
}

/// The unchanged files of a class, or of several, in the order of names.
pub(crate) struct Due<'l> {
    pub(crate) scan: Scan,
    /// The days of their last complete read.
    pub(crate) days: Vec<u64>,
    pub(crate) shared: Shared,
    pub(crate) limits: &'l Limits,
    /// The folder of the files.
    pub(crate) root: &'l Root,
    pub(crate) next: usize,
}

impl Iterator for Due<'_> {
    type Item = (Job, u64);

    fn next(&mut self) -> Option<(Job, u64)> {
        loop {
            let (name, record) = match self.scan.next()? {
                Ok(entry) => entry,
                Err(error) => {
                    self.shared.get().damage.get_or_insert(error);
                    return None;
                }
            };
            if record.is_failure() || manifest_name(&name).is_some() || !self.days.contains(&record.day) {
                continue;
            }
            // A manifest without sizes may have been imported.
            let size = record.size.unwrap_or_else(|| self.root.size(&name));
            if !self.limits.grant_due(size) {
                return None;
            }
            let job = job_of(name.clone(), &record).with_origin((self.next, Place::Line(0)));
            self.shared.get().expected.insert(self.next, (name, Some(record)));
            self.next += 1;
            return Some((job, size));
        }
    }
}

/// Returns the error for a folder in which nothing was found: no file or, in a collection, no manifest.
pub(crate) fn nothing_found(root: &[u8], what: &str) -> Error {
    let why = format!("no {what} was found; is the file system mounted?");
    Error::new(root, "scrub", Cause::Other(why))
}
