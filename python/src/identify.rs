//! `identify`: what a digest may be of.

use crate::errors::{self, refused};
use crate::interrupt::interruptible;
use crate::paths::Name;
use pyo3::prelude::*;
use std::os::unix::ffi::OsStrExt;
use truesum::hash::Spec;
use truesum::manifest::identify as identified;
use truesum::{Config, Error, Hashing, Progress};

/// What a text may be the digest of.
#[pyclass(frozen, module = "truesum")]
pub struct Candidate(identified::Candidate);

#[pymethods]
impl Candidate {
    /// The algorithm.
    #[getter]
    fn algorithm(&self) -> String {
        self.0.spec.to_string()
    }

    /// The digest in hexadecimal.
    #[getter]
    fn hexdigest(&self) -> String {
        self.0.digest.to_hex()
    }

    /// How the text spells it: "hex", "base64", "base32", "nix32", "multihash", "cid", "c4", "decimal" ...
    #[getter]
    fn encoding(&self) -> &'static str {
        self.0.encoding.name()
    }

    fn __repr__(&self) -> String {
        format!("<truesum.Candidate {} ({})>", self.0.spec, self.0.encoding.name())
    }
}

/// What a text may be the digest of, the likeliest first; with a file those that it is of, found in one read.
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
    let hashing = Hashing { config: &config, progress: &progress };
    let size = || match std::fs::metadata(&path) {
        Ok(metadata) => Ok(metadata.len()),
        Err(error) => Err(errors::of(py, &Error::io(path.as_os_str().as_bytes(), "open", error))),
    };
    let digests = |specs: &[Spec]| {
        let found = interruptible::<_, ()>(py, &progress, |_| hashing.file(&path, specs), |_, ()| Ok(()))?;
        found.map(truesum::Found::into_digests).map_err(|error| errors::of(py, &error))
    };
    let (found, _) = identified::matching(&candidates, size, digests)?;
    Ok(found.into_iter().map(Candidate).collect())
}
