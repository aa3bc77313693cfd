//! Checking: a manifest's entries as tasks, and the files that no entry lists.
//!
//! Entries stream from the manifest into the run, so memory does not grow with their number; all that is kept of a name is
//! a hash of eight bytes, by which a walk of the root afterwards recognises what was listed.

pub mod entries;
pub mod listed;
pub mod unlisted;
