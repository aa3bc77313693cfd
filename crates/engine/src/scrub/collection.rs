//! Reads the manifests and bags of a collection: which files they list, and which of them are missing or invalid.

use crate::audit::FileStatus;
use crate::audit::stamps::of_different_content;
use crate::error::{Cause, Error};
use crate::io::open::Root;
use crate::progress::Progress;
use crate::scrub::history::Run;
use crate::scrub::listing::{Listing, manifest_name};
use crate::scrub::policy::Policy;
use crate::scrub::record::Record;
use crate::scrub::sorted::{Sorted, Sorter};
use crate::scrub::store::State;
use crate::select::names::plain;
use crate::verify::containers::{bag, unlisted_in_bag};
use crate::verify::discovery::manifests_below;
use crate::verify::listed::ListedNames;
use crate::verify::listed_jobs::{ListEnd, ListItem, listed_jobs};
use crate::verify::options::ReadOptions;
use crate::walk::relative;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truesum_fs::Errno;
use truesum_fs::metadata::Metadata;
use truesum_fs::name::{self, OsStrExt};
use truesum_manifest::Time;
use truesum_manifest::path::{display_safe, within_root};

/// A manifest or bag in this run.
pub(crate) struct Manifest {
    /// Its path relative to the collection; `.` for a bag that is the collection itself.
    pub(crate) name: Vec<u8>,
    /// The facts that earlier runs recorded about it.
    pub(crate) before: ManifestRecord,
    /// Its size and modification time, if it is a file.
    pub(crate) stamp: Option<(u64, Time)>,
    /// Why it is missing, cannot be read, or is not valid.
    pub(crate) failure: Option<Box<(FileStatus, Error)>>,
}

/// The part of a [`Record`] that manifests have. All manifests are in memory during a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ManifestRecord {
    pub(crate) stamp: Option<(u64, Time)>,
    /// The day on which it was recorded.
    pub(crate) day: u64,
    pub(crate) status: FileStatus,
}

impl ManifestRecord {
    fn of(record: &Record) -> ManifestRecord {
        ManifestRecord { stamp: record.size.zip(record.mtime), day: record.accepted, status: record.status }
    }

    /// Returns whether the manifest has no record from earlier runs than the one of this day.
    pub(crate) fn is_new(&self, today: u64) -> bool {
        self.day == today
    }

    /// Returns the record of the manifest with this number.
    pub(crate) fn record(self, number: u64) -> Record {
        let (size, mtime) = self.stamp.unzip();
        Record {
            size,
            mtime,
            ctime: None,
            inode: 0,
            specs: Arc::from([]),
            digests: Vec::new(),
            day: self.day,
            accepted: self.day,
            verified: None,
            status: self.status,
            manifests: vec![number],
            pending: None,
        }
    }
}

impl Manifest {
    /// Returns the status of this manifest if its entries differ from those that were recorded.
    pub(crate) fn status_if_different(&self) -> FileStatus {
        let time = |stamp: Option<(u64, Time)>| stamp.map(|(_, mtime)| mtime);
        of_different_content(time(self.before.stamp), time(self.stamp))
    }

    /// Returns whether the manifest was updated: it is valid and was modified according to its modification time.
    pub(crate) fn is_updated(&self, policy: &Policy) -> bool {
        let is_modified = match self.status_if_different() {
            FileStatus::Changed => true,
            status => policy.accepts(status),
        };
        self.failure.is_none() && is_modified
    }
}

/// The manifests and bags of a collection by number.
#[derive(Default)]
pub(crate) struct Collection {
    pub(crate) manifests: BTreeMap<u64, Manifest>,
    /// New manifests that the policy does not accept. Their entries are not used.
    pub(crate) refused: Vec<Vec<u8>>,
    /// Errors that concern no single manifest: folders that could not be listed, faults of bags.
    pub(crate) errors: Vec<Error>,
    /// The number of files that may be manifests and are not used, and one of them.
    pub(crate) skipped: u64,
    pub(crate) skipped_file: Option<PathBuf>,
}

impl Collection {
    /// Returns whether a manifest or bag was found, or a file that may be one and cannot be used.
    pub(crate) fn has_manifests(&self) -> bool {
        let is_found = |manifest: &Manifest| {
            manifest.failure.as_ref().is_none_or(|failure| failure.0 != FileStatus::Missing)
        };
        !self.errors.is_empty() || !self.refused.is_empty() || self.manifests.values().any(is_found)
    }
}

/// Reads the manifests of a collection.
struct Reading<'r> {
    root: &'r Path,
    options: ReadOptions,
    policy: &'r Policy,
    progress: &'r Progress,
    /// The manifests from earlier runs that have not been found yet.
    known: HashMap<Vec<u8>, (u64, ManifestRecord)>,
    /// The number of the last new manifest.
    last: u64,
    today: u64,
    collection: Collection,
    sorter: Sorter,
}

