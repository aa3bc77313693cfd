//! Entries whose files are missing, stored until all manifests have been read and the files are searched for.

use crate::content::set::Set;
use crate::error::{Cause, Error};
use crate::job::{Job, Outcome};
use std::io;
use std::path::{Path, PathBuf};
use truesum_fs::Errno;
use truesum_manifest::Place;

/// The error number of names that lead out of the folder, as in [`Root::refusal`](crate::Root).
const OUTSIDE: i32 = Errno::XDEV.raw_os_error();

/// Missing entries, each in about 50 bytes plus its name and digests.
#[derive(Default)]
pub(crate) struct MissingEntries {
    /// The path, digests, size and time of each entry, in order.
    files: Set,
    /// The number of the line or byte of each entry.
    places: Vec<u64>,
    /// The index of the source of each entry.
    source_of: Vec<u32>,
    /// The entries with the same path as an earlier one, in order.
    repeated: Vec<usize>,
    /// The names in the manifest that differ from the path of the job, by the index of the entry, in order.
    names: Vec<(usize, Box<[u8]>)>,
    sources: Vec<Source>,
}

/// The data that many entries have in common.
#[derive(PartialEq, Eq)]
struct Source {
    manifest: PathBuf,
    origin: usize,
    in_lines: bool,
    exempt: bool,
    action: &'static str,
    errno: i32,
}

impl MissingEntries {
    /// Adds an entry whose file is missing, or whose name leads out of the folder.
    ///
    /// # Errors
    /// Returns the outcome if its file is not missing, or if there are too many entries.
    pub(crate) fn push(&mut self, manifest: &Path, outcome: Outcome) -> Result<(), Box<Outcome>> {
        let Outcome { job, result } = &outcome;
        let (Err(error), Ok(source)) = (result, u32::try_from(self.sources.len())) else {
            return Err(outcome.into());
        };
        let (action, cause) = (error.action(), error.cause());
        let errno = match cause {
            Cause::Io(error) => error.raw_os_error(),
            Cause::OutsideRoot => Some(OUTSIDE),
            _ => None,
        };
        let Some(errno) = errno else { return Err(outcome.into()) };
        let (in_lines, place) = match job.origin.1 {
            Place::Line(number) => (true, number),
            Place::Byte(number) => (false, number),
        };
        let is_repeated = self.files.find(job.path()).is_some();
        let facts = (job.size, job.mtime);
        let Ok(at) = self.files.push(job.path(), facts, &job.specs, &job.expected) else {
            return Err(outcome.into());
        };
        self.files.set_alternatives(at, job.alternatives.clone());
        let (origin, exempt) = (job.origin.0, job.exempt);
        let is_same = |known: &Source| {
            (known.origin, known.in_lines, known.exempt) == (origin, in_lines, exempt)
                && (known.action, known.errno, &*known.manifest) == (action, errno, manifest)
        };
        let source = match self.sources.iter().rposition(is_same) {
            Some(known) => known as u32,
            None => {
                let manifest = manifest.to_owned();
                self.sources.push(Source { manifest, origin, in_lines, exempt, action, errno });
                source
            }
        };
        if job.open.is_some() {
            self.names.push((self.len(), job.name.clone().into_boxed_slice()));
        }
        if is_repeated {
            self.repeated.push(self.len());
        }
        self.places.push(place);
        self.source_of.push(source);
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the paths, digests, sizes and times, in the order of the entries.
    pub(crate) fn files(&self) -> &Set {
        &self.files
    }

    /// Returns the path that was opened.
    pub(crate) fn path(&self, at: usize) -> &[u8] {
        self.files.name(at as u32)
    }

    /// Returns whether an entry is the first one with its path.
    pub(crate) fn is_first(&self, at: usize) -> bool {
        self.repeated.binary_search(&at).is_err()
    }

    /// Returns the manifest that contains the entry.
    pub(crate) fn manifest(&self, at: usize) -> &Path {
        &self.source(at).manifest
    }

    /// Returns the job of an entry.
    pub(crate) fn job(&self, at: usize) -> Job {
        let (number, file, source) = (self.places[at], at as u32, self.source(at));
        let path = self.path(at).to_vec();
        let (name, open) = match self.names.binary_search_by_key(&at, |(entry, _)| *entry) {
            Ok(named) => (self.names[named].1.to_vec(), Some(path)),
            Err(_) => (path, None),
        };
        let place = if source.in_lines { Place::Line(number) } else { Place::Byte(number) };
        let expected = self.files.digests(file).into_iter().map(|(_, digest)| digest).collect();
        let (size, mtime) = (self.files.size(file), self.files.time(file));
        let (exempt, origin) = (source.exempt, (source.origin, place));
        Job {
            open,
            alternatives: self.files.alternatives(file).into(),
            size,
            mtime,
            exempt,
            origin,
            ..Job::entry(name, self.files.specs(file).clone(), expected)
        }
    }

    /// Returns the outcome of an entry: its file is missing.
    pub(crate) fn outcome(&self, at: usize) -> Outcome {
        let (job, Source { action, errno, .. }) = (self.job(at), self.source(at));
        let error = match *errno {
            OUTSIDE => Error::new(&job.name, action, Cause::OutsideRoot),
            errno => Error::io(&job.name, action, io::Error::from_raw_os_error(errno)),
        };
        Outcome { job, result: Err(error) }
    }

    fn source(&self, at: usize) -> &Source {
        &self.sources[self.source_of[at] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use truesum_hash::Spec;
    use truesum_manifest::Time;

    #[test]
    fn missing_entry_keeps_every_field() {
        let specs: Arc<[Spec]> = ["sha256", "s3-etag"].map(|name| name.parse().unwrap()).into();
        let plain = Job {
            expected: vec![specs[0].digest(b"x"), specs[1].digest(b"x").with_parts(3)],
            size: Some(1),
            mtime: Some(Time { seconds: -5, nanos: 7 }),
            origin: (2, Place::Byte(9)),
            ..Job::hash("name", &specs)
        };
        let elsewhere = Job { open: Some(b"path".to_vec()), size: None, mtime: None, ..plain.clone() };
        let respelt = Job { open: Some(b"path".to_vec()), exempt: true, ..Job::hash("other", &specs) };
        let respelt = Job { expected: plain.expected.clone(), origin: (0, Place::Line(4)), ..respelt };
        let mut missing = MissingEntries::default();
        for (at, job) in [plain, elsewhere, respelt].into_iter().enumerate() {
            let error = || Error::io(&job.name, "open", io::Error::from_raw_os_error(2));
            let outcome = || Outcome { job: job.clone(), result: Err(error()) };
            assert!(missing.push(Path::new("M"), outcome()).is_ok());
            assert_eq!(format!("{:?}", missing.outcome(at)), format!("{:?}", outcome()));
            assert_eq!(missing.manifest(at), Path::new("M"));
        }
        assert_eq!([0, 1, 2].map(|at| missing.is_first(at)), [true, true, false]);
    }
}
