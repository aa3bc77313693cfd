//! `verify`: check the files of a manifest and return a Report with the verdict of `truesum check`.

use crate::bytes::Data;
use crate::errors;
use crate::interrupt::{EventSender, Meter, metered};
use crate::outcome::{Outcome, Record};
use crate::paths::{self, Name, Names};
use crate::pickling::{find_word, restorer};
use crate::spec::Specs;
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use truesum::Verification;
use truesum::hash::Secret;
use truesum::manifest::{self, Format};
use truesum::{Conclusion, Error, Event, Options, Progress, ReadOptions, Report as Counted, Unlisted};

/// The maximum number of failures stored in a report; the callback receives all of them.
const MAX_STORED: usize = 1000;

/// Returns the format with this name.
pub fn format_named(name: &str) -> PyResult<&'static Format> {
    manifest::format(name).ok_or_else(|| {
        let names: Vec<&str> = manifest::FORMATS.iter().map(|format| format.name()).collect();
        errors::refused(format!("unknown format '{name}' (known: {})", names.join(", ")))
    })
}

/// Returns the path with `-` replaced by `./-`, so that it refers to a file and not to standard input.
pub fn no_stream(path: PathBuf) -> PathBuf {
    if path == Path::new("-") { PathBuf::from("./-") } else { path }
}

/// The words for the overall results.
const WORDS: [&str; 6] =
    ["verified", "part-verified", "failed", "incomplete", "nothing-verified", "interrupted"];

fn word(conclusion: Conclusion) -> &'static str {
    match conclusion {
        Conclusion::Verified => "verified",
        Conclusion::PartVerified => "part-verified",
        Conclusion::Failed => "failed",
        Conclusion::NotAsRequested => "incomplete",
        Conclusion::NothingVerified => "nothing-verified",
        Conclusion::Interrupted => "interrupted",
    }
}

/// The result of a check. It is true only if everything that was requested was verified.
#[pyclass(frozen, module = "truesum")]
pub struct Report {
    verdict: &'static str,
    exit_status: u8,
    counts: Counts,
    /// The number of entries that failed.
    failed: u64,
    not_tamper_evident: BTreeMap<String, u64>,
    failures: Vec<Py<Outcome>>,
    errors: Vec<Py<PyBaseException>>,
    malformed: Vec<String>,
    unlisted: Vec<Vec<u8>>,
}

/// The events of a check, as owned values.
enum CheckEvent {
    Entry(Record),
    Malformed(String),
    Failed(Error),
    Unlisted(Vec<u8>),
}

fn forward(sender: &EventSender<CheckEvent>, event: &Event<'_>) -> std::io::Result<()> {
    use std::os::unix::ffi::OsStrExt;
    match event {
        Event::Entry(_, outcome) => sender.send(CheckEvent::Entry(Record::from(*outcome))),
        Event::Ignored(_, outcome) => sender.send(CheckEvent::Entry(Record::from(*outcome).into_ignored())),
        Event::Malformed(manifest, line) => {
            let name = manifest::path::display_safe(manifest.name().as_os_str().as_bytes());
            sender.send(CheckEvent::Malformed(format!("{name}: {line}")))
        }
        Event::Failed(error) => sender.send(CheckEvent::Failed(error.under(error.name()))),
        Event::Checked(_, checked) => match checked.failed() {
            Some(error) => sender.send(CheckEvent::Failed(error.under(error.name()))),
            None => Ok(()),
        },
        Event::Unlisted(_, name) => sender.send(CheckEvent::Unlisted(name.as_os_str().as_bytes().to_vec())),
        _ => Ok(()),
    }
}

