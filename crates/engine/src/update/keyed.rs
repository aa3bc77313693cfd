//! Tests whether the given key is that of the manifest's lines: with a different key no line matches, and new lines
//! would not match either.

use super::outcome::{Action, Refusal};
use super::{Update, original};
use crate::audit::FileStatus;
use crate::audit::comparison::LISTED;
use crate::audit::row::Row;
use crate::content::set::NONE;
use crate::io::open::{Root, Special};
use std::path::Path;

impl Update<'_> {
    /// Returns whether a file in the manifest has a keyed digest.
    fn is_keyed(&self, listed: u32) -> bool {
        listed != NONE && self.comparison.sets[LISTED].specs(listed).iter().any(truesum_hash::Spec::is_keyed)
    }

    /// Returns whether some line with a keyed digest matches, among the rows of all files.
    pub(super) fn fits_key(&self, rows: &[Row], folder: &Path) -> bool {
        let same = |row: &&Row| row.status == FileStatus::Same && self.is_keyed(row.at[LISTED]);
        let elsewhere = |row: &Row| {
            let from = row.from.filter(|(side, _)| *side == LISTED).map(|(_, at)| at);
            matches!(row.status, FileStatus::Moved | FileStatus::Copied)
                && from.is_some_and(|at| self.is_keyed(at))
        };
        if rows.iter().any(elsewhere) {
            return true;
        }
        let mut same = rows.iter().filter(same);
        if self.options.quick.is_none() || self.report.unread == 0 {
            return same.next().is_some();
        }
        // Some files were not read, so read the smallest one.
        let Ok(root) = Root::folder(folder, self.options.audit.read.allow_outside) else { return false };
        let set = &self.comparison.sets[LISTED];
        let size =
            |row: &&Row| root.stat(set.name(row.at[LISTED]), true).map_or(u64::MAX, |stat| stat.size());
        same.min_by_key(size).is_some_and(|row| self.fits(&root, row.at[LISTED]))
    }

    /// Reads a file in the manifest and compares it with its keyed digests.
    fn fits(&self, root: &Root, listed: u32) -> bool {
        let set = &self.comparison.sets[LISTED];
        let Ok((file, _)) = root.open(set.name(listed), Special::Refuse) else { return false };
        let digests = set.digests(listed);
        let mut digests: Vec<_> = digests
            .iter()
            .filter(|(spec, _)| spec.is_keyed())
            .map(|(spec, digest)| (spec.hasher(), digest))
            .collect();
        let mut buffer = vec![0; 1 << 18];
        let mut reader = original::at_beginning(&file);
        loop {
            match std::io::Read::read(&mut reader, &mut buffer) {
                Ok(0) => return digests.into_iter().all(|(hasher, digest)| hasher.finish() == *digest),
                Ok(_) if self.comparison.progress.stopped() => return false,
                Ok(read) => digests.iter_mut().for_each(|(hasher, _)| hasher.update(&buffer[..read])),
                Err(_) => return false,
            }
        }
    }

    /// Returns why the manifest must not be written if no keyed line matches the given key.
    pub(super) fn other_key(&self, decisions: &[(Row, Action)], fits: bool) -> Option<Refusal> {
        let set = &self.comparison.sets[LISTED];
        let keyed = set.kinds().iter().flat_map(|kind| kind.iter()).any(truesum_hash::Spec::is_keyed);
        if fits || !keyed || self.comparison.report.interrupted {
            return None;
        }
        let concerns = |(row, action): &(Row, Action)| {
            let differs = matches!(row.status, FileStatus::Changed | FileStatus::Corrupt);
            differs && self.is_keyed(row.at[LISTED]) || matches!(action, Action::Added | Action::Refreshed)
        };
        decisions.iter().any(concerns).then_some(Refusal::OtherKey)
    }
}
