//! The metadata of a file at one moment: its type, size, times, identity and links.

use crate::clock::from_system_time;
use crate::error::{Cause, Errno};
use crate::file_id::FileId;
pub use crate::sys::metadata::{FileType, Metadata};
use crate::sys::stat;
pub use crate::sys::stat::MODES_ARE_KNOWN;
use std::fs::File;
use std::path::Path;
use std::time::UNIX_EPOCH;
use truesum_manifest::Time;

/// The mode of a regular file without permissions.
const REGULAR_FILE: u32 = 0o100_000;

impl Metadata {
    /// Returns the metadata of an open file.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn of(file: &File) -> Result<Metadata, Errno> {
        stat::of(file)
    }

    /// Returns the metadata of the file with this path. Symbolic links are followed.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn at(path: impl AsRef<Path>) -> Result<Metadata, Errno> {
        stat::at(path.as_ref(), true)
    }

    /// Returns the metadata of the object with this path, which may be a symbolic link.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn of_link(path: impl AsRef<Path>) -> Result<Metadata, Errno> {
        stat::at(path.as_ref(), false)
    }

    /// Returns how a file changed since it had this metadata, if its size or times show that.
    pub fn change_to(&self, after: &Metadata) -> Option<Cause> {
        let changed = |what: &str| Some(Cause::Changed(what.to_owned()));
        if self.size != after.size {
            changed(&format!("its size changed from {} to {} bytes", self.size, after.size))
        } else if self.mtime != after.mtime {
            changed("its modification time changed")
        } else if self.ctime != after.ctime {
            changed("its metadata changed")
        } else {
            None
        }
    }

    /// Returns the metadata of a version of an object that is not in a file system.
    pub(crate) fn of_object(size: u64, modified: i64, number: u64) -> Metadata {
        let time = Time { seconds: modified, nanos: 0 };
        let id = FileId { device: 0, inode: number.into() };
        let (kind, mode) = (FileType::RegularFile, REGULAR_FILE);
        Metadata { kind, mode, size, allocated: 0, links: 1, id, mtime: time, ctime: time }
    }

    /// Returns the type.
    pub fn kind(&self) -> FileType {
        self.kind
    }

    /// Returns the type and the permissions in the system's representation.
    pub fn mode(&self) -> u32 {
        self.mode
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the number of bytes allocated on the disk, which is less than the size for a file with holes.
    pub fn allocated(&self) -> u64 {
        self.allocated
    }

    /// Returns the number of names.
    pub fn links(&self) -> u64 {
        self.links
    }

    /// Returns the identity.
    pub fn id(&self) -> FileId {
        self.id
    }

    /// Returns the modification time.
    pub fn mtime(&self) -> Time {
        self.mtime
    }

    /// Returns the time of the last change of the content, the names or the permissions.
    pub fn ctime(&self) -> Time {
        self.ctime
    }
}

impl From<&Metadata> for FileId {
    fn from(metadata: &Metadata) -> FileId {
        metadata.id()
    }
}

/// Returns the modification time in metadata of the standard library.
pub fn modified(metadata: &std::fs::Metadata) -> Time {
    from_system_time(metadata.modified().unwrap_or(UNIX_EPOCH))
}
