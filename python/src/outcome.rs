//! `Outcome`: the result for one file.

use crate::errors::{self, refused};
use crate::paths;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use truesum::hash::{Digest, Spec};
use truesum::{Findings, Found, Verdict};

/// The result for one file: its digests, or the reason why there are none.
///
/// Failures are not raised: `error` holds the exception. It is raised only if a digest of the failed file is requested.
#[pyclass(frozen, module = "truesum")]
pub struct Outcome {
    path: Option<Py<PyAny>>,
    inner: truesum::Outcome,
    passed_over: bool,
}

impl Outcome {
    /// Returns the result for a file, with the object the caller named it by.
    pub fn new(inner: truesum::Outcome, path: Option<Py<PyAny>>) -> Outcome {
        Outcome { path, inner, passed_over: false }
    }

    /// Returns the result for an entry that is skipped with `ignore_missing` because its file is missing.
    pub fn passed_over(inner: truesum::Outcome) -> Outcome {
        Outcome { path: None, inner, passed_over: true }
    }

    /// Returns whether the result is not a failure. An entry whose format provides no digest for it is not a failure.
    pub fn is_good(&self) -> bool {
        match self.inner.verdict() {
            Verdict::Hashed | Verdict::Verified => true,
            Verdict::Unverified => self.inner.job.exempt(),
            Verdict::Mismatch | Verdict::Missing | Verdict::Changed | Verdict::Unreadable => false,
        }
    }

    fn found(&self, py: Python<'_>) -> PyResult<&Found> {
        self.inner.result.as_ref().map_err(|error| errors::of(py, error))
    }

    fn digest_of(&self, py: Python<'_>, algorithm: Option<&str>) -> PyResult<&Digest> {
        let digests = self.found(py)?.digests();
        let specs = self.inner.job.specs();
        let at = match algorithm {
            None if digests.len() == 1 => Some(0),
            None => {
                return Err(refused(format!("there are {} digests: specify the algorithm", digests.len())));
            }
            Some(name) => {
                let spec = crate::spec::named(name)?;
                specs.iter().position(|other| *other == spec)
            }
        };
        let digest = at.and_then(|at| digests.get(at));
        digest
            .ok_or_else(|| PyKeyError::new_err(format!("no {} digest was computed", algorithm.unwrap_or(""))))
    }
}

/// Returns digests keyed by algorithm name.
pub fn by_name<'py, 'd>(
    py: Python<'py>,
    digests: impl Iterator<Item = (&'d Spec, &'d Digest)>,
) -> PyResult<Bound<'py, PyDict>> {
    let named = PyDict::new(py);
    for (spec, digest) in digests {
        named.set_item(spec.to_string(), digest.to_hex())?;
    }
    Ok(named)
}

/// Returns a copy for another thread. System errors cannot be cloned, so they are recreated.
pub fn copied(outcome: &truesum::Outcome) -> truesum::Outcome {
    let result = match &outcome.result {
        Ok(found) => Ok(found.clone()),
        Err(error) => Err(error.under(error.name())),
    };
    truesum::Outcome { job: outcome.job.clone().with_anchor(None), result }
}

#[pymethods]
impl Outcome {
    /// The path as passed by the caller; for a manifest entry, its name.
    #[getter]
    fn path(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match &self.path {
            Some(path) => Ok(path.clone_ref(py)),
            None => Ok(paths::text(py, self.inner.job.name())?.into_any().unbind()),
        }
    }

    /// The name as `str`. Bytes that are not UTF-8 are escaped as by os.fsdecode().
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyString>> {
        paths::text(py, self.inner.job.name())
    }

    /// The result: "hashed" if nothing was expected; for a manifest entry "verified", "mismatch", "missing", "changed",
    /// "unreadable", "unverified" (nothing to compare with) or "ignored" (missing, and skipped with ignore_missing).
    #[getter]
    fn verdict(&self) -> &'static str {
        if self.passed_over { "ignored" } else { self.inner.verdict().word() }
    }

    /// True if the file was read to its end and matches the expected digests, if any.
    #[getter]
    fn ok(&self) -> bool {
        !self.passed_over && matches!(self.inner.verdict(), Verdict::Hashed | Verdict::Verified)
    }

    /// Why there is no digest: an OSError that was not raised. None if the file was read.
    #[getter]
    fn error<'py>(&self, py: Python<'py>) -> Option<Bound<'py, pyo3::exceptions::PyBaseException>> {
        self.inner.result.as_ref().err().map(|error| errors::of(py, error).into_value(py).into_bound(py))
    }

    /// The number of bytes read, or None if reading failed.
    #[getter]
    fn size(&self) -> Option<u64> {
        self.inner.result.as_ref().ok().map(Found::size)
    }

    /// The modification time in nanoseconds since 1970, or None if the file was not read.
    #[getter]
    fn mtime_ns(&self) -> Option<i128> {
        let mtime = self.inner.result.as_ref().ok()?.mtime();
        Some(i128::from(mtime.0) * 1_000_000_000 + i128::from(mtime.1))
    }

    /// The time from opening the file to its digest, in seconds.
    #[getter]
    fn seconds(&self) -> Option<f64> {
        self.inner.result.as_ref().ok().map(|found| found.time().as_secs_f64())
    }

    /// The digests in hexadecimal, keyed by algorithm name; empty if the file was not read.
    #[getter]
    fn digests<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = self.inner.result.as_ref().map_or(&[][..], Found::digests);
        by_name(py, self.inner.job.specs().iter().zip(found))
    }

    /// The digests in the manifest in hexadecimal, keyed by algorithm name.
    #[getter]
    fn expected<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        by_name(py, self.inner.job.specs().iter().zip(self.inner.job.expected()))
    }

    /// The damaged byte ranges as (start, end), if the manifest has piece digests.
    #[getter]
    fn damaged(&self) -> Vec<(u64, u64)> {
        let pieces = self.inner.result.as_ref().ok().and_then(Found::pieces);
        let damaged = pieces.map_or(&[][..], Findings::damaged);
        damaged.iter().map(|damage| (damage.range().start, damage.range().end)).collect()
    }

    /// Returns the digest; `algorithm` selects one of several. Raises `error` if the file was not read.
    #[pyo3(signature = (algorithm = None, /))]
    fn digest<'py>(&self, py: Python<'py>, algorithm: Option<&str>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.digest_of(py, algorithm)?.as_bytes()))
    }

    /// Returns the digest in hexadecimal.
    #[pyo3(signature = (algorithm = None, /))]
    fn hexdigest(&self, py: Python<'_>, algorithm: Option<&str>) -> PyResult<String> {
        Ok(self.digest_of(py, algorithm)?.to_hex())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let name = paths::text(py, self.inner.job.name())?.repr()?;
        Ok(match &self.inner.result {
            Ok(_) => format!("<truesum.Outcome {} {name}>", self.verdict()),
            Err(error) => format!("<truesum.Outcome {} {name}: {}>", self.verdict(), error.reason()),
        })
    }
}
