//! The place where a walk found a file: a name below an open folder. Exactly that file is opened,
//! or none.
//!
//! The name of a file is resolved again when the file is opened, possibly long after the walk found it. It is resolved
//! from a folder that the walk keeps open and without following symbolic links, so if a folder or file is replaced by a
//! link, the result is an error and never access to another location. Folders deep in the tree are also kept open as
//! bases, so that a long path need not be resolved from its beginning for each file. Their number is limited, and they
//! only affect speed: if no more can be kept open, names are resolved from a folder further up, or the argument is
//! opened again.

use crate::error::Errno;
use crate::limits;
use crate::metadata::Metadata;
use crate::open::Root;
use crate::resolve::{Confinement, OpenMode};
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The length in bytes above which a name is worth a base closer to the file.
const LONG_PATH: usize = 1024;

/// The folder from which names are resolved. Every file and folder found by a walk has one.
#[derive(Clone, Debug)]
pub struct Anchor {
    base: Arc<Base>,
    /// The length of the path prefix that leads to the base, including the slash.
    skip: usize,
}

#[derive(Debug)]
struct Base {
    root: Root,
    _counted: Option<CountedBase>,
}

impl Anchor {
    /// Returns the anchor for everything below an argument that is a folder. The argument itself may be a symbolic
    /// link, which is followed. `path` is the argument without trailing slashes.
    ///
    /// # Errors
    /// Fails if the folder cannot be opened.
    pub fn argument(path: &[u8], confinement: Confinement) -> Result<Anchor, Errno> {
        let (root, counted) = match CountedBase::new() {
            None => {
                (Root::Reopened { folder: path.to_vec(), follow: confinement == Confinement::Anywhere }, None)
            }
            counted => {
                let folder = Root::Anywhere.resolve(path, OpenMode::Folder)?;
                (walked(folder, confinement), counted)
            }
        };
        let skip = path.len() + usize::from(!path.ends_with(b"/"));
        Ok(Anchor { base: Arc::new(Base { root, _counted: counted }), skip })
    }

    /// Returns the anchor for the contents of a folder found here, which has a path of this length and is open as
    /// `folder`.
    pub fn below(&self, path_len: usize, folder: File) -> Anchor {
        let skip = path_len + 1;
        match CountedBase::new().filter(|_| skip.saturating_sub(self.skip) > LONG_PATH) {
            None => self.clone(),
            counted => {
                let root = walked(folder, self.base.root.confinement());
                Anchor { base: Arc::new(Base { root, _counted: counted }), skip }
            }
        }
    }

    /// Returns whether both use the same path prefix and lead to the same folder.
    pub fn is(&self, other: &Anchor) -> bool {
        self.skip == other.skip && Arc::ptr_eq(&self.base, &other.base)
    }

    /// Returns the root from which names are resolved.
    pub fn root(&self) -> &Root {
        &self.base.root
    }

    /// Returns the length of the path prefix before the name that is passed to the root.
    pub fn skip(&self) -> usize {
        self.skip
    }

    /// Returns the part of a path that is passed to the root.
    pub fn rest<'p>(&self, path: &'p [u8]) -> &'p [u8] {
        match path.get(self.skip..) {
            None | Some([]) => b".",
            Some(rest) => rest,
        }
    }

    /// Returns the metadata of the object with this path.
    pub fn stat(&self, path: &[u8], follow: bool) -> Result<Metadata, Errno> {
        self.base.root.stat(self.rest(path), follow)
    }
}

/// Returns the metadata of a file found by a walk, which is the file that will be opened.
pub fn stat_found(path: &[u8], anchor: Option<&Anchor>) -> Result<Metadata, Errno> {
    match anchor {
        Some(anchor) => anchor.stat(path, anchor.root().confinement() == Confinement::Anywhere),
        None => Root::Anywhere.stat(path, true),
    }
}

fn walked(folder: File, confinement: Confinement) -> Root {
    if confinement == Confinement::Anywhere { Root::At(folder) } else { Root::Within(folder) }
}

/// A counted descriptor of a base.
#[derive(Debug)]
struct CountedBase;

/// The number of open bases in this process.
static BASES: AtomicUsize = AtomicUsize::new(0);

/// Returns the maximum number of open bases: a fraction of the descriptors available to this process.
pub fn most_bases() -> usize {
    (limits::open_files() / 16).clamp(2, 512) as usize
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
