//! Where a walk found a file: a name below an open folder, so that the file is opened there or not at all.
//!
//! A name is resolved anew when its file is opened, maybe long after the walk listed it, but from a folder that the walk
//! has open, and through no symbolic link: a folder or file exchanged for a link to elsewhere is an error then, never a
//! look elsewhere. Folders deep in the tree are kept open too, as bases for what lies below them, so that a long path is
//! not resolved from its beginning for each file. They are few, and only a matter of speed: where no more may be open,
//! names are resolved from one further up, or the argument is opened again.

use crate::io::open::Root;
use crate::io::resolve::{self, Reach};
use rustix::fs::{CWD, OFlags, Stat};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Names longer than this are worth a base that is nearer.
const FAR: usize = 1024;

/// Where names below a folder are resolved from: every file and folder that a walk found has one.
#[derive(Clone, Debug)]
pub struct Anchor {
    base: Arc<Base>,
    /// Bytes of a path that lead to the base, the slash behind them included.
    skip: usize,
}

#[derive(Debug)]
struct Base {
    root: Root,
    _counted: Option<CountedBase>,
}

impl Anchor {
    /// The anchor of everything below an argument that is a folder: the argument itself may be a link, and is followed.
    /// `path` is the argument without slashes at its end.
    ///
    /// # Errors
    /// The folder cannot be opened.
    pub(crate) fn argument(path: &[u8], reach: Reach) -> Result<Anchor, Errno> {
        let (root, counted) = match CountedBase::new() {
            None => (Root::Reopened { folder: path.to_vec(), follow: reach == Reach::Anywhere }, None),
            counted => {
                let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
                let folder = resolve::open(CWD, path, flags, Reach::Anywhere)?;
                (walked(folder, reach), counted)
            }
        };
        let skip = path.len() + usize::from(!path.ends_with(b"/"));
        Ok(Anchor { base: Arc::new(Base { root, _counted: counted }), skip })
    }

    /// The anchor of what lies in a folder that was found here: its path has so many bytes, and it is open as `folder`.
    pub(crate) fn below(&self, path_len: usize, folder: OwnedFd) -> Anchor {
        let skip = path_len + 1;
        match CountedBase::new().filter(|_| skip.saturating_sub(self.skip) > FAR) {
            None => self.clone(),
            counted => {
                let root = walked(folder, self.base.root.reach());
                Anchor { base: Arc::new(Base { root, _counted: counted }), skip }
            }
        }
    }

    /// Whether both lead by the same bytes of a path to the same folder.
    pub(crate) fn is(&self, other: &Anchor) -> bool {
        self.skip == other.skip && Arc::ptr_eq(&self.base, &other.base)
    }

    /// What names are resolved from.
    pub(crate) fn root(&self) -> &Root {
        &self.base.root
    }

    /// Bytes of a path before the name that the root takes.
    pub(crate) fn skip(&self) -> usize {
        self.skip
    }

    /// The part of a path that the root takes.
    pub(crate) fn rest<'p>(&self, path: &'p [u8]) -> &'p [u8] {
        match path.get(self.skip..) {
            None | Some([]) => b".",
            Some(rest) => rest,
        }
    }

    /// What stands under this path.
    pub(crate) fn stat(&self, path: &[u8], follow: bool) -> Result<Stat, Errno> {
        self.base.root.stat(self.rest(path), follow)
    }
}

/// What the system says of a file that a walk found: of the one that will be opened.
pub(crate) fn stat_found(path: &[u8], anchor: Option<&Anchor>) -> Result<Stat, Errno> {
    match anchor {
        Some(anchor) => anchor.stat(path, anchor.root().reach() == Reach::Anywhere),
        None => Root::Anywhere.stat(path, true),
    }
}

fn walked(folder: OwnedFd, reach: Reach) -> Root {
    if reach == Reach::Anywhere { Root::At(folder) } else { Root::Within(folder) }
}

/// One of the descriptors that bases may have.
#[derive(Debug)]
struct CountedBase;

/// Bases open in this process.
static BASES: AtomicUsize = AtomicUsize::new(0);

/// Most bases open: a part of the descriptors that this process may have.
pub(crate) fn most_bases() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
    (limit / 16).clamp(2, 512) as usize
}

impl CountedBase {
    fn new() -> Option<CountedBase> {
        if BASES.fetch_add(1, Relaxed) < most_bases() {
            return Some(CountedBase);
        }
        BASES.fetch_sub(1, Relaxed);
        None
    }
}

impl Drop for CountedBase {
    fn drop(&mut self) {
        BASES.fetch_sub(1, Relaxed);
    }
}
