//! `truesum.tree`: hash trees of large files: store, locate damage, prove ranges, and divide the work between machines.

use crate::errors::{self, refused};
use crate::interrupt::interruptible;
use crate::outcome::by_name;
use crate::paths::{self, Name};
use crate::spec::{Specs, named};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use truesum::hash::{Digest, Spec};
use truesum::tree::build::{Begin, Saving, save as save_tree};
use truesum::tree::combine::{Origins, combine as join};
use truesum::tree::locate::{Diagnosis, Length, verify as compare};
use truesum::tree::piece::{self, hash_range};
use truesum::tree::prove::{
    ProofFailure, RangeProof, Row, prove as prove_range, read_row, verify_proof as verify_range,
};
use truesum::tree::reading::Reading;
use truesum::tree::store::{Hints, Store, with_suffix};
use truesum::{Cause, Error, Progress};

/// Opens a file and processes it in a separate thread.
fn reading<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&Reading<'_>) -> T + Send,
) -> PyResult<T> {
    let progress = Progress::default();
    let work = |_: &_| work(&Reading::new(&progress).threads(threads.unwrap_or(0)));
    interruptible::<_, ()>(py, &progress, work, |_, ()| Ok(()))
}

fn hashes(given: &[String]) -> PyResult<Vec<Digest>> {
    given.iter().map(|hash| Digest::from_hex(hash.as_bytes()).map_err(refused)).collect()
}

/// A partial result of a file's digest, created by leaf() and combined by combine().
#[pyclass(frozen, eq, module = "truesum.tree")]
#[derive(Clone, PartialEq)]
pub struct Piece(piece::Piece);

/// The source of a piece: name, inode, mtime_ns, ctime_ns.
type Origin = (Name, u64, i64, i64);
/// The same as Python objects.
type PyOrigin<'py> = (Bound<'py, PyString>, u64, i64, i64);

#[pymethods]
impl Piece {
    #[new]
    #[pyo3(signature = (algorithm, size, first, end, levels, origin = None))]
    fn new(
        algorithm: &str,
        size: u64,
        first: u64,
        end: u64,
        levels: Vec<(u8, String)>,
        origin: Option<Origin>,
    ) -> PyResult<Piece> {
        if first > end {
            return Err(refused("the piece ends before it begins"));
        }
        let hash =
            |(level, hash): (u8, String)| Ok((level, Digest::from_hex(hash.as_bytes()).map_err(refused)?));
        let levels = levels.into_iter().map(hash).collect::<PyResult<_>>()?;
        let origin = origin.map(|(path, inode, mtime, ctime)| piece::Origin {
            path: path.0.as_os_str().as_bytes().to_vec(),
            state: Hints { mtime, ctime, inode, device: 0 },
            version: None,
        });
        Ok(Piece(piece::Piece { spec: named(algorithm)?, size, range: first..end, levels, origin }))
    }

    /// The name of the algorithm.
    #[getter]
    fn algorithm(&self) -> String {
        self.0.spec.to_string()
    }

    /// The size of the complete file in bytes.
    #[getter]
    fn size(&self) -> u64 {
        self.0.size
    }

    /// The range in units of the digest: leaves of a tree, parts, or bytes of a checksum.
    #[getter]
    fn range(&self) -> (u64, u64) {
        (self.0.range.start, self.0.range.end)
    }

    /// The hashes of the subtrees in the range, each with its level.
    #[getter]
    fn levels(&self) -> Vec<(u8, String)> {
        self.0.levels.iter().map(|(level, hash)| (*level, hash.to_hex())).collect()
    }

    /// The file that was read, as (name, inode, mtime_ns, ctime_ns); None if it was not recorded.
    #[getter]
    fn origin<'py>(&self, py: Python<'py>) -> PyResult<Option<PyOrigin<'py>>> {
        let Some(piece::Origin { path, state, .. }) = &self.0.origin else { return Ok(None) };
        Ok(Some((paths::text(py, path)?, state.inode, state.mtime, state.ctime)))
    }

    /// The BLAKE3 digest of the piece, which ends its line and detects corruption in transit.
    #[getter]
    fn seal(&self) -> String {
        self.0.seal().to_hex()
    }

    fn __repr__(&self) -> String {
        let piece::Piece { spec, range, size, .. } = &self.0;
        format!("<truesum.tree.Piece {spec} {}..{} of {size} bytes>", range.start, range.end)
    }
}

