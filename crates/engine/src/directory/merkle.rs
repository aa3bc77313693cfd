//! `HASH-directory`: the entries of a tree and the RFC 9162 tree over them.

use crate::directory::gather::Gathered;
use crate::directory::object::ObjectType;
use std::ops::Range;
use truesum_hash::tree::{ProofError, range_path, verify_range};
use truesum_hash::{Digest, Spec, hash_many};

/// The first eight bytes of the descriptor that seals the digest.
const ID: &[u8; 8] = b"fdir-1\0\0";

/// The type-specific part of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// A folder.
    Folder,
    /// A regular file.
    File {
        /// The size of its content in bytes.
        size: u64,
        /// The plain digest of its content.
        digest: Digest,
    },
    /// A symbolic link with this target.
    Link(Vec<u8>),
}

/// Returns the entry of an object in the form that is hashed.
pub(super) fn entry(path: &[u8], mode: Option<u32>, body: &Body) -> Vec<u8> {
    let mut entry = vec![match body {
        Body::Folder => b'd',
        Body::File { .. } => b'f',
        Body::Link(_) => b'l',
    }];
    if let Some(mode) = mode {
        entry.extend_from_slice(&mode.to_le_bytes());
    }
    let mut text = |text: &[u8]| {
        entry.extend_from_slice(&(text.len() as u64).to_le_bytes());
        entry.extend_from_slice(text);
    };
    text(path);
    match body {
        Body::Folder => {}
        Body::Link(target) => text(target),
        Body::File { size, digest } => {
            entry.extend_from_slice(&size.to_le_bytes());
            entry.extend_from_slice(digest.as_bytes());
        }
    }
    entry
}

/// Returns the bits of a mode that are included.
pub(super) fn mode_of(mode: u32) -> u32 {
    mode & 0o7777
}

/// Returns the hash of a leaf.
pub(super) fn leaf(spec: &Spec, entry: &[u8]) -> Digest {
    spec.digest(&[&[0], entry].concat())
}

/// Returns the hash of an inner node.
pub(super) fn node(spec: &Spec, left: &Digest, right: &Digest) -> Digest {
    spec.digest(&join(left, right))
}

fn join(left: &Digest, right: &Digest) -> Vec<u8> {
    [&[1], left.as_bytes(), right.as_bytes()].concat()
}

/// Returns the digest of a tree with this number of entries and this root.
pub(super) fn seal(spec: &Spec, modes: bool, entries: u64, root: &Digest) -> Digest {
    let mut descriptor = [0; 40];
    descriptor[..8].copy_from_slice(ID);
    let name = spec.to_string();
    descriptor[8..8 + name.len()].copy_from_slice(name.as_bytes());
    descriptor[24] = u8::from(modes);
    descriptor[32..].copy_from_slice(&entries.to_le_bytes());
    spec.digest(&[&[2][..], &descriptor, root.as_bytes()].concat())
}

/// Returns the root computed from the proof of one leaf.
///
/// # Errors
/// Fails if the proof does not have the form required for this leaf and number of entries.
pub(super) fn root_of(
    spec: &Spec,
    (index, entries): (u64, u64),
    leaf: &Digest,
    path: &[Digest],
) -> Result<Digest, ProofError> {
    let end = index.checked_add(1).ok_or(ProofError::Range)?;
    verify_range(entries, index..end, path, |_| Ok(leaf.clone()), |left, right, _| node(spec, left, right))
}

/// The entries of a tree, sorted.
pub(super) struct Entries<'g> {
    gathered: &'g Gathered,
    spec: &'g Spec,
    modes: bool,
    /// The indices of the objects in sorted order.
    order: Vec<usize>,
}

impl<'g> Entries<'g> {
    pub fn new(gathered: &'g Gathered, spec: &'g Spec, modes: bool) -> Entries<'g> {
        let objects = &gathered.objects;
        let mut order: Vec<usize> = (0..objects.len()).filter(|&at| !objects[at].is_root()).collect();
        order.sort_unstable_by_key(|&at| &objects[at].path);
        Entries { gathered, spec, modes, order }
    }

    pub fn len(&self) -> u64 {
        self.order.len() as u64
    }

    /// Returns the index of the object with this path.
    pub fn find(&self, path: &[u8]) -> Option<u64> {
        let found = self.order.binary_search_by_key(&path, |&at| &self.gathered.objects[at].path);
        found.ok().map(|index| index as u64)
    }

    /// Returns the path, mode and body of an entry.
    pub fn get(&self, index: usize) -> (&'g [u8], Option<u32>, Body) {
        let object = &self.gathered.objects[self.order[index]];
        let body = match &object.what {
            ObjectType::Folder => Body::Folder,
            ObjectType::Link(target) => Body::Link(target.to_vec()),
            ObjectType::File => {
                Body::File { size: object.size(), digest: Digest::new(self.gathered.digest(object)) }
            }
        };
        (&object.path, self.modes.then(|| mode_of(object.mode())), body)
    }

    fn leaves(&self) -> Vec<Digest> {
        // Enough entries to fill all lanes.
        const BATCH: usize = 256;
        let mut leaves = Vec::with_capacity(self.order.len());
        for first in (0..self.order.len()).step_by(BATCH) {
            let entries: Vec<Vec<u8>> = (first..self.order.len().min(first + BATCH))
                .map(|index| {
                    let (path, mode, body) = self.get(index);
                    [&[0], &entry(path, mode, &body)[..]].concat()
                })
                .collect();
            leaves.extend(hash_many(self.spec, &entries.iter().map(Vec::as_slice).collect::<Vec<_>>()));
        }
        leaves
    }

    /// Returns the root over a row of leaves; for no leaves, the hash of the empty string.
    fn reduce(&self, mut row: Vec<Digest>) -> Digest {
        while row.len() > 1 {
            let (pairs, odd) = row.as_chunks::<2>();
            let nodes: Vec<Vec<u8>> = pairs.iter().map(|[left, right]| join(left, right)).collect();
            let mut above = hash_many(self.spec, &nodes.iter().map(Vec::as_slice).collect::<Vec<_>>());
            above.extend_from_slice(odd);
            row = above;
        }
        row.pop().unwrap_or_else(|| self.spec.digest(b""))
    }

    pub fn digest(&self) -> Digest {
        seal(self.spec, self.modes, self.len(), &self.reduce(self.leaves()))
    }

    /// Returns the sibling hashes on the path from an entry to the root.
    pub fn path(&self, index: u64) -> Vec<Digest> {
        let leaves = self.leaves();
        let subtree = |at: Range<u64>| {
            Ok::<_, std::convert::Infallible>(
                self.reduce(leaves[at.start as usize..at.end as usize].to_vec()),
            )
        };
        match range_path(self.len(), index..index + 1, subtree) {
            Ok(path) => path,
            Err(never) => match never {},
        }
    }
}
