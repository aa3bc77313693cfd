//! What is asked of a search for duplicates, what it tells and what it counts.

use crate::error::Error;
use crate::io::file_id::FileId;
use crate::io::mapping::Mapping;
use crate::task::Notice;
use crate::walk::{self, LeftOut};
use std::io;
use std::path::Path;
use truesum_hash::{Digest, Spec};

/// What is asked of a search for duplicates.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which files.
    pub walk: walk::Options,
    /// Files of fewer bytes are passed over. With 0, all empty files are copies of each other.
    pub min_size: u64,
    /// By which digest contents are compared.
    pub spec: Spec,
    /// How files are read. Its `root` and `order` are not asked.
    pub threads: usize,
    /// Whether files may be mapped.
    pub mapping: Mapping,
    /// Files that do not count: what the caller writes to, as `(device, inode)`.
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

/// Files of one content: at least two.
#[derive(Debug)]
pub struct Group<'g> {
    /// Bytes of each.
    pub size: u64,
    /// The digest that all of them have.
    pub digest: &'g Digest,
    /// Each copy by its names, of which it has several where it has hard links; copies and names in the order of names.
    pub copies: &'g [Vec<&'g Path>],
}

/// Something that a search for duplicates tells.
#[derive(Debug)]
pub enum Event<'e> {
    /// Files of one content. Groups come in the order of their first names, after everything was read.
    Group(&'e Group<'e>),
    /// A file or folder that could not be read: it may be a copy of another.
    Failed(&'e Error),
    /// What was passed over on the way, and why.
    Passed(&'e Notice),
}

/// Files met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// Files, each once.
    pub files: u64,
    /// Further names of these: hard links.
    pub links: u64,
    /// Files that were too small.
    pub small: u64,
}

/// The counts of a search for duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Files met, each once however many names it has.
    pub met: Met,
    /// Files read to their end, and bytes of these.
    pub read: u64,
    /// Bytes of those files.
    pub bytes: u64,
    /// Groups of files of one content.
    pub groups: u64,
    /// Copies in these beyond the first of each.
    pub copies: u64,
    /// Bytes of those copies.
    pub wasted: u64,
    /// Files and folders that could not be read.
    pub failed: u64,
    /// What the selection left out.
    pub left_out: LeftOut,
    /// Whether it was stopped before its end: then there may be more.
    pub interrupted: bool,
}

impl Report {
    /// Whether the selection left out all files.
    pub fn all_left_out(&self) -> bool {
        self.met.files + self.met.small + self.failed == 0 && self.left_out != LeftOut::default()
    }
}

/// Takes what a search tells. Its error ends the search.
pub type Tell<'t> = dyn FnMut(Event<'_>) -> io::Result<()> + 't;
