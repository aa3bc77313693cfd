//! The error for one file, as `truesum-fs` defines it.

pub(crate) use truesum_fs::error::DIRECTORY;
pub use truesum_fs::error::{Cause, Error, Kind, StateFault, io_reason};
