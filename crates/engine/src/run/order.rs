//! The order of outcomes.

/// The order in which outcomes are delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// In the order of the tasks.
    #[default]
    Stable,
    /// As soon as they are ready.
    AsReady,
}

/// The order in which files are read. It does not affect the order of outcomes, except those that are delivered as soon as
/// they are ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ReadOrder {
    /// An order that is fast on most disks: the largest file first if the list is short, otherwise the order of the tasks.
    #[default]
    Fast,
    /// The order of the tasks.
    Given,
    /// The largest file first.
    Size,
    /// The order of the positions on each device: that of the first extent, or the inode number if the file system does
    /// not report it.
    Physical,
}

options! {
    /// Specifies how files are read.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct ReadMode {
        /// The order in which files are read.
        order: ReadOrder,
        /// Whether each file is read from its beginning to its end, in the order of the tasks, before the next one.
        sequential: bool,
        /// Whether pages are removed from the cache after they have been read, except those of
        /// files that were partly in the cache before.
        drop_cache: bool,
    }
}

impl ReadOrder {
    /// Returns whether tasks are sorted, in windows of [`SORTED`] tasks.
    pub(crate) fn is_sorted(self) -> bool {
        matches!(self, ReadOrder::Size | ReadOrder::Physical)
    }
}

/// The number of tasks that are sorted at a time, which limits the memory.
#[cfg(not(test))]
pub(crate) const SORTED: u64 = 1 << 16;
#[cfg(test)]
pub(crate) const SORTED: u64 = 100;
