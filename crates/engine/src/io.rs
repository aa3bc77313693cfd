//! Files opened, read, mapped and written, with the proof that a file was read to its end without error.

pub(crate) mod ahead;
pub mod anchor;
pub(crate) mod device;
pub(crate) mod mapped;
pub mod open;
pub mod read;
pub(crate) mod resolve;
pub(crate) mod source;
pub(crate) mod temporary;
pub(crate) mod waits;
pub mod write;
