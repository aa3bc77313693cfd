//! Measures checksum algorithms, tools and disks, and draws the answer.
//!
//! [`models::MODELS`] is the table: each row has a definition in TOML, a run that returns a [`record::Record`], and views that
//! make sections of it. Each run checks first that all engines agree on the digest, then times. [`show`] spells the sections.
//!
//! [`command::run`] is the whole of `truesum bench`.

pub mod args;
pub mod command;
mod error;
pub mod measure;
pub mod models;
pub mod quantity;
pub mod readme;
pub mod record;
pub mod show;

pub use error::Error;
pub use measure::allocations;
pub use models::Session;
