//! The locks of the places where threads wait for each other: those of the standard library, in whose place
//! `tests/shutdown.rs` puts a model checker's.

pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
