//! The files that may match, as tasks.

use super::wanted::Index;
use crate::error::{Cause, Error};
use crate::io::anchor::stat_found;
use crate::task::{Notice, Task};
use crate::walk::{Item, Walk};
use truesum_fs::name::OsStrExt;
use truesum_hash::Spec;

/// The files of a walk that may match.
pub(super) struct Candidates<'i, 'c> {
    pub(crate) walk: Walk,
    pub(crate) index: &'i Index<'c>,
    /// Files of other sizes.
    pub(crate) passed: u64,
    /// Algorithms that were not computed for standard input, because they require the size in
    /// advance.
    pub(crate) not_computed: Vec<Spec>,
}

impl<'i, 'c> Candidates<'i, 'c> {
    pub(super) fn new(walk: Walk, index: &'i Index<'c>) -> Candidates<'i, 'c> {
        Candidates { walk, index, passed: 0, not_computed: Vec::new() }
    }

    /// Returns the task that reads one file. Files that are not regular are rejected, or read, when they are opened.
    fn read(&mut self, item: Item) -> Option<Task> {
        let (path, anchor) = match &item {
            Item::File(path, anchor) => (path, anchor),
            Item::Stdin => return Some(self.stream(item)),
            _ => return Some(item.task(&self.index.plain)),
        };
        let name = path.as_os_str().as_bytes();
        if !self.index.needs_sizes() {
            return Some(self.task(item, Vec::new()));
        }
        let stat = match stat_found(name, anchor.as_ref()) {
            Ok(stat) => stat,
            Err(error) => return Some(Task::Notice(Notice::Failed(Error::io(name, "open", error)))),
        };
        let size = stat.size();
        if !stat.kind().is_file() {
            return Some(self.task(item, Vec::new()));
        }
        if !self.index.may_be(size) {
            self.passed += 1;
            return None;
        }
        let parts = self.index.of_parts(size);
        if self.index.plain.is_empty() && parts.is_empty() {
            self.passed += 1;
            return None;
        }
        Some(self.task(item, parts))
    }

    /// Returns the task that reads standard input, without the algorithms that require the size in
    /// advance.
    fn stream(&mut self, item: Item) -> Task {
        let (specs, sized) = self.index.of_stream();
        if let Some(why) = self.index.lost_without_size() {
            let why = format!("{why} requires the size in advance, so only regular files can be hashed");
            return Task::Notice(Notice::Failed(Error::new(b"-", "hash", Cause::Other(why))));
        }
        self.not_computed = sized;
        item.task(&specs.into())
    }

    /// Returns the task that computes all algorithms, a few hundred at most, in one read.
    fn task(&self, item: Item, parts: Vec<Spec>) -> Task {
        match parts.is_empty() {
            true => item.task(&self.index.plain),
            false => item.task(&self.index.plain.iter().cloned().chain(parts).collect()),
        }
    }
}

impl Iterator for Candidates<'_, '_> {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        loop {
            let item = self.walk.next()?;
            if let Some(task) = self.read(item) {
                return Some(task);
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // The remaining files may have other sizes.
        if self.index.needs_sizes() { (0, None) } else { self.walk.size_hint() }
    }
}
