//! Files that are written atomically: written next to the target, flushed to disk, then renamed over it.
//!
//! If the system supports it (`O_TMPFILE` on Linux: ext4, XFS, Btrfs, tmpfs), the file has no name until it is complete, so
//! a run that is killed leaves nothing behind. A new file then gets its name at once; one that replaces another has a
//! temporary name between two system calls, because only a named file can be renamed. On other file systems it has a
//! temporary name all the time, which walks do not treat as content (`temporary.rs`).
//!
//! Its modification time is the time at which writing began. A manifest thus has a time before any of its files were
//! read, so that files modified during the run have later times.

pub use crate::clock::coarse_now;
use crate::clock::system_time;
use crate::error::{Cause, Errno, Error};
use crate::handle;
use crate::lock::Lock;
use crate::metadata::Metadata;
use crate::name::{self, OsStrExt, plain};
use crate::open::{Root, open_companion};
use crate::resolve::OpenMode;
use crate::stop::Stop;
use crate::sys::attributes::{self, Attributes};
use crate::sys::replace;
pub use crate::sys::replace::{close, is_link, link_program, symlink, sync_folder};
use crate::temporary::{self, Temporary, temporary_name};
use std::ffi::OsStr;
use std::fs::{File, FileTimes};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use truesum_manifest::Time;

/// A file being written. If it is dropped before [`AtomicFile::commit`], nothing is left behind and the old file is
/// unchanged.
pub struct AtomicFile {
    content: BufWriter<File>,
    destination: Destination,
    target: PathBuf,
    /// The path as the caller specified it, for errors.
    name: Vec<u8>,
    /// The attributes of the file to be replaced.
    old: Option<Attributes>,
    /// Whether the old file is replaced only if the new one keeps all its attributes.
    keep_all: bool,
    /// The modification time to set.
    date: Time,
    /// The version of the target when writing began, for a file that other programs also write.
    found: Option<Option<Version>>,
    /// The open folder that the target's path refers to, if any.
    _folder: Option<File>,
}

/// The state of a file: size, modification time and status change time. Inode numbers are not included, because some
/// file systems generate them on each lookup.
type Version = (u64, Time, Time);

