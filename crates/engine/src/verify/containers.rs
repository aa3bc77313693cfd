//! Checks everything that can be given as a manifest: bags, OCFL objects, Android packages, ISO
//! 9660 images, signed manifests and others.

mod advance;
pub(crate) mod apk;
pub(crate) mod archive;
pub mod bag;
pub mod history;
mod iso;
pub mod ocfl;
mod package;
pub mod seal;
mod signed;

use crate::error::{Cause, Error};
use crate::io::file_id::FileId;
use crate::progress::Progress;
use crate::select::Selection;
use crate::verify::entries::EntryCheck;
use crate::verify::event::{Event, Observer};
use crate::verify::listed::ListedNames;
use crate::verify::report::BagReport;
use crate::verify::rotation::Rotation;
use crate::verify::unexpected::search::{Scope, SearchScope, unlisted};
use advance::shared_reads;
use bag::Bag;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use truesum_fs::name::OsStrExt;

/// The check of manifests of every kind.
pub(super) struct Containers<'c> {
    pub(crate) entries: EntryCheck<'c>,
    pub(crate) bags: &'c mut BagReport,
}

impl Containers<'_> {
    /// Checks all of these in order.
    pub(super) fn run(mut self, names: &[impl AsRef<Path>], on_event: &mut Observer<'_>) -> io::Result<()> {
        if let Some(error) = Rotation::refusal(&self.entries.options.limits, names) {
            return self.entries.unread(&error, on_event);
        }
        self.entries.shared = shared_reads(names, self.entries.options, self.entries.progress);
        for (at, name) in names.iter().enumerate() {
            if self.entries.progress.stopped() {
                self.entries.report.not_begun += (names.len() - at) as u64;
                break;
            }
            self.entries.shared.begin(at);
            self.one(name.as_ref(), on_event)?;
        }
        Ok(())
    }

    fn one(&mut self, name: &Path, on_event: &mut Observer<'_>) -> io::Result<()> {
        let options = self.entries.options;
        let entries = &mut self.entries;
        let refused =
            |why: &str| Error::new(name.as_os_str().as_bytes(), "verify", Cause::Other(why.to_owned()));
        match bag::open(name) {
            Some(Ok(_)) if options.public_key.is_some() => {
                let why = "a bag is not signed as a unit; specify one of its manifests";
                return entries.unsigned(&refused(why), on_event);
            }
            Some(Ok(_)) if options.read.remote.is_some() => {
                let why = "a bag cannot be checked against another location; specify one of its manifests";
                return entries.unread(&refused(why), on_event);
            }
            Some(bag) => {
                entries.files.bags.push(name.to_owned());
                return match bag {
                    Ok(bag) => {
                        let lists: Vec<&PathBuf> = bag.payload.iter().chain(&bag.tags).collect();
                        let shared = shared_reads(&lists, options, entries.progress);
                        let outer = std::mem::replace(&mut entries.shared, shared);
                        let result = self.bag(name, &bag, on_event);
                        self.entries.shared = outer;
                        result
                    }
                    Err(error) => self.fault(&error, on_event),
                };
            }
            None => {}
        }
        if let Some(kind) = ocfl::kind_of(name) {
            return self.ocfl(name, kind, on_event);
        }
        if let Some(folder) = history::folder_of(name) {
            return history::check(entries, &folder, on_event);
        }
        if let Some(error) = history::altered(name) {
            return entries.unread(&error, on_event);
        }
        match (entries.files.open(name, entries.progress), &options.public_key) {
            (Ok(file), None) if apk::is_package(name, &file, options) => {
                package::check(entries, name, on_event)
            }
            (Ok(file), None) if iso::is_image(name, &file, options) => iso::check(entries, name, on_event),
            (Ok(file), None) => entries.manifest(name, file, None, on_event),
            (Ok(file), Some(key)) => signed::check(entries, name, file, key, on_event),
            (Err(error), _) => entries.unread(&error, on_event),
        }
    }

    /// Checks a bag with all its manifests, and for completeness.
    fn bag(&mut self, folder: &Path, bag: &Bag, on_event: &mut Observer<'_>) -> io::Result<()> {
        let (mut listed, mut tags, mut unlisted_tags) =
            (ListedNames::default(), ListedNames::default(), Vec::new());
        let mut faults = bag::faults(folder);
        for (at, name) in bag.payload.iter().enumerate() {
            self.entries.shared.begin(at);
            if bag.all_in_each {
                listed = ListedNames::default();
            }
            self.entries.named(name, &mut listed, on_event)?;
            if self.entries.progress.stopped() {
                return Ok(());
            }
            if bag.all_in_each && listed.has_duplicates() {
                faults.push(bag::duplicate_entry_error(name));
            }
            if bag.all_in_each || at + 1 == bag.payload.len() {
                unlisted_tags = self.unlisted_payload(folder, name, &mut listed, on_event)?;
                faults.extend(bag::unlisted_fetches(folder, &mut |name| listed.contains(name)));
            }
        }
        let mut doubts = Vec::new();
        for (at, name) in bag.tags.iter().enumerate() {
            self.entries.shared.begin(bag.payload.len() + at);
            let mut misplaced = 0;
            self.entries.named(name, &mut tags, &mut |event| {
                if let Event::Entry(_, outcome) | Event::Ignored(_, outcome) = &event {
                    misplaced += u64::from(!bag::is_tag_entry(outcome.job.path()));
                }
                on_event(event)
            })?;
            doubts.extend((misplaced > 0).then(|| bag::foreign_entries_doubt(name, misplaced)));
        }
        unlisted_tags.retain(|name| !tags.contains(name));
        for fault in faults {
            self.fault(&fault, on_event)?;
        }
        doubts.extend(bag::doubts(folder, &unlisted_tags));
        doubts.iter().try_for_each(|doubt| on_event(Event::Doubtful(doubt)))
    }

    /// Reports files in a bag's payload that a payload manifest lacks. Returns the names of the
    /// objects next to the payload.
    fn unlisted_payload(
        &mut self,
        folder: &Path,
        manifest: &Path,
        listed: &mut ListedNames,
        on_event: &mut Observer<'_>,
    ) -> io::Result<Vec<Vec<u8>>> {
        let (own, progress) = (&self.entries.files.own, self.entries.progress);
        let found = unlisted_in_bag(folder, manifest, listed, own, progress)?;
        self.bags.unreadable += found.failed.len() as u64;
        found.failed.iter().try_for_each(|error| on_event(Event::Failed(error)))?;
        found.faults.iter().try_for_each(|fault| self.fault(fault, on_event))?;
        Ok(found.tags)
    }

    fn fault(&mut self, error: &Error, on_event: &mut Observer<'_>) -> io::Result<()> {
        self.bags.faults += 1;
        on_event(Event::Failed(error))
    }
}

