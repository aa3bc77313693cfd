//! Searches for files that are in no manifest.

pub(super) mod folders;
pub(crate) mod search;

use crate::progress::Progress;
use crate::verify::event::{Event, Observer};
use crate::verify::options::{Options, Unlisted};
use crate::verify::report::UnexpectedReport;
use folders::{FolderIndex, KnownFiles};
use search::{Scope, SearchScope, unlisted, unlisted_objects};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use truesum_fs::name::OsStrExt;

/// An optional search ends after this many files, or a multiple of the number in the manifest.
const SEARCH: u64 = 100_000;

/// The search for files that are in no manifest.
pub(super) struct UnexpectedSearch<'c> {
    pub(crate) options: &'c Options,
    pub(crate) progress: &'c Progress,
    pub(crate) files: &'c mut KnownFiles,
    pub(crate) report: &'c mut UnexpectedReport,
}

impl UnexpectedSearch<'_> {
    /// Searches the folders of all manifests, if requested.
    pub(super) fn run(self, on_event: &mut Observer<'_>) -> io::Result<()> {
        let exact = self.options.unlisted == Unlisted::Refused;
        if self.options.unlisted == Unlisted::Unrequested || self.progress.stopped() {
            return Ok(());
        }
        let mut folders = std::mem::take(&mut self.files.folders);
        let mut index = FolderIndex::new(&folders, &self.files.bags);
        // A folder in another one is searched again if rules may have excluded its files from the first search.
        let has_rules = folders.iter().any(|folder| !folder.rules.active().is_empty());
        let mut reported = HashSet::new();
        for at in 0..folders.len() {
            // A folder without any entry in a manifest is not searched, and neither is that of a download with a sidecar.
            let is_of_one_file = folders[at].is_of_one_file() && !self.files.are_below_folders;
            if !exact && (folders[at].listed.is_empty() || is_of_one_file) {
                continue;
            }
            let (scope, limit) = match exact {
                true => (Scope::CompleteRead, u64::MAX),
                false => (Scope::Around, SEARCH.max(folders[at].listed.len() as u64 * 4)),
            };
            // Its contents were already found by the search of a parent folder.
            if index.is_searched(&folders[at].path) {
                continue;
            }
            let (path, mut listed) = (folders[at].path.clone(), std::mem::take(&mut folders[at].listed));
            let rules = folders[at].rules.clone();
            if rules.active().is_empty() {
                index.searching(&path, if exact { b"" } else { listed.folder() });
            }
            let (mut files, report) = (0, &mut *self.report);
            let mut found = |name: &[u8]| {
                if index.is_listed(&mut folders, &path, name) {
                    return Ok(());
                }
                if has_rules && !reported.insert(path.join(OsStr::from_bytes(name))) {
                    return Ok(());
                }
                files += 1;
                on_event(Event::Unlisted(&path, Path::new(OsStr::from_bytes(name))))
            };
            let bytes = path.as_os_str().as_bytes();
            let stopped = || self.progress.stopped();
            let select = &self.options.read.select.clone().with_rules(&rules);
            let scope = SearchScope {
                scope,
                select,
                own: &self.files.own,
                strict: false,
                temporaries: exact,
                limit,
                stopped: &stopped,
            };
            let result = match &self.options.read.remote {
                Some(remote) => unlisted_objects(&**remote, &mut listed, select, self.progress, &mut found),
                None => unlisted(bytes, &mut listed, &scope, &mut found),
            };
            folders[at].listed = listed;
            report.files += files;
            let mut search = result?;
            search.files = files;
            report.own += search.own;
            report.signatures += search.signatures;
            report.cut |= search.cut;
            if exact {
                report.unreadable += search.failed.len() as u64;
            }
            on_event(Event::Searched(&search))?;
        }
        Ok(())
    }
}
