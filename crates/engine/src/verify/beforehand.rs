//! Items that a thread of their own makes while whoever wants them takes those before.

use crate::io::room::thread;
use crossbeam_channel::bounded;
use std::sync::{Mutex, PoisonError};

/// Items that are made before it is worth a thread to make the others.
const FEW: usize = 4096;
/// Items that change hands at a time, and batches that wait.
const BATCH: usize = 512;
const WAITING: usize = 4;

/// Gives all items to `take`, in order, until it wants no more. Then up to some thousand were made in vain, so they must not be
/// such as somebody waits for.
///
/// # Errors
/// That of `take`.
pub(crate) fn beforehand<T: Send, E>(
    mut items: impl Iterator<Item = T> + Send,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    for _ in 0..FEW {
        match items.next() {
            Some(item) => take(item)?,
            None => return Ok(()),
        }
    }
    let items = &Mutex::new(items);
    let items_of = || items.lock().unwrap_or_else(PoisonError::into_inner);
    let (sender, receiver) = bounded::<Vec<T>>(WAITING);
    let make = move || {
        let mut items = items_of();
        loop {
            let batch: Vec<T> = items.by_ref().take(BATCH).collect();
            if batch.is_empty() || sender.send(batch).is_err() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        match thread("parse").and_then(|builder| builder.spawn_scoped(scope, make).ok()) {
            Some(_) => receiver.into_iter().flatten().try_for_each(take),
            None => items_of().try_for_each(take),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn all_are_taken_in_order() {
        for count in [0, 1, FEW - 1, FEW, FEW + 1, FEW + BATCH, FEW + 9 * BATCH + 7] {
            let mut taken = Vec::new();
            let all = beforehand(0..count, |item| {
                taken.push(item);
                Ok::<(), ()>(())
            });
            assert_eq!(all, Ok(()));
            assert!(taken.into_iter().eq(0..count), "{count}");
        }
    }

    #[test]
    fn none_is_taken_after_an_error_and_few_are_made() {
        for last in [0, FEW - 1, FEW, FEW + 3 * BATCH] {
            let (made, mut taken) = (AtomicUsize::new(0), 0);
            let items = (0..1_000_000).inspect(|_| {
                made.fetch_add(1, Ordering::Relaxed);
            });
            let ended = beforehand(items, |item| {
                taken += 1;
                if item == last { Err(item) } else { Ok(()) }
            });
            assert_eq!((ended, taken), (Err(last), last + 1));
            assert!(made.into_inner() <= last + 1 + (WAITING + 3) * BATCH);
        }
    }
}
