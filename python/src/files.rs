//! File digests: `file_digest` for one file, `hash_files` for many.

use crate::bytes::Data;
use crate::errors::{self, refused};
use crate::hash::{Hash, SpecRef};
use crate::interrupt::{Meter, SIGNAL_INTERVAL, metered};
use crate::outcome::{Outcome, Record};
use crate::paths::Name;
use crate::spec::{Specs, named, with_parameters};
use pyo3::exceptions::{PyBlockingIOError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyInt, PyIterator, PyString};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use truesum::hash::Spec;
use truesum::manifest::Place;
use truesum::{Config, Hashing, Job, Notice, Order, Progress, Sink, Task, cores, run};

/// Returns the digest of a file as a Hash. `fileobj` is a file name, a file descriptor, or an object open for binary
/// reading. `digest` is the name of an algorithm, or a function that returns a hash object, like truesum.sha256 or
/// hashlib.sha256.
///
/// A file given by name is read as by hash_files(): on all cores if the algorithm allows it. There is a digest only if
/// the file was read to its end and did not change during the read; the object cannot be updated further. An open file
/// is read from its current position. `progress` is called with the number of bytes read so far, about every 50 ms and
/// at the end.
///
/// A name with a scheme ("s3://bucket/key") is a URL, which is read with fsspec if that is installed;
/// `storage_options` are the options of its file system.
///
/// >>> import io, truesum
/// >>> truesum.file_digest(io.BytesIO(b"abc"), "md5").hexdigest()
/// '900150983cd24fb0d6963f7d28e17f72'
/// >>> truesum.file_digest("/nonexistent", "md5")
/// Traceback (most recent call last):
///     ...
/// FileNotFoundError: [Errno 2] No such file or directory: '/nonexistent'
#[pyfunction]
#[pyo3(signature = (fileobj, digest, *, progress = None, storage_options = None, **parameters))]
pub fn file_digest(
    py: Python<'_>,
    fileobj: &Bound<'_, PyAny>,
    digest: &Bound<'_, PyAny>,
    progress: Option<Py<PyAny>>,
    storage_options: Option<&Bound<'_, PyDict>>,
    parameters: Option<&Bound<'_, PyDict>>,
) -> PyResult<Hash> {
    let spec = with_parameters(selected(digest)?, parameters)?;
    let mut meter = Meter::new(progress);
    let remote = is_remote(fileobj)?;
    if storage_options.is_some() && !remote {
        return Err(refused("storage_options are only for URLs"));
    }
    let file = &match remote {
        true => py.import("truesum.urls")?.call_method1("open_url", (fileobj, storage_options))?,
        false => fileobj.clone(),
    };
    let is_open = file.hasattr("readinto")?;
    if file.is_instance_of::<PyString>()
        || file.is_instance_of::<PyBytes>()
        || !is_open && file.hasattr("__fspath__")?
    {
        let Name(path) = file.extract()?;
        return named_file(py, path, spec, meter);
    }
    if remote {
        let hash = open_file(py, file, spec, meter);
        file.call_method0("close")?;
        return hash;
    }
    if file.is_exact_instance_of::<PyInt>() {
        let keywords = PyDict::new(py);
        keywords.set_item("closefd", false)?;
        let opened = py.import("io")?.getattr("FileIO")?.call((file,), Some(&keywords))?;
        return open_file(py, &opened, spec, meter);
    }
    if file.hasattr("getbuffer")? {
        let start = file.call_method0("tell")?.extract::<usize>()?;
        let whole = file.call_method0("getbuffer")?;
        let rest = whole.get_item(pyo3::types::PySlice::new(py, isize::try_from(start)?, isize::MAX, 1))?;
        let data: Data<'_> = rest.extract()?;
        let bytes = data.len() as u64;
        let hash = Hash::begin(py, SpecRef::Owned(Box::new(spec)), Some(data))?;
        meter.finish(py, bytes)?;
        return Ok(hash);
    }
    if !is_open || !file.call_method0("readable")?.is_truthy()? {
        let what = file.repr()?;
        return Err(refused(format!("{what} is neither a file name nor a file open for binary reading")));
    }
    open_file(py, file, spec, meter)
}

/// Returns whether a file is given by a URL, or by an object of fsspec that is not open yet.
fn is_remote(file: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Ok(text) = file.cast::<PyString>() {
        let Some((schemes, _)) = text.to_str().ok().and_then(|text| text.split_once("://")) else {
            return Ok(false);
        };
        // As in `simplecache::s3://bucket/key`.
        return Ok(schemes.split("::").all(|scheme| {
            let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
            scheme.starts_with(|first: char| first.is_ascii_alphabetic()) && scheme.bytes().all(is_letter)
        }));
    }
    Ok(!file.hasattr("readinto")?
        && !file.hasattr("__fspath__")?
        && file.hasattr("fs")?
        && file.hasattr("path")?
        && file.hasattr("open")?)
}

