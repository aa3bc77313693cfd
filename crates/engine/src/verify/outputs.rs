//! Output files of a run that are in a manifest: a missing file must not be replaced by a report about it.

use crate::progress::Progress;
use crate::task::BadLine;
use crate::verify::listed_jobs::{ListItem, listed_jobs};
use crate::verify::options::ReadOptions;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use truesum_fs::name::OsStrExt;

/// The location of an existing or future file: its folder, without symbolic links, and its name.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// std::os::unix::fs::symlink(".", folder.path().join("here"))?;
/// let place = |name: &str| truesum::verify::place_of(&folder.path().join(name));
/// assert_eq!(place("here/./a"), place("a"));
/// assert_ne!(place("a"), place("b"));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// Returns `None` if the folder does not exist, or if the name is that of a folder.
pub fn place_of(path: &Path) -> Option<(PathBuf, OsString)> {
    let name = path.file_name()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some((std::fs::canonicalize(folder).ok()?, name.to_owned()))
}

/// Returns the index of one of these files that is in a manifest, whether it exists or not. A manifest that can be read
/// only once, or not at all, is not examined.
pub fn lists_one_of(
    manifest: &Path,
    options: &ReadOptions,
    progress: &Progress,
    files: &[impl AsRef<Path>],
) -> Option<usize> {
    if files.is_empty() || !manifest.is_file() {
        return None;
    }
    let places: Vec<_> = files.iter().map(|file| place_of(file.as_ref())).collect();
    let folder = options.folder(manifest);
    let mut found = None;
    let requested = listed_jobs(
        manifest,
        &ReadOptions { digest_manifests: false, ..options.clone() },
        progress,
        &mut Vec::new(),
        &mut |listed| {
            let job = match listed {
                ListItem::Entry(job, _) | ListItem::Pieced(job, _) => job,
                ListItem::Bad(BadLine { .. }) | ListItem::Omitted(..) | ListItem::Rules(_) => return Ok(()),
            };
            let name = job.path();
            let base = OsStr::from_bytes(
                &name[name.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)..],
            );
            // Most names do not match, so no folder needs to be examined.
            if places.iter().flatten().any(|(_, name)| name == base) {
                let place = place_of(&folder.join(OsStr::from_bytes(name)));
                found =
                    place.and_then(|place| places.iter().position(|other| other.as_ref() == Some(&place)));
            }
            match found {
                // One match is enough.
                Some(_) => Err(io::Error::from(io::ErrorKind::Interrupted)),
                None => Ok(()),
            }
        },
    );
    drop(requested);
    found
}
