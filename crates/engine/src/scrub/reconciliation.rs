//! Reconciles the entries of the manifests of a collection with the records of the state.
//!
//! A run reads all manifests, compares their entries with the records of the state (`sync`), and then verifies files as
//! in a tree. A record keeps the digests with which a file was listed first, or which were accepted. Entries that differ
//! from it are stored next to it ([`Pending`]) until it is known which of the two the file matches:
//!
//! - If the file matches its record, the manifest is wrong, and this is a failure in every run.
//! - If the file matches all its current entries, and both the file and the manifests have been modified according to
//!   their modification times, that is an update, which the policy can accept.
//! - Otherwise, the file is a failure, as without the new entries.

use crate::audit::FileStatus;
use crate::error::{Cause, Error};
use crate::io::open::Root;
use crate::job::FileResult;
use crate::scrub::collection::{Collection, Manifest};
use crate::scrub::listing::{Listing, Pending, manifest_key, manifest_name, union};
use crate::scrub::record::Record;
use crate::scrub::recorder::{Difference, Recorder};
use crate::scrub::report::{Event, Treatment};
use crate::scrub::scan::Entry;
use crate::scrub::sorted::Sorted;
use std::collections::{HashMap, HashSet};
use std::io;
use truesum_fs::clock;
use truesum_fs::metadata::Metadata;
use truesum_hash::{Digest, Spec};
use truesum_manifest::Time;
use truesum_manifest::path::display_safe;

impl Recorder<'_, '_> {
    fn manifest(&self, number: u64) -> Option<&Manifest> {
        self.collection.as_ref()?.manifests.get(&number)
    }

    /// Returns the numbers of the manifests that listed a file and can be read, but do not list it any more.
    fn dropped(&self, record: &Record, listings: &[Listing]) -> Vec<u64> {
        let is_dropped = |number: &&u64| {
            self.manifest(**number).is_some() && listings.iter().all(|listing| listing.manifest != **number)
        };
        record.manifests.iter().filter(is_dropped).copied().collect()
    }

    /// Compares the entries of all manifests with the records, and records new files and manifests.
    pub(crate) fn sync(&mut self, root: &Root, mut sorted: Sorted) -> io::Result<()> {
        let mut scan = self.state.scan().peekable();
        while scan
            .next_if(|entry| entry.as_ref().is_ok_and(|(key, _)| manifest_name(key).is_some()))
            .is_some()
        {}
        loop {
            let is_before = match (scan.peek(), sorted.peek()) {
                (None, None) => break,
                (Some(Err(_)), _) | (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some(Ok((key, _))), Some(name)) => key.as_slice() <= name,
            };
            let before = if is_before { scan.next().transpose() } else { Ok(None) };
            let before: Option<Entry> = before.map_err(|error| self.fail(error))?;
            let is_listed = before.as_ref().is_none_or(|(key, _)| sorted.peek() == Some(key));
            let listed = if is_listed { sorted.next()? } else { None };
            match (before, listed) {
                (Some((key, before)), listed) => {
                    self.sync_known(&key, before, listed.map(|(_, all)| all).unwrap_or_default())?;
                }
                (None, Some((key, listings))) => self.sync_new(root, key, listings)?,
                (None, None) => {}
            }
        }
        self.add_manifests()
    }

    /// Records the manifests and bags that have no record.
    fn add_manifests(&mut self) -> io::Result<()> {
        let all = self.collection.iter().flat_map(|collection| collection.manifests.values());
        let new = all.filter(|manifest| manifest.is_new);
        let new: Vec<(Vec<u8>, Record)> =
            new.map(|manifest| (manifest_key(&manifest.name), manifest.before.clone())).collect();
        new.iter().try_for_each(|(key, record)| self.put(key, Some(record)))
    }

