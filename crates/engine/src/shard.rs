//! Divides work between machines that share only a file system: a plan, one part for each of its bundles, and the
//! merged result (`docs/spec/shards.md`).
//!
//! A plan ([`mod@plan`]) lists files in order and divides the list into bundles. Any machine that
//! has the plan can compute a bundle and write its part ([`mod@part`]). [`mod@merge`] checks all
//! parts against the plan and returns the same entries that a single run would have produced, or
//! reports missing parts and results. A part does not reveal which machine computed it, or when.

mod line;
pub mod merge;
pub mod part;
pub mod plan;
mod planning;
mod repeated;
mod replan;
mod state;

pub use plan::Sizes;
pub use planning::{Planned, plan};
pub use replan::{Replanned, replan, reuse_parts};
pub use state::State;
