//! `Manifest` and `Entry`: manifests of all formats as Python objects.

use crate::bytes::Data;
use crate::errors::{self, ManifestError, refused};
use crate::interrupt::interruptible;
use crate::outcome::by_name;
use crate::paths::{self, Name};
use crate::pickling::{restored_pairs, restorer, saved_pairs};
use crate::spec::{Specs, named};
use crate::verify::format_named;
use pyo3::exceptions::{PyKeyError, PyOSError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyMapping, PyString};
use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;
use truesum::hash::{Digest, Spec};
use truesum::manifest::convert::{ConvertError, Converted, Loss, convert};
use truesum::manifest::{
    Format, Heading, Options, ReadError, Reader, Spelling, Time, WriteError, Writer, Writing, for_file,
    implies_algorithm,
};
use truesum::{AtomicFile, Error, Input, Progress, manifest};

/// A manifest entry: the name of a file with its digests and, if known, size and modification time.
///
/// >>> import truesum
/// >>> entry = truesum.Entry("a", {"crc32": "cbf43926"}, size=9)
/// >>> entry.name, entry.size, entry.digests
/// ('a', 9, {'crc32': 'cbf43926'})
#[pyclass(frozen, eq, module = "truesum")]
#[derive(PartialEq)]
pub struct Entry(pub manifest::Entry);

#[pymethods]
impl Entry {
    #[new]
    #[pyo3(signature = (path, digests, *, size = None, mtime_ns = None))]
    fn new(
        path: Name,
        digests: &Bound<'_, PyMapping>,
        size: Option<u64>,
        mtime_ns: Option<i128>,
    ) -> PyResult<Entry> {
        let mut found = Vec::new();
        for pair in digests.items()? {
            let (name, digest) = pair.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
            let spec = named(name.cast::<PyString>()?.to_str()?)?;
            found.push((spec.clone(), digest_given(&spec, &digest)?));
        }
        let mtime = mtime_ns.map(time_of).transpose()?;
        let path = path.0.as_os_str().as_bytes().to_vec();
        Ok(Entry(manifest::Entry { path, size, mtime, digests: found, ..manifest::Entry::default() }))
    }

    /// The file name. Bytes that are not UTF-8 are escaped as by os.fsdecode().
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        paths::text(py, &self.0.path)
    }

    /// The file name as bytes.
    #[getter]
    fn name_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.path)
    }

    /// The file size in bytes, or None if it is not recorded.
    #[getter]
    fn size(&self) -> Option<u64> {
        self.0.size
    }

    /// The modification time in nanoseconds since 1970, or None if it is not recorded.
    #[getter]
    fn mtime_ns(&self) -> Option<i128> {
        self.0.mtime.map(|time| i128::from(time.seconds) * NANOS + i128::from(time.nanos))
    }

    /// The digests in hexadecimal, keyed by algorithm name.
    #[getter]
    fn digests<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        by_name(py, self.0.digests.iter().map(|(spec, digest)| (spec, digest)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names: Vec<String> = self.0.digests.iter().map(|(spec, _)| spec.to_string()).collect();
        Ok(format!("<truesum.Entry {} {}>", paths::text(py, &self.0.path)?.repr()?, names.join(",")))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (SavedEntry,))> {
        Ok((restorer(py, "restore_entry")?, (saved_entry(&self.0)?,)))
    }
}

/// The values of an entry in a pickle: name, size, modification time, digests, names of other digests and attributes, and
/// the entry as a line of JSON if it has piece digests.
type SavedEntry = (
    Vec<u8>,
    Option<u64>,
    Option<(i64, u32)>,
    Vec<(String, String)>,
    Vec<String>,
    Vec<String>,
    Option<Vec<u8>>,
);

