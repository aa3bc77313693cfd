//! Proofs that bytes of a file belong to a digest, created from a stored tree and verified by reading only those bytes.

use crate::error::{Cause, Error};
use crate::io::source::{Source, finish};
use crate::pieces::UNIT;
use crate::pieces::scan::Scan;
use crate::tree::header::MAX_SIZE;
use crate::tree::reading::Reading;
use crate::tree::store::Store;
use std::ops::Range;
use std::path::Path;
use truesum_fs::name::OsStrExt;
use truesum_hash::tree::{Merkle, Plan, ProofError, range_path, verify_range};
use truesum_hash::{Digest, Hasher, Spec};

/// A proof that a range of leaves belongs to a digest.
///
/// A plain record, which callers write to files and read from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeProof {
    /// The digest's algorithm, with its leaf size.
    pub spec: Spec,
    /// The size of the complete file in bytes.
    pub size: u64,
    /// The range of leaves.
    pub leaves: Range<u64>,
    /// The sibling hashes on the path to the root.
    pub path: Vec<Digest>,
}

impl RangeProof {
    /// Returns the proven bytes: the leaves that contain the requested range.
    pub fn bytes(&self) -> Range<u64> {
        let leaf = Merkle::new(&self.spec).map_or(1, |tree| tree.leaf_size());
        let end = self.leaves.end.saturating_mul(leaf).min(self.size);
        self.leaves.start.saturating_mul(leaf).min(end)..end
    }
}

/// The granule hashes from which a proof is created.
#[derive(Debug)]
pub enum Row<'a> {
    /// The hashes in a stored tree.
    Stored(&'a Store),
    /// The hashes computed by reading the complete file with [`read_row`].
    Read(Vec<Digest>),
}

/// Reads a file and returns the hashes of its granules, which are a mebibyte each unless leaves are larger.
///
/// # Errors
/// Fails if the file cannot be read or changed during the read, or if the run was stopped.
pub fn read_row(path: impl AsRef<Path>, spec: &Spec, reading: &Reading<'_>) -> Result<Row<'static>, Error> {
    let path = path.as_ref().as_os_str().as_bytes();
    let file = reading.open(path)?;
    let source = reading.source(&file, path);
    let plan = Plan::with_granule(spec, source.size, UNIT).ok_or_else(|| no_tree(path, spec))?;
    let row = Scan::new(source, std::slice::from_ref(&plan), reading.thread_count()).row(0..plan.pieces())?;
    finish(file, path)?;
    Ok(Row::Read(row))
}

fn no_tree(path: &[u8], spec: &Spec) -> Error {
    Error::new(path, "prove", Cause::Other(format!("{spec} does not support proofs")))
}

/// Proves that `bytes` of a file belong to its digest. The range is extended to complete leaves.
///
/// Reads at most the two granules at the ends of the range. The proof is as reliable as the row: if it was created from
/// a damaged tree or for a file that has changed, [`verify_proof`] rejects it.
///
/// # Errors
/// Fails if the range is empty or not within the file, if the digest has no tree, or if a file cannot be read.
pub fn prove(
    path: impl AsRef<Path>,
    spec: &Spec,
    row: &Row<'_>,
    bytes: Range<u64>,
    reading: &Reading<'_>,
) -> Result<RangeProof, Error> {
    let path = path.as_ref().as_os_str().as_bytes();
    let fail = |why: String| Error::new(path, "prove", Cause::Other(why));
    let tree = Merkle::new(spec).ok_or_else(|| no_tree(path, spec))?;
    let file = reading.open(path)?;
    let source = reading.unmapped(&file, path);
    let (size, granule) = match row {
        Row::Stored(store) => (store.header().size, store.header().granule),
        Row::Read(_) => (source.size, UNIT.max(tree.leaf_size())),
    };
    if bytes.is_empty() || bytes.end > size {
        return Err(fail(format!(
            "the range {}..{} is empty or extends beyond the end of the file ({size} bytes)",
            bytes.start, bytes.end
        )));
    }
    let count = tree.leaves(size);
    let leaves = bytes.start / tree.leaf_size()..bytes.end.div_ceil(tree.leaf_size());
    let source = Source { size: size.min(source.size), ..source };
    let nodes = Nodes { source, tree, row, granule, count };
    let path_hashes = range_path(count, leaves.clone(), |node| nodes.hash(node))?;
    Ok(RangeProof { spec: spec.clone(), size, leaves, path: path_hashes })
}

/// The nodes of a file's tree, taken from the row if it contains them.
pub(crate) struct Nodes<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) tree: Merkle,
    pub(crate) row: &'a Row<'a>,
    /// The number of bytes per entry of the row.
    pub(crate) granule: u64,
    /// The number of leaves of the tree.
    pub(crate) count: u64,
}

