//! macOS and FreeBSD: the concepts that they share with Linux, and their own.

use super::guarantees::Guarantees;
#[cfg(feature = "signals")]
pub(crate) use super::unix::signals;
pub(crate) use super::unix::{
    attributes, console, lock, machine, name, open, process, standard, stat, temporary, wait, waits,
};
pub(crate) use super::unmapped as mapped;

pub(crate) mod clock;
pub(crate) mod data;
pub(crate) mod device;
pub mod extended;
pub(crate) mod folder;
pub(crate) mod lease;
pub(crate) mod limits;
pub(crate) mod mounts;
pub(crate) mod path;
pub(crate) mod placeholder;
pub(crate) mod replace;
pub(crate) mod resolve;
pub(crate) mod volume;
pub(crate) mod writeback;

/// What macOS and FreeBSD guarantee.
pub(crate) const GUARANTEES: Guarantees = Guarantees {
    follows_links_inside: false,
    notices_writers: false,
    reads_hard_links_once: false,
    maps_files: false,
    leaves_nothing_when_killed: false,
    writes_below_long_paths: false,
};
