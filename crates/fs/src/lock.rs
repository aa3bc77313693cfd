//! Advisory locks on files that are read, modified and replaced: if two runs started from the same old content, the
//! changes of one of them would be lost.
//!
//! The lock is on the file itself (`flock(2)`, `LockFileEx`). Because such a file is replaced by renaming another one over it, the
//! locked file may just have lost its name. This is tested after locking, and the new file is locked instead. A writer
//! locks the replacement before renaming it, so that no other run can intervene.

use crate::error::{Cause, Errno, Error};
use crate::metadata::Metadata;
use crate::name::OsStrExt;
use crate::stop::Stop;
use crate::sys::{lock, open};
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

/// The maximum time to wait for another run.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// The maximum time for which a lock that was released can remain: until a process that was being started at that time, and
/// inherited the descriptor, executes its program.
const INHERITED: Duration = Duration::from_millis(500);
/// The polling interval.
const PAUSE: Duration = Duration::from_millis(20);

/// Locks an open file without waiting, until it is closed. Returns false if another process has locked it. On file
/// systems without locks, nothing is locked.
pub fn try_lock(file: &File) -> bool {
    lock::try_lock(file) != Err(Errno::AGAIN)
}

/// An exclusive lock, held until it is dropped. On file systems without locks it excludes no other run.
pub struct Lock {
    file: File,
}

impl Lock {
    /// Locks an existing file. Symbolic links are followed.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, is not a regular file, or is locked by another run.
    pub fn open(path: &Path, stop: &Stop) -> Result<Lock, Error> {
        Lock::take(path, false, MAX_WAIT, stop)
    }

    /// Locks a file, creating an empty one if it does not exist.
    ///
    /// # Errors
    /// Fails as [`Lock::open`].
    pub fn create(path: &Path, stop: &Stop) -> Result<Lock, Error> {
        Lock::take(path, true, MAX_WAIT, stop)
    }

    /// Locks a file like [`Lock::create`], without waiting for another run to end.
    ///
    /// # Errors
    /// Fails as [`Lock::open`].
    pub fn create_unless_locked(path: &Path) -> Result<Lock, Error> {
        Lock::take(path, true, INHERITED, &Stop::default())
    }

    fn take(path: &Path, or_create: bool, patience: Duration, stop: &Stop) -> Result<Lock, Error> {
        let name = path.as_os_str().as_bytes();
        let fail = |error: Errno| Error::io(name, "open", error);
        let began = Instant::now();
        loop {
            let file = open::to_lock(path, or_create).map_err(fail)?;
            if !Metadata::of(&file).map_err(fail)?.kind().is_file() {
                let why = Cause::Other("it is not a regular file".to_owned());
                return Err(Error::new(name, "lock", why));
            }
            match lock::try_lock(&file) {
                Err(Errno::AGAIN) => {}
                Err(Errno::INTR) => continue,
                // If the file system does not support locks or has no resources for one, continue
                // without a lock: the file is still compared before it is replaced.
                Ok(()) | Err(_) => {
                    let lock = Lock { file };
                    if lock.still_at(path).is_ok() {
                        return Ok(lock);
                    }
                    continue;
                }
            }
            if began.elapsed() >= patience || stop.requested() {
                let why = Cause::Other("another truesum process is using it".to_owned());
                return Err(Error::new(name, "lock", why));
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Locks a file that is being written and has no public name yet.
    ///
    /// # Errors
    /// Fails if the descriptor cannot be duplicated.
    pub fn of(file: &File, name: &[u8]) -> Result<Lock, Error> {
        // A duplicate shares the lock and keeps it when the writer closes its own descriptor.
        let file = file.try_clone().map_err(|error| Error::io(name, "lock", error))?;
        let _ = lock::try_lock(&file);
        Ok(Lock { file })
    }

    /// Returns the locked file, positioned at its beginning.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Tests whether the locked file still has this name.
    ///
    /// # Errors
    /// Fails if another file has replaced it.
    pub fn still_at(&self, path: &Path) -> Result<(), Error> {
        let name = path.as_os_str().as_bytes();
        let locked = Metadata::of(&self.file).map_err(|error| Error::io(name, "access", error))?;
        match Metadata::at(path) {
            Ok(there) if there.id() == locked.id() => Ok(()),
            Ok(_) => {
                Err(Error::new(name, "replace", Cause::Changed("it was replaced by another file".to_owned())))
            }
            Err(error) => Err(Error::io(name, "access", error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::access::{Confinement, OpenMode};
    use crate::sys::{replace, resolve};

    #[test]
    fn lock_follows_a_replaced_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let stop = Stop::default();
        let first = Lock::create(&path, &stop).unwrap();
        // Another run is waiting.
        let waiting = std::thread::scope(|scope| {
            let other =
                scope.spawn(|| Lock::open(&path, &Stop::default()).map(|lock| lock.still_at(&path).is_ok()));
            std::thread::sleep(Duration::from_millis(60));
            let bytes = dir.path().as_os_str().as_encoded_bytes();
            let folder = resolve::open(None, bytes, OpenMode::Folder, Confinement::Anywhere).unwrap();
            let new = replace::create_new(&folder, b"new").unwrap();
            let next = Lock::of(&new, b"file").unwrap();
            replace::replace(&folder, b"new", b"file").unwrap();
            drop(new);
            assert!(first.still_at(&path).is_err(), "the lock is on the old file");
            next.still_at(&path).unwrap();
            drop(first);
            std::thread::sleep(Duration::from_millis(60));
            assert!(!other.is_finished(), "the replacement is locked too");
            drop(next);
            other.join().unwrap()
        });
        assert!(matches!(waiting, Ok(true)));
    }

    #[test]
    fn lock_of_a_descriptor_that_is_soon_closed_is_no_other_run() {
        // regression: a run was refused while a process that had inherited the descriptor of an ended run was being started.
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let ended = Lock::create_unless_locked(&path).unwrap();
        let inherited = ended.file().try_clone().unwrap();
        drop(ended);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(60));
                drop(inherited);
            });
            let _held = Lock::create_unless_locked(&path).unwrap();
            assert!(Lock::create_unless_locked(&path).is_err(), "another run");
        });
    }
}
