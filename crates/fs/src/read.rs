//! Reads a file to its end and proves that the read was complete.
//!
//! A [`Guarded`] file records its state when it is opened. Only [`Guarded::finish`] returns a
//! [`CompleteRead`], and digests can be taken from their hashers only with a `CompleteRead`. After a read error,
//! a truncation or a change there is no `CompleteRead`, so no digest can be printed, stored or compared.

pub use crate::complete_read::CompleteRead;
use crate::data;
use crate::error::{Cause, Errno, Error};
use crate::lease::{Writers, writers};
use crate::metadata::{FileType, Metadata};
use crate::open::{Root, Special};
use crate::quiescence::{Quiescence, after_tick, wait_until_stable};
use crate::standard;
use crate::stop::Stop;
use crate::sys::mapped::is_partly_resident;
use crate::sys::open::null;
use crate::sys::wait::until_readable;
use crate::system::{Sizes, Stamps, System};
use crate::version::Version;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::num::NonZeroU64;

/// A file being read.
pub struct Guarded {
    file: File,
    before: Metadata,
    system: System,
    quiescence: Quiescence,
    /// Whether its times reveal changes.
    stamped: bool,
    /// The number of bytes read so far.
    position: u64,
    at_end: bool,
    /// A named pipe that may not have been opened for writing yet; until then, reads return 0.
    awaits_writer: bool,
    /// The stop signal that ends waiting for a pipe, a terminal or a socket.
    until: Option<Stop>,
    /// The version of an object that is read instead of `file`, if any.
    version: Option<Box<dyn Version>>,
    /// Why reading the version failed.
    failure: Option<Cause>,
    /// Whether its pages are removed from the cache after they have been read.
    transient: bool,
}

/// The number of bytes after which pages that have been read are removed from the cache.
const CACHE_STEP: u64 = 32 << 20;

impl Guarded {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// Fails as [`Root::open`] and [`Guarded::of`].
    pub fn open(root: &Root, path: &[u8], special: Special) -> Result<Guarded, Error> {
        let (file, stat) = root.open(path, special)?;
        Guarded::of(file, stat, path)
    }

    /// Starts to read an open file, after a short wait if it was modified just now.
    ///
    /// # Errors
    /// Fails if another process is writing to the file.
    pub fn of(file: File, stat: Metadata, path: &[u8]) -> Result<Guarded, Error> {
        let system = System::of_file(&file, &stat);
        let settled = wait_until_stable(&file, stat, &system);
        let (before, quiescence) = settled.map_err(|cause| Error::new(path, "read", cause))?;
        let stamped = system.sizes != Sizes::Invented;
        let awaits_writer = before.kind() == FileType::Fifo;
        Ok(Guarded { stamped, awaits_writer, ..Guarded::begin(file, before, system, quiescence) })
    }

    /// Returns a read at its beginning, of a file whose times reveal nothing and that is ready to be read.
    fn begin(file: File, before: Metadata, system: System, quiescence: Quiescence) -> Guarded {
        Guarded {
            file,
            before,
            system,
            quiescence,
            stamped: false,
            position: 0,
            at_end: false,
            awaits_writer: false,
            until: None,
            version: None,
            failure: None,
            transient: false,
        }
    }

    /// Leaves the cache as it is: pages are removed after they have been read, unless a part of the file was in the cache
    /// before, because another program may need it.
    pub fn without_caching(mut self) -> Guarded {
        self.transient =
            self.is_regular() && self.is_local() && !is_partly_resident(&self.file, self.size_hint());
        self
    }

    /// Removes the pages up to `to` from the cache if they are not to stay and enough of them were read since `from`.
    pub fn forget(&self, from: u64, to: u64) {
        if self.transient && from / CACHE_STEP < to / CACHE_STEP {
            data::advise_unneeded(&self.file, NonZeroU64::new(to));
        }
    }

    /// Starts to read a version of an object that is not in a file system. It is read at arbitrary offsets.
    ///
    /// # Errors
    /// Fails if the system cannot provide a substitute descriptor.
    pub fn of_version(version: Box<dyn Version>) -> Result<Guarded, Error> {
        let file = null().map_err(|error| Error::io(version.tag().as_bytes(), "open", error))?;
        let before = Metadata::of_object(version.size(), version.modified(), version.number());
        let begun = Guarded::begin(file, before, System::REMOTE, Quiescence::Known);
        Ok(Guarded { version: Some(version), ..begun })
    }

    /// Returns the version that is read instead of a descriptor, if any.
    pub fn version(&self) -> Option<&dyn Version> {
        self.version.as_deref()
    }

