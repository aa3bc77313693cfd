//! `identify`: find the algorithms that can produce a given digest.

use crate::errors::{self, refused};
use crate::interrupt::interruptible;
use crate::paths::Name;
use pyo3::prelude::*;
use std::os::unix::ffi::OsStrExt;
use truesum::hash::Spec;
use truesum::manifest::identify as identified;
use truesum::{Config, Error, Hashing, Progress};

/// A possible interpretation of a digest.
#[pyclass(frozen, module = "truesum")]
pub struct Candidate(identified::Candidate);

#[pymethods]
impl Candidate {
    /// The name of the algorithm.
    #[getter]
    fn algorithm(&self) -> String {
        self.0.spec().to_string()
    }

    /// The digest in hexadecimal.
    #[getter]
    fn hexdigest(&self) -> String {
        self.0.digest().to_hex()
    }

    /// The encoding of the digest: "hex", "base64", "base32", "nix32", "multihash", "cid", "c4", "decimal" and others.
    #[getter]
    fn encoding(&self) -> &'static str {
        self.0.encoding().name()
    }

    fn __repr__(&self) -> String {
        format!("<truesum.Candidate {} ({})>", self.0.spec(), self.0.encoding().name())
    }
}

/// Returns the possible interpretations of a digest, the most likely first. With a file, returns those that match it;
/// the file is read once.
///
/// >>> import truesum
/// >>> truesum.identify("d41d8cd98f00b204e9800998ecf8427e")[0]
/// <truesum.Candidate md5 (hex)>
/// >>> truesum.identify("sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "/dev/null/none")
/// Traceback (most recent call last):
///     ...
/// NotADirectoryError: [Errno 20] Not a directory: '/dev/null/none'
#[pyfunction]
#[pyo3(signature = (digest, /, path = None))]
pub fn identify(py: Python<'_>, digest: &str, path: Option<Name>) -> PyResult<Vec<Candidate>> {
    let candidates = identified::identify(digest).map_err(refused)?;
    let Some(Name(path)) = path else {
        return Ok(candidates.into_iter().map(Candidate).collect());
    };
    let (config, progress) = (Config::default(), Progress::default());
    let hashing = Hashing::new(&config, &progress);
    let size = || match std::fs::metadata(&path) {
        Ok(metadata) => Ok(metadata.len()),
        Err(error) => Err(errors::to_exception(py, &Error::io(path.as_os_str().as_bytes(), "open", error))),
    };
    let digests = |specs: &[Spec]| {
        let found = interruptible::<_, ()>(py, &progress, |_| hashing.file(&path, specs), |_, ()| Ok(()))?;
        found.map(truesum::FileResult::into_digests).map_err(|error| errors::to_exception(py, &error))
    };
    let (found, _) = identified::matching(&candidates, size, digests)?;
    Ok(found.into_iter().map(Candidate).collect())
}
