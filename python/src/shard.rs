//! `truesum.shard`: plans, the parts of their bundles, and the merged result. The rules are those of the library;
//! scheduling is left to Python.

use crate::errors::{self, refused};
use crate::interrupt::interruptible;
use crate::manifest::Entry;
use crate::paths::{self, Name, Names};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::path::PathBuf;
use truesum::shard::merge::{Fault, check_part, merge as merge_parts};
use truesum::shard::part::{ComputeOptions, Counts, PartStatus, compute};
use truesum::shard::plan::Plan as Planned;
use truesum::{Error, Mapping, Progress};

/// The result of computing a bundle, as recorded in its part.
#[pyclass(frozen, module = "truesum.shard")]
pub struct Part {
    counts: Counts,
    digest: String,
    status: &'static str,
    conflicting_path: Option<PathBuf>,
    failures: Vec<(Vec<u8>, String, String)>,
}

#[pymethods]
impl Part {
    /// "written"; "exists" if an identical part existed already; "not-compared" if a part without failures existed and
    /// could not be compared because some files could not be read this time; "contradicts" if a different part
    /// existed: both are preserved, and one of the two is wrong.
    #[getter]
    fn status(&self) -> &'static str {
        self.status
    }

    /// The path of the new part if it contradicts the existing one, otherwise None.
    #[getter]
    fn conflicting_path<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        self.conflicting_path
            .as_ref()
            .map(|path| paths::text(py, path.as_os_str().as_encoded_bytes()))
            .transpose()
    }

    /// The digest at the end of the part. Equal parts have equal digests.
    #[getter]
    fn digest(&self) -> &str {
        &self.digest
    }

    /// The number of files and ranges.
    #[getter]
    fn lines(&self) -> u64 {
        self.counts.lines()
    }

    /// The number of files and ranges without a digest.
    #[getter]
    fn failed(&self) -> u64 {
        self.counts.failed()
    }

    /// The number of failed files and ranges that may succeed when retried.
    #[getter]
    fn retryable(&self) -> u64 {
        self.counts.again()
    }

    /// The number of bytes hashed.
    #[getter]
    fn bytes(&self) -> u64 {
        self.counts.bytes()
    }

    /// Files without a digest, as (name, kind, reason) (at most 1,000).
    #[getter]
    fn failures<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyString>, String, String)>> {
        self.failures
            .iter()
            .map(|(name, kind, reason)| Ok((paths::text(py, name)?, kind.clone(), reason.clone())))
            .collect()
    }

    fn __repr__(&self) -> String {
        let (lines, failed, bytes) = (self.counts.lines(), self.counts.failed(), self.counts.bytes());
        format!("<truesum.shard.Part {}: {lines} lines, {failed} failed, {bytes} bytes>", self.status)
    }
}

/// The result of merging all parts of a plan. It is true only if every planned file has a digest.
#[pyclass(frozen, module = "truesum.shard")]
pub struct Merged {
    merged: truesum::shard::merge::Merged,
    faults: Vec<String>,
}

#[pymethods]
impl Merged {
    /// The number of files with digests.
    #[getter]
    fn files(&self) -> u64 {
        self.merged.files()
    }

    /// The total size of these files in bytes.
    #[getter]
    fn bytes(&self) -> u64 {
        self.merged.bytes()
    }

    /// The number of planned files that could not be hashed, according to their parts.
    #[getter]
    fn failed(&self) -> u64 {
        self.merged.failed()
    }

    /// Descriptions of the failed files and of all other problems with the parts (at most 1,000).
    #[getter]
    fn faults(&self) -> Vec<String> {
        self.faults.clone()
    }

    /// True if every planned file is present exactly once, as planned, with its digests.
    #[getter]
    fn ok(&self) -> bool {
        let merged = &self.merged;
        merged.faults() == 0 && merged.failed() == 0 && !merged.interrupted()
    }

    fn __bool__(&self) -> bool {
        self.ok()
    }

