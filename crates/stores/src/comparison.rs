//! A run that compares entries with the checksums that the service stores, and reads an object only if they are not
//! sufficient.

use crate::opened::until;
use crate::store::Store;
use crate::stored::{self, StoredComparison, StoredResult};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use truesum::hash::Spec;
use truesum::{Config, Error, Job, Notice, Order, Outcome, Progress, Remote, Sink, Task, Version, run};

/// Compares entries with the checksums that the service stores; if they are not sufficient, objects are read if `read`
/// requests it.
///
/// # Errors
/// Returns the errors of `each`.
pub fn compare_stored(
    store: &Arc<Store>,
    (threads, order): (usize, Order),
    read: bool,
    tasks: &mut (dyn Iterator<Item = Task> + Send),
    progress: &Progress,
    each: &mut dyn FnMut(StoredResult) -> io::Result<()>,
) -> io::Result<()> {
    let comparison = Arc::new(Comparison { store: store.clone(), read, answers: Mutex::default() });
    let config = Config::default().threads(threads).order(order).remote(Some(comparison.clone()));
    run(&config, tasks, progress, &mut Results { comparison: &comparison, each }).map(drop)
}

/// A store that opens only objects for which stored checksums are not sufficient.
#[derive(Debug)]
struct Comparison {
    store: Arc<Store>,
    /// Whether objects are read if their stored checksums are not sufficient.
    read: bool,
    /// The answers for entries whose objects were not opened, until they are delivered.
    answers: Mutex<Vec<(Job, Result<StoredComparison, Error>)>>,
}

impl Comparison {
    /// Removes the answer for a job.
    fn answer(&self, job: &Job) -> Option<Result<StoredComparison, Error>> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let at = answers.iter().position(|(other, _)| is_same(other, job))?;
        Some(answers.swap_remove(at).1)
    }

    fn compare(&self, job: &Job, progress: &Progress) -> Result<StoredComparison, Error> {
        let place = &self.store.place;
        let key = place.key(job)?;
        let compared = stored::compare(&place.source, &key, job);
        let answer = until(&place.runtime, &progress.stop_flag(), job.name(), compared)?;
        answer.map_err(|failure| Error::new(job.name(), "read", failure.cause()))
    }
}

impl Remote for Comparison {
    fn name(&self) -> String {
        self.store.name()
    }

    fn connections(&self) -> usize {
        self.store.connections()
    }

    fn list(&self, specs: &Arc<[Spec]>, progress: &Progress) -> Box<dyn Iterator<Item = Task> + Send> {
        self.store.list(specs, progress)
    }

    fn open(&self, job: &Job, progress: &Progress) -> Result<Box<dyn Version>, Error> {
        let answer = self.compare(job, progress);
        if self.read && matches!(answer, Ok(StoredComparison::NotComparable(_))) {
            return self.store.open(job, progress);
        }
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).push((job.clone(), answer));
        Err(Error::interrupted(job.name()))
    }

    fn version(&self, name: &[u8], progress: &Progress) -> Result<Box<dyn Version>, Error> {
        self.store.version(name, progress)
    }
}

/// Returns whether two jobs compare the same object with the same digests.
fn is_same(one: &Job, other: &Job) -> bool {
    (one.name(), one.origin(), one.size()) == (other.name(), other.origin(), other.size())
        && (one.specs(), one.expected()) == (other.specs(), other.expected())
}

/// Passes on the results of a run with a [`Comparison`].
struct Results<'a> {
    comparison: &'a Comparison,
    each: &'a mut dyn FnMut(StoredResult) -> io::Result<()>,
}

impl Sink for Results<'_> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        (self.each)(match self.comparison.answer(&outcome.job) {
            Some(answer) => StoredResult::Compared(outcome.job, answer),
            None => StoredResult::Read(outcome),
        })
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        (self.each)(StoredResult::Notice(notice))
    }
}
