//! Plain digests computed together with a tree, in the same read.
//!
//! Threads read units ahead and in any order, while a sequential digest needs them in order, so each such chain runs on
//! a separate thread. Units wait in a window of limited length, so memory does not depend on which side is faster. The
//! leaves of a tree with large leaves are also such a chain, because hashing them side by side would require a second
//! read of the file.

use crate::error::Error;
use crate::io::memory_limit::is_tight;
use crate::pieces::{PieceOutcome, UNIT};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use truesum_hash::tree::Plan;
use truesum_hash::{Digest, Hasher};

/// The number of units that readers may be ahead of the slowest chain.
const WINDOW: u64 = 24;

/// The chains of one file.
pub(crate) struct Chains {
    state: Mutex<ChainsState>,
    changed: Condvar,
    /// The first unit that any chain needs.
    first: u64,
    units: u64,
    window: u64,
}

struct ChainsState {
    waiting: BTreeMap<u64, Arc<Vec<u8>>>,
    chains: Vec<Chain>,
    spare: Vec<Vec<u8>>,
    stopped: bool,
}

struct Chain {
    /// The next unit.
    next: u64,
    /// The hasher; `None` while the chain runs, and for other chains than plain digests.
    hasher: Option<Hasher>,
    /// A copy for a checkpoint, and the number of units it has processed.
    checkpoint: Option<(Hasher, u64)>,
}

/// The interval, in units, at which chains publish their state.
const KEEP_EVERY: u64 = 64;

impl Chains {
    /// Returns chains over a file of `units` units, each with a hasher and the number of units it
    /// has already processed. Chains without a hasher follow: `others` has the first unit xm needs.
    pub(crate) fn new(hashers: Vec<(Hasher, u64)>, others: &[u64], units: u64, threads: usize) -> Chains {
        let flat = hashers.into_iter().map(|(hasher, next)| (Some(hasher), next));
        let all = flat.chain(others.iter().map(|&next| (None, next)));
        let chains: Vec<Chain> = all.map(|(hasher, next)| Chain { next, checkpoint: None, hasher }).collect();
        // Chains that continue from a checkpoint need nothing before it.
        let first = chains.iter().map(|chain| chain.next).min().unwrap_or(units);
        let state = ChainsState { waiting: BTreeMap::new(), chains, spare: Vec::new(), stopped: false };
        Chains {
            state: Mutex::new(state),
            changed: Condvar::new(),
            first,
            units,
            window: if is_tight() { 2 } else { WINDOW } + threads as u64,
        }
    }

    fn lock(&self) -> MutexGuard<'_, ChainsState> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Returns the next unit of the slowest chain, or `units` if no chain is left.
    fn slowest(&self, state: &ChainsState) -> u64 {
        state.chains.iter().map(|chain| chain.next).min().unwrap_or(self.units)
    }

    /// Returns the units that some chain needs.
    pub(crate) fn wanted(&self) -> Range<u64> {
        self.first..self.units
    }

