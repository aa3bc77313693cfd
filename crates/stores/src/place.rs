//! A location and what reads it: which key a name leads to, who is asked, and how much at once.

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
    /// Most objects that are begun and not yet hashed.
    pub window: usize,
    pub runtime: Handle,
}

impl Place {
    /// The key that a job's name leads to. Nothing above the location has a name.
    pub(crate) fn key(&self, job: &Job) -> Result<String, Error> {
        // A list of the service told the key, and any other list a name.
        match (&job.listed, &job.open) {
            (Some(_), Some(key)) => text(key, &job.name).map(str::to_owned),
            _ => self.below(job.path(), &job.name),
        }
    }

    /// The key that a name below the location leads to.
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

/// A name as text, which those of objects are.
fn text<'n>(name: &'n [u8], shown: &[u8]) -> Result<&'n str, Error> {
    std::str::from_utf8(name).map_err(|_| {
        let error = io::Error::new(io::ErrorKind::NotFound, "names of objects are UTF-8");
        Error::new(shown, "read", Cause::Io(error))
    })
}
