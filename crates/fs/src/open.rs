//! Opens files: by any path, however long, or only beneath a root.
//!
//! Every query about a name goes through its root, so nothing is revealed about files outside. A file is opened without
//! blocking, and its type is tested before a byte is read, so a pipe or device named in a manifest never hangs a run.

use crate::error::{Cause, DIRECTORY, Errno, Error};
use crate::metadata::{FileType, Metadata};
use crate::name::{BACKSLASH_SEPARATES, OsStrExt};
use crate::placement::Placement;
use crate::resolve::{Confinement, OpenMode};
use crate::sys::{folder, open, resolve};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The root that limits where names may lead.
#[derive(Debug)]
pub enum Root {
    /// No limit, relative to the current folder: names given by the user.
    Anywhere,
    /// Names in a manifest, resolved in this folder; links and `..` may lead anywhere.
    At(File),
    /// Names in a manifest, resolved in this folder; nothing outside of it is opened.
    Beneath(File),
    /// Names that a walk found below this folder: no symbolic links are followed.
    Within(File),
    /// Names that a walk found below a folder that is not kept open.
    Reopened {
        /// The path of the folder, relative to the current folder.
        folder: Vec<u8>,
        /// Whether symbolic links below it are followed.
        follow: bool,
    },
    /// Names that do not refer to files of this system.
    Nowhere,
}

/// The types of files that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Special {
    /// Regular files only.
    #[default]
    Refuse,
    /// Pipes, devices and sockets are read to their end as well.
    Read,
}

/// Opens a file of any type that the user named, such as a key from a pipe. Opening a pipe waits for its writer, as the
/// shell's `<` does. A program that handles signals uses [`Input`](crate::input::Input) instead, which ends the wait
/// when the run is stopped.
///
/// # Errors
/// Returns the system's error.
pub fn open_named(path: impl AsRef<Path>) -> io::Result<File> {
    File::open(path)
}

/// Opens a file that the user did not name, such as a signature next to a manifest, or one that is only examined before
/// it is opened to be read. Only a regular file is opened, so that a pipe with its name never hangs a run.
///
/// # Errors
/// Fails as [`Root::open`].
pub fn open_companion(path: &Path) -> Result<File, Error> {
    let name = path.as_os_str().as_bytes();
    // If a pipe is opened even briefly, its writer starts to write and then finds no reader.
    if let Ok(stat) = Root::Anywhere.stat(name, true) {
        let kind = stat.kind();
        if kind != FileType::RegularFile {
            let why = Cause::Special(describe(kind));
            // Unlike a file that the user names, no option allows a pipe to be read.
            let is_folder = kind == FileType::Directory;
            return Err(Error::new(
                name,
                "read",
                if is_folder { why } else { Cause::Other(why.to_string()) },
            ));
        }
    }
    Root::Anywhere.open(name, Special::Refuse).map(|(file, _)| file)
}

/// Reads a file that the user did not name, as [`open_companion`] opens it.
///
/// # Errors
/// Fails as [`Root::open`], or if it cannot be read.
pub fn read_companion(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = open_companion(path)?.read_to_end(&mut bytes);
    read.map_err(|error| Error::io(path.as_os_str().as_bytes(), "read", error))?;
    Ok(bytes)
}

/// Opens a file for reading and writing, and creates it if it does not exist. A symbolic link is not followed.
/// A pipe is opened without waiting.
///
/// # Errors
/// Returns the system's error, which is [`Errno::LOOP`] for a symbolic link.
pub fn open_or_create(path: &Path) -> Result<File, Errno> {
    open::or_create(path)
}

impl Root {
    /// Returns the root for the names in a manifest.
    ///
    /// # Errors
    /// Fails if the folder cannot be opened.
    pub fn folder(path: impl AsRef<Path>, allow_outside: bool) -> Result<Root, Error> {
        let path = path.as_ref().as_os_str().as_bytes();
        let folder =
            Root::Anywhere.resolve(path, OpenMode::Folder).map_err(|error| Error::io(path, "open", error))?;
        Ok(if allow_outside { Root::At(folder) } else { Root::Beneath(folder) })
    }

