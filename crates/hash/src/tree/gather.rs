//! Collects bytes until there are enough leaves to fill the lanes.

/// The number of leaves hashed at once.
const BATCH: usize = 64;

/// The waiting bytes.
#[derive(Clone, Default)]
pub(crate) struct Gathered {
    leaf: usize,
    /// Less than a batch.
    waiting: Vec<u8>,
}

impl Gathered {
    /// Returns an empty buffer for leaves of this size.
    pub(crate) fn new(leaf: usize) -> Gathered {
        Gathered { leaf, waiting: Vec::new() }
    }

    /// Adds bytes; `hash` receives complete leaves, many at a time, in order.
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

    /// Returns the remainder at the end: less than a batch, of which the last leaf may be short.
    pub(crate) fn take_rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.waiting)
    }
}
