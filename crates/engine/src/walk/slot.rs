//! A folder's listing, made once: by a helper ahead of time, or by the consumer where it comes first.
//!
//! The consumer waits for a helper only while that helper lists the folder, and a helper that ends without a listing says
//! so too: nobody waits for what nobody does. `tests/shutdown.rs` runs this file under a model checker.

use crate::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Where the listing of a folder is handed over.
#[derive(Debug)]
pub(crate) struct ListingSlot<L> {
    state: Mutex<SlotState<L>>,
    moved: Condvar,
}

#[derive(Debug)]
enum SlotState<L> {
    /// Nobody has begun.
    Open,
    /// A helper lists it.
    Begun,
    Listed(L),
    /// Taken, or not wanted.
    Over,
}

impl<L> ListingSlot<L> {
    pub(crate) fn new() -> ListingSlot<L> {
        ListingSlot { state: Mutex::new(SlotState::Open), moved: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, SlotState<L>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A helper's turn, if nobody else has begun or is past it.
    pub(crate) fn begin(&self) -> Option<Begun<'_, L>> {
        let mut state = self.lock();
        if !matches!(*state, SlotState::Open) {
            return None;
        }
        *state = SlotState::Begun;
        Some(Begun { slot: self })
    }

    /// The consumer's turn: the listing of a helper, which is waited for if it has begun. Nothing if none has, and none
    /// will then.
    pub(crate) fn take(&self) -> Option<L> {
        let mut state = self.lock();
        while matches!(*state, SlotState::Begun) {
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match std::mem::replace(&mut *state, SlotState::Over) {
            SlotState::Listed(listing) => Some(listing),
            SlotState::Open | SlotState::Begun | SlotState::Over => None,
        }
    }

    /// The folder is not wanted.
    pub(crate) fn give_up(&self) {
        let before = std::mem::replace(&mut *self.lock(), SlotState::Over);
        drop(before);
    }

    /// The listing that nobody took.
    pub(crate) fn into_listed(self) -> Option<L> {
        match self.state.into_inner().unwrap_or_else(PoisonError::into_inner) {
            SlotState::Listed(listing) => Some(listing),
            SlotState::Open | SlotState::Begun | SlotState::Over => None,
        }
    }
}

/// A listing under way.
pub(crate) struct Begun<'a, L> {
    slot: &'a ListingSlot<L>,
}

impl<L> Begun<'_, L> {
    /// Hands the listing over, if it is still wanted.
    pub(crate) fn put(self, listing: L) {
        let mut state = self.slot.lock();
        if matches!(*state, SlotState::Begun) {
            *state = SlotState::Listed(listing);
        }
    }
}

impl<L> Drop for Begun<'_, L> {
    /// Without a listing, the consumer makes one itself.
    fn drop(&mut self) {
        let mut state = self.slot.lock();
        if matches!(*state, SlotState::Begun) {
            *state = SlotState::Over;
        }
        drop(state);
        self.slot.moved.notify_all();
    }
}
