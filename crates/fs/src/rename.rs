//! Renames that replace nothing, stay below their root, and apply only to the file that was read.

use crate::error::{Cause, Errno, Error};
use crate::metadata::Metadata;
use crate::open::Root;
use crate::resolve::OpenMode;
use crate::sys::folder;
use std::fs::File;

/// The state of a file when it was read: its size and modification time.
pub type Stamp = (u64, (i64, u32));

/// Renames a file below `root` that is still in the state `stamp`, and creates the folders of its new name. Nothing is
/// replaced.
///
/// # Errors
/// Fails if the new name exists or leads out of the root, if the file is no longer the one that was read or is on
/// another file system, or with a system error. The file then keeps its old name.
pub fn rename(root: &Root, from: &[u8], to: &[u8], stamp: Stamp) -> Result<(), Error> {
    let fail = |error| refused(root, from, error);
    let (old, old_base, stat) = source(root, from, stamp)?;
    make_folders(root, to).map_err(fail)?;
    let (new, new_base) = place(root, to).map_err(fail)?;
    folder::rename(&old, old_base, &new, new_base).map_err(fail)?;
    // Another file may have taken its place between the test and the rename.
    if folder::stat(&new, new_base).is_ok_and(|moved| moved.id() == stat.id()) {
        return Ok(());
    }
    let why = Cause::Changed("another file had replaced it and was renamed instead".to_owned());
    Err(Error::new(from, "rename", why))
}

/// Tests a rename without carrying it out. The folder of the new name must exist.
///
/// # Errors
/// Fails if [`rename`] would fail.
pub fn test(root: &Root, from: &[u8], to: &[u8], stamp: Stamp) -> Result<(), Error> {
    let fail = |error| refused(root, from, error);
    let (old, ..) = source(root, from, stamp)?;
    let (new, new_base) = place(root, to).map_err(fail)?;
    match folder::stat(&new, new_base) {
        Ok(_) => return Err(fail(Errno::EXIST)),
        Err(Errno::NOENT) => {}
        Err(error) => return Err(fail(error)),
    }
    [&old, &new].into_iter().try_for_each(|folder| folder::is_writable(folder).map_err(fail))
}

/// Returns the folder of a file that is still in the state `stamp`, its name in the folder, and its status.
fn source<'p>(root: &Root, from: &'p [u8], stamp: Stamp) -> Result<(File, &'p [u8], Metadata), Error> {
    let fail = |error| refused(root, from, error);
    let (old, old_base) = place(root, from).map_err(fail)?;
    let stat = folder::stat(&old, old_base).map_err(fail)?;
    if !stat.kind().is_file() {
        let why = Cause::Other("it is not a regular file".to_owned());
        return Err(Error::new(from, "rename", why));
    }
    if (stat.size(), (stat.mtime().seconds, stat.mtime().nanos)) != stamp {
        return Err(Error::new(
            from,
            "rename",
            Cause::Other("it was modified after it was checked".to_owned()),
        ));
    }
    Ok((old, old_base, stat))
}

fn refused(root: &Root, from: &[u8], error: Errno) -> Error {
    let why = match error {
        Errno::EXIST => "a file with the new name already exists",
        Errno::XDEV if matches!(root, Root::Beneath(_)) => {
            "its new name is outside the folder or on another file system"
        }
        Errno::XDEV => "its new name is on another file system",
        Errno::PERM => "not permitted, or the file system does not support renaming without replacing files",
        _ => return root.refusal(from, "rename", error),
    };
    Error::new(from, "rename", Cause::Other(why.to_owned()))
}

/// Returns the folder of a name, and the name in it.
fn place<'p>(root: &Root, path: &'p [u8]) -> Result<(File, &'p [u8]), Errno> {
    let cut = path.iter().rposition(|&byte| byte == b'/');
    let base = &path[cut.map_or(0, |cut| cut + 1)..];
    if matches!(base, b"" | b"." | b"..") {
        return Err(Errno::ISDIR);
    }
    let folder = match cut {
        None => &b"."[..],
        Some(0) => b"/",
        Some(cut) => &path[..cut],
    };
    Ok((root.resolve(folder, OpenMode::Folder)?, base))
}

/// Creates the missing folders of a name.
fn make_folders(root: &Root, path: &[u8]) -> Result<(), Errno> {
    let Some(end) = path.iter().rposition(|&byte| byte == b'/').filter(|&end| end > 0) else { return Ok(()) };
    if root.resolve(&path[..end], OpenMode::Folder).is_ok() {
        return Ok(());
    }
    let cuts = (1..=end).filter(|&at| path[at] == b'/' && path[at - 1] != b'/');
    for folder in cuts.map(|cut| &path[..cut]) {
        match root.resolve(folder, OpenMode::Folder) {
            Err(Errno::NOENT) => {
                let (above, base) = place(root, folder)?;
                match folder::make(&above, base) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error),
                }
            }
            result => drop(result?),
        }
    }
    Ok(())
}

// Creating links requires a privilege on Windows, and its errors have other words: see `sys/windows/folder.rs`.
#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::write::symlink;
    use std::path::Path;

    fn stamp(path: &Path) -> Stamp {
        let stat = Metadata::of_link(path).unwrap();
        (stat.size(), (stat.mtime().seconds, stat.mtime().nanos))
    }

    #[test]
    fn rename_creates_folders_and_replaces_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        std::fs::write(path("a"), "content").unwrap();
        let root = Root::folder(dir.path(), false).unwrap();
        rename(&root, b"a", b"x//y/b", stamp(&path("a"))).unwrap();
        assert_eq!(std::fs::read(path("x/y/b")).unwrap(), b"content");
        std::fs::write(path("taken"), "other").unwrap();
        let was = stamp(&path("x/y/b"));
        for (to, why) in [
            ("taken", "a file with the new name already exists"),
            ("x", "a file with the new name already exists"),
            ("../out", "outside the folder"),
            ("/out", "outside the folder"),
            ("x/..", "directory"),
            ("taken/b", "Not a directory"),
        ] {
            let error = rename(&root, b"x/y/b", to.as_bytes(), was).unwrap_err();
            assert!(error.to_string().to_lowercase().contains(&why.to_lowercase()), "{to}: {error}");
        }
        assert_eq!(std::fs::read(path("taken")).unwrap(), b"other");
        symlink(Path::new(".."), &path("up")).unwrap();
        assert!(rename(&root, b"x/y/b", b"up/out", was).is_err(), "a link leads out");
        assert!(!dir.path().parent().unwrap().join("out").exists());
        symlink(Path::new("x/y/b"), &path("link")).unwrap();
        assert!(rename(&root, b"link", b"c", was).unwrap_err().to_string().contains("not a regular file"));
        std::fs::write(path("x/y/b"), "written to").unwrap();
        let error = rename(&root, b"x/y/b", b"c", was).unwrap_err();
        assert!(error.to_string().contains("modified after it was checked"), "{error}");
        assert!(path("x/y/b").exists() && !path("c").exists());
    }
}