/// Finds and reads the manifests of a collection. Returns their entries, sorted by the names of their files.
///
/// # Errors
/// Fails if the state is damaged, or if a temporary file cannot be written.
pub(crate) fn read(
    root: &Path,
    state: &State,
    (policy, run): (&Policy, &Run),
    threads: usize,
    progress: &Progress,
) -> Result<(Collection, Sorted), Error> {
    let mut reading = Reading {
        root,
        options: ReadOptions::default().threads(threads),
        policy,
        progress,
        known: HashMap::new(),
        // A number is not used again, even if this run is killed, or if the manifest is removed.
        last: run.number << 32,
        today: run.day,
        collection: Collection::default(),
        sorter: Sorter::default(),
    };
    // The keys of manifests are before those of files.
    for entry in state.scan() {
        let (key, record) = entry?;
        let Some(name) = manifest_name(&key) else { break };
        let number = record.manifests.first().copied().unwrap_or(0);
        reading.known.insert(name.to_vec(), (number, ManifestRecord::of(&record)));
    }
    let found = manifests_below(root.to_owned(), &reading.options, progress);
    (reading.collection.skipped, reading.collection.skipped_file) = (found.skipped, found.skipped_file);
    reading.collection.errors = found.errors;
    for path in found.manifests {
        if progress.stopped() {
            break;
        }
        reading.place(&path).map_err(|error| Error::io(&name::of(root), "sort the entries of", error))?;
    }
    for (name, (number, before)) in reading.known {
        let failure = Some(Box::new(absence(&root.join(OsStr::from_bytes(&name)))));
        let manifest = Manifest { name, before, stamp: None, failure };
        reading.collection.manifests.insert(number, manifest);
    }
    let sorted = reading.sorter.finish();
    let sorted = sorted.map_err(|error| Error::io(&name::of(root), "sort the entries of", error))?;
    Ok((reading.collection, sorted))
}

/// Returns the status of a manifest or bag that was not found, and why.
fn absence(path: &Path) -> (FileStatus, Error) {
    let name = path.as_os_str().as_bytes();
    match Root::Anywhere.stat(name, true) {
        Ok(stat) => {
            let what = if stat.kind().is_dir() { "bag" } else { "manifest" };
            let why = Cause::Other(format!("it is no longer a {what}"));
            (FileStatus::Unreadable, Error::new(name, "use", why))
        }
        Err(error @ (Errno::NOENT | Errno::NOTDIR)) => (FileStatus::Missing, Error::io(name, "open", error)),
        Err(error) => (FileStatus::Unreadable, Error::io(name, "open", error)),
    }
}

