//! Operations in the folder of a file that was read. They use the folder from which the file was
//! opened, even if its name now leads elsewhere.

use crate::error::Error;
use crate::io::open::Root;
use crate::io::rename;
use crate::io::write::AtomicFile;
use crate::job::{FileResult, Job};
use std::fs::File;
use truesum_fs::resolve::OpenMode;

/// Renames the file of a job within its folder, without replacing another file.
///
/// # Errors
/// Fails if the new name exists, if the file is no longer the one that was read, or with a system error. The file then
/// keeps its old name.
pub fn rename_in_folder(job: &Job, found: &FileResult, base: &[u8]) -> Result<(), Error> {
    rename_with(job, found, base, rename::rename)
}

/// Tests a rename by [`rename_in_folder`] without carrying it out.
///
/// # Errors
/// Fails if the rename would fail.
pub fn test_rename_in_folder(job: &Job, found: &FileResult, base: &[u8]) -> Result<(), Error> {
    rename_with(job, found, base, rename::test)
}

type Rename = fn(&Root, &[u8], &[u8], rename::Stamp) -> Result<(), Error>;

fn rename_with(job: &Job, found: &FileResult, base: &[u8], rename: Rename) -> Result<(), Error> {
    let anywhere = Root::Anywhere;
    let (root, from) = job.root_and_name(&anywhere);
    let end = from.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    let to = [&from[..end], base].concat();
    rename(root, from, &to, (found.size(), found.mtime())).map_err(|error| error.under(job.path()))
}

/// Opens the folder of a job's file in order to use the file named `base` in it. Errors name that
/// file.
///
/// # Errors
/// Fails if the folder no longer exists or is now a symbolic link.
pub fn open_folder(job: &Job, base: &[u8]) -> Result<File, Error> {
    let anywhere = Root::Anywhere;
    let (root, path) = job.root_and_name(&anywhere);
    let folder = match path.iter().rposition(|&byte| byte == b'/') {
        None => &b"."[..],
        Some(0) => b"/",
        Some(cut) => &path[..cut],
    };
    root.resolve(folder, OpenMode::Folder)
        .map_err(|error| root.refusal(&sibling_path(job, base), "write", error))
}

/// Starts writing a file with this name in the folder of a job's file. A symbolic link with that
/// name is replaced, not followed.
///
/// # Errors
/// Fails if the folder no longer exists or is now a symbolic link, if it is not writable, or if the
/// name belongs to something other than a regular file.
pub fn create_in_folder(job: &Job, base: &[u8]) -> Result<AtomicFile, Error> {
    let folder = open_folder(job, base)?;
    AtomicFile::create_in(folder, base).map_err(|error| error.under(&sibling_path(job, base)))
}

/// Returns the path of a file with this name in the folder of a job's file, as the user knows it.
fn sibling_path(job: &Job, base: &[u8]) -> Vec<u8> {
    let path = job.path();
    [&path[..path.len() - base_of(path).len()], base].concat()
}

/// Returns the last component of a name.
fn base_of(path: &[u8]) -> &[u8] {
    &path[path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)..]
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::walk::{Item, Walk};
    use std::io::Write;
    use std::os::unix::fs::symlink;
    use std::sync::Arc;

    #[test]
    fn folder_replaced_by_a_link_is_not_written_to() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("tree/sub")).unwrap();
        std::fs::create_dir(dir.path().join("elsewhere")).unwrap();
        std::fs::write(dir.path().join("tree/sub/file"), "abc").unwrap();
        let walk = Walk::new([dir.path().join("tree")], Default::default(), 1);
        let item = walk.last().unwrap();
        let Item::File(path, Some(anchor)) = item else { panic!("{item:?}") };
        let job = Job { anchor: Some(anchor), ..Job::hash(path, &Arc::from([])) };
        let write = |text: &str| {
            let mut file = create_in_folder(&job, b"file.sum")?;
            file.write_all(text.as_bytes()).unwrap();
            file.commit()
        };
        write("one").unwrap();
        write("two").unwrap();
        assert_eq!(std::fs::read(dir.path().join("tree/sub/file.sum")).unwrap(), b"two");
        std::fs::rename(dir.path().join("tree/sub"), dir.path().join("away")).unwrap();
        symlink("../elsewhere", dir.path().join("tree/sub")).unwrap();
        let error = write("three").unwrap_err();
        assert!(error.to_string().contains("tree/sub/file.sum: cannot write: changed"), "{error}");
        assert_eq!(std::fs::read_dir(dir.path().join("elsewhere")).unwrap().count(), 0);
    }
}
