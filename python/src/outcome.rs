//! `Outcome`: the result for one file.

use crate::errors::{Failure, SavedFailure, refused};
use crate::paths;
use crate::pickling::{find_word, restored_digests, restorer, saved_digests};
use crate::spec::named;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::Arc;
use truesum::hash::{Digest, Spec};
use truesum::manifest::Time;
use truesum::{Findings, Verdict};

/// All results: the verdicts of the library, and the one for entries that are skipped.
const WORDS: [&str; 8] =
    ["hashed", "verified", "mismatch", "missing", "changed", "unreadable", "unverified", "ignored"];

/// The result for one file as plain values, which can be sent to other threads and pickled.
pub struct Record {
    name: Vec<u8>,
    verdict: &'static str,
    is_good: bool,
    specs: Arc<[Spec]>,
    expected: Vec<Digest>,
    result: Result<Read, Failure>,
}

/// The facts about a file that was read.
struct Read {
    size: u64,
    mtime_ns: i128,
    seconds: f64,
    digests: Vec<Digest>,
    damaged: Vec<(u64, u64)>,
}

impl From<&truesum::Outcome> for Record {
    fn from(outcome: &truesum::Outcome) -> Record {
        let (job, verdict) = (&outcome.job, outcome.verdict());
        let is_good = match verdict {
            Verdict::Hashed | Verdict::Verified => true,
            // An entry whose format provides no digest for it is not a failure.
            Verdict::Unverified => job.exempt(),
            Verdict::Mismatch | Verdict::Missing | Verdict::Changed | Verdict::Unreadable => false,
        };
        let result = outcome.result.as_ref().map_err(Failure::from).map(|found| {
            let (seconds, nanos) = found.mtime();
            let damaged = found.pieces().map_or(&[][..], Findings::damaged);
            Read {
                size: found.size(),
                mtime_ns: i128::from(seconds) * 1_000_000_000 + i128::from(nanos),
                seconds: found.time().as_secs_f64(),
                digests: found.digests().to_vec(),
                damaged: damaged.iter().map(|damage| (damage.range().start, damage.range().end)).collect(),
            }
        });
        Record {
            name: job.name().to_vec(),
            verdict: verdict.word(),
            is_good,
            specs: job.specs().clone(),
            expected: job.expected().to_vec(),
            result,
        }
    }
}

impl Record {
    /// Returns the result for an entry that is skipped with `ignore_missing` because its file is missing.
    pub fn into_ignored(self) -> Record {
        Record { verdict: "ignored", is_good: true, ..self }
    }

    /// Returns the name.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Returns the result with another name.
    pub fn renamed(self, name: Vec<u8>) -> Record {
        Record { name, ..self }
    }

    /// Returns whether the result is not a failure.
    pub fn is_good(&self) -> bool {
        self.is_good
    }

    /// Returns the reason why the file has no digest.
    pub fn failure(&self) -> Option<&Failure> {
        self.result.as_ref().err()
    }

    /// Returns the entry of a manifest for a file that was read.
    pub fn entry(&self) -> Option<truesum::manifest::Entry> {
        let read = self.result.as_ref().ok()?;
        let (seconds, nanos) =
            (read.mtime_ns.div_euclid(1_000_000_000), read.mtime_ns.rem_euclid(1_000_000_000));
        Some(truesum::manifest::Entry {
            path: self.name.clone(),
            size: Some(read.size),
            mtime: i64::try_from(seconds).ok().map(|seconds| Time { seconds, nanos: nanos as u32 }),
            digests: self.specs.iter().cloned().zip(read.digests.iter().cloned()).collect(),
            ..truesum::manifest::Entry::default()
        })
    }
}

/// The result for one file: its digests, or the reason why there are none.
///
/// Failures are not raised: `error` holds the exception. It is raised only if a digest of the failed file is requested.
#[pyclass(frozen, module = "truesum")]
pub struct Outcome {
    path: Option<Py<PyAny>>,
    record: Record,
}

impl Outcome {
    /// Returns the result for a file, with the object the caller named it by.
    pub fn new(record: Record, path: Option<Py<PyAny>>) -> Outcome {
        Outcome { path, record }
    }

    fn read(&self) -> Option<&Read> {
        self.record.result.as_ref().ok()
    }

