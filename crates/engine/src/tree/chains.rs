//! Plain digests beside a tree, in the same read.
//!
//! Threads read units ahead and in any order; a chain of blocks takes them in order, each chain on a thread of its own. Units
//! wait in a window of bounded length, so memory does not depend on which side is faster.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use truesum_hash::{Digest, Hasher};

/// Units the readers may be ahead of the slowest chain.
const WINDOW: u64 = 24;

/// The chains of one file.
pub(crate) struct Chains {
    state: Mutex<State>,
    changed: Condvar,
    /// The first unit any of them wants.
    first: u64,
    units: u64,
    window: u64,
}

struct State {
    waiting: BTreeMap<u64, Arc<Vec<u8>>>,
    /// The unit each chain takes next, and where it stood at the last unit's end.
    chains: Vec<Chain>,
    spare: Vec<Vec<u8>>,
    stopped: bool,
}

struct Chain {
    next: u64,
    hasher: Option<Hasher>,
    /// A copy for a checkpoint, and the units it has been fed.
    kept: Option<(Hasher, u64)>,
}

/// Chains publish their state this often, in units.
const KEEP_EVERY: u64 = 64;

impl Chains {
    /// Chains over a file of `units` units, each a hasher that has been fed the units before its number.
    pub(crate) fn new(hashers: Vec<(Hasher, u64)>, units: u64, threads: usize) -> Chains {
        let chains =
            hashers.into_iter().map(|(hasher, next)| Chain { next, kept: None, hasher: Some(hasher) });
        let chains: Vec<Chain> = chains.collect();
        let first = chains.iter().map(|chain| chain.next).min().unwrap_or(units);
        let state = State { waiting: BTreeMap::new(), chains, spare: Vec::new(), stopped: false };
        Chains {
            state: Mutex::new(state),
            changed: Condvar::new(),
            first,
            units,
            window: WINDOW + threads as u64,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The unit the slowest chain takes next; `units` if there is no chain left.
    fn slowest(&self, state: &State) -> u64 {
        state.chains.iter().map(|chain| chain.next).min().unwrap_or(self.units)
    }

    /// The units that some chain wants.
    pub(crate) fn wanted(&self) -> std::ops::Range<u64> {
        self.first..self.units
    }

    /// The number of chains.
    pub(crate) fn count(&self) -> usize {
        self.lock().chains.len()
    }

    /// A buffer for a unit, waiting until the chains are near enough. `None` when they were stopped.
    pub(crate) fn buffer(&self, unit: u64, len: usize) -> Option<Vec<u8>> {
        let mut state = self.lock();
        while !state.stopped && unit >= self.slowest(&state).saturating_add(self.window) {
            state = self.changed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        if state.stopped {
            return None;
        }
        let mut buffer = state.spare.pop().unwrap_or_default();
        drop(state);
        buffer.resize(len, 0);
        Some(buffer)
    }

    /// Hands a unit to the chains.
    pub(crate) fn give(&self, unit: u64, data: Vec<u8>) {
        self.lock().waiting.insert(unit, Arc::new(data));
        self.changed.notify_all();
    }

    /// Ends all chains early.
    pub(crate) fn stop(&self) {
        self.lock().stopped = true;
        self.changed.notify_all();
    }

    /// Runs chain `index` to its end.
    pub(crate) fn run(&self, index: usize) -> Option<Digest> {
        let mut hasher = self.lock().chains[index].hasher.take()?;
        loop {
            let mut state = self.lock();
            let unit = state.chains[index].next;
            if unit == self.units {
                return Some(hasher.finish());
            }
            let data = loop {
                if state.stopped {
                    return None;
                }
                match state.waiting.get(&unit) {
                    Some(data) => break data.clone(),
                    None => state = self.changed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner()),
                }
            };
            drop(state);
            hasher.update(&data);
            drop(data);
            let kept = (unit + 1).is_multiple_of(KEEP_EVERY).then(|| (hasher.clone(), unit + 1));
            let mut state = self.lock();
            let chain = &mut state.chains[index];
            chain.next = unit + 1;
            if kept.is_some() {
                chain.kept = kept;
            }
            let slowest = self.slowest(&state);
            while let Some(entry) = state.waiting.first_entry()
                && *entry.key() < slowest
            {
                if let Ok(buffer) = Arc::try_unwrap(entry.remove()) {
                    state.spare.push(buffer);
                }
            }
            drop(state);
            self.changed.notify_all();
        }
    }

    /// The chains as they were some units ago: the hasher and the units it has been fed.
    pub(crate) fn kept(&self) -> Vec<(Hasher, u64)> {
        self.lock().chains.iter().filter_map(|chain| chain.kept.clone()).collect()
    }
}