/// Returns the algorithm with this name, or that of the objects which this function returns. An object of hashlib must
/// have the digest of the empty message, so that a key, a salt or a first part of the message is not ignored.
fn selected(digest: &Bound<'_, PyAny>) -> PyResult<Spec> {
    if let Ok(name) = digest.cast::<PyString>() {
        return named(name.to_str()?);
    }
    let differs = || -> PyResult<PyErr> {
        let what = digest.repr()?;
        Ok(refused(format!(
            "{what} returns a hash object that has a key, already contains data, or computes a different digest than its \
             name implies; pass the name and the parameters of the algorithm instead"
        )))
    };
    let made = digest.call0()?;
    if let Ok(hash) = made.cast::<Hash>() {
        let hash = hash.get();
        return if hash.is_empty(digest.py())? { Ok(hash.spec().clone()) } else { Err(differs()?) };
    }
    let (Ok(name), Ok(size)) = (made.getattr("name"), made.getattr("digest_size")) else {
        return Err(PyTypeError::new_err(format!("{} returns no hash object", digest.repr()?)));
    };
    let (spec, size) = (named(&name.extract::<String>()?)?, size.extract::<usize>()?);
    let usual = size == 0 || size == spec.digest_len();
    let spec = if usual {
        spec
    } else {
        spec.with_bits(size.saturating_mul(8)).map_err(|why| errors::of_spec(&why))?
    };
    // Objects without a fixed digest size require the length.
    let found = match size {
        0 => made.call_method1("digest", (spec.digest_len(),))?,
        _ => made.call_method0("digest")?,
    };
    if spec.lacks_key() || found.extract::<Vec<u8>>()? != spec.digest(b"").as_bytes() {
        return Err(differs()?);
    }
    Ok(spec)
}

fn named_file(py: Python<'_>, path: PathBuf, spec: Spec, meter: Meter) -> PyResult<Hash> {
    let (config, progress) = (Config::default(), Progress::default());
    let specs = [spec.clone()];
    let hashing = Hashing::new(&config, &progress);
    let found = metered::<_, ()>(py, &progress, meter, |_| hashing.file(&path, &specs), |_, ()| Ok(()))?;
    let found = found.map_err(|error| errors::to_exception(py, &error))?;
    let digest =
        found.into_digests().pop().ok_or_else(|| PyRuntimeError::new_err("the digest is missing"))?;
    Ok(Hash::of_file(spec, digest))
}

/// Reads as hashlib does: calls `readinto` until it returns 0.
fn open_file(py: Python<'_>, file: &Bound<'_, PyAny>, spec: Spec, mut meter: Meter) -> PyResult<Hash> {
    const BUFFER: usize = 256 << 10;
    let hash = Hash::begin(py, SpecRef::Owned(Box::new(spec)), None)?;
    let buffer = PyByteArray::new_with(py, BUFFER, |_| Ok(()))?;
    let view = pyo3::types::PyMemoryView::from(&buffer)?;
    let mut bytes = 0;
    loop {
        let read = file.call_method1("readinto", (&view,))?;
        if read.is_none() {
            return Err(PyBlockingIOError::new_err("I/O operation would block."));
        }
        let read = read.extract::<usize>()?;
        if read == 0 {
            meter.finish(py, bytes)?;
            return Ok(hash);
        }
        if read > BUFFER {
            return Err(PyValueError::new_err(format!(
                "readinto returned {read} for a buffer of {BUFFER} bytes"
            )));
        }
        let part = view.get_item(pyo3::types::PySlice::new(py, 0, isize::try_from(read)?, 1))?;
        hash.add(py, &part.extract::<Data<'_>>()?)?;
        bytes += read as u64;
        meter.show(py, bytes)?;
    }
}

/// A message from the hashing thread.
enum RunEvent {
    /// The run can accept this many more names.
    NeedsNames,
    /// The outcome of the file with this number.
    Outcome(Box<truesum::Outcome>),
}

/// A file to hash and its number, or `None` at the end.
type Given = Option<(usize, PathBuf)>;

/// The number of names taken from Python at a time.
const BATCH: usize = 64;
/// The number of finished outcomes that are buffered for the consumer.
const MAX_QUEUED: usize = 4096;

/// Turns names from Python into tasks. Names are requested only when the run needs them.
struct Tasks {
    sender: SyncSender<RunEvent>,
    names: Receiver<Given>,
    /// The number of requested names that have not arrived yet.
    due: usize,
    specs: Arc<[Spec]>,
}

impl Iterator for Tasks {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        if self.due == 0 {
            self.sender.send(RunEvent::NeedsNames).ok()?;
            self.due = BATCH;
        }
        let (number, path) = self.names.recv().ok()??;
        self.due -= 1;
        let job = Job::hash(path, &self.specs);
        Some(Task::File(job.with_origin((number, Place::Line(0)))))
    }
}

