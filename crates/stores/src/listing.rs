//! The objects below a location as jobs, page by page: the next page is requested while the current one is returned.

use crate::failure::Failure;
use crate::fetch::Source;
use crate::location::{Location, name_below};
use crate::place::Place;
use crate::service::{Object, Page};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use truesum::hash::Spec;
use truesum::{Cause, Error, Job, LIST, Notice, ObjectVersion, Task};

/// Objects requested per page, which is the maximum of the services.
const PAGE_SIZE: u32 = 1000;
/// The interval for checking whether the run was stopped.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// Objects as jobs.
pub(crate) struct Listing {
    pages: mpsc::Receiver<Result<Page, Failure>>,
    page: std::vec::IntoIter<Object>,
    location: Location,
    specs: Arc<[Spec]>,
    runtime: Handle,
    stop: Arc<AtomicBool>,
}

impl Listing {
    pub(crate) fn new(objects: &Place, specs: &Arc<[Spec]>, stop: Arc<AtomicBool>) -> Listing {
        let Place { location, source, runtime, .. } = objects;
        let (send, pages) = mpsc::channel(1);
        let (source, place) = (source.clone(), location.clone());
        runtime.spawn(async move {
            tokio::select! {
                () = list(&source, &place, &send) => {}
                () = send.closed() => {}
            }
        });
        let (location, specs) = (location.clone(), specs.clone());
        Listing { pages, page: Vec::new().into_iter(), location, specs, runtime: runtime.clone(), stop }
    }

    fn failed(&self, failure: &Failure) -> Task {
        let path = self.location.to_string();
        Task::Notice(Notice::Failed(Error::new(path.as_bytes(), LIST, failure.cause())))
    }

    /// Returns the job of an object; `None` for a folder marker.
    fn task(&self, object: Object) -> Option<Task> {
        let Object { key, size, version, modified } = object;
        // A single object is named by the last part of its key, all others by their path below the location.
        let mut prefix = self.location.prefix();
        if self.location.object() == Some(&*key) {
            prefix.truncate(key.rfind('/').map_or(0, |slash| slash + 1));
        }
        if size == 0 && (key.ends_with('/') || key == prefix) {
            return None;
        }
        match name_below(&prefix, &key) {
            Ok(name) => {
                let listed = Some(Box::new(ObjectVersion::new(size, version, modified)));
                let job = Job::hash(name, &self.specs);
                Some(Task::File(job.with_open(Some(key.clone().into_bytes())).with_listed(listed)))
            }
            Err(why) => {
                let error = Error::new(key.as_bytes(), "read", Cause::Other(why.to_owned()));
                Some(Task::Notice(Notice::Failed(error)))
            }
        }
    }
}

impl Iterator for Listing {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        loop {
            while let Some(object) = self.page.next() {
                if let Some(task) = self.task(object) {
                    return Some(task);
                }
            }
            if self.stop.load(Relaxed) {
                return None;
            }
            let pages = &mut self.pages;
            let waited = self
                .runtime
                .block_on(async { tokio::time::timeout(STOP_CHECK_INTERVAL, pages.recv()).await });
            match waited {
                Err(_) => {}
                Ok(None) => return None,
                Ok(Some(Ok(page))) => self.page = page.objects.into_iter(),
                Ok(Some(Err(failure))) => return Some(self.failed(&failure)),
            }
        }
    }
}

/// Sends the pages for a location: the object, or all objects below the folder.
async fn list(source: &Source, location: &Location, pages: &mpsc::Sender<Result<Page, Failure>>) {
    let below = location.prefix();
    let mut next: Option<String> = None;
    let mut alone = None;
    if let Some(key) = location.object() {
        // It is the first of all keys with this prefix.
        match page(source, key, None, 1).await {
            Ok(page) => alone = page.objects.into_iter().find(|object| object.key == key),
            Err(failure) => return drop(pages.send(Err(failure)).await),
        }
    }
    let (mut is_first, mut begins, seeds) = (true, HashSet::new(), RandomState::new());
    loop {
        let page = match page(source, &below, next.as_deref(), PAGE_SIZE).await {
            Ok(page) => page,
            Err(failure) => return drop(pages.send(Err(failure)).await),
        };
        let there = page.objects.iter().any(|object| object.size > 0 || !object.key.ends_with('/'));
        if std::mem::take(&mut is_first) {
            let why = match (&alone, there || page.next.is_some()) {
                (Some(_), true) => {
                    "both an object and a folder have this name: to read the folder, add / at the end"
                }
                (Some(_), false) => {
                    let objects = alone.take().into_iter().collect();
                    return drop(pages.send(Ok(Page { objects, next: None })).await);
                }
                (None, false) if page.objects.is_empty() && !below.is_empty() => "no such object or prefix",
                (None, _) => "",
            };
            if !why.is_empty() {
                return drop(pages.send(Err(Failure::Unrequested(why.to_owned()))).await);
            }
        }
        // Detects cycles of any length; for 100,000 pages this takes 2 MB.
        if page.next.as_ref().is_some_and(|next| !begins.insert(seeds.hash_one(next))) {
            let why = "the service returned the same page of the listing twice";
            return drop(pages.send(Err(Failure::wrong(why))).await);
        }
        next.clone_from(&page.next);
        if pages.send(Ok(page)).await.is_err() || next.is_none() {
            return;
        }
    }
}

async fn page(source: &Source, prefix: &str, next: Option<&str>, most: u32) -> Result<Page, Failure> {
    let ask = source.service.list(prefix, next, most);
    source.client.send(&ask, |answer| source.service.page(&answer.body).map_err(Failure::wrong)).await
}
