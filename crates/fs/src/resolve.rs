//! Resolves names to open files: names of any length, within their limits.
//!
//! The kernel enforces the limits if it can (`openat2`, Linux 5.6), so that nothing can be exchanged between a test and
//! an open. Otherwise each component is opened separately from the one before, and no symbolic link is followed.

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// The length in bytes from which system calls reject a path. Such paths are opened in steps.
pub const PATH_MAX: usize = 4096;

/// The way in which a name is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// Resolved only: metadata and location are available, the content is not.
    Path,
    /// As [`OpenMode::Path`]; a symbolic link at the end is not followed.
    Link,
    /// A folder from which names are resolved.
    Folder,
    /// A folder that is listed.
    Listing,
    /// For reading, without waiting for the writer of a pipe.
    Read,
    /// For reading and writing.
    ReadWrite,
}

impl OpenMode {
    pub(crate) fn flags(self) -> OFlags {
        OFlags::CLOEXEC
            | match self {
                OpenMode::Path => OFlags::PATH,
                OpenMode::Link => OFlags::PATH | OFlags::NOFOLLOW,
                OpenMode::Folder => OFlags::PATH | OFlags::DIRECTORY,
                OpenMode::Listing => OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK,
                OpenMode::Read => OFlags::RDONLY | OFlags::NOCTTY | OFlags::NONBLOCK,
                OpenMode::ReadWrite => OFlags::RDWR | OFlags::NOCTTY,
            }
    }
}

/// The limit on where a name may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// Anywhere.
    Anywhere,
    /// Only inside the folder: `..`, an absolute path or a symbolic link that leads out of it is an
    /// error ([`Errno::XDEV`]).
    Beneath,
    /// Without following any symbolic link, neither on the way nor at the end ([`Errno::LOOP`]).
    /// For relative names without `..`.
    NoLinks,
}

/// Opens a name of any length, relative to `folder`.
///
/// # Errors
/// Returns the system's error, or the one documented for [`Confinement`].
pub(crate) fn open(
    folder: BorrowedFd<'_>,
    path: &[u8],
    flags: OFlags,
    confinement: Confinement,
) -> Result<OwnedFd, Errno> {
    match confinement {
        _ if path.len() < PATH_MAX => open_short(folder, path, flags, confinement),
        // The combined effect of links and `..` in different parts is only known when each component is resolved.
        Confinement::Beneath => open_by_steps(folder, path, flags, confinement),
        Confinement::Anywhere | Confinement::NoLinks => {
            let mut rest = path;
            let mut step: Option<OwnedFd> = None;
            while rest.len() >= PATH_MAX {
                let cut = rest[..PATH_MAX - 1].iter().rposition(|&byte| byte == b'/').filter(|&cut| cut > 0);
                let cut = cut.ok_or(Errno::NAMETOOLONG)?;
                let at = step.as_ref().map_or(folder, AsFd::as_fd);
                let next = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
                step = Some(open_short(at, &rest[..cut], next, confinement)?);
                let skip = rest[cut..].iter().take_while(|&&byte| byte == b'/').count();
                rest = &rest[cut + skip..];
            }
            // The remainder may consist of slashes only.
            let rest = if rest.is_empty() { b"." } else { rest };
            open_short(step.as_ref().map_or(folder, AsFd::as_fd), rest, flags, confinement)
        }
    }
}

fn open_short(
    folder: BorrowedFd<'_>,
    path: &[u8],
    flags: OFlags,
    confinement: Confinement,
) -> Result<OwnedFd, Errno> {
    let resolve = match confinement {
        Confinement::Anywhere => return retry(|| fs::openat(folder, path, flags, Mode::empty())),
        Confinement::Beneath => ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS,
        Confinement::NoLinks => ResolveFlags::NO_SYMLINKS,
    };
    match retry(|| fs::openat2(folder, path, flags, Mode::empty(), resolve)) {
        // Kernels before 5.6 and some sandboxes do not support the call.
        Err(Errno::NOSYS | Errno::PERM) => open_by_steps(folder, path, flags, confinement),
        // The kernel could not rule out a race between a rename and `..`; repeating the call may succeed.
        Err(Errno::AGAIN) => retry(|| fs::openat2(folder, path, flags, Mode::empty(), resolve)),
        result => result,
    }
}

/// Does what [`open`] does, one component at a time and more strictly: every symbolic link is rejected.
fn open_by_steps(
    folder: BorrowedFd<'_>,
    path: &[u8],
    flags: OFlags,
    confinement: Confinement,
) -> Result<OwnedFd, Errno> {
    let refusal = if confinement == Confinement::NoLinks { Errno::LOOP } else { Errno::XDEV };
    match path.first() {
        None => return Err(Errno::NOENT),
        Some(b'/') => return Err(Errno::XDEV),
        Some(_) => {}
    }
    let mut step: Option<OwnedFd> = None;
    let mut parts =
        path.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".").peekable();
    while let Some(part) = parts.next() {
        if part == b".." {
            return Err(Errno::XDEV);
        }
        let at = step.as_ref().map_or(folder, AsFd::as_fd);
        let flags = match parts.peek() {
            Some(_) => OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            None => flags | OFlags::NOFOLLOW,
        };
        let next = match retry(|| fs::openat(at, part, flags, Mode::empty())) {
            Err(Errno::LOOP) => return Err(refusal),
            // Without following links, a link in the middle is reported as "not a directory".
            Err(Errno::NOTDIR) if is_link(at, part) => return Err(refusal),
            result => result?,
        };
        step = Some(next);
    }
    match step {
        Some(file) => Ok(file),
        None => retry(|| fs::openat(folder, ".", flags, Mode::empty())),
    }
}

