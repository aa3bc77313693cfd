//! The end of the inventory: which missing files were moved, and which files are really new.

use crate::audit::FileStatus;
use crate::audit::relocated::moved_and_modified;
use crate::content::pairing::{Move, moved};
use crate::content::set::Set;
use crate::error::{Cause, Error};
use crate::io::open::Root;
use crate::scrub::record::Record;
use crate::scrub::recorder::{Difference, Recorder};
use crate::scrub::report::{Event, Treatment};
use crate::scrub::scan::Entry;
use crate::scrub::stamps::Stamps;
use std::collections::HashSet;
use std::io;
use truesum_fs::Errno;
use truesum_fs::metadata::Metadata;
use truesum_fs::open::describe;
use truesum_fs::resolve::OpenMode;
use truesum_hash::Digest;

/// Returns the record of a missing file. A file that was corrupt or restored remains so until it was found intact.
fn missing_record(before: &Record) -> Record {
    let status = match before.status {
        FileStatus::Corrupt | FileStatus::Restored => before.status,
        _ => FileStatus::Missing,
    };
    Record { status, ..before.clone() }
}

impl Recorder<'_, '_> {
    /// Returns whether there are accepted files that have not been compared with missing ones.
    fn has_unpaired(&self) -> bool {
        self.has_accepted || !self.earlier.is_last_paired
    }

    /// Returns whether the content of this file was accepted and has not been compared with all
    /// missing files, whatever was found since. It may be a corrupt file that was moved, so it must
    /// not count as the same as any other file.
    pub(crate) fn is_unpaired(&self, record: &Record) -> bool {
        record.accepted > self.earlier.paired && !self.is_paired
    }

    /// Returns whether everything in the tree has been read or examined, as far as that was necessary. Otherwise, any
    /// missing file may be one of those that were not.
    fn is_complete(&self) -> bool {
        let found = self.shared.get();
        self.report.failures_of(FileStatus::Unreadable) == 0 && found.errors.is_empty() && found.deferred == 0
    }

    /// Reports moved, missing and new files.
    pub(crate) fn pair(&mut self, root: &Root, is_first: bool) -> io::Result<()> {
        let gone = std::mem::take(&mut self.shared.get().gone);
        let mut missing = Vec::new();
        for (name, before) in gone {
            // Opened, because an examination by name would follow links that replaced folders, which the walk does not.
            let stat = root.resolve(&name, OpenMode::Path).and_then(|file| Metadata::of(&file));
            // A manifest still lists it, unless its entries are only missing because it was removed from them.
            let is_listed = self.collection.is_some()
                && before.pending.as_ref().is_none_or(|pending| !pending.listings.is_empty());
            match stat {
                Ok(stat) if stat.kind().is_file() => {}
                Ok(stat) if is_listed && !stat.kind().is_symlink() => {
                    let error = Error::new(&name, "read", Cause::Special(describe(stat.kind())));
                    self.report_unreadable(&name, &before, &error)?;
                }
                Ok(_) | Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => missing.push((name, before)),
                // A folder that cannot be searched proves nothing about its files.
                Err(error) => self.report_unreadable(&name, &before, &root.refusal(&name, "open", error))?,
            }
        }
        let is_complete = self.is_complete();
        let (consumed, is_compared) = match () {
            () if missing.is_empty() => (HashSet::new(), true),
            () if self.collection.is_some() => self.settle_missing(missing)?,
            () => (self.pair_missing(missing, is_complete)?, true),
        };
        // The first run records everything as new, so new files are not reported.
        if self.has_unpaired() && !is_first {
            for entry in self.state.scan() {
                let (name, record) = entry.map_err(|error| self.fail(error))?;
                if record.status == FileStatus::New
                    && record.accepted > self.earlier.reported
                    && !consumed.contains(&name)
                {
                    self.report_new(&name, &record, Treatment::Accepted)?;
                }
            }
        } else {
            let recorded = self.report.recorded;
            (0..recorded).for_each(|_| self.report.add(FileStatus::New, Treatment::Accepted));
        }
        for (name, record) in std::mem::take(&mut self.refused) {
            if !consumed.contains(&name) {
                self.report_new(&name, &record, Treatment::Failed)?;
            }
        }
        self.is_paired = is_complete && is_compared;
        let errors = std::mem::take(&mut self.shared.get().errors);
        self.report.failed += errors.len() as u64;
        errors.iter().try_for_each(|error| (self.on_event)(Event::Failed(error)))
    }

