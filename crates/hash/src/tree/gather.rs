//! Bytes gathered until they are enough leaves to fill the lanes.

/// Leaves hashed at once.
const BATCH: usize = 64;

/// The bytes that wait.
#[derive(Clone, Default)]
pub(crate) struct Gathered {
    leaf: usize,
    /// Fewer than a batch.
    waiting: Vec<u8>,
}

impl Gathered {
    /// Nothing yet, for leaves of so many bytes.
    pub(crate) fn new(leaf: usize) -> Gathered {
        Gathered { leaf, waiting: Vec::new() }
    }

    /// Takes the bytes that come next; `hash` gets whole leaves, many at a time, in order.
    pub(crate) fn feed(&mut self, mut data: &[u8], mut hash: impl FnMut(&[u8])) {
        let full = BATCH * self.leaf;
        while !data.is_empty() {
            if self.waiting.is_empty() && data.len() >= full {
                let (whole, rest) = data.split_at(data.len() / full * full);
                hash(whole);
                data = rest;
                continue;
            }
            let (taken, rest) = data.split_at(data.len().min(full - self.waiting.len()));
            self.waiting.extend_from_slice(taken);
            data = rest;
            if self.waiting.len() == full {
                hash(&self.waiting);
                self.waiting.clear();
            }
        }
    }

    /// What is left at the end: fewer bytes than a batch, the last leaf perhaps short.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.waiting)
    }
}
