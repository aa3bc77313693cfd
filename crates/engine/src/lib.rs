//! Walks, reads, hashes and verifies files: the library behind the `truesum` program.
//!
//! [`run()`] processes [`Task`]s (files to hash, or to compare with expected digests) on all cores and passes their
//! outcomes to a [`Sink`], in order and in bounded memory. A digest is returned only for a file that was read to its
//! end without error and did not change during the read. [`hash`] and [`manifest`] are the underlying crates.
//!
//! Most callers need one of four functions: [`hash_file`] and [`hash_files`] for names, [`verify()`] for a manifest,
//! and [`expect`] for a digest. [`Hashing`] and [`Verification`] do the same with a configuration, progress and
//! cancellation.
//!
//! ```
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("a");
//! std::fs::write(&path, "abc")?;
//! let found = truesum::hash_file(&path, &["sha256".parse()?])?;
//! assert_eq!(found.size(), 3);
//! let manifest = folder.path().join("SHA256SUMS");
//! std::fs::write(&manifest, format!("{}  a\n", found.digests()[0]))?;
//! let report = truesum::verify(&manifest, &truesum::Options::default(), |_| {})?;
//! assert_eq!(report.verdict(), truesum::Conclusion::Verified);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[macro_use]
pub extern crate truesum_hash as hash;

pub mod audit;
mod content;
pub mod content_address;
pub mod directory;
pub mod duplicates;
pub mod embedded_crc;
pub mod error;
pub mod find;
mod globs;
mod hash_files;
mod hash_pieces;
mod io;
pub mod job;
pub mod names;
mod pieces;
pub mod progress;
pub mod run;
pub mod scrub;
pub mod select;
pub mod shard;
mod sidecar;
mod sync;
pub mod task;
pub mod tree;
pub mod update;
pub mod verify;
pub mod walk;

pub use error::{Cause, Error, Kind, StateFault};
pub use hash_files::{Hashing, hash_file, hash_files};
pub use hash_pieces::{PieceDigests, hash_pieces};
pub use io::anchor::Anchor;
pub use io::file_id::FileId;
pub use io::input::Input;
pub use io::mapping::Mapping;
pub use io::memory_limit::thread;
pub use io::open::{Root, Special};
pub use io::temporary::is_temporary;
pub use io::version::Version;
pub use io::write::AtomicFile;
pub use job::{Compared, Damage, FileResult, Findings, Job, ObjectVersion, Outcome, Summary, Verdict};
pub use progress::Progress;
pub use run::config::{Config, cores};
pub use run::order::{Order, ReadMode, ReadOrder};
pub use run::remote::{LIST, Remote, StoredDigests, StoredEntry};
pub use run::run;
pub use select::{Sample, Selection, Share, Unmatched, Wanted, rules_of};
pub use sidecar::{create_in_folder, open_folder, rename_in_folder, test_rename_in_folder};
pub use task::{BadLine, Notice, Sink, Task};
pub use truesum_fs::{open, read, write};
pub use truesum_manifest as manifest;
pub use verify::containers::seal::Seal;
pub use verify::event::{Event, Manifest, Moved, NotUsed, Renamed};
pub use verify::options::{Options, ReadOptions, Renaming, RunLimits, Unlisted};
pub use verify::report::{Checked, Conclusion, Report};
pub use verify::verification::Verification;
pub use verify::{expect, verify};
pub use walk::Walk;

/// Compiles the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
