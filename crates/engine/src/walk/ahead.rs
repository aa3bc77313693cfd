//! Threads that list folders before the consumer of a walk reaches them.

use crate::walk::listing::{Entry, Met, Slot, SlotState, join, list, lock};
use rustix::fs::FileType;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Gives the folders among these entries a slot each, if they have none; the next one to be reached is last.
pub(super) fn slots(path: &[u8], entries: &mut [Entry]) -> Vec<(Vec<u8>, Arc<Slot>)> {
    let folders =
        entries.iter_mut().rev().filter(|entry| entry.kind == FileType::Directory && entry.slot.is_none());
    let offer = |entry: &mut Entry| {
        let slot = entry.slot.insert(Arc::default()).clone();
        (join(path, entry.folder_name()), slot)
    };
    folders.map(offer).collect()
}

/// Threads that list folders ahead of the consumer.
pub(super) struct Ahead {
    pub(super) shared: Arc<Shared>,
}

#[derive(Default)]
pub(super) struct Shared {
    /// Folders to list; the next one to be reached is last.
    pub(super) folders: Mutex<Vec<(Vec<u8>, Arc<Slot>)>>,
    pub(super) more: Condvar,
    ended: AtomicBool,
    /// Entries listed and not yet consumed: the bound on memory.
    waiting: Arc<AtomicUsize>,
    met: Arc<Met>,
    /// Whether folders found by helpers are listed ahead too.
    deep: bool,
}

/// Entries that may wait for the consumer before helpers pause.
const AHEAD: usize = 1 << 16;

impl Ahead {
    pub(super) fn start(threads: usize, deep: bool, met: Arc<Met>) -> Ahead {
        let shared = Arc::new(Shared { met, deep, ..Shared::default() });
        for _ in 0..threads {
            let shared = shared.clone();
            // A helper that cannot be started is not missed: the consumer lists what nobody took.
            let _ = std::thread::Builder::new().name("walk".to_owned()).spawn(move || shared.help());
        }
        Ahead { shared }
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.shared.ended.store(true, Relaxed);
        let _guard = lock(&self.shared.folders);
        self.shared.more.notify_all();
    }
}

impl Shared {
    fn help(&self) {
        let mut folders = lock(&self.folders);
        while !self.ended.load(Relaxed) {
            let full = self.waiting.load(Relaxed) > AHEAD;
            let next = if full { None } else { folders.pop() };
            let Some((path, slot)) = next else {
                // While full, look again now and then: the consumer does not tell.
                let wait = std::time::Duration::from_millis(if full { 2 } else { 1000 });
                folders = self.more.wait_timeout(folders, wait).unwrap_or_else(PoisonError::into_inner).0;
                continue;
            };
            drop(folders);
            self.list(&path, &slot);
            folders = lock(&self.folders);
        }
    }

    fn list(&self, path: &[u8], slot: &Slot) {
        {
            let mut state = lock(&slot.state);
            if !matches!(*state, SlotState::Waiting) {
                return;
            }
            *state = SlotState::Taken;
        }
        let mut listing = list(path, &self.met);
        let mut offered = Vec::new();
        if let (Ok(listing), true) = (&mut listing, self.deep) {
            listing.entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
            offered = slots(path, &mut listing.entries);
        }
        let mut state = lock(&slot.state);
        if matches!(*state, SlotState::Taken) {
            if let Ok(listing) = &listing {
                self.waiting.fetch_add(listing.entries.len(), Relaxed);
            }
            *state = SlotState::Listed(listing, self.waiting.clone());
        }
        slot.listed.notify_all();
        drop(state);
        if !offered.is_empty() {
            lock(&self.folders).extend(offered);
            self.more.notify_all();
        }
    }
}
