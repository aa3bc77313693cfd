//! Updates a manifest: audits it, decides which changes to accept, and writes the manifest with them.
//!
//! The rules are in docs/reference/audit.md, "update". The audit determines what happened to each
//! file. This module decides how to change the file's line ([`Action`]) and whether the manifest
//! may be written at all ([`Refusal`]), and ensures that the new manifest differs from the old one
//! only in the intended changes.

mod changes;
mod guard;
mod history;
mod keyed;
mod original;
pub mod outcome;
mod unused;

pub use outcome::{Action, Consent, Event, Observer, Options, QuickTrust, Refusal, Report};

use crate::audit::comparison::{Comparison, FOUND, LISTED, QuickCheck, changed};
use crate::audit::row::Row;
use crate::audit::stamps::is_edited;
use crate::audit::{Event as AuditEvent, FileStatus};
use crate::content::set::NONE;
use crate::error::{Cause, Error};
use crate::io::lock::Lock;
use crate::io::write::{AtomicFile, coarse_now};
use crate::progress::Progress;
use crate::select::Selection;
use crate::verify::containers::history::folder_of;
pub use crate::verify::detached::{SIGNATURES, is_detached_signature};
use crate::verify::options::under;
use crate::verify::unexpected::search::is_signature;
use changes::Planned;
use original::Original;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;
use truesum_fs::clock;
use truesum_fs::name::OsStrExt;
use truesum_hash::Spec;
use truesum_manifest::edit::rules::{RuleWriter, rules as stored_rules};
use truesum_manifest::edit::{EditError, Uneditable, can_store_rules, edit, editable, reads_back};
use truesum_manifest::{Format, Rule, Rules, Time};

/// An update in progress.
pub struct Update<'a> {
    options: &'a Options,
    comparison: Comparison<'a>,
    report: Report,
    /// The index of the manifest's entry for itself, if it has one.
    own_line: Option<u32>,
    /// A time before any file was examined, by the coarsest clock from which file systems take timestamps.
    began: Time,
}

