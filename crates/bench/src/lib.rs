//! Measures checksum algorithms, tools and disks, and draws the answer.
//!
//! Five models ([`record::Model`]), each a definition in TOML and a `run` that returns a [`record::Record`]:
//! [`algorithms`] in memory, [`tools`] over a directory, [`io`] of one file, [`limit`] of the machine, [`tree`] digests of one
//! file. Each run checks first that all engines agree on the digest, then times. [`view`] turns a record into tables and
//! charts, and nothing else does: [`table`], [`csv`], [`markdown`] and [`report`] only spell them.
//!
//! [`command::run`] is the whole of `truesum bench`.

pub mod agreement;
pub mod algorithms;
pub mod allocations;
pub mod args;
pub mod chart;
pub mod command;
pub mod compare;
pub mod csv;
pub mod definition;
pub mod environment;
pub mod input;
pub mod io;
pub mod limit;
pub mod markdown;
pub mod measure;
mod openssl;
#[cfg(feature = "png")]
pub mod png;
mod process;
pub mod progress;
pub mod quantity;
pub mod readme;
pub mod record;
pub mod report;
mod session;
pub mod statistics;
pub mod table;
pub mod tools;
pub mod tree;
pub mod view;

pub use session::Session;

use std::fmt;
use std::path::Path;

/// Why a benchmark could not be carried out: a message for people, lower case, with the path it is about.
#[derive(Debug, PartialEq, Eq)]
pub struct Error(pub String);

impl Error {
    /// `PATH: ACTION: cause`.
    pub fn file(path: &Path, action: &str, cause: &std::io::Error) -> Error {
        Error(format!("{}: {action}: {cause}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
