//! Counts the outcomes of entries and passes them to the observer.

use crate::error::{Cause, Error, Kind};
use crate::job::{Findings, Outcome, Summary, Verdict};
use crate::progress::Progress;
use crate::run::config::Config;
use crate::run::links::Links;
use crate::run::run_with;
use crate::task::{Notice, Sink, Task};
use crate::verify::containers::archive::is_optional;
use crate::verify::event::{Event, Manifest, Observer};
use crate::verify::missing::entries::MissingEntries;
use crate::verify::pieces::{self, Pieced};
use crate::verify::report::Required;
use std::io;

/// Forwards the outcomes of the entries of one manifest to the observer, and counts them even if the observer fails.
pub(crate) struct Relay<'r, 't> {
    pub(crate) manifest: &'r Manifest<'r>,
    pub(crate) ignore_missing: bool,
    /// Stores missing entries, if they are to be searched for elsewhere.
    pub(crate) missing: Option<&'r mut MissingEntries>,
    pub(crate) required: &'r mut Required,
    pub(crate) progress: &'r Progress,
    pub(crate) on_event: &'r mut Observer<'t>,
    /// The counts of the outcomes so far.
    pub(crate) counts: Summary,
    /// The number of skipped entries.
    pub(crate) ignored: u64,
}

impl Relay<'_, '_> {
    /// Runs tasks, which may have been found only in part when the run is stopped.
    pub fn run(&mut self, config: &Config, tasks: &mut (dyn Iterator<Item = Task> + Send)) -> io::Result<()> {
        self.run_with(config, &Links::default(), tasks)
    }

    /// Runs tasks, some of which share their reads with those of other manifests.
    pub fn run_with(
        &mut self,
        config: &Config,
        links: &Links,
        tasks: &mut (dyn Iterator<Item = Task> + Send),
    ) -> io::Result<()> {
        let progress = self.progress;
        let Summary { unreached, interrupted, .. } = run_with(config, links, tasks, progress, self)?;
        self.counts.unreached += unreached;
        self.counts.interrupted |= interrupted;
        Ok(())
    }

    /// Verifies files with piece digests.
    pub fn run_pieces(&mut self, files: Vec<Pieced>, config: &Config) -> io::Result<()> {
        let unreached = pieces::verify(files, config, self.progress, self)?;
        self.counts.unreached += unreached;
        self.counts.interrupted |= self.progress.stopped();
        Ok(())
    }

    /// Returns the counts so far, and the number of skipped entries.
    pub fn counted(self) -> (Summary, u64) {
        (self.counts, self.ignored)
    }
}

/// Returns the doubt about a file whose pieces all match.
pub(crate) fn doubt(outcome: &Outcome) -> Option<Error> {
    let pieces = outcome.result.as_ref().ok().and_then(|found| found.pieces());
    let why = pieces.and_then(Findings::doubt).filter(|_| outcome.verdict() == Verdict::Verified)?;
    Some(Error::new(&outcome.job.name, "verify", Cause::Other(why.to_owned())))
}

impl Sink for Relay<'_, '_> {
    fn outcome(&mut self, mut outcome: Outcome) -> io::Result<()> {
        let verdict = outcome.verdict();
        // A name that leads out of the folder may be that of a file on another machine.
        let is_outside = outcome.result.as_ref().is_err_and(|error| error.kind() == Kind::OutsideRoot);
        if let Some(missing) = &mut self.missing
            && (verdict == Verdict::Missing || is_outside)
            && !outcome.job.expected.is_empty()
        {
            match missing.push(self.manifest.name, outcome) {
                Ok(()) => return Ok(()),
                Err(refused) => outcome = *refused,
            }
        }
        let ignored = || self.ignore_missing || is_optional(self.manifest, &outcome.job.name);
        if verdict == Verdict::Missing && ignored() {
            self.ignored += 1;
            return (self.on_event)(Event::Ignored(self.manifest, &outcome));
        }
        self.counts.count(&outcome);
        if verdict == Verdict::Verified {
            self.required.note_verified(&outcome.job);
        }
        (self.on_event)(Event::Entry(self.manifest, &outcome))?;
        doubt(&outcome).map_or(Ok(()), |doubt| (self.on_event)(Event::Doubtful(&doubt)))
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        match notice {
            Notice::Malformed(line) => {
                self.counts.malformed += 1;
                (self.on_event)(Event::Malformed(self.manifest, &line))
            }
            Notice::Failed(error) => {
                self.counts.unreadable += 1;
                (self.on_event)(Event::Failed(&error))
            }
            // A check does not walk folders while it runs.
            _ => Ok(()),
        }
    }

    fn pause(&mut self) -> io::Result<()> {
        (self.on_event)(Event::Pause)
    }
}