    /// Compares the entries of a file with its record.
    fn sync_known(&mut self, key: &[u8], before: Record, mut listings: Vec<Listing>) -> io::Result<()> {
        for number in &before.manifests {
            let is_unknown = self.manifest(*number).is_some_and(|manifest| manifest.failure.is_some());
            if is_unknown && listings.iter().all(|listing| listing.manifest != *number) {
                listings.push(before.listing(*number));
            }
        }
        listings.sort_by_key(|listing| listing.manifest);
        let dropped = self.dropped(&before, &listings);
        let differing: Vec<u64> =
            listings.iter().filter(|one| !before.contains(one)).map(|one| one.manifest).collect();
        if dropped.is_empty() && differing.is_empty() {
            let manifests = numbers(&listings);
            if manifests != before.manifests || before.pending.is_some() {
                self.put(key, Some(&Record { manifests, pending: None, ..before }))?;
            }
            return Ok(());
        }
        let before_pending = before.pending.as_deref();
        let was_examined =
            before_pending.is_some_and(|pending| pending.is_examined && pending.listings == listings);
        let pending = Pending { listings, is_examined: differing.is_empty() || was_examined };
        match before_pending == Some(&pending) {
            true => Ok(()),
            false => self.put(key, Some(&Record { pending: Some(Box::new(pending)), ..before })),
        }
    }

    /// Records a file that no manifest listed before. It is verified in its turn, as one that was last read before this
    /// run.
    fn sync_new(&mut self, root: &Root, key: Vec<u8>, listings: Vec<Listing>) -> io::Result<()> {
        let stat = root.stat(&key, true).ok();
        let (specs, digests) = union(listings.iter().map(|listing| (&listing.specs, &listing.digests[..])));
        let record = Record {
            size: listings.iter().find_map(|listing| listing.size).or(stat.as_ref().map(Metadata::size)),
            mtime: stat.as_ref().map(Metadata::mtime),
            ctime: None,
            inode: 0,
            specs,
            digests,
            day: self.today - 1,
            accepted: self.today,
            verified: None,
            status: FileStatus::New,
            manifests: numbers(&listings),
            pending: None,
        };
        if !self.policy.accepts(FileStatus::New, None) {
            self.refused.push((key, record));
            return Ok(());
        }
        let is_consistent = listings.iter().all(|listing| record.contains(listing));
        let pending = (!is_consistent).then(|| Box::new(Pending { listings, is_examined: false }));
        self.report.recorded += 1;
        self.has_accepted = true;
        self.put(&key, Some(&Record { pending, ..record }))
    }

    /// Returns the record of a file that matches the one `before`, with what is now known about its entries.
    pub(crate) fn confirmed(&self, before: &Record, (specs, found): (&[Spec], &FileResult)) -> Record {
        let mut record = before.clone();
        if let Some(pending) = &before.pending {
            let good: Vec<&Listing> =
                pending.listings.iter().filter(|listing| listing.matches(specs, found)).collect();
            let own = (&before.specs, &before.digests[..]);
            let others = good.iter().map(|listing| (&listing.specs, &listing.digests[..]));
            (record.specs, record.digests) = union(std::iter::once(own).chain(others));
            let is_settled =
                good.len() == pending.listings.len() && self.dropped(before, &pending.listings).is_empty();
            record.pending = match is_settled {
                true => None,
                false => Some(Box::new(Pending { is_examined: true, ..(**pending).clone() })),
            };
            record.manifests.extend(good.iter().map(|listing| listing.manifest));
            record.manifests.sort_unstable();
            record.manifests.dedup();
        }
        record
    }

