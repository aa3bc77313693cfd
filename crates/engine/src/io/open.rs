//! Opening files: by any path, however long, or only beneath a root.
//!
//! A file is opened without blocking and asked what it is before a byte is read, so that a pipe or a device named in a
//! manifest never hangs a run.

use crate::error::{Cause, DIRECTORY, Error};
use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Paths of this length and more are refused by system calls: they are opened step by step.
const PATH_MAX: usize = 4096;

/// Where names may lead.
#[derive(Debug)]
pub enum Root {
    /// Anywhere, from the current folder: names the user typed or a walk found.
    Anywhere,
    /// Names from a manifest, resolved in this folder; links and `..` may lead anywhere.
    At(OwnedFd),
    /// Names from a manifest, resolved in this folder; nothing outside it is opened.
    Beneath(OwnedFd),
}

/// Which kinds of file are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Special {
    /// Regular files only.
    #[default]
    Refuse,
    /// Pipes, devices and sockets too, to their end.
    Read,
}

impl Root {
    /// The folder to resolve a manifest's names in.
    ///
    /// # Errors
    /// It is not a folder that can be opened.
    pub fn folder(path: &[u8], allow_outside: bool) -> Result<Root, Error> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = open_long(CWD, path, flags).map_err(|error| Error::io(path, "open", error))?;
        Ok(if allow_outside { Root::At(folder) } else { Root::Beneath(folder) })
    }

    /// Opens a file for reading and tells what it is.
    ///
    /// # Errors
    /// Not there, not permitted, not a regular file (unless `special` allows it), or outside the root.
    pub fn open(&self, path: &[u8], special: Special) -> Result<(OwnedFd, Stat), Error> {
        let fail = |error: Errno| match error {
            Errno::XDEV => Error::new(path, "open", Cause::OutsideRoot),
            // What opening a socket says.
            Errno::NXIO => Error::new(path, "read", Cause::Special("socket")),
            _ => Error::io(path, "open", error),
        };
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
        let file = match self {
            Root::Anywhere => open_long(CWD, path, flags),
            Root::At(folder) => open_long(folder.as_fd(), path, flags),
            Root::Beneath(folder) => open_beneath(folder.as_fd(), path, flags),
        };
        let file = file.map_err(fail)?;
        let stat = fs::fstat(&file).map_err(|error| Error::io(path, "read", error))?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        match (kind, special) {
            (FileType::RegularFile, _) => {}
            (FileType::Directory, _) => return Err(Error::new(path, "read", Cause::Special(DIRECTORY))),
            (_, Special::Refuse) => return Err(Error::new(path, "read", Cause::Special(describe(kind)))),
            (_, Special::Read) => {
                // Reads of a pipe should wait for its writer.
                fs::fcntl_setfl(&file, OFlags::empty()).map_err(|error| Error::io(path, "open", error))?;
            }
        }
        Ok((file, stat))
    }

    /// Whether there is something under this name, whatever it is.
    pub fn exists(&self, path: &[u8]) -> bool {
        fs::statat(self.as_fd(), path, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// The size of the regular file under this name; 0 for anything else. A hint to plan by, never an answer.
    pub(crate) fn size(&self, path: &[u8]) -> u64 {
        match fs::statat(self.as_fd(), path, AtFlags::empty()) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => stat.st_size as u64,
            _ => 0,
        }
    }

    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Root::Anywhere => CWD,
            Root::At(folder) | Root::Beneath(folder) => folder.as_fd(),
        }
    }
}

/// A file type in words.
pub(crate) fn describe(kind: FileType) -> &'static str {
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

/// Opens a path of any length.
pub(crate) fn open_long(folder: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    if path.len() < PATH_MAX {
        return retry(|| fs::openat(folder, path, flags, Mode::empty()));
    }
    let mut rest = path;
    let mut step: Option<OwnedFd> = None;
    while rest.len() >= PATH_MAX {
        let cut = rest[..PATH_MAX - 1].iter().rposition(|&byte| byte == b'/').filter(|&cut| cut > 0);
        let cut = cut.ok_or(Errno::NAMETOOLONG)?;
        let at = step.as_ref().map_or(folder, AsFd::as_fd);
        let next = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        step = Some(retry(|| fs::openat(at, &rest[..cut], next, Mode::empty()))?);
        let skip = rest[cut..].iter().take_while(|&&byte| byte == b'/').count();
        rest = &rest[cut + skip..];
    }
    let at = step.as_ref().map_or(folder, AsFd::as_fd);
    retry(|| fs::openat(at, rest, flags, Mode::empty()))
}

