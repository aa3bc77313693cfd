//! A readable location: the runtime, the client and the service behind it.

use crate::client::Client;
use crate::failure::Failure;
use crate::fetch::Source;
use crate::listing::Listing;
use crate::location::Location;
use crate::opened::{Opened, until};
use crate::place::Place;
use crate::service;
use crate::settings::Settings;
use crate::stored::{StoredFacts, stored_facts};
use std::fmt;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};
use truesum::hash::Spec;
use truesum::{Cause, Error, Job, ObjectVersion, Progress, Remote, Task, Version};

/// Objects below a location.
pub struct Store {
    pub(crate) place: Place,
    connections: usize,
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
        let place = Place { location, source, runtime: runtime.handle().clone() };
        Ok(Store { place, connections: settings.requests, runtime: Some(runtime) })
    }

    /// Returns what the service reports about an object, by its URL or by its name below the location, without reading
    /// it.
    ///
    /// # Errors
    /// It does not exist, or the request failed; the run was stopped.
    pub fn stored_facts(&self, name: &[u8], progress: &Progress) -> Result<StoredFacts, Error> {
        self.facts(name, &self.key(name)?, progress)
    }

    /// Does the same for the object of a job.
    pub(crate) fn facts_of(&self, job: &Job, progress: &Progress) -> Result<StoredFacts, Error> {
        self.facts(job.name(), &self.place.key(job)?, progress)
    }

    fn facts(&self, name: &[u8], key: &str, progress: &Progress) -> Result<StoredFacts, Error> {
        let Place { source, runtime, .. } = &self.place;
        let answer = until(runtime, &progress.stop_flag(), name, stored_facts(source, key))?;
        answer.map_err(|failure| Error::new(name, "read", failure.cause()))
    }

    /// Returns the key for a name. A single object is named by its URL.
    fn key(&self, name: &[u8]) -> Result<String, Error> {
        let url = self.name().into_bytes();
        // The scheme may be in upper case.
        let (scheme, rest) = url.split_at(url.iter().position(|&byte| byte == b':').unwrap_or(0));
        let below =
            name.split_at_checked(scheme.len()).filter(|(start, _)| start.eq_ignore_ascii_case(scheme));
        let below = below.and_then(|(_, name)| name.strip_prefix(rest));
        self.place.below(below.unwrap_or(name), name)
    }

    /// Opens the listed version of an object, or else the current one.
    fn opened(
        &self,
        name: &[u8],
        key: String,
        listed: Option<&ObjectVersion>,
        progress: &Progress,
    ) -> Result<Opened, Error> {
        let Place { source, runtime, .. } = &self.place;
        let stop = progress.stop_flag();
        let start = until(runtime, &stop, name, source.begin(&key, listed))?;
        let start = start.map_err(|failure| Error::new(name, "read", failure.cause()))?;
        Ok(Opened::new(name, key, start, (source.clone(), runtime.clone()), stop))
    }
}

impl Remote for Store {
    fn name(&self) -> String {
        self.place.location.to_string()
    }

    fn connections(&self) -> usize {
        self.connections
    }

    fn list(&self, specs: &Arc<[Spec]>, progress: &Progress) -> Box<dyn Iterator<Item = Task> + Send> {
        let stop = progress.stop_flag();
        Box::new(Listing::new(&self.place, specs, stop))
    }

    fn open(&self, job: &Job, progress: &Progress) -> Result<Box<dyn Version>, Error> {
        let opened = self.opened(job.name(), self.place.key(job)?, job.listed(), progress)?;
        Ok(Box::new(opened))
    }

    fn version(&self, name: &[u8], progress: &Progress) -> Result<Box<dyn Version>, Error> {
        let opened = self.opened(name, self.key(name)?, None, progress)?;
        if opened.tag().is_empty() {
            let why = "the service reports no version of the object, so changes cannot be detected";
            return Err(Error::new(name, "read", Cause::Other(why.to_owned())));
        }
        Ok(Box::new(opened))
    }
}