fn saved_entry(entry: &manifest::Entry) -> PyResult<SavedEntry> {
    let pieces = match entry.pieces.is_empty() {
        true => None,
        false => {
            let mut line = Writer::new(Vec::new(), format_named("jsonl")?, &Heading::default());
            line.write(entry).map_err(|why| write_error(&entry.path, &why))?;
            Some(line.finish().map_err(|why| write_error(&entry.path, &why))?)
        }
    };
    let time = entry.mtime.map(|time| (time.seconds, time.nanos));
    let digests = saved_pairs(&entry.digests);
    let saved = (
        entry.path.clone(),
        entry.size,
        time,
        digests,
        entry.unread.clone(),
        entry.attributes.clone(),
        pieces,
    );
    let restored = restored_entry(saved.clone())?;
    if (saved.6.is_some() || !entry.alternatives.is_empty()) && restored != *entry {
        let name = manifest::path::display_safe(&entry.path);
        let digests = if entry.alternatives.is_empty() { "piece" } else { "alternative" };
        return Err(PyTypeError::new_err(format!("cannot pickle the {digests} digests of {name}")));
    }
    Ok(saved)
}

fn restored_entry(saved: SavedEntry) -> PyResult<manifest::Entry> {
    let (path, size, time, digests, unread, attributes, line) = saved;
    let mtime = time.map(|(seconds, nanos)| Time { seconds, nanos });
    let pieces = match line {
        None => Vec::new(),
        Some(line) => {
            let options = Options::default().accept_all().format(Some(format_named("jsonl")?));
            let read = parsed(&line[..], options, false).map_err(refused)?;
            read.entries.into_iter().next().map_or_else(Vec::new, |entry| entry.pieces)
        }
    };
    let digests = restored_pairs(&digests)?;
    Ok(manifest::Entry { path, size, mtime, digests, unread, attributes, pieces, ..Default::default() })
}

/// Rebuilds a pickled Entry.
#[pyfunction]
pub fn restore_entry(saved: SavedEntry) -> PyResult<Entry> {
    restored_entry(saved).map(Entry)
}

/// Rebuilds a pickled Manifest.
#[pyfunction]
pub fn restore_manifest(
    format: &str,
    entries: Vec<Py<Entry>>,
    malformed: Vec<String>,
    signed: bool,
) -> PyResult<Manifest> {
    Ok(Manifest { malformed, signed, ..Manifest::with(format_named(format)?, entries) })
}

const NANOS: i128 = 1_000_000_000;

fn time_of(ns: i128) -> PyResult<Time> {
    let seconds =
        i64::try_from(ns.div_euclid(NANOS)).map_err(|_| refused("the modification time is out of range"))?;
    Ok(Time { seconds, nanos: ns.rem_euclid(NANOS) as u32 })
}

/// Parses a digest given as hexadecimal text or bytes and checks its length.
fn digest_given(spec: &Spec, given: &Bound<'_, PyAny>) -> PyResult<Digest> {
    let digest = match given.cast::<PyString>() {
        Ok(text) => Digest::from_hex(text.to_str()?.as_bytes()).map_err(refused)?,
        Err(_) => match given.cast::<PyBytes>() {
            Ok(bytes) => Digest::new(bytes.as_bytes()),
            Err(_) => return Err(PyTypeError::new_err("a digest must be bytes, or str in hexadecimal")),
        },
    };
    if digest.len() != spec.digest_len() {
        return Err(refused(format!(
            "a digest of {spec} has {} bytes, not {}",
            spec.digest_len(),
            digest.len()
        )));
    }
    Ok(digest)
}

/// A manifest in memory: its entries and its format.
///
/// >>> import truesum
/// >>> manifest = truesum.Manifest.parse(b"CRC32 (a b) = cbf43926\n")
/// >>> manifest.format, [entry.name for entry in manifest]
/// ('bsd', ['a b'])
/// >>> manifest.to_bytes("sfv")
/// b'; Generated by truesum\n;\na b CBF43926\n'
#[pyclass(frozen, module = "truesum")]
pub struct Manifest {
    format: &'static Format,
    entries: Vec<Py<Entry>>,
    malformed: Vec<String>,
    signed: bool,
    /// The position of the first entry with each name, and whether there are others.
    index: OnceLock<HashMap<Vec<u8>, (usize, bool)>>,
}

