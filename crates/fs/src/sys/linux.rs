//! Linux: the concepts that it shares with other Unix systems, and its own.

use super::guarantees::Guarantees;
#[cfg(feature = "signals")]
pub(crate) use super::unix::signals;
pub(crate) use super::unix::{
    attributes, console, lock, machine, name, open, process, standard, stat, temporary, usage, wait, waits,
    xattr,
};

pub(crate) mod clock;
pub(crate) mod data;
pub(crate) mod device;
pub mod extended;
pub(crate) mod folder;
mod guard;
pub(crate) mod lease;
pub(crate) mod limits;
pub(crate) mod mapped;
pub(crate) mod mounts;
pub(crate) mod path;
pub(crate) mod placeholder;
pub(crate) mod placement;
pub(crate) mod replace;
pub(crate) mod resolve;
#[cfg(test)]
mod tests;
pub(crate) mod volume;
pub(crate) mod writeback;

/// What Linux guarantees (since 5.6, which has `openat2`).
pub(crate) const GUARANTEES: Guarantees = Guarantees {
    follows_links_inside: true,
    notices_writers: true,
    reads_hard_links_once: true,
    maps_files: true,
    leaves_nothing_when_killed: true,
    writes_below_long_paths: true,
};
