//! Resolves names to open files within limits.
//!
//! The kernel enforces the limits if it can (`openat2`, Linux 5.6), so that nothing can be exchanged between a test and
//! an open. Otherwise each component is opened separately from the one before, and no symbolic link is followed.

use crate::sys::access::{Confinement, OpenMode};
use crate::sys::errno::Errno;
use crate::sys::metadata::Metadata;
pub use crate::sys::path::{alias, real_path};
pub use crate::sys::unix::resolve::PATH_MAX;
use crate::sys::unix::resolve::{base, flags, open_any, open_by_steps, openat};
use crate::sys::unix::stat;
use rustix::fs::{self, Mode, OFlags, ResolveFlags};
use rustix::io::retry_on_intr;
use std::fs::File;
use std::os::fd::{BorrowedFd, OwnedFd};

/// Opens a name of any length, relative to `folder` or the current one.
pub fn open(
    folder: Option<&File>,
    path: &[u8],
    mode: OpenMode,
    confinement: Confinement,
) -> Result<File, Errno> {
    open_any(base(folder), path, flags(mode), confinement, open_short).map(File::from)
}

/// Returns the metadata of the object with this name.
///
/// Beneath a folder, this opens the object without access unless the name is a single component, because fstatat(2) does
/// not respect the limit. Names found by a walk are opened later, with their limit.
pub fn stat(
    folder: Option<&File>,
    path: &[u8],
    follow: bool,
    confinement: Confinement,
) -> Result<Metadata, Errno> {
    // The limit cannot be crossed by a single name that is not followed.
    let stays = !follow && !matches!(path, b"" | b"." | b"..") && !path.contains(&b'/');
    if (stays || confinement != Confinement::Beneath) && path.len() < PATH_MAX {
        return stat::in_folder(base(folder), path, follow);
    }
    let nofollow = if follow { OFlags::empty() } else { OFlags::NOFOLLOW };
    let flags = OFlags::PATH | OFlags::CLOEXEC | nofollow;
    let object = open_any(base(folder), path, flags, confinement, open_short)?;
    stat::of(&File::from(object))
}

/// Returns the target of a symbolic link, and the metadata of the link.
pub fn read_link(
    folder: Option<&File>,
    path: &[u8],
    confinement: Confinement,
) -> Result<(Metadata, Vec<u8>), Errno> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let link = File::from(open_any(base(folder), path, flags, confinement, open_short)?);
    Ok((stat::of(&link)?, fs::readlinkat(&link, c"", Vec::new())?.into_bytes()))
}

fn open_short(
    folder: BorrowedFd<'_>,
    path: &[u8],
    flags: OFlags,
    confinement: Confinement,
) -> Result<OwnedFd, Errno> {
    let resolve = match confinement {
        Confinement::Anywhere => return openat(folder, path, flags),
        Confinement::Beneath => ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS,
        Confinement::NoLinks => ResolveFlags::NO_SYMLINKS,
    };
    let open = || retry_on_intr(|| fs::openat2(folder, path, flags, Mode::empty(), resolve));
    match open() {
        // Kernels before 5.6 and some sandboxes do not support the call.
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {
            open_by_steps(folder, path, flags, confinement)
        }
        // The kernel could not rule out a race between a rename and `..`; repeating the call may succeed.
        Err(rustix::io::Errno::AGAIN) => Ok(open()?),
        result => Ok(result?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::unix::parent::{read_link_in_parent, stat_in_parent};
    use crate::sys::unix::resolve::Opener;
    use rustix::fs::CWD;
    use std::os::fd::AsFd;
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

    const OPENERS: [Opener; 2] = [open, open_by_steps];

    fn open(
        folder: BorrowedFd<'_>,
        path: &[u8],
        flags: OFlags,
        confinement: Confinement,
    ) -> Result<OwnedFd, Errno> {
        open_any(folder, path, flags, confinement, open_short)
    }

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
            // regression: opened in steps, such a name was that of the file.
            for folder in ["sub/file/", "sub/file/."] {
                assert_eq!(try_open(folder), Some(Errno::NOTDIR), "{folder}");
            }
            assert_eq!(try_open("sub/"), None);
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

    #[test]
    fn metadata_and_links_are_the_same_from_the_folder_that_contains_them() {
        let dir = tree();
        let root = File::open(dir.path().join("root")).unwrap();
        let at = Some(&root);
        let long = |name: &str| [&b"./".repeat(PATH_MAX)[..], name.as_bytes()].concat();
        for confinement in [Confinement::Anywhere, Confinement::Beneath, Confinement::NoLinks] {
            for name in
                ["sub/file", "sub", "sub/", ".", "sub/.", "nothing", "sub/file/x", "out", "in", "sub/up"]
            {
                for path in [name.as_bytes().to_vec(), long(name)] {
                    let direct = stat(at, &path, false, confinement).map(|stat| stat.id);
                    let parent = stat_in_parent(base(at), &path, false, confinement).map(|stat| stat.id);
                    assert_eq!(direct, parent, "{name} {confinement:?}");
                    let direct = read_link(at, &path, confinement).map(|(stat, target)| (stat.id, target));
                    let parent = read_link_in_parent(base(at), &path, confinement);
                    assert_eq!(direct.ok(), parent.ok().map(|(stat, target)| (stat.id, target)), "{name}");
                }
            }
        }
        let followed = |name: &str, confinement| {
            stat_in_parent(base(at), name.as_bytes(), true, confinement).map(|stat| stat.size)
        };
        assert_eq!(followed("in", Confinement::Anywhere), Ok(4));
        assert_eq!(followed("in", Confinement::Beneath), Err(Errno::XDEV), "stricter than the kernel");
        assert_eq!(followed("in", Confinement::NoLinks), Err(Errno::LOOP));
        for outside in
            ["..", "../outside", "sub/../../outside", "sub/up/../outside", "/etc/passwd", "sub/up/x"]
        {
            assert_eq!(followed(outside, Confinement::Beneath), Err(Errno::XDEV), "{outside}");
        }
    }
}
