//! Assembles the details of a file's result when it is reported.

use crate::audit::comparison::{Comparison, FOUND, LISTED};
use crate::audit::row::Row;
use crate::audit::status::{FileStatus, Finding};
use crate::content::set::NONE;
use std::ffi::OsStr;
use std::path::Path;
use truesum_fs::name::OsStrExt;

impl Comparison<'_> {
    fn name(&self, (side, at): (usize, u32)) -> &[u8] {
        self.sets[side].name(at)
    }

    /// Returns the current name of a file, which is on the other side if the sides are exchanged, and its previous
    /// name.
    fn names(&self, row: &Row) -> (&[u8], &[u8]) {
        match (row.status, row.at) {
            (FileStatus::Moved | FileStatus::MovedModified, [listed, found]) if !self.swapped => {
                (self.name((FOUND, found)), self.name((LISTED, listed)))
            }
            (FileStatus::Moved | FileStatus::MovedModified, [listed, found]) => {
                (self.name((LISTED, listed)), self.name((FOUND, found)))
            }
            (_, [NONE, found]) => (self.name((FOUND, found)), b""),
            (_, [listed, _]) => (self.name((LISTED, listed)), b""),
        }
    }

    /// Sorts rows by name.
    pub(crate) fn sort(&self, rows: &mut [Row]) {
        rows.sort_unstable_by(|one, other| self.names(one).cmp(&self.names(other)));
    }

    /// Returns the standing to report.
    pub(crate) fn status(&self, row: &Row) -> FileStatus {
        match row.status {
            FileStatus::Missing if self.swapped => FileStatus::New,
            FileStatus::New if self.swapped => FileStatus::Missing,
            // Which of the two versions is older can only be determined for the side that was found.
            FileStatus::Restored if self.swapped => FileStatus::Changed,
            status => status,
        }
    }

    /// Passes the complete result for a file to `on_event`.
    pub(crate) fn finding<T>(&self, row: &Row, on_event: impl FnOnce(&Finding<'_>) -> T) -> T {
        let status = self.status(row);
        let facts = |side: usize| (row.at[side] != NONE).then(|| self.sets[side].facts(row.at[side]));
        let (mut listed, mut found) = (facts(LISTED), facts(FOUND));
        if self.swapped {
            std::mem::swap(&mut listed, &mut found);
        }
        let path = |name| Path::new(OsStr::from_bytes(name));
        let (name, moved_from) = self.names(row);
        let from = match status {
            FileStatus::Moved | FileStatus::MovedModified => Some(moved_from),
            _ => row.from.map(|from| self.name(from)),
        };
        let error = [LISTED, FOUND].into_iter().find_map(|side| self.errors.get(&(side, row.at[side])));
        let error = error.filter(|_| status == FileStatus::Unreadable);
        let (name, from, candidates) = (path(name), from.map(path), row.candidates);
        on_event(&Finding { status, name, from, candidates, listed, found, error })
    }
}
