//! The end of the inventory: which missing files were moved, and which files are really new.

use crate::audit::FileStatus;
use crate::audit::relocated::moved_and_modified;
use crate::content::pairing::{Move, moved};
use crate::content::set::Set;
use crate::error::Error;
use crate::io::open::Root;
use crate::scrub::record::Record;
use crate::scrub::recorder::{Difference, Recorder};
use crate::scrub::report::{Event, Treatment};
use crate::scrub::scan::Entry;
use std::collections::HashSet;
use std::io;
use truesum_fs::Errno;
use truesum_fs::metadata::Metadata;
use truesum_fs::resolve::OpenMode;

/// Returns the record of a missing file. A file that was corrupt or restored remains so until it was found intact.
fn missing_record(before: &Record) -> Record {
    let status = match before.status {
        FileStatus::Corrupt | FileStatus::Restored => before.status,
        _ => FileStatus::Missing,
    };
    Record { status, ..before.clone() }
}

impl Recorder<'_, '_> {
    /// Returns whether there are new files that have not been compared with missing ones.
    fn has_unpaired(&self) -> bool {
        self.report.recorded > 0 || !self.earlier.is_last_paired
    }

    /// Returns whether this is the record of a new file that has not been compared with all missing ones. It may be a
    /// corrupt file that was moved, so nothing is the same as it.
    pub(crate) fn is_unpaired(&self, record: &Record) -> bool {
        record.status == FileStatus::New && record.day > self.earlier.paired && !self.is_paired
    }

    /// Returns whether everything in the tree has been read or examined, as far as that was necessary. Otherwise, any
    /// missing file may be one of those that were not.
    fn has_seen_all(&self) -> bool {
        self.report.failures_of(FileStatus::Unreadable) == 0 && self.shared.get().errors.is_empty()
    }