    /// Returns the record of a file that was recorded in this run and matches only some of its entries, which contradict
    /// each other: the others are wrong, and not the one that happened to be recorded.
    pub(crate) fn adopted(&self, before: &Record, (specs, found): (&[Spec], &FileResult)) -> Option<Record> {
        // Entries that were recorded together: a later one may have been made from a file that is damaged.
        let is_first = before.accepted == self.today && !before.is_failure();
        let pending = before.pending.as_deref().filter(|_| is_first)?;
        let good = || pending.listings.iter().filter(|listing| listing.matches(specs, found));
        let is_contradictory = (1..pending.listings.len()).contains(&good().count());
        let (specs, digests) = union(good().map(|listing| (&listing.specs, &listing.digests[..])));
        let pending = Some(Box::new(Pending { is_examined: true, ..pending.clone() }));
        let (seconds, nanos) = found.mtime();
        is_contradictory.then(|| Record {
            size: Some(found.size()),
            mtime: Some(Time { seconds, nanos }),
            specs,
            digests,
            day: self.today,
            verified: Some(clock::now()),
            pending,
            ..before.clone()
        })
    }

    /// Returns the record of a file that does not match the one `before`, but was updated together with all its
    /// manifests; `None` if it was not.
    pub(crate) fn updated(
        &self,
        before: &Record,
        (specs, found): (&[Spec], &FileResult),
        record: &Record,
    ) -> Option<Record> {
        let Pending { listings, .. } = before.pending.as_deref()?;
        let is_updated =
            |number: u64| self.manifest(number).is_some_and(|manifest| manifest.is_updated(self.policy));
        let is_update = !listings.is_empty()
            && listings.iter().all(|one| one.matches(specs, found) && is_updated(one.manifest))
            && self.dropped(before, listings).into_iter().all(is_updated);
        let (specs, digests) = union(listings.iter().map(|listing| (&listing.specs, &listing.digests[..])));
        is_update.then(|| Record { specs, digests, manifests: numbers(listings), ..record.clone() })
    }

    /// Reports the manifests that are missing, cannot be read or are not accepted, and the faults of bags.
    pub(crate) fn report_manifests(&mut self) -> io::Result<()> {
        let Some(collection) = self.collection.take() else { return Ok(()) };
        let result = self.report_failures_of(&collection);
        self.collection = Some(Collection { errors: Vec::new(), refused: Vec::new(), ..collection });
        result
    }

    fn report_failures_of(&mut self, collection: &Collection) -> io::Result<()> {
        for manifest in collection.manifests.values() {
            let Some((status, error)) = &manifest.failure else { continue };
            let key = manifest_key(&manifest.name);
            self.put(&key, Some(&Record { status: *status, ..manifest.before.clone() }))?;
            let difference = Difference::new(&key, *status, Treatment::Failed);
            let error = Some(error).filter(|_| *status != FileStatus::Missing);
            self.report_difference(&Difference { error, ..difference })?;
        }
        for name in &collection.refused {
            let key = manifest_key(name);
            self.report_difference(&Difference::new(&key, FileStatus::New, Treatment::Failed))?;
        }
        self.report.failed += collection.errors.len() as u64;
        collection.errors.iter().try_for_each(|error| (self.on_event)(Event::Failed(error)))
    }

