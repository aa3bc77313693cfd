//! Reasons not to write a manifest at all: if a disk is not mounted, all its files appear to be missing.

use super::Update;
use super::outcome::{Action, Consent, QuickTrust, Refusal};
use crate::audit::FileStatus;
use crate::audit::comparison::{Comparison, FOUND, LISTED};
use crate::audit::row::Row;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use truesum_fs::mounts;
use truesum_fs::name::OsStrExt;

impl Update<'_> {
    /// Returns why the manifest must not be written, if there is a reason. `missing` does not include moved files;
    /// `same` files match and are not reported.
    pub(super) fn refusal(&self, decisions: &[(Row, Action)], missing: u64, same: usize) -> Option<Refusal> {
        let options = self.options;
        let report = &self.comparison.report;
        if report.interrupted {
            return None;
        }
        let is_unread = |row: &&(Row, Action)| row.0.status == FileStatus::Unreadable;
        let unread = report.failed + decisions.iter().filter(is_unread).count() as u64;
        let removed = decisions.iter().filter(|(_, action)| *action == Action::Removed).count() as u64;
        if unread > 0 && (!options.partial || removed > 0 && report.failed > 0) {
            return Some(Refusal::Unread(unread));
        }
        // Text without an entry is not a manifest, however lenient the caller is.
        if report.malformed > 0 && (!options.audit.read.lenient || report.listed == 0) {
            return Some(Refusal::Malformed(report.malformed));
        }
        if options.quick == Some(QuickTrust::Times) && self.comparison.has_no_times() {
            return Some(Refusal::NoTimes);
        }
        if removed == 0 {
            return None;
        }
        if options.prune == Consent::Safe {
            let root = self.comparison.root.clone();
            if same == 0 && decisions.iter().all(|(row, _)| row.status == FileStatus::Missing) {
                return Some(Refusal::EmptyRoot(root));
            }
            if let Some(folder) = self.emptied_folder(&root, decisions) {
                return Some(Refusal::EmptyFolder(folder));
            }
            if let Some(place) = mounts::absent(&root) {
                return Some(Refusal::Unmounted(place));
            }
            if missing * 2 > report.listed {
                return Some(Refusal::TooMany(missing, report.listed));
            }
        }
        let kept = same > 0
            || decisions.iter().any(|(row, action)| {
                let listed =
                    !matches!(row.status, FileStatus::New | FileStatus::Copied | FileStatus::Duplicated);
                *action != Action::Removed && (listed || *action == Action::Added)
            });
        (!kept && !options.allow_empty).then_some(Refusal::NothingLeft)
    }

    /// Returns a folder with entries to be removed that exists and is empty, as if its disk were not mounted. If its
    /// files were found elsewhere, it was emptied on purpose.
    fn emptied_folder(&self, root: &Path, decisions: &[(Row, Action)]) -> Option<PathBuf> {
        let set = &self.comparison.sets[LISTED];
        let of = |action: Action| decisions.iter().filter(move |(_, done)| *done == action);
        let removed = of(Action::Removed);
        let mut looked_at = HashSet::new();
        for (row, _) in of(Action::Renamed) {
            looked_at.extend(Path::new(OsStr::from_bytes(set.name(row.at[LISTED]))).ancestors().skip(1));
        }
        for (row, _) in removed {
            let name = Path::new(OsStr::from_bytes(set.name(row.at[LISTED])));
            for folder in name.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
                if !looked_at.insert(folder) {
                    break;
                }
                let folder = root.join(folder);
                if std::fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_none()) {
                    return Some(folder);
                }
            }
        }
        None
    }
}

/// Returns the folder that, added to or removed from most names in the manifest, turns them into
/// existing names. The names are then relative to a different folder than the one that was
/// searched.
pub(super) fn other_folder(comparison: &Comparison<'_>, rows: &[Row]) -> Option<PathBuf> {
    let [listed, found] = &comparison.sets;
    let mut folders: HashMap<&[u8], u64> = HashMap::new();
    for row in rows.iter().filter(|row| row.status == FileStatus::Moved) {
        let (old, new) = (listed.name(row.at[LISTED]), found.name(row.at[FOUND]));
        let (long, short) = if old.len() > new.len() { (old, new) } else { (new, old) };
        if let Some(folder) = long.strip_suffix(short).filter(|folder| folder.ends_with(b"/")) {
            *folders.entry(folder).or_default() += 1;
        }
    }
    let (folder, files) = folders.into_iter().max_by_key(|(_, files)| *files)?;
    (files * 2 > u64::from(listed.len())).then(|| OsStr::from_bytes(folder).into())
}
