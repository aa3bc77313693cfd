//! The listing of a folder, which is made once: by a helper in advance, or by the consumer if it
//! gets there first.
//!
//! The consumer waits for a helper only while that helper lists the folder. A helper that ends
//! without a listing reports that, so the consumer never waits forever. `tests/shutdown.rs` runs
//! this file under a model checker.

use crate::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The place where the listing of a folder is handed over.
#[derive(Debug)]
pub(crate) struct ListingSlot<L> {
    state: Mutex<SlotState<L>>,
    moved: Condvar,
}

#[derive(Debug)]
enum SlotState<L> {
    /// No thread has started.
    Open,
    /// A helper is listing it.
    InProgress,
    Listed(L),
    /// It has been taken, or is not needed.
    Over,
}

impl<L> ListingSlot<L> {
    pub(crate) fn new() -> ListingSlot<L> {
        ListingSlot { state: Mutex::new(SlotState::Open), moved: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, SlotState<L>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a helper's listing, unless another thread has started or finished it.
    pub(crate) fn begin(&self) -> Option<ListingGuard<'_, L>> {
        let mut state = self.lock();
        if !matches!(*state, SlotState::Open) {
            return None;
        }
        *state = SlotState::InProgress;
        Some(ListingGuard { slot: self })
    }

    /// Returns a helper's listing to the consumer, waiting for it if the helper has started. If none has, returns
    /// `None`, and no helper will start.
    pub(crate) fn take(&self) -> Option<L> {
        let mut state = self.lock();
        // Every way out of a helper drops its `ListingGuard`, which ends this state.
        while matches!(*state, SlotState::InProgress) {
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match std::mem::replace(&mut *state, SlotState::Over) {
            SlotState::Listed(listing) => Some(listing),
            SlotState::Open | SlotState::InProgress | SlotState::Over => None,
        }
    }

    /// Records that the listing is not needed.
    pub(crate) fn give_up(&self) {
        // Only the consumer waits, and it is the one that calls this, so no thread needs to be woken.
        // The listing is dropped without the lock, because it may be large.
        let before = std::mem::replace(&mut *self.lock(), SlotState::Over);
        drop(before);
    }

    /// Returns the listing that was not taken.
    pub(crate) fn into_listed(self) -> Option<L> {
        match self.state.into_inner().unwrap_or_else(PoisonError::into_inner) {
            SlotState::Listed(listing) => Some(listing),
            SlotState::Open | SlotState::InProgress | SlotState::Over => None,
        }
    }
}

/// A listing in progress.
pub(crate) struct ListingGuard<'a, L> {
    slot: &'a ListingSlot<L>,
}

impl<L> ListingGuard<'_, L> {
    /// Hands over the listing, if it is still needed.
    pub(crate) fn put(self, listing: L) {
        let mut state = self.slot.lock();
        if matches!(*state, SlotState::InProgress) {
            *state = SlotState::Listed(listing);
        }
    }
}

impl<L> Drop for ListingGuard<'_, L> {
    /// Wakes the consumer, which lists the folder itself if there is no listing.
    fn drop(&mut self) {
        let mut state = self.slot.lock();
        if matches!(*state, SlotState::InProgress) {
            *state = SlotState::Over;
        }
        drop(state);
        self.slot.moved.notify_all();
    }
}