    /// Records and reports missing files. Those that no manifest lists any more were moved if a new entry has their
    /// digests, or removed.
    pub(crate) fn settle_missing(&mut self, missing: Vec<Entry>) -> io::Result<HashSet<Vec<u8>>> {
        let is_updated =
            |number: &u64| self.manifest(*number).is_some_and(|manifest| manifest.is_updated(self.policy));
        let is_removed = |before: &Record| {
            before.pending.as_ref().is_some_and(|pending| pending.listings.is_empty())
                && !before.is_corrupt()
                && before.manifests.iter().all(is_updated)
        };
        let (removed, missing): (Vec<Entry>, Vec<Entry>) =
            missing.into_iter().partition(|(_, before)| is_removed(before));
        let mut new: HashMap<Vec<Digest>, (Vec<u8>, Record)> = HashMap::new();
        if !removed.is_empty() {
            for entry in self.state.scan() {
                let (key, record) = entry.map_err(|error| self.fail(error))?;
                let is_new = record.status == FileStatus::New && record.accepted > self.earlier.paired;
                if is_new && manifest_name(&key).is_none() {
                    new.entry(record.digests.clone()).or_insert((key, record));
                }
            }
        }
        let mut consumed = HashSet::new();
        for (from, before) in removed {
            let is_same = |record: &Record| record.specs == before.specs;
            let to = new.get(&before.digests).is_some_and(|(_, record)| is_same(record));
            let is_accepted = self.policy.accepts(FileStatus::Moved, Some(&before));
            let Some((to, record)) = new.remove(&before.digests).filter(|_| to && is_accepted) else {
                self.report_missing(&from, &before, true)?;
                continue;
            };
            // It does not become due later because it was moved.
            self.put(&to, Some(&Record { day: before.day, ..record.clone() }))?;
            self.shared.get().classes.add(before.day, record.size.unwrap_or(0));
            self.put(&from, None)?;
            let difference = Difference::new(&to, FileStatus::Moved, Treatment::Accepted);
            let (before, found) = (Some(&before), Some(&record));
            self.report_difference(&Difference { from: Some(&from), before, found, ..difference })?;
            consumed.insert(to);
        }
        missing.iter().try_for_each(|(name, before)| self.report_missing(name, before, false))?;
        Ok(consumed)
    }

    /// Reports the entries that differ from records although their files match these, and records the manifests.
    pub(crate) fn finish_manifests(&mut self) -> io::Result<()> {
        let Some(collection) = self.collection.take() else { return Ok(()) };
        // The manifests with entries that are not those of the records, and those for which this was reported.
        let (mut open, mut reported) = (HashSet::new(), HashSet::new());
        for entry in self.state.scan() {
            let (key, record) = entry.map_err(|error| self.fail(error))?;
            let Some(pending) = &record.pending else { continue };
            let lists = |number: &&u64| pending.listings.iter().any(|listing| listing.manifest == **number);
            let dropped = record.manifests.iter().filter(|number| !lists(number));
            let differing = pending.listings.iter().filter(|listing| !record.contains(listing));
            let dropped = dropped.map(|number| (*number, true));
            for (number, is_dropped) in dropped.chain(differing.map(|listing| (listing.manifest, false))) {
                open.insert(number);
                let is_gone = is_dropped && record.status == FileStatus::Missing;
                let Some(manifest) = collection.manifests.get(&number) else { continue };
                if !pending.is_examined || is_gone {
                    continue;
                }
                let (status, key_of_manifest) =
                    (manifest.status_if_different(), manifest_key(&manifest.name));
                if reported.insert(number) && manifest.failure.is_none() {
                    self.put(&key_of_manifest, Some(&Record { status, ..manifest.before.clone() }))?;
                }
                let shown = display_safe(&key);
                let why = match is_dropped {
                    true => format!("it no longer lists {shown}"),
                    false => format!("its digests of {shown} are not the recorded ones, which the file has"),
                };
                let error = Error::new(&manifest.name, "accept", Cause::Other(why));
                let difference = Difference::new(&key_of_manifest, status, Treatment::Failed);
                self.report_difference(&Difference { error: Some(&error), ..difference })?;
            }
        }
        for (number, Manifest { name, before, is_new, stamp, failure }) in &collection.manifests {
            if *is_new || failure.is_some() || open.contains(number) {
                continue;
            }
            let (size, mtime) = stamp.unzip();
            let record = Record { size, mtime, status: FileStatus::Same, ..before.clone() };
            let key = manifest_key(name);
            if record != *before {
                self.put(&key, Some(&record))?;
            }
            if before.is_failure() {
                self.report_difference(&Difference::new(&key, FileStatus::Same, Treatment::Recovered))?;
            }
        }
        self.collection = Some(collection);
        Ok(())
    }
}

/// Returns the numbers of the manifests of these entries.
fn numbers(listings: &[Listing]) -> Vec<u64> {
    let mut numbers: Vec<u64> = listings.iter().map(|listing| listing.manifest).collect();
    numbers.dedup();
    numbers
}
