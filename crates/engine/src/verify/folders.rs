//! Folders of several manifests, one inside the other: a file that is in any of these manifests is not reported.

use crate::io::file_id::FileId;
use crate::verify::listed::ListedNames;
use crate::verify::missing::MissingEntries;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use truesum_fs::name::OsStrExt;

/// A folder that manifests apply to.
pub(super) struct Folder {
    pub id: FileId,
    pub path: PathBuf,
    pub listed: ListedNames,
    /// Missing entries, if they are to be searched for elsewhere.
    pub missing: MissingEntries,
}

/// The folders of a check, by path.
pub(super) struct Several {
    at: HashMap<PathBuf, usize>,
    /// Folders that were searched completely.
    searched: HashSet<PathBuf>,
    /// Folders that are bags, whose files are known.
    bags: HashSet<PathBuf>,
}

impl Several {
    pub(super) fn new(folders: &[Folder], bags: &[PathBuf]) -> Several {
        let at = folders.iter().enumerate().map(|(at, folder)| (plain(&folder.path), at)).collect();
        Several { at, searched: HashSet::new(), bags: bags.iter().map(|bag| plain(bag)).collect() }
    }

    /// Records that this part of a folder is searched completely.
    pub(super) fn searching(&mut self, folder: &Path, below: &[u8]) {
        self.searched.insert(plain(folder).join(OsStr::from_bytes(below)));
    }

    /// Returns whether a folder is inside one that was searched.
    pub(super) fn is_searched(&self, folder: &Path) -> bool {
        !self.searched.is_empty() && plain(folder).ancestors().any(|above| self.searched.contains(above))
    }

    /// Returns whether this file, which is below `folder`, is in a manifest of another folder or belongs to a bag.
    pub(super) fn is_listed(&self, folders: &mut [Folder], folder: &Path, name: &[u8]) -> bool {
        if folders.len() < 2 && self.bags.is_empty() {
            return false;
        }
        let path = plain(&folder.join(OsStr::from_bytes(name)));
        if path.ancestors().skip(1).any(|above| self.bags.contains(above)) {
            return true;
        }
        path.ancestors().skip(1).any(|above| {
            let Some(&at) = self.at.get(above) else { return false };
            let rest = path.strip_prefix(above).unwrap_or(&path);
            folders[at].listed.contains(rest.as_os_str().as_bytes())
        })
    }
}

/// Returns the path without redundant components; a leading `./` is removed.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| !matches!(part, std::path::Component::CurDir)).collect()
}