    /// Returns how far names may lead.
    pub fn confinement(&self) -> Confinement {
        match self {
            Root::Anywhere | Root::At(_) | Root::Reopened { follow: true, .. } => Confinement::Anywhere,
            Root::Beneath(_) => Confinement::Beneath,
            Root::Within(_) | Root::Reopened { follow: false, .. } | Root::Nowhere => Confinement::NoLinks,
        }
    }

    /// Opens the object with this name, whatever its type.
    ///
    /// # Errors
    /// Returns the system's error, or the one documented for [`Confinement`].
    pub fn resolve(&self, path: &[u8], mode: OpenMode) -> Result<File, Errno> {
        self.from(|folder| resolve::open(folder, path, mode, self.confinement()))
    }

    /// Calls `action` with the folder from which names are resolved; without one, that is the current folder.
    fn from<T>(&self, action: impl FnOnce(Option<&File>) -> Result<T, Errno>) -> Result<T, Errno> {
        match self {
            Root::Anywhere => action(None),
            Root::At(folder) | Root::Beneath(folder) | Root::Within(folder) => action(Some(folder)),
            Root::Reopened { folder, .. } => action(Some(&Root::Anywhere.resolve(folder, OpenMode::Folder)?)),
            Root::Nowhere => Err(Errno::OPNOTSUPP),
        }
    }

    /// Returns the error for a name that could not be opened, listed or read.
    pub fn refusal(&self, path: &[u8], action: &'static str, error: Errno) -> Error {
        match error {
            Errno::XDEV => Error::new(path, action, Cause::OutsideRoot),
            Errno::LOOP if self.confinement() == Confinement::NoLinks => {
                let what = "it, or a parent folder, was replaced by a symbolic link";
                Error::new(path, action, Cause::Changed(what.to_owned()))
            }
            _ => Error::io(path, action, error),
        }
    }

    /// Opens a file for reading and returns its metadata.
    ///
    /// # Errors
    /// Fails if the file does not exist, permission is denied, it is not a regular file (unless `special` allows it),
    /// or it is outside the root.
    pub fn open(&self, path: &[u8], special: Special) -> Result<(File, Metadata), Error> {
        let fail = |error: Errno| match error {
            // This is the error for a socket, or for a device that does not exist.
            Errno::NXIO if self.stat(path, true).is_ok_and(is_socket) => {
                Error::new(path, "read", Cause::Special("socket"))
            }
            _ => self.refusal(path, "open", error),
        };
        let file = self.resolve(path, OpenMode::Read).map_err(fail)?;
        let stat = Metadata::of(&file).map_err(|error| Error::io(path, "read", error))?;
        let kind = stat.kind();
        match (kind, special) {
            (FileType::RegularFile, _) => {}
            (FileType::Directory, _) => return Err(Error::new(path, "read", Cause::Special(DIRECTORY))),
            (_, Special::Refuse) => return Err(Error::new(path, "read", Cause::Special(describe(kind)))),
            (_, Special::Read) => {
                // Reading a pipe must wait for its writer.
                open::wait_for_data(&file).map_err(|error| Error::io(path, "open", error))?;
            }
        }
        Ok((file, stat))
    }

    /// Returns the path of the object with this name, without symbolic links, as the system reports it for the opened
    /// file.
    ///
    /// # Errors
    /// Fails if it cannot be opened, or if the system does not report its path (on Linux, without `/proc`).
    pub fn real_path(&self, path: &[u8]) -> Result<Vec<u8>, Error> {
        let file = self.resolve(path, OpenMode::Path);
        let file = file.map_err(|error| self.refusal(path, "open", error))?;
        resolve::real_path(&file).map_err(|error| Error::io(path, "resolve its path", error))
    }

