//! Windows.

use super::guarantees::Guarantees;
pub(crate) use super::unmapped as mapped;
pub(crate) use super::unplaced as placement;

pub(crate) mod attributes;
pub(crate) mod clock;
pub(crate) mod codes;
pub(crate) mod console;
pub(crate) mod data;
pub(crate) mod device;
mod failure;
pub(crate) mod folder;
pub(crate) mod lease;
pub(crate) mod limits;
pub(crate) mod lock;
pub(crate) mod machine;
pub(crate) mod mounts;
pub mod name;
mod native;
pub(crate) mod open;
pub(crate) mod process;
pub(crate) mod replace;
pub(crate) mod resolve;
#[cfg(feature = "signals")]
pub mod signals;
pub mod standard;
pub(crate) mod stat;
pub mod temporary;
pub(crate) mod usage;
pub(crate) mod volume;
pub mod wait;
pub(crate) mod waits;
pub(crate) mod writeback;
pub(crate) mod xattr;

/// What Windows guarantees.
pub(crate) const GUARANTEES: Guarantees = Guarantees {
    follows_links_inside: false,
    notices_writers: true,
    reads_hard_links_once: false,
    maps_files: false,
    leaves_nothing_when_killed: false,
    writes_below_long_paths: false,
};
