//! Finds files that have one of the given digests, wherever they are and whatever their names are.
//!
//! All algorithms that a digest may belong to are computed in a single read of each file. If sizes are known, files of
//! other sizes are not read.

mod candidates;
mod search;
mod wanted;

pub use search::{Conclusion, Event, Match, Report, Search};
pub use wanted::Wanted;
