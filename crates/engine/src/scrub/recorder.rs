//! Receives the results of reading files: decides the status of each, records it in the state and reports it.

use crate::audit::stamps::of_different_content;
use crate::audit::{FileStatus, Finding};
use crate::content::Facts;
use crate::error::{Cause, Error, Kind};
use crate::job::{Outcome, Verdict};
use crate::scrub::collection::Collection;
use crate::scrub::history::EarlierRuns;
use crate::scrub::inventory::{FIRST_REPAIRED, Shared, was_deferred};
use crate::scrub::listing::{manifest_name, shown_name};
use crate::scrub::policy::Policy;
use crate::scrub::record::Record;
use crate::scrub::report::{Event, Observer, Report, Treatment};
use crate::scrub::scan::Entry;
use crate::scrub::store::State;
use crate::task::{Notice, Sink};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use truesum_fs::clock;
use truesum_fs::name::OsStrExt;

/// Records and reports results.
pub(crate) struct Recorder<'r, 't> {
    pub(crate) state: &'r mut State,
    pub(crate) shared: Shared,
    pub(crate) report: &'r mut Report,
    pub(crate) policy: &'r Policy,
    /// The manifests of a collection; `None` for a tree.
    pub(crate) collection: Option<Collection>,
    pub(crate) on_event: &'r mut Observer<'t>,
    /// The day of this run.
    pub(crate) today: u64,
    pub(crate) earlier: EarlierRuns,
    /// Whether this run has compared all accepted with all missing files.
    pub(crate) is_paired: bool,
    /// Whether this run has accepted new or modified files.
    pub(crate) has_accepted: bool,
    /// New files that are not recorded, because the policy does not accept them.
    pub(crate) refused: Vec<Entry>,
    /// The content found in files that differ from their entries and were not accepted.
    pub(crate) rejected: Vec<Entry>,
    /// The names of files that were reported as failures.
    pub(crate) reported: HashSet<Vec<u8>>,
    /// The names of files that have an entry and are missing, in a collection.
    pub(crate) absent: HashSet<Vec<u8>>,
    /// Findings to report once the state that contains them has been written.
    pub(crate) waiting: Vec<Waiting>,
    /// Why the state could not be written.
    pub(crate) failure: Option<Error>,
}

/// The maximum number of findings that wait.
const MOST_WAITING: usize = 1000;

/// A finding that has not been reported yet.
pub(crate) struct Waiting {
    name: Vec<u8>,
    status: FileStatus,
    treatment: Treatment,
    from: Option<Vec<u8>>,
    candidates: u32,
    before: Option<Record>,
    found: Option<Record>,
    error: Option<Error>,
}

/// The status of a file, to be reported.
pub(crate) struct Difference<'d> {
    pub(crate) name: &'d [u8],
    pub(crate) status: FileStatus,
    pub(crate) treatment: Treatment,
    /// The former name of a moved file, and how many missing files it could have been.
    pub(crate) from: Option<&'d [u8]>,
    pub(crate) candidates: u32,
    /// The recorded file, and the one that was found.
    pub(crate) before: Option<&'d Record>,
    pub(crate) found: Option<&'d Record>,
    /// Why the file could not be read.
    pub(crate) error: Option<&'d Error>,
}

impl<'d> Difference<'d> {
    pub(crate) fn new(name: &'d [u8], status: FileStatus, treatment: Treatment) -> Difference<'d> {
        Difference {
            name,
            status,
            treatment,
            from: None,
            candidates: 1,
            before: None,
            found: None,
            error: None,
        }
    }
}

impl Recorder<'_, '_> {
    /// Counts and reports the status of a file. A failure is reported after the state has been written, together with
    /// others, because each write takes as long as the disk needs to store it.
    pub(crate) fn report_difference(&mut self, difference: &Difference<'_>) -> io::Result<()> {
        let Difference { name, status, treatment, from, candidates, before, found, error } = *difference;
        let is_first = !treatment.is_failure() || self.reported.insert(from.unwrap_or(name).to_vec());
        // A manifest is reported for each of its wrong entries, and counted once.
        match treatment {
            Treatment::Repaired => self.report.add_repaired(self.reported.contains(name)),
            _ if is_first || manifest_name(name).is_none() => self.report.add(status, treatment),
            _ => {}
        }
        if treatment.is_failure() || !self.waiting.is_empty() {
            self.waiting.push(Waiting {
                name: name.to_vec(),
                status,
                treatment,
                from: from.map(<[u8]>::to_vec),
                candidates,
                before: before.cloned(),
                found: found.cloned(),
                error: error.map(|error| error.under(error.name())),
            });
            return if self.waiting.len() < MOST_WAITING { Ok(()) } else { self.release() };
        }
        self.emit(difference)
    }