/// Updates a manifest, and passes each file that does not match it to `each`.
///
/// ```
/// use truesum::update::{Action, Options, update};
///
/// let folder = tempfile::tempdir()?;
/// let manifest = folder.path().join("SHA256SUMS");
/// std::fs::write(folder.path().join("a"), "123456789")?;
/// std::fs::write(&manifest, "# mine\n")?;
///
/// let report = update(&manifest, &Options::default(), |finding, action| {
///     assert_eq!((finding.name().to_str(), action), (Some("a"), Action::Added));
/// });
/// assert!(report.written());
/// let text = std::fs::read_to_string(&manifest)?;
/// assert_eq!(text, "# mine\n15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225  a\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Problems are counted in the report; [`Update`] also reports them individually and can be stopped.
pub fn update(
    manifest: impl AsRef<Path>,
    options: &Options,
    mut each: impl FnMut(&crate::audit::Finding<'_>, Action),
) -> Report {
    let progress = Progress::default();
    let mut update = Update::new(options, &progress);
    let result = update.run(manifest.as_ref(), &mut |event| {
        if let Event::File(finding, action) = event {
            each(finding, action);
        }
        Ok(())
    });
    debug_assert!(result.is_ok(), "the observer never fails");
    update.report().clone()
}

impl<'a> Update<'a> {
    /// Returns an update that has not started yet. [`Progress::stop`] ends it early, and then nothing is written.
    pub fn new(options: &'a Options, progress: &'a Progress) -> Update<'a> {
        let comparison = Comparison::new(&options.audit, progress);
        Update { options, comparison, report: Report::default(), own_line: None, began: coarse_now() }
    }

    /// Returns the counts and the result for the manifest.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Runs the update, then reports the action taken for each file. A folder with the history of an ASC media hash list
    /// gets a new list.
    ///
    /// # Errors
    /// Returns the error of `on_event`. Problems with the manifest and with files are reported and counted.
    pub fn run(&mut self, manifest: &Path, on_event: &mut Observer<'_>) -> io::Result<()> {
        let done = match folder_of(manifest) {
            Some(folder) => history::run(self, &folder, on_event),
            None => self.done(manifest, on_event),
        };
        let audit = std::mem::take(&mut self.comparison.report);
        self.report.audit = audit;
        done
    }

    fn done(&mut self, manifest: &Path, on_event: &mut Observer<'_>) -> io::Result<()> {
        // Until this run ends, no other run may read the manifest that it is about to replace.
        let lock = match self.options.dry_run {
            true => None,
            false => match Lock::open(manifest, self.comparison.progress.stop_signal()) {
                Ok(lock) => Some(lock),
                Err(error) => return self.failed(error.into(), on_event),
            },
        };
        // The time is taken only now, because the manifest may contain files as they were edited
        // while this run waited for the lock.
        self.began = coarse_now();
        let original = match Original::open(manifest) {
            Ok(original) => original,
            Err(error) => return self.failed(error.into(), on_event),
        };
        let read = &self.options.audit.read;
        let reading = read
            .manifest(manifest.as_os_str().as_bytes(), self.comparison.progress)
            .allow_undigested(true)
            .allow_pieces(true)
            .locating(true);
        let format = match editable(&mut || Ok(original.reader()), &reading) {
            Ok(format) => format,
            Err(error) => return self.failed(uneditable(manifest, error), on_event),
        };
        let new_rules = match self.new_rules(&original, &reading, manifest, format) {
            Ok(Ok(rules)) => rules,
            Ok(Err(refusal)) => {
                self.report.refused = true;
                return on_event(Event::Refused(&refusal));
            }
            Err(error) => return self.failed(error.into(), on_event),
        };
        let requested = &mut self.comparison.requested;
        requested.notes = true;
        requested.rules = new_rules.clone().map(Rules::from);
        // The date of a manifest dated in the future does not show when its files were read, so all are read again.
        let written = Some(original.written()).filter(|written| *written <= now());
        let quick = self.options.quick.zip(written);
        requested.quick =
            quick.map(|(quick, written)| QuickCheck { written, trusts_date: quick == QuickTrust::Date });
        requested.accepts_modified = self.options.refresh == Consent::All;
        requested.usual = usual(&reading, format);
        // If the user specifies a folder, all of it belongs to the manifest.
        requested.around = read.root.is_none() && self.options.audit.folder.is_none();
        let mut unused = BTreeSet::new();
        let mut relay = |event: AuditEvent<'_>| match event {
            AuditEvent::Malformed(manifest, line) => {
                unused.insert(line.at);
                on_event(Event::Malformed(manifest, line))
            }
            AuditEvent::Failed(error) => on_event(Event::Failed(error)),
            AuditEvent::Finding(_) | AuditEvent::Doubtful(_) => Ok(()),
        };
        let Some(mut rows) = self.comparison.compare_all(&[manifest], &mut relay)? else {
            if self.comparison.lacks_times() {
                self.report.refused = true;
                return on_event(Event::Refused(&Refusal::NoTimes));
            }
            return Ok(());
        };
        self.comparison.note_algorithms();
        self.report.excluded = new_rules.as_deref().map_or(0, |rules| self.excluded(rules));
        self.report.unread = self.comparison.requested.unread;
        if self.comparison.report.pieces[LISTED] {
            let why = Uneditable::Pieces(format);
            return self.failed(uneditable(manifest, EditError::Refused(why)), on_event);
        }
        let folder = self.comparison.root.clone();
        let fits_key = self.fits_key(&rows, &folder);
        // There may be a million files that match, and nothing to report about them.
        let all = rows.len();
        rows.retain(|row| row.status != FileStatus::Same || row.at[FOUND] != NONE);
        rows.shrink_to_fit();
        let same = all - rows.len();
        (0..same).for_each(|_| {
            self.report.count(&mut self.comparison.report, FileStatus::Same, Action::Kept);
        });
        let missing = rows.iter().filter(|row| row.status == FileStatus::Missing).count() as u64;
        let other_folder = guard::other_folder(&self.comparison, &rows).map(Refusal::OtherFolder);
        let is_doubtful = |row: &&Row| self.options.rename && row.doubtful;
        self.report.doubtful = rows.iter().filter(is_doubtful).count() as u64;
        let mut rows = self.split(rows, &folder);
        let inside = &self.comparison.requested.inside;
        let before = rows.len();
        rows.retain(|row| row.at[LISTED] != NONE || !self.is_outside(row, inside, &folder));
        self.report.outside = self.comparison.requested.outside + (before - rows.len()) as u64;
        // A new signature differs from the old one, so an entry for it would never match again.
        let before = rows.len();
        rows.retain(|row| !self.is_signature(row, &folder));
        self.report.signatures = (before - rows.len()) as u64;
        // A second entry for a name would contradict the first, which belongs to another file.
        let before = rows.len();
        rows.retain(|row| row.at[LISTED] != NONE || !self.has_taken_name(row));
        self.report.taken = (before - rows.len()) as u64;
        // A manifest cannot contain its own digest: an added line would be wrong again.
        self.own_line =
            rows.iter().find(|row| self.is_manifest(row, &folder, &original)).map(|row| row.at[LISTED]);
        self.report.lists_itself = self.own_line.is_some();
        let actions: Vec<Action> = rows
            .iter()
            .map(|row| self.action(row, &self.options.refresh, format, original.written()))
            .collect();
        self.report.refreshable = self.refreshable(&rows, &actions, format, original.written());
        let mut decisions: Vec<(Row, Action)> = rows.drain(..).zip(actions).collect();
        let wanted = new_rules.is_some() || decisions.iter().any(|(_, action)| *action != Action::Kept);
        self.report.has_other_names = original.has_other_names();
        let written = original.written();
        let outdated = self.leaves_outdated(&decisions, written);
        self.report.keeps_time = (outdated && wanted).then_some(written);
        self.report.date = (outdated || self.leaves_changed(&decisions, written, &folder)).then_some(written);
        let refusal = self.refusal(&decisions, missing, same);
        let refusal = refusal.or(other_folder.filter(|_| wanted));
        let refusal = refusal.or_else(|| self.other_key(&decisions, fits_key).filter(|_| wanted));
        let listed = unused::listed(&self.comparison, &decisions, &unused, original.reader(), format);
        let refusal = match listed {
            Ok(listed) => refusal.or(listed.map(Refusal::Listed)),
            Err(error) => {
                let error = Error::io(manifest.as_os_str().as_bytes(), "read", error);
                return self.failed(error.into(), on_event);
            }
        };
        if let Some(refusal) = &refusal {
            on_event(Event::Refused(refusal))?;
            self.report.refused = true;
        } else if wanted && !self.options.dry_run {
            match self.write(
                manifest,
                lock.as_ref(),
                &original,
                &reading,
                &decisions,
                new_rules.as_deref().map(|rules| (format, rules)),
            ) {
                Ok(()) => self.report.written = true,
                Err(error) => {
                    self.report.refused = true;
                    self.failed(error, on_event)?;
                }
            }
        }
        self.report.pending = wanted && self.options.dry_run && refusal.is_none();
        if wanted && !self.report.written && !self.report.pending {
            decisions.iter_mut().for_each(|(_, action)| *action = Action::Kept);
        }
        for (row, action) in &decisions {
            self.report.count(&mut self.comparison.report, row.status, *action);
            if row.status != FileStatus::Same || *action != Action::Kept {
                self.comparison.finding(row, |finding| on_event(Event::File(finding, *action)))?;
            }
        }
        Ok(())
    }

    /// Returns the rules to be stored instead of those in the manifest, if they differ, or why the requested rules cannot
    /// be used.
    fn new_rules(
        &self,
        original: &Original,
        reading: &truesum_manifest::Options,
        manifest: &Path,
        format: &'static Format,
    ) -> Result<Result<Option<Vec<Rule>>, Refusal>, Error> {
        let Options { rules, set_rules, .. } = self.options;
        if rules.is_none() && !set_rules {
            return Ok(Ok(None));
        }
        let name = manifest.as_os_str().as_bytes();
        let stored =
            stored_rules(original.reader(), reading).map_err(|error| Error::io(name, "read", error))?;
        let rules = rules.clone().unwrap_or_default();
        if stored == Rules::from(rules.clone()) {
            return Ok(Ok(None));
        }
        if !set_rules {
            return Ok(Err(Refusal::OtherRules(stored.all().to_vec())));
        }
        if !rules.is_empty() && !can_store_rules(format) {
            let why = format!("updates do not preserve comments in the {} format", format.name());
            return Err(Error::new(name, "store rules", Cause::Other(why)));
        }
        Ok(Ok(Some(rules)))
    }

    /// Returns the number of entries of files that these rules exclude.
    fn excluded(&self, rules: &[Rule]) -> u64 {
        let set = &self.comparison.sets[LISTED];
        let Ok(selection) = Selection::of_rules(rules) else { return 0 };
        (0..set.len()).filter(|&at| !selection.has_name(set.name(at))).count() as u64
    }

    /// Reports a failure that does not belong to a single file.
    fn failed(&mut self, failure: Failure, on_event: &mut Observer<'_>) -> io::Result<()> {
        self.comparison.report.failed += 1;
        match failure {
            Failure::Other(error) => on_event(Event::Failed(&error)),
            Failure::Uneditable(error, why) => on_event(Event::Uneditable(&error, &why)),
        }
    }

    /// Splits the row of a moved file that is not to be renamed: its old name is missing, its new name is a copy. A
    /// file that was moved out of the folder keeps a single row: its copy would not be added, and its digest would be
    /// lost with the old name. A file that may not be the one in the manifest is never renamed.
    fn split(&self, rows: Vec<Row>, folder: &Path) -> Vec<Row> {
        let inside = &self.comparison.requested.inside;
        let parts = |row: Row| match (row.status, row.at) {
            (FileStatus::Moved, [listed, found])
                if row.doubtful
                    || self.has_taken_name(&row)
                    || !self.options.rename && !self.is_outside(&row, inside, folder) =>
            {
                let copy = Row { from: Some((LISTED, listed)), ..Row::of(FileStatus::Copied, NONE, found) };
                [Some(Row::of(FileStatus::Missing, listed, NONE)), Some(copy)]
            }
            _ => [Some(row), None],
        };
        let mut rows: Vec<Row> = rows.into_iter().flat_map(parts).flatten().collect();
        self.comparison.sort(&mut rows);
        rows
    }

    /// Returns whether this is the manifest file itself: compares size and time first, then the identity.
    fn is_manifest(&self, row: &Row, folder: &Path, original: &Original) -> bool {
        let [listed, found] = row.at;
        if !matches!(row.status, FileStatus::Changed | FileStatus::Restored) {
            return false;
        }
        let sets = &self.comparison.sets;
        let (size, time) = (sets[FOUND].size(found), sets[FOUND].time(found));
        let seems = size == Some(original.size()) && time == Some(original.written());
        let name = || folder.join(OsStr::from_bytes(sets[LISTED].name(listed)));
        seems && original.is_at(&name())
    }

    /// Returns whether this is a file, not a signature, outside the folder `inside` that contains all files in the
    /// manifest.
    fn is_outside(&self, row: &Row, inside: &[u8], folder: &Path) -> bool {
        let is_outside =
            row.at[FOUND] != NONE && !self.comparison.sets[FOUND].name(row.at[FOUND]).starts_with(inside);
        is_outside && !self.is_signature(row, folder)
    }

    /// Returns whether the name of the file found is that of an entry for another file.
    fn has_taken_name(&self, row: &Row) -> bool {
        let name = |found| self.comparison.sets[FOUND].name(found);
        row.at[FOUND] != NONE && self.comparison.requested.other_names.contains(name(row.at[FOUND]))
    }

    /// Returns whether this is a file that is not in the manifest and has the name of a detached signature of the
    /// manifest.
    fn is_signature(&self, row: &Row, folder: &Path) -> bool {
        let [listed, found] = row.at;
        let path = |found| folder.join(OsStr::from_bytes(self.comparison.sets[FOUND].name(found)));
        listed == NONE
            && found != NONE
            && is_signature(&self.comparison.own, path(found).as_os_str().as_bytes(), None)
    }

    /// Returns the number of changed files whose entries are kept and would be refreshed by [`Consent::Safe`].
    fn refreshable(&self, rows: &[Row], actions: &[Action], format: &Format, written: Time) -> u64 {
        let is_refreshable = |(row, action): &(&Row, &Action)| {
            row.status == FileStatus::Changed
                && **action == Action::Kept
                && self.action(row, &Consent::Safe, format, written) == Action::Refreshed
        };
        rows.iter().zip(actions).filter(is_refreshable).count() as u64
    }

    /// Returns the action for one file with this permission to refresh, provided that nothing prevents the update as
    /// a whole.
    fn action(&self, row: &Row, refresh: &Consent, format: &Format, written: Time) -> Action {
        let prune = &self.options.prune;
        let [listed, found] = row.at;
        let sets = &self.comparison.sets;
        match row.status {
            FileStatus::New | FileStatus::Copied | FileStatus::Duplicated => Action::Added,
            FileStatus::Missing if *prune != Consent::Withheld => Action::Removed,
            FileStatus::Moved if self.options.rename => Action::Renamed,
            FileStatus::Same
                if found != NONE && *refresh != Consent::Withheld && format.capabilities().mtime() =>
            {
                Action::Refreshed
            }
            FileStatus::Changed | FileStatus::Restored if self.own_line == Some(listed) => Action::Kept,
            // An older version may be intended, or may have been restored from a backup by mistake.
            FileStatus::Restored if *refresh == Consent::All => Action::Refreshed,
            // There is nothing to refresh in an entry without digests.
            FileStatus::Changed if !sets[LISTED].specs(listed).is_empty() => {
                // If the entry has no time, only a time later than the manifest's proves an edit. A
                // different size does not, because damage can also truncate a file.
                let time = sets[LISTED].time(listed);
                let newer = sets[FOUND].time(found).is_some_and(|found| is_edited(written, found));
                match refresh {
                    Consent::Withheld => Action::Kept,
                    Consent::Safe if time.is_none() && !newer => Action::Kept,
                    Consent::Safe | Consent::All => Action::Refreshed,
                }
            }
            _ => Action::Kept,
        }
    }

    /// Writes the new manifest next to the old one, reads it back, and replaces the old one.
    fn write(
        &self,
        manifest: &Path,
        lock: Option<&Lock>,
        original: &Original,
        reading: &truesum_manifest::Options,
        decisions: &[(Row, Action)],
        rules: Option<(&Format, &[Rule])>,
    ) -> Result<(), Failure> {
        let name = manifest.as_os_str().as_bytes();
        let fail = |error: io::Error| Error::io(name, "write", error);
        let mut changes = Planned::new(&self.comparison, decisions);
        let mut file = AtomicFile::create(manifest)?;
        let mut edit = |out: &mut dyn Write| {
            edit(&mut || Ok(original.reader()), reading, &mut changes, out)
                .map_err(|error| uneditable(manifest, error))
        };
        match rules.and_then(|(format, rules)| RuleWriter::new(&mut file, format, rules)) {
            Some(mut out) => {
                edit(&mut out).and_then(|()| out.finish().map_err(|error| fail(error).into()))?
            }
            None => edit(&mut file)?,
        }
        file.flush().map_err(fail)?;
        let new = || original::at_beginning(file.file());
        let has_rules = match rules {
            Some((_, wanted)) => stored_rules(new(), reading).map_err(fail)? == Rules::from(wanted.to_vec()),
            None => true,
        };
        if !has_rules || !reads_back(original.reader(), new(), reading, &mut changes).map_err(fail)? {
            let why = Uneditable::Misread;
            return Err(uneditable(manifest, EditError::Refused(why)));
        }
        // The manifest's time takes the place of times that its lines do not contain. It is the beginning of this run,
        // by the clock of file systems. A later time would hide files that were modified during this run. With an
        // earlier one, damage to a file that was edited just before this run would look like an edit. Where a time is
        // stored in coarse units, as on FAT, comparisons allow for the unit (`audit/stamps.rs`).
        let time = self.report.date.unwrap_or(self.began);
        file.set_date(time);
        let committed = file.commit_if(|| {
            lock.map_or(Ok(()), |lock| lock.still_at(manifest)).and_then(|()| original.unchanged(manifest))
        });
        committed.map_err(Failure::from)
    }

    /// Returns whether an entry without a time remains for a file that was modified after the manifest was written. With a
    /// later time of the manifest, the file would look corrupt.
    fn leaves_outdated(&self, decisions: &[(Row, Action)], written: Time) -> bool {
        let sets = &self.comparison.sets;
        decisions.iter().any(|(row, action)| {
            let [listed, found] = row.at;
            row.status == FileStatus::Changed
                && *action == Action::Kept
                && self.own_line != Some(listed)
                && sets[LISTED].time(listed).is_none()
                && sets[FOUND].time(found).is_some_and(|found| found >= written)
        })
    }

    /// Returns whether an entry remains for a file that was changed after the manifest was written, although its
    /// modification time was not. With a later time of the manifest, `--quick` would not read the file again.
    fn leaves_changed(&self, decisions: &[(Row, Action)], written: Time, folder: &Path) -> bool {
        let sets = &self.comparison.sets;
        decisions.iter().any(|(row, _)| {
            let name = match row.status {
                FileStatus::Corrupt => sets[FOUND].name(row.at[FOUND]),
                FileStatus::Unreadable if row.at[LISTED] != NONE => sets[LISTED].name(row.at[LISTED]),
                _ => return false,
            };
            changed(&folder.join(OsStr::from_bytes(name))).is_some_and(|changed| changed >= written)
        })
    }
}

/// Returns the current time.
fn now() -> Time {
    clock::now()
}

/// Returns the algorithms for the first files of a manifest.
fn usual(reading: &truesum_manifest::Options, format: &Format) -> Vec<Spec> {
    let specs = match reading.expected() {
        [] => vec![format.capabilities().usual_algorithm()],
        expected => expected.to_vec(),
    };
    under(specs, reading.secret())
}

/// The reason why a manifest cannot be updated.
enum Failure {
    /// Its format or content does not allow the change.
    Uneditable(Error, Box<Uneditable>),
    Other(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Other(error)
    }
}

/// Returns the failure of editing a manifest.
fn uneditable(manifest: &Path, error: EditError) -> Failure {
    let name = manifest.as_os_str().as_bytes();
    match error {
        EditError::Read(error) => Error::io(name, "read", error).into(),
        EditError::Write(error) => Error::io(name, "write", error).into(),
        EditError::Refused(why) => {
            Failure::Uneditable(Error::new(name, "update", Cause::Other(why.to_string())), Box::new(why))
        }
    }
}