/// Returns the options for reading, including what the file name implies.
fn read_options(name: Option<&[u8]>, algorithms: Option<Specs>, format: Option<&str>) -> PyResult<Options> {
    let options = name.map_or_else(Options::default, Options::for_name).accept_all();
    let format = format.map(format_named).transpose()?;
    let requested = algorithms.map_or_else(Vec::new, |Specs(specs)| specs);
    Ok(options.requested(requested).format(format))
}

/// Returns the exception for a read error that does not belong to a single line.
fn read_error(py: Python<'_>, name: &[u8], error: std::io::Error) -> PyErr {
    match error.kind() {
        std::io::ErrorKind::InvalidData => ManifestError::new_err(error.to_string()),
        _ if name.is_empty() => PyOSError::new_err(error.to_string()),
        _ => errors::to_exception(py, &Error::io(name, "read", error)),
    }
}

/// The contents of a manifest.
struct Parsed {
    entries: Vec<manifest::Entry>,
    malformed: Vec<String>,
    format: Option<&'static Format>,
    signed: bool,
}

/// Reads a manifest to its end or, unless `lenient`, to its first malformed line.
fn parsed(input: impl Read, options: Options, lenient: bool) -> Result<Parsed, std::io::Error> {
    let usual = options.specified_format();
    let mut reader = Reader::new(input, options);
    let (mut entries, mut malformed) = (Vec::new(), Vec::new());
    for found in reader.by_ref() {
        match found {
            Ok(line) => entries.push(line.entry),
            Err(ReadError::Io(error)) => return Err(error),
            Err(ReadError::Line(error)) => {
                malformed.push(error.to_string());
                if !lenient {
                    break;
                }
            }
        }
    }
    Ok(Parsed { entries, malformed, format: reader.format().or(usual), signed: reader.signer().is_some() })
}

impl Manifest {
    /// Returns the manifest with these entries.
    pub fn with(format: &'static Format, entries: Vec<Py<Entry>>) -> Manifest {
        Manifest { format, entries, malformed: Vec::new(), signed: false, index: OnceLock::new() }
    }

    /// Returns the entry with this name, or `None`.
    ///
    /// # Errors
    /// Fails if there is more than one.
    fn find(&self, name: &[u8]) -> PyResult<Option<&Py<Entry>>> {
        let index = self.index.get_or_init(|| {
            let mut index = HashMap::with_capacity(self.entries.len());
            for (at, entry) in self.entries.iter().enumerate() {
                let found = index.entry(entry.get().0.path.clone());
                found.and_modify(|(_, again)| *again = true).or_insert((at, false));
            }
            index
        });
        match index.get(name) {
            Some((_, true)) => Err(refused(format!(
                "several entries are named {}; iterate over the manifest to get all of them",
                manifest::path::display_safe(name)
            ))),
            Some((at, false)) => Ok(self.entries.get(*at)),
            None => Ok(None),
        }
    }

    fn read_from<R: Read>(
        py: Python<'_>,
        open: impl FnOnce(&Progress) -> std::io::Result<R> + Send,
        name: Option<&[u8]>,
        options: Options,
        lenient: bool,
    ) -> PyResult<Manifest> {
        let progress = Progress::default();
        let options = options.stop(Some(progress.stop_flag()));
        let work = |_: &_| parsed(open(&progress)?, options, lenient);
        let read = interruptible::<_, ()>(py, &progress, work, |_, ()| Ok(()))?;
        let parsed = read.map_err(|error| read_error(py, name.unwrap_or_default(), error))?;
        if let (false, Some(first)) = (lenient, parsed.malformed.first()) {
            let shown = name.map_or_else(|| "manifest".to_owned(), manifest::path::display_safe);
            return Err(ManifestError::new_err(format!("{shown}: {first}")));
        }
        let entries = parsed.entries.into_iter().map(|entry| Py::new(py, Entry(entry)));
        let format = parsed.format.map_or_else(|| format_named("gnu"), Ok)?;
        let made = Manifest::with(format, entries.collect::<PyResult<_>>()?);
        Ok(Manifest { malformed: parsed.malformed, signed: parsed.signed, ..made })
    }

