//! A location and its reader: the key for a name, and the service.

use crate::fetch::Source;
use crate::location::{Location, nameable};
use std::io;
use std::sync::Arc;
use tokio::runtime::Handle;
use truesum::{Cause, Error, Job};

/// Objects below a location.
#[derive(Debug)]
pub(crate) struct Place {
    pub location: Location,
    pub source: Arc<Source>,
    pub runtime: Handle,
}

impl Place {
    /// Returns the key for a job's name. Names cannot refer to anything above the location.
    pub(crate) fn key(&self, job: &Job) -> Result<String, Error> {
        // A listing of the service provides the key, any other list a name.
        match (job.listed(), job.open()) {
            (Some(_), Some(key)) => text(key, job.name()).map(str::to_owned),
            _ => self.below(job.path(), job.name()),
        }
    }

    /// Returns the key for a name below the location.
    pub(crate) fn below(&self, path: &[u8], shown: &[u8]) -> Result<String, Error> {
        let fail = |cause| Error::new(shown, "read", cause);
        let mut name = text(path, shown)?;
        while let Some(rest) = name.strip_prefix("./") {
            name = rest.trim_start_matches('/');
        }
        if name.starts_with('/') || name.split('/').any(|part| part == "..") {
            return Err(fail(Cause::OutsideRoot));
        }
        let key = self.location.prefix() + name;
        match nameable(&key) {
            Ok(()) => Ok(key),
            Err(why) => Err(fail(Cause::Other(why.to_owned()))),
        }
    }
}

/// Returns a name as text, because object names are text.
fn text<'n>(name: &'n [u8], shown: &[u8]) -> Result<&'n str, Error> {
    std::str::from_utf8(name).map_err(|_| {
        let error = io::Error::new(io::ErrorKind::NotFound, "object names must be UTF-8");
        Error::new(shown, "read", Cause::Io(error))
    })
}
