//! Searches for missing files of which only the digests of pieces are known.
//!
//! A piece may contain bytes of several files, so the files of a sequence are verified together, with each missing file
//! replaced by the one that was found. A file counts as found only if all its pieces then match.

use crate::content::set::Set;
use crate::error::Error;
use crate::hash_files::OutcomeFn;
use crate::io::open::Root;
use crate::job::{Job, Outcome, Verdict};
use crate::names::{Folders, NameMatch, Spellings};
use crate::run::config::Config;
use crate::verify::missing::relocation::{Outcomes, PendingRename, Relocation, Resolution};
use crate::verify::options::Renaming;
use crate::verify::pieces::{self, Pieced, size_of};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use truesum_fs::Errno;
use truesum_fs::name::OsStrExt;

/// The maximum number of files of the same size that are read for one missing file.
const CANDIDATES: usize = 64;
/// The maximum number of times that a sequence is read.
const ROUNDS: usize = 3;

/// The files of a sequence of pieces, at least one of which is missing.
pub(crate) struct IncompleteSequence {
    pub(crate) manifest: PathBuf,
    pub(crate) files: Vec<Pieced>,
}

/// Returns the sequences that can be verified now, and those in which a file without a digest of its own is missing.
pub(crate) fn partition(
    files: Vec<Pieced>,
    manifest: &Path,
    root: &Root,
) -> (Vec<Pieced>, Vec<IncompleteSequence>) {
    let (mut complete, mut incomplete) = (Vec::new(), Vec::new());
    for files in pieces::sequences(files) {
        match files.iter().any(|file| is_missing(file, root)) {
            true => incomplete.push(IncompleteSequence { manifest: manifest.to_owned(), files }),
            false => complete.extend(files),
        }
    }
    (complete, incomplete)
}

fn is_missing(file: &Pieced, root: &Root) -> bool {
    file.job.expected.is_empty() && !root.exists(OsStr::from_bytes(file.job.path()))
}

/// A file that may be a missing one under another name.
#[derive(Clone)]
struct Candidate {
    name: Vec<u8>,
    /// Whether the name is an accepted spelling of the missing one.
    passes: bool,
    /// The name to which the file is renamed if it matches.
    rename_to: Option<Vec<u8>>,
}

/// Returns whether nothing contradicts that a file is the one in the manifest. Pieces that also contain bytes of a missing
/// file are unknown.
fn fits(read: &Outcome) -> bool {
    matches!(read.verdict(), Verdict::Verified | Verdict::Unverified)
}

/// The result for a file of an incomplete sequence.
pub(super) type Found = (Outcome, Option<Resolution>);

