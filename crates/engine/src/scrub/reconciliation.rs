//! Reconciles the entries of the manifests of a collection with the records of the state.
//!
//! A run reads all manifests, compares their entries with the records of the state (`sync`), and then verifies files as
//! in a tree. A record keeps the digests with which a file was listed first, or which were accepted. Entries that differ
//! from it, or that have not been compared with the file yet, are stored next to it ([`Pending`]) until it is known what
//! the file matches:
//!
//! - If the file matches its record, the manifest is wrong, and this is a failure in every run.
//! - If the file matches all its current entries, and both the file and the manifests have been modified according to
//!   their modification times, that is an update, which the policy can accept.
//! - If the file has never been found intact and has some of the digests with which it was recorded, the others are wrong.
//! - Otherwise, the file is a failure, as without the new entries.
//!
//! A file that is newer than its manifests when it is recorded was probably edited before. It is read at once, and its
//! modification time is recorded when it is found intact: without one, a later manifest that lists its content is an
//! update.

use crate::audit::FileStatus;
use crate::audit::stamps::is_edited;
use crate::error::{Cause, Error};
use crate::io::open::Root;
use crate::job::FileResult;
use crate::scrub::collection::{Collection, Manifest, ManifestRecord};
use crate::scrub::listing::{Examination, Listing, Pending, has, manifest_key, manifest_name, union};
use crate::scrub::record::Record;
use crate::scrub::recorder::{Difference, Recorder};
use crate::scrub::renamed::{NewFiles, Similar};
use crate::scrub::report::{Event, Treatment};
use crate::scrub::scan::Entry;
use crate::scrub::sorted::Sorted;
use std::collections::HashSet;
use std::io;
use truesum_fs::clock;
use truesum_fs::metadata::Metadata;
use truesum_hash::Spec;
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

    /// Returns whether a file with this modification time was edited after all manifests of these entries were written.
    fn is_newer(&self, mtime: Time, listings: &[Listing]) -> bool {
        let written = |listing: &Listing| self.manifest(listing.manifest)?.stamp.map(|(_, mtime)| mtime);
        listings.iter().all(|listing| written(listing).is_some_and(|written| is_edited(written, mtime)))
    }

    /// Compares the entries of all manifests with the records, and records new files and manifests.
    pub(crate) fn sync(&mut self, root: &Root, mut sorted: Sorted) -> io::Result<()> {
        // This comes first, so that no entry of a file refers to a manifest without a record, even
        // if the run is killed.
        self.add_manifests()?;
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
        Ok(())
    }

    /// Records the manifests and bags that have no record.
    fn add_manifests(&mut self) -> io::Result<()> {
        let all = self.collection.iter().flat_map(|collection| collection.manifests.iter());
        let new = all.filter(|(_, manifest)| manifest.before.is_new(self.today));
        let new: Vec<(Vec<u8>, Record)> = new
            .map(|(number, manifest)| (manifest_key(&manifest.name), manifest.before.record(*number)))
            .collect();
        new.iter().try_for_each(|(key, record)| self.put(key, Some(record)))
    }

    /// Compares the entries of a file with its record.
    fn sync_known(&mut self, key: &[u8], mut before: Record, mut listings: Vec<Listing>) -> io::Result<()> {
        let recorded = before.manifests.len();
        // A killed `--forget` leaves numbers of manifests that have no record any more.
        before.manifests.retain(|number| self.manifest(*number).is_some());
        if listings.is_empty() && before.manifests.is_empty() && !before.is_failure() {
            return self.put(key, None);
        }
        let is_trimmed = before.manifests.len() < recorded;
        for number in &before.manifests {
            let is_unknown = self.manifest(*number).is_some_and(|manifest| manifest.failure.is_some());
            if is_unknown && listings.iter().all(|listing| listing.manifest != *number) {
                listings.push(before.listing(*number));
            }
        }
        listings.sort_by_key(|listing| listing.manifest);
        let is_consistent = listings.iter().all(|listing| before.contains(listing));
        let is_dropped = !self.dropped(&before, &listings).is_empty();
        let earlier = before.pending.as_ref();
        let examination = match earlier.map(|pending| pending.examination) {
            Some(Examination::Done) if earlier.is_some_and(|pending| pending.listings == listings) => {
                Some(Examination::Done)
            }
            _ if !is_consistent => Some(Examination::Required),
            _ if is_dropped => Some(Examination::Done),
            _ if before.verified.is_some() => None,
            Some(examination) if examination.is_due() => Some(examination),
            _ => (before.specs.len() > 1).then_some(Examination::Scheduled),
        };
        let manifests =
            if is_consistent && !is_dropped { numbers(&listings) } else { before.manifests.clone() };
        let pending = examination.map(|examination| Box::new(Pending { listings, examination }));
        match !is_trimmed && pending == before.pending && manifests == before.manifests {
            true => Ok(()),
            false => self.put(key, Some(&Record { manifests, pending, ..before })),
        }
    }

    /// Records a file that no manifest listed before. In the first run, it is scheduled as one that was last read before
    /// this run. Later, it is read at once: its damage may be known already, under another name, or from an entry that the
    /// user removed.
    fn sync_new(&mut self, root: &Root, key: Vec<u8>, listings: Vec<Listing>) -> io::Result<()> {
        let stat = root.stat(&key, true).ok().filter(|stat| stat.kind().is_file());
        let mtime = stat.as_ref().map(Metadata::mtime).filter(|mtime| !self.is_newer(*mtime, &listings));
        let (specs, digests) = union(listings.iter().map(|listing| (&listing.specs, &listing.digests[..])));
        let record = Record {
            size: listings.iter().find_map(|listing| listing.size).or(stat.as_ref().map(Metadata::size)),
            mtime,
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
        if !self.policy.accepts(FileStatus::New) {
            self.refused.push((key, record));
            return Ok(());
        }
        let is_consistent = listings.iter().all(|listing| record.contains(listing));
        let examination = match () {
            () if !is_consistent || mtime.is_none() || self.earlier.reported > 0 => Some(Examination::First),
            () => (record.specs.len() > 1).then_some(Examination::Scheduled),
        };
        let pending = examination.map(|examination| Box::new(Pending { listings, examination }));
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
                false => Some(Box::new(Pending { examination: Examination::Done, ..(**pending).clone() })),
            };
            record.manifests.extend(good.iter().map(|listing| listing.manifest));
            record.manifests.sort_unstable();
            record.manifests.dedup();
        }
        record
    }

    /// Returns the record of a file that has never been found intact and has only some of the digests with which it was
    /// recorded, which contradict each other: the others are wrong, not the file.
    pub(crate) fn adopted(&self, before: &Record, (specs, found): (&[Spec], &FileResult)) -> Option<Record> {
        let pending = before.pending.as_deref().filter(|_| before.verified.is_none())?;
        // A later entry may have been made from a file that is damaged.
        let first = pending.listings.iter().filter(|_| pending.examination.is_of_first_entries());
        let first = first.flat_map(|listing| listing.specs.iter().zip(&listing.digests));
        let (mut kept, mut digests) = (Vec::new(), Vec::new());
        for (spec, digest) in before.specs.iter().zip(&before.digests).chain(first) {
            // A damaged file may have a short one by chance.
            if digest.as_bytes().len() >= 4 && has(specs, found, spec, digest) && !kept.contains(spec) {
                kept.push(spec.clone());
                digests.push(digest.clone());
            }
        }
        let (seconds, nanos) = found.mtime();
        let adopted = Record {
            size: Some(found.size()),
            mtime: Some(Time { seconds, nanos }),
            specs: kept.into(),
            digests,
            day: self.today,
            verified: Some(clock::now()),
            ..before.clone()
        };
        (!adopted.specs.is_empty()).then(|| self.confirmed(&adopted, (specs, found)))
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

    /// Returns why a file that was modified is not accepted as an update: the manifest that does not list its content, or
    /// that was not modified.
    pub(crate) fn refusal(
        &self,
        name: &[u8],
        before: &Record,
        (specs, found): (&[Spec], &FileResult),
    ) -> Option<Error> {
        self.collection.as_ref()?;
        let (mut stale, mut why) = (before.manifests.clone(), "have other digests of it");
        if let Some(Pending { listings, .. }) = before.pending.as_deref() {
            let (others, good): (Vec<&Listing>, Vec<&Listing>) =
                listings.iter().partition(|listing| !listing.matches(specs, found));
            stale = others.iter().map(|listing| listing.manifest).collect();
            if stale.is_empty() {
                let is_old =
                    |number: &u64| !self.manifest(*number).is_some_and(|one| one.is_updated(self.policy));
                let all = good.iter().map(|listing| listing.manifest).chain(self.dropped(before, listings));
                (stale, why) = (all.filter(is_old).collect(), "were not modified");
            }
        }
        let first = self.manifest(*stale.first()?)?;
        let others = match stale.len() {
            1 => String::new(),
            2 => " and 1 other manifest".to_owned(),
            all => format!(" and {} other manifests", all - 1),
        };
        let why = match stale.len() {
            1 => why.replace("have ", "has ").replace("were ", "was "),
            _ => why.to_owned(),
        };
        let why = format!("{}{others} {why}", display_safe(&first.name));
        Some(Error::new(name, "accept", Cause::Other(why)))
    }

    /// Reports the manifests that are missing, cannot be read or are not accepted, and the faults of bags.
    pub(crate) fn report_manifests(&mut self) -> io::Result<()> {
        let Some(collection) = self.collection.take() else { return Ok(()) };
        let result = self.report_failures_of(&collection);
        self.collection = Some(Collection { errors: Vec::new(), refused: Vec::new(), ..collection });
        result
    }

    fn report_failures_of(&mut self, collection: &Collection) -> io::Result<()> {
        for (number, manifest) in &collection.manifests {
            let Some((status, error)) = manifest.failure.as_deref() else { continue };
            let key = manifest_key(&manifest.name);
            self.put(&key, Some(&Record { status: *status, ..manifest.before.record(*number) }))?;
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
    /// digests, or removed. A new file with the size and time of a missing one, but different content, is that file,
    /// damaged before it was renamed.
    ///
    /// Returns the names of the new files that have been reported, and whether no missing file must be compared with them
    /// again.
    pub(crate) fn settle_missing(&mut self, missing: Vec<Entry>) -> io::Result<(HashSet<Vec<u8>>, bool)> {
        self.absent = missing.iter().map(|(name, _)| name.clone()).collect();
        let is_updated =
            |number: &u64| self.manifest(*number).is_some_and(|manifest| manifest.is_updated(self.policy));
        let is_removed = |before: &Record| {
            before.pending.as_ref().is_some_and(|pending| pending.listings.is_empty())
                && before.manifests.iter().all(is_updated)
        };
        let removed: Vec<bool> = missing.iter().map(|(_, before)| is_removed(before)).collect();
        let missing: Vec<(Entry, bool)> = missing.into_iter().zip(removed).collect();
        let mut new = NewFiles::new(self.new_entries(&missing)?);
        let (mut rest, mut is_compared) = (Vec::new(), true);
        let is_accepted = self.policy.accepts(FileStatus::Moved);
        for ((from, before), is_removed) in missing {
            let same = new.same(&before);
            // It is moved as soon as no manifest lists it any more. One that was never found intact may have never existed.
            is_compared &= same.is_none() || is_removed || before.verified.is_none();
            same.into_iter().for_each(|at| new.note_same(at));
            let Some(at) = same.filter(|_| is_accepted && is_removed) else {
                rest.push((from, before, is_removed, same.is_some()));
                continue;
            };
            let (to, record) = new.pair(at);
            if record.verified.is_none() {
                // It does not become due later because it was moved.
                self.put(to, Some(&Record { day: before.day, ..record.clone() }))?;
                self.shared.get().classes.add(before.day, record.size.unwrap_or(0));
            }
            self.put(&from, None)?;
            let difference = Difference::new(to, FileStatus::Moved, Treatment::Accepted);
            let (before, found) = (Some(&before), Some(record));
            self.report_difference(&Difference { from: Some(&from), before, found, ..difference })?;
        }
        for (from, before, is_removed, is_found) in rest {
            let similar = if is_found { Similar::None } else { new.similar(&before) };
            let Similar::Damaged(at) = similar else {
                let is_known = matches!(similar, Similar::None);
                is_compared &= is_known;
                self.report_missing(&from, &before, is_removed && is_known)?;
                continue;
            };
            let (to, record) = new.pair(at);
            // Its content must not be accepted as that of a new file.
            self.put(to, None)?;
            self.report_moved_and_modified((&from, &before), (to, record))?;
        }
        Ok((new.into_paired(), is_compared))
    }

    /// Returns the files that were recorded since missing files were last compared with new ones, and that may be one of
    /// these missing files.
    fn new_entries(&mut self, missing: &[(Entry, bool)]) -> io::Result<Vec<Entry>> {
        let sizes: HashSet<Option<u64>> = missing.iter().map(|((_, before), _)| before.size).collect();
        let mut new = Vec::new();
        for entry in self.state.scan() {
            let (key, record) = entry.map_err(|error| self.fail(error))?;
            let is_new = record.accepted > self.earlier.paired && record.status != FileStatus::Same;
            if is_new
                && manifest_name(&key).is_none()
                && !self.absent.contains(&key)
                && (sizes.contains(&record.size) || sizes.contains(&None))
            {
                new.push((key, record));
            }
        }
        Ok(new)
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
                let is_gone = is_dropped && self.absent.contains(&key);
                let Some(manifest) = collection.manifests.get(&number) else { continue };
                if pending.examination != Examination::Done || is_gone {
                    continue;
                }
                let (status, key_of_manifest) =
                    (manifest.status_if_different(), manifest_key(&manifest.name));
                if reported.insert(number) && manifest.failure.is_none() {
                    self.put(&key_of_manifest, Some(&Record { status, ..manifest.before.record(number) }))?;
                }
                let shown = display_safe(&key);
                let why = match is_dropped {
                    true => format!("it no longer lists {shown}"),
                    false => format!(
                        "its digests of {shown} differ from the recorded ones, which the file matches"
                    ),
                };
                let error = Error::new(&manifest.name, "accept", Cause::Other(why));
                let difference = Difference::new(&key_of_manifest, status, Treatment::Failed);
                self.report_difference(&Difference { error: Some(&error), ..difference })?;
            }
        }
        for (number, Manifest { name, before, stamp, failure }) in &collection.manifests {
            if failure.is_some() || open.contains(number) {
                continue;
            }
            let current = ManifestRecord { stamp: *stamp, status: FileStatus::Same, ..*before };
            let (key, record) = (manifest_key(name), before.record(*number));
            if current != *before {
                self.put(&key, Some(&current.record(*number)))?;
            }
            if record.is_failure() {
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
