//! Collects entries until the manifest ends, for formats that have information about one file in
//! several places.
//!
//! At most [`LIMIT`] bytes are held. Beyond that, each part becomes an entry of its own, which
//! verifies just as much.

use crate::entry::Entry;
use crate::line::{Line, LineResult, Place, Reason};
use std::collections::HashMap;

/// Maximum memory for collected entries, in bytes.
const LIMIT: usize = 64 << 20;

/// Estimated memory for an entry in addition to its name, in bytes.
const OVERHEAD: usize = 256;

/// The entries so far, in order of first appearance.
#[derive(Default)]
pub(crate) struct EntryCollector {
    entries: Vec<Line>,
    by_path: HashMap<Vec<u8>, usize>,
    bytes: usize,
}

impl EntryCollector {
    /// Merges an entry with an earlier one of the same name. Returns the entry if the limit is
    /// reached.
    ///
    /// An entry with a different digest of the same algorithm stays separate, so that both are
    /// compared.
    ///
    /// # Errors
    /// Fails if the earlier entry has a different size.
    pub(crate) fn add(&mut self, at: Place, entry: Entry) -> Result<Option<Entry>, Reason> {
        if let Some(&index) = self.by_path.get(&entry.path) {
            let held = &mut self.entries[index].entry;
            if held.size.is_some() && entry.size.is_some() && held.size != entry.size {
                return Err(Reason::Part("the size differs from that in an earlier line for the same file"));
            }
            let other = entry.digests.iter().any(|(spec, digest)| {
                held.digests.iter().any(|(known, value)| known == spec && value != digest)
            });
            if !other {
                held.size = held.size.or(entry.size);
                for found in entry.digests {
                    if !held.digests.contains(&found) {
                        held.digests.push(found);
                    }
                }
                return Ok(None);
            }
        }
        self.bytes += 2 * entry.path.len() + OVERHEAD;
        if self.bytes > LIMIT {
            return Ok(Some(entry));
        }
        self.by_path.entry(entry.path.clone()).or_insert(self.entries.len());
        self.entries.push(Line { at, entry });
        Ok(None)
    }

    /// Removes and returns all entries, in order.
    pub(crate) fn take(&mut self) -> Vec<LineResult> {
        let held = std::mem::take(self);
        held.entries.into_iter().map(Ok).collect()
    }
}