/// Opens a path that must not lead out of `folder`: neither by `..`, nor absolutely, nor through a symbolic link.
fn open_beneath(folder: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    if path.len() >= PATH_MAX {
        return open_by_steps(folder, path, flags);
    }
    match retry(|| fs::openat2(folder, path, flags, Mode::empty(), resolve)) {
        // Kernels before 5.6, and sandboxes that do not know the call.
        Err(Errno::NOSYS | Errno::PERM) => open_by_steps(folder, path, flags),
        // The kernel could not rule out a rename racing with `..`: asked again, it can.
        Err(Errno::AGAIN) => retry(|| fs::openat2(folder, path, flags, Mode::empty(), resolve)),
        result => result,
    }
}

/// What [`open_beneath`] does, one component at a time and stricter: any symbolic link is refused.
fn open_by_steps(folder: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    if path.first() == Some(&b'/') {
        return Err(Errno::XDEV);
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
            Err(Errno::LOOP) => return Err(Errno::XDEV),
            // A link in the middle is "not a directory" when links are not followed.
            Err(Errno::NOTDIR) if is_link(at, part) => return Err(Errno::XDEV),
            result => result?,
        };
        step = Some(next);
    }
    step.ok_or(Errno::ISDIR)
}

fn is_link(folder: BorrowedFd<'_>, name: &[u8]) -> bool {
    fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

fn retry<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
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
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

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

    type Opener = fn(BorrowedFd<'_>, &[u8], OFlags) -> Result<OwnedFd, Errno>;

    #[test]
    fn names_that_leave_the_root_are_refused_by_both_ways_of_opening() {
        let dir = tree();
        let root = fs::open(dir.path().join("root"), OFlags::PATH, Mode::empty()).unwrap();
        for open in [open_beneath as Opener, open_by_steps] {
            let try_open = |name: &str| open(root.as_fd(), name.as_bytes(), OFlags::RDONLY).err();
            assert_eq!(try_open("sub/file"), None);
            assert_eq!(try_open("./sub//file"), None);
            for outside in ["../outside", "/etc/passwd", "out", "sub/../../outside", "sub/up/../outside"] {
                assert_eq!(try_open(outside), Some(Errno::XDEV), "{outside}");
            }
            assert_eq!(try_open("nothing"), Some(Errno::NOENT));
        }
        assert!(
            open_beneath(root.as_fd(), b"in", OFlags::RDONLY).is_ok(),
            "a link inside the root is followed"
        );
    }

    #[test]
    fn a_folder_swapped_for_a_link_never_opens_a_way_out() {
        let dir = tree();
        let root = dir.path().join("root");
        let handle = fs::open(&root, OFlags::PATH, Mode::empty()).unwrap();
        std::fs::create_dir(dir.path().join("elsewhere")).unwrap();
        std::fs::write(dir.path().join("elsewhere/file"), "secret").unwrap();
        symlink("../elsewhere", root.join("trap")).unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    let exchange = fs::RenameFlags::EXCHANGE;
                    let _ = fs::renameat_with(&handle, "sub", &handle, "trap", exchange);
                }
            });
            for open in [open_beneath as Opener, open_by_steps] {
                for _ in 0..5000 {
                    if let Ok(file) = open(handle.as_fd(), b"sub/file", OFlags::RDONLY) {
                        let mut byte = [0; 4];
                        assert_eq!(rustix::io::read(&file, &mut byte), Ok(4));
                        assert_eq!(&byte, b"data");
                    }
                }
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    }

    #[test]
    fn special_files_are_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join("fifo");
        fs::mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let error = Root::Anywhere.open(fifo.as_os_str().as_bytes(), Special::Refuse).unwrap_err();
        assert!(matches!(error.cause, Cause::Special("named pipe")), "{error}");
        let error = Root::Anywhere.open(dir.path().as_os_str().as_bytes(), Special::Read).unwrap_err();
        assert!(matches!(error.cause, Cause::Special("directory")), "{error}");
    }

    #[test]
    fn paths_longer_than_the_kernel_takes_are_opened() {
        let dir = tempfile::tempdir().unwrap();
        let mut at = fs::open(dir.path(), OFlags::PATH, Mode::empty()).unwrap();
        let mut path = dir.path().as_os_str().as_bytes().to_vec();
        for _ in 0..25 {
            let name = "d".repeat(200);
            fs::mkdirat(&at, &name, Mode::RWXU).unwrap();
            at = fs::openat(&at, &name, OFlags::PATH, Mode::empty()).unwrap();
            path.push(b'/');
            path.extend_from_slice(name.as_bytes());
        }
        let flags = OFlags::CREATE | OFlags::WRONLY;
        fs::openat(&at, "file", flags, Mode::RUSR).unwrap();
        path.extend_from_slice(b"/file");
        assert!(path.len() > PATH_MAX);
        assert!(Root::Anywhere.open(&path, Special::Refuse).is_ok());
        let root = Root::folder(dir.path().as_os_str().as_bytes(), false).unwrap();
        let below = &path[dir.path().as_os_str().len() + 1..];
        assert!(root.open(below, Special::Refuse).is_ok());
    }
}
