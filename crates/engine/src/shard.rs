//! Work divided between machines that share nothing but a file system: a plan, a part for each of its bundles, and what all
//! parts come to (`docs/spec/shards.md`).
//!
//! A [`plan`] lists files in order and cuts the list into bundles. Whoever has the plan computes one bundle into one [`part`]. [`merge`]
//! holds all parts against the plan and gives the entries of one manifest, those that a single run would have given, or says
//! what is not known. Nothing in a part tells who computed it, or when.

mod line;
pub mod merge;
pub mod part;
pub mod plan;
mod planning;
mod repeated;
mod state;

pub use planning::{Planned, plan};
pub use state::State;

use crate::error::{Cause, Error};
use std::path::Path;

/// How large bundles are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes: a file that would make a bundle larger begins the next one, and one that is larger by itself is cut, if all digests
    /// can be.
    pub bytes: u64,
    /// Files.
    pub files: u64,
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes { bytes: 64 << 30, files: 100_000 }
    }
}

/// Says of a plan or a part why it cannot be used.
fn unusable(path: &Path, why: impl Into<String>) -> Error {
    use std::os::unix::ffi::OsStrExt;
    Error::new(path.as_os_str().as_bytes(), "use", Cause::Other(why.into()))
}