    /// Returns whether an object with this name exists, whatever its type.
    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.stat(path.as_ref().as_os_str().as_bytes(), false).is_ok()
    }

    /// Returns whether a folder has this name.
    pub fn is_folder(&self, path: impl AsRef<Path>) -> bool {
        let found = self.stat(path.as_ref().as_os_str().as_bytes(), false);
        found.is_ok_and(|stat| stat.kind() == FileType::Directory)
    }

    /// Returns the target of the symbolic link with this name, and the metadata of the link.
    ///
    /// # Errors
    /// Returns the system's error, or the one documented for [`Confinement`].
    pub fn read_link(&self, path: &[u8]) -> Result<(Metadata, Vec<u8>), Errno> {
        self.from(|folder| resolve::read_link(folder, path, self.confinement()))
    }

    /// Returns the size of the regular file with this name, or 0 for anything else. This is only a hint for planning.
    pub fn size(&self, path: &[u8]) -> u64 {
        match self.stat(path, self.confinement() != Confinement::NoLinks) {
            Ok(stat) if stat.kind() == FileType::RegularFile => stat.size(),
            _ => 0,
        }
    }

    /// Returns the position of the regular file with this name on its device, or `None` for anything else. This is only a
    /// hint for planning.
    pub fn placement(&self, path: &[u8]) -> Option<Placement> {
        let stat = self.stat(path, self.confinement() != Confinement::NoLinks).ok()?;
        // Opening a pipe would disturb its writer.
        if stat.kind() != FileType::RegularFile {
            return None;
        }
        let file = self.resolve(path, OpenMode::Read).ok();
        Some(Placement::of(file.as_ref(), &stat))
    }

    /// Returns the metadata of the object with this name: the target of a symbolic link, or the link itself.
    ///
    /// # Errors
    /// Returns the system's error, or the one documented for [`Confinement`].
    pub fn stat(&self, path: &[u8], follow: bool) -> Result<Metadata, Errno> {
        self.from(|folder| resolve::stat(folder, path, follow, self.confinement()))
    }
}

/// Examines many names in a root. Names in one folder usually follow each other, so the folder of the last name stays
/// open, and the system does not resolve its path again for each name. The names are only examined: a file that is read
/// is opened by its complete name.
#[derive(Debug)]
pub struct FolderCache<'r> {
    root: &'r Root,
    /// The name of the folder, without a slash at its end, and the folder, unless it cannot be opened.
    last: Option<(Vec<u8>, Result<File, Errno>)>,
}

impl<'r> FolderCache<'r> {
    /// Returns a cache in which no folder is open.
    pub fn new(root: &'r Root) -> FolderCache<'r> {
        FolderCache { root, last: None }
    }

    /// Returns the metadata of the object with this name, which may be a symbolic link, as [`Root::stat`] does.
    ///
    /// # Errors
    /// Returns the system's error, or the one documented for [`Confinement`].
    pub fn stat(&mut self, path: &[u8]) -> Result<Metadata, Errno> {
        let slash = path.iter().rposition(|&byte| byte == b'/' || BACKSLASH_SEPARATES && byte == b'\\');
        let Some(slash) = slash.filter(|&slash| slash > 0) else { return self.root.stat(path, false) };
        let (parent, name) = (&path[..slash], &path[slash + 1..]);
        // Such a name refers to a folder, which may be outside of the root. Without its slash, a drive is another folder.
        if matches!(name, b"" | b"." | b"..") || BACKSLASH_SEPARATES && parent.ends_with(b":") {
            return self.root.stat(path, false);
        }
        if self.last.as_ref().is_none_or(|(last, _)| last != parent) {
            self.last = Some((parent.to_vec(), self.root.resolve(parent, OpenMode::Folder)));
        }
        match &self.last {
            Some((_, Ok(parent))) => folder::stat(parent, name),
            Some((_, Err(error))) => Err(*error),
            None => self.root.stat(path, false),
        }
    }

    /// Returns the size of the regular file with this name, or 0 for anything else, as [`Root::size`] does.
    pub fn size(&mut self, path: &[u8]) -> u64 {
        match self.stat(path) {
            Ok(stat) if stat.kind() == FileType::RegularFile => stat.size(),
            // Whether a link may be followed depends on the root.
            Ok(stat) if stat.kind() == FileType::Symlink => self.root.size(path),
            _ => 0,
        }
    }
}

fn is_socket(stat: Metadata) -> bool {
    stat.kind() == FileType::Socket
}

/// Returns a description of a file type.
pub fn describe(kind: FileType) -> &'static str {
    match kind {
        FileType::RegularFile => "regular file",
        FileType::Directory => "directory",
        FileType::Symlink => "symbolic link",
        FileType::Fifo => "named pipe",
        FileType::Socket => "socket",
        FileType::CharacterDevice => "character device",
        FileType::BlockDevice => "block device",
        FileType::Unknown => "file of unknown type",
    }
}

