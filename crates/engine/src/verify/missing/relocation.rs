//! Searches for missing files under other spellings of their names and under other names.
//!
//! The rules are in docs/reference/check.md, "Renamed files". A file counts as found only if it was read to its end and
//! matches every digest in the manifest.

use crate::content::pairing::{Move, moved};
use crate::content::set::Set;
use crate::error::Error;
use crate::hash_files::OutcomeFn;
use crate::io::anchor::stat_found;
use crate::io::file_id::FileId;
use crate::io::open::Root;
use crate::job::{FileResult, Job, Outcome, Verdict};
use crate::names::{Folders, NameMatch, Spellings};
use crate::progress::Progress;
use crate::run::config::Config;
use crate::run::order::Order;
use crate::run::run;
use crate::task::Task;
use crate::verify::listed::ListedNames;
use crate::verify::missing::entries::MissingEntries;
use crate::verify::options::{Options, Renaming};
use crate::verify::unexpected::search::{is_among, is_sidecar};
use crate::walk::{Item, Options as WalkOptions, Walk, relative};
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truesum_fs::name::{self, OsStrExt, OsStringExt};
use truesum_hash::Spec;
use truesum_manifest::Time;

/// The maximum number of algorithms computed for files that are not in the manifest.
const ALGORITHMS: usize = 16;

/// The result for a missing entry.
pub(super) enum Resolution {
    /// It exists under an equivalent spelling of its name: the outcome for that file.
    NameMatch(Box<Outcome>),
    /// Its content exists under this name.
    Moved(Vec<u8>, Box<FileResult>),
}

/// A file to be renamed, whose content matches that of the new name in the manifest.
pub(super) struct PendingRename {
    pub(crate) from: Vec<u8>,
    pub(crate) to: Vec<u8>,
    pub(crate) found: FileResult,
}

/// The results of a search.
#[derive(Default)]
pub(super) struct Outcomes {
    /// The results by the index of the entry. Entries that were not found have none.
    pub(crate) resolutions: HashMap<usize, Resolution>,
    pub(crate) misnamed: Vec<PendingRename>,
    /// Files and folders that could not be read during the search.
    pub(crate) failed: Vec<Error>,
    /// The number and total size of files that were read during the search.
    pub(crate) read: (u64, u64),
}

/// A search for files below one folder.
pub(super) struct Relocation<'a> {
    pub(crate) options: &'a Options,
    pub(crate) progress: &'a Progress,
    pub(crate) folder: &'a Path,
    pub(crate) listed: &'a mut ListedNames,
    pub(crate) own: &'a [FileId],
}