fn is_link(folder: BorrowedFd<'_>, name: &[u8]) -> bool {
    fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

pub(crate) fn retry<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::CWD;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    fn tree() -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir_all(dir.path().join("root/sub")).unwrap();
        std::fs::write(dir.path().join("outside"), "secret").unwrap();
        std::fs::write(dir.path().join("root/sub/file"), "data").unwrap();
        symlink("../outside", dir.path().join("root/out")).unwrap();
        symlink("sub/file", dir.path().join("root/in")).unwrap();
        symlink("..", dir.path().join("root/sub/up")).unwrap();
        dir
    }

    type Opener = fn(BorrowedFd<'_>, &[u8], OFlags, Confinement) -> Result<OwnedFd, Errno>;
    const OPENERS: [Opener; 2] = [open, open_by_steps];

    #[test]
    fn names_outside_the_root_are_rejected_by_every_opener() {
        let dir = tree();
        let root = fs::open(dir.path().join("root"), OFlags::PATH, Mode::empty()).unwrap();
        for open in OPENERS {
            let try_open =
                |name: &str| open(root.as_fd(), name.as_bytes(), OFlags::RDONLY, Confinement::Beneath).err();
            assert_eq!(try_open("sub/file"), None);
            assert_eq!(try_open("./sub//file"), None);
            for outside in ["../outside", "/etc/passwd", "out", "sub/../../outside", "sub/up/../outside"] {
                assert_eq!(try_open(outside), Some(Errno::XDEV), "{outside}");
            }
            assert_eq!(try_open("nothing"), Some(Errno::NOENT));
        }
        let inside = open(root.as_fd(), b"in", OFlags::RDONLY, Confinement::Beneath);
        assert!(inside.is_ok(), "a link inside the root is followed");
    }

    #[test]
    fn links_are_rejected_anywhere_if_none_may_be_followed() {
        let dir = tree();
        let root = fs::open(dir.path().join("root"), OFlags::PATH, Mode::empty()).unwrap();
        for open in OPENERS {
            let try_open =
                |name: &str| open(root.as_fd(), name.as_bytes(), OFlags::RDONLY, Confinement::NoLinks).err();
            assert_eq!(try_open("sub/file"), None);
            assert_eq!(try_open("."), None, "the folder itself");
            assert_eq!(try_open(""), Some(Errno::NOENT));
            for link in ["in", "out", "sub/up", "sub/up/sub/file"] {
                assert_eq!(try_open(link), Some(Errno::LOOP), "{link}");
            }
            assert_eq!(try_open("sub/file/x"), Some(Errno::NOTDIR));
        }
    }

    #[test]
    fn folder_swapped_for_a_link_never_escapes_the_root() {
        let dir = tree();
        let root = dir.path().join("root");
        let handle = fs::open(&root, OFlags::PATH, Mode::empty()).unwrap();
        std::fs::create_dir(dir.path().join("elsewhere")).unwrap();
        std::fs::write(dir.path().join("elsewhere/file"), "secret").unwrap();
        symlink("../elsewhere", root.join("trap")).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Relaxed) {
                    let _ = fs::renameat_with(&handle, "sub", &handle, "trap", fs::RenameFlags::EXCHANGE);
                }
            });
            for open in OPENERS {
                for confinement in [Confinement::Beneath, Confinement::NoLinks] {
                    for _ in 0..3000 {
                        if let Ok(file) = open(handle.as_fd(), b"sub/file", OFlags::RDONLY, confinement) {
                            let mut bytes = [0; 4];
                            assert_eq!(rustix::io::read(&file, &mut bytes), Ok(4));
                            assert_eq!(&bytes, b"data");
                        }
                    }
                }
            }
            done.store(true, Relaxed);
        });
    }

    #[test]
    fn paths_longer_than_path_max_are_opened() {
        let dir = tempfile::tempdir().unwrap();
        let top = fs::open(dir.path(), OFlags::PATH, Mode::empty()).unwrap();
        let mut at = top.try_clone().unwrap();
        let mut path = Vec::new();
        for _ in 0..25 {
            let name = "d".repeat(200);
            fs::mkdirat(&at, &name, Mode::RWXU).unwrap();
            at = fs::openat(&at, &name, OFlags::PATH, Mode::empty()).unwrap();
            path.extend_from_slice(name.as_bytes());
            path.push(b'/');
        }
        fs::openat(&at, "file", OFlags::CREATE | OFlags::WRONLY, Mode::RUSR).unwrap();
        fs::symlinkat("file", &at, "link").unwrap();
        let file = [&path[..], b"file"].concat();
        assert!(file.len() > PATH_MAX);
        for confinement in [Confinement::Anywhere, Confinement::Beneath, Confinement::NoLinks] {
            assert!(open(top.as_fd(), &file, OFlags::RDONLY, confinement).is_ok(), "{confinement:?}");
            assert!(
                open(top.as_fd(), &path, OFlags::RDONLY, confinement).is_ok(),
                "{confinement:?}: a folder"
            );
        }
        let link = [&path[..], b"link"].concat();
        assert!(open(top.as_fd(), &link, OFlags::RDONLY, Confinement::Anywhere).is_ok());
        assert_eq!(open(top.as_fd(), &link, OFlags::RDONLY, Confinement::NoLinks).err(), Some(Errno::LOOP));
        let whole = [dir.path().as_os_str().as_bytes(), b"/", &file].concat();
        assert!(open(CWD, &whole, OFlags::RDONLY, Confinement::Anywhere).is_ok(), "absolute names too");
    }
}
