//! `audit` and `diff`: compare two sets of files and report the difference for each file.

use crate::errors::{self, Failure, SavedFailure, refused};
use crate::interrupt::{EventSender, interruptible};
use crate::outcome::by_name;
use crate::paths::{self, Name, Names};
use crate::pickling::{find_word, restored_pairs, restorer, saved_pairs};
use crate::spec::Specs;
use crate::verify::{format_named, no_stream};
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use truesum::audit::{Comparison, Equality, Event, Facts, FileStatus, Options};
use truesum::hash::{Digest, Spec};
use truesum::manifest::path::display_safe;
use truesum::{Error, Progress};

/// The result of comparing one file.
#[pyclass(frozen, module = "truesum")]
pub struct Finding {
    standing: FileStatus,
    name: Vec<u8>,
    from: Option<Vec<u8>>,
    candidates: u32,
    listed: Vec<(Spec, Digest)>,
    found: Vec<(Spec, Digest)>,
    error: Option<Failure>,
}

/// The values of a finding in a pickle.
type SavedFinding = (
    String,
    Vec<u8>,
    Option<Vec<u8>>,
    u32,
    Vec<(String, String)>,
    Vec<(String, String)>,
    Option<SavedFailure>,
);

/// Rebuilds a pickled Finding.
#[pyfunction]
pub fn restore_finding(saved: SavedFinding) -> PyResult<Finding> {
    let (standing, name, from, candidates, listed, found, error) = saved;
    let status = FileStatus::ALL.into_iter().find(|status| status.word() == standing);
    Ok(Finding {
        standing: status.ok_or_else(|| refused(format!("unknown status '{standing}'")))?,
        name,
        from,
        candidates,
        listed: restored_pairs(&listed)?,
        found: restored_pairs(&found)?,
        error: error.map(Failure::restored).transpose()?,
    })
}

#[pymethods]
impl Finding {
    /// "same", "changed", "corrupt" (the content differs, but size and modification time are those in the manifest, so
    /// probably no program wrote to the file), "restored", "missing", "new", "moved", "moved-modified", "copied", "duplicated",
    /// "unreadable" or "unknown".
    #[getter]
    fn standing(&self) -> &'static str {
        self.standing.word()
    }

    /// The name of the file: the new name if it was moved.
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        paths::text(py, &self.name)
    }

    /// For a moved or copied file, the name of its content in the manifest; otherwise None.
    #[getter]
    fn origin<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        self.from.as_ref().map(|name| paths::text(py, name)).transpose()
    }

    /// The number of files with the same content that are equally likely to be the other name of a moved file; 1 if the
    /// move is certain.
    #[getter]
    fn candidates(&self) -> u32 {
        self.candidates
    }

    /// The digests of the file in the manifest.
    #[getter]
    fn listed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        by_name(py, self.listed.iter().map(|(spec, digest)| (spec, digest)))
    }

    /// The digests that were found, if they differ from those in the manifest.
    #[getter]
    fn found<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        by_name(py, self.found.iter().map(|(spec, digest)| (spec, digest)))
    }

    /// Why the file is unreadable: an OSError that was not raised.
    #[getter]
    fn error<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBaseException>> {
        self.error.as_ref().map(|failure| failure.to_exception(py).into_value(py).into_bound(py))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<truesum.Finding {} {}>", self.standing.word(), paths::text(py, &self.name)?.repr()?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (SavedFinding,))> {
        let saved = (
            self.standing.word().to_owned(),
            self.name.clone(),
            self.from.clone(),
            self.candidates,
            saved_pairs(&self.listed),
            saved_pairs(&self.found),
            self.error.as_ref().map(Failure::saved),
        );
        Ok((restorer(py, "restore_finding")?, (saved,)))
    }
}

/// Returns the digests of one side of a comparison.
fn digests(facts: Option<&Facts>) -> Vec<(Spec, Digest)> {
    let digests = facts.into_iter().flat_map(Facts::digests);
    digests.map(|(spec, digest)| (spec.clone(), digest.clone())).collect()
}

/// The result of comparing two sets of files. It is true only if they are equal.
#[pyclass(frozen, module = "truesum")]
pub struct AuditReport {
    verdict: &'static str,
    /// The number of files for each of [`FileStatus::ALL`].
    counts: Vec<u64>,
    errors: Vec<Py<PyBaseException>>,
    malformed: Vec<String>,
}

