//! Hard links: one file under several names is read once.

use crate::job::{Found, Job, Outcome};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use truesum_hash::Spec;

/// Files with several names that were met so far in a run.
#[derive(Default)]
pub(crate) struct Links {
    files: Mutex<HashMap<(u64, u64), File>>,
}

struct File {
    /// What is computed of it: names that want something else read it again.
    specs: Arc<[Spec]>,
    /// Names still to come, by the link count.
    names_left: u64,
    state: State,
}

enum State {
    Reading(Vec<(u64, Job)>),
    Read(Found),
}

/// What to do with a name.
pub(crate) enum Claim {
    /// Read the file, and tell with [`Links::settle`].
    First(Job),
    /// Read the file: another digest is wanted under this name.
    Other(Job),
    /// The file is being read; the outcome comes with it.
    Waits,
    /// The file was read.
    Known(Box<Outcome>),
}

impl Links {
    fn lock(&self) -> MutexGuard<'_, HashMap<(u64, u64), File>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks about a file with `names` names.
    pub(crate) fn claim(&self, id: (u64, u64), names: u64, place: u64, job: Job) -> Claim {
        let mut files = self.lock();
        let Some(file) = files.get_mut(&id) else {
            let state = State::Reading(Vec::new());
            files.insert(id, File { specs: job.specs.clone(), names_left: names - 1, state });
            return Claim::First(job);
        };
        if file.specs != job.specs {
            return Claim::Other(job);
        }
        file.names_left = file.names_left.saturating_sub(1);
        match &mut file.state {
            State::Reading(waiting) => {
                waiting.push((place, job));
                Claim::Waits
            }
            State::Read(found) => {
                let outcome = Outcome { job, result: Ok(found.clone()) };
                if file.names_left == 0 {
                    files.remove(&id);
                }
                Claim::Known(Box::new(outcome))
            }
        }
    }

    /// Takes note of the outcome of the first name; returns those of the other names that waited for it.
    pub(crate) fn settle(&self, id: (u64, u64), outcome: &Outcome) -> Vec<(u64, Outcome)> {
        let mut files = self.lock();
        let Some(File { specs, names_left, state: State::Reading(waiting) }) = files.remove(&id) else {
            return Vec::new();
        };
        if let Ok(found) = &outcome.result
            && names_left > 0
        {
            files.insert(id, File { specs, names_left, state: State::Read(found.clone()) });
        }
        let result = |job: &Job| match &outcome.result {
            Ok(found) => Ok(found.clone()),
            Err(error) => Err(error.under(&job.name)),
        };
        waiting.into_iter().map(|(place, job)| (place, Outcome { result: result(&job), job })).collect()
    }
}
