//! Growth proofs: they show that the file with an old digest is the beginning of the file with a new digest.
//!
//! If the old file ends with a complete leaf, RFC 9162's consistency proof shows this from hashes alone. If it ends
//! within a leaf, that leaf has grown into a different one, and no hash shows that one begins with the other: the
//! verifier reads this one leaf of the new file and hashes it twice, up to the old end of the file and completely.

use crate::error::{Cause, Error};
use crate::io::open::Root;
use crate::io::source::Source;
use crate::pieces::UNIT;
use crate::tree::header::MAX_SIZE;
use crate::tree::prove::{Nodes, ProofFailure, Row, of_length};
use crate::tree::reading::Reading;
use crate::tree::store::Store;
use std::ops::Range;
use std::path::Path;
use truesum_fs::name::OsStrExt;
use truesum_hash::tree::{
    Merkle, ProofError, consistency_path, consistency_roots, grown_leaf_roots, range_path,
};
use truesum_hash::{Digest, Spec};

/// A proof that an old file is the beginning of a new one.
///
/// A plain record, which callers write to files and read from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrowthProof {
    /// The algorithm of both digests, with its leaf size.
    pub spec: Spec,
    /// The size of the old file in bytes.
    pub old_size: u64,
    /// The size of the new file in bytes.
    pub size: u64,
    /// The root of the old tree before it was sealed.
    pub old_root: Digest,
    /// RFC 9162's consistency proof, if the old file consists of complete leaves; otherwise the
    /// inclusion path of the leaf in which it ends.
    pub path: Vec<Digest>,
}

impl GrowthProof {
    /// Returns the bytes of the new file that are needed to verify the proof: at most a leaf.
    pub fn needs(&self) -> Option<Range<u64>> {
        let leaf = Merkle::new(&self.spec)?.leaf_size();
        let start = self.old_size / leaf * leaf;
        let whole = self.old_size > 0 && start == self.old_size;
        (!whole).then(|| start..start.saturating_add(leaf).min(self.size))
    }
}

/// Returns the tree of a digest that includes the length. Otherwise, an old file could be passed off as one of another
/// length.
fn sealed(path: &[u8], spec: &Spec) -> Result<Merkle, Error> {
    let tree = Merkle::new(spec).filter(Merkle::is_sealed);
    tree.ok_or_else(|| {
        fail(
            path,
            format!("a growth proof requires a digest that includes the file length (HASH-tree), not {spec}"),
        )
    })
}

fn fail(path: &[u8], why: String) -> Error {
    Error::new(path, "prove its growth", Cause::Other(why))
}

/// Proves that the file at `path`, whose granule hashes are in `row`, begins with the file to which the tree `old`
/// belongs.
///
/// Reads at most two granules. The proof is verified before it is returned.
///
/// # Errors
/// Fails if it does not begin that way, if the trees have different algorithms, are incomplete or outdated, or if a
/// file cannot be read.
pub fn prove_growth(
    path: impl AsRef<Path>,
    row: &Row<'_>,
    old: &Store,
    reading: &Reading<'_>,
) -> Result<GrowthProof, Error> {
    let path = path.as_ref().as_os_str().as_bytes();
    let header = old.header();
    let spec = &header.spec;
    let tree = sealed(path, spec)?;
    let old_name = old.path().as_os_str().as_bytes();
    let Some(old_digest) = &header.digest else {
        return Err(fail(old_name, "the stored tree is incomplete".to_owned()));
    };
    let file = reading.open(path)?;
    let source = reading.unmapped(&file, path);
    let size = source.size;
    let granule = match row {
        Row::Stored(store) if store.header().spec != *spec => {
            let spec = &store.header().spec;
            return Err(fail(
                path,
                format!("its stored tree uses {spec}, but the old tree uses {}", header.spec),
            ));
        }
        Row::Stored(store) if store.header().size != size => {
            let stored = store.header().size;
            let why = format!(
                "its stored tree covers {stored} bytes, but the file has {size}; extend the tree first with truesum tree --save --append"
            );
            return Err(fail(path, why));
        }
        Row::Stored(store) => store.header().granule,
        Row::Read(_) => UNIT.max(tree.leaf_size()),
    };
    let old_size = header.size;
    if old_size > size {
        return Err(fail(path, format!("it has {size} bytes, but the old file had {old_size}")));
    }
    let count = tree.leaves(size);
    let nodes = Nodes { source, tree, row, granule, count };
    let old_root = nodes.tree.reduce(old.get(0..header.granules())?);
    let leaf = nodes.tree.leaf_size();
    let whole = old_size > 0 && old_size.is_multiple_of(leaf);
    let hashes = match whole {
        true => consistency_path(old_size / leaf, count, |node| nodes.hash(node))?,
        false => range_path(count, old_size / leaf..old_size / leaf + 1, |node| nodes.hash(node))?,
    };
    let root = nodes.hash(0..count)?;
    let digest = nodes.tree.seal(&root, size);
    if let Row::Stored(store) = row
        && store.header().digest.as_ref() != Some(&digest)
    {
        return Err(fail(path, "its stored tree is damaged or incomplete".to_owned()));
    }
    let proof = GrowthProof { spec: spec.clone(), old_size, size, old_root, path: hashes };
    match grown(Some(path), &proof, old_digest, &digest, reading) {
        Ok(()) => Ok(proof),
        Err(ProofFailure::File(error)) => Err(error),
        Err(ProofFailure::OtherOld(_)) => {
            Err(fail(old_name, "the stored tree is damaged (its hashes do not yield its digest)".to_owned()))
        }
        Err(_) => Err(fail(path, "the file does not begin with the content of the old file".to_owned())),
    }
}

