//! An object of a tree: a file, a folder or a symbolic link, and by what it is seen that it moved.

use crate::io::anchor::Anchor;
use crate::io::file_id::FileId;
use rustix::fs::{FileType, Stat};

/// A file, folder or link.
pub(super) struct Object {
    /// Its path from the tree down; empty for the tree itself.
    pub path: Box<[u8]>,
    pub what: What,
    /// Where it is opened; nothing for an argument that is a file.
    pub anchor: Option<Anchor>,
    pub state: State,
    /// Which digest is its own, for a file that was hashed.
    pub hashed: Option<u32>,
}

pub(super) enum What {
    Folder,
    File,
    /// A symbolic link to this.
    Link(Box<[u8]>),
}

/// By what it is seen that an object is another one, or has another content, than it had.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct State {
    id: FileId,
    mode: u32,
    /// 0 of a folder, whose size says nothing.
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl State {
    pub fn of(stat: &Stat) -> State {
        let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        State {
            id: FileId::from(stat),
            mode: stat.st_mode,
            size: if is_folder { 0 } else { stat.st_size as u64 },
            modified: (stat.st_mtime, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime, stat.st_ctime_nsec as i64),
        }
    }
}

impl Object {
    /// Whether it is the tree itself.
    pub fn is_root(&self) -> bool {
        self.path.is_empty()
    }

    /// Its name in the folder it is in.
    pub fn name(&self) -> &[u8] {
        &self.path[self.path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)..]
    }

    /// Its mode and type, as the system has them.
    pub fn mode(&self) -> u32 {
        self.state.mode
    }

    /// Bytes of a file.
    pub fn size(&self) -> u64 {
        self.state.size
    }

    /// Whether it lies in this folder, or deeper.
    pub fn is_below(&self, folder: &[u8]) -> bool {
        folder.is_empty() || self.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with(b"/"))
    }
}
