//! Work divided between machines that share nothing but a file system: a plan, a part for each of its bundles, and what all
//! parts come to (`docs/spec/shards.md`).
//!
//! A plan ([`mod@plan`]) lists files in order and cuts the list into bundles. Whoever has the plan computes one bundle into one part
//! ([`mod@part`]). [`mod@merge`] holds all parts against the plan and gives the entries of one manifest, those that a single run
//! would have given, or says what is not known. Nothing in a part tells who computed it, or when.

mod line;
pub mod merge;
pub mod part;
pub mod plan;
mod planning;
mod repeated;
mod state;

pub use plan::Sizes;
pub use planning::{Planned, plan};
pub use state::State;
