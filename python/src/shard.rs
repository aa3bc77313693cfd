//! `truesum.shard`: plans, the parts of their bundles, and what all parts come to. The rules are the library's; who computes
//! what, and when, is Python's.

use crate::errors::{self, refused};
use crate::interrupt::interruptible;
use crate::manifest::Entry;
use crate::paths::{self, Name, Names};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::path::PathBuf;
use truesum::shard::merge::{Fault, hold, merge as merge_parts};
use truesum::shard::part::{Computing, Counts, Done, Standing, compute};
use truesum::shard::plan::Plan as Planned;
use truesum::{Error, Mapping, Progress};

/// What came of a bundle: what its part says.
#[pyclass(frozen, module = "truesum.shard")]
pub struct Part {
    counts: Counts,
    digest: String,
    standing: &'static str,
    beside: Option<PathBuf>,
    failures: Vec<(Vec<u8>, String, String)>,
}

#[pymethods]
impl Part {
    /// "written"; "there", if the same part was there already; "kept", if a part without failures was there, and not all files
    /// could be read this time to compare them; "contradicts", if another one was there, which stays: one of the two is wrong.
    #[getter]
    fn standing(&self) -> &'static str {
        self.standing
    }

    /// Where the part is that contradicts the one in its place.
    #[getter]
    fn beside<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        self.beside.as_ref().map(|path| paths::text(py, path.as_os_str().as_encoded_bytes())).transpose()
    }

    /// The digest that ends the part: of equal parts it is equal.
    #[getter]
    fn digest(&self) -> &str {
        &self.digest
    }

    /// Files and ranges.
    #[getter]
    fn lines(&self) -> u64 {
        self.counts.lines
    }

    /// Those among them that have no digest.
    #[getter]
    fn failed(&self) -> u64 {
        self.counts.failed
    }

    /// Those among these that may have one after another attempt.
    #[getter]
    fn again(&self) -> u64 {
        self.counts.again
    }

    /// Bytes hashed.
    #[getter]
    fn bytes(&self) -> u64 {
        self.counts.bytes
    }

    /// Files without a digest, as (name, kind, reason); the first thousand.
    #[getter]
    fn failures<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyString>, String, String)>> {
        self.failures
            .iter()
            .map(|(name, kind, reason)| Ok((paths::text(py, name)?, kind.clone(), reason.clone())))
            .collect()
    }

    fn __repr__(&self) -> String {
        let Counts { lines, failed, bytes, .. } = self.counts;
        format!("<truesum.shard.Part {}: {lines} lines, {failed} failed, {bytes} bytes>", self.standing)
    }
}

/// What all parts of a plan came to. True only if every planned file has a digest.
#[pyclass(frozen, module = "truesum.shard")]
pub struct Merged {
    merged: truesum::shard::merge::Merged,
    faults: Vec<String>,
}

#[pymethods]
impl Merged {
    /// Files with digests.
    #[getter]
    fn files(&self) -> u64 {
        self.merged.files
    }

    /// Their bytes.
    #[getter]
    fn bytes(&self) -> u64 {
        self.merged.bytes
    }

    /// Planned files that their part says could not be hashed.
    #[getter]
    fn failed(&self) -> u64 {
        self.merged.failed
    }

    /// What else is wrong with the parts, and the files that failed, in words; the first thousand.
    #[getter]
    fn faults(&self) -> Vec<String> {
        self.faults.clone()
    }

    /// Whether every planned file is there once, as it was planned, with its digests.
    #[getter]
    fn ok(&self) -> bool {
        let merged = &self.merged;
        merged.faults == 0 && merged.failed == 0 && !merged.interrupted
    }

    fn __bool__(&self) -> bool {
        self.ok()
    }

    fn __repr__(&self) -> String {
        let merged = &self.merged;
        format!(
            "<truesum.shard.Merged {} files, {} failed, {} faults>",
            merged.files, merged.failed, merged.faults
        )
    }
}

/// Failures and faults that are kept.
const KEPT: usize = 1000;

fn keep<T>(kept: &mut Vec<T>, one: impl FnOnce() -> T) {
    if kept.len() < KEPT {
        kept.push(one());
    }
}

/// A plan that `truesum shard plan` wrote: which files, cut into which bundles. Whoever has it can compute any of them.
#[pyclass(frozen, module = "truesum.shard")]
pub struct Plan(Planned);

fn raised<'py>(py: Python<'py>) -> impl Fn(Error) -> PyErr + 'py {
    move |error| errors::of(py, &error)
}

impl Plan {
    fn checked(&self, bundle: usize) -> PyResult<usize> {
        let bundles = self.0.totals().bundles;
        match bundle as u64 >= bundles {
            true => Err(refused(format!("no bundle {bundle}: the plan has {bundles}, from 0 on"))),
            false => Ok(bundle),
        }
    }
}

#[pymethods]
impl Plan {
    #[new]
    fn new(py: Python<'_>, path: Name) -> PyResult<Plan> {
        py.detach(|| Planned::open(&path.0)).map(Plan).map_err(raised(py))
    }

    /// Its digest, which every part names.
    #[getter]
    fn id(&self) -> &str {
        self.0.id()
    }

