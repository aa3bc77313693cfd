//! What is known while a JSON document is read: the records so far, how deep it is, and where.

use super::key::Keys;
use crate::records::Records;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is known while a document is read.
pub(super) struct Visit<'t> {
    text: &'t [u8],
    /// Set from outside to end the reading.
    stop: Option<&'t AtomicBool>,
    /// Where the last string without escapes began.
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) records: Records,
    pub(super) keys: Keys,
    /// How many lists there were.
    pub(super) lists: u32,
}

impl<'t> Visit<'t> {
    /// At the beginning of a document.
    pub(super) fn new(text: &'t [u8], stop: Option<&'t AtomicBool>) -> Visit<'t> {
        let records = Records::strict();
        Visit { text, stop, at: 0, depth: 0, records, keys: Keys::default(), lists: 0 }
    }

    /// Whether reading is to end.
    pub(super) fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Notes where a string is that lies in the text itself.
    pub(super) fn found(&mut self, part: &str) {
        let at = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        if at <= self.text.len() {
            self.at = at;
        }
    }
}