impl Nodes<'_> {
    /// Returns the hash of the node over these leaves.
    pub(crate) fn hash(&self, node: Range<u64>) -> Result<Digest, Error> {
        let per_granule = self.granule / self.tree.leaf_size();
        let whole = node.start.is_multiple_of(per_granule)
            && (node.end.is_multiple_of(per_granule) || node.end == self.count);
        if whole {
            let granules = node.start / per_granule..node.end.div_ceil(per_granule);
            let hashes = match self.row {
                Row::Stored(store) => store.get(granules)?,
                Row::Read(row) => row[granules.start as usize..granules.end as usize].to_vec(),
            };
            return Ok(self.tree.reduce(hashes));
        }
        let bytes = bytes_of(&self.tree, &node, self.source.size);
        hash_leaves(&mut self.source.reader(), &self.tree, bytes, 0)
    }
}

/// Fills a buffer from an offset of a file.
pub(crate) type Reader<'a> = dyn FnMut(&mut [u8], u64) -> Result<(), Error> + 'a;

/// Returns the hash of the node over the leaves that contain these bytes, if they were shifted by `by` in the file.
/// They are read in order, at most [`UNIT`] at a time.
pub(crate) fn hash_leaves(
    read: &mut Reader<'_>,
    tree: &Merkle,
    bytes: Range<u64>,
    by: i64,
) -> Result<Digest, Error> {
    let step = UNIT.max(tree.leaf_size());
    let (mut row, mut buffer) = (Vec::new(), Vec::new());
    // An empty file also has a leaf.
    for offset in (bytes.start..bytes.end.max(bytes.start + 1)).step_by(step as usize) {
        let len = (bytes.end - offset).min(step);
        let start = offset.wrapping_add_signed(by);
        if let Some(leaf) = tree.leaf_hasher().filter(|_| tree.leaf_size() > UNIT) {
            row.push(hash_leaf(read, leaf, start..start + len, &mut buffer)?);
        } else {
            buffer.resize(len as usize, 0);
            read(&mut buffer, start)?;
            row.push(tree.subtree(&buffer, offset / tree.leaf_size()));
        }
    }
    Ok(tree.reduce(row))
}

/// Returns the hash of one large leaf, which is read slice by slice.
pub(crate) fn hash_leaf(
    read: &mut Reader<'_>,
    mut leaf: Hasher,
    bytes: Range<u64>,
    buffer: &mut Vec<u8>,
) -> Result<Digest, Error> {
    for offset in bytes.clone().step_by(UNIT as usize) {
        buffer.resize((bytes.end - offset).min(UNIT) as usize, 0);
        read(buffer, offset)?;
        leaf.update(buffer);
    }
    Ok(leaf.finish())
}

/// Returns the byte range of leaves of a file of `size` bytes.
pub(crate) fn bytes_of(tree: &Merkle, leaves: &Range<u64>, size: u64) -> Range<u64> {
    let place = |leaf: u64| leaf.saturating_mul(tree.leaf_size()).min(size);
    place(leaves.start)..place(leaves.end)
}

