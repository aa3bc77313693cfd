//! Walks, reads, hashes and verifies files: the library behind the `truesum` program.
//!
//! [`run()`] takes [`Task`]s (files to hash, or to compare with what is expected) and gives outcomes to a [`Sink`], on all
//! cores, in order and in bounded memory. A digest comes out only of a file that was read to its end without error and did
//! not change meanwhile. [`hash`] and [`manifest`] are the crates underneath.

mod ahead;
pub mod check;
mod device;
pub mod error;
mod feed;
pub mod job;
mod links;
mod mapped;
pub mod open;
mod pieces;
pub mod progress;
pub mod read;
pub mod run;
pub mod tree;
mod waits;
pub mod walk;
mod worker;
pub mod write;

pub use error::{Cause, Error};
pub use job::{Found, Job, Outcome, Summary, Verdict};
pub use open::{Root, Special};
pub use progress::Progress;
pub use run::{Config, Notice, Order, Sink, Task, run};
pub use truesum_hash as hash;
pub use truesum_manifest as manifest;
pub use walk::Walk;
pub use write::AtomicFile;
