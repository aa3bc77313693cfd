//! A saved run: everything that was measured, with what it was measured on.
//!
//! Tables, charts and reports are computed from a record and nothing else, so that a saved run gives the same report years
//! later, and two runs can be compared. Times are kept as samples, not as averages.

pub mod compare;
mod date;
mod measurement;
mod run;

pub use date::utc;
pub use measurement::Measurement;
pub use run::{Agreement, Engine, Missing, Record, SCHEMA};