    /// Writes all results and reports the findings that waited for it, even if they could not be written.
    pub(crate) fn release(&mut self) -> io::Result<()> {
        let written = self.state.flush().map_err(|error| self.fail(error));
        for finding in std::mem::take(&mut self.waiting) {
            let Waiting { name, status, treatment, from, candidates, before, found, error } = finding;
            let (from, before, found) = (from.as_deref(), before.as_ref(), found.as_ref());
            let (name, error) = (&name[..], error.as_ref());
            self.emit(&Difference { name, status, treatment, from, candidates, before, found, error })?;
        }
        written
    }

    fn emit(&mut self, difference: &Difference<'_>) -> io::Result<()> {
        let path = |name| Path::new(OsStr::from_bytes(shown_name(name)));
        let facts = |record: Option<&Record>| record.map(|record| -> Facts { record.facts() });
        let finding = Finding {
            status: difference.status,
            name: path(difference.name),
            from: difference.from.map(path),
            candidates: difference.candidates,
            listed: facts(difference.before),
            found: facts(difference.found),
            error: difference.error,
        };
        let treatment = difference.treatment;
        (self.on_event)(match manifest_name(difference.name) {
            Some(_) => Event::Manifest(&finding, treatment),
            None => Event::Finding(&finding, treatment),
        })
    }

    /// Changes an entry of the state.
    pub(crate) fn put(&mut self, name: &[u8], record: Option<&Record>) -> io::Result<()> {
        self.state.put(name, record).map_err(|error| self.fail(error))
    }

    /// Keeps an error of the state and ends the run with it.
    pub(crate) fn fail(&mut self, error: Error) -> io::Error {
        let message = error.to_string();
        self.failure.get_or_insert(error);
        io::Error::other(message)
    }

    /// Processes a file that has no entry.
    fn new_file(&mut self, name: Vec<u8>, outcome: Outcome) -> io::Result<()> {
        match outcome.result {
            Ok(found) => {
                let record =
                    Record::of((outcome.job.specs(), &found), self.today, clock::now(), FileStatus::New);
                // It is reported at the end, when it is known whether it was moved.
                match self.policy.accepts(FileStatus::New) {
                    true => {
                        self.report.recorded += 1;
                        self.has_accepted = true;
                        self.put(&name, Some(&record))
                    }
                    false => {
                        self.refused.push((name, record));
                        Ok(())
                    }
                }
            }
            // It was removed before it was read.
            Err(error) if error.is_missing() => Ok(()),
            Err(error) => {
                let difference = Difference::new(&name, FileStatus::Unreadable, Treatment::Failed);
                self.report_difference(&Difference { error: Some(&error), ..difference })
            }
        }
    }