// Windows refuses every link below a root, which `sys/windows/resolve.rs` tests.
#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::system::guarantees;
    use crate::write::symlink;
    use std::ffi::OsStr;

    #[test]
    fn size_and_existence_obey_the_same_confinement_as_open() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("root")).unwrap();
        std::fs::write(dir.path().join("secret"), "secret").unwrap();
        std::fs::write(dir.path().join("root/file"), "data").unwrap();
        symlink(Path::new("../secret"), &dir.path().join("root/out")).unwrap();
        symlink(Path::new("file"), &dir.path().join("root/in")).unwrap();
        symlink(Path::new(".."), &dir.path().join("root/up")).unwrap();
        let folder = dir.path().join("root");
        let beneath = Root::folder(&folder, false).unwrap();
        let secret = dir.path().join("secret").into_os_string().into_encoded_bytes();
        for outside in [&b"../secret"[..], b"up/secret", &secret] {
            assert!(
                !beneath.exists(OsStr::from_bytes(outside)) && beneath.size(outside) == 0,
                "{}",
                outside.escape_ascii()
            );
        }
        assert!(beneath.exists("out") && beneath.size(b"out") == 0, "a link, which leads nowhere");
        let followed = if guarantees().follows_links_inside() { 4 } else { 0 };
        assert_eq!((beneath.size(b"file"), beneath.size(b"in")), (4, followed));
        let at = Root::folder(&folder, true).unwrap();
        assert_eq!((at.size(b"../secret"), at.size(b"out"), at.size(b"in")), (6, 6, 4));
        // A folder that is kept open does not change where names may lead.
        symlink(Path::new("."), &dir.path().join("root/here")).unwrap();
        for root in [&beneath, &at, &Root::Anywhere, &Root::Nowhere] {
            let mut cache = FolderCache::new(root);
            let names = [
                "file",
                "./file",
                "./in",
                "./nothing",
                "./out",
                "./..",
                "./.",
                "./up",
                "up/secret",
                "up/root/",
            ];
            let more =
                ["../secret", "here/file", "here/in", "here/../..", "file/x", "missing/a", "missing/b", ""];
            for name in names.into_iter().chain(more).map(str::as_bytes).chain([&secret[..], b"/"]) {
                let id = |stat: Result<Metadata, Errno>| stat.map(|stat| stat.id());
                assert_eq!(id(cache.stat(name)), id(root.stat(name, false)), "{}", name.escape_ascii());
                assert_eq!(cache.size(name), root.size(name), "{}", name.escape_ascii());
            }
        }
        let long = [&b"./".repeat(3000)[..], b"file"].concat();
        assert_eq!((at.size(&long), beneath.size(&long)), (4, 4));
        for follow in [false, true] {
            let path = folder.clone().into_os_string().into_encoded_bytes();
            let again = Root::Reopened { folder: path, follow };
            assert_eq!((again.size(b"file"), again.size(b"in")), (4, if follow { 4 } else { 0 }));
            assert_eq!(again.open(b"in", Special::Refuse).is_ok(), follow);
        }
    }
}