    /// Reads standard input, whatever its type. There is no proof for a file that changes during the read, but writers
    /// are not tested for, because the process that provides it may legitimately have it open.
    ///
    /// # Errors
    /// Fails if it is closed, or if it is a file that is modified continuously.
    pub fn stdin() -> Result<Guarded, Error> {
        let file = standard::stdin().try_clone().map_err(|error| Error::io(b"-", "read", error))?;
        let mut before = Metadata::of(&file).map_err(|error| Error::io(b"-", "read", error))?;
        let system = System::of_file(&file, &before);
        let stamped = system.sizes != Sizes::Invented;
        if stamped {
            (before, _) =
                after_tick(&file, before, &system).map_err(|cause| Error::new(b"-", "read", cause))?;
        }
        // Possibly only the remainder of a regular file is read, so its size is meaningless.
        Ok(Guarded { stamped, ..Guarded::begin(file, before, System::STREAM, Quiescence::Known) })
    }

    /// Makes a stop of the run end the waiting for other processes.
    pub fn until(mut self, stop: &Stop) -> Guarded {
        use FileType::{CharacterDevice, Fifo, Socket};
        if matches!(self.before.kind(), Fifo | Socket | CharacterDevice) {
            self.until = Some(stop.clone());
        }
        self
    }

    /// Returns the file's metadata when it was opened.
    pub fn stat(&self) -> &Metadata {
        &self.before
    }

    /// Returns the size reported when the file was opened. It is only a hint.
    pub fn size_hint(&self) -> u64 {
        self.before.size()
    }

    /// Returns the open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns whether this is a regular file. Reading anything else may block indefinitely.
    pub fn is_regular(&self) -> bool {
        self.before.kind() == FileType::RegularFile
    }

    /// Returns whether another process may have been writing to the file since before it was opened, in a way that
    /// times do not reveal and the system does not report.
    pub fn may_be_written(&self) -> bool {
        self.quiescence == Quiescence::Unknown
    }

    /// Returns whether the inode number identifies hard links of the file, and its times alone reveal every change.
    pub fn knows_links(&self) -> bool {
        self.system.knows_links()
    }

    /// Returns whether its times reveal changes at all, which those of generated files, pipes and devices do not.
    pub fn shows_changes(&self) -> bool {
        self.stamped && self.is_regular()
    }

    /// Returns the number of bytes read so far.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns whether the end was reached.
    pub fn at_end(&self) -> bool {
        self.at_end
    }

    /// Returns whether the reported size is reliable: a file on a local disk.
    pub fn is_local(&self) -> bool {
        self.system.sizes == Sizes::Local
    }

    /// Returns whether the file has holes that its file system reports correctly.
    pub fn has_holes(&self) -> bool {
        self.system.sizes == Sizes::Local && self.before.allocated() < self.size_hint()
    }

