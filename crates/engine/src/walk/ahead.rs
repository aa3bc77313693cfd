//! Threads that list folders before the consumer of a walk reaches them.

use crate::io::anchor::Anchor;
use crate::io::memory_limit::thread;
use crate::walk::ancestry::Ancestry;
use crate::walk::listing::{Entry, ListingJob, Pending, WaitingShare, list};
use crate::walk::slot::ListingSlot;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use truesum_fs::metadata::FileType;

/// Returns offers for the folders among the entries of `folder_path` that have not been offered yet; the next one to be reached
/// is last.
pub(super) fn listing_jobs(
    folder_path: &Arc<Ancestry>,
    anchor: &Anchor,
    entries: &mut [Entry],
) -> Vec<ListingJob> {
    let folders =
        entries.iter_mut().rev().filter(|entry| entry.kind == FileType::Directory && entry.job.is_none());
    let job = |entry: &mut Entry| {
        let folder_path = folder_path.down(entry.folder_name(), anchor.clone());
        entry.job.insert(ListingJob { folder_path, slot: Arc::new(ListingSlot::new()) }).clone()
    };
    folders.map(job).collect()
}

/// Threads that list folders ahead of the consumer. They end when this is dropped.
pub(super) struct ListAhead {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Folders to list; the next one to be reached is last.
    folders: Mutex<Vec<ListingJob>>,
    more: Condvar,
    ended: AtomicBool,
    /// The number of entries listed and not yet consumed, which bounds memory.
    waiting: Arc<AtomicUsize>,
    pending: Arc<Pending>,
    /// Whether folders found by helpers are listed ahead too.
    deep: bool,
}

/// The number of waiting entries at which helpers pause.
const AHEAD: usize = 1 << 16;

impl ListAhead {
    pub(super) fn start(threads: usize, deep: bool, pending: Arc<Pending>) -> ListAhead {
        let shared = Arc::new(Shared { pending, deep, ..Shared::default() });
        for _ in 0..threads {
            let shared = shared.clone();
            // If a helper cannot be started, the consumer lists the remaining folders.
            let _ = thread("walk").map(|builder| builder.spawn(move || shared.help()));
        }
        ListAhead { shared }
    }

    /// Offers folders to list, the next one to be reached last.
    pub(super) fn offer(&self, folders: Vec<ListingJob>) {
        self.shared.offer(folders);
    }
}

impl Drop for ListAhead {
    fn drop(&mut self) {
        // Before the lock: a helper tests `ended` and then waits without releasing the lock in
        // between, so it either sees the end or is waiting when it is notified. Helpers are not
        // joined, since one may wait for a slow disk.
        self.shared.ended.store(true, Relaxed);
        // Folders that will not be listed any more, which may be open.
        let left = std::mem::take(&mut *self.shared.lock());
        self.shared.more.notify_all();
        drop(left);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Vec<ListingJob>> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn offer(&self, folders: Vec<ListingJob>) {
        if !folders.is_empty() {
            self.lock().extend(folders);
            self.more.notify_all();
        }
    }

    fn help(&self) {
        let mut folders = self.lock();
        while !self.ended.load(Relaxed) {
            let full = self.waiting.load(Relaxed) > AHEAD;
            let Some(job) = (if full { None } else { folders.pop() }) else {
                // When full, poll: the consumer does not notify helpers, as it would have to for
                // every folder.
                let wait = std::time::Duration::from_millis(if full { 2 } else { 1000 });
                folders = self.more.wait_timeout(folders, wait).unwrap_or_else(PoisonError::into_inner).0;
                continue;
            };
            drop(folders);
            self.list(job);
            folders = self.lock();
        }
    }

    fn list(&self, ListingJob { folder_path, slot }: ListingJob) {
        // The consumer may have been faster: its folders stay in the queue.
        let Some(begun) = slot.begin() else { return };
        let mut listing = list(&folder_path, &self.pending);
        let mut listed = Vec::new();
        if let Ok(listing) = &mut listing {
            if self.deep {
                listing.entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
                listed = listing_jobs(&folder_path, &listing.anchor, &mut listing.entries);
            }
            // Counted before the consumer can take the listing and release its share.
            listing.waits = Some(WaitingShare::new(listing.entries.len(), &self.waiting));
        }
        // The consumer may wait for this, so it comes before the offer, which takes a lock.
        begun.put(listing);
        self.offer(listed);
    }
}
