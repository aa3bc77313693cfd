//! The three services: their requests for listings, bytes and checksums, and their answers.

mod azure;
mod gcs;
mod s3;

use crate::failure::Failure;
use crate::location::{Kind, Location};
use crate::metadata::ObjectMetadata;
use crate::request::{Request, Response};
use crate::sign::Signing;
use std::fmt;
use std::ops::Range;

/// An object in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    pub key: String,
    pub size: u64,
    /// Identifies its version: an ETag, or a generation.
    pub version: Option<String>,
    /// Seconds since 1970; 0 if not reported.
    pub modified: i64,
}

/// The object being read from a listing, element by element.
#[derive(Default)]
struct ObjectBuilder {
    key: Option<String>,
    size: Option<u64>,
    version: Option<String>,
    modified: i64,
}

impl ObjectBuilder {
    /// Returns the object at its end; `None` without a key or a size.
    fn end(&mut self) -> Option<Object> {
        let ObjectBuilder { key, size, version, modified } = std::mem::take(self);
        Some(Object { key: key?, size: size?, version, modified })
    }
}

/// A page of a listing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    pub objects: Vec<Object>,
    /// The token for requesting the next page, if there is one.
    pub next: Option<String>,
}

/// Maximum size of a page in bytes: a thousand keys of a kibibyte, each byte escaped, with all their properties.
pub(crate) const PAGE: usize = 16 << 20;

/// The differences between services.
pub(crate) trait Service: fmt::Debug + Send + Sync {
    /// Returns the request for a page of objects whose keys have this prefix.
    fn list(&self, prefix: &str, next: Option<&str>, most: u32) -> Request;

    /// Parses a page.
    ///
    /// # Errors
    /// The body is not a page.
    fn page(&self, body: &[u8]) -> Result<Page, String>;

    /// Returns the request for an object's bytes, all or a range, of this version only.
    fn read(&self, key: &str, version: Option<&str>, range: Option<&Range<u64>>) -> Request;

    /// Returns the request for an object's metadata, or for that of one of its parts if the service has parts.
    fn metadata_request(&self, key: &str, version: Option<&str>, part: Option<u32>) -> Request;

    /// Returns the version that an answer is for.
    fn version(&self, answer: &Response) -> Option<String>;

    /// Returns size and checksums from the answer to [`Service::metadata_request`].
    fn metadata(&self, answer: &Response) -> Result<ObjectMetadata, String>;
}

/// Returns the service of a location, and the signing of requests to it.
///
/// # Errors
/// The environment is incomplete or contradictory.
pub(crate) fn of(location: &Location) -> Result<(Box<dyn Service>, Signing), Failure> {
    match location.kind {
        Kind::S3 => s3::open(&location.bucket).map(|(service, signing)| (Box::new(service) as _, signing)),
        Kind::Gcs => gcs::open(&location.bucket).map(|(service, signing)| (Box::new(service) as _, signing)),
        Kind::Azure => {
            azure::open(&location.bucket).map(|(service, signing)| (Box::new(service) as _, signing))
        }
    }
}

/// Returns an environment variable, unless it is empty.
fn variable(names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}

/// Returns an ETag that identifies versions; not the empty one of a service without versions.
fn etag(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.trim_matches('"').is_empty()).then(|| text.to_owned())
}
