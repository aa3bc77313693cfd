//! The hash of leaf digests, added in order.

use crate::algorithm::{Close, Composite, List};
use crate::digest::Digest;
use crate::hasher::Hasher;

/// The leaf digests so far.
#[derive(Clone)]
pub(crate) struct Listing {
    list: List,
    hasher: Box<Hasher>,
    count: u64,
    /// The digest of the first leaf.
    first: Option<Digest>,
}

impl Listing {
    /// Returns an empty list for a composite digest of this kind.
    pub(crate) fn new(composite: &Composite) -> Listing {
        let list = match composite.close {
            Close::List(list) => list,
            Close::Merkle { .. } | Close::Sealed | Close::Halves(_) | Close::Alone => List::Plain,
        };
        Listing { list, hasher: Box::new(composite.base().hasher()), count: 0, first: None }
    }

    /// Returns the number of leaves so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Adds the digest of the next leaf.
    pub(crate) fn push(&mut self, leaf: &Digest) {
        self.first.get_or_insert_with(|| leaf.clone());
        self.hasher.update(leaf.as_bytes());
        self.count += 1;
    }

    /// Returns the digest of a message of `size` bytes in leaves of `leaf_size` bytes.
    pub(crate) fn finish(&mut self, size: u64, leaf_size: u64) -> Digest {
        let empty = || self.hasher.spec().digest(b"");
        match (self.list, size) {
            (List::Plain, 0) => return empty(),
            (List::SingleOpen, _) if size > 0 && size.is_multiple_of(leaf_size) => self.push(&empty()),
            _ => {}
        }
        match (self.list, &self.first) {
            (List::Single | List::SingleOpen, Some(first)) if self.count == 1 => first.clone(),
            (List::Counted, _) => self.hasher.finish_reset().with_parts(self.count),
            _ => self.hasher.finish_reset(),
        }
    }
}