/// Sends outcomes to the iterator.
struct EventSink(SyncSender<RunEvent>);

impl Sink for EventSink {
    fn outcome(&mut self, outcome: truesum::Outcome) -> std::io::Result<()> {
        self.0
            .send(RunEvent::Outcome(Box::new(outcome)))
            .map_err(|_| std::io::Error::other("the receiver is gone"))
    }

    fn notice(&mut self, _: Notice) -> std::io::Result<()> {
        Ok(())
    }
}

/// The iterator over the outcomes of hash_files().
///
/// close(), or leaving a `with` block, ends the work early.
#[pyclass(frozen, module = "truesum")]
pub struct Outcomes {
    stage: Mutex<Stage>,
    progress: Arc<Progress>,
}

/// The stage of the iteration.
enum Stage {
    Running(Box<Running>),
    /// Another thread is waiting for the next outcome.
    Busy,
    Ended,
}

struct Running {
    paths: Option<Py<PyIterator>>,
    names: Option<Sender<Given>>,
    events: Receiver<RunEvent>,
    thread: Option<JoinHandle<()>>,
    /// The objects that name the files in progress.
    given_paths: HashMap<usize, Py<PyAny>>,
    next: usize,
    meter: Meter,
}

/// Hashes files on all cores, several at a time in SIMD lanes, and returns an iterator of Outcome.
///
/// Failures are not raised: the outcome of a file that is missing, unreadable or changed during the read has `error`
/// set and no digest. Outcomes are in the order of `paths`, or with ordered=False in the order of completion. `paths`
/// is any iterable of str, bytes and os.PathLike; it is consumed as needed, so memory does not grow with the number of
/// files. `algorithms` is one name or several, all computed in one read. `threads` defaults to one per core. While the
/// iterator waits, `progress` is called with the number of bytes read so far, about every 50 ms and at the end.
///
/// >>> import os, tempfile, truesum
/// >>> folder = tempfile.TemporaryDirectory()
/// >>> path = os.path.join(folder.name, "a")
/// >>> with open(path, "wb") as file:
/// ...     _ = file.write(b"123456789")
/// >>> for outcome in truesum.hash_files([path, path + "?"], ["crc32", "md5"]):
/// ...     print(outcome.verdict, outcome.digests)
/// hashed {'crc32': 'cbf43926', 'md5': '25f9e794323b453885f5181f1b624d0b'}
/// missing {}
/// >>> folder.cleanup()
#[pyfunction]
#[pyo3(signature = (paths, /, algorithms = None, *, threads = None, ordered = true, progress = None))]
pub fn hash_files(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    algorithms: Option<Specs>,
    threads: Option<usize>,
    ordered: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Outcomes> {
    let meter = Meter::new(progress);
    if paths.is_instance_of::<PyString>() || paths.is_instance_of::<PyBytes>() {
        return Err(refused("hash_files takes an iterable of names; use file_digest for a single file"));
    }
    let specs: Arc<[Spec]> = match algorithms {
        Some(Specs(specs)) => specs.into(),
        None => [named("sha256")?].into(),
    };
    let paths = paths.try_iter()?.unbind();
    let (sender, events) = sync_channel(MAX_QUEUED);
    let (names, given) = channel();
    let progress = Arc::new(Progress::default());
    let order = if ordered { Order::Stable } else { Order::AsReady };
    let config = Config::default().threads(threads.unwrap_or_else(cores)).order(order);
    let work = {
        let progress = progress.clone();
        move || {
            let mut tasks = Tasks { sender: sender.clone(), names: given, due: 0, specs };
            // It fails only if the receiver is gone.
            let _ = run(&config, &mut tasks, &progress, &mut EventSink(sender));
        }
    };
    let builder = truesum::thread("python").unwrap_or_else(std::thread::Builder::new);
    let thread = py.detach(|| builder.spawn(work));
    let thread =
        thread.map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))?;
    let running = Running {
        paths: Some(paths),
        names: Some(names),
        events,
        thread: Some(thread),
        given_paths: HashMap::new(),
        next: 0,
        meter,
    };
    Ok(Outcomes { stage: Mutex::new(Stage::Running(Box::new(running))), progress })
}

