//! The operating system as truesum sees it: everything that makes system calls is in this crate.
//!
//! The crates above it contain no `cfg` for a platform. They see the concepts below; if a system
//! cannot provide something, a value reports this ([`lease::Writers::Unknown`]); it is never
//! omitted silently. These modules are portable, too: they contain the types, the logic and most of
//! the tests. System calls are in the backends below `sys`, which have one file for each concept;
//! the documentation of `sys.rs` lists the functions that a backend provides. `docs/guarantees.md`
//! shows where the guarantees of systems differ.
//!
//! Open files and folders are values of [`std::fs::File`], and system errors are values of [`Errno`].
//!
//! | concept | modules |
//! |---|---|
//! | names as bytes and as paths | [`name`] |
//! | names resolved below a folder, without escape | [`open`], [`anchor`], [`resolve`], [`rename`] |
//! | metadata and identity of files, entries of folders | [`metadata`], [`file_id`], [`version`], [`listing`] |
//! | guarantees of file systems and devices, positions of files | [`system`], [`device`], [`mounts`], [`placement`] |
//! | whether another process is writing | [`lease`], [`quiescence`] |
//! | complete reads, positioned reads, mappings | [`read`], [`data`], [`handle`], [`mapping`], [`mapped`] |
//! | extended attributes | [`xattr`] |
//! | atomic writes and locks | [`write`](mod@write), [`temporary`], [`lock`] |
//! | interruption and waiting | [`stop`], [`input`], [`waits`] |
//! | the program: streams, terminal, signals (a feature), process | [`standard`], [`console`], `signals`, [`process`] |
//! | limits, clocks and the machine | [`memory_limit`], [`limits`], [`clock`], [`machine`] |
//! | cost of threads and commands | [`usage`] |
//! | failures | [`error`] |

#[macro_use]
extern crate truesum_hash;

pub mod anchor;
pub mod clock;
mod complete_read;
pub mod console;
pub mod data;
pub mod device;
pub mod error;
pub mod file_id;
pub mod handle;
pub mod input;
pub mod lease;
pub mod limits;
pub mod listing;
pub mod lock;
pub mod machine;
pub mod mapped;
pub mod mapping;
pub mod memory_limit;
pub mod metadata;
pub mod mounts;
pub mod name;
pub mod open;
pub mod placement;
pub mod process;
pub mod quiescence;
pub mod read;
pub mod rename;
pub mod resolve;
#[cfg(feature = "signals")]
pub mod signals;
pub mod standard;
pub mod stop;
mod sys;
pub mod system;
pub mod temporary;
pub mod usage;
pub mod version;
pub mod waits;
pub mod write;
pub mod xattr;

pub use error::{Cause, Errno, Error, Kind};
