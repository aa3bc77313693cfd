//! Runs that request the checksums that the service stores, and read an object only if they are not sufficient.

use crate::opened::until;
use crate::store::Store;
use crate::stored::{self, StoredComparison, StoredFacts, StoredResult};
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use truesum::hash::Spec;
use truesum::{
    Cause, Config, Error, Job, Notice, Order, Outcome, Progress, Remote, Sink, StoredDigests, StoredEntry,
    Task, Version, run,
};

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
    let compare = move |store: &Store, job: &Job, progress: &Progress| {
        let answer = compare(store, job, progress);
        Some(answer).filter(|answer| !(read && matches!(answer, Ok(StoredComparison::NotComparable(_)))))
    };
    let config = Config::default().threads(threads).order(order);
    unread(store, config, compare, tasks, progress, &mut |result| {
        each(match result {
            Unread::Answered(job, answer) => StoredResult::Compared(job, answer),
            Unread::Read(outcome) => StoredResult::Read(outcome),
            Unread::Notice(notice) => StoredResult::Notice(notice),
        })
    })
}

fn compare(store: &Store, job: &Job, progress: &Progress) -> Result<StoredComparison, Error> {
    let place = &store.place;
    let key = place.key(job)?;
    let compared = stored::compare(&place.source, &key, job);
    let answer = until(&place.runtime, &progress.stop_flag(), job.name(), compared)?;
    answer.map_err(|failure| Error::new(job.name(), "read", failure.cause()))
}

/// The checksums that a service stores for its objects, as one side of a comparison.
#[derive(Debug)]
pub struct StoredChecksums {
    store: Arc<Store>,
    /// The algorithms to compare; all if there are none.
    algorithms: Vec<Spec>,
}

impl StoredChecksums {
    /// Returns the checksums of these algorithms, or all of them.
    pub fn new(store: Arc<Store>, algorithms: Vec<Spec>) -> StoredChecksums {
        StoredChecksums { store, algorithms }
    }

    /// Returns the entry of an object with these facts.
    fn entry(&self, job: &Job, facts: &StoredFacts) -> StoredEntry {
        let (specs, digests) = facts.digests(&self.algorithms);
        let object =
            of_name(job).with_specs(Some(specs.into())).with_expected(digests).with_size(Some(facts.size));
        if object.specs().is_empty() {
            let why = Cause::Other(stored::describe(&stored::names(&facts.checksums)));
            return StoredEntry::WithoutDigest(object, Error::new(job.name(), "compare", why));
        }
        StoredEntry::Object(object)
    }
}

impl StoredDigests for StoredChecksums {
    fn name(&self) -> String {
        self.store.name()
    }

    fn list(&self, progress: &Progress) -> Box<dyn Iterator<Item = Task> + Send> {
        self.store.list(&Arc::from([]), progress)
    }

    fn digests(
        &self,
        listed: &mut (dyn Iterator<Item = Task> + Send),
        progress: &Progress,
        each: &mut dyn FnMut(StoredEntry) -> io::Result<()>,
    ) -> io::Result<()> {
        let facts = |store: &Store, job: &Job, progress: &Progress| Some(store.facts_of(job, progress));
        unread(&self.store, Config::default(), facts, listed, progress, &mut |result| match result {
            Unread::Answered(job, Ok(facts)) => each(self.entry(&job, &facts)),
            Unread::Answered(job, Err(error)) => {
                each(StoredEntry::Unreadable(of_name(&job).with_specs(Some(Arc::from([]))), error))
            }
            Unread::Notice(Notice::Failed(error)) => each(StoredEntry::Failed(error)),
            Unread::Read(_) | Unread::Notice(_) => Ok(()),
        })
    }
}

/// Returns the job with the name of its object as the path. That of a listed object is its key, which includes the prefix.
fn of_name(job: &Job) -> Job {
    job.clone().with_open(None).with_listed(None)
}

/// The result for a task of [`unread`].
enum Unread<T> {
    Answered(Job, T),
    Read(Outcome),
    Notice(Notice),
}

/// Requests an answer for each object with as many requests at a time as a run has connections. An object is read only
/// if there is no answer for it.
///
/// # Errors
/// Returns the errors of `each`.
fn unread<T, F>(
    store: &Arc<Store>,
    config: Config,
    ask: F,
    tasks: &mut (dyn Iterator<Item = Task> + Send),
    progress: &Progress,
    each: &mut dyn FnMut(Unread<T>) -> io::Result<()>,
) -> io::Result<()>
where
    T: Send + 'static,
    F: Fn(&Store, &Job, &Progress) -> Option<T> + Send + Sync + 'static,
{
    let answering = Arc::new(Answering { store: store.clone(), ask, answers: Mutex::default() });
    let config = config.remote(Some(answering.clone()));
    run(&config, tasks, progress, &mut Results { answering: &answering, each }).map(drop)
}

/// A store that opens only objects for which there is no answer.
struct Answering<T, F> {
    store: Arc<Store>,
    ask: F,
    /// The answers for tasks whose objects were not opened, until they are delivered.
    answers: Mutex<Vec<(Job, T)>>,
}

impl<T, F> fmt::Debug for Answering<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.store.fmt(f)
    }
}

impl<T, F> Answering<T, F> {
    fn answers(&self) -> MutexGuard<'_, Vec<(Job, T)>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the answer for a job.
    fn answer(&self, job: &Job) -> Option<T> {
        let mut answers = self.answers();
        let at = answers.iter().position(|(other, _)| is_same(other, job))?;
        Some(answers.swap_remove(at).1)
    }
}

impl<T, F> Remote for Answering<T, F>
where
    T: Send,
    F: Fn(&Store, &Job, &Progress) -> Option<T> + Send + Sync,
{
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
        let Some(answer) = (self.ask)(&self.store, job, progress) else {
            return self.store.open(job, progress);
        };
        self.answers().push((job.clone(), answer));
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

/// Passes on the results of a run with [`Answering`].
struct Results<'a, T, F> {
    answering: &'a Answering<T, F>,
    each: &'a mut dyn FnMut(Unread<T>) -> io::Result<()>,
}

impl<T, F> Sink for Results<'_, T, F> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        (self.each)(match self.answering.answer(&outcome.job) {
            Some(answer) => Unread::Answered(outcome.job, answer),
            None => Unread::Read(outcome),
        })
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        (self.each)(Unread::Notice(notice))
    }
}