    /// Processes a file that has an entry.
    fn known_file(&mut self, name: Vec<u8>, before: Record, outcome: Outcome) -> io::Result<()> {
        let verdict = outcome.verdict();
        let is_repaired = outcome.job.origin.0 >= FIRST_REPAIRED;
        let specs = outcome.job.specs();
        let (result, found) = match outcome.result {
            Ok(result) => {
                if was_deferred(&outcome.job, &before, &result) {
                    self.report.deferred = self.report.deferred.saturating_sub(1);
                }
                let found = Record::of((specs, &result), self.today, clock::now(), FileStatus::Same);
                (result, found)
            }
            Err(error) if error.is_missing() => {
                self.shared.get().gone.push((name, before));
                return Ok(());
            }
            Err(error) => {
                return self.report_unreadable(&name, &before, &error);
            }
        };
        let difference = |status, treatment| Difference {
            before: Some(&before),
            found: Some(&found),
            ..Difference::new(&name, status, treatment)
        };
        if verdict == Verdict::Verified {
            // A new file that may be a missing one remains new, although its content is that of its entry.
            let is_new = before.status == FileStatus::New && self.is_unpaired(&before);
            let status = if is_new { FileStatus::New } else { FileStatus::Same };
            let Record { specs, digests, manifests, pending, .. } = self.confirmed(&before, (specs, &result));
            let accepted = before.accepted;
            let record = Record { status, accepted, specs, digests, manifests, pending, ..found.clone() };
            self.put(&name, Some(&record))?;
            let treatment = match before.is_failure() {
                true if is_repaired => Treatment::Repaired,
                true => Treatment::Recovered,
                false => Treatment::Intact,
            };
            return self.report_difference(&difference(FileStatus::Same, treatment));
        }
        if is_repaired {
            // It was reported as corrupt, and remains so.
            let why = "its content changed after it was repaired; check the disk and the memory";
            let error = Error::new(outcome.job.path(), "repair", Cause::Changed(why.to_owned()));
            return (self.on_event)(Event::Failed(&error));
        }
        if let Some(adopted) = self.adopted(&before, (specs, &result)) {
            let is_new = before.status == FileStatus::New && self.is_unpaired(&before);
            let status = if is_new { FileStatus::New } else { FileStatus::Same };
            self.put(&name, Some(&Record { status, ..adopted }))?;
            let treatment = if before.is_failure() { Treatment::Recovered } else { Treatment::Intact };
            return self.report_difference(&difference(FileStatus::Same, treatment));
        }
        let status = match before.status {
            FileStatus::Corrupt | FileStatus::Restored => before.status,
            _ => of_different_content(before.mtime, found.mtime),
        };
        let update = match self.collection {
            Some(_) => self.updated(&before, (specs, &result), &found),
            // Without a recorded time, an edit cannot be distinguished from corruption.
            None => before.mtime.map(|_| found.clone()),
        };
        // The damage of a corrupt file is known, so no manifest is to blame.
        let refusal = match update {
            None if status != FileStatus::Corrupt => self.refusal(&name, &before, (specs, &result)),
            _ => None,
        };
        if let Some(update) = update.filter(|_| self.policy.accepts(status)) {
            self.has_accepted = true;
            self.put(&name, Some(&update))?;
            return self.report_difference(&difference(status, Treatment::Accepted));
        }
        // The recorded content remains the one to compare with.
        self.put(&name, Some(&Record { status, day: self.today, ..before.clone() }))?;
        let failed = difference(status, Treatment::Failed);
        self.report_difference(&Difference { error: refusal.as_ref(), ..failed })?;
        // A corrupt file has its own size and time, so nothing shows that it is another one that was moved here.
        if status != FileStatus::Corrupt {
            self.rejected.push((name, found));
        }
        Ok(())
    }

    /// Records and reports a file that has an entry and could not be read or examined.
    pub(crate) fn report_unreadable(
        &mut self,
        name: &[u8],
        before: &Record,
        error: &Error,
    ) -> io::Result<()> {
        // A file that was corrupt remains so until it was found intact.
        let status = if before.is_failure() { before.status } else { FileStatus::Unreadable };
        self.put(name, Some(&Record { status, ..before.clone() }))?;
        let difference = Difference::new(name, FileStatus::Unreadable, Treatment::Failed);
        self.report_difference(&Difference { before: Some(before), error: Some(error), ..difference })
    }
}

impl Sink for Recorder<'_, '_> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        let expected = self.shared.get().expected.remove(&outcome.job.origin.0);
        let Some((name, before)) = expected else { return Ok(()) };
        if outcome.result.as_ref().is_err_and(|error| error.kind() == Kind::Interrupted) {
            return Ok(());
        }
        match before {
            None => self.new_file(name, outcome),
            Some(before) => self.known_file(name, before, outcome),
        }
    }

    fn notice(&mut self, _: Notice) -> io::Result<()> {
        Ok(())
    }

    /// Reports failures, and writes results before they have waited too long. It is also called while no outcome arrives.
    fn pause(&mut self) -> io::Result<()> {
        if !self.waiting.is_empty() {
            return self.release();
        }
        self.state.flush_periodically().map_err(|error| self.fail(error))
    }
}
