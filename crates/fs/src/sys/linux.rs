//! Linux: the concepts that it shares with other Unix systems, and its own.

#[cfg(feature = "signals")]
pub(crate) use super::unix::signals;
pub(crate) use super::unix::{
    attributes, console, lock, machine, name, open, process, standard, stat, temporary, wait, waits,
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
pub(crate) mod replace;
pub(crate) mod resolve;
#[cfg(test)]
mod tests;
pub(crate) mod volume;
pub(crate) mod writeback;