    /// Returns a buffer for a unit, once the chains are close enough, or `None` if they were stopped.
    pub(crate) fn buffer(&self, unit: u64, len: usize) -> Option<Vec<u8>> {
        let mut state = self.lock();
        // No deadlock: units are handed out in ascending order, so the unit that the slowest chain
        // needs has been taken, and its reader does not wait here, as it is not ahead of that
        // chain.
        while !state.stopped && unit >= self.slowest(&state).saturating_add(self.window) {
            state = self.changed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        if state.stopped {
            return None;
        }
        // The window also limits the number of buffers: each one belongs to a unit in it.
        let mut buffer = state.spare.pop().unwrap_or_default();
        drop(state);
        buffer.resize(len, 0);
        Some(buffer)
    }

    /// Passes a unit to the chains.
    pub(crate) fn give(&self, unit: u64, data: Vec<u8>) {
        self.lock().waiting.insert(unit, Arc::new(data));
        self.changed.notify_all();
    }

    /// Stops all chains.
    pub(crate) fn stop(&self) {
        self.lock().stopped = true;
        self.changed.notify_all();
    }

    /// Runs chain `index` to its end. Returns `None` if it was stopped.
    pub(crate) fn run(&self, index: usize) -> Option<Digest> {
        // The chain owns its hasher while it runs. `follow` publishes copies for checkpoints.
        let mut hasher = self.lock().chains[index].hasher.take()?;
        let whole = self.follow(index, |unit, data| {
            hasher.update(data);
            // Copies are rare, because some hashers are large, and 64 MiB are soon hashed again.
            (unit + 1).is_multiple_of(KEEP_EVERY).then(|| (hasher.clone(), unit + 1))
        });
        whole.then(|| hasher.finish())
    }

    /// Hashes the leaves of `wanted` sequentially, as chain `index`, and passes each digest to `done`.
    ///
    /// # Errors
    /// Returns the error of `done`, which stops all chains.
    pub(crate) fn run_leaves(
        &self,
        index: usize,
        plan: &Plan,
        wanted: Vec<Range<u64>>,
        done: impl Fn(PieceOutcome) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut leaves = wanted.into_iter().flatten().map(|piece| (piece, plan.piece(piece)));
        let hasher = plan.piece_hasher().expect("these pieces are leaves");
        let mut current = leaves.next().map(|leaf| (leaf, hasher.clone()));
        let mut hash = |offset: u64, data: &[u8]| -> Result<(), Error> {
            let end = offset + data.len() as u64;
            while let Some(((piece, range), leaf)) = &mut current {
                // A leaf may begin or end outside of this unit, or have no part in it.
                let here = range.start.clamp(offset, end)..range.end.clamp(offset, end);
                leaf.update(&data[(here.start - offset) as usize..(here.end - offset) as usize]);
                if range.end > end {
                    break;
                }
                done(PieceOutcome::Digests(*piece, vec![leaf.finish_reset()]))?;
                current = leaves.next().map(|leaf| (leaf, hasher.clone()));
            }
            Ok(())
        };
        // An empty file has no units, but one leaf.
        hash(0, &[]).inspect_err(|_| self.stop())?;
        self.run_each(index, |unit, data| hash(unit * UNIT, data)).map(|_| ())
    }

    /// Passes every unit that chain `index` needs to `feed`, in order. Returns false if it was stopped.
    ///
    /// # Errors
    /// Returns the error of `feed`, which stops all chains.
    pub(crate) fn run_each(
        &self,
        index: usize,
        mut feed: impl FnMut(u64, &[u8]) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        let mut result = Ok(());
        let whole = self.follow(index, |unit, data| {
            if result.is_ok() {
                result = feed(unit, data);
            }
            // `follow` has no way to report an error: it ends because the chains are stopped.
            if result.is_err() {
                self.stop();
            }
            None
        });
        result.map(|()| whole)
    }

    /// Passes the units that a chain needs to `feed`, in order. `feed` may return a state to keep. Returns false if it
    /// was stopped.
    fn follow(&self, index: usize, mut feed: impl FnMut(u64, &[u8]) -> Option<(Hasher, u64)>) -> bool {
        loop {
            let mut state = self.lock();
            let unit = state.chains[index].next;
            // Tested before `stopped`: a chain that has processed everything has a valid digest.
            if unit >= self.units {
                return true;
            }
            let data = loop {
                if state.stopped {
                    return false;
                }
                match state.waiting.get(&unit) {
                    Some(data) => break data.clone(),
                    None => state = self.changed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner()),
                }
            };
            drop(state);
            // The state is not locked while a unit is hashed, which takes most of the time.
            let kept = feed(unit, &data);
            // Dropped before `next` advances: the chain that is the last one to do so can then take
            // the buffer out of its `Arc` and reuse it.
            drop(data);
            let mut state = self.lock();
            let chain = &mut state.chains[index];
            chain.next = unit + 1;
            if kept.is_some() {
                chain.checkpoint = kept;
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

    /// Returns a recent state of the chains: the hashers and the number of units they have processed.
    pub(crate) fn recent_state(&self) -> Vec<(Hasher, u64)> {
        self.lock().chains.iter().filter_map(|chain| chain.checkpoint.clone()).collect()
    }
}
