//! Opens, reads, maps and writes files, and proves that a file was read to its end without error.

pub(crate) mod ahead;
pub mod anchor;
mod attributes;
mod complete_read;
pub(crate) mod device;
pub mod file_id;
mod guard;
pub mod input;
pub(crate) mod lease;
pub(crate) mod lock;
pub(crate) mod mapped;
pub mod mapping;
pub(crate) mod memory_limit;
pub mod open;
pub(crate) mod quiescence;
pub mod read;
pub(crate) mod rename;
pub(crate) mod resolve;
#[cfg(test)]
pub(crate) mod scratch;
pub(crate) mod source;
pub(crate) mod system;
pub(crate) mod temporary;
pub mod version;
pub(crate) mod waits;
pub mod write;
