//! `hash_tree`: the manifest of a folder.

use crate::errors::{self, Failure, refused};
use crate::interrupt::{EventSender, Meter, metered};
use crate::manifest::{Entry, Manifest};
use crate::outcome::{Outcome, Record};
use crate::paths::{self, Name};
use crate::spec::{Specs, named};
use crate::verify::format_named;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::Arc;
use truesum::hash::Spec;
use truesum::manifest::path::display_safe;
use truesum::{Config, Error, Notice, Order, Progress, Selection, Sink, Walk, Wanted, cores, run, walk};

/// One glob, or several.
pub struct Globs(Vec<String>);

impl FromPyObject<'_, '_> for Globs {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Globs> {
        if given.is_instance_of::<PyString>() {
            return Ok(Globs(vec![given.extract()?]));
        }
        let globs = given.try_iter()?.map(|glob| glob?.extract());
        Ok(Globs(globs.collect::<PyResult<_>>()?))
    }
}

enum TreeEvent {
    File(Record),
    Failed(Failure),
}

struct Forward<'a>(&'a EventSender<TreeEvent>);

impl Sink for Forward<'_> {
    fn outcome(&mut self, outcome: truesum::Outcome) -> std::io::Result<()> {
        self.0.send(TreeEvent::File(Record::from(&outcome)))
    }

    fn notice(&mut self, notice: Notice) -> std::io::Result<()> {
        match notice {
            Notice::Failed(error) => self.0.send(TreeEvent::Failed(Failure::from(&error))),
            _ => Ok(()),
        }
    }
}

/// Hashes all files below a folder and returns a Manifest with their names relative to it, sizes and modification times.
///
/// `algorithms` is one name or several, all computed in one read; the default is SHA-256. `include` and `exclude` are
/// globs in the syntax of .gitignore, one or several. Symbolic links, devices, pipes and sockets are skipped, as by
/// `truesum hash`. `callback` is called with the Outcome of each file, in order; `progress` is called with the number of
/// bytes read so far, about every 50 ms and at the end.
///
/// If a file has no digest or a folder cannot be listed, an ExceptionGroup of all errors is raised at the end. If
/// `on_error` is given, it is called with each error instead, and the manifest omits these files.
///
/// >>> import os, tempfile, truesum
/// >>> folder = tempfile.TemporaryDirectory()
/// >>> os.mkdir(os.path.join(folder.name, "sub"))
/// >>> for name in ("b", os.path.join("sub", "a")):
/// ...     with open(os.path.join(folder.name, name), "wb") as file:
/// ...         _ = file.write(b"123456789")
/// >>> manifest = truesum.hash_tree(folder.name, "crc32")
/// >>> manifest.keys(), manifest["sub/a"].digests
/// (['b', 'sub/a'], {'crc32': 'cbf43926'})
/// >>> folder.cleanup()
#[pyfunction]
#[pyo3(signature = (path, algorithms = None, *, include = None, exclude = None, threads = None, callback = None,
    progress = None, on_error = None))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn hash_tree(
    py: Python<'_>,
    path: Name,
    algorithms: Option<Specs>,
    include: Option<Globs>,
    exclude: Option<Globs>,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
    on_error: Option<Py<PyAny>>,
) -> PyResult<Manifest> {
    let specs: Arc<[Spec]> = match algorithms {
        Some(Specs(specs)) => specs.into(),
        None => [named("sha256")?].into(),
    };
    let globs = |globs: Option<Globs>| globs.map_or_else(Vec::new, |Globs(globs)| globs);
    let wanted = Wanted::default().include(globs(include)).exclude(globs(exclude));
    let select = Selection::new(&wanted).map_err(refused)?;
    let root = path.0;
    // Anything but a folder is an error before the walk, which would take a file as one to hash.
    if let Err(error) = std::fs::read_dir(&root) {
        return Err(errors::to_exception(py, &Error::io(paths::bytes(&root), "open", error)));
    }
    let meter = Meter::new(progress);
    let progress = Progress::default();
    let threads = threads.unwrap_or_else(cores);
    let config = Config::default().threads(threads).order(Order::Stable);
    let options = walk::Options::default().select(select).below_root(true);
    let work = |sender: &EventSender<TreeEvent>| {
        let walk = Walk::new([root.clone()], options, threads).until(progress.stop_flag());
        let mut tasks = walk.map(|item| item.task(&specs));
        // It fails only if the receiver is gone.
        let _ = run(&config, &mut tasks, &progress, &mut Forward(sender));
    };
    let (mut entries, mut errors) = (Vec::new(), Vec::new());
    let mut failed = |failure: &Failure| -> PyResult<()> {
        let error = failure.to_exception(py).into_value(py);
        match &on_error {
            Some(on_error) => on_error.call1(py, (error,)).map(|_| ()),
            None => {
                errors.push(error);
                Ok(())
            }
        }
    };
    metered(py, &progress, meter, work, |py, event| {
        let record = match event {
            TreeEvent::Failed(failure) => return failed(&failure),
            TreeEvent::File(record) => record,
        };
        if let Some(failure) = record.failure() {
            failed(failure)?;
        }
        let name = walk::relative(record.name(), paths::bytes(&root)).to_vec();
        let record = record.renamed(name);
        if let Some(entry) = record.entry() {
            entries.push(Py::new(py, Entry(entry))?);
        }
        if let Some(callback) = &callback {
            callback.call1(py, (Outcome::new(record, None),))?;
        }
        Ok(())
    })?;
    if !errors.is_empty() {
        let what = if errors.len() == 1 { "file or folder" } else { "files or folders" };
        let name = display_safe(paths::bytes(&root));
        let message = format!("{name}: {} {what} could not be read", errors.len());
        let group = py.import("builtins")?.getattr("ExceptionGroup")?.call1((message, errors))?;
        return Err(PyErr::from_value(group));
    }
    Ok(Manifest::with(format_named("jsonl")?, entries))
}