/// Verifies that the file with the digest `old` is the beginning of the file with the digest `new`. At most one leaf of
/// the new file, at `path`, is read, and none if the old file consists of complete leaves.
///
/// # Errors
/// Returns [`ProofFailure`] with the reason.
pub fn verify_growth(
    path: Option<&Path>,
    proof: &GrowthProof,
    old: &Digest,
    new: &Digest,
    reading: &Reading<'_>,
) -> Result<(), ProofFailure> {
    grown(path.map(|path| path.as_os_str().as_bytes()), proof, old, new, reading)
}

fn grown(
    path: Option<&[u8]>,
    proof: &GrowthProof,
    old: &Digest,
    new: &Digest,
    reading: &Reading<'_>,
) -> Result<(), ProofFailure> {
    let GrowthProof { spec, old_size, size, old_root, path: hashes } = proof;
    let tree = sealed(path.unwrap_or_default(), spec)?;
    if old_size > size || *size > MAX_SIZE {
        return Err(ProofFailure::Form(ProofError::Range));
    }
    if hashes.iter().chain([old_root]).any(|hash| hash.as_bytes().len() != tree.hash_len()) {
        return Err(ProofFailure::Form(ProofError::Hash));
    }
    if let Some(path) = path {
        let file = Root::Anywhere
            .stat(path, true)
            .map_err(|error| ProofFailure::File(Error::io(path, "open", error)))?;
        of_length(path, file.size(), *size)?;
    }
    let old_found = tree.seal(old_root, *old_size);
    if old_found != *old {
        return Err(ProofFailure::OtherOld(old_found));
    }
    let count = tree.leaves(*size);
    let node = |left: &Digest, right: &Digest| tree.node(left, right);
    let (begins, root) = match proof.needs() {
        None => consistency_roots((old_size / tree.leaf_size(), old_root), count, hashes, node)?,
        Some(bytes) => {
            let Some(path) = path else {
                let why = "the old file ends within a leaf, so the new file is needed to verify that leaf";
                return Err(ProofFailure::File(fail(b"", why.to_owned())));
            };
            let leaf = bytes.start / tree.leaf_size();
            let pair = read_leaf(path, &tree, bytes, (*old_size, *size), reading)?;
            grown_leaf_roots(leaf, count, pair, hashes, node)?
        }
    };
    let new_found = tree.seal(&root, *size);
    if new_found != *new {
        return Err(ProofFailure::Other(new_found));
    }
    if begins == *old_root { Ok(()) } else { Err(ProofFailure::NoBeginning) }
}

/// Returns the hash of a leaf of the file truncated at `cut`, and of the leaf as it is.
fn read_leaf(
    path: &[u8],
    tree: &Merkle,
    bytes: Range<u64>,
    (cut, size): (u64, u64),
    reading: &Reading<'_>,
) -> Result<(Digest, Digest), Error> {
    let mut file = reading.open(path)?;
    let source = Source { size, ..reading.unmapped(&file, path) };
    let fresh = || tree.leaf_hasher().expect("leaves of a sealed tree are hashed alike");
    let (mut old, mut whole) = (fresh(), fresh());
    let mut buffer = Vec::new();
    for start in bytes.clone().step_by(UNIT as usize) {
        buffer.resize((bytes.end - start).min(UNIT) as usize, 0);
        source.read(&mut buffer, start)?;
        let before = cut.saturating_sub(start).min(buffer.len() as u64) as usize;
        old.update(&buffer[..before]);
        whole.update(&buffer);
    }
    file.mark_as_read(file.size_hint());
    file.finish(path)?;
    Ok((old.finish(), whole.finish()))
}
