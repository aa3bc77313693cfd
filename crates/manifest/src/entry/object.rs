//! Objects that are not regular files.

use std::fmt;

/// The kind of an object that is not a regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A directory. It counts only if the manifest has nothing in it.
    Directory,
    /// A symbolic link.
    Link,
    /// A block or character device.
    Device,
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A file inside an archive.
    Member,
}

impl ObjectKind {
    /// All kinds.
    pub(crate) const ALL: [ObjectKind; 6] = [
        ObjectKind::Directory,
        ObjectKind::Link,
        ObjectKind::Device,
        ObjectKind::Pipe,
        ObjectKind::Socket,
        ObjectKind::Member,
    ];

    /// Returns the name of one object of this kind, and that of several.
    pub(crate) fn words(self) -> [&'static str; 2] {
        match self {
            ObjectKind::Directory => ["directory without files", "directories without files"],
            ObjectKind::Link => ["symbolic link", "symbolic links"],
            ObjectKind::Device => ["device", "devices"],
            ObjectKind::Pipe => ["named pipe", "named pipes"],
            ObjectKind::Socket => ["socket", "sockets"],
            ObjectKind::Member => ["file inside an archive", "files inside archives"],
        }
    }
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words()[0])
    }
}