/// The files of a bag that are not in a payload manifest.
pub(crate) struct UnlistedInBag {
    /// The errors for files of the payload.
    pub(crate) faults: Vec<Error>,
    /// Folders that could not be listed.
    pub(crate) failed: Vec<Error>,
    /// The names of objects next to the payload.
    pub(crate) tags: Vec<Vec<u8>>,
}

/// Searches a bag for files that are not `listed`, which are the names in this payload manifest. `own` are files of this
/// run, which are ignored.
///
/// # Errors
/// Fails if the folder of the bag cannot be searched.
pub(crate) fn unlisted_in_bag(
    folder: &Path,
    manifest: &Path,
    listed: &mut ListedNames,
    own: &[FileId],
    progress: &Progress,
) -> io::Result<UnlistedInBag> {
    let stopped = || progress.stopped();
    let (mut payload, mut tags) = (Vec::new(), Vec::new());
    let mut found = |name: &[u8]| {
        let names = if name.starts_with(b"data/") { &mut payload } else { &mut tags };
        names.push(name.to_vec());
        Ok(())
    };
    // The selection does not apply to the files of a bag.
    let (scope, select) = (Scope::CompleteRead, &Selection::default());
    let scope = SearchScope {
        scope,
        select,
        own,
        strict: true,
        temporaries: true,
        limit: u64::MAX,
        stopped: &stopped,
    };
    let search = unlisted(folder.as_os_str().as_bytes(), listed, &scope, &mut found)?;
    let manifest = manifest.file_name().unwrap_or_default().display();
    let fault = |name: &Vec<u8>| {
        let why = Cause::Other(format!("it is in the payload but not in {manifest}"));
        Error::new(folder.join(OsStr::from_bytes(name)).as_os_str().as_bytes(), "verify", why)
    };
    Ok(UnlistedInBag { faults: payload.iter().map(fault).collect(), failed: search.failed, tags })
}
