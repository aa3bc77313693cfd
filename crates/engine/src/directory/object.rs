//! An object of a tree (a file, a folder or a symbolic link) and the state by which changes are detected.

use crate::io::anchor::Anchor;
use crate::io::file_id::FileId;
use truesum_fs::metadata::{FileType, Metadata};
use truesum_manifest::Time;

/// A file, folder or symbolic link.
pub(super) struct Object {
    /// The path relative to the tree; empty for the tree itself.
    pub(crate) path: Box<[u8]>,
    pub(crate) what: ObjectType,
    /// The folder it is opened from; `None` for an argument that is a file.
    pub(crate) anchor: Option<Anchor>,
    pub(crate) state: State,
    /// The index of its digest, for a file that was hashed.
    pub(crate) hashed: Option<u32>,
}

pub(super) enum ObjectType {
    Folder,
    File,
    /// A symbolic link with this target.
    Link(Box<[u8]>),
}

/// The state by which a replaced or modified object is detected.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct State {
    id: FileId,
    mode: u32,
    /// The size; 0 for a folder, whose size is meaningless.
    size: u64,
    modified: Time,
    changed: Time,
}

impl State {
    pub fn of(stat: &Metadata) -> State {
        let is_folder = stat.kind() == FileType::Directory;
        State {
            id: FileId::from(stat),
            mode: stat.mode(),
            size: if is_folder { 0 } else { stat.size() },
            modified: stat.mtime(),
            changed: stat.ctime(),
        }
    }
}

impl Object {
    /// Returns whether it is the tree itself.
    pub fn is_root(&self) -> bool {
        self.path.is_empty()
    }

    /// Returns its name in its folder.
    pub fn name(&self) -> &[u8] {
        &self.path[self.path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)..]
    }

    /// Returns its mode and type in the system's representation.
    pub fn mode(&self) -> u32 {
        self.state.mode
    }

    /// Returns the size of a file in bytes.
    pub fn size(&self) -> u64 {
        self.state.size
    }

    /// Returns whether it is in this folder, at any depth.
    pub fn is_below(&self, folder: &[u8]) -> bool {
        folder.is_empty() || self.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with(b"/"))
    }
}