    /// Fills `buffer`, or the beginning of it if fewer bytes are left. A short read means that the
    /// end was reached ([`Guarded::at_end`]), or that the run was stopped while it waited for a
    /// pipe, a terminal or a socket.
    ///
    /// # Errors
    /// Returns the system's error, for [`Guarded::failed`]; interrupted calls are repeated.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Errno> {
        if let Some(version) = &self.version {
            let count = (version.size() - self.position).min(buffer.len() as u64) as usize;
            if let Err(error) = version.read(&mut buffer[..count], self.position) {
                self.failure = Some(error.cause);
                return Err(Errno::IO);
            }
            self.position += count as u64;
            self.at_end = self.position == version.size();
            return Ok(count);
        }
        if self.awaits_writer && self.until.is_none() {
            until_readable(&self.file)?;
        }
        self.awaits_writer = false;
        let mut filled = 0;
        while filled < buffer.len() && !self.at_end {
            if let Some(until) = &self.until
                && !until.wait(&self.file)?
            {
                break;
            }
            match data::read(&self.file, &mut buffer[filled..]) {
                Ok(0) => self.at_end = true,
                Ok(count) => {
                    filled += count;
                    self.position += count as u64;
                    self.at_end = self.system.sizes == Sizes::Local
                        && filled < buffer.len()
                        && self.position == self.size_hint();
                }
                Err(Errno::INTR) => {}
                // This occurs only if reading of pipes and devices was requested and they are not
                // ready, so wait for them.
                Err(Errno::AGAIN) => until_readable(&self.file)?,
                Err(error) => return Err(error),
            }
        }
        self.forget(self.position - filled as u64, self.position);
        Ok(filled)
    }

    /// Returns the complete error for one that [`Guarded::read`] returned.
    pub fn failed(&mut self, path: &[u8], error: Errno) -> Error {
        match self.failure.take() {
            Some(cause) => Error::new(path, "read", cause),
            None => Error::io(path, "read", error),
        }
    }

    /// Returns the next range of data and the hole before it, for a file that [`Guarded::has_holes`]: `(bytes of hole,
    /// bytes of data)`. The position is moved past the hole; `(hole, 0)` is the end.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn next_extent(&mut self) -> Result<(u64, u64), Errno> {
        let end = self.size_hint();
        if self.position >= end {
            self.at_end = true;
            return Ok((0, 0));
        }
        let data = data::seek_data(&self.file, self.position)?.map_or(end, |data| data.min(end));
        let hole = data - self.position;
        self.position = data;
        if data == end {
            self.at_end = true;
            return Ok((hole, 0));
        }
        let Some(stop) = data::seek_hole(&self.file, data)? else {
            // The file was just truncated: it ends before the reported size, so there will be no proof.
            self.at_end = true;
            return Ok((hole, 0));
        };
        let stop = stop.min(end);
        self.seek(data)?;
        Ok((hole, stop - data))
    }

    /// Continues at `position`. The bytes before it were read by other means, for which the proof relies on the caller.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn resume_at(&mut self, position: u64) -> Result<(), Errno> {
        self.seek(position)?;
        self.position = position;
        Ok(())
    }

    fn seek(&self, position: u64) -> Result<(), Errno> {
        match (&self.file).seek(SeekFrom::Start(position)) {
            Ok(_) => Ok(()),
            Err(error) => Err(Errno::of(&error)),
        }
    }

    /// Records that the bytes up to `position`, to the end, were read by other means (mapping, direct or queued reads).
    /// The proof that [`Guarded::finish`] returns then relies on the caller for having read them.
    pub fn mark_as_read(&mut self, position: u64) {
        self.position = position;
        self.at_end = true;
    }

    /// Returns how the file differs from its state when it was opened, or that another program may still change it.
    pub fn change(&self) -> Result<Option<Cause>, Errno> {
        if !self.stamped {
            return Ok(None);
        }
        let change = self.before.change_to(&Metadata::of(&self.file)?);
        Ok(if change.is_some() {
            change
        } else if self.system.stamps == Stamps::WrittenBack && writers(&self.file) == Writers::Some {
            // Its writes may change the times only when it closes the file.
            Some(Cause::InUse)
        } else {
            None
        })
    }

    /// Returns why a mapping or a hole did not show the file's bytes: a change of the file, or else the system's error.
    pub fn cause_of(&self, error: Errno) -> Cause {
        match self.change() {
            Ok(Some(cause)) => cause,
            Ok(None) | Err(_) => Cause::Io(error.into()),
        }
    }

    /// Ends the read. Returns the proof that it was complete, or the reason why it was not.
    ///
    /// # Errors
    /// Fails if the end was not reached, the file changed since it was opened, or it contained fewer bytes than
    /// expected.
    pub fn finish(self, path: &[u8]) -> Result<CompleteRead, Error> {
        if self.transient {
            data::advise_unneeded(&self.file, None);
        }
        if !self.at_end {
            return Err(Error::new(path, "read", Cause::Other("it was not read to its end".to_owned())));
        }
        if let Some(cause) = self.change().map_err(|error| Error::io(path, "read", error))? {
            return Err(Error::new(path, "read", cause));
        }
        let size = self.size_hint();
        let is_reported = self.system.sizes != Sizes::Invented;
        if is_reported
            && (self.position < size || (self.system.sizes == Sizes::Local && self.position > size))
        {
            let what = format!("only {} of {size} bytes could be read", self.position);
            return Err(Error::new(path, "read", Cause::Changed(what)));
        }
        Ok(CompleteRead::of_file(self.position, &self.before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::OsStrExt;
    use truesum_test_support::Scratch;

    fn guarded(path: &std::path::Path) -> Guarded {
        Guarded::open(&Root::Anywhere, path.as_os_str().as_bytes(), Special::Refuse).unwrap()
    }

    #[test]
    fn file_that_grows_while_read_is_detected() {
        let file = Scratch::new();
        std::fs::write(file.path(), [7; 1000]).unwrap();
        let mut reading = guarded(file.path());
        let mut buffer = [0; 4096];
        assert_eq!(reading.read(&mut buffer), Ok(1000));
        std::fs::write(file.path(), [7; 1004]).unwrap();
        assert!(matches!(reading.finish(b"f"), Err(Error { cause: Cause::Changed(_), .. })));
    }

    #[test]
    fn incompletely_read_file_is_detected() {
        let file = Scratch::new();
        std::fs::write(file.path(), [7; 1000]).unwrap();
        let mut reading = guarded(file.path());
        assert_eq!(reading.read(&mut [0; 1000]), Ok(1000));
        assert!(!reading.at_end(), "only a read that comes up short shows the end");
        assert!(reading.finish(b"f").is_err());
        let mut reading = guarded(file.path());
        assert_eq!(reading.read(&mut [0; 1001]), Ok(1000));
        let whole = reading.finish(b"f").unwrap();
        assert_eq!(whole.size(), 1000);
    }

    #[test]
    #[cfg(all(target_os = "linux", not(truesum_fs = "portable")))]
    fn reads_without_caching_leave_the_cache_as_it_was() {
        let file = Scratch::new();
        let data = vec![7; CACHE_STEP as usize + (3 << 20)];
        std::fs::write(file.path(), &data).unwrap();
        let open = || guarded(file.path());
        open().file().sync_all().unwrap();
        // The test starts to read a sample into the cache, so each test is the last before the cache is emptied.
        let is_cached = || {
            let file = open();
            let is_cached = is_partly_resident(file.file(), CACHE_STEP);
            std::thread::sleep(std::time::Duration::from_millis(50));
            data::advise_unneeded(file.file(), None);
            is_cached
        };
        data::advise_unneeded(open().file(), None);
        if is_cached() {
            return truesum_test_support::oracle::missing("a file system with a cache that can be emptied");
        }
        let mut buffer = vec![0; 1 << 20];
        let mut read_all = |mut reading: Guarded| {
            while reading.read(&mut buffer).unwrap() > 0 {}
            reading
        };
        let reading = read_all(open().without_caching());
        assert!(!is_cached(), "pages are removed during the read");
        drop(reading);
        read_all(open().without_caching()).finish(b"f").unwrap();
        assert!(!is_cached(), "and at its end");
        read_all(open()).finish(b"f").unwrap();
        read_all(open().without_caching()).finish(b"f").unwrap();
        assert!(is_cached(), "another program may need what it has cached");
    }

    /// An object whose bytes from `broken` on belong to another version.
    #[derive(Debug)]
    struct Object {
        size: u64,
        broken: u64,
    }

    impl Version for Object {
        fn size(&self) -> u64 {
            self.size
        }
        fn tag(&self) -> &str {
            "v1"
        }
        fn number(&self) -> u64 {
            5
        }
        fn modified(&self) -> i64 {
            7
        }
        fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), Error> {
            if offset + buffer.len() as u64 > self.broken {
                return Err(Error::new(b"", "read", Cause::Changed("overwritten".to_owned())));
            }
            buffer.fill(9);
            Ok(())
        }
    }

    #[test]
    fn an_object_gives_a_proof_when_all_bytes_of_its_version_were_read() {
        let of = |size, broken| Guarded::of_version(Box::new(Object { size, broken })).unwrap();
        let mut buffer = [0; 600];
        let mut reading = of(1000, 1000);
        assert_eq!((reading.read(&mut buffer), reading.at_end()), (Ok(600), false));
        assert!(of(1000, 1000).finish(b"o").is_err() && of(0, 0).finish(b"o").is_err());
        assert_eq!((reading.read(&mut buffer), reading.at_end()), (Ok(400), true));
        let whole = reading.finish(b"o").unwrap();
        assert_eq!((whole.size(), whole.mtime(), whole.inode()), (1000, (7, 0), 5));
        let mut empty = of(0, 0);
        assert_eq!((empty.read(&mut buffer), empty.at_end()), (Ok(0), true));
        assert_eq!(empty.finish(b"o").unwrap().size(), 0);
        let mut broken = of(1000, 700);
        assert_eq!(broken.read(&mut buffer), Ok(600));
        let error = broken.read(&mut buffer).unwrap_err();
        let error = broken.failed(b"o", error);
        assert!(error.path == b"o" && matches!(error.cause, Cause::Changed(_)), "{error:?}");
        assert!(broken.finish(b"o").is_err());
    }

    #[test]
    fn file_rewritten_at_the_same_size_is_detected() {
        let file = Scratch::new();
        std::fs::write(file.path(), [1; 10]).unwrap();
        let mut reading = guarded(file.path());
        reading.read(&mut [0; 16]).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::write(file.path(), [2; 10]).unwrap();
        assert!(reading.finish(b"f").is_err());
    }

    // On Windows, a file has holes only if its writer requests them, as in `sys/windows/data.rs`.
    #[cfg(unix)]
    #[test]
    fn extents_of_a_sparse_file_cover_it() {
        use crate::data::FileExt;
        let file = Scratch::new();
        file.open().set_len(10 << 20).unwrap();
        file.open().write_all_at(&[1; 4096], 4 << 20).unwrap();
        let mut reading = guarded(file.path());
        if !reading.has_holes() {
            return; // a file system without holes
        }
        let (mut total, mut data_bytes) = (0, 0);
        while !reading.at_end() {
            let (hole, data) = reading.next_extent().unwrap();
            let mut left = data;
            while left > 0 {
                let mut buffer = vec![0; left.min(1 << 16) as usize];
                left -= reading.read(&mut buffer).unwrap() as u64;
            }
            total += hole + data;
            data_bytes += data;
        }
        assert_eq!(total, 10 << 20);
        assert!((4096..10 << 20).contains(&data_bytes));
        assert_eq!(reading.finish(b"f").unwrap().size(), 10 << 20);
    }
}