    /// Returns the manifest in this format. The result is parsed again before it is returned.
    fn text(
        &self,
        py: Python<'_>,
        format: &'static Format,
        name: Option<&[u8]>,
        lossy: bool,
    ) -> PyResult<Vec<u8>> {
        if matches!(format.writing(), Writing::No) {
            return Err(ManifestError::new_err(format!("{}: this format can only be read", format.name())));
        }
        // JSON lines can store everything except digests in an encoding that cannot be compared.
        let everything = format_named("jsonl")?;
        let mut lines = Writer::new(Vec::new(), everything, &Heading::default());
        let mut lost = Lost::default();
        for entry in &self.entries {
            let entry = &entry.get().0;
            entry.unread.iter().for_each(|name| lost.add(unknown_digest_message(name)));
            lines.write(entry).map_err(|why| write_error(&entry.path, &why))?;
        }
        let lines = lines.finish().map_err(|why| write_error(b"", &why))?;
        if self.signed {
            lost.add("the signature, which does not match the new text".to_owned());
        }
        let mut reader = Reader::new(&lines[..], Options::default().accept_all().format(Some(everything)));
        let writer = Writer::new(Vec::new(), format, &Heading::default());
        let done = convert(&mut reader, writer, format, &mut |_| true, &mut |what| lost.add(words(&what)));
        let (text, converted) = done.map_err(|error| match error {
            ConvertError::Read(error) | ConvertError::Write(error) => PyOSError::new_err(error.to_string()),
            ConvertError::Whole(why) => {
                ManifestError::new_err(format!("cannot be written as {}: {why}", format.name()))
            }
        })?;
        let ambiguous = ambiguous(format, &converted, name);
        ambiguous.iter().for_each(|spec| lost.add(format!("the name of the algorithm ({spec})")));
        if !lost.times.is_empty() && !lossy {
            let text =
                format!("the {} format cannot store {lost}; use lossy=True to write the rest", format.name());
            return Err(ManifestError::new_err(text));
        }
        let requested = if ambiguous.is_empty() { Vec::new() } else { converted.specs().to_vec() };
        let options = name.map_or_else(Options::default, Options::for_name).accept_all();
        let known_format = if name.is_none() { Some(format) } else { None };
        let back = Reader::new(&text[..], options.requested(requested).format(known_format));
        match converted.reads_back(back) {
            Ok(true) => Ok(text),
            Ok(false) => Err(ManifestError::new_err(format!(
                "the manifest cannot be read back unchanged when written as {}{}",
                format.name(),
                name.map_or_else(String::new, |name| format!(" in {}", manifest::path::display_safe(name)))
            ))),
            Err(error) => Err(read_error(py, b"", error)),
        }
    }

    /// Returns the named format or, without a name, the format of this manifest.
    fn format_or_own(&self, format: Option<&str>) -> PyResult<&'static Format> {
        format.map_or(Ok(self.format), format_named)
    }
}

fn write_error(name: &[u8], why: &WriteError) -> PyErr {
    ManifestError::new_err(format!("{}: cannot be written: {why}", manifest::path::display_safe(name)))
}

/// What a format cannot store, each with the number of times that it occurs.
#[derive(Default)]
struct Lost {
    kinds: Vec<String>,
    times: HashMap<String, u64>,
}