impl Running {
    /// Sends the next names, or the end of the input.
    fn send_names(&mut self, py: Python<'_>) -> PyResult<()> {
        for _ in 0..BATCH {
            let next = match &self.paths {
                Some(paths) => paths.bind(py).clone().next(),
                None => None,
            };
            let Some(path) = next.transpose()? else {
                (self.paths, self.names) = (None, None);
                return Ok(());
            };
            let Name(name) = path.extract()?;
            self.given_paths.insert(self.next, path.unbind());
            if let Some(names) = &self.names {
                let _ = names.send(Some((self.next, name)));
            }
            self.next += 1;
        }
        Ok(())
    }

    fn next(&mut self, py: Python<'_>, progress: &Progress) -> PyResult<Option<Outcome>> {
        loop {
            self.meter.show(py, progress.bytes())?;
            let events = match self.events.try_recv() {
                Ok(events) => Ok(events),
                Err(_) => {
                    let events = &mut self.events;
                    let events = Mutex::new(events);
                    py.detach(|| {
                        events.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNAL_INTERVAL)
                    })
                }
            };
            match events {
                Ok(RunEvent::NeedsNames) => self.send_names(py)?,
                Ok(RunEvent::Outcome(outcome)) => {
                    let path = self.given_paths.remove(&outcome.job.origin().0);
                    return Ok(Some(Outcome::new(Record::from(&*outcome), path)));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let ended = self.thread.take().map(|thread| py.detach(|| thread.join()));
                    if matches!(ended, Some(Err(_))) {
                        return Err(PyRuntimeError::new_err("internal error: a thread of truesum panicked"));
                    }
                    // Every name must get an outcome; anything else is a bug that must not go unnoticed.
                    if !self.given_paths.is_empty() {
                        let missing = self.given_paths.len();
                        return Err(PyRuntimeError::new_err(format!(
                            "internal error: {missing} files have no outcome"
                        )));
                    }
                    self.meter.finish(py, progress.bytes())?;
                    return Ok(None);
                }
            }
            py.check_signals()?;
        }
    }

    /// Stops the work and waits for it to end.
    fn end(mut self, py: Python<'_>, progress: &Progress) {
        progress.stop();
        let Running { names, events, thread, .. } = &mut self;
        *names = None;
        let (_, unheard) = sync_channel(0);
        drop(std::mem::replace(events, unheard));
        if let Some(thread) = thread.take() {
            let _ = py.detach(|| thread.join());
        }
    }
}

impl Outcomes {
    /// Replaces the stage and returns the previous one. The lock is not held any longer, because Python code runs in
    /// between.
    fn become_stage(&self, stage: Stage) -> Stage {
        std::mem::replace(&mut self.stage.lock().unwrap_or_else(PoisonError::into_inner), stage)
    }
}

#[pymethods]
impl Outcomes {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Outcome>> {
        let mut running = match self.become_stage(Stage::Busy) {
            Stage::Running(running) => running,
            Stage::Busy => {
                return Err(PyValueError::new_err("another thread is waiting for the next outcome"));
            }
            Stage::Ended => {
                self.become_stage(Stage::Ended);
                return Ok(None);
            }
        };
        match running.next(py, &self.progress) {
            Ok(Some(outcome)) => {
                self.become_stage(Stage::Running(running));
                Ok(Some(outcome))
            }
            Ok(None) => {
                self.become_stage(Stage::Ended);
                Ok(None)
            }
            Err(error) => {
                self.become_stage(Stage::Ended);
                running.end(py, &self.progress);
                Err(error)
            }
        }
    }

    /// Ends the work early. Outcomes that were not consumed are discarded.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        match self.become_stage(Stage::Ended) {
            Stage::Running(running) => running.end(py, &self.progress),
            Stage::Ended => {}
            Stage::Busy => {
                self.become_stage(Stage::Busy);
                return Err(PyValueError::new_err("another thread is waiting for the next outcome"));
            }
        }
        Ok(())
    }

    /// Bytes hashed so far.
    #[getter]
    fn bytes_done(&self) -> u64 {
        self.progress.bytes()
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_raised))]
    fn __exit__(&self, py: Python<'_>, _raised: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        self.close(py)
    }
}

impl Drop for Outcomes {
    fn drop(&mut self) {
        if let Stage::Running(running) = self.become_stage(Stage::Ended) {
            self.progress.stop();
            // If the interpreter is shutting down, its threads end with the process.
            Python::try_attach(|py| running.end(py, &self.progress));
        }
    }
}
