//! Hard links: a file with several names is read once.
//!
//! An inode number identifies a file only while the file exists: during a run, files are rewritten and numbers are
//! reused. So a name gets the digest found under another name only if its descriptor shows the same size and times.

use crate::io::file_id::FileId;
use crate::job::{Found, Job, Outcome};
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
    /// The number of names still expected, according to the link count.
    names_left: u64,
    state: LinkState,
}

enum LinkState {
    Reading(Vec<(u64, Job)>),
    Read(Found),
}

/// The action to take for a name.
pub(crate) enum Claim {
    /// Read the file, and report the outcome with [`Links::settle`].
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

    /// Decides what to do with a file that has `names` names.
    pub(crate) fn claim(&self, identity: Identity, names: u64, place: u64, job: Job) -> Claim {
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
            let file = File { identity, specs: job.specs.clone(), names_left: names - 1, state };
            files.insert(identity.id, file);
            return Claim::First(job);
        };
        if (&file.specs, file.identity) != (&job.specs, identity) {
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
                let outcome = Outcome { job, result: Ok(found.clone()) };
                if file.names_left == 0 {
                    files.remove(&identity.id);
                }
                Claim::Known(Box::new(outcome))
            }
        }
    }

    /// Records the outcome of the first name. Returns the outcomes of the other names that waited
    /// for it.
    pub(crate) fn settle(&self, id: FileId, outcome: &Outcome) -> Vec<(u64, Outcome)> {
        let mut files = self.lock();
        let Some(File { identity, specs, names_left, state: LinkState::Reading(waiting) }) =
            files.remove(&id)
        else {
            return Vec::new();
        };
        // After an error, later names try again: the cause may have been temporary.
        if let Ok(found) = &outcome.result
            && names_left > 0
        {
            files.insert(id, File { identity, specs, names_left, state: LinkState::Read(found.clone()) });
        }
        let result = |job: &Job| match &outcome.result {
            Ok(found) => Ok(found.clone()),
            Err(error) => Err(error.under(&job.name)),
        };
        waiting.into_iter().map(|(place, job)| (place, Outcome { result: result(&job), job })).collect()
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
        let before = Identity {
            id: FileId { device: 1, inode: 2 },
            size: 3,
            modified: time(4, 5),
            changed: time(6, 7),
        };
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
        let found = Found::unread(&file, Instant::now());
        let settled = links.settle(before.id, &Outcome { job: job(), result: Ok(found) });
        assert_eq!(settled.len(), 1);
        assert!(matches!(links.claim(before, 9, 3, job()), Claim::Known(_)));
        let rewritten = Identity { changed: time(6, 8), ..before };
        assert!(matches!(links.claim(rewritten, 9, 4, job()), Claim::First(_)));
        assert!(matches!(links.claim(rewritten, 9, 5, job()), Claim::Waiting));
        assert!(matches!(links.claim(before, 9, 6, job()), Claim::Other(_)));
    }
}