    /// The folder that names lead from.
    #[getter]
    fn root<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        paths::text(py, self.0.root().as_os_str().as_encoded_bytes())
    }

    /// The digests asked for.
    #[getter]
    fn algorithms(&self) -> Vec<String> {
        self.0.specs().iter().map(ToString::to_string).collect()
    }

    /// How many bundles it has.
    #[getter]
    fn bundles(&self) -> u64 {
        self.0.totals().bundles
    }

    /// How many files.
    #[getter]
    fn files(&self) -> u64 {
        self.0.totals().files
    }

    /// How many bytes these have.
    #[getter]
    fn bytes(&self) -> u64 {
        self.0.totals().bytes
    }

    /// Bytes to be read for a bundle.
    fn bytes_of(&self, bundle: usize) -> PyResult<u64> {
        Ok(self.0.bytes_of(self.checked(bundle)?))
    }

    /// Files and ranges in a bundle.
    fn lines_of(&self, bundle: usize) -> PyResult<u64> {
        Ok(self.0.lines_of(self.checked(bundle)?))
    }

    /// The name of the first file of a bundle.
    fn first_name<'py>(&self, py: Python<'py>, bundle: usize) -> PyResult<Bound<'py, PyString>> {
        let bundle = self.checked(bundle)?;
        let name = py.detach(|| self.0.first_name(bundle)).map_err(raised(py))?;
        paths::text(py, &name)
    }

    /// The name of the file that the part of a bundle goes to.
    fn part_name(&self, bundle: usize) -> PyResult<String> {
        Ok(self.0.part_name(self.checked(bundle)?))
    }

    /// Computes a bundle into its part in `folder`, which appears whole or not at all: a Part. One that is there, whole and without
    /// failures is not computed again, unless `again` asks to, and to compare.
    ///
    /// `root` is the folder that names lead from where that is another one than the plan says; `withheld` are ranges of lines,
    /// as (first, end), that are not read and fail. With `mapping` files may be mapped, which saves a copy of what lies in memory
    /// and takes SIGBUS for the whole process: for one that does nothing else. What goes wrong with files is told by the part; an
    /// OSError is raised where there can be none.
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
            let computing = Computing {
                root: root.as_ref().map(|Name(root)| root.as_path()),
                outside: true,
                remote: None,
                threads: threads.unwrap_or(0),
                mapping: if mapping { Mapping::Guarded } else { Mapping::Never },
                again,
                withheld: &withheld,
                progress: &progress,
            };
            compute(&self.0, bundle, &folder.0, &computing, &mut |error| {
                keep(&mut failures, || (error.path.clone(), error.kind().word().to_owned(), error.reason()));
            })
        };
        let done = interruptible::<_, ()>(py, &progress, work, |_, ()| Ok(()))?;
        let Done { counts, standing, digest } = done.map_err(raised(py))?;
        let (standing, beside) = match standing {
            Standing::Written => ("written", None),
            Standing::There => ("there", None),
            Standing::Kept(_) => ("kept", None),
            Standing::Contradicts(beside) => ("contradicts", Some(beside)),
        };
        Ok(Part { counts, digest, standing, beside, failures })
    }

    /// Reads the part of a bundle and holds it against the plan, as merge() does: a Part. An OSError is raised if it is none.
    fn hold(&self, py: Python<'_>, bundle: usize, part: Name) -> PyResult<Part> {
        let bundle = self.checked(bundle)?;
        let mut failures = Vec::new();
        let held = py.detach(|| {
            hold(&self.0, bundle, &part.0, &mut |name, failure| {
                keep(&mut failures, || (name.to_vec(), failure.kind.clone(), failure.reason.clone()));
            })
        });
        let (counts, digest) = held.map_err(raised(py))?;
        Ok(Part { counts, digest, standing: "there", beside: None, failures })
    }

    /// Holds all parts against the plan: a Merged, which tells whether every planned file is there once, as it was planned, and what
    /// is wrong if not. `callback` is called with the Entry of each file that has digests, in the plan's order: they are a manifest
    /// only if the result is true.
    #[pyo3(signature = (parts, callback = None))]
    fn merge(&self, py: Python<'_>, parts: Names, callback: Option<Py<PyAny>>) -> PyResult<Merged> {
        let progress = Progress::default();
        let mut faults = Vec::new();
        let work = |teller: &crate::interrupt::Teller<truesum::manifest::Entry>| {
            let name = b"callback";
            let mut each = |entry| match callback.is_some() {
                true => teller.tell(entry).map_err(|error| Error::io(name, "call", error)),
                false => Ok(()),
            };
            let mut tell = |fault: &Fault| keep(&mut faults, || fault.to_string());
            merge_parts(&self.0, &parts.0, &progress, &mut each, &mut tell)
        };
        let merged = interruptible(py, &progress, work, |py, entry| match &callback {
            Some(callback) => callback.call1(py, (Entry(entry),)).map(drop),
            None => Ok(()),
        })?;
        Ok(Merged { merged: merged.map_err(raised(py))?, faults })
    }

    fn __repr__(&self) -> String {
        let truesum::shard::plan::Totals { bundles, files, bytes } = self.0.totals();
        format!("<truesum.shard.Plan {}: {bundles} bundles, {files} files, {bytes} bytes>", &self.0.id()[..8])
    }
}