#[pymethods]
impl AuditReport {
    /// The overall result: "equal", "part-equal", "different", "incomplete" or "interrupted".
    #[getter]
    fn verdict(&self) -> &'static str {
        self.verdict
    }

    /// True if both sides are equal.
    #[getter]
    fn ok(&self) -> bool {
        self.verdict == "equal"
    }

    fn __bool__(&self) -> bool {
        self.ok()
    }

    /// The number of files in each category, keyed by `standing`.
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = PyDict::new(py);
        for (standing, count) in FileStatus::ALL.iter().zip(&self.counts) {
            counts.set_item(standing.word(), count)?;
        }
        Ok(counts)
    }

    /// Manifests and folders that could not be read, as exceptions that were not raised (at most 1,000).
    #[getter]
    fn errors(&self, py: Python<'_>) -> Vec<Py<PyBaseException>> {
        self.errors.iter().map(|error| error.clone_ref(py)).collect()
    }

    /// Malformed lines, each with the reason (at most 1,000).
    #[getter]
    fn malformed_lines(&self) -> Vec<String> {
        self.malformed.clone()
    }

    fn __repr__(&self) -> String {
        format!("<truesum.AuditReport {}>", self.verdict)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, SavedReport)> {
        let saved = (self.verdict.to_owned(), self.counts.clone(), self.errors(py), self.malformed.clone());
        Ok((restorer(py, "restore_audit_report")?, saved))
    }
}

/// The words for the overall results.
const WORDS: [&str; 5] = ["equal", "part-equal", "different", "incomplete", "interrupted"];

fn word(equality: Equality) -> &'static str {
    match equality {
        Equality::Equal => "equal",
        Equality::PartEqual => "part-equal",
        Equality::Different => "different",
        Equality::NotAsRequested => "incomplete",
        Equality::Interrupted => "interrupted",
    }
}

/// The arguments of [`restore_audit_report`].
type SavedReport = (String, Vec<u64>, Vec<Py<PyBaseException>>, Vec<String>);

/// Rebuilds a pickled AuditReport.
#[pyfunction]
pub fn restore_audit_report(
    verdict: &str,
    counts: Vec<u64>,
    errors: Vec<Py<PyBaseException>>,
    malformed: Vec<String>,
) -> PyResult<AuditReport> {
    if counts.len() != FileStatus::ALL.len() {
        return Err(refused("a count is missing"));
    }
    Ok(AuditReport { verdict: find_word(&WORDS, verdict)?, counts, errors, malformed })
}

enum CheckEvent {
    Finding(Finding),
    Malformed(String),
    Failed(Error),
}

fn forward(sender: &EventSender<CheckEvent>, event: &Event<'_>) -> std::io::Result<()> {
    let bytes = |path: &Path| path.as_os_str().as_bytes().to_vec();
    sender.send(match event {
        Event::Finding(finding) => CheckEvent::Finding(Finding {
            standing: finding.status(),
            name: bytes(finding.name()),
            from: finding.from().map(bytes),
            candidates: finding.candidates(),
            listed: digests(finding.listed()),
            found: digests(finding.found()),
            error: finding.error().map(Failure::from),
        }),
        Event::Malformed(manifest, line) => {
            CheckEvent::Malformed(format!("{}: {line}", display_safe(manifest.as_os_str().as_bytes())))
        }
        // A note about objects without digests, which are not part of a comparison.
        Event::Doubtful(_) => return Ok(()),
        Event::Failed(error) => CheckEvent::Failed(error.under(error.name())),
    })
}

/// Runs a comparison in a separate thread and returns its report.
fn run_comparison(
    py: Python<'_>,
    options: &Options,
    callback: Option<&Py<PyAny>>,
    compare: impl FnOnce(&mut Comparison<'_>, &mut truesum::audit::Observer<'_>) -> std::io::Result<()> + Send,
) -> PyResult<AuditReport> {
    const MAX_STORED: usize = 1000;
    let progress = Progress::default();
    let (mut failed, mut malformed) = (Vec::new(), Vec::new());
    let work = |sender: &EventSender<CheckEvent>| {
        let mut comparison = Comparison::new(options, &progress);
        // An error means that the receiver is gone: the comparison was stopped, and its report is not needed.
        let _ = compare(&mut comparison, &mut |event| forward(sender, &event));
        comparison.report().clone()
    };
    let report = interruptible(py, &progress, work, |py, event| {
        match event {
            CheckEvent::Finding(finding) => {
                if let Some(callback) = callback {
                    callback.call1(py, (finding,))?;
                }
            }
            CheckEvent::Malformed(line) if malformed.len() < MAX_STORED => malformed.push(line),
            CheckEvent::Failed(error) if failed.len() < MAX_STORED => {
                failed.push(errors::to_exception(py, &error).into_value(py))
            }
            CheckEvent::Malformed(_) | CheckEvent::Failed(_) => {}
        }
        Ok(())
    })?;
    let counts = FileStatus::ALL.into_iter().map(|status| report.count(status)).collect();
    Ok(AuditReport { verdict: word(report.equality()), counts, errors: failed, malformed })
}