    fn report_new(&mut self, name: &[u8], record: &Record, treatment: Treatment) -> io::Result<()> {
        let difference = Difference::new(name, FileStatus::New, treatment);
        self.report_difference(&Difference { found: Some(record), ..difference })
    }

    /// Records and reports a missing file.
    pub(crate) fn report_missing(
        &mut self,
        name: &[u8],
        before: &Record,
        is_acceptable: bool,
    ) -> io::Result<()> {
        // It may have become a file that this run does not read. The run that does shows whether it was moved.
        let can_wait = !before.is_failure() && self.policy.accepts(FileStatus::Moved);
        if can_wait && self.shared.get().unread.contain(before) {
            return Ok(());
        }
        // A corrupt file must not disappear. It can be moved, because its digests remain.
        let is_accepted = is_acceptable && !before.is_corrupt() && self.policy.accepts(FileStatus::Missing);
        self.put(name, (!is_accepted).then_some(&missing_record(before)))?;
        let treatment = if is_accepted { Treatment::Accepted } else { Treatment::Failed };
        let difference = Difference::new(name, FileStatus::Missing, treatment);
        self.report_difference(&Difference { before: Some(before), ..difference })
    }

    /// Records and reports a missing file whose size and time another file has, with other content.
    pub(crate) fn report_moved_and_modified(
        &mut self,
        (from, before): (&[u8], &Record),
        (to, found): (&[u8], &Record),
    ) -> io::Result<()> {
        // Never accepted as missing, even if the time of the other file changes, so that it is not recognized any more.
        self.put(from, Some(&Record { status: FileStatus::Corrupt, ..before.clone() }))?;
        let difference = Difference::new(to, FileStatus::MovedModified, Treatment::Failed);
        let (from, before, found) = (Some(from), Some(before), Some(found));
        self.report_difference(&Difference { from, before, found, ..difference })
    }

    /// Returns the accepted, the new and the rejected files that may be missing ones because of their sizes. The files
    /// before the returned number are not rejected ones.
    fn candidates(&mut self, missing: &[Entry]) -> Result<(Vec<Entry>, usize), Error> {
        let sizes: HashSet<Option<u64>> = missing.iter().map(|(_, before)| before.size).collect();
        let absent: HashSet<&[u8]> = missing.iter().map(|(name, _)| &name[..]).collect();
        let fits = |record: &Record| sizes.contains(&record.size) || sizes.contains(&None);
        let mut fresh: Vec<Entry> = self.refused.iter().filter(|(_, record)| fits(record)).cloned().collect();
        if self.has_unpaired() {
            for entry in self.state.scan() {
                let (name, record) = entry?;
                if self.is_unpaired(&record) && fits(&record) && !absent.contains(&name[..]) {
                    fresh.push((name, record));
                }
            }
        }
        fresh.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        let accepted = fresh.len();
        fresh.extend(std::mem::take(&mut self.rejected).into_iter().filter(|(_, record)| fits(record)));
        Ok((fresh, accepted))
    }

    /// Returns the sizes and times in all entries that have been compared with missing files and may be one of these.
    fn recorded_stamps(&mut self, unpaired: &[Entry]) -> io::Result<Stamps> {
        let sizes: HashSet<Option<u64>> = unpaired.iter().map(|(_, before)| before.size).collect();
        let mut stamps = Stamps::default();
        if !unpaired.is_empty() {
            for entry in self.state.scan() {
                let (_, record) = entry.map_err(|error| self.fail(error))?;
                if sizes.contains(&record.size) && !self.is_unpaired(&record) {
                    stamps.add_corruptible(&record);
                }
            }
        }
        Ok(stamps)
    }