impl Lost {
    fn add(&mut self, kind: String) {
        let times = self.times.entry(kind).or_insert_with_key(|kind| {
            self.kinds.push(kind.clone());
            0
        });
        *times += 1;
    }
}

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const SHOWN: usize = 5;
        for (at, kind) in self.kinds.iter().take(SHOWN).enumerate() {
            f.write_str(if at == 0 { "" } else { ", " })?;
            match self.times[kind] {
                1 => f.write_str(kind)?,
                times => write!(f, "{kind} ({times} entries)")?,
            }
        }
        match self.kinds.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Returns the message for a digest of an unknown algorithm.
fn unknown_digest_message(name: &str) -> String {
    format!("the {} digest", manifest::path::display_safe(name.as_bytes()))
}

/// Describes what the format cannot store.
fn words(lost: &Loss<'_>) -> String {
    match lost {
        Loss::Malformed(error) => error.to_string(),
        Loss::Entry(entry, why) => format!("{} ({why})", manifest::path::display_safe(&entry.path)),
        Loss::Digest(_, spec) => format!("the {spec} digest"),
        Loss::Unread(name) => unknown_digest_message(name),
        Loss::Size(_) => "the size".to_owned(),
        Loss::Time(_) => "the modification time".to_owned(),
        Loss::Pieces(_) => "the piece digests".to_owned(),
        Loss::Attribute(name) => format!("the attribute {}", manifest::path::display_safe(name.as_bytes())),
        Loss::Objects(objects) => objects.to_string(),
        Loss::Signature => "the signature, which does not match the new text".to_owned(),
    }
}

/// Returns the algorithms that cannot be derived from the format, the manifest's name or the digest length.
fn ambiguous(format: &'static Format, converted: &Converted, name: Option<&[u8]>) -> Vec<Spec> {
    if !format.leaves_algorithm_open() {
        return Vec::new();
    }
    let options = |spec: &&Spec| match name {
        Some(name) => for_file(format, std::slice::from_ref(*spec), Spelling::Hex, name) == format,
        None => implies_algorithm(spec, None),
    };
    converted.specs().iter().filter(|spec| !options(spec)).cloned().collect()
}