    fn digest_of(&self, py: Python<'_>, algorithm: Option<&str>) -> PyResult<&Digest> {
        let read = self.record.result.as_ref().map_err(|failure| failure.to_exception(py))?;
        let at = match algorithm {
            None if read.digests.len() == 1 => Some(0),
            None => {
                return Err(refused(format!(
                    "there are {} digests: specify the algorithm",
                    read.digests.len()
                )));
            }
            Some(name) => {
                let spec = named(name)?;
                self.record.specs.iter().position(|other| *other == spec)
            }
        };
        let digest = at.and_then(|at| read.digests.get(at));
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

/// The values of an outcome in a pickle: name, verdict, whether it is good, algorithms, expected digests.
type SavedRecord = (Vec<u8>, String, bool, Vec<String>, Vec<String>);
/// The values of a file that was read: size, modification time, seconds, digests, damaged ranges.
type SavedRead = (u64, i128, f64, Vec<String>, Vec<(u64, u64)>);

/// The arguments of [`restore_outcome`].
type Saved = (Option<Py<PyAny>>, SavedRecord, Option<SavedRead>, Option<SavedFailure>);

/// Rebuilds a pickled Outcome.
#[pyfunction]
pub fn restore_outcome(
    path: Option<Py<PyAny>>,
    record: SavedRecord,
    read: Option<SavedRead>,
    failure: Option<SavedFailure>,
) -> PyResult<Outcome> {
    let result = match (read, failure) {
        (Some((size, mtime_ns, seconds, digests, damaged)), None) => {
            Ok(Read { size, mtime_ns, seconds, digests: restored_digests(&digests)?, damaged })
        }
        (None, Some(failure)) => Err(Failure::restored(failure)?),
        _ => return Err(refused("an outcome has either digests or an error")),
    };
    let (name, verdict, is_good, specs, expected) = record;
    let specs = specs.iter().map(|name| named(name)).collect::<PyResult<Vec<Spec>>>()?;
    let (verdict, expected) = (find_word(&WORDS, &verdict)?, restored_digests(&expected)?);
    Ok(Outcome { path, record: Record { name, verdict, is_good, specs: specs.into(), expected, result } })
}

#[pymethods]
impl Outcome {
    /// The path as passed by the caller; for a manifest entry, its name.
    #[getter]
    fn path(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match &self.path {
            Some(path) => Ok(path.clone_ref(py)),
            None => Ok(paths::text(py, &self.record.name)?.into_any().unbind()),
        }
    }

    /// The name as `str`. Bytes that are not UTF-8 are escaped as by os.fsdecode().
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyString>> {
        paths::text(py, &self.record.name)
    }

    /// The result: "hashed" if nothing was expected; for a manifest entry "verified", "mismatch", "missing", "changed",
    /// "unreadable", "unverified" (nothing to compare with) or "ignored" (missing, and skipped with ignore_missing).
    #[getter]
    fn verdict(&self) -> &'static str {
        self.record.verdict
    }

    /// True if the file was read to its end and matches the expected digests, if any.
    #[getter]
    fn ok(&self) -> bool {
        matches!(self.record.verdict, "hashed" | "verified")
    }

    /// Why there is no digest: an OSError that was not raised. None if the file was read.
    #[getter]
    fn error<'py>(&self, py: Python<'py>) -> Option<Bound<'py, pyo3::exceptions::PyBaseException>> {
        self.record.failure().map(|failure| failure.to_exception(py).into_value(py).into_bound(py))
    }

    /// The number of bytes read, or None if reading failed.
    #[getter]
    fn size(&self) -> Option<u64> {
        self.read().map(|read| read.size)
    }

    /// The modification time in nanoseconds since 1970, or None if the file was not read.
    #[getter]
    fn mtime_ns(&self) -> Option<i128> {
        self.read().map(|read| read.mtime_ns)
    }

    /// The time from opening the file to its digest, in seconds.
    #[getter]
    fn seconds(&self) -> Option<f64> {
        self.read().map(|read| read.seconds)
    }

    /// The digests in hexadecimal, keyed by algorithm name; empty if the file was not read.
    #[getter]
    fn digests<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = self.read().map_or(&[][..], |read| &read.digests);
        by_name(py, self.record.specs.iter().zip(found))
    }

    /// The digests in the manifest in hexadecimal, keyed by algorithm name.
    #[getter]
    fn expected<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        by_name(py, self.record.specs.iter().zip(&self.record.expected))
    }

    /// The damaged byte ranges as (start, end), if the manifest has piece digests.
    #[getter]
    fn damaged(&self) -> Vec<(u64, u64)> {
        self.read().map_or_else(Vec::new, |read| read.damaged.clone())
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
        let name = paths::text(py, &self.record.name)?.repr()?;
        Ok(match &self.record.result {
            Ok(_) => format!("<truesum.Outcome {} {name}>", self.verdict()),
            Err(failure) => format!("<truesum.Outcome {} {name}: {}>", self.verdict(), failure.reason()),
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Saved)> {
        let Record { name, verdict, is_good, specs, expected, result } = &self.record;
        let specs = specs.iter().map(Spec::to_string).collect();
        let record = (name.clone(), (*verdict).to_owned(), *is_good, specs, saved_digests(expected));
        let read = result.as_ref().ok().map(|read| {
            (read.size, read.mtime_ns, read.seconds, saved_digests(&read.digests), read.damaged.clone())
        });
        let path = self.path.as_ref().map(|path| path.clone_ref(py));
        let saved = (path, record, read, self.record.failure().map(Failure::saved));
        Ok((restorer(py, "restore_outcome")?, saved))
    }
}
