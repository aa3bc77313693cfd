//! How far results were handed out: the one place where a worker sleeps until another thread gets on, and the proof that
//! none sleeps for ever.
//!
//! Workers take tasks at most a window ahead of what was handed out; one that has nothing left to do waits here. It wakes
//! when the frontier has moved far enough, or when it is closed, and then there is no more waiting. Four rules make this
//! safe:
//!
//! 1. *A worker that sleeps holds nothing*: no open file, no finished result, no name that waits for a hard link's digest.
//! 2. *Every task taken is held by a worker that is awake, is in the channel, or was handed out.* By the first rule no
//!    sleeper holds one. As long as workers are awake and the calling thread empties the channel, the frontier reaches all
//!    that was taken, and that is farther than any sleeper waits for: a window is never shorter than what is waited for.
//! 3. *A worker that leaves, however it leaves, closes the frontier* ([`Leaving`]). At the end of all tasks nobody needs to
//!    wait any more. After a stop, an error of the sink or a panic, tasks were dropped and the frontier will never pass
//!    them: rule 2 no longer holds, so nobody may wait.
//! 4. *A worker that dropped a task does not wait but leaves*: it saw the stop flag, which is never taken back, and looks at
//!    it again before it asks for more.
//!
//! The calling thread waits for one message of each worker, which is sent when the worker is dropped, after it has left.
//! So it comes back as soon as all workers do, and they look at the stop flag between two slices of work.
//! `tests/shutdown.rs` runs this file under a model checker, which tries all interleavings.

use crate::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A place in the order of tasks that only moves on.
pub(crate) struct Frontier {
    state: Mutex<FrontierState>,
    moved: Condvar,
}

struct FrontierState {
    /// All tasks before this one were handed out.
    place: u64,
    closed: bool,
    /// The nearest place that somebody waits for.
    wanted: u64,
}

impl Frontier {
    /// Nothing was handed out.
    pub(crate) fn new() -> Frontier {
        Frontier {
            state: Mutex::new(FrontierState { place: 0, closed: false, wanted: u64::MAX }),
            moved: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, FrontierState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All tasks before this place were handed out; nothing if there is no more waiting.
    pub(crate) fn place(&self) -> Option<u64> {
        let state = self.lock();
        (!state.closed).then_some(state.place)
    }

    /// All tasks before `place` were handed out.
    pub(crate) fn advance(&self, place: u64) {
        let mut state = self.lock();
        state.place = place;
        if place >= state.wanted {
            state.wanted = u64::MAX;
            self.moved.notify_all();
        }
    }

    /// Waits until all tasks before `place` were handed out, or the frontier is closed.
    pub(crate) fn wait(&self, place: u64) {
        let mut state = self.lock();
        while !state.closed && state.place < place {
            state.wanted = state.wanted.min(place);
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends all waiting, for good.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.moved.notify_all();
    }
}

/// Closes the frontier when it is dropped: a worker holds one for as long as it works.
pub(crate) struct Leaving<'a>(pub(crate) &'a Frontier);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