/// The arguments of [`restore_manifest`].
type Saved = (&'static str, Vec<Py<Entry>>, Vec<String>, bool);

impl Manifest {
    /// Returns the columns of [`Manifest::to_dicts`], each made by `column` from its name and values.
    fn columns<'py>(
        &self,
        py: Python<'py>,
        column: impl Fn(&str, Bound<'py, PyList>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (rows, columns) = (self.to_dicts(py)?, PyDict::new(py));
        let names = match rows.first() {
            Some(row) => row.keys().iter().map(|name| name.extract()).collect::<PyResult<Vec<String>>>()?,
            None => ["name", "size", "mtime_ns"].map(str::to_owned).to_vec(),
        };
        for name in names {
            let values = rows.iter().map(|row| row.get_item(&name)).collect::<PyResult<Vec<_>>>()?;
            columns.set_item(&name, column(&name, PyList::new(py, values)?)?)?;
        }
        Ok(columns)
    }
}

#[pymethods]
impl Manifest {
    #[new]
    #[pyo3(signature = (entries = Vec::new(), format = "jsonl"))]
    fn new(entries: Vec<Py<Entry>>, format: &str) -> PyResult<Manifest> {
        Ok(Manifest::with(format_named(format)?, entries))
    }

    /// Reads a manifest from a file. The format is detected unless `format` is given. With `algorithms`, lines with any
    /// other algorithm are malformed.
    ///
    /// Raises ManifestError at the first malformed line. With lenient=True, such lines are collected in
    /// `malformed_lines`.
    #[staticmethod]
    #[pyo3(signature = (path, /, *, algorithms = None, format = None, lenient = false))]
    fn read(
        py: Python<'_>,
        path: Name,
        algorithms: Option<Specs>,
        format: Option<&str>,
        lenient: bool,
    ) -> PyResult<Manifest> {
        let name = path.0.as_os_str().as_bytes();
        let options = read_options(Some(name), algorithms, format)?;
        Manifest::read_from(
            py,
            |progress| Input::open(&path.0, progress.stop_signal()),
            Some(name),
            options,
            lenient,
        )
    }

    /// Parses a manifest from bytes. `name` is its file name, which may imply the algorithm.
    #[staticmethod]
    #[pyo3(signature = (data, /, *, name = None, algorithms = None, format = None, lenient = false))]
    fn parse(
        py: Python<'_>,
        data: Data<'_>,
        name: Option<Name>,
        algorithms: Option<Specs>,
        format: Option<&str>,
        lenient: bool,
    ) -> PyResult<Manifest> {
        let text = data.to_vec();
        let name = name.map(|Name(name)| name.into_os_string());
        let name = name.as_ref().map(|name| name.as_bytes());
        let options = read_options(name, algorithms, format)?;
        Manifest::read_from(py, |_| Ok(&text[..]), name, options, lenient)
    }

    /// The name of the format.
    #[getter]
    fn format(&self) -> &'static str {
        self.format.name()
    }

    /// The entries, in order.
    #[getter]
    fn entries(&self, py: Python<'_>) -> Vec<Py<Entry>> {
        self.entries.iter().map(|entry| entry.clone_ref(py)).collect()
    }

    /// Malformed lines, each with the reason, if the manifest was read with lenient=True.
    #[getter]
    fn malformed_lines(&self) -> Vec<String> {
        self.malformed.clone()
    }

    /// True if the manifest is wrapped in a signature. The signature is not verified.
    #[getter]
    fn signed(&self) -> bool {
        self.signed
    }

    /// Returns the manifest as text in the given format, by default its own. Raises ManifestError if the format cannot
    /// store everything, unless `lossy` is true.
    #[pyo3(signature = (format = None, *, lossy = false))]
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
        format: Option<&str>,
        lossy: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let text = self.text(py, self.format_or_own(format)?, None, lossy)?;
        Ok(PyBytes::new(py, &text))
    }

    /// Writes the manifest to a file atomically.
    #[pyo3(signature = (path, /, format = None, *, lossy = false))]
    fn write(&self, py: Python<'_>, path: Name, format: Option<&str>, lossy: bool) -> PyResult<()> {
        let name = path.0.as_os_str().as_bytes();
        let text = self.text(py, self.format_or_own(format)?, Some(name), lossy)?;
        let written = py.detach(|| {
            let mut file = AtomicFile::create(&path.0)?;
            file.write_all(&text).map_err(|error| Error::io(name, "write", error))?;
            file.commit()
        });
        written.map_err(|error| errors::to_exception(py, &error))
    }

    /// Returns the manifest converted to another format.
    #[pyo3(signature = (format, /, *, lossy = false))]
    fn convert(&self, py: Python<'_>, format: &str, lossy: bool) -> PyResult<Manifest> {
        let format = format_named(format)?;
        let text = self.text(py, format, None, lossy)?;
        let options = Options::default().accept_all().format(Some(format));
        Manifest::read_from(py, |_| Ok(&text[..]), None, options, false)
    }

    fn __len__(&self) -> usize {
        self.entries.len()
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Py<pyo3::types::PyIterator>> {
        Ok(PyList::new(py, self.entries(py))?.try_iter()?.unbind())
    }

    fn __getitem__(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<Py<Entry>> {
        let Name(path) = name.extract()?;
        let found = self.find(path.as_os_str().as_bytes())?;
        found.map(|entry| entry.clone_ref(py)).ok_or_else(|| PyKeyError::new_err(name.clone().unbind()))
    }

    fn __contains__(&self, item: &Bound<'_, PyAny>) -> bool {
        if let Ok(entry) = item.cast::<Entry>() {
            return self.entries.iter().any(|other| *other.get() == *entry.get());
        }
        let name = item.extract::<Name>();
        name.is_ok_and(|Name(path)| !matches!(self.find(path.as_os_str().as_bytes()), Ok(None)))
    }

    /// Returns the entry with this name, or `default` if there is none. manifest[name] raises KeyError instead. Both
    /// raise ValueError if several entries have the name.
    #[pyo3(signature = (name, /, default = None))]
    fn get(&self, py: Python<'_>, name: Name, default: Option<Py<PyAny>>) -> PyResult<Option<Py<PyAny>>> {
        let found = self.find(name.0.as_os_str().as_bytes())?;
        Ok(found.map(|entry| entry.clone_ref(py).into_any()).or(default))
    }

    /// Returns the names of the entries, in order.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyString>>> {
        self.entries.iter().map(|entry| entry.get().name(py)).collect()
    }

    /// Returns the entries, in order.
    fn values(&self, py: Python<'_>) -> Vec<Py<Entry>> {
        self.entries(py)
    }

    /// Returns pairs of a name and its entry, in order.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyString>, Py<Entry>)>> {
        Ok(self.keys(py)?.into_iter().zip(self.entries(py)).collect())
    }

    /// Returns the entries as dicts with the same keys in each: name, size, mtime_ns, and the hexadecimal digest of each
    /// algorithm in the manifest. Missing values are None.
    ///
    /// >>> import truesum
    /// >>> truesum.Manifest([truesum.Entry("a", {"crc32": "cbf43926"}, size=9)]).to_dicts()
    /// [{'name': 'a', 'size': 9, 'mtime_ns': None, 'crc32': 'cbf43926'}]
    fn to_dicts<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let mut columns = Vec::new();
        for entry in &self.entries {
            for (spec, _) in &entry.get().0.digests {
                if !columns.contains(&spec) {
                    columns.push(spec);
                }
            }
        }
        let columns: Vec<(&Spec, String)> =
            columns.into_iter().map(|spec| (spec, spec.to_string())).collect();
        let row = |entry: &Py<Entry>| {
            let (row, entry) = (PyDict::new(py), entry.get());
            row.set_item("name", entry.name(py)?)?;
            row.set_item("size", entry.size())?;
            row.set_item("mtime_ns", entry.mtime_ns())?;
            for (spec, column) in &columns {
                let found = entry.0.digests.iter().find(|(other, _)| other == *spec);
                row.set_item(column, found.map(|(_, digest)| digest.to_hex()))?;
            }
            Ok(row)
        };
        self.entries.iter().map(row).collect()
    }

    /// Returns a pandas DataFrame with the columns of to_dicts(). Sizes and times are nullable integers. Requires pandas.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let pandas = py.import("pandas")?;
        let frame = self.columns(py, |name, values| match name {
            "size" | "mtime_ns" => pandas.call_method1("array", (values, "Int64")),
            _ => pandas.call_method1("Series", (values, py.None(), "object")),
        })?;
        pandas.call_method1("DataFrame", (frame,))
    }

    /// Returns a pyarrow Table with the columns of to_dicts(). Requires pyarrow.
    fn to_arrow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let arrow = py.import("pyarrow")?;
        let (int64, string) = (arrow.call_method0("int64")?, arrow.call_method0("string")?);
        let table = self.columns(py, |name, values| {
            let kind = if matches!(name, "size" | "mtime_ns") { &int64 } else { &string };
            arrow.call_method1("array", (values, kind))
        })?;
        arrow.call_method1("table", (table,))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Saved)> {
        let saved = (self.format.name(), self.entries(py), self.malformed.clone(), self.signed);
        Ok((restorer(py, "restore_manifest")?, saved))
    }

    fn __repr__(&self) -> String {
        format!("<truesum.Manifest {}: {} entries>", self.format.name(), self.entries.len())
    }
}

/// Returns all manifest formats as tuples: name, whether it can be written, and description.
#[pyfunction]
pub fn formats() -> Vec<(&'static str, bool, &'static str)> {
    let row = |format: &&'static Format| {
        (format.name(), !matches!(format.writing(), Writing::No), format.summary())
    };
    manifest::FORMATS.iter().map(row).collect()
}