impl Relocation<'_> {
    /// Searches for the missing files of these sequences and verifies them.
    ///
    /// # Errors
    /// Fails if the folder cannot be opened or walked.
    pub(super) fn verify_incomplete(
        &mut self,
        sequences: Vec<IncompleteSequence>,
        outcomes: &mut Outcomes,
    ) -> Result<Vec<(PathBuf, Vec<Found>)>, Error> {
        let config = self.config()?;
        let failed = |error: io::Error| Error::io(self.folder.as_os_str().as_bytes(), "search", error);
        let mut others = Set::default();
        if self.options.search {
            let files = sequences.iter().flat_map(|sequence| &sequence.files);
            let missing = files.filter(|file| is_missing(file, &config.root));
            let sizes: Option<HashSet<u64>> =
                missing.map(|file| (!is_open(file)).then(|| size_of(file))).collect();
            self.walk(sizes.as_ref(), &mut others, outcomes).map_err(failed)?;
        }
        let mut found = Vec::new();
        for IncompleteSequence { manifest, files } in sequences {
            let files = self.verify_sequence(files, &others, &config, outcomes);
            found.push((manifest, files.map_err(failed)?));
        }
        Ok(found)
    }

    fn verify_sequence(
        &mut self,
        files: Vec<Pieced>,
        others: &Set,
        config: &Config,
        outcomes: &mut Outcomes,
    ) -> io::Result<Vec<Found>> {
        let (mut chosen, mut taken) = (HashMap::new(), HashSet::new());
        for (at, file) in files.iter().enumerate().filter(|(_, file)| is_missing(file, &config.root)) {
            for candidate in self.candidates(file, others, config) {
                if taken.contains(&candidate.name) {
                    continue;
                }
                let alone = [(0, candidate.clone())].into();
                let read = self.read(std::slice::from_ref(file), &alone, config)?;
                if read.iter().all(fits) {
                    taken.insert(candidate.name.clone());
                    chosen.insert(at, candidate);
                    break;
                }
            }
        }
        let mut read = Vec::new();
        for round in 1..=ROUNDS {
            read = self.read(&files, &chosen, config)?;
            let is_right = |at: &usize| read.get(*at).is_some_and(fits);
            if chosen.keys().all(is_right) {
                break;
            }
            let is_last = round + 1 == ROUNDS;
            chosen.retain(|at, _| !is_last && is_right(at));
        }
        let found = files.into_iter().zip(read).enumerate().map(|(at, (file, read))| {
            let Some(candidate) = chosen.remove(&at) else { return (read, None) };
            let missing = io::Error::from_raw_os_error(Errno::NOENT.raw_os_error());
            let missing = Error::io(&file.job.name, "open", missing);
            if read.verdict() != Verdict::Verified {
                return (Outcome { job: file.job, result: Err(missing) }, None);
            }
            self.listed.add(&candidate.name);
            if let (Some(to), Ok(found)) = (candidate.rename_to, &read.result) {
                let from = candidate.name.clone();
                outcomes.misnamed.push(PendingRename { from, to, found: found.clone() });
            }
            let resolution = match read {
                Outcome { result: Ok(found), .. } if !candidate.passes => {
                    outcomes.read = (outcomes.read.0 + 1, outcomes.read.1 + found.size());
                    Resolution::Moved(candidate.name, Box::new(found))
                }
                read => Resolution::NameMatch(Box::new(read)),
            };
            (Outcome { job: file.job, result: Err(missing) }, Some(resolution))
        });
        Ok(found.collect())
    }

    /// Verifies files, with the candidates in place of those at the same positions.
    fn read(
        &self,
        files: &[Pieced],
        chosen: &HashMap<usize, Candidate>,
        config: &Config,
    ) -> io::Result<Vec<Outcome>> {
        let open = |(at, file): (usize, &Pieced)| {
            let open = chosen.get(&at).map(|candidate| candidate.name.clone()).or(file.job.open.clone());
            Pieced { job: Job { open, ..file.job.clone() }, pieces: file.pieces.clone() }
        };
        let files = files.iter().enumerate().map(open).collect();
        let mut read = Vec::new();
        pieces::verify(files, config, self.progress, &mut OutcomeFn(|outcome| read.push(outcome)))?;
        Ok(read)
    }

    /// Returns the files that may be a missing one: those with another spelling of its name, then those of its size, first
    /// those with the same name in other folders.
    fn candidates(&mut self, file: &Pieced, others: &Set, config: &Config) -> Vec<Candidate> {
        let path = file.job.path();
        let Renaming { names, to_match, .. } = self.options.renaming.unwrap_or_default();
        let spellings = [(self.options.spellings, true), (Spellings::ALL, false)];
        let mut found: Vec<Candidate> = Vec::new();
        for (spellings, passes) in
            spellings.into_iter().filter(|(own, passes)| if *passes { own.any() } else { names })
        {
            if let NameMatch::One { found: name, requested } =
                Folders::new(&config.root, spellings).find(path)
            {
                found.push(Candidate { name, passes, rename_to: names.then_some(requested) });
            }
        }
        let base = |name: &[u8]| name.rsplit(|&byte| byte == b'/').next().unwrap_or_default().to_vec();
        let own = base(path);
        let is_of_size = |at: &u32| {
            let size = others.size(*at).unwrap_or_default();
            match is_open(file) {
                true => file.pieces[0].of_size(size).is_some(),
                // All empty files are equal, so only the name shows that this is the missing one.
                false => size == size_of(file) && (size > 0 || others.base(*at) == own),
            }
        };
        let mut of_size: Vec<u32> = (0..others.len()).filter(is_of_size).collect();
        of_size.sort_by_key(|&at| others.base(at) != own);
        found.extend(of_size.into_iter().map(|at| Candidate {
            name: others.name(at).to_vec(),
            passes: false,
            rename_to: to_match.then(|| path.to_vec()),
        }));
        found.retain(|candidate| !self.listed.contains(&candidate.name));
        found.truncate(CANDIDATES);
        found
    }
}

/// Returns whether the size of the file is not in the manifest.
fn is_open(file: &Pieced) -> bool {
    file.job.size.is_none() && file.pieces[0].is_open()
}