impl Relocation<'_> {
    /// Searches for the files of all these entries.
    ///
    /// # Errors
    /// Fails if the folder cannot be opened or walked.
    pub(super) fn relocate_missing(&mut self, missing: &MissingEntries) -> Result<Outcomes, Error> {
        let config = self.config()?;
        let mut outcomes = Outcomes::default();
        let failed = |error: io::Error| Error::io(self.folder.as_os_str().as_bytes(), "search", error);
        self.find_respelled(missing, &config, &mut outcomes).map_err(failed)?;
        if self.options.search {
            self.find_relocated(missing, &config, &mut outcomes).map_err(failed)?;
        }
        Ok(outcomes)
    }

    /// Returns the configuration for reading files in the folder.
    pub(super) fn config(&self) -> Result<Config, Error> {
        let root = Root::folder(self.folder, self.options.read.allow_outside)?;
        Ok(Config { order: Order::Stable, own: Vec::new(), ..self.options.read.config(root) })
    }

    /// Finds files under another spelling of their name, whether that is accepted or is to be corrected.
    fn find_respelled(
        &mut self,
        missing: &MissingEntries,
        config: &Config,
        outcomes: &mut Outcomes,
    ) -> io::Result<()> {
        let Options { spellings, renaming, .. } = self.options;
        let fixes = renaming.is_some_and(|renaming| renaming.names);
        let passing = spellings.any().then_some((*spellings, true));
        let misnamed = fixes.then_some((Spellings::ALL, false));
        let mut found: Vec<(usize, Vec<u8>, Vec<u8>, bool)> = Vec::new();
        let mut taken = HashSet::new();
        for (spellings, passes) in passing.into_iter().chain(misnamed) {
            let mut folders = Folders::new(&config.root, spellings);
            let known: HashSet<usize> = found.iter().map(|(at, ..)| *at).collect();
            for at in (0..missing.len()).filter(|at| !known.contains(at)) {
                let NameMatch::One { found: name, requested } = folders.find(missing.path(at)) else {
                    continue;
                };
                if !self.listed.contains(&name) && (taken.insert(name.clone()) || passes) {
                    found.push((at, name, requested, passes));
                }
            }
        }
        let mut read: Vec<Outcome> = Vec::new();
        let mut jobs = found
            .iter()
            .map(|(at, name, ..)| Task::File(Job { open: Some(name.clone()), ..missing.job(*at) }));
        run(config, &mut jobs, self.progress, &mut OutcomeFn(|outcome| read.push(outcome)))?;
        drop(jobs);
        let mut renamed = HashSet::new();
        for ((at, name, requested, passes), outcome) in found.into_iter().zip(read) {
            let good = outcome.verdict() == Verdict::Verified;
            if let (true, true, Ok(found)) = (good, fixes, &outcome.result)
                && renamed.insert(name.clone())
            {
                outcomes.misnamed.push(PendingRename {
                    from: name.clone(),
                    to: requested,
                    found: found.clone(),
                });
            }
            match (passes, outcome) {
                (true, outcome) => {
                    self.listed.add(&name);
                    outcomes.resolutions.insert(at, Resolution::NameMatch(Box::new(outcome)));
                }
                (false, Outcome { result: Ok(found), .. }) if good => {
                    self.listed.add(&name);
                    outcomes.read = (outcomes.read.0 + 1, outcomes.read.1 + found.size());
                    outcomes.resolutions.insert(at, Resolution::Moved(name, Box::new(found)));
                }
                (false, _) => {}
            }
        }
        Ok(())
    }

    /// Finds files under other names among those that are not in the manifest, by size and digests.
    fn find_relocated(
        &mut self,
        missing: &MissingEntries,
        config: &Config,
        outcomes: &mut Outcomes,
    ) -> io::Result<()> {
        let (lost, mut specs) = (missing.files(), Vec::<Spec>::new());
        let is_gone = |at: &u32| {
            let at = *at as usize;
            missing.is_first(at) && !outcomes.resolutions.contains_key(&at)
        };
        let mut gone: Vec<u32> = (0..lost.len()).filter(is_gone).collect();
        for &file in &gone {
            let fresh = lost.specs(file).iter().filter(|spec| !specs.contains(spec)).cloned();
            let fresh: Vec<Spec> = fresh.take(ALGORITHMS - specs.len().min(ALGORITHMS)).collect();
            specs.extend(fresh);
        }
        let sizes: Option<HashSet<u64>> = gone.iter().map(|&file| lost.size(file)).collect();
        if sizes.as_ref().is_some_and(HashSet::is_empty) {
            return Ok(());
        }
        let mut others = Set::default();
        self.walk(sizes.as_ref(), &mut others, outcomes)?;
        let all = self.hash(&mut others, &specs.into(), config, outcomes)?;
        let mut fresh: Vec<u32> = all.keys().copied().collect();
        fresh.sort_unstable();
        for Move { from, to, .. } in moved([lost, &others], &mut gone, &mut fresh, &|_| false) {
            let (name, found) = (others.name(to).to_vec(), all[&to].clone());
            self.listed.add(&name);
            // All empty files are equal, so only the name shows that this is the missing one.
            let is_this = found.size() > 0 || lost.base(from) == others.base(to);
            if is_this && self.options.renaming.is_some_and(|renaming| renaming.to_match) {
                let (to, found) = (lost.name(from).to_vec(), found.clone());
                outcomes.misnamed.push(PendingRename { from: name.clone(), to, found });
            }
            outcomes.resolutions.insert(from as usize, Resolution::Moved(name, Box::new(found)));
        }
        Ok(())
    }

    /// Returns the files of these sizes that are not in the manifest.
    pub(super) fn walk(
        &mut self,
        sizes: Option<&HashSet<u64>>,
        others: &mut Set,
        outcomes: &mut Outcomes,
    ) -> io::Result<()> {
        let root = &*name::of(self.folder);
        let walk = Walk::new([self.folder.to_owned()], WalkOptions::default(), self.options.read.threads);
        for item in walk.until(self.progress.stop_flag()) {
            let (path, anchor) = match item {
                Item::File(path, anchor) => (path.into_os_string().into_vec(), anchor),
                Item::Failed(error) => {
                    outcomes.failed.push(error);
                    continue;
                }
                Item::Temporary(_)
                | Item::State(_)
                | Item::Link(_)
                | Item::Dangling(_)
                | Item::Special(..)
                | Item::Stdin => {
                    continue;
                }
            };
            let name = relative(&path, root);
            let is_sidecar = |listed: &mut ListedNames| {
                is_sidecar(name, |about| listed.contains(about), &path, anchor.as_ref())
            };
            if self.listed.contains(name)
                || is_among(self.own, &path, anchor.as_ref())
                || is_sidecar(self.listed)
            {
                continue;
            }
            match stat_found(&path, anchor.as_ref()) {
                Ok(stat) => {
                    let size = stat.size();
                    let time = stat.mtime();
                    if sizes.is_none_or(|sizes| sizes.contains(&size)) {
                        // A walk returns each name once.
                        let _ = others.insert(name, (Some(size), Some(time)), &Arc::from([]), &[]);
                    }
                }
                Err(error) => outcomes.failed.push(Error::io(&path, "open", error)),
            }
        }
        Ok(())
    }

    /// Computes the digests of these files. Returns the results for those that could be read.
    fn hash(
        &mut self,
        others: &mut Set,
        specs: &Arc<[Spec]>,
        config: &Config,
        outcomes: &mut Outcomes,
    ) -> io::Result<HashMap<u32, FileResult>> {
        let mut found = HashMap::new();
        let mut jobs = (0..others.len()).map(|at| {
            let name = PathBuf::from(std::ffi::OsString::from_vec(others.name(at).to_vec()));
            let job = Job::hash(name, specs);
            Task::File(Job { origin: (at as usize, job.origin.1), ..job })
        });
        let mut each = OutcomeFn(|outcome: Outcome| match outcome.result {
            Ok(read) => drop(found.insert(outcome.job.origin.0 as u32, read)),
            Err(error) => outcomes.failed.push(error),
        });
        run(config, &mut jobs, self.progress, &mut each)?;
        drop(jobs);
        for (&at, read) in &found {
            others.set_facts(at, read.size(), Time { seconds: read.mtime().0, nanos: read.mtime().1 });
            others.set_digests(at, specs, read.digests());
            outcomes.read = (outcomes.read.0 + 1, outcomes.read.1 + read.size());
        }
        Ok(found)
    }
}

/// Returns whether files are to be searched for under other names.
pub(crate) fn is_requested(options: &Options) -> bool {
    let fixes = options.renaming.is_some_and(|Renaming { names, .. }| names);
    options.search || options.spellings.any() || fixes
}