    fn __repr__(&self) -> String {
        let merged = &self.merged;
        format!(
            "<truesum.shard.Merged {} files, {} failed, {} faults>",
            merged.files(),
            merged.failed(),
            merged.faults()
        )
    }
}

/// The maximum number of failures and faults that are stored.
const MAX_STORED: usize = 1000;

fn push_limited<T>(list: &mut Vec<T>, item: impl FnOnce() -> T) {
    if list.len() < MAX_STORED {
        list.push(item());
    }
}

/// A plan written by `truesum shard plan`: the files and their division into bundles. Any machine that has the plan can
/// compute any bundle.
#[pyclass(frozen, module = "truesum.shard")]
pub struct Plan(Planned);

fn exception_of<'py>(py: Python<'py>) -> impl Fn(Error) -> PyErr + 'py {
    move |error| errors::to_exception(py, &error)
}

impl Plan {
    fn checked(&self, bundle: usize) -> PyResult<usize> {
        let bundles = self.0.totals().bundles();
        match bundle as u64 >= bundles {
            true => {
                Err(refused(format!("no bundle {bundle}: the plan has {bundles} in total, numbered from 0")))
            }
            false => Ok(bundle),
        }
    }
}

#[pymethods]
impl Plan {
    #[new]
    fn new(py: Python<'_>, path: Name) -> PyResult<Plan> {
        py.detach(|| Planned::open(&path.0)).map(Plan).map_err(exception_of(py))
    }

    /// The digest of the plan, which every part contains.
    #[getter]
    fn id(&self) -> &str {
        self.0.id()
    }

