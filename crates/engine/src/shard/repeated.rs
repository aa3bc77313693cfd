//! Finds names that occur twice in a plan, in bounded memory.

use super::plan::Plan;
use crate::error::Error;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// The maximum number of name hashes held at a time: 128 MiB.
const HASHES_IN_MEMORY: u64 = 1 << 24;

impl Plan {
    /// Returns a name that occurs twice. Sorted names are compared while the plan is written, so this is only for other
    /// plans: it reads the plan once per 16 million files.
    ///
    /// # Errors
    /// Fails if the plan cannot be read or is damaged.
    pub(super) fn repeated(&self) -> Result<Option<Vec<u8>>, Error> {
        let passes = self.totals().files.div_ceil(HASHES_IN_MEMORY).max(1);
        let state = RandomState::new();
        for pass in 0..passes {
            let mut hashes = Vec::new();
            self.each_name(&mut |name| {
                let hash = state.hash_one(name);
                if hash % passes == pass {
                    hashes.push(hash);
                }
                false
            })?;
            hashes.sort_unstable();
            let mut twice: HashSet<u64> = HashSet::new();
            twice.extend(hashes.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]));
            drop(hashes);
            if twice.is_empty() {
                continue;
            }
            // Hashes may be equal by chance, so names are compared.
            let (mut seen, mut found) = (HashSet::new(), None);
            self.each_name(&mut |name| {
                if twice.contains(&state.hash_one(name)) && !seen.insert(name.to_vec()) {
                    found = Some(name.to_vec());
                }
                found.is_some()
            })?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Passes the name of each file to a closure until it sets `done`.
    fn each_name(&self, done: &mut dyn FnMut(&[u8]) -> bool) -> Result<(), Error> {
        for bundle in 0..self.totals().bundles as usize {
            let block = self.block(bundle)?;
            for item in self.items(bundle, &block) {
                let (_, item) = item?;
                if item.is_first() && done(&item.name) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
