//! Merkle trees with the structure of RFC 9162: `HASH-tree`, Glacier's tree hash and BLAKE3.
//!
//! They differ in leaf size, in the prefixes of leaves and nodes, and in the final step. Complete buffers are reduced
//! level by level, so that nodes are also hashed in lanes.

use crate::algorithm::{Close, Composite, Key, Kind, Params};
use crate::digest::Digest;
use crate::family::blake3::{crate_hasher, key_of};
use crate::hasher::Hasher;
use crate::many::{finish_many, update_many};
use crate::spec::Spec;
use crate::tree::compact_range::CompactRange;
use blake3::hazmat::{self, ChainingValue, HasherExt, Mode};

/// The first eight bytes of the descriptor that seals a `HASH-tree`.
const FTREE_ID: &[u8; 8] = b"ftree-1\0";

/// Specifies how leaves and nodes of one tree are hashed.
pub struct Merkle {
    leaf_size: u64,
    nodes: Nodes,
    /// True if the digest includes the descriptor.
    sealed: bool,
}

enum Nodes {
    /// Hashers that have processed their prefix.
    Hash {
        leaf: Box<Hasher>,
        node: Box<Hasher>,
    },
    Blake3(Key),
}

impl Merkle {
    /// Returns the tree of this digest, or `None` if it is not a Merkle tree.
    pub fn new(spec: &Spec) -> Option<Merkle> {
        match &spec.algorithm().kind {
            Kind::Composite(composite) => Merkle::over(composite, &spec.params),
            // Longer output requires the compression of the root, which is not available from combined hashes.
            Kind::Chunks { .. } if spec.digest_len() == 32 => {
                let nodes = Nodes::Blake3(spec.params.key.clone());
                Some(Merkle { leaf_size: 1 << 10, nodes, sealed: false })
            }
            _ => None,
        }
    }

    /// Returns the tree of a composite digest.
    pub(crate) fn over(composite: &Composite, params: &Params) -> Option<Merkle> {
        let (node, sealed) = match composite.close {
            Close::Merkle { node } => (node, false),
            Close::Sealed => (&[1u8][..], true),
            Close::List(_) | Close::Halves(_) | Close::Alone => return None,
        };
        let base = composite.base();
        let prefixed = |prefix: &[u8]| {
            let mut hasher = base.hasher();
            hasher.update(prefix);
            Box::new(hasher)
        };
        let nodes = Nodes::Hash { leaf: prefixed(composite.prefix), node: prefixed(node) };
        Some(Merkle { leaf_size: params.unit, nodes, sealed })
    }

    /// Returns the leaf size in bytes, a power of two.
    pub fn leaf_size(&self) -> u64 {
        self.leaf_size
    }

    /// Returns the length of leaf and node hashes in bytes.
    pub fn hash_len(&self) -> usize {
        match &self.nodes {
            Nodes::Hash { leaf, .. } => leaf.spec().digest_len(),
            Nodes::Blake3(_) => 32,
        }
    }

    /// Returns whether equal leaves have equal hashes at any position, so that those of zeros can be reused.
    pub fn place_independent(&self) -> bool {
        matches!(self.nodes, Nodes::Hash { .. })
    }

    /// Returns whether the digest is sealed: it covers the message's length, leaf size and algorithm.
    pub fn is_sealed(&self) -> bool {
        self.sealed
    }

    /// Returns the number of leaves of a message of `size` bytes; the empty message has one empty leaf.
    pub fn leaves(&self, size: u64) -> u64 {
        size.div_ceil(self.leaf_size).max(1)
    }

    /// Returns a hasher for one leaf that has processed the prefix; `None` for BLAKE3, whose leaves depend on their
    /// position.
    pub fn leaf_hasher(&self) -> Option<Hasher> {
        match &self.nodes {
            Nodes::Hash { leaf, .. } => Some(Hasher::clone(leaf)),
            Nodes::Blake3(_) => None,
        }
    }