    /// The folder that names are relative to.
    #[getter]
    fn root<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        paths::text(py, self.0.root().as_os_str().as_encoded_bytes())
    }

    /// The names of the algorithms.
    #[getter]
    fn algorithms(&self) -> Vec<String> {
        self.0.specs().iter().map(ToString::to_string).collect()
    }

    /// The number of bundles.
    #[getter]
    fn bundles(&self) -> u64 {
        self.0.totals().bundles()
    }

    /// The number of files.
    #[getter]
    fn files(&self) -> u64 {
        self.0.totals().files()
    }

    /// The total size of the files in bytes.
    #[getter]
    fn bytes(&self) -> u64 {
        self.0.totals().bytes()
    }

    /// Returns the number of bytes to read for a bundle.
    fn bytes_of(&self, bundle: usize) -> PyResult<u64> {
        Ok(self.0.bytes_of(self.checked(bundle)?))
    }

    /// Returns the number of files and ranges in a bundle.
    fn lines_of(&self, bundle: usize) -> PyResult<u64> {
        Ok(self.0.lines_of(self.checked(bundle)?))
    }

    /// Returns the name of the first file in a bundle.
    fn first_name<'py>(&self, py: Python<'py>, bundle: usize) -> PyResult<Bound<'py, PyString>> {
        let bundle = self.checked(bundle)?;
        let name = py.detach(|| self.0.first_name(bundle)).map_err(exception_of(py))?;
        paths::text(py, &name)
    }

    /// Returns the file name of the part of a bundle.
    fn part_name(&self, bundle: usize) -> PyResult<String> {
        Ok(self.0.part_name(self.checked(bundle)?))
    }

    /// Computes a bundle, writes its part to `folder` atomically, and returns a Part. A complete part without failures
    /// that exists already is not computed again unless `again` is true, which computes it again and compares the
    /// results.
    ///
    /// `root` replaces the folder recorded in the plan. `withheld` are ranges of lines, as (first, end), that are not
    /// read and are recorded as failed. With `mapping`, files may be memory-mapped, which saves a copy but installs a
    /// SIGBUS handler for the whole process: use it only in processes that do nothing else. File errors are recorded in
    /// the part; OSError is raised if no part can be written.
    #[pyo3(signature = (
        bundle, folder, *, root = None, threads = None, again = false, withheld = Vec::new(), mapping = false
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python")]
    fn compute(
        &self,
        py: Python<'_>,
        bundle: usize,
        folder: Name,
        root: Option<Name>,
        threads: Option<usize>,
        again: bool,
        withheld: Vec<(usize, usize)>,
        mapping: bool,
    ) -> PyResult<Part> {
        let withheld: Vec<_> = withheld.into_iter().map(|(first, end)| first..end).collect();
        let progress = Progress::default();
        let mut failures = Vec::new();
        let work = |_: &_| {
            let computing = ComputeOptions::new(&progress)
                .root(root.as_ref().map(|Name(root)| root.as_path()))
                .outside(true)
                .threads(threads.unwrap_or(0))
                .mapping(if mapping { Mapping::Guarded } else { Mapping::Never })
                .again(again)
                .withheld(&withheld);
            compute(&self.0, bundle, &folder.0, &computing, &mut |error| {
                push_limited(&mut failures, || {
                    (error.name().to_vec(), error.kind().word().to_owned(), error.reason())
                });
            })
        };
        let done = interruptible::<_, ()>(py, &progress, work, |_, ()| Ok(()))?;
        let done = done.map_err(exception_of(py))?;
        let (counts, digest) = (done.counts(), done.digest().to_owned());
        let (status, conflicting_path) = match done.status() {
            PartStatus::Written => ("written", None),
            PartStatus::Identical => ("exists", None),
            PartStatus::Kept(_) => ("not-compared", None),
            PartStatus::Contradicts(path) => ("contradicts", Some(path.clone())),
        };
        Ok(Part { counts, digest, status, conflicting_path, failures })
    }

    /// Reads the part of a bundle, checks it against the plan as merge() does, and returns a Part. Raises OSError if
    /// the part is not valid.
    fn check_part(&self, py: Python<'_>, bundle: usize, part: Name) -> PyResult<Part> {
        let bundle = self.checked(bundle)?;
        let mut failures = Vec::new();
        let checked = py.detach(|| {
            check_part(&self.0, bundle, &part.0, &mut |name, failure| {
                push_limited(&mut failures, || {
                    (name.to_vec(), failure.kind().to_owned(), failure.reason().to_owned())
                });
            })
        });
        let (counts, digest) = checked.map_err(exception_of(py))?;
        Ok(Part { counts, digest, status: "exists", conflicting_path: None, failures })
    }

    /// Checks all parts against the plan and returns a Merged, which shows whether every planned file is present
    /// exactly once, as planned, and lists all problems. `callback` is called with the Entry of each file that has
    /// digests, in the order of the plan; the entries form a manifest only if the result is true.
    #[pyo3(signature = (parts, callback = None))]
    fn merge(&self, py: Python<'_>, parts: Names, callback: Option<Py<PyAny>>) -> PyResult<Merged> {
        let progress = Progress::default();
        let mut faults = Vec::new();
        let work = |sender: &crate::interrupt::EventSender<truesum::manifest::Entry>| {
            let name = b"callback";
            let mut each = |entry| match callback.is_some() {
                true => sender.send(entry).map_err(|error| Error::io(name, "call", error)),
                false => Ok(()),
            };
            let mut on_fault = |fault: &Fault| push_limited(&mut faults, || fault.to_string());
            merge_parts(&self.0, &parts.0, &progress, &mut each, &mut on_fault)
        };
        let merged = interruptible(py, &progress, work, |py, entry| match &callback {
            Some(callback) => callback.call1(py, (Entry(entry),)).map(drop),
            None => Ok(()),
        })?;
        Ok(Merged { merged: merged.map_err(exception_of(py))?, faults })
    }

    fn __repr__(&self) -> String {
        let totals = self.0.totals();
        let (bundles, files, bytes) = (totals.bundles(), totals.files(), totals.bytes());
        format!("<truesum.shard.Plan {}: {bundles} bundles, {files} files, {bytes} bytes>", &self.0.id()[..8])
    }
}