/// Compares a folder with a manifest and reports what happened to each file since the manifest was created.
/// Returns an AuditReport; the rules are those of `truesum audit`. `callback` is called with a Finding for each file,
/// in the order of names, after everything has been read.
///
/// >>> import os, tempfile, truesum
/// >>> folder = tempfile.TemporaryDirectory()
/// >>> for name, text in [("b", "123456789"), ("SUMS.sfv", "a CBF43926\n")]:
/// ...     with open(os.path.join(folder.name, name), "w") as file:
/// ...         _ = file.write(text)
/// >>> report = truesum.audit(os.path.join(folder.name, "SUMS.sfv"), callback=print)
/// <truesum.Finding moved 'b'>
/// >>> report.verdict, report.counts()["moved"]
/// ('different', 1)
/// >>> folder.cleanup()
#[pyfunction]
#[pyo3(signature = (manifest, /, root = None, callback = None, *, algorithms = None, format = None, threads = None, lenient = false,
    allow_moved = false, allow_weak = false))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn audit(
    py: Python<'_>,
    manifest: Names,
    root: Option<Name>,
    callback: Option<Py<PyAny>>,
    algorithms: Option<Specs>,
    format: Option<&str>,
    threads: Option<usize>,
    lenient: bool,
    allow_moved: bool,
    allow_weak: bool,
) -> PyResult<AuditReport> {
    let read = truesum::ReadOptions::default()
        .root(root.map(|Name(root)| root))
        .algorithms(algorithms.map_or_else(Vec::new, |Specs(specs)| specs))
        .format(format.map(format_named).transpose()?)
        .threads(threads.unwrap_or(0))
        .lenient(lenient)
        .allow_weak(allow_weak)
        // A report has no place for them, and they must not exclude files without being reported.
        .ignore_rules(true);
    let options = Options::default().read(read).moved_passes(allow_moved);
    let names: Vec<PathBuf> = manifest.0.into_iter().map(no_stream).collect();
    run_comparison(py, &options, callback.as_ref(), move |comparison, on_event| {
        comparison.audit(&names, on_event)
    })
}

/// Compares two manifests or folders and returns an AuditReport. Files are read only if their digests are not known
/// from a manifest. `callback` is called with a Finding for each file.
///
/// >>> import os, tempfile, truesum
/// >>> folder = tempfile.TemporaryDirectory()
/// >>> old, new = os.path.join(folder.name, "old.sfv"), os.path.join(folder.name, "new.sfv")
/// >>> for path, text in [(old, "a CBF43926\nb 00000000\n"), (new, "a CBF43926\n")]:
/// ...     with open(path, "w") as file:
/// ...         _ = file.write(text)
/// >>> findings = []
/// >>> truesum.diff(old, new, findings.append).verdict
/// 'different'
/// >>> [(finding.name, finding.standing) for finding in findings if finding.standing != "same"]
/// [('b', 'missing')]
/// >>> folder.cleanup()
#[pyfunction]
#[pyo3(signature = (old, new, /, callback = None, *, algorithms = None, threads = None, lenient = false, allow_moved = false))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn diff(
    py: Python<'_>,
    old: Name,
    new: Name,
    callback: Option<Py<PyAny>>,
    algorithms: Option<Specs>,
    threads: Option<usize>,
    lenient: bool,
    allow_moved: bool,
) -> PyResult<AuditReport> {
    let read = truesum::ReadOptions::default()
        .algorithms(algorithms.map_or_else(Vec::new, |Specs(specs)| specs))
        .threads(threads.unwrap_or(0))
        .lenient(lenient)
        // As in `audit`.
        .ignore_rules(true);
    let options = Options::default().read(read).moved_passes(allow_moved);
    let (old, new) = (no_stream(old.0), no_stream(new.0));
    run_comparison(py, &options, callback.as_ref(), move |comparison, on_event| {
        comparison.diff(&old, &new, on_event)
    })
}