    /// Returns the hashes of the leaves of `data`, which begins at a leaf boundary; the last leaf may be short. Empty
    /// data is one empty leaf. `first` is the number of the first leaf.
    pub fn leaf_hashes(&self, data: &[u8], first: u64) -> Vec<Digest> {
        let slices: Vec<&[u8]> = match data {
            [] => vec![data],
            _ => data.chunks(usize::try_from(self.leaf_size).unwrap_or(usize::MAX)).collect(),
        };
        match &self.nodes {
            Nodes::Hash { leaf, .. } => hash_from(leaf, &slices),
            Nodes::Blake3(key) => {
                (first..).zip(slices).map(|(index, slice)| chaining_value(key, slice, index)).collect()
            }
        }
    }

    /// Returns the hash of the subtree over `data`, which begins at leaf `first` and, unless it ends the message, is a
    /// perfect subtree. For BLAKE3, this is the non-root chaining value.
    pub fn subtree(&self, data: &[u8], first: u64) -> Digest {
        match &self.nodes {
            Nodes::Hash { .. } => self.reduce(self.leaf_hashes(data, first)),
            Nodes::Blake3(key) => chaining_value(key, data, first),
        }
    }

    /// Returns the hash over the leaf or subtree hashes in `row`, all of the same level except possibly the last, which
    /// may be smaller.
    ///
    /// # Panics
    /// If `row` is empty, or as [`Merkle::node`].
    pub fn reduce(&self, mut row: Vec<Digest>) -> Digest {
        while row.len() > 1 {
            row = self.parents(&row);
        }
        row.pop().expect("a subtree has a leaf")
    }

    /// Returns the next level: neighbors are combined, and an unpaired last node is moved up.
    fn parents(&self, row: &[Digest]) -> Vec<Digest> {
        let (pairs, odd) = row.as_chunks::<2>();
        let mut parents = match &self.nodes {
            Nodes::Hash { node, .. } if pairs.len() > 1 => {
                let messages: Vec<Vec<u8>> =
                    pairs.iter().map(|[l, r]| [l.as_bytes(), r.as_bytes()].concat()).collect();
                let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
                hash_from(node, &messages)
            }
            _ => pairs.iter().map(|[left, right]| self.node(left, right)).collect(),
        };
        parents.extend_from_slice(odd);
        parents
    }

    /// Returns the hash of an inner node, which is not the root for BLAKE3.
    ///
    /// # Panics
    /// With BLAKE3, if the length of a digest is not [`Merkle::hash_len`].
    pub fn node(&self, left: &Digest, right: &Digest) -> Digest {
        match &self.nodes {
            Nodes::Hash { node, .. } => {
                let mut hasher = Hasher::clone(node);
                hasher.update(left.as_bytes());
                hasher.update(right.as_bytes());
                hasher.finish()
            }
            Nodes::Blake3(key) => {
                let context = context_key(key);
                let children = (cv(left), cv(right));
                Digest::new(&hazmat::merge_subtrees_non_root(&children.0, &children.1, mode(key, &context)))
            }
        }
    }

    /// Returns the hash of the root over two children, which BLAKE3 computes differently from other nodes.
    ///
    /// # Panics
    /// Panics as [`Merkle::node`].
    pub fn root(&self, left: &Digest, right: &Digest) -> Digest {
        match &self.nodes {
            Nodes::Hash { .. } => self.node(left, right),
            Nodes::Blake3(key) => {
                let (context, children) = (context_key(key), (cv(left), cv(right)));
                let root = hazmat::merge_subtrees_root(&children.0, &children.1, mode(key, &context));
                Digest::new(root.as_bytes())
            }
        }
    }

    /// Returns the digest of a message of `size` bytes with these leaves; `None` if the range does not contain all of
    /// them, or for BLAKE3 if a single subtree contains all of them (its root is computed differently, from the data).
    pub fn close(&self, range: &CompactRange, size: u64) -> Option<Digest> {
        let mut peaks = range.peaks().rev();
        let last = peaks.next()?.clone();
        let Some(first) = peaks.next_back() else {
            return self.place_independent().then(|| self.seal(&last, size));
        };
        let right = peaks.fold(last, |right, left| self.node(left, &right));
        Some(self.seal(&self.root(first, &right), size))
    }

