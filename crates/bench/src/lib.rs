//! Measures checksum algorithms, tools and disks, and presents the results.
//!
//! [`models::MODELS`] is the table: each row has a definition in TOML, a run that returns a [`record::Record`], and
//! views that turn it into sections. Each run first checks that all engines agree on the digest, then measures times.
//! [`show`] formats the sections.
//!
//! [`command::run`] implements `truesum bench`.

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
