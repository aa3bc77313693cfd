//! Which files have one of these digests, wherever they lie and whatever they are called.
//!
//! All that a digest may be of is computed in one read of each file; where sizes are known, files of other sizes are not read.

mod candidates;
mod search;
mod wanted;

pub use search::{Conclusion, Event, Found, Report, Search};
pub use wanted::Wanted;
