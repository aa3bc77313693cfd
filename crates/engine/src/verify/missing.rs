//! Searches for missing files after all manifests have been read, and reports and renames what was found.

pub(super) mod entries;
pub(super) mod pieces;
pub(super) mod relocation;

use crate::error::Error;
use crate::io::open::Root;
use crate::io::rename::rename;
use crate::job::{Outcome, Verdict};
use crate::progress::Progress;
use crate::verify::entries::relay::doubt;
use crate::verify::event::{Event, Manifest, Moved, Observer, Renamed};
use crate::verify::options::Options;
use crate::verify::report::{MissingReport, Required};
use crate::verify::unexpected::folders::{Folder, KnownFiles};
use relocation::{Outcomes, PendingRename, Relocation, Resolution};
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use truesum_fs::name::OsStrExt;

/// The search for missing files under other names.
pub(super) struct MissingSearch<'c> {
    pub(crate) options: &'c Options,
    pub(crate) progress: &'c Progress,
    pub(crate) files: &'c mut KnownFiles,
    pub(crate) required: &'c mut Required,
    pub(crate) report: &'c mut MissingReport,
}

impl MissingSearch<'_> {
    /// Searches and reports the results.
    pub(super) fn run(mut self, on_event: &mut Observer<'_>) -> io::Result<()> {
        let (options, progress) = (self.options, self.progress);
        let mut folders = std::mem::take(&mut self.files.folders);
        let is_incomplete =
            |folder: &&mut Folder| !folder.missing.is_empty() || !folder.incomplete.is_empty();
        for folder in folders.iter_mut().filter(is_incomplete) {
            let Folder { path, listed, missing, incomplete, .. } = folder;
            let (own, all, folder_path) = (&self.files.own, std::mem::take(missing), &**path);
            let mut relocation = Relocation { options, progress, folder: folder_path, listed, own };
            let incomplete = std::mem::take(incomplete);
            let searched = relocation.relocate_missing(&all).and_then(|mut outcomes| {
                relocation.verify_incomplete(incomplete, &mut outcomes).map(|sequences| (outcomes, sequences))
            });
            let (mut outcomes, sequences) = match searched {
                Ok(searched) => searched,
                Err(error) => {
                    self.unread(&error, on_event)?;
                    Default::default()
                }
            };
            self.report.counts.unreadable += outcomes.failed.len() as u64;
            self.report.counts.files += outcomes.read.0;
            self.report.counts.bytes += outcomes.read.1;
            outcomes.failed.iter().try_for_each(|error| on_event(Event::Failed(error)))?;
            // A file that was not reached is not known to be missing.
            if progress.stopped() {
                continue;
            }
            let root = match Root::folder(folder_path, options.read.allow_outside) {
                Ok(root) => root,
                Err(error) => {
                    self.unread(&error, on_event)?;
                    continue;
                }
            };
            for at in 0..all.len() {
                let manifest = Manifest { name: all.manifest(at), root: &root };
                let resolution = outcomes.resolutions.remove(&at);
                self.resolution(&manifest, &all.outcome(at), resolution, on_event)?;
            }
            for (manifest, files) in sequences {
                let manifest = Manifest { name: &manifest, root: &root };
                for (outcome, resolution) in files {
                    self.resolution(&manifest, &outcome, resolution, on_event)?;
                }
            }
            self.rename(folder_path, &outcomes, on_event)?;
        }
        self.files.folders = folders;
        Ok(())
    }

    /// Reports and counts the result for an entry that was searched for.
    fn resolution(
        &mut self,
        manifest: &Manifest<'_>,
        outcome: &Outcome,
        resolution: Option<Resolution>,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        let MissingSearch { options, report, required, .. } = self;
        match resolution {
            Some(Resolution::NameMatch(found)) => {
                if found.verdict() == Verdict::Verified {
                    required.note_verified(&outcome.job);
                }
                report.counts.count(&found);
                on_event(Event::Entry(manifest, &found))?;
                doubt(&found).map_or(Ok(()), |doubt| on_event(Event::Doubtful(&doubt)))
            }
            Some(Resolution::Moved(name, found)) => {
                if options.moved_passes {
                    required.note_verified(&outcome.job);
                }
                report.moved += 1;
                let moved = Moved { name: Path::new(OsStr::from_bytes(&name)), found: &found };
                on_event(Event::Moved(manifest, outcome, &moved))
            }
            None if options.ignore_missing && outcome.verdict() == Verdict::Missing => {
                report.ignored += 1;
                on_event(Event::Ignored(manifest, outcome))
            }
            None => {
                if outcome.verdict() == Verdict::Verified {
                    required.note_verified(&outcome.job);
                }
                report.counts.count(outcome);
                on_event(Event::Entry(manifest, outcome))?;
                doubt(outcome).map_or(Ok(()), |doubt| on_event(Event::Doubtful(&doubt)))
            }
        }
    }

    fn unread(&mut self, error: &Error, on_event: &mut Observer<'_>) -> io::Result<()> {
        self.report.unread += 1;
        on_event(Event::Failed(error))
    }

    /// Renames files to their names in the manifest, or reports which would be renamed.
    fn rename(&mut self, folder: &Path, outcomes: &Outcomes, on_event: &mut Observer<'_>) -> io::Result<()> {
        if outcomes.misnamed.is_empty() {
            return Ok(());
        }
        // Reading may leave the root if permitted; renaming never does.
        let root = match Root::folder(folder, false) {
            Ok(root) => root,
            Err(error) => return self.unread(&error, on_event),
        };
        let carried_out = self.options.renaming.is_some_and(|renaming| renaming.carried_out);
        // Make sure that the output works before anything is renamed.
        on_event(Event::Pause)?;
        for PendingRename { from, to, found } in &outcomes.misnamed {
            let done = carried_out.then(|| rename(&root, from, to, (found.size(), found.mtime())));
            match &done {
                Some(Ok(())) => self.report.renamed += 1,
                Some(Err(_)) => self.report.not_renamed += 1,
                None => {}
            }
            let path = |name| Path::new(OsStr::from_bytes(name));
            let done = done.as_ref().map(|done| done.as_ref().copied());
            on_event(Event::Renamed(&Renamed { folder, from: path(from), to: path(to), done }))?;
            if carried_out {
                on_event(Event::Pause)?;
            }
        }
        Ok(())
    }
}