/// The reason why a proof is invalid or could not be verified.
#[derive(Debug)]
pub enum ProofFailure {
    /// It does not have the form that its range requires.
    Form(ProofError),
    /// The bytes or the proof lead to this other digest.
    Other(Digest),
    /// It belongs to another old file: one with this digest.
    OtherOld(Digest),
    /// Its old tree is not the beginning of the new tree.
    NoBeginning,
    /// The object belongs to the digest, but the proof describes its size, digest or target incorrectly.
    Misstated,
    /// The file could not be read.
    File(Error),
}

impl From<ProofError> for ProofFailure {
    fn from(error: ProofError) -> ProofFailure {
        ProofFailure::Form(error)
    }
}

impl From<Error> for ProofFailure {
    fn from(error: Error) -> ProofFailure {
        ProofFailure::File(error)
    }
}

impl std::fmt::Display for ProofFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ProofFailure::Form(error) => write!(f, "{error}"),
            ProofFailure::Other(digest) => {
                write!(f, "the proof yields the digest {digest}, not the trusted one")
            }
            ProofFailure::OtherOld(digest) => {
                write!(f, "the proof is for an old file with the digest {digest}, not the trusted one")
            }
            ProofFailure::NoBeginning => {
                f.write_str("the new file does not begin with the content of the old file")
            }
            ProofFailure::Misstated => {
                f.write_str("it does not match the proof (its size, digest or target differs)")
            }
            ProofFailure::File(error) => write!(f, "{error}"),
        }
    }
}

/// Rejects a file with a different length than the one in the proof: it is a different file, whatever bytes of it were
/// read.
pub(super) fn of_length(path: &[u8], found: u64, proven: u64) -> Result<(), ProofFailure> {
    match found == proven {
        true => Ok(()),
        false => {
            let why = format!("it has {found} bytes, but the proof is for a file of {proven} bytes");
            Err(ProofFailure::File(Error::new(path, "verify", Cause::Other(why))))
        }
    }
}

/// Verifies that the current bytes of the range in the file belong to the trusted digest. Reads only these bytes.
///
/// # Errors
/// Returns [`ProofFailure`] with the reason.
pub fn verify_proof(
    path: impl AsRef<Path>,
    proof: &RangeProof,
    trusted: &Digest,
    reading: &Reading<'_>,
) -> Result<(), ProofFailure> {
    let path = path.as_ref().as_os_str().as_bytes();
    let tree = Merkle::new(&proof.spec).ok_or_else(|| no_tree(path, &proof.spec))?;
    if proof.size > MAX_SIZE {
        return Err(ProofFailure::Form(ProofError::Range));
    }
    if proof.path.iter().any(|hash| hash.as_bytes().len() != tree.hash_len()) {
        return Err(ProofFailure::Form(ProofError::Hash));
    }
    let mut file = reading.open(path)?;
    of_length(path, file.size_hint(), proof.size)?;
    let source = Source { size: proof.size, ..reading.unmapped(&file, path) };
    let count = tree.leaves(proof.size);
    // If all leaves are read, the root of BLAKE3 is not computed from their combined value.
    let place_independent = tree.place_independent();
    let root = verify_range(
        count,
        proof.leaves.clone(),
        &proof.path,
        |node| match node == (0..count) && !place_independent {
            true => Err(ProofFailure::Form(ProofError::Range)),
            false => Ok(hash_leaves(&mut source.reader(), &tree, bytes_of(&tree, &node, proof.size), 0)?),
        },
        |left, right, root| if root { tree.root(left, right) } else { tree.node(left, right) },
    )?;
    let digest = tree.seal(&root, proof.size);
    file.mark_as_read(file.size_hint());
    file.finish(path)?;
    if digest == *trusted { Ok(()) } else { Err(ProofFailure::Other(digest)) }
}
