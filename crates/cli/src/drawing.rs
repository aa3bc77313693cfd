//! Drawings: the outline of a tree, and maps and pages that show where files are damaged.

pub mod map;
pub mod outline;
pub mod page;
pub mod record;
mod style;
pub mod xml;
