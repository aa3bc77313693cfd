//! A readable location: the runtime, the client and the service behind it.

use crate::client::Client;
use crate::failure::Failure;
use crate::fetch::Source;
use crate::listing::Listing;
use crate::location::Location;
use crate::opened::{Opened, until};
use crate::place::Place;
use crate::reading::{self, Done, Mode};
use crate::service;
use crate::settings::Settings;
use crate::stored::{Answer, StoredFacts, stored_facts};
use std::fmt;
use std::io;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};
use truesum::hash::Spec;
use truesum::{Error, Job, Notice, Order, Outcome, Progress, Remote, Sink, Summary, Task, Version};

/// Objects below a location.
pub struct Store {
    place: Place,
    /// Runs the requests; it ends with the store.
    runtime: Option<Runtime>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("location", &self.place.location).finish_non_exhaustive()
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // Does not wait for a name resolution in progress.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The result of an entry whose stored checksums were requested.
#[derive(Debug)]
pub enum StoredResult {
    /// The comparison with them, or the reason they could not be requested.
    Kept(Job, Result<Answer, Error>),
    /// They were not sufficient, so the object was read.
    Read(Outcome),
    /// A notice in its position among the results.
    Notice(Notice),
}

impl Store {
    /// Opens the objects at or below a URL, with the credentials of the environment. No request is sent yet.
    ///
    /// # Errors
    /// The URL is invalid, or environment and profiles are incomplete; messages contain nothing secret.
    pub fn open(url: &str) -> Result<Store, String> {
        // Another part of the program may have installed a provider already, which is equally good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let location = Location::parse(url)?;
        let settings = Settings::from_environment()?;
        let runtime = Builder::new_multi_thread().worker_threads(2).thread_name("store").enable_all().build();
        let runtime = runtime.map_err(|error| format!("cannot start threads: {error}"))?;
        let entered = runtime.enter();
        let opened = || {
            let (service, signing) = service::of(&location)?;
            Ok(Arc::new(Source { client: Client::new(signing, settings)?, service }))
        };
        let source = opened().map_err(|failure: Failure| failure.to_string())?;
        drop(entered);
        let place = Place { location, source, window: settings.requests, runtime: runtime.handle().clone() };
        Ok(Store { place, runtime: Some(runtime) })
    }

    /// Returns what the service reports about an object, by its URL or by its name below the location, without reading
    /// it.
    ///
    /// # Errors
    /// It does not exist, or the request failed; the run was stopped.
    pub fn stored_facts(&self, name: &[u8], progress: &Progress) -> Result<StoredFacts, Error> {
        let (Place { source, runtime, .. }, key) = (&self.place, self.key(name)?);
        let answer = until(runtime, &progress.stop_flag(), name, stored_facts(source, &key))?;
        answer.map_err(|failure| Error::new(name, "read", failure.cause()))
    }

    /// Returns the key for a name. A single object is named by its URL.
    fn key(&self, name: &[u8]) -> Result<String, Error> {
        let url = self.name().into_bytes();
        self.place.below(name.strip_prefix(&url[..]).unwrap_or(name), name)
    }

    /// Compares entries with the checksums that the service stores; if they are not sufficient, objects are read if
    /// `read` requests it.
    ///
    /// # Errors
    /// Returns the errors of `each`.
    pub fn stored(
        &self,
        (threads, order): (usize, Order),
        read: bool,
        tasks: &mut (dyn Iterator<Item = Task> + Send),
        progress: &Progress,
        each: &mut dyn FnMut(StoredResult) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut take = |done: Done| match done {
            Done::Outcome(outcome) => each(StoredResult::Read(outcome)),
            Done::Kept(job, answer) => each(StoredResult::Kept(job, answer)),
            Done::Notice(notice) => each(StoredResult::Notice(notice)),
        };
        reading::run(&self.place, (threads, order), Mode::Stored { read }, tasks, progress, &mut take)
    }
}

impl Remote for Store {
    fn name(&self) -> String {
        self.place.location.to_string()
    }

    fn list(&self, specs: &Arc<[Spec]>, progress: &Progress) -> Box<dyn Iterator<Item = Task> + Send> {
        let stop = progress.stop_flag();
        Box::new(Listing::new(&self.place, specs, stop))
    }

    fn run(
        &self,
        threads: usize,
        order: Order,
        tasks: &mut (dyn Iterator<Item = Task> + Send),
        progress: &Progress,
        sink: &mut dyn Sink,
    ) -> io::Result<Summary> {
        let (mut summary, mut ended) = (Summary::default(), 0);
        let mut take = |done: Done| {
            match done {
                Done::Outcome(outcome) => {
                    ended += 1;
                    summary.count(&outcome);
                    sink.outcome(outcome)?;
                }
                Done::Notice(notice) => {
                    summary.unreadable += u64::from(matches!(notice, Notice::Failed(_)));
                    summary.malformed += u64::from(matches!(notice, Notice::Malformed(_)));
                    sink.notice(notice)?;
                }
                Done::Kept(..) => unreachable!("only asked for by Store::stored"),
            }
            sink.pause()
        };
        let before = progress.found();
        reading::run(&self.place, (threads, order), Mode::Read, tasks, progress, &mut take)?;
        if progress.stopped() {
            summary.interrupted = true;
            summary.unreached = (progress.found() - before).saturating_sub(ended);
        }
        Ok(summary)
    }

    fn version(&self, name: &[u8], progress: &Progress) -> Result<Box<dyn Version>, Error> {
        let Place { source, runtime, .. } = &self.place;
        let key = self.key(name)?;
        let stop = progress.stop_flag();
        let begun = until(runtime, &stop, name, source.begin(&key, None))?;
        let opened =
            begun.and_then(|begun| Opened::new(name, key, begun, (source.clone(), runtime.clone()), stop));
        match opened {
            Ok(opened) => Ok(Box::new(opened)),
            Err(failure) => Err(Error::new(name, "read", failure.cause())),
        }
    }
}
