//! The options, events and counts of a search for duplicates.

use crate::error::Error;
use crate::io::file_id::FileId;
use crate::io::mapping::Mapping;
use crate::task::Notice;
use crate::walk::{self, LeftOut};
use std::io;
use std::path::Path;
use truesum_hash::{Digest, Spec};

/// The options of a search for duplicates.
#[derive(Clone, Debug)]
pub struct Options {
    /// The options of the walk, which select the files to search.
    pub walk: walk::Options,
    /// Smaller files are skipped. With 0, all empty files are copies of each other.
    pub min_size: u64,
    /// The algorithm by which contents are compared.
    pub spec: Spec,
    /// The number of threads that read and hash; 0 means one per core.
    pub threads: usize,
    /// Whether files may be mapped.
    pub mapping: Mapping,
    /// Files to ignore because the caller writes to them, as `(device, inode)`.
    pub own: Vec<FileId>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            walk: walk::Options::default(),
            min_size: 1,
            spec: "blake3".parse().expect("a row of the table of algorithms"),
            threads: 0,
            mapping: Mapping::Never,
            own: Vec::new(),
        }
    }
}

/// Files with the same content: at least two.
#[derive(Debug)]
pub struct Group<'g> {
    /// The size of each file in bytes.
    pub size: u64,
    /// The digest of all of them.
    pub digest: &'g Digest,
    /// The names of each copy; a copy with hard links has several. Copies and names are sorted.
    pub copies: &'g [Vec<&'g Path>],
}

/// An event of a search for duplicates.
#[derive(Debug)]
pub enum Event<'e> {
    /// Files with the same content. Groups are reported in the order of their first names, after everything has been
    /// read.
    Group(&'e Group<'e>),
    /// A file or folder that could not be read. It may be a copy of another.
    Failed(&'e Error),
    /// An object that was skipped during the walk, with the reason.
    Passed(&'e Notice),
}

/// Counts of the files found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileCounts {
    /// Files, each counted once.
    pub files: u64,
    /// Additional names of these files (hard links).
    pub links: u64,
    /// Files that were too small.
    pub small: u64,
}

/// The counts of a search for duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The files found, each counted once, however many names it has.
    pub counts: FileCounts,
    /// Files read to their end.
    pub read: u64,
    /// The total size of those files in bytes.
    pub bytes: u64,
    /// Groups of files with the same content.
    pub groups: u64,
    /// Copies in these groups, not counting the first of each.
    pub copies: u64,
    /// The total size of these copies in bytes.
    pub wasted: u64,
    /// Files and folders that could not be read.
    pub failed: u64,
    /// The number of objects left out by the selection.
    pub left_out: LeftOut,
    /// Whether the search was stopped before its end, in which case there may be more copies.
    pub interrupted: bool,
}

impl Report {
    /// Returns whether the selection left out all files.
    pub fn all_left_out(&self) -> bool {
        self.counts.files + self.counts.small + self.failed == 0 && self.left_out != LeftOut::default()
    }
}

/// Receives the events of a search. Returning an error stops it.
pub type Observer<'t> = dyn FnMut(Event<'_>) -> io::Result<()> + 't;
