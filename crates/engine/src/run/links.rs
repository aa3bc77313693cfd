//! Files for which a run or several runs have more than one job: a file with several names (hard links), or one in
//! several manifests of a check, is read once.
//!
//! An inode number identifies a file only while the file exists: during a run, files are rewritten and numbers are
//! reused. So a name gets the digest found under another name only if its descriptor shows the same size and times. Where
//! inode numbers are not unique, or times do not show every change, hard links are not recognized, and the name must be
//! the same too.

use crate::io::file_id::FileId;
use crate::job::{FileResult, Job, Outcome};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use truesum_fs::metadata::Metadata;
use truesum_hash::Spec;
use truesum_manifest::Time;

/// The files with several names found so far in a run.
#[derive(Default)]
pub(crate) struct Links {
    files: Mutex<HashMap<FileId, File>>,
}

/// The identity of a file and its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The device and inode number.
    id: FileId,
    size: u64,
    modified: Time,
    changed: Time,
}

impl Identity {
    /// Returns the identity of an open file whose timestamps show every change.
    pub(crate) fn of(stat: &Metadata) -> Identity {
        Identity { id: FileId::from(stat), size: stat.size(), modified: stat.mtime(), changed: stat.ctime() }
    }
}

struct File {
    /// The file that was opened.
    identity: Identity,
    /// The algorithms computed for it. Names that need others read it again.
    specs: Arc<[Spec]>,
    /// The hash of its name, if it is in several manifests.
    name: Option<u64>,
    /// The number of jobs still expected, according to the link count and the manifests.
    names_left: u64,
    state: LinkState,
}

enum LinkState {
    Reading(Vec<(u64, Job)>),
    Read(Box<FileResult>),
}

/// The action to take for a name.
pub(crate) enum Claim {
    /// Read the file, and report the outcome with [`Links::record_outcome`].
    First(Job),
    /// Read the file: other digests are needed for this name.
    Other(Job),
    /// The file is being read; this name gets the same outcome.
    Waiting,
    /// The file has been read.
    Known(Box<Outcome>),
}

impl Links {
    fn lock(&self) -> MutexGuard<'_, HashMap<FileId, File>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides what to do with a file that has `names` names, or 0 if its hard links are not recognized.
    pub(crate) fn claim(&self, identity: Identity, names: u64, place: u64, job: Job) -> Claim {
        let (name, later) = job.shared.as_ref().map_or((None, 0), |shared| (Some(shared.name), shared.later));
        let mut files = self.lock();
        // The file that was read under this number no longer exists or was changed. One that is
        // still being read stays: names wait for it.
        let gone = |file: &File| file.identity != identity && matches!(file.state, LinkState::Read(_));
        if files.get(&identity.id).is_some_and(gone) {
            files.remove(&identity.id);
        }
        let Some(file) = files.get_mut(&identity.id) else {
            let state = LinkState::Reading(Vec::new());
            // An entry that is never complete (other names may be outside of the run) stays until
            // the end.
            let names_left = names.max(1).saturating_mul(later + 1) - 1;
            let file = File { identity, specs: job.specs.clone(), name, names_left, state };
            files.insert(identity.id, file);
            return Claim::First(job);
        };
        let has_digests = file.specs == job.specs || job.specs.iter().all(|spec| file.specs.contains(spec));
        let is_same = file.identity == identity && (names > 0 || name.is_some() && file.name == name);
        if !has_digests || !is_same {
            return Claim::Other(job);
        }
        file.names_left = file.names_left.saturating_sub(1);
        match &mut file.state {
            LinkState::Reading(waiting) => {
                // The worker that reads the file delivers this job too. It cannot wait for the
                // frontier before that, because it does not wait while it holds an open file.
                waiting.push((place, job));
                Claim::Waiting
            }
            LinkState::Read(found) => {
                let Some(found) = found.selected(&file.specs, &job.specs) else { return Claim::Other(job) };
                let mut outcome = Outcome { job, result: Ok(found) };
                outcome.unshare();
                if file.names_left == 0 {
                    files.remove(&identity.id);
                }
                Claim::Known(Box::new(outcome))
            }
        }
    }

