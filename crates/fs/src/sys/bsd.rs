//! macOS and FreeBSD: the concepts that they share with Linux, and their own.

pub(crate) use guarantees::GUARANTEES;

#[cfg(feature = "signals")]
pub(crate) use super::unix::signals;
pub(crate) use super::unix::{
    attributes, console, lock, machine, name, open, process, standard, stat, temporary, usage, wait, waits,
    xattr,
};
pub(crate) use super::unmapped as mapped;
pub(crate) use super::unplaced as placement;

pub(crate) mod clock;
pub(crate) mod data;
pub(crate) mod device;
pub mod extended;
pub(crate) mod folder;
mod guarantees;
pub(crate) mod lease;
pub(crate) mod limits;
pub(crate) mod mounts;
pub(crate) mod path;
pub(crate) mod placeholder;
pub(crate) mod replace;
pub(crate) mod resolve;
pub(crate) mod volume;
pub(crate) mod writeback;
