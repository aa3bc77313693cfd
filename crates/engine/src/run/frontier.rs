//! The position up to which outcomes have been delivered. This is where a worker without work
//! sleeps until other threads make progress, and this comment proves that none sleeps forever.
//!
//! Workers take tasks at most a window ahead of the delivered outcomes. A worker that has nothing left to do waits here
//! until the frontier has moved far enough, or is closed, which ends all waiting. Four rules make this safe:
//!
//! 1. *A sleeping worker holds nothing*: no open file, no finished result, no name that waits for a hard link's digest.
//! 2. *Every task taken is held by a worker that is awake, is in the channel, or has been delivered.* By rule 1, no
//!    sleeper holds one. As long as workers are awake and the calling thread empties the channel, the frontier reaches
//!    everything that was taken, which is farther than any sleeper waits for: a window is never shorter than what a
//!    worker waits for.
//! 3. *A worker that leaves, however it leaves, closes the frontier* ([`FrontierGuard`]). At the end of all tasks, no worker
//!    needs to wait any more. After a stop, an error of the sink or a panic, tasks were dropped and the frontier will
//!    never pass them: rule 2 no longer holds, so no worker may wait.
//! 4. *A worker that dropped a task does not wait but leaves*: it saw the stop flag, which is never reset, and tests it
//!    again before it requests more.
//!
//! Workers also wait for a permit to hash and for the lock of a spinning disk (`Feeder`). A worker
//! that has one of these returns it before it can wait here, so these waits end as well.
//!
//! The calling thread waits for one message from each worker, which is sent when the worker is dropped, after it has
//! left. So it returns as soon as all workers do, and they test the stop flag between two slices of work.
//! `tests/shutdown.rs` runs this file under a model checker, which tries all interleavings.

use crate::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A position in the order of tasks that only moves forward.
pub(crate) struct Frontier {
    state: Mutex<FrontierState>,
    moved: Condvar,
}

struct FrontierState {
    /// All tasks before this one have been delivered.
    place: u64,
    closed: bool,
    /// The nearest position that a worker waits for.
    wanted: u64,
}

impl Frontier {
    /// Returns a frontier at the start.
    pub(crate) fn new() -> Frontier {
        Frontier {
            state: Mutex::new(FrontierState { place: 0, closed: false, wanted: u64::MAX }),
            moved: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, FrontierState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the position before which all tasks have been delivered, or `None` if waiting has ended.
    pub(crate) fn place(&self) -> Option<u64> {
        let state = self.lock();
        (!state.closed).then_some(state.place)
    }

    /// Records that all tasks before `place` have been delivered.
    pub(crate) fn advance(&self, place: u64) {
        let mut state = self.lock();
        state.place = place;
        // Most steps reach no waiting worker and wake none. Workers that are woken too early enter
        // `wanted` again before they sleep.
        if place >= state.wanted {
            state.wanted = u64::MAX;
            self.moved.notify_all();
        }
    }

    /// Waits until all tasks before `place` have been delivered, or the frontier is closed.
    pub(crate) fn wait(&self, place: u64) {
        let mut state = self.lock();
        while !state.closed && state.place < place {
            state.wanted = state.wanted.min(place);
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends all waiting permanently.
    pub(crate) fn close(&self) {
        // Workers test `closed` under the same lock before they sleep, so none of them misses this.
        self.lock().closed = true;
        self.moved.notify_all();
    }
}

/// Closes the frontier when it is dropped. A worker holds one for as long as it works.
pub(crate) struct FrontierGuard<'a>(pub(crate) &'a Frontier);

impl Drop for FrontierGuard<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
