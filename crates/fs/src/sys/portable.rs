//! Linux as if it were macOS or FreeBSD, to test on Linux what those systems run.
//!
//! `RUSTFLAGS='--cfg truesum_fs="portable"'` selects this table. The files in `linux/` are those for which there is no
//! portable call: the clock of timestamps, extended attributes, bind mounts, and the path of an open file.

pub(crate) use guarantees::GUARANTEES;

#[cfg(feature = "signals")]
pub(crate) use super::unix::signals;
pub(crate) use super::unix::{
    attributes, console, lock, machine, name, open, process, standard, stat, temporary, usage, wait, waits,
    xattr,
};
pub(crate) use super::unmapped as mapped;
pub(crate) use super::unplaced as placement;

#[path = "linux/clock.rs"]
pub(crate) mod clock;
#[path = "bsd/data.rs"]
pub(crate) mod data;
#[path = "bsd/device.rs"]
pub(crate) mod device;
#[path = "linux/extended.rs"]
pub mod extended;
#[path = "bsd/folder.rs"]
pub(crate) mod folder;
#[path = "bsd/guarantees.rs"]
mod guarantees;
#[path = "bsd/lease.rs"]
pub(crate) mod lease;
#[path = "bsd/limits.rs"]
pub(crate) mod limits;
#[path = "linux/mounts.rs"]
pub(crate) mod mounts;
#[path = "linux/path.rs"]
pub(crate) mod path;
#[path = "bsd/placeholder.rs"]
pub(crate) mod placeholder;
#[path = "bsd/replace.rs"]
pub(crate) mod replace;
#[path = "bsd/resolve.rs"]
pub(crate) mod resolve;
#[path = "portable/volume.rs"]
pub(crate) mod volume;
#[path = "bsd/writeback.rs"]
pub(crate) mod writeback;
