//! A saved run: all measurements, and the machine they were taken on.
//!
//! Tables, charts and reports are computed from a record alone, so that a saved run gives the same report years later,
//! and two runs can be compared. Times are stored as samples, not as averages.

pub mod compare;
mod date;
mod measurement;
mod run;

pub use date::utc;
pub use measurement::Measurement;
pub use run::{Agreement, Engine, Missing, Record, SCHEMA};
