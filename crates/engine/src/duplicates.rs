//! Files of one content under several names: by size, then by their first block, then by a digest of the whole.
//!
//! Nothing is taken for equal but by the digest of two whole reads; sizes and first blocks only tell what need not be read.
//! Names of one file (hard links) are no copies, and are told apart from them.

mod first;
mod meeting;
mod search;
mod telling;

pub use search::duplicates;
pub use telling::{Event, Group, Met, Options, Report, Tell};
