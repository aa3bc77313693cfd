//! What speaks against writing a manifest at all: a disk that is not mounted looks as if all its files were gone.

use super::outcome::{Action, Consent, Refusal};
use super::{Update, mounts};
use crate::audit::Standing;
use crate::audit::row::Row;
use std::path::Path;

impl Update<'_> {
    /// Why the manifest is not to be written, if so. `missing` does not count files that moved.
    pub(super) fn refusal(&self, manifest: &Path, told: &[(Row, Action)], missing: u64) -> Option<Refusal> {
        let options = self.options;
        let report = &self.comparison.report;
        if report.interrupted {
            return None;
        }
        let is_unread = |told: &&(Row, Action)| told.0.standing == Standing::Unreadable;
        let unread = report.failed + told.iter().filter(is_unread).count() as u64;
        let removed = told.iter().filter(|(_, action)| *action == Action::Removed).count() as u64;
        if unread > 0 && (!options.partial || removed > 0 && report.failed > 0) {
            return Some(Refusal::Unread(unread));
        }
        if report.malformed > 0 && !options.audit.check.lenient {
            return Some(Refusal::Malformed(report.malformed));
        }
        if removed == 0 {
            return None;
        }
        if options.prune == Consent::Safe {
            let root = options.audit.check.folder(manifest);
            if told.iter().all(|(row, _)| row.standing == Standing::Missing) {
                return Some(Refusal::EmptyRoot(root));
            }
            if let Some(place) = mounts::absent(&root) {
                return Some(Refusal::Unmounted(place));
            }
            if missing * 2 > report.listed {
                return Some(Refusal::TooMany(missing, report.listed));
            }
        }
        let kept = told.iter().any(|(row, action)| {
            let listed = !matches!(row.standing, Standing::New | Standing::Copied | Standing::Duplicated);
            *action != Action::Removed && (listed || *action == Action::Added)
        });
        (!kept && !options.allow_empty).then_some(Refusal::NothingLeft)
    }
}