/// Hashes the bytes from start to end of a file and returns a Piece of the complete file's digest. The range must begin
/// and end at multiples of the leaf size (65,536 bytes for "sha256-tree"); for a CRC it can be any range.
#[pyfunction]
#[pyo3(signature = (path, start, end, algorithm = "sha256-tree", *, threads = None))]
pub fn leaf(
    py: Python<'_>,
    path: Name,
    start: u64,
    end: u64,
    algorithm: &str,
    threads: Option<usize>,
) -> PyResult<Piece> {
    let spec = named(algorithm)?;
    let piece = reading(py, threads, |reading| hash_range(&path.0, &spec, start..end, reading))?;
    let mut piece = piece.map_err(|error| errors::to_exception(py, &error))?;
    if let Some(origin) = &mut piece.origin {
        // The device number is local to each machine, so it is not transferred.
        origin.state.device = 0;
    }
    Ok(Piece(piece))
}

/// Returns the digest of the complete file in hexadecimal, from pieces that cover it, in any order.
///
/// Raises ValueError if they do not cover the file, contradict each other, or were read from different versions of
/// the file. With trust_origins=True, pieces of different copies are combined.
#[pyfunction]
#[pyo3(signature = (pieces, /, *, trust_origins = false))]
pub fn combine(pieces: Vec<Bound<'_, Piece>>, trust_origins: bool) -> PyResult<String> {
    let origins = if trust_origins { Origins::Trusted } else { Origins::One };
    let pieces = pieces.iter().map(|piece| piece.get().0.clone()).collect();
    join(pieces, origins).map(|digest| digest.to_hex()).map_err(refused)
}

/// Returns the default location of the tree of a file.
fn default_tree_path(path: &Path) -> PathBuf {
    with_suffix(path, ".ftr")
}

/// Builds the tree of a file on all cores and stores it in `target`, by default FILE.ftr. Returns the digests keyed by
/// name: that of the tree and those of the algorithms in `extra_algorithms`, which are computed in the same read.
///
/// `granule` is the resolution of the stored tree in bytes. With `resume`, an interrupted build is continued.
#[pyfunction]
#[pyo3(signature = (path, target = None, algorithm = "sha256-tree", *, granule = 1_048_576, extra_algorithms = None,
    resume = false, threads = None))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn save<'py>(
    py: Python<'py>,
    path: Name,
    target: Option<Name>,
    algorithm: &str,
    granule: u64,
    extra_algorithms: Option<Specs>,
    resume: bool,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let target = target.map_or_else(|| default_tree_path(&path.0), |Name(target)| target);
    let (spec, extra) = (named(algorithm)?, extra_algorithms.map_or_else(Vec::new, |Specs(specs)| specs));
    let begin = if resume { Begin::Resume } else { Begin::Fresh };
    let saving = Saving::new(&target).granule(granule).begin(begin).plain_digests(&extra);
    let saved = reading(py, threads, |reading| save_tree(&path.0, &spec, &saving, reading))?;
    let saved = saved.map_err(|error| errors::to_exception(py, &error))?;
    by_name(py, std::iter::once(&spec).chain(&extra).zip(saved.found().digests()))
}

/// Opens a stored tree.
fn opened(tree: &Path) -> Result<Store, Error> {
    let name = tree.as_os_str().as_bytes();
    Store::open(tree)?.map_err(|why| Error::new(name, "use", Cause::Other(why.to_string())))
}

/// The difference between a file and its stored tree.
#[pyclass(frozen, module = "truesum.tree")]
pub struct Difference(truesum::tree::locate::Difference);

#[pymethods]
impl Difference {
    /// The result: "good", "file-damaged", "tree-damaged", "cannot-tell" or "other-tree" (not the tree of the trusted
    /// digest).
    #[getter]
    fn verdict(&self) -> &'static str {
        match self.0.diagnosis() {
            Diagnosis::Good => "good",
            Diagnosis::FileDamaged => "file-damaged",
            Diagnosis::TreeDamaged => "tree-damaged",
            Diagnosis::CannotTell => "cannot-tell",
            Diagnosis::OtherTree => "other-tree",
        }
    }

    /// True if the file is identical to the one the tree was built from, and the tree is intact.
    #[getter]
    fn ok(&self) -> bool {
        self.0.diagnosis() == Diagnosis::Good
    }

    fn __bool__(&self) -> bool {
        self.ok()
    }

    /// The damaged byte ranges as (start, end), in multiples of the granule; missing bytes are included.
    #[getter]
    fn damaged(&self) -> Vec<(u64, u64)> {
        self.0.damaged().iter().map(|range| (range.start, range.end)).collect()
    }

    /// The change of the file size in bytes since the tree was built; positive if the file has grown.
    #[getter]
    fn grown(&self) -> i128 {
        match self.0.length() {
            Length::Same => 0,
            Length::Truncated(bytes) => -i128::from(bytes),
            Length::Grown(bytes) => i128::from(bytes),
        }
    }

    /// If old content was found at another offset: (offset from which it is shifted, distance in bytes); otherwise
    /// None.
    #[getter]
    fn shift(&self) -> Option<(u64, i64)> {
        self.0.shift().map(|shift| (shift.from(), shift.by()))
    }

    /// A description of the damage to the tree itself, or None.
    #[getter]
    fn tree_damage(&self) -> Option<String> {
        self.0.blemish().map(str::to_owned)
    }

    fn __repr__(&self) -> String {
        format!("<truesum.tree.Difference {}: {:?}>", self.verdict(), self.damaged())
    }
}

