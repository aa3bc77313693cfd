//! How names are opened, and where they may lead.

/// The way in which a name is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// Resolved only: metadata and location are available, the content is not.
    Path,
    /// A folder from which names are resolved.
    Folder,
    /// A folder that is listed.
    Listing,
    /// For reading, without waiting for the writer of a pipe.
    Read,
    /// For reading and writing.
    ReadWrite,
}

/// The limit on where a name may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// Anywhere.
    Anywhere,
    /// Only inside the folder: `..`, an absolute path or a symbolic link that leads out of it is an error
    /// ([`Errno::XDEV`](crate::Errno::XDEV)).
    Beneath,
    /// Without following any symbolic link, neither on the way nor at the end
    /// ([`Errno::LOOP`](crate::Errno::LOOP)). For relative names without `..`.
    NoLinks,
}
