//! Entries held back until the manifest ends, for formats that say of one file in several places what belongs together.
//!
//! Held are at most [`LIMIT`] bytes: what comes then is an entry of its own, which verifies no less.

use crate::entry::Entry;
use crate::line::{Found, Line, Place, Reason};
use std::collections::HashMap;

/// Most bytes of names and digests held.
const LIMIT: usize = 64 << 20;

/// What an entry takes beside its name and digests.
const OVERHEAD: usize = 256;

/// The entries so far, in the order of their first mention.
#[derive(Default)]
pub(crate) struct Gather {
    entries: Vec<Line>,
    by_path: HashMap<Vec<u8>, usize>,
    bytes: usize,
}

impl Gather {
    /// Joins what is said here with what was said of the same name; `Some` where there is no more room.
    ///
    /// A second value for the same algorithm is an entry of its own, so that both are compared.
    ///
    /// # Errors
    /// Another size than before.
    pub(crate) fn add(&mut self, at: Place, entry: Entry) -> Result<Option<Entry>, Reason> {
        if let Some(&index) = self.by_path.get(&entry.path) {
            let held = &mut self.entries[index].entry;
            if held.size.is_some() && entry.size.is_some() && held.size != entry.size {
                return Err(Reason::Part("the size differs from an earlier line for the same file"));
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

    /// All of them, in order; nothing is held afterwards.
    pub(crate) fn take(&mut self) -> Vec<Found> {
        let held = std::mem::take(self);
        held.entries.into_iter().map(Ok).collect()
    }
}