/// Compares a file with its stored tree, by default FILE.ftr, and returns the damaged ranges. With `digest`, a trusted
/// digest in hexadecimal, the tree must belong to that digest.
#[pyfunction]
#[pyo3(signature = (path, tree = None, digest = None, *, threads = None))]
pub fn locate(
    py: Python<'_>,
    path: Name,
    tree: Option<Name>,
    digest: Option<&str>,
    threads: Option<usize>,
) -> PyResult<Difference> {
    let tree = tree.map_or_else(|| default_tree_path(&path.0), |Name(tree)| tree);
    let trusted = digest.map(|digest| Digest::from_hex(digest.as_bytes()).map_err(refused)).transpose()?;
    let found = reading(py, threads, |reading| compare(&path.0, &opened(&tree)?, trusted.as_ref(), reading))?;
    found.map(Difference).map_err(|error| errors::to_exception(py, &error))
}

/// A proof that a range of a file belongs to its digest, created by prove() and checked by verify_proof().
#[pyclass(frozen, eq, module = "truesum.tree")]
#[derive(Clone, PartialEq)]
pub struct Proof(RangeProof);

#[pymethods]
impl Proof {
    #[new]
    fn new(algorithm: &str, size: u64, first: u64, end: u64, path: Vec<String>) -> PyResult<Proof> {
        if first > end {
            return Err(refused("the range of the proof ends before it begins"));
        }
        Ok(Proof(RangeProof { spec: named(algorithm)?, size, leaves: first..end, path: hashes(&path)? }))
    }

    /// The name of the digest's algorithm.
    #[getter]
    fn algorithm(&self) -> String {
        self.0.spec.to_string()
    }

    /// The size of the complete file in bytes.
    #[getter]
    fn size(&self) -> u64 {
        self.0.size
    }

    /// The range of leaves that is proven.
    #[getter]
    fn leaves(&self) -> (u64, u64) {
        (self.0.leaves.start, self.0.leaves.end)
    }

    /// The range of bytes that is proven: the requested range, extended to complete leaves.
    #[getter]
    fn bytes(&self) -> (u64, u64) {
        let bytes = self.0.bytes();
        (bytes.start, bytes.end)
    }

    /// The sibling hashes on the path to the root.
    #[getter]
    fn path(&self) -> Vec<String> {
        self.0.path.iter().map(Digest::to_hex).collect()
    }

    fn __repr__(&self) -> String {
        let (start, end) = self.bytes();
        format!("<truesum.tree.Proof {} bytes {start}..{end} of {}>", self.0.spec, self.0.size)
    }
}

/// Returns a Proof that the bytes from start to end belong to a file's digest. If there is a stored tree, by default
/// FILE.ftr, only the ends of the range are read, otherwise the complete file.
#[pyfunction]
#[pyo3(signature = (path, start, end, tree = None, algorithm = "sha256-tree", *, threads = None))]
pub fn prove(
    py: Python<'_>,
    path: Name,
    start: u64,
    end: u64,
    tree: Option<Name>,
    algorithm: &str,
    threads: Option<usize>,
) -> PyResult<Proof> {
    let requested: Spec = named(algorithm)?;
    let stored =
        tree.map(|Name(tree)| tree).or_else(|| Some(default_tree_path(&path.0)).filter(|tree| tree.exists()));
    let proof = reading(py, threads, |reading| -> Result<RangeProof, Error> {
        let store = stored.as_deref().map(opened).transpose()?;
        let (spec, row) = match &store {
            Some(store) => (store.header().spec().clone(), Row::Stored(store)),
            None => (requested.clone(), read_row(&path.0, &requested, reading)?),
        };
        prove_range(&path.0, &spec, &row, start..end, reading)
    })?;
    proof.map(Proof).map_err(|error| errors::to_exception(py, &error))
}

/// Returns whether the current bytes in the range of a proof belong to the trusted digest. Reads only these bytes.
///
/// Raises OSError if they cannot be read.
#[pyfunction]
#[pyo3(signature = (path, proof, digest))]
pub fn verify_proof(py: Python<'_>, path: Name, proof: &Bound<'_, Proof>, digest: &str) -> PyResult<bool> {
    let trusted = Digest::from_hex(digest.as_bytes()).map_err(refused)?;
    let proof = &proof.get().0;
    match reading(py, Some(1), |reading| verify_range(&path.0, proof, &trusted, reading))? {
        Ok(()) => Ok(true),
        Err(ProofFailure::File(error)) => Err(errors::to_exception(py, &error)),
        Err(ProofFailure::Form(why)) => Err(refused(why)),
        Err(_) => Ok(false),
    }
}
