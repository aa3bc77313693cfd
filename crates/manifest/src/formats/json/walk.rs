//! The state of reading a JSON document: the records so far, the nesting depth, and the position.

use super::key::Keys;
use crate::format::Options;
use crate::formats::console::Drive;
use crate::records::Records;
use crate::scan;

/// The state of reading a document.
pub(super) struct Traversal<'t> {
    text: &'t [u8],
    pub(super) options: &'t Options,
    /// Offset of the last string without escape sequences.
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) records: Records,
    pub(super) keys: Keys,
    /// The folder of paths that `Get-FileHash` wrote.
    pub(super) drive: Drive,
    /// Number of arrays and objects so far.
    pub(super) lists: u32,
    /// The algorithm of the part of the fixity block that is being read (OCFL).
    pub(super) algorithm: String,
    /// The algorithm of each digest in the fixity block that is not supported.
    pub(super) unsupported: Vec<String>,
}

impl<'t> Traversal<'t> {
    /// Creates the state at the beginning of a document.
    pub(super) fn new(text: &'t [u8], options: &'t Options) -> Traversal<'t> {
        let (records, keys) = (Records::strict(options), Keys::default());
        Traversal {
            text,
            options,
            at: 0,
            depth: 0,
            records,
            keys,
            drive: Drive::default(),
            lists: 0,
            algorithm: String::new(),
            unsupported: Vec::new(),
        }
    }

    /// Records the position of a string that is a slice of the document.
    pub(super) fn found(&mut self, part: &str) {
        self.at = scan::offset_in(self.text, part.as_bytes()).unwrap_or(self.at);
    }
}