/// Returns the version of a file, or `None` if there is none.
fn version(path: &Path) -> Result<Option<Version>, Errno> {
    match Metadata::of_link(path) {
        Ok(stat) => Ok(Some((stat.size(), stat.mtime(), stat.ctime()))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The target's folder, with the temporary name if there is one.
struct Destination {
    folder: File,
    /// The name of the target in the folder.
    name: Vec<u8>,
    temporary: Option<Temporary>,
}

impl AtomicFile {
    /// Starts to write `target`. If it is a symbolic link, the link is kept and the file it refers to is replaced.
    ///
    /// # Errors
    /// Fails if the folder does not exist or is not writable, or if the target is not a regular file.
    pub fn create(target: &Path) -> Result<AtomicFile, Error> {
        let fail = |error: io::Error| Error::io(target.as_os_str().as_bytes(), "write", error);
        name::check(target.as_os_str().as_bytes()).map_err(|error| fail(error.into()))?;
        // The links of /proc to pipes and sockets have no path to resolve.
        if std::fs::metadata(target).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            let why = Cause::Other("it is not a regular file".to_owned());
            return Err(Error::new(target.as_os_str().as_bytes(), "write", why));
        }
        let real = match std::fs::canonicalize(target) {
            Ok(real) => plain(real),
            Err(error) if error.kind() == io::ErrorKind::NotFound => destination(target).map_err(fail)?,
            Err(error) => return Err(fail(error)),
        };
        let found = version(&real).map_err(|error| fail(error.into()))?;
        let name = target.as_os_str().as_bytes();
        let file = AtomicFile::begin(&real, true).map_err(|error| error.with_name(name))?;
        Ok(AtomicFile { found: Some(found), name: name.to_vec(), ..file })
    }

    /// Starts to write an internal file at exactly `target`: a symbolic link with that name, which another process may
    /// have placed there, is replaced and not followed. Only files that begin with `magic` are replaced.
    ///
    /// # Errors
    /// Fails as [`AtomicFile::create`], or if another file has this name.
    pub fn create_internal(target: &Path, magic: &[u8]) -> Result<AtomicFile, Error> {
        if !is_internal(target, magic) {
            let why = Cause::Other(
                "the existing file was not written by truesum, so it is not replaced".to_owned(),
            );
            return Err(Error::new(target.as_os_str().as_bytes(), "write", why));
        }
        AtomicFile::begin(target, true)
    }

    /// Starts the same without the test for `magic`, to find out whether the file could be written.
    pub fn begin_internal(target: &Path) -> Result<AtomicFile, Error> {
        AtomicFile::begin(target, true)
    }

    /// Starts to write the file with this name in an open folder, even if that folder was moved. A
    /// symbolic link with that name is replaced and not followed. [`AtomicFile::target`] and errors
    /// refer to the folder as [`handle::path_of`] does.
    pub fn create_in(folder: File, name: &[u8]) -> Result<AtomicFile, Error> {
        let fail = |error: Errno| Error::io(name, "write", error);
        let path = handle::path_of(&folder).map_err(fail)?.join(OsStr::from_bytes(name));
        let found = version(&path).map_err(fail)?;
        let file = AtomicFile::begin(&path, true)?;
        Ok(AtomicFile { found: Some(found), _folder: Some(folder), ..file })
    }

    pub(crate) fn begin(real: &Path, unnamed: bool) -> Result<AtomicFile, Error> {
        let name = real.as_os_str().as_bytes();
        let fail = |error: io::Error| Error::io(name, "write", error);
        let old = std::fs::symlink_metadata(real).ok().filter(|old| !old.is_symlink());
        if let Some(old) = &old
            && !old.is_file()
        {
            let what = if old.is_dir() { "it is a directory" } else { "it is not a regular file" };
            return Err(Error::new(name, "write", Cause::Other(what.to_owned())));
        }
        let old = old.map(|old| Attributes::of(real, &old));
        let mut destination = Destination::of(real).map_err(fail)?;
        let file = match destination.unnamed().filter(|_| unnamed) {
            Some(file) => file,
            None => destination.named().map_err(fail)?,
        };
        if let Some(old) = &old {
            old.give(&file, false).map_err(fail)?;
        }
        Ok(AtomicFile {
            content: BufWriter::with_capacity(1 << 16, file),
            destination,
            target: real.to_owned(),
            name: name.to_vec(),
            old,
            keep_all: false,
            date: coarse_now(),
            found: None,
            _folder: None,
        })
    }

    /// Writes bytes, but seeks over blocks of zeros, so that a sparse file remains one.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn write_sparse(&mut self, bytes: &[u8]) -> io::Result<()> {
        /// The unit of allocation in most file systems.
        const BLOCK: usize = 4096;
        let is_hole = |block: &[u8]| block.len() == BLOCK && block.iter().all(|&byte| byte == 0);
        let blocks: Vec<&[u8]> = bytes.chunks(BLOCK).collect();
        for run in blocks.chunk_by(|first, second| is_hole(first) == is_hole(second)) {
            if is_hole(run[0]) {
                self.content.seek(SeekFrom::Current((run.len() * BLOCK) as i64))?;
            } else {
                run.iter().try_for_each(|block| self.content.write_all(block))?;
            }
        }
        Ok(())
    }

    /// Sets a modification time other than the time at which writing began.
    pub fn set_date(&mut self, date: Time) {
        self.date = date;
    }

    /// Gives the file all attributes of the one that it replaces. [`AtomicFile::commit`] does this again, because writing
    /// to a file removes some of them.
    ///
    /// # Errors
    /// Fails, here or when it is committed, if any attribute cannot be kept.
    pub fn keep_attributes(&mut self) -> Result<(), Error> {
        self.keep_all = true;
        keep(self.old.as_ref(), self.file(), &self.name)
    }

    /// Returns the file being written, so that a walk can recognize it.
    pub fn file(&self) -> &File {
        self.content.get_ref()
    }

    /// Returns the final path of the file.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Returns the path of the file as the caller specified it.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Makes everything written durable, and visible under the target's name.
    ///
    /// # Errors
    /// Fails if any step failed, if another process wrote the target since writing began, or, after
    /// [`AtomicFile::keep_attributes`], if the target no longer exists. The old file is then unchanged.
    pub fn commit(self) -> Result<(), Error> {
        self.commit_with(|| Ok(()))
    }

    /// Commits as [`AtomicFile::commit`], if `look`, which is called immediately before that, succeeds as well.
    ///
    /// # Errors
    /// Fails as [`AtomicFile::commit`], or with the error of `look`.
    pub fn commit_with(self, look: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
        let (found, target, name) = (self.found, self.target.clone(), self.name.clone());
        // A file whose attributes must be kept is replaced, but not created.
        let may_be_missing = !self.keep_all;
        let mut lock = None;
        self.commit_if(|| {
            look()?;
            let Some(found) = found else { return Ok(()) };
            // An update in progress holds the lock of the file it replaces. A file that cannot be read cannot be
            // updated.
            if open_companion(&target).is_ok() {
                lock = Some(Lock::open(&target, &Stop::default())?);
            }
            let now = version(&target).map_err(|error| Error::io(&name, "replace", error))?;
            if now != found && !(may_be_missing && now.is_none()) {
                let why = Cause::Other("another process changed it during the run".to_owned());
                return Err(Error::new(&name, "replace", why));
            }
            Ok(())
        })
    }

    /// Makes the file readable only by its owner, unless everyone can read the file with `mode` whose content it is made
    /// from. A file that replaces another one gets the mode of that one instead.
    ///
    /// # Errors
    /// Fails if the mode cannot be set.
    pub fn limit_mode(&self, mode: u32) -> Result<(), Error> {
        let limited = if self.old.is_none() { attributes::limit(self.file(), mode) } else { Ok(()) };
        limited.map_err(|error| Error::io(&self.name, "write", error))
    }

    /// Commits if `look`, which examines the file to be replaced, succeeds.
    ///
    /// # Errors
    /// Fails as [`AtomicFile::commit`], or with the error of `look`.
    pub fn commit_if(self, look: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
        let AtomicFile { content, mut destination, target, name, old, keep_all, date, found: _, _folder } =
            self;
        let fail = |error: io::Error| Error::io(&name, "write", error);
        let mut file = content.into_inner().map_err(|error| fail(error.into_error()))?;
        // The file may end in a hole.
        let end = file.stream_position().map_err(fail)?;
        if file.metadata().map_err(fail)?.len() < end {
            file.set_len(end).map_err(fail)?;
        }
        if keep_all {
            keep(old.as_ref(), &file, &name)?;
        }
        let times = FileTimes::new().set_modified(system_time(date));
        file.set_times(times).map_err(fail)?;
        file.sync_all().map_err(fail)?;
        // Network file systems and quotas report some write errors only when a descriptor is closed. One descriptor is
        // closed before the old file is replaced, one after the file has its final name.
        let mut second = file.try_clone().map_err(fail)?;
        close(file).map_err(fail)?;
        look()?;
        if destination.temporary.is_none() && !destination.link(&second, old.is_none()) {
            // The file cannot be given a name after all, so its contents are copied into a file that has one.
            let mut copy = destination.named().map_err(fail)?;
            second.metadata().and_then(|own| copy.set_permissions(own.permissions())).map_err(fail)?;
            if let Some(old) = &old {
                old.give(&copy, false).map_err(fail)?;
            }
            second.rewind().and_then(|()| io::copy(&mut second, &mut copy)).map_err(fail)?;
            if keep_all {
                keep(old.as_ref(), &copy, &name)?;
            }
            copy.set_times(times).map_err(fail)?;
            copy.sync_all().map_err(fail)?;
            second = copy;
        }
        destination.rename().map_err(fail)?;
        close(second).map_err(fail)?;
        sync_folder(folder(&target)).map_err(fail)
    }
}

/// Gives a file all attributes of the old one.
///
/// # Errors
/// Fails if one of them cannot be kept.
fn keep(old: Option<&Attributes>, file: &File, name: &[u8]) -> Result<(), Error> {
    let Some(old) = old else { return Ok(()) };
    let fail = |error: io::Error| Error::io(name, "write", error);
    old.give(file, true).map_err(fail)?;
    match old.lost(file).map_err(fail)? {
        Some(why) => Err(Error::new(name, "replace", Cause::Other(why))),
        None => Ok(()),
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.content.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.content.flush()
    }
}

impl Destination {
    fn of(target: &Path) -> io::Result<Destination> {
        let folder = Root::Anywhere.resolve(folder(target).as_os_str().as_bytes(), OpenMode::Folder)?;
        let name = target.file_name().ok_or(Errno::ISDIR)?.as_bytes().to_vec();
        Ok(Destination { folder, name, temporary: None })
    }

    /// Returns a file without a name, if it can be given one later.
    fn unnamed(&self) -> Option<File> {
        replace::create_unnamed(&self.folder)
    }

    /// Returns a file with a temporary name.
    fn named(&mut self) -> io::Result<File> {
        Ok(self.with_temporary_name(replace::create_new)?)
    }

    /// Names an unnamed file: with the final name if there is no old file, otherwise with a temporary one. Returns
    /// false if that is not possible.
    fn link(&mut self, file: &File, fresh: bool) -> bool {
        if fresh {
            match replace::link_unnamed(file, &self.folder, &self.name) {
                Ok(()) => return true,
                Err(Errno::EXIST) => {}
                Err(_) => return false,
            }
        }
        self.with_temporary_name(|folder, name| replace::link_unnamed(file, folder, name)).is_ok()
    }

    /// Calls `create` with temporary names until one does not exist yet.
    fn with_temporary_name<T>(
        &mut self,
        create: impl Fn(&File, &[u8]) -> Result<T, Errno>,
    ) -> Result<T, Errno> {
        loop {
            let name = temporary_name(&self.name);
            match create(&self.folder, &name) {
                Ok(created) => {
                    self.temporary = Some(Temporary::created(&self.folder, name));
                    return Ok(created);
                }
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Renames the file from its temporary to its final name.
    fn rename(&mut self) -> io::Result<()> {
        if let Some(temporary) = &self.temporary {
            replace::replace(&self.folder, temporary.name(), &self.name)?;
            self.temporary = None;
        }
        Ok(())
    }
}

impl Drop for Destination {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = replace::remove(&self.folder, temporary.name());
        }
    }
}

/// Removes the temporary files that are being written. For callers that are about to end the process without unwinding:
/// a signal handler, or an allocator that is out of memory. It uses only system calls and atomics.
pub fn remove_temporaries() {
    temporary::remove_all();
}

/// Returns whether an internal file may be written here: there is no file, a symbolic link, or a file that begins with
/// `magic`.
pub fn is_internal(target: &Path, magic: &[u8]) -> bool {
    match std::fs::symlink_metadata(target) {
        Ok(found) if found.is_file() && found.len() > 0 => {
            let mut begin = vec![0; magic.len()];
            open_companion(target).is_ok_and(|mut file| file.read_exact(&mut begin).is_ok()) && begin == magic
        }
        Ok(found) => found.is_file() || found.is_symlink(),
        Err(_) => true,
    }
}

/// Returns the path that a name refers to if the file does not exist yet: a dangling symbolic link
/// is followed to the location of the future file.
fn destination(target: &Path) -> io::Result<PathBuf> {
    /// The kernel's limit for symbolic links.
    const LINKS: usize = 40;
    let mut path = target.to_owned();
    for _ in 0..LINKS {
        match std::fs::read_link(&path) {
            // An absolute link replaces the folder it is joined to.
            Ok(link) => path = folder(&path).join(link),
            Err(_) => return Ok(path),
        }
    }
    Err(Errno::LOOP.into())
}

/// Returns the folder that contains a path: `.` for a name without a folder.
pub fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary::is_temporary;

    fn names(folder: &Path) -> Vec<Vec<u8>> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().as_bytes().to_vec()).collect();
        names.sort();
        names
    }

    /// Returns a file being written in each of the two ways: without a name, and with a temporary one.
    fn begin(target: &Path, named: bool) -> AtomicFile {
        let begun = if named { AtomicFile::begin(target, false) } else { AtomicFile::create(target) };
        let mut file = begun.unwrap();
        file.write_all(b"new").unwrap();
        file.flush().unwrap();
        file
    }

    #[test]
    fn file_is_written_atomically() {
        for old in [false, true] {
            for named in [false, true] {
                let dir = tempfile::tempdir().unwrap();
                let target = dir.path().join("M");
                if old {
                    std::fs::write(&target, "old").unwrap();
                }
                let before = names(dir.path());
                drop(begin(&target, named));
                assert_eq!(names(dir.path()), before, "nothing is left behind");
                let file = begin(&target, named);
                let extra: Vec<_> =
                    names(dir.path()).into_iter().filter(|name| !before.contains(name)).collect();
                assert!(extra.iter().all(|name| is_temporary(name)));
                let has_name = file.destination.temporary.is_some();
                assert!(
                    has_name || extra.is_empty(),
                    "a file without a name leaves nothing when it is killed"
                );
                assert!(!old || std::fs::read(&target).unwrap() == b"old");
                file.commit().unwrap();
                assert_eq!(std::fs::read(&target).unwrap(), b"new");
                assert_eq!(names(dir.path()), [b"M".to_vec()]);
            }
        }
    }

    // Creating links requires a privilege on Windows.
    #[cfg(unix)]
    #[test]
    fn dangling_link_is_kept_and_its_target_created() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("other")).unwrap();
        let link = dir.path().join("L");
        symlink(Path::new("second"), &link).unwrap();
        symlink(Path::new("other/M"), &dir.path().join("second")).unwrap();
        begin(&link, false).commit().unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(dir.path().join("other/M")).unwrap(), b"new");
        std::fs::remove_file(dir.path().join("second")).unwrap();
        symlink(Path::new("L"), &dir.path().join("second")).unwrap();
        assert!(AtomicFile::create(&link).is_err(), "a loop");
    }

    #[test]
    fn concurrent_changes_are_not_overwritten() {
        // regression: `hash -o M` and `update M` at the same time both returned exit status 0, and the entries of one
        // were lost.
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("M");
        for content in ["made", "changed in length"] {
            let file = begin(&target, false);
            std::fs::write(&target, content).unwrap();
            let error = file.commit().unwrap_err().to_string();
            assert!(error.contains("another process changed it during the run"), "{error}");
            assert_eq!(std::fs::read(&target).unwrap(), content.as_bytes());
            assert_eq!(names(dir.path()), [b"M".to_vec()]);
        }
        // regression: a corrupt file that was renamed during its repair was created again under its old name, and its
        // corrupt content became a new file.
        let mut file = begin(&target, false);
        file.keep_attributes().unwrap();
        std::fs::rename(&target, dir.path().join("N")).unwrap();
        let error = file.commit().unwrap_err().to_string();
        assert!(error.contains("another process changed it during the run"), "{error}");
        assert_eq!(names(dir.path()), [b"N".to_vec()]);
    }

    #[test]
    fn unlinked_temporary_file_is_copied_to_a_named_one() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("M");
        let mut file = begin(&target, false);
        if file.destination.temporary.is_some() {
            return; // a system on which all files have names
        }
        // The file was unlinked permanently: the kernel does not give such a file a name again.
        let gone = dir.path().join("gone");
        let unlinked = File::options().read(true).write(true).create_new(true).open(&gone).unwrap();
        std::fs::remove_file(&gone).unwrap();
        file.content = BufWriter::new(unlinked);
        file.write_all(b"copied").unwrap();
        let date = Time { seconds: 1000, nanos: 0 };
        file.set_date(date);
        file.commit().unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"copied");
        // regression: it had the time at which it was copied.
        assert_eq!(Metadata::at(&target).unwrap().mtime(), date);
        assert_eq!(names(dir.path()), [b"M".to_vec()]);
    }
}
