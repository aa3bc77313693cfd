//! The locks with which threads wait for each other: those of the standard library, which `tests/shutdown.rs` replaces
//! with those of a model checker.

pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