/// Reads all files in a manifest, compares them with it, and returns a Report with the verdict of `truesum check`.
///
/// `manifest` is one name or several; the format is detected unless `format` is given. Names are relative to `root`, by
/// default the manifest's folder, and must not lead out of it unless `allow_outside` is true. `callback` is called with
/// the Outcome of each entry, in order; an exception in it ends the check. With `algorithms`, lines with any other
/// algorithm are malformed. `key` is the key of keyed digests. With `ignore_missing`, entries whose files are missing
/// are skipped. With `lenient`, malformed lines are counted but are not failures. With `exact`, every file below the
/// root must be in the manifest. With `allow_weak`, digests that are too short to verify anything are accepted.
/// `progress` is called with the number of bytes read so far, about every 50 ms and at the end.
///
/// Problems with files and manifests are recorded in the report and never raised as exceptions.
///
/// >>> import os, tempfile, truesum
/// >>> folder = tempfile.TemporaryDirectory()
/// >>> for name, text in [("a", "123456789"), ("SUMS.sfv", "a CBF43926\nb 00000000\n")]:
/// ...     with open(os.path.join(folder.name, name), "w") as file:
/// ...         _ = file.write(text)
/// >>> report = truesum.verify(os.path.join(folder.name, "SUMS.sfv"))
/// >>> report.verdict, report.verified, report.missing, bool(report)
/// ('failed', 1, 1, False)
/// >>> [(outcome.path, outcome.verdict) for outcome in report.failures]
/// [('b', 'missing')]
/// >>> folder.cleanup()
#[pyfunction]
#[pyo3(signature = (manifest, /, root = None, callback = None, *, algorithms = None, format = None, key = None, threads = None,
    ignore_missing = false, lenient = false, exact = false, allow_weak = false, allow_outside = false, progress = None))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn verify(
    py: Python<'_>,
    manifest: Names,
    root: Option<Name>,
    callback: Option<Py<PyAny>>,
    algorithms: Option<Specs>,
    format: Option<&str>,
    key: Option<Data<'_>>,
    threads: Option<usize>,
    ignore_missing: bool,
    lenient: bool,
    exact: bool,
    allow_weak: bool,
    allow_outside: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Report> {
    let meter = Meter::new(progress);
    let read = ReadOptions::default()
        .root(root.map(|Name(root)| root))
        .algorithms(algorithms.map_or_else(Vec::new, |Specs(specs)| specs))
        .format(format.map(format_named).transpose()?)
        .key(key.map(|key| Secret::new(key.to_vec())))
        .threads(threads.unwrap_or(0))
        .lenient(lenient)
        .allow_weak(allow_weak)
        .allow_outside(allow_outside)
        // A report has no place for them, and they must not exclude files without being reported.
        .ignore_rules(true);
    let unlisted = if exact { Unlisted::Refused } else { Unlisted::Unrequested };
    let options = Options::from(read).ignore_missing(ignore_missing).unlisted(unlisted);
    let progress = Progress::default();
    let names: Vec<PathBuf> = manifest.0.into_iter().map(no_stream).collect();
    let (mut failures, mut failed, mut malformed, mut unlisted) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let work = |sender: &EventSender<CheckEvent>| {
        let mut verification = Verification::new(&options, &progress);
        // An error means that the receiver is gone: the check was stopped, and its report is not needed.
        let _ = verification.manifests(&names, &mut |event| forward(sender, &event));
        verification.report().clone()
    };
    let counted = metered(py, &progress, meter, work, |py, event| {
        let record = match event {
            CheckEvent::Entry(record) => record,
            CheckEvent::Malformed(line) => {
                if malformed.len() < MAX_STORED {
                    malformed.push(line);
                }
                return Ok(());
            }
            CheckEvent::Failed(error) => {
                if failed.len() < MAX_STORED {
                    failed.push(errors::to_exception(py, &error).into_value(py));
                }
                return Ok(());
            }
            CheckEvent::Unlisted(name) => {
                if unlisted.len() < MAX_STORED {
                    unlisted.push(name);
                }
                return Ok(());
            }
        };
        let keep = !record.is_good() && failures.len() < MAX_STORED;
        if keep || callback.is_some() {
            let outcome = Py::new(py, Outcome::new(record, None))?;
            if keep {
                failures.push(outcome.clone_ref(py));
            }
            if let Some(callback) = &callback {
                callback.call1(py, (outcome,))?;
            }
        }
        Ok(())
    })?;
    Ok(Report {
        verdict: word(counted.verdict()),
        exit_status: counted.verdict().exit_status(),
        counts: Counts::from(&counted),
        failed: counted.counts().failed(),
        not_tamper_evident: counted.not_tamper_evident().clone(),
        failures,
        errors: failed,
        malformed,
        unlisted,
    })
}

/// The values of a report in a pickle: verdict, exit status, counts, failures, entries that are not tamper-evident.
type SavedCounts = (String, u8, Vec<u64>, u64, BTreeMap<String, u64>);
/// The arguments of [`restore_report`].
type Saved = (SavedCounts, Vec<Py<Outcome>>, Vec<Py<PyBaseException>>, Vec<String>, Vec<Vec<u8>>);

/// Rebuilds a pickled Report.
#[pyfunction]
pub fn restore_report(
    counts: SavedCounts,
    failures: Vec<Py<Outcome>>,
    errors: Vec<Py<PyBaseException>>,
    malformed: Vec<String>,
    unlisted: Vec<Vec<u8>>,
) -> PyResult<Report> {
    let (verdict, exit_status, counts, failed, not_tamper_evident) = counts;
    let (verdict, counts) = (find_word(&WORDS, &verdict)?, Counts::restored(counts)?);
    Ok(Report {
        verdict,
        exit_status,
        counts,
        failed,
        not_tamper_evident,
        failures,
        errors,
        malformed,
        unlisted,
    })
}

macro_rules! counts {
    ($($name:ident: $doc:literal = $value:expr;)*) => {
        /// The counts of a check.
        struct Counts {
            $($name: u64,)*
        }

        impl From<&Counted> for Counts {
            fn from(counted: &Counted) -> Counts {
                $(let $name: fn(&Counted) -> u64 = $value;)*
                Counts { $($name: $name(counted),)* }
            }
        }

        impl Counts {
            fn saved(&self) -> Vec<u64> {
                vec![$(self.$name),*]
            }

            fn restored(saved: Vec<u64>) -> PyResult<Counts> {
                let mut saved = saved.into_iter();
                let mut next = || saved.next().ok_or_else(|| errors::refused("a count is missing"));
                Ok(Counts { $($name: next()?,)* })
            }
        }

        #[pymethods]
        impl Report {
            $(
                #[doc = $doc]
                #[getter]
                fn $name(&self) -> u64 {
                    self.counts.$name
                }
            )*

            /// Returns all counts, keyed by name.
            fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                let counts = PyDict::new(py);
                $(counts.set_item(stringify!($name), self.$name())?;)*
                Ok(counts)
            }

            /// The overall result: "verified", "part-verified", "failed", "incomplete", "nothing-verified" or
            /// "interrupted".
            #[getter]
            fn verdict(&self) -> &'static str {
                self.verdict
            }

            /// True if everything that was requested was verified.
            #[getter]
            fn ok(&self) -> bool {
                self.verdict == "verified"
            }

            fn __bool__(&self) -> bool {
                self.ok()
            }

            /// The exit status of `truesum check`: 0 verified, 1 a file failed, 2 not everything could be done.
            #[getter]
            fn exit_status(&self) -> u8 {
                self.exit_status
            }

            /// The outcomes of entries that failed (at most 1,000). The counts and the callback cover all of them.
            #[getter]
            fn failures(&self, py: Python<'_>) -> Vec<Py<Outcome>> {
                self.failures.iter().map(|failure| failure.clone_ref(py)).collect()
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

            /// Files that are not in the manifest, with exact=True (at most 1,000).
            #[getter]
            fn unlisted_names<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, pyo3::types::PyString>>> {
                self.unlisted.iter().map(|name| paths::text(py, name)).collect()
            }

            /// The number of entries per algorithm for which a matching digest does not rule out tampering.
            #[getter]
            fn not_tamper_evident(&self) -> BTreeMap<String, u64> {
                self.not_tamper_evident.clone()
            }

            fn __repr__(&self) -> String {
                let Counts { entries, verified, .. } = self.counts;
                let failed = self.failed;
                format!("<truesum.Report {}: {entries} entries, {verified} verified, {failed} failed>", self.verdict)
            }

            fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Saved)> {
                let verdict = self.verdict.to_owned();
                let evident = self.not_tamper_evident.clone();
                let counts = (verdict, self.exit_status, self.counts.saved(), self.failed, evident);
                let saved = (
                    counts,
                    self.failures(py),
                    self.errors(py),
                    self.malformed.clone(),
                    self.unlisted.clone(),
                );
                Ok((restorer(py, "restore_report")?, saved))
            }
        }
    };
}

counts! {
    entries: "The number of entries." = |report| report.entries();
    verified: "The number of entries that were read completely and match." = |report| report.counts().verified();
    mismatched: "The number of entries with a different digest or size." = |report| report.counts().mismatched();
    missing: "The number of entries whose files are missing." = |report| report.counts().missing();
    changed: "The number of entries whose files changed while they were read." = |report| report.counts().changed();
    unreadable: "The number of entries whose files could not be read." = |report| report.counts().unreadable();
    unverified: "The number of entries without a usable digest." = |report| report.counts().unverified();
    malformed: "The number of malformed lines." = |report| report.counts().malformed();
    ignored: "The number of entries skipped with ignore_missing." = |report| report.ignored();
    unlisted: "The number of files that are not in the manifest, with exact." = |report| report.unlisted();
    unread: "The number of manifests that could not be read." = |report| report.unread();
    files: "The number of files read completely." = |report| report.counts().files();
    bytes: "The total size of those files in bytes." = |report| report.counts().bytes();
}
