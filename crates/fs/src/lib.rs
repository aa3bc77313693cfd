//! The operating system as truesum sees it: everything that makes system calls is in this crate.
//!
//! The crates above it contain no `cfg` for a platform. They see these concepts; what a system cannot provide is a value
//! ([`lease::Writers::Unknown`]) and never silence.
//!
//! | concept | modules |
//! |---|---|
//! | names resolved below a folder, without escape | [`open`], [`anchor`], [`resolve`], [`rename`] |
//! | identity and metadata of files | [`file_id`], [`version`] |
//! | guarantees of file systems and devices | [`system`], [`device`] |
//! | whether another process is writing | [`lease`], [`quiescence`] |
//! | complete reads, mappings | [`read`], [`mapping`], [`mapped`] |
//! | atomic writes and locks | [`write`](mod@write), [`temporary`], [`lock`] |
//! | interruption and waiting | [`stop`], [`input`], [`waits`] |
//! | limits of memory | [`memory_limit`] |
//! | failures | [`error`] |

pub mod anchor;
mod attributes;
mod complete_read;
pub mod device;
pub mod error;
pub mod file_id;
mod guard;
pub mod input;
pub mod lease;
pub mod lock;
pub mod mapped;
pub mod mapping;
pub mod memory_limit;
pub mod open;
pub mod quiescence;
pub mod read;
pub mod rename;
pub mod resolve;
pub mod stop;
pub mod system;
pub mod temporary;
pub mod version;
pub mod waits;
pub mod write;

pub use error::{Cause, Error, Kind};
