//! All that there is to say of a file, put together when it is told.

use crate::audit::comparison::{Comparison, FOUND, LISTED};
use crate::audit::row::Row;
use crate::audit::standing::{Finding, Standing};
use crate::content::set::NONE;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

impl Comparison<'_> {
    fn name(&self, (side, at): (usize, u32)) -> &[u8] {
        self.sets[side].name(at)
    }

    /// The name that a file has now, which is on the other side where the sides are exchanged; and the one it had.
    fn names(&self, row: &Row) -> (&[u8], &[u8]) {
        match (row.standing, row.at) {
            (Standing::Moved | Standing::MovedModified, [listed, found]) if !self.swapped => {
                (self.name((FOUND, found)), self.name((LISTED, listed)))
            }
            (Standing::Moved | Standing::MovedModified, [listed, found]) => {
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

    /// The standing as it is told.
    pub(crate) fn standing(&self, row: &Row) -> Standing {
        match row.standing {
            Standing::Missing if self.swapped => Standing::New,
            Standing::New if self.swapped => Standing::Missing,
            // Which of the two is the older version is asked of what is found alone.
            Standing::Restored if self.swapped => Standing::Changed,
            standing => standing,
        }
    }

    /// Hands over all that there is to say of a file.
    pub(crate) fn finding<T>(&self, row: &Row, tell: impl FnOnce(&Finding<'_>) -> T) -> T {
        let standing = self.standing(row);
        let facts = |side: usize| (row.at[side] != NONE).then(|| self.sets[side].facts(row.at[side]));
        let (mut listed, mut found) = (facts(LISTED), facts(FOUND));
        if self.swapped {
            std::mem::swap(&mut listed, &mut found);
        }
        let path = |name| Path::new(OsStr::from_bytes(name));
        let (name, moved_from) = self.names(row);
        let from = match standing {
            Standing::Moved | Standing::MovedModified => Some(moved_from),
            _ => row.from.map(|from| self.name(from)),
        };
        let error = [LISTED, FOUND].into_iter().find_map(|side| self.errors.get(&(side, row.at[side])));
        let error = error.filter(|_| standing == Standing::Unreadable);
        tell(&Finding { standing, name: path(name), from: from.map(path), listed, found, error })
    }
}
