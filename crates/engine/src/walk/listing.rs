//! One folder's entries, listed by the consumer of a walk or by a helper ahead of it, and counted.

use crate::error::Error;
use crate::io::open::open_long;
use rustix::fs::{self, AtFlags, CWD, FileType, OFlags, RawDir, Stat};
use rustix::io::Errno;
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What listings showed and the consumer did not reach yet.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// Entries that are items for certain.
    pub(super) items: AtomicI64,
    /// Entries that may hold any number of items: folders not listed, and links if they are followed.
    pub(super) open: AtomicI64,
    pub(super) follow: bool,
}

impl Met {
    pub(super) fn is_open(&self, kind: FileType) -> bool {
        kind == FileType::Directory || self.follow && kind == FileType::Symlink
    }

    /// Adds the entries of a folder that was listed, times `sign`.
    pub(super) fn add(&self, entries: &[Entry], sign: i64) {
        let open = entries.iter().filter(|entry| self.is_open(entry.kind)).count() as i64;
        self.items.fetch_add(sign * (entries.len() as i64 - open), SeqCst);
        self.open.fetch_add(sign * open, SeqCst);
    }
}

pub(super) struct Entry {
    /// The name, with `/` behind it for a folder: the order of paths.
    pub(super) name: Vec<u8>,
    pub(super) kind: FileType,
    pub(super) slot: Option<Arc<Slot>>,
}

/// A listed folder.
pub(super) struct Listing {
    pub(super) entries: Vec<Entry>,
    pub(super) id: (u64, u64),
}

impl Entry {
    /// The name without the `/` that sorting wants.
    pub(super) fn folder_name(&self) -> &[u8] {
        self.name.strip_suffix(b"/").unwrap_or(&self.name)
    }
}

pub(super) fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(folder.len() + 1 + name.len());
    path.extend_from_slice(folder);
    if !folder.ends_with(b"/") {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

pub(super) fn stat(path: &[u8]) -> Result<Stat, Errno> {
    match fs::statat(CWD, path, AtFlags::empty()) {
        Err(Errno::NAMETOOLONG) if path.split(|&byte| byte == b'/').all(|part| part.len() < 256) => {
            fs::fstat(open_long(CWD, path, OFlags::PATH | OFlags::CLOEXEC)?)
        }
        result => result,
    }
}

/// Reads a folder, and takes note of what is in it. Unsorted.
pub(super) fn list(path: &[u8], met: &Met) -> Result<Listing, Error> {
    let listing = read(path);
    listing.iter().for_each(|listing| met.add(&listing.entries, 1));
    met.open.fetch_sub(1, SeqCst);
    listing
}

fn read(path: &[u8]) -> Result<Listing, Error> {
    let fail = |error: Errno| Error::io(path, "list", error);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let folder = open_long(CWD, path, flags).map_err(fail)?;
    let stat = fs::fstat(&folder).map_err(fail)?;
    let mut buffer: Vec<MaybeUninit<u8>> = vec![MaybeUninit::uninit(); 1 << 15];
    let mut entries = Vec::new();
    let mut reading = RawDir::new(folder.as_fd(), &mut buffer);
    while let Some(entry) = reading.next() {
        let entry = match entry {
            Err(Errno::INTR) => continue,
            entry => entry.map_err(fail)?,
        };
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            continue;
        }
        let mut kind = entry.file_type();
        if kind == FileType::Unknown {
            let stat = fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW);
            kind = stat.map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode));
        }
        let mut name = name.to_vec();
        if kind == FileType::Directory {
            name.push(b'/');
        }
        entries.push(Entry { name, kind, slot: None });
    }
    Ok(Listing { entries, id: (stat.st_dev, stat.st_ino) })
}

/// A folder that somebody will list: a helper ahead of time, or the consumer when it gets there first.
#[derive(Default)]
pub(super) struct Slot {
    pub(super) state: Mutex<SlotState>,
    pub(super) listed: Condvar,
}

#[derive(Default)]
pub(super) enum SlotState {
    #[default]
    Waiting,
    Taken,
    Listed(Result<Listing, Error>, Arc<AtomicUsize>),
    Gone,
}

impl Slot {
    /// The consumer's turn: the listing, made now if nobody began it.
    pub(super) fn take(&self, path: &[u8], met: &Met) -> Result<Listing, Error> {
        let mut state = lock(&self.state);
        loop {
            match std::mem::replace(&mut *state, SlotState::Gone) {
                SlotState::Listed(listing, waiting) => {
                    if let Ok(listing) = &listing {
                        waiting.fetch_sub(listing.entries.len(), Relaxed);
                    }
                    return listing;
                }
                SlotState::Taken => {
                    *state = SlotState::Taken;
                    state = self.listed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                SlotState::Waiting | SlotState::Gone => {
                    drop(state);
                    return list(path, met);
                }
            }
        }
    }

    /// The folder is not wanted.
    pub(super) fn give_up(&self) {
        let mut state = lock(&self.state);
        if let SlotState::Listed(Ok(listing), waiting) = &*state {
            waiting.fetch_sub(listing.entries.len(), Relaxed);
        }
        *state = SlotState::Gone;
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
