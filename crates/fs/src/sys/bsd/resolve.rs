//! Resolves names to open files within limits, one component at a time: no symbolic link is followed below a folder that
//! limits names.

use crate::sys::access::{Confinement, OpenMode};
use crate::sys::errno::Errno;
use crate::sys::metadata::Metadata;
pub use crate::sys::path::real_path;
use crate::sys::unix::parent::{open_simply, read_link_in_parent, stat_in_parent};
pub use crate::sys::unix::resolve::PATH_MAX;
use crate::sys::unix::resolve::{base, flags, open_any};
use crate::sys::unix::stat;
use std::ffi::OsString;
use std::fs::File;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// Opens a name of any length, relative to `folder` or the current one.
pub fn open(
    folder: Option<&File>,
    path: &[u8],
    mode: OpenMode,
    confinement: Confinement,
) -> Result<File, Errno> {
    open_any(base(folder), path, flags(mode), confinement, open_simply).map(File::from)
}

/// Returns the metadata of the object with this name.
pub fn stat(
    folder: Option<&File>,
    path: &[u8],
    follow: bool,
    confinement: Confinement,
) -> Result<Metadata, Errno> {
    if confinement != Confinement::Beneath && path.len() < PATH_MAX {
        return stat::in_folder(base(folder), path, follow);
    }
    stat_in_parent(base(folder), path, follow, confinement)
}

/// Returns the target of a symbolic link, and the metadata of the link.
pub fn read_link(
    folder: Option<&File>,
    path: &[u8],
    confinement: Confinement,
) -> Result<(Metadata, Vec<u8>), Errno> {
    read_link_in_parent(base(folder), path, confinement)
}

/// Returns a path that leads to an open file or folder: the one it has now, because descriptors of folders have no names
/// from which paths could continue.
pub fn alias(file: &File) -> Result<PathBuf, Errno> {
    Ok(OsString::from_vec(real_path(file)?).into())
}
