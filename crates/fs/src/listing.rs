//! The entries of a folder.

use crate::error::Errno;
use crate::handle::AsFd;
use crate::metadata::FileType;
use rustix::fs::{self, AtFlags, RawDir};
use std::mem::MaybeUninit;

/// Passes the name and the type of each entry of an open folder to `visit`, in the order of the file system, without
/// `.` and `..`.
///
/// # Errors
/// Returns the system's error. The entries passed before are then only a part.
pub fn list(folder: impl AsFd, mut visit: impl FnMut(&[u8], FileType)) -> Result<(), Errno> {
    let mut buffer: Vec<MaybeUninit<u8>> = vec![MaybeUninit::uninit(); 1 << 15];
    let mut reading = RawDir::new(folder.as_fd(), &mut buffer);
    while let Some(entry) = reading.next() {
        let entry = match entry {
            Err(Errno::INTR) => continue,
            entry => entry?,
        };
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            continue;
        }
        let mut kind = entry.file_type();
        if kind == fs::FileType::Unknown {
            let stat = fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW);
            kind = stat.map_or(fs::FileType::Unknown, |stat| fs::FileType::from_raw_mode(stat.st_mode));
        }
        visit(name, kind.into());
    }
    Ok(())
}
