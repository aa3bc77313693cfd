//! The files that a check knows: those in its manifests, by folder, and its own. Folders may be inside each other: a file
//! that is in any of their manifests is not reported.

use crate::error::Error;
use crate::io::file_id::FileId;
use crate::io::input::Input;
use crate::progress::Progress;
use crate::select::rules::RuleSets;
use crate::verify::listed::ListedNames;
use crate::verify::missing::entries::MissingEntries;
use crate::verify::missing::pieces::IncompleteSequence;
use crate::verify::place::open;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;

/// A folder that manifests apply to.
pub(crate) struct Folder {
    pub(crate) id: FileId,
    pub(crate) path: PathBuf,
    pub(crate) listed: ListedNames,
    /// Missing entries, if they are to be searched for elsewhere.
    pub(crate) missing: MissingEntries,
    /// Sequences of pieces with missing files, if those are to be searched for.
    pub(crate) incomplete: Vec<IncompleteSequence>,
    /// The rules of these manifests about other files.
    pub(crate) rules: RuleSets,
    /// Whether one of these manifests lists the file whose name it has, with an additional extension.
    pub(crate) has_sidecar: bool,
}

impl Folder {
    /// Returns whether the only file in manifests is one with a sidecar, which is not a list of the folder.
    pub(crate) fn is_of_one_file(&self) -> bool {
        self.has_sidecar && self.listed.len() == 1
    }
}

/// The files that a check knows so far.
#[derive(Default)]
pub(crate) struct KnownFiles {
    /// The names in manifests, by the folder that they apply to.
    pub(crate) folders: Vec<Folder>,
    /// Files to ignore in a search: the manifests and the caller's own files.
    pub(crate) own: Vec<FileId>,
    /// Folders that were checked as bags.
    pub(crate) bags: Vec<PathBuf>,
    /// Whether the manifests were found below folders, and were not named.
    pub(crate) are_below_folders: bool,
}

impl KnownFiles {
    /// Opens a manifest, which is then ignored in searches.
    pub fn open(&mut self, manifest: &Path, progress: &Progress) -> Result<Input, Error> {
        let (file, ids) = open(manifest, progress)?;
        self.own.extend(ids);
        Ok(file)
    }

    /// Removes and returns the folder and the names that manifests so far contain for it.
    pub fn take_folder(&mut self, path: PathBuf) -> Folder {
        let id = Metadata::at(&path).map_or(FileId::new(0, 0), |stat| stat.id());
        match self.folders.iter().position(|folder| folder.id == id) {
            Some(at) => self.folders.remove(at),
            None => {
                let (listed, missing, incomplete, rules) = Default::default();
                Folder { id, path, listed, missing, incomplete, rules, has_sidecar: false }
            }
        }
    }
}

/// The folders of a check, by path.
pub(super) struct FolderIndex {
    at: HashMap<PathBuf, usize>,
    /// Folders that were searched completely.
    searched: HashSet<PathBuf>,
    /// Folders that are bags, whose files are known.
    bags: HashSet<PathBuf>,
}

impl FolderIndex {
    pub(super) fn new(folders: &[Folder], bags: &[PathBuf]) -> FolderIndex {
        let at = folders.iter().enumerate().map(|(at, folder)| (plain(&folder.path), at)).collect();
        FolderIndex { at, searched: HashSet::new(), bags: bags.iter().map(|bag| plain(bag)).collect() }
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
