//! The entries of one folder, and the number of entries that were found and not reached yet.

use crate::error::Error;
use crate::io::anchor::Anchor;
use crate::io::file_id::FileId;
use crate::io::quiescence::after_tick;
use crate::io::system::System;
use crate::io::temporary::{is_being_written, is_temporary};
use crate::walk::ancestry::Ancestry;
use crate::walk::slot::ListingSlot;
use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
use truesum_fs::Errno;
use truesum_fs::listing;
use truesum_fs::metadata::{FileType, Metadata};
use truesum_fs::resolve::OpenMode;
use truesum_manifest::Time;

/// The number of entries in listings that the consumer has not reached yet.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// Entries that will certainly be items.
    pub(super) items: AtomicI64,
    /// Entries that may contain any number of items: folders not listed yet, and links if they are followed.
    pub(super) open: AtomicI64,
    pub(super) follow: bool,
    /// Whether timestamps of folders must reveal every later change.
    pub(super) settled: bool,
    /// Whether the files of a folder are examined when it is listed.
    pub(super) examine: bool,
}

impl Pending {
    pub(super) fn is_open(&self, kind: FileType) -> bool {
        kind == FileType::Directory || self.follow && kind == FileType::Symlink
    }

    /// Adds the counts of a listed folder's entries, multiplied by `sign`.
    pub(super) fn add(&self, entries: &[Entry], sign: i64) {
        let open = entries.iter().filter(|entry| self.is_open(entry.kind)).count() as i64;
        self.items.fetch_add(sign * (entries.len() as i64 - open), SeqCst);
        self.open.fetch_add(sign * open, SeqCst);
    }
}

#[derive(Debug)]
pub(super) struct Entry {
    /// The name, followed by `/` for a folder, which is the sort key of paths.
    pub(super) name: Vec<u8>,
    pub(super) kind: FileType,
    /// A folder that was offered to helpers.
    pub(super) job: Option<ListingJob>,
    /// The size and time of a file that was examined with its folder. Boxed because most walks have none.
    pub(super) facts: Option<Box<Facts>>,
}

/// The size and modification time of a file when its folder was listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) size: u64,
    pub(crate) mtime: Time,
}

impl From<&Metadata> for Facts {
    fn from(stat: &Metadata) -> Facts {
        Facts { size: stat.size(), mtime: stat.mtime() }
    }
}

impl Entry {
    /// Returns the name without the `/` that is used for sorting.
    pub(super) fn folder_name(&self) -> &[u8] {
        self.name.strip_suffix(b"/").unwrap_or(&self.name)
    }
}

/// A folder that a helper may list.
#[derive(Clone, Debug)]
pub(super) struct ListingJob {
    pub(super) folder_path: Arc<Ancestry>,
    pub(super) slot: Arc<ListingSlot<Result<Listing, Error>>>,
}

/// A listed folder.
#[derive(Debug)]
pub(super) struct Listing {
    pub(super) entries: Vec<Entry>,
    /// The metadata of the folder before it was listed.
    pub(super) stat: Metadata,
    /// The anchor of its contents.
    pub(super) anchor: Anchor,
    /// Its share of the waiting entries, until it is consumed.
    pub(super) waits: Option<WaitingShare>,
}

/// The share of a listing in the limit for all waiting listings.
#[derive(Debug)]
pub(super) struct WaitingShare {
    entries: usize,
    all: Arc<AtomicUsize>,
}

impl Listing {
    /// Returns the identity of the folder, to detect loops and file system boundaries.
    pub(super) fn id(&self) -> FileId {
        FileId::from(&self.stat)
    }
}

impl WaitingShare {
    pub(super) fn new(entries: usize, all: &Arc<AtomicUsize>) -> WaitingShare {
        all.fetch_add(entries, Relaxed);
        WaitingShare { entries, all: all.clone() }
    }
}

impl Drop for WaitingShare {
    fn drop(&mut self) {
        self.all.fetch_sub(self.entries, Relaxed);
    }
}

impl Drop for Listing {
    /// Drops the listing iteratively, because unused listings contain those of their subfolders,
    /// which may be nested more deeply than the stack allows.
    fn drop(&mut self) {
        let mut rest = take(&mut self.entries);
        while let Some(entry) = rest.pop() {
            // If a helper still has the slot, the helper drops the listing in it, in the same way.
            let slot = entry.job.and_then(|job| Arc::into_inner(job.slot));
            if let Some(Ok(mut listing)) = slot.and_then(ListingSlot::into_listed) {
                rest.append(&mut listing.entries);
            }
        }
    }
}

/// Reads a folder and counts its entries. The result is unsorted.
pub(super) fn list(folder_path: &Ancestry, pending: &Pending) -> Result<Listing, Error> {
    let listing = read(folder_path, pending);
    // Entries are added before the folder stops being open, so that the counts never look complete
    // in between. A folder that cannot be listed is not open either.
    listing.iter().for_each(|listing| pending.add(&listing.entries, 1));
    pending.open.fetch_sub(1, SeqCst);
    listing
}

fn read(folder_path: &Ancestry, &Pending { settled, examine, .. }: &Pending) -> Result<Listing, Error> {
    let root = folder_path.anchor.root();
    let fail = |error: Errno| root.refusal(&folder_path.path(), "list", error);
    let folder = root.resolve(&folder_path.rest(), OpenMode::Listing).map_err(fail)?;
    // This comes before the entries are read, so that the metadata differs later if the folder
    // changes in between.
    let mut stat = Metadata::of(&folder).map_err(fail)?;
    if settled {
        let system = System::of(&folder, &stat);
        let after = after_tick(&folder, stat, &system);
        (stat, _) = after.map_err(|cause| Error::new(&folder_path.path(), "list", cause))?;
    }
    let mut entries = Vec::new();
    let visit = |name: &[u8], kind| {
        // A temporary file of this run is ignored, and not counted either. A walk of everything treats it as a file.
        if !settled && kind == FileType::RegularFile && is_temporary(name) && is_being_written(name) {
            return;
        }
        let is_folder = kind == FileType::Directory;
        let mut own = Vec::with_capacity(name.len() + usize::from(is_folder));
        own.extend_from_slice(name);
        if is_folder {
            own.push(b'/');
        }
        entries.push(Entry { name: own, kind, job: None, facts: None });
    };
    listing::list(&folder, visit).map_err(fail)?;
    if examine {
        for entry in entries.iter_mut().filter(|entry| entry.kind == FileType::RegularFile) {
            // A file that cannot be examined is examined again, and reported, when it is reached.
            entry.facts = listing::stat(&folder, &entry.name).ok().map(|stat| Box::new(Facts::from(&stat)));
        }
    }
    let anchor = folder_path.anchor.below(folder_path.len(), folder);
    Ok(Listing { entries, stat, anchor, waits: None })
}