    /// Reports moved, missing and new files.
    pub(crate) fn pair(&mut self, root: &Root, is_first: bool) -> io::Result<()> {
        let gone = std::mem::take(&mut self.shared.get().gone);
        let mut missing = Vec::new();
        for (name, before) in gone {
            // Opened, because an examination by name would follow links that replaced folders, which the walk does not.
            let stat = root.resolve(&name, OpenMode::Path).and_then(|file| Metadata::of(&file));
            match stat {
                Ok(stat) if stat.kind().is_file() => {}
                Ok(_) | Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => missing.push((name, before)),
                // A folder that cannot be searched proves nothing about its files.
                Err(error) => self.report_unreadable(&name, &before, &root.refusal(&name, "open", error))?,
            }
        }
        let has_seen_all = self.has_seen_all();
        let absent: HashSet<Vec<u8>> = missing.iter().map(|(name, _)| name.clone()).collect();
        let (unpaired, missing): (Vec<Entry>, Vec<Entry>) =
            missing.into_iter().partition(|(_, before)| self.is_unpaired(before));
        if !unpaired.is_empty() {
            self.drop_unpaired(unpaired, &absent)?;
        }
        let consumed =
            if missing.is_empty() { HashSet::new() } else { self.pair_with_new(missing, &absent)? };
        // The first run records everything as new, which is no news.
        if self.has_unpaired() && !is_first {
            for entry in self.state.scan() {
                let (name, record) = entry.map_err(|error| self.fail(error))?;
                if record.status == FileStatus::New
                    && record.day > self.earlier.reported
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
        self.is_paired = has_seen_all;
        let errors = std::mem::take(&mut self.shared.get().errors);
        self.report.failed += errors.len() as u64;
        errors.iter().try_for_each(|error| (self.on_event)(Event::Failed(error)))
    }

    fn report_new(&mut self, name: &[u8], record: &Record, treatment: Treatment) -> io::Result<()> {
        let difference = Difference::new(name, FileStatus::New, treatment);
        self.report_difference(&Difference { found: Some(record), ..difference })
    }

    /// Removes the entries of missing files that have never been compared with missing ones. A file whose content is
    /// in a new file was moved once more; others are reported as missing.
    fn drop_unpaired(&mut self, unpaired: Vec<Entry>, absent: &HashSet<Vec<u8>>) -> io::Result<()> {
        let fresh = self.candidates(&unpaired, absent).map_err(|error| self.fail(error))?;
        let is_moved = |before: &Record| fresh.iter().any(|(_, record)| record.digests == before.digests);
        for (name, before) in &unpaired {
            match is_moved(before) {
                true => self.put(name, None)?,
                false => self.report_missing(name, before)?,
            }
        }
        Ok(())
    }

    /// Records and reports a missing file.
    fn report_missing(&mut self, name: &[u8], before: &Record) -> io::Result<()> {
        // A file that was not read, or is in a folder that could not be listed, may be this one.
        let is_complete = self.report.deferred == 0 && self.has_seen_all();
        let is_accepted = is_complete && self.policy.accepts(FileStatus::Missing, Some(before));
        self.put(name, (!is_accepted).then_some(&missing_record(before)))?;
        let treatment = if is_accepted { Treatment::Accepted } else { Treatment::Failed };
        let difference = Difference::new(name, FileStatus::Missing, treatment);
        self.report_difference(&Difference { before: Some(before), ..difference })
    }

    /// Returns the new files that may be missing ones, with their sizes. Those in `absent` do not exist any more.
    fn candidates(&self, missing: &[Entry], absent: &HashSet<Vec<u8>>) -> Result<Vec<Entry>, Error> {
        let sizes: HashSet<Option<u64>> = missing.iter().map(|(_, before)| before.size).collect();
        let fits = |record: &Record| sizes.contains(&record.size) || sizes.contains(&None);
        let mut fresh: Vec<Entry> = self.refused.iter().filter(|(_, record)| fits(record)).cloned().collect();
        if self.has_unpaired() {
            for entry in self.state.scan() {
                let (name, record) = entry?;
                if self.is_unpaired(&record) && fits(&record) && !absent.contains(&name) {
                    fresh.push((name, record));
                }
            }
        }
        fresh.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Ok(fresh)
    }

    /// Pairs missing files with new ones, and records and reports all missing files. Returns the names of the new files
    /// that have been reported.
    fn pair_with_new(
        &mut self,
        missing: Vec<Entry>,
        absent: &HashSet<Vec<u8>>,
    ) -> io::Result<HashSet<Vec<u8>>> {
        let fresh = self.candidates(&missing, absent).map_err(|error| self.fail(error))?;
        let specs = self.state.head.specs.clone();
        let set = |entries: &[Entry]| {
            let mut set = Set::default();
            let add =
                |(name, record): &Entry| set.push(name, (record.size, record.mtime), &specs, &record.digests);
            entries.iter().map(add).collect::<Result<Vec<u32>, String>>().map(|all| (set, all))
        };
        let ((listed, mut gone), (found, mut new)) =
            set(&missing).and_then(|one| Ok((one, set(&fresh)?))).map_err(io::Error::other)?;
        let mut consumed = HashSet::new();
        let moves = moved([&listed, &found], &mut gone, &mut new, &|_| false);
        for Move { from, to, candidates, .. } in moves {
            let ((from, before), (to, record)) = (&missing[from as usize], &fresh[to as usize]);
            consumed.insert(to.clone());
            let is_accepted = self.policy.accepts(FileStatus::Moved, Some(before));
            if is_accepted {
                self.put(to, Some(&Record { status: FileStatus::Same, ..record.clone() }))?;
                self.put(from, None)?;
            } else {
                self.put(from, Some(&missing_record(before)))?;
            }
            let treatment = if is_accepted { Treatment::Accepted } else { Treatment::Failed };
            let (from, before, found) = (Some(&from[..]), Some(before), Some(record));
            let difference = Difference::new(to, FileStatus::Moved, treatment);
            self.report_difference(&Difference { from, candidates, before, found, ..difference })?;
        }
        for (at, to) in moved_and_modified([&listed, &found], &gone, &mut new) {
            let ((from, before), (to, record)) = (&missing[gone[at] as usize], &fresh[to as usize]);
            consumed.insert(to.clone());
            // Its content must not be accepted as that of a new file.
            self.put(to, None)?;
            self.put(from, Some(&missing_record(before)))?;
            let (from, before, found) = (Some(&from[..]), Some(before), Some(record));
            let difference = Difference::new(to, FileStatus::MovedModified, Treatment::Failed);
            self.report_difference(&Difference { from, before, found, ..difference })?;
            gone[at] = u32::MAX;
        }
        for (name, before) in gone.into_iter().filter(|&at| at != u32::MAX).map(|at| &missing[at as usize]) {
            self.report_missing(name, before)?;
        }
        Ok(consumed)
    }
}
