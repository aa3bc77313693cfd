//! Advisory locks on files that are read, changed and replaced: two runs must not both start from the same old content, or what one of
//! them wrote is lost.
//!
//! The lock is `flock(2)` on the file itself. Because such a file is replaced by renaming another over it, a lock may be taken of a
//! file that has just lost its name: that is looked at after locking, and the new file is locked instead. A writer locks the
//! replacement before it gets the name, so that no other run comes in between.

use crate::error::{Cause, Error};
use crate::io::file_id::FileId;
use crate::progress::Progress;
use rustix::fs::{self, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long to wait for another run.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often to look.
const PAUSE: Duration = Duration::from_millis(20);

/// An exclusive lock, held until it is dropped. File systems without locks give one that excludes nobody.
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Locks a file that is there; a link is followed.
    ///
    /// # Errors
    /// It cannot be opened, is not a regular file, or another run keeps it locked.
    pub(crate) fn open(path: &Path, progress: &Progress) -> Result<Lock, Error> {
        Lock::take(path, OFlags::empty(), progress)
    }

    /// Locks a file, which is made empty if it is not there.
    ///
    /// # Errors
    /// As [`Lock::open`].
    pub(crate) fn create(path: &Path, progress: &Progress) -> Result<Lock, Error> {
        Lock::take(path, OFlags::CREATE, progress)
    }

    fn take(path: &Path, flags: OFlags, progress: &Progress) -> Result<Lock, Error> {
        let name = path.as_os_str().as_bytes();
        let fail = |error: Errno| Error::io(name, "open", error);
        let began = Instant::now();
        loop {
            // Opening a pipe would wait for whoever writes to it.
            let flags = flags | OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
            let file = File::from(fs::open(path, flags, Mode::from_raw_mode(0o666)).map_err(fail)?);
            if !file.metadata().map_err(|error| Error::io(name, "open", error))?.is_file() {
                let why = Cause::Other("it is not a regular file".to_owned());
                return Err(Error::new(name, "lock", why));
            }
            match fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) => {}
                Err(Errno::INTR) => continue,
                // Without locks there, or without room for one, whoever replaces the file still looks at it once more.
                Ok(()) | Err(_) => {
                    let lock = Lock { file };
                    if lock.still_at(path).is_ok() {
                        return Ok(lock);
                    }
                    continue;
                }
            }
            if began.elapsed() > PATIENCE || progress.stopped() {
                let why = Cause::Other("another truesum process is using it".to_owned());
                return Err(Error::new(name, "lock", why));
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Locks a file that is being written and that nobody else knows.
    ///
    /// # Errors
    /// Its descriptor cannot be duplicated.
    pub(crate) fn of(file: &File, name: &[u8]) -> Result<Lock, Error> {
        // A duplicate shares the lock, and keeps it when the writer closes its own.
        let file = file.try_clone().map_err(|error| Error::io(name, "lock", error))?;
        let _ = fs::flock(&file, FlockOperation::NonBlockingLockExclusive);
        Ok(Lock { file })
    }

    /// The locked file, at its beginning.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Looks whether the locked file still has this name.
    ///
    /// # Errors
    /// It has not: another file was put in its place.
    pub(crate) fn still_at(&self, path: &Path) -> Result<(), Error> {
        let name = path.as_os_str().as_bytes();
        let id = |stat: fs::Stat| FileId::from(&stat);
        let locked = fs::fstat(&self.file).map(id).map_err(|error| Error::io(name, "access", error))?;
        match fs::stat(path).map(id) {
            Ok(there) if there == locked => Ok(()),
            Ok(_) => {
                Err(Error::new(name, "replace", Cause::Changed("it was replaced by another file".to_owned())))
            }
            Err(error) => Err(Error::io(name, "access", io::Error::from(error))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_file_is_locked_under_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let progress = Progress::default();
        let first = Lock::create(&path, &progress).unwrap();
        // Another run waits.
        let waiting = std::thread::scope(|scope| {
            let other = scope
                .spawn(|| Lock::open(&path, &Progress::default()).map(|lock| lock.still_at(&path).is_ok()));
            std::thread::sleep(Duration::from_millis(60));
            let new = tempfile::NamedTempFile::new_in(&dir).unwrap();
            let next = Lock::of(new.as_file(), b"file").unwrap();
            new.persist(&path).unwrap();
            assert!(first.still_at(&path).is_err() && next.still_at(&path).is_ok());
            drop(first);
            std::thread::sleep(Duration::from_millis(60));
            assert!(!other.is_finished(), "the replacement is locked too");
            drop(next);
            other.join().unwrap()
        });
        assert!(matches!(waiting, Ok(true)));
    }
}
