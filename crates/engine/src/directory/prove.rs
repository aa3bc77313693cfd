//! Proofs that one object belongs to the digest of a tree.

use crate::directory::gather::gather;
use crate::directory::kind::Kind;
pub use crate::directory::merkle::Body;
use crate::directory::merkle::{Entries, entry, leaf, root_of, seal};
use crate::directory::options::Options;
use crate::error::{Cause, DIRECTORY, Error};
use crate::hash_files::Hashing;
use crate::io::open::{Root, Special, describe};
use crate::progress::Progress;
use crate::run::config::Config;
use crate::tree::prove::ProofFailure;
use std::path::Path;
use truesum_fs::metadata::FileType;
use truesum_fs::name::{self, OsStrExt};
use truesum_hash::tree::ProofError;
use truesum_hash::{Digest, Spec};

/// A proof that an object belongs to the digest of a tree.
///
/// A plain record, which callers write to files and read from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectProof {
    /// The hash of the tree's digest.
    pub spec: Spec,
    /// The number of objects in the tree.
    pub entries: u64,
    /// The index of the object, in the order of paths.
    pub index: u64,
    /// The path of the object relative to the tree.
    pub path: Vec<u8>,
    /// The mode of the object, in trees with modes.
    pub mode: Option<u32>,
    /// The type-specific part of the object's entry.
    pub body: Body,
    /// The sibling hashes on the path to the root.
    pub hashes: Vec<Digest>,
}

/// Reads a tree and proves that an object belongs to its digest. `name` is its path relative to the tree. Returns
/// `None` if anything failed, which was reported before, or if the run was stopped.
pub fn prove(
    path: impl AsRef<Path>,
    name: &Path,
    options: &Options,
    progress: &Progress,
    on_event: &mut dyn FnMut(Error),
) -> Option<ObjectProof> {
    let Kind::Truesum { spec, modes } = &options.kind else {
        let why = "proofs are supported only for digests of kind 'truesum'";
        on_event(Error::new(path.as_ref().as_os_str().as_bytes(), "prove", Cause::Undivided(why.to_owned())));
        return None;
    };
    let gathered = gather(path.as_ref(), options, progress, on_event)?;
    let entries = Entries::new(&gathered, spec, *modes);
    let name = &*name::of(name);
    let Some(index) = entries.find(name) else {
        let why = "no such file in the folder (specify the name relative to the folder)";
        on_event(Error::new(name, "prove", Cause::Other(why.to_owned())));
        return None;
    };
    let (object, mode, body) = entries.get(index as usize);
    let proof = ObjectProof {
        spec: spec.clone(),
        entries: entries.len(),
        index,
        path: object.to_vec(),
        mode,
        body,
        hashes: entries.path(index),
    };
    gathered.is_unchanged(on_event).then_some(proof)
}

/// Verifies that the object at `file`, in its current state, belongs to the tree with the trusted digest under the path
/// in the proof. Without a file, verifies this for the digest in the proof. Modes are taken from the proof.
///
/// # Errors
/// Returns [`ProofFailure`] with the reason.
pub fn verify(
    proof: &ObjectProof,
    file: Option<&Path>,
    trusted: &Digest,
    progress: &Progress,
) -> Result<(), ProofFailure> {
    if proof.hashes.iter().any(|hash| hash.len() != proof.spec.digest_len()) {
        return Err(ProofFailure::Form(ProofError::Hash));
    }
    let body = match file {
        Some(file) => found(file, &proof.body, &proof.spec, progress)?,
        None => proof.body.clone(),
    };
    let leaf = leaf(&proof.spec, &entry(&proof.path, proof.mode, &body));
    let root = root_of(&proof.spec, (proof.index, proof.entries), &leaf, &proof.hashes)?;
    let digest = seal(&proof.spec, proof.mode.is_some(), proof.entries, &root);
    match digest == *trusted {
        false => Err(ProofFailure::Other(digest)),
        // The hashes belong to the actual object, but a reader of the proof alone would rely on its body.
        true if body != proof.body => Err(ProofFailure::Misstated),
        true => Ok(()),
    }
}

/// Returns the actual object, which must have the type given in the proof.
fn found(file: &Path, claimed: &Body, spec: &Spec, progress: &Progress) -> Result<Body, Error> {
    let path = file.as_os_str().as_bytes();
    let fail = |error| Error::io(path, "read", error);
    let stat = Root::Anywhere.stat(path, false).map_err(fail)?;
    match (claimed, stat.kind()) {
        (Body::Folder, FileType::Directory) => Ok(Body::Folder),
        (Body::Link(_), FileType::Symlink) => {
            let (_, target) = Root::Anywhere.read_link(path).map_err(fail)?;
            Ok(Body::Link(target))
        }
        (Body::File { .. }, _) => {
            let config = Config { special: Special::Refuse, ..Config::default() };
            let read = Hashing { config: &config, progress }.file(file, std::slice::from_ref(spec))?;
            Ok(Body::File { size: read.size(), digest: read.digests()[0].clone() })
        }
        (Body::Folder | Body::Link(_), kind) => {
            let kind = if kind == FileType::Directory { DIRECTORY } else { describe(kind) };
            let expected = if *claimed == Body::Folder { "directory" } else { "symbolic link" };
            let why = format!("the proof is for a {expected}, but this is a {kind}");
            Err(Error::new(path, "verify", Cause::Other(why)))
        }
    }
}
