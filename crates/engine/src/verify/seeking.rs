//! Searches for missing files after all manifests have been read, and reports and renames what was found.

use crate::io::open::Root;
use crate::io::rename::rename;
use crate::job::{Outcome, Verdict};
use crate::verify::event::{Event, Manifest, Moved, Renamed};
use crate::verify::several::Folder;
use crate::verify::sought::{Fate, Outcomes, Seeking, Wrong};
use crate::verify::verification::{Tell, Verification};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

impl Verification<'_> {
    /// Searches for missing files under other names and reports the results.
    pub(super) fn seek(&mut self, tell: &mut Tell<'_>) -> io::Result<()> {
        let mut folders = std::mem::take(&mut self.folders);
        for folder in folders.iter_mut().filter(|folder| !folder.sought.is_empty()) {
            let Folder { path, listed, .. } = folder;
            let Verification { options, progress, own, .. } = self;
            let (folder_path, all) = (path.clone(), std::mem::take(&mut folder.sought));
            let mut seeking = Seeking { options, progress, folder: &folder_path, listed, own };
            let mut outcomes = match seeking.seek(&all) {
                Ok(outcomes) => outcomes,
                Err(error) => {
                    self.report.unread += 1;
                    tell(Event::Failed(&error))?;
                    Outcomes::default()
                }
            };
            self.report.counts.unreadable += outcomes.failed.len() as u64;
            self.report.counts.files += outcomes.read.0;
            self.report.counts.bytes += outcomes.read.1;
            outcomes.failed.iter().try_for_each(|error| tell(Event::Failed(error)))?;
            // A file that was not reached is not known to be missing.
            if progress.stopped() {
                continue;
            }
            let root = match Root::folder(&folder_path, options.allow_outside) {
                Ok(root) => root,
                Err(error) => {
                    self.unread(&error, tell)?;
                    continue;
                }
            };
            for at in 0..all.len() {
                let manifest = Manifest { name: all.manifest(at), root: &root };
                let fate = outcomes.fates.remove(&at);
                self.fate(&manifest, &all.outcome(at), fate, tell)?;
            }
            self.rename(&folder_path, &outcomes, tell)?;
        }
        self.folders = folders;
        Ok(())
    }

    /// Reports and counts the result for an entry that was searched for.
    fn fate(
        &mut self,
        manifest: &Manifest<'_>,
        outcome: &Outcome,
        fate: Option<Fate>,
        tell: &mut Tell<'_>,
    ) -> io::Result<()> {
        let Verification { options, report, .. } = self;
        let mut verified = || report.note_verified(&outcome.job);
        match fate {
            Some(Fate::Respelt(found)) => {
                if found.verdict() == Verdict::Verified {
                    verified();
                }
                report.counts.count(&found);
                tell(Event::Entry(manifest, &found))
            }
            Some(Fate::Moved(name, found)) => {
                if options.moved_passes {
                    verified();
                }
                report.moved += 1;
                let moved = Moved { name: Path::new(OsStr::from_bytes(&name)), found: &found };
                tell(Event::Moved(manifest, outcome, &moved))
            }
            None if options.ignore_missing => {
                report.ignored += 1;
                tell(Event::Ignored(manifest, outcome))
            }
            None => {
                report.counts.count(outcome);
                tell(Event::Entry(manifest, outcome))
            }
        }
    }

    /// Renames files to their names in the manifest, or reports which would be renamed.
    fn rename(&mut self, folder: &Path, outcomes: &Outcomes, tell: &mut Tell<'_>) -> io::Result<()> {
        if outcomes.wrong.is_empty() {
            return Ok(());
        }
        // Reading may leave the root if permitted; renaming never does.
        let root = match Root::folder(folder, false) {
            Ok(root) => root,
            Err(error) => return self.unread(&error, tell),
        };
        let carried_out = self.options.renaming.is_some_and(|renaming| renaming.carried_out);
        // Make sure that the output works before anything is renamed.
        tell(Event::Pause)?;
        for Wrong { from, to, found } in &outcomes.wrong {
            let done = carried_out.then(|| rename(&root, from, to, (found.size(), found.mtime())));
            match &done {
                Some(Ok(())) => self.report.renamed += 1,
                Some(Err(_)) => self.report.not_renamed += 1,
                None => {}
            }
            let path = |name| Path::new(OsStr::from_bytes(name));
            let done = done.as_ref().map(|done| done.as_ref().copied());
            tell(Event::Renamed(&Renamed { folder, from: path(from), to: path(to), done }))?;
            if carried_out {
                tell(Event::Pause)?;
            }
        }
        Ok(())
    }
}