    /// Returns the digest of a message of `size` bytes whose Merkle Tree Hash is `root`: the seal of a `HASH-tree`, the
    /// root itself for Glacier and BLAKE3.
    pub fn seal(&self, root: &Digest, size: u64) -> Digest {
        let (true, Nodes::Hash { leaf, .. }) = (self.sealed, &self.nodes) else {
            return root.clone();
        };
        let mut hasher = leaf.spec().hasher();
        hasher.update(&[2]);
        hasher.update(&descriptor(leaf.spec(), self.leaf_size, size));
        hasher.update(root.as_bytes());
        hasher.finish()
    }
}

/// Returns the description of the tree in the seal: format, base hash, leaf size, length.
fn descriptor(base: &Spec, leaf_size: u64, size: u64) -> [u8; 40] {
    let mut descriptor = [0; 40];
    descriptor[..8].copy_from_slice(FTREE_ID);
    let name = descriptor_name(base).expect("only hashes with a name have trees");
    descriptor[8..8 + name.len()].copy_from_slice(name.as_bytes());
    descriptor[24] = leaf_size.ilog2() as u8;
    descriptor[32..].copy_from_slice(&size.to_le_bytes());
    descriptor
}

/// The maximum length of the name in a descriptor, in bytes.
const LONGEST_NAME: usize = 16;

/// Returns the name of the base hash in the descriptor; `None` if trees cannot be based on it.
pub(crate) fn descriptor_name(base: &Spec) -> Option<String> {
    let row = base.algorithm();
    let id = row.tree_id?;
    let name = match base.digest_len() {
        len if len == row.digest_len => id.to_owned(),
        len => format!("{id}-{}", len * 8),
    };
    (name.len() <= LONGEST_NAME).then_some(name)
}

/// Returns the hashes of perfect subtrees of levels 0 to 63 whose leaves all have the hash `leaf`.
pub(crate) fn zero_levels(merkle: &Merkle, leaf: Digest) -> Vec<Digest> {
    std::iter::successors(Some(leaf), |hash| Some(merkle.node(hash, hash))).take(64).collect()
}

/// Returns the digests of each message after the prefix in `prefixed`, computed in lanes.
pub(crate) fn hash_from(prefixed: &Hasher, messages: &[&[u8]]) -> Vec<Digest> {
    // Enough messages at a time to keep lanes full, and few enough that their states stay in the cache.
    const BATCH: usize = 64;
    let mut digests = Vec::with_capacity(messages.len());
    for batch in messages.chunks(BATCH) {
        let mut hashers = vec![prefixed.clone(); batch.len()];
        let mut hashers: Vec<&mut Hasher> = hashers.iter_mut().collect();
        update_many(&mut hashers, batch);
        digests.extend(finish_many(&mut hashers));
    }
    digests
}

fn cv(digest: &Digest) -> ChainingValue {
    digest.as_bytes().try_into().expect("chaining values have 32 bytes")
}

/// Returns BLAKE3's key, or its context key for [`Key::Derive`]; zeros without a key.
fn context_key(key: &Key) -> [u8; 32] {
    match key {
        Key::Derive(context) => hazmat::hash_derive_key_context(context),
        Key::Secret(secret) => key_of(secret),
        Key::None => [0; 32],
        Key::Missing => panic!("blake3: no key"),
    }
}

fn mode<'a>(key: &'a Key, context: &'a [u8; 32]) -> Mode<'a> {
    match key {
        Key::None | Key::Missing => Mode::Hash,
        Key::Secret(_) => Mode::KeyedHash(context),
        Key::Derive(_) => Mode::DeriveKeyMaterial(context),
    }
}

/// Returns the non-root chaining value of `data`, which begins at chunk `first`.
fn chaining_value(key: &Key, data: &[u8], first: u64) -> Digest {
    let mut hasher = crate_hasher(key);
    if data.is_empty() {
        // Only the empty message has an empty chunk, which is always the root.
        return Digest::new(hasher.finalize().as_bytes());
    }
    hasher.set_input_offset(first << 10);
    hasher.update(data);
    Digest::new(&hasher.finalize_non_root())
}
