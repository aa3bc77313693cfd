//! Limits the number of concurrent requests: lowered when a service asks for fewer, and slowly raised again.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Successful answers after which the limit is raised by one.
const SUCCESSES_PER_RAISE: usize = 32;

/// Admits requests before they are sent.
#[derive(Debug)]
pub(crate) struct Gate {
    free: Semaphore,
    /// Concurrent requests allowed, now and at most.
    allowed: AtomicUsize,
    most: usize,
    successes: AtomicUsize,
}

impl Gate {
    pub(crate) fn new(most: usize) -> Gate {
        Gate {
            free: Semaphore::new(most),
            allowed: AtomicUsize::new(most),
            most,
            successes: AtomicUsize::new(0),
        }
    }

    /// Waits until another request is allowed.
    pub(crate) async fn enter(&self) -> Option<SemaphorePermit<'_>> {
        self.free.acquire().await.ok()
    }

    /// Lowers the limit by one after a throttled request, so that the limit falls by the share of requests that are
    /// refused.
    pub(crate) fn throttled(&self, permit: Option<SemaphorePermit<'_>>) {
        let fewer = self.allowed.fetch_update(Relaxed, Relaxed, |allowed| (allowed > 1).then(|| allowed - 1));
        if let (Ok(_), Some(permit)) = (fewer, permit) {
            permit.forget();
        }
    }

    /// Records a successful answer.
    pub(crate) fn succeeded(&self) {
        if self.allowed.load(Relaxed) < self.most
            && self.successes.fetch_add(1, Relaxed) % SUCCESSES_PER_RAISE == SUCCESSES_PER_RAISE - 1
        {
            self.allowed.fetch_add(1, Relaxed);
            self.free.add_permits(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gate_closes_on_throttling_and_reopens_on_success() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let gate = Gate::new(4);
        for _ in 0..10 {
            let permit = runtime.block_on(gate.enter());
            gate.throttled(permit);
        }
        assert_eq!(
            (gate.allowed.load(Relaxed), gate.free.available_permits()),
            (1, 1),
            "one is always allowed"
        );
        (0..100 * SUCCESSES_PER_RAISE).for_each(|_| gate.succeeded());
        assert_eq!(
            (gate.allowed.load(Relaxed), gate.free.available_permits()),
            (4, 4),
            "and never more than asked"
        );
    }
}
