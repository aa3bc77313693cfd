//! The options, events and counts of a search for duplicates.

use crate::error::Error;
use crate::io::file_id::FileId;
use crate::io::mapping::Mapping;
use crate::task::Notice;
use crate::walk::{self, ExcludedCounts};
use std::io;
use std::path::Path;
use truesum_hash::{Digest, Spec};

options! {
    /// The options of a search for duplicates.
    #[derive(Clone, Debug)]
    pub struct Options {
        /// The options of the walk, which select the files to search.
        walk: walk::Options,
        /// Smaller files are skipped. With 0, all empty files are copies of each other.
        min_size: u64,
        /// The algorithm by which contents are compared.
        spec: Spec,
        /// The number of threads that read and hash; 0 means one per core.
        threads: usize,
        /// Whether files may be mapped.
        mapping: Mapping,
        /// Files to ignore because the caller writes to them, as `(device, inode)`.
        own: Vec<FileId>,
    }
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

getters! {
    Options {
        /// Returns the algorithm by which contents are compared.
        get_spec: &Spec = [&spec];
    }
}

readable! {
    /// Files with the same content: at least two.
    #[derive(Debug)]
    pub struct Group<'g> {
        /// The size of each file in bytes.
        size: u64,
        /// The digest of all of them.
        digest: &'g Digest,
        /// The names of each copy; a copy with hard links has several. Copies and names are sorted.
        copies: &'g [Vec<&'g Path>],
    }
}

/// An event of a search for duplicates.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'e> {
    /// Files with the same content. Groups are reported in the order of their first names, after everything has been
    /// read.
    Group(&'e Group<'e>),
    /// A file or folder that could not be read. It may be a copy of another.
    Failed(&'e Error),
    /// An object that was skipped during the walk, with the reason.
    Passed(&'e Notice),
}

readable! {
    /// Counts of the files found.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct FileCounts {
        /// Files, each counted once.
        files: u64,
        /// Additional names of these files (hard links).
        links: u64,
        /// Files that were too small.
        small: u64,
    }
}

readable! {
    /// The counts of a search for duplicates.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Report {
        /// The files found, each counted once, however many names it has.
        counts: FileCounts,
        /// Files read to their end.
        read: u64,
        /// The total size of those files in bytes.
        bytes: u64,
        /// Groups of files with the same content.
        groups: u64,
        /// Copies in these groups, not counting the first of each.
        copies: u64,
        /// The total size of these copies in bytes.
        wasted: u64,
        /// Files and folders that could not be read.
        failed: u64,
        /// The number of objects left out by the selection.
        left_out: ExcludedCounts,
        /// Whether the search was stopped before its end, in which case there may be more copies.
        interrupted: bool,
    }
}

impl Report {
    /// Returns whether the selection left out all files.
    pub fn all_left_out(&self) -> bool {
        self.found_nothing() && self.left_out != ExcludedCounts::default()
    }

    /// Returns whether no files were found, or the selection left out all of them.
    pub fn found_nothing(&self) -> bool {
        self.counts.files + self.counts.small + self.failed == 0
    }
}

/// Receives the events of a search. Returning an error stops it.
pub type Observer<'t> = dyn FnMut(Event<'_>) -> io::Result<()> + 't;