    /// Pairs missing files with accepted and new ones, and records and reports all missing files. Returns the names of
    /// the new files that have been reported.
    fn pair_missing(&mut self, missing: Vec<Entry>, is_complete: bool) -> io::Result<HashSet<Vec<u8>>> {
        let (fresh, accepted) = self.candidates(&missing).map_err(|error| self.fail(error))?;
        let contents = |files: &[Entry]| -> HashSet<Vec<Digest>> {
            files.iter().map(|(_, record)| record.digests.clone()).collect()
        };
        let (unpaired, missing): (Vec<Entry>, Vec<Entry>) =
            missing.into_iter().partition(|(_, before)| self.is_unpaired(before));
        let (stamps, found) = (self.recorded_stamps(&unpaired)?, contents(&fresh));
        for (name, before) in &unpaired {
            // Another entry has the content of a file that was moved again, or of the file that it
            // may have been before.
            match found.contains(&before.digests) || stamps.contain(before) {
                true => self.put(name, None)?,
                false => self.report_missing(name, before, is_complete)?,
            }
        }
        let specs = self.state.head.specs.clone();
        let set = |entries: &[Entry]| {
            let mut set = Set::default();
            let add =
                |(name, record): &Entry| set.push(name, (record.size, record.mtime), &specs, &record.digests);
            entries.iter().map(add).collect::<Result<Vec<u32>, String>>().map(|all| (set, all))
        };
        let ((listed, mut gone), (found, all)) =
            set(&missing).and_then(|one| Ok((one, set(&fresh)?))).map_err(io::Error::other)?;
        // The recorded content of a file that failed is not the one that it has.
        let (failed, mut new): (Vec<u32>, Vec<u32>) = all
            .into_iter()
            .partition(|&file| file as usize >= accepted || fresh[file as usize].1.is_failure());
        let mut consumed = HashSet::new();
        let moves = moved([&listed, &found], &mut gone, &mut new, &|_| false);
        for Move { from, to, candidates, .. } in moves {
            let ((from, before), (to, record)) = (&missing[from as usize], &fresh[to as usize]);
            consumed.insert(to.clone());
            let is_accepted = self.policy.accepts(FileStatus::Moved);
            if is_accepted {
                let (status, accepted) = (FileStatus::Same, before.accepted);
                self.put(to, Some(&Record { status, accepted, ..record.clone() }))?;
                self.put(from, None)?;
            } else {
                self.put(from, Some(&missing_record(before)))?;
            }
            let treatment = if is_accepted { Treatment::Accepted } else { Treatment::Failed };
            let (from, before, found) = (Some(&from[..]), Some(before), Some(record));
            let difference = Difference::new(to, FileStatus::Moved, treatment);
            self.report_difference(&Difference { from, candidates, before, found, ..difference })?;
        }
        let intact = contents(&missing);
        new.extend(failed.into_iter().filter(|&file| !intact.contains(&fresh[file as usize].1.digests)));
        let pairs = moved_and_modified([&listed, &found], &gone, &mut new);
        for &(at, file) in &pairs {
            let ((from, before), (to, record)) = (&missing[gone[at] as usize], &fresh[file as usize]);
            consumed.insert(to.clone());
            // Its content must not be accepted as that of a new file. An entry that rejected it stays a failure.
            if (file as usize) < accepted {
                self.put(to, None)?;
            }
            self.report_moved_and_modified((from, before), (to, record))?;
        }
        // Any missing file with the size and time of such a file may be the one that it was.
        let mut stamps = Stamps::default();
        pairs
            .iter()
            .map(|&(_, file)| &fresh[file as usize].1)
            .for_each(|found| stamps.add_corruptible(found));
        let reported: HashSet<usize> = pairs.into_iter().map(|(at, _)| at).collect();
        let rest = gone.into_iter().enumerate().filter(|(at, _)| !reported.contains(at));
        for (name, before) in rest.map(|(_, file)| &missing[file as usize]) {
            self.report_missing(name, before, is_complete && !stamps.contain(before))?;
        }
        Ok(consumed)
    }
}