impl Reading<'_> {
    /// Reads a manifest, or those of a bag.
    fn place(&mut self, path: &Path) -> io::Result<()> {
        let bag = match bag::open(path) {
            None => {
                if let Some(number) = self.add(path) {
                    self.list(path, number, None)?;
                }
                return Ok(());
            }
            Some(bag) => bag,
        };
        let Some(folder) = self.add(path) else { return Ok(()) };
        let faults = match bag {
            Ok(bag) => self.bag(path, &bag)?,
            Err(error) => vec![error],
        };
        if let Some(first) = faults.first() {
            let failure = Box::new((FileStatus::Unreadable, first.under(first.name())));
            self.collection.manifests.entry(folder).and_modify(|bag| bag.failure = Some(failure));
        }
        // The first one is reported with the bag.
        self.collection.errors.extend(faults.into_iter().skip(1));
        Ok(())
    }

    /// Reads the manifests of a bag. Returns what makes it incomplete or invalid, as a check of the bag does.
    fn bag(&mut self, folder: &Path, bag: &bag::Bag) -> io::Result<Vec<Error>> {
        let (mut listed, mut faults) = (ListedNames::default(), bag::faults(folder));
        for (at, path) in bag.payload.iter().enumerate() {
            if bag.all_in_each {
                listed = ListedNames::default();
            }
            if let Some(number) = self.add(path) {
                self.list(path, number, Some(&mut listed))?;
            }
            if self.progress.stopped() {
                return Ok(faults);
            }
            if bag.all_in_each && listed.has_duplicates() {
                faults.push(bag::duplicate_entry_error(path));
            }
            if bag.all_in_each || at + 1 == bag.payload.len() {
                let found = unlisted_in_bag(folder, path, &mut listed, &[], self.progress)?;
                faults.extend(found.faults.into_iter().chain(found.failed));
                faults.extend(bag::unlisted_fetches(folder, &mut |name| listed.contains(name)));
            }
        }
        for path in &bag.tags {
            if let Some(number) = self.add(path) {
                self.list(path, number, Some(&mut ListedNames::default()))?;
            }
        }
        Ok(faults)
    }

    /// Adds a manifest or bag. Returns its number, or `None` if it is new and not accepted.
    fn add(&mut self, path: &Path) -> Option<u64> {
        let name = match relative(&name::of(path), &name::of(self.root)) {
            b"" => b".".to_vec(),
            name => name.to_vec(),
        };
        let (number, before) = match self.known.remove(&name) {
            Some(known) => known,
            None if !self.policy.accepts(FileStatus::New) => {
                self.collection.refused.push(name);
                return None;
            }
            None => {
                self.last += 1;
                (self.last, ManifestRecord { stamp: None, day: self.today, status: FileStatus::New })
            }
        };
        let stat = Metadata::at(path).ok().filter(|stat| stat.kind().is_file());
        let stamp = stat.map(|stat| (stat.size(), stat.mtime()));
        self.collection.manifests.insert(number, Manifest { name, before, stamp, failure: None });
        Some(number)
    }

    /// Forgets a manifest of this run. Returns whether it is not one of an earlier run.
    fn forget_new(&mut self, number: u64) -> bool {
        let before = self.collection.manifests.get(&number).map(|manifest| &manifest.before);
        let is_new = before.is_some_and(|before| before.status == FileStatus::New && before.stamp.is_none());
        is_new && self.collection.manifests.remove(&number).is_some()
    }

    /// Reads the entries of a manifest. `listed` are the names in the manifests of its bag, which may be empty.
    fn list(&mut self, path: &Path, number: u64, mut listed: Option<&mut ListedNames>) -> io::Result<()> {
        let refuse = |why: String| Error::new(path.as_os_str().as_bytes(), "use", Cause::Other(why));
        let folder = self.options.folder(path);
        let below = plain(relative(&name::of(&folder), &name::of(self.root))).into_owned();
        let (mut entries, mut pieced, mut faults, mut first) = (0u64, 0u64, 0u64, None);
        let is_part = listed.is_some();
        let sorter = &mut self.sorter;
        let ended = listed_jobs(path, &self.options, self.progress, &mut Vec::new(), &mut |item| {
            let mut fault = |why: String| {
                faults += 1;
                first.get_or_insert(why);
            };
            let job = match item {
                ListItem::Entry(job, _) if job.exempt => return Ok(()),
                ListItem::Entry(job, _) | ListItem::Pieced(job, _) => job,
                ListItem::Bad(line) => {
                    fault(line.to_string());
                    return Ok(());
                }
                ListItem::Omitted(..) | ListItem::Rules(_) => return Ok(()),
            };
            entries += 1;
            if let Some(listed) = &mut listed {
                listed.add(job.path());
            }
            let shown = || display_safe(job.name());
            let name = plain(job.path());
            if within_root(&name).is_err() {
                fault(format!("{} is outside the folder of the manifest", shown()));
                return Ok(());
            }
            if job.expected().is_empty() {
                pieced += 1;
                fault(format!("{} has no digest of the complete file", shown()));
                return Ok(());
            }
            if let Some(spec) = job.specs().iter().find(|spec| spec.is_keyed() || spec.counts_parts()) {
                fault(format!("{} has a {spec} digest, which a state file cannot store", shown()));
                return Ok(());
            }
            let key = if below.is_empty() { name.into_owned() } else { [&below[..], b"/", &name].concat() };
            let (specs, digests) = (job.specs().clone(), job.expected().to_vec());
            sorter.add(key, &Listing { manifest: number, size: job.size(), specs, digests })
        });
        let failure = match ended {
            Err(ListEnd::Refused(error)) => return Err(error),
            Err(ListEnd::Unread(error)) => Some(error),
            Ok(_) if self.progress.stopped() => return Ok(()),
            // A list of pieces, which no state can store, is left to `check`.
            Ok(_) if pieced > 0 && pieced == entries && !is_part && self.forget_new(number) => {
                self.collection.skipped += 1;
                self.collection.skipped_file.get_or_insert_with(|| path.to_owned());
                return Ok(());
            }
            Ok(_) if faults > 1 => {
                first.map(|why| refuse(format!("{faults} entries cannot be used, such as: {why}")))
            }
            Ok(_) if faults > 0 => first.map(refuse),
            Ok(_) if entries == 0 && !is_part => Some(refuse("it has no entries".to_owned())),
            Ok(_) => None,
        };
        if let Some(error) = failure {
            let failure = Box::new((FileStatus::Unreadable, error));
            self.collection.manifests.entry(number).and_modify(|list| list.failure = Some(failure));
        }
        Ok(())
    }
}
