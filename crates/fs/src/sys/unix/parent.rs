//! Names within limits on systems whose kernels do not enforce them: one component at a time, and metadata from the folder
//! that contains the name.

use super::resolve::{FOLDER, link_refusal, open_any, open_by_steps, openat};
use super::stat::in_folder;
use crate::sys::access::Confinement;
use crate::sys::errno::Errno;
use crate::sys::metadata::{FileType, Metadata};
use rustix::fs::{self, OFlags};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Opens a name with one call if it may lead anywhere, otherwise one component at a time.
pub fn open_simply(
    folder: BorrowedFd<'_>,
    path: &[u8],
    flags: OFlags,
    confinement: Confinement,
) -> Result<OwnedFd, Errno> {
    match confinement {
        Confinement::Anywhere => openat(folder, path, flags),
        Confinement::Beneath | Confinement::NoLinks => open_by_steps(folder, path, flags, confinement),
    }
}

/// Returns the metadata of the object with this name, from the folder that contains it.
pub fn stat_in_parent(
    folder: BorrowedFd<'_>,
    path: &[u8],
    follow: bool,
    confinement: Confinement,
) -> Result<Metadata, Errno> {
    let (parent, name) = parent(folder, path, confinement)?;
    let at = parent.as_ref().map_or(folder, AsFd::as_fd);
    let found = in_folder(at, name, false)?;
    match found.kind {
        FileType::Symlink if follow && confinement == Confinement::Anywhere => in_folder(at, name, true),
        FileType::Symlink if follow => Err(link_refusal(confinement)),
        _ => Ok(found),
    }
}

/// Returns the target of a symbolic link and the metadata of the link, from the folder that contains it.
pub fn read_link_in_parent(
    folder: BorrowedFd<'_>,
    path: &[u8],
    confinement: Confinement,
) -> Result<(Metadata, Vec<u8>), Errno> {
    let (parent, name) = parent(folder, path, confinement)?;
    let at = parent.as_ref().map_or(folder, AsFd::as_fd);
    let target = fs::readlinkat(at, name, Vec::new())?.into_bytes();
    Ok((in_folder(at, name, false)?, target))
}

/// Opens the folder of a name, unless that is `folder` itself, and returns the name in it.
fn parent<'p>(
    folder: BorrowedFd<'_>,
    path: &'p [u8],
    confinement: Confinement,
) -> Result<(Option<OwnedFd>, &'p [u8]), Errno> {
    let cut = path.iter().rposition(|&byte| byte == b'/');
    let name = &path[cut.map_or(0, |cut| cut + 1)..];
    let (parent, name) = match (cut, name) {
        // A folder, which may be the one that limits names.
        (_, b"" | b"." | b"..") => (path, &b"."[..]),
        (None, _) => return Ok((None, name)),
        (Some(cut), _) => (&path[..cut.max(1)], name),
    };
    let parent = open_any(folder, parent, FOLDER, confinement, open_simply)?;
    Ok((Some(parent), name))
}
