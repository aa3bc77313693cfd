//! Finds files with the same content: by size, then by their first block, then by a digest of the complete content.
//!
//! Files count as equal only if the digests of two complete reads are equal; sizes and first blocks only determine
//! which files need not be read. Several names of one file (hard links) are not copies and are reported separately.

mod files;
mod first;
mod report;
mod search;

pub use report::{Event, FileCounts, Group, Observer, Options, Report};
pub use search::duplicates;