    /// Records the outcome of the first name. Returns the outcomes of the other names that waited
    /// for it.
    pub(crate) fn record_outcome(&self, id: FileId, outcome: &Outcome) -> Vec<(u64, Outcome)> {
        let mut files = self.lock();
        let Some(File { identity, specs, name, names_left, state: LinkState::Reading(waiting) }) =
            files.remove(&id)
        else {
            return Vec::new();
        };
        // After an error, later names try again: the cause may have been temporary.
        if let Ok(found) = &outcome.result
            && names_left > 0
        {
            let (specs, state) = (specs.clone(), LinkState::Read(Box::new(found.clone())));
            files.insert(id, File { identity, specs, name, names_left, state });
        }
        let result = |job: &Job| match &outcome.result {
            Ok(found) => Ok(found.selected(&specs, &job.specs).expect("only such jobs wait")),
            Err(error) => Err(error.under(&job.name)),
        };
        let settled = |(place, job)| {
            let mut outcome = Outcome { result: result(&job), job };
            outcome.unshare();
            (place, outcome)
        };
        waiting.into_iter().map(settled).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::open::{Root, Special};
    use crate::io::read::Guarded;
    use std::time::Instant;
    use truesum_fs::name::OsStrExt;
    use truesum_test_support::Scratch;

    #[test]
    fn hard_link_reuses_a_result_only_for_the_unchanged_file() {
        let specs: Arc<[Spec]> = vec!["sha256".parse().unwrap()].into();
        let job = || Job::hash("name", &specs);
        let time = |seconds, nanos| Time { seconds, nanos };
        let before = Identity { id: FileId::new(1, 2), size: 3, modified: time(4, 5), changed: time(6, 7) };
        let links = Links::default();
        assert!(matches!(links.claim(before, 9, 0, job()), Claim::First(_)));
        assert!(matches!(links.claim(before, 9, 1, job()), Claim::Waiting));
        for other in [
            Identity { size: 0, ..before },
            Identity { modified: time(4, 6), ..before },
            Identity { changed: time(6, 8), ..before },
        ] {
            assert!(
                matches!(links.claim(other, 9, 2, job()), Claim::Other(_)),
                "while it is read: {other:?}"
            );
        }
        let file = Scratch::new();
        let file = file.path().as_os_str().as_bytes();
        let file = Guarded::open(&Root::Anywhere, file, Special::Refuse).unwrap();
        let found = FileResult::unread(&file, Instant::now());
        let settled = links.record_outcome(before.id, &Outcome { job: job(), result: Ok(found) });
        assert_eq!(settled.len(), 1);
        assert!(matches!(links.claim(before, 9, 3, job()), Claim::Known(_)));
        let rewritten = Identity { changed: time(6, 8), ..before };
        assert!(matches!(links.claim(rewritten, 9, 4, job()), Claim::First(_)));
        assert!(matches!(links.claim(rewritten, 9, 5, job()), Claim::Waiting));
        assert!(matches!(links.claim(before, 9, 6, job()), Claim::Other(_)));
    }

    #[test]
    fn without_hard_links_a_result_is_reused_only_for_the_same_name() {
        let time = |seconds| Time { seconds, nanos: 0 };
        let id = FileId::new(1, 2);
        let identity = Identity { id, size: 3, modified: time(4), changed: time(5) };
        let (own, all) = (["md5"], ["md5", "sha256"]);
        let specs = |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect::<Arc<[Spec]>>();
        let job = |name: u64, later: u64| {
            let mut job = Job::hash("name", &specs(&own));
            job.share(name, if later > 0 { specs(&all) } else { specs(&own) }, later);
            job
        };
        let links = Links::default();
        let Claim::First(first) = links.claim(identity, 0, 0, job(7, 2)) else { panic!("it is the first") };
        assert!(matches!(links.claim(identity, 0, 1, job(8, 0)), Claim::Other(_)), "another name");
        assert!(matches!(links.claim(identity, 0, 1, Job::hash("name", &specs(&own))), Claim::Other(_)));
        let file = Scratch::new();
        let file = file.path().as_os_str().as_bytes();
        let mut file = Guarded::open(&Root::Anywhere, file, Special::Refuse).unwrap();
        assert_eq!(file.read(&mut [0]).unwrap(), 0);
        let digests = specs(&all).iter().map(|spec| spec.digest(b"")).collect();
        let found = FileResult::new(file.finish(b"name").unwrap(), digests, Instant::now());
        assert!(links.record_outcome(id, &Outcome { job: first, result: Ok(found) }).is_empty());
        assert!(matches!(links.claim(identity, 0, 2, job(8, 0)), Claim::Other(_)), "another name");
        let Claim::Known(outcome) = links.claim(identity, 0, 2, job(7, 0)) else { panic!("it was read") };
        assert_eq!(outcome.result.unwrap().digests(), [specs(&own)[0].digest(b"")]);
    }
}
