//! Folders that manifests speak of, one below the other: a file that one of them lists is not one that none lists.

use crate::io::file_id::FileId;
use crate::verify::listed::ListedNames;
use crate::verify::missing::MissingEntries;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A folder that manifests speak of.
pub(super) struct Folder {
    pub id: FileId,
    pub path: PathBuf,
    pub listed: ListedNames,
    /// What is not there, if it is to be looked for elsewhere.
    pub sought: MissingEntries,
}

/// The folders of a check, by their paths.
pub(super) struct Several {
    at: HashMap<PathBuf, usize>,
    /// Folders in which everything was met.
    searched: HashSet<PathBuf>,
    /// Folders that are bags: what belongs to them is known.
    bags: HashSet<PathBuf>,
}

impl Several {
    pub(super) fn new(folders: &[Folder], bags: &[PathBuf]) -> Several {
        let at = folders.iter().enumerate().map(|(at, folder)| (plain(&folder.path), at)).collect();
        Several { at, searched: HashSet::new(), bags: bags.iter().map(|bag| plain(bag)).collect() }
    }

    /// Notes that everything in this part of a folder is met.
    pub(super) fn searching(&mut self, folder: &Path, below: &[u8]) {
        self.searched.insert(plain(folder).join(OsStr::from_bytes(below)));
    }

    /// Whether a folder lies in one that was searched.
    pub(super) fn is_searched(&self, folder: &Path) -> bool {
        !self.searched.is_empty() && plain(folder).ancestors().any(|above| self.searched.contains(above))
    }

    /// Whether a manifest of another folder lists this file, which lies below `folder`, or a bag has it.
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

/// A path without what says nothing; the current folder is no part of it.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| !matches!(part, std::path::Component::CurDir)).collect()
}
