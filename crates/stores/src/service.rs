//! The three services: how each is asked for a list, for bytes and for checksums, and how it answers.

mod azure;
mod gcs;
mod s3;

use crate::failure::Failure;
use crate::kept::Kept;
use crate::location::{Kind, Location};
use crate::request::{Answer, Ask};
use crate::sign::Signing;
use std::fmt;
use std::ops::Range;

/// An object, as a list tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    pub key: String,
    pub size: u64,
    /// What its versions are told apart by: an ETag, or a generation.
    pub version: Option<String>,
    /// Seconds since 1970; 0 where that is not told.
    pub modified: i64,
}

/// What a list told of an object so far, element after element.
#[derive(Default)]
struct Telling {
    key: Option<String>,
    size: Option<u64>,
    version: Option<String>,
    modified: i64,
}

impl Telling {
    /// The object, at its end; `None` without its key or its size.
    fn end(&mut self) -> Option<Object> {
        let Telling { key, size, version, modified } = std::mem::take(self);
        Some(Object { key: key?, size: size?, version, modified })
    }
}

/// A page of a list.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    pub objects: Vec<Object>,
    /// What the next one is asked for by, if there is one.
    pub next: Option<String>,
}

/// Most bytes of a page: a thousand keys of a kibibyte, each byte an escape, with all that is told of them.
pub(crate) const PAGE: usize = 16 << 20;

/// What differs between services.
pub(crate) trait Service: fmt::Debug + Send + Sync {
    /// The request for a page of objects whose keys begin so.
    fn list(&self, prefix: &str, next: Option<&str>, most: u32) -> Ask;

    /// A page that came.
    ///
    /// # Errors
    /// It is none.
    fn page(&self, body: &[u8]) -> Result<Page, String>;

    /// The request for an object's bytes, all or a range, of this version alone.
    fn read(&self, key: &str, version: Option<&str>, range: Option<&Range<u64>>) -> Ask;

    /// The request for what is kept of an object beside its bytes; of one of its parts where the service knows parts.
    fn look(&self, key: &str, version: Option<&str>, part: Option<u32>) -> Ask;

    /// Which version answered.
    fn version(&self, answer: &Answer) -> Option<String>;

    /// Size and checksums, as [`Service::look`] is answered.
    fn kept(&self, answer: &Answer) -> Result<Kept, String>;
}

/// The service of a location, and who signs requests to it.
///
/// # Errors
/// The environment says too little, or contradicts itself.
pub(crate) fn of(location: &Location) -> Result<(Box<dyn Service>, Signing), Failure> {
    match location.kind {
        Kind::S3 => s3::open(&location.bucket).map(|(service, signing)| (Box::new(service) as _, signing)),
        Kind::Gcs => gcs::open(&location.bucket).map(|(service, signing)| (Box::new(service) as _, signing)),
        Kind::Azure => {
            azure::open(&location.bucket).map(|(service, signing)| (Box::new(service) as _, signing))
        }
    }
}

/// A variable of the environment, unless it is empty.
fn variable(names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}

/// An ETag that tells versions apart; not the empty one of a service that knows none.
fn etag(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.trim_matches('"').is_empty()).then(|| text.to_owned())
}
