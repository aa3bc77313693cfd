//! Reading a file to its end, and the proof that this was done.
//!
//! A [`Guarded`] file remembers what it was when it was opened. Only [`Guarded::finish`] gives a [`Whole`], and only a
//! `Whole` lets digests out of their hashers: after a read error, a truncation or a change there is none, so there is no
//! digest to show, store or compare.

use crate::error::{Cause, Error};
use crate::io::open::{Root, Special};
use rustix::fs::{self, FileType, Stat};
use rustix::io::Errno;
use std::cell::RefCell;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A file being read.
pub struct Guarded {
    file: OwnedFd,
    before: Stat,
    system: System,
    /// Bytes read so far.
    position: u64,
    at_end: bool,
    /// A named pipe that nobody may have opened for writing yet: until then reads say that it ended.
    awaits_writer: bool,
}

/// Proof that a file was read to its end without error and did not change meanwhile. Only this module makes one.
#[derive(Debug)]
pub struct Whole {
    size: u64,
    mtime: (i64, u32),
}

impl Whole {
    /// Bytes read.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Modification time: seconds and nanoseconds.
    pub fn mtime(&self) -> (i64, u32) {
        self.mtime
    }
}

/// How far the sizes that a file system tells can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    /// A local disk: a short read that ends at the size told is the end, and any other end is a change.
    Local,
    /// Files made up on reading (`/proc`, `/sys`): sizes mean nothing.
    Invented,
    /// Networks, FUSE and what is not known: read until a read says 0; an end before the size told is a failure.
    Other,
}

impl Guarded {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// As [`Root::open`].
    pub fn open(root: &Root, path: &[u8], special: Special) -> Result<Guarded, Error> {
        let (file, mut before) = root.open(path, special)?;
        let kind = FileType::from_raw_mode(before.st_mode);
        let awaits_writer = kind == FileType::Fifo;
        if kind != FileType::RegularFile {
            // Pipes and devices tell no size, and their times move with every use.
            let system = System::Invented;
            return Ok(Guarded { file, before, system, position: 0, at_end: false, awaits_writer });
        }
        let system = System::of(&file, &before);
        if let Some(wait) = unsettled(&before) {
            std::thread::sleep(wait);
            before = fs::fstat(&file).map_err(|error| Error::io(path, "read", error))?;
        }
        Ok(Guarded { file, before, system, position: 0, at_end: false, awaits_writer })
    }

    /// Reads standard input, whatever it is.
    ///
    /// # Errors
    /// It is closed.
    pub fn stdin() -> Result<Guarded, Error> {
        let fail = |error: std::io::Error| Error::io(b"-", "read", error);
        let file = std::io::stdin().as_fd().try_clone_to_owned().map_err(fail)?;
        let before = fs::fstat(&file).map_err(|error| fail(error.into()))?;
        Ok(Guarded {
            file,
            before,
            system: System::Invented,
            position: 0,
            at_end: false,
            awaits_writer: false,
        })
    }

    /// What the file was when it was opened.
    pub fn stat(&self) -> &Stat {
        &self.before
    }

    /// The size told when the file was opened: a hint only.
    pub fn size_hint(&self) -> u64 {
        u64::try_from(self.before.st_size).unwrap_or(0)
    }

    /// The open file.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Whether this is a regular file: reading anything else may take as long as others please.
    pub fn is_regular(&self) -> bool {
        FileType::from_raw_mode(self.before.st_mode) == FileType::RegularFile
    }

    /// Whether the end was reached.
    pub fn at_end(&self) -> bool {
        self.at_end
    }

    /// Whether the size told is the size there is: a file on a local disk.
    pub fn is_local(&self) -> bool {
        self.system == System::Local
    }

    /// Whether the file has holes that its file system tells truthfully.
    pub fn has_holes(&self) -> bool {
        self.system == System::Local && (self.before.st_blocks as u64).saturating_mul(512) < self.size_hint()
    }

    /// Fills `buffer` as far as the file goes; fewer bytes than its length mean the end was reached.
    ///
    /// # Errors
    /// The system's error; interrupted calls are made again.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Errno> {
        if self.awaits_writer {
            wait(&self.file)?;
            self.awaits_writer = false;
        }
        let mut filled = 0;
        while filled < buffer.len() && !self.at_end {
            match rustix::io::read(&self.file, &mut buffer[filled..]) {
                Ok(0) => self.at_end = true,
                Ok(count) => {
                    filled += count;
                    self.position += count as u64;
                    self.at_end = self.system == System::Local
                        && filled < buffer.len()
                        && self.position == self.size_hint();
                }
                Err(Errno::INTR) => {}
                // Only where reading of pipes and devices was asked for and they are not ready: wait for them.
                Err(Errno::AGAIN) => wait(&self.file)?,
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    /// The next range of data and the hole before it, for a file that [`Guarded::has_holes`]: `(bytes of hole, bytes of
    /// data)`. The position is moved over the hole; `(hole, 0)` is the end.
    ///
    /// # Errors
    /// The system's error.
    pub fn next_extent(&mut self) -> Result<(u64, u64), Errno> {
        let end = self.size_hint();
        if self.position >= end {
            self.at_end = true;
            return Ok((0, 0));
        }
        let data = match fs::seek(&self.file, fs::SeekFrom::Data(self.position)) {
            Ok(data) => data.min(end),
            Err(Errno::NXIO) => end,
            Err(error) => return Err(error),
        };
        let hole = data - self.position;
        self.position = data;
        if data == end {
            self.at_end = true;
            return Ok((hole, 0));
        }
        let stop = fs::seek(&self.file, fs::SeekFrom::Hole(data))?.min(end);
        fs::seek(&self.file, fs::SeekFrom::Start(data))?;
        Ok((hole, stop - data))
    }

    /// Goes on reading at `position`, what lies before it having been read by other means.
    pub(crate) fn go_on_from(&mut self, position: u64) -> Result<(), Errno> {
        fs::seek(&self.file, fs::SeekFrom::Start(position))?;
        self.position = position;
        Ok(())
    }

    /// Takes note that bytes up to `position` were read by other means (a mapping, direct or queued reads), to the end.
    pub(crate) fn read_elsewhere(&mut self, position: u64) {
        self.position = position;
        self.at_end = true;
    }

    /// Ends the reading: the proof that it was complete, or why it was not.
    ///
    /// # Errors
    /// The end was not reached, the file changed since it was opened, or it held fewer bytes than it should.
    pub fn finish(self, path: &[u8]) -> Result<Whole, Error> {
        let after = fs::fstat(&self.file).map_err(|error| Error::io(path, "read", error))?;
        let changed = |what: String| Err(Error::new(path, "read", Cause::Changed(what)));
        if !self.at_end {
            return Err(Error::new(path, "read", Cause::Other("not read to its end".to_owned())));
        }
        if self.system != System::Invented {
            let before = &self.before;
            if before.st_size != after.st_size {
                return changed(format!("from {} to {} bytes", before.st_size, after.st_size));
            }
            if (before.st_mtime, before.st_mtime_nsec) != (after.st_mtime, after.st_mtime_nsec) {
                return changed("its modification time moved".to_owned());
            }
            if (before.st_ctime, before.st_ctime_nsec) != (after.st_ctime, after.st_ctime_nsec) {
                return changed("its status changed".to_owned());
            }
            let size = self.size_hint();
            if self.position < size || (self.system == System::Local && self.position > size) {
                return changed(format!("{} bytes could be read of {size}", self.position));
            }
        }
        let mtime = (self.before.st_mtime, self.before.st_mtime_nsec as u32);
        Ok(Whole { size: self.position, mtime })
    }
}

/// How long to wait until a file that was written just now can be watched for changes.
///
/// Kernels before 6.13 stamp files with a clock that ticks every 1 to 10 ms: a second write within the tick of the first
/// leaves the times as they were. Later ones give a file that was looked at a finer stamp with its next change.
fn unsettled(stat: &Stat) -> Option<Duration> {
    const TICK: Duration = Duration::from_millis(11);
    static FINE_STAMPS: OnceLock<bool> = OnceLock::new();
    let modified = UNIX_EPOCH + Duration::new(u64::try_from(stat.st_mtime).ok()?, stat.st_mtime_nsec as u32);
    let age = SystemTime::now().duration_since(modified).unwrap_or(Duration::ZERO);
    // A time in the future tells nothing; waiting for it would help nobody.
    let fresh = age < TICK && modified <= SystemTime::now();
    let fine = || {
        let name = rustix::system::uname();
        let release = name.release().to_str().unwrap_or_default();
        let mut numbers = release.split(['.', '-']).map(|part| part.parse::<u32>().unwrap_or(0));
        (numbers.next(), numbers.next()) >= (Some(6), Some(13))
    };
    (fresh && !*FINE_STAMPS.get_or_init(fine)).then(|| TICK - age)
}

fn wait(file: &OwnedFd) -> Result<(), Errno> {
    use rustix::event::{PollFd, PollFlags, poll};
    loop {
        match poll(&mut [PollFd::new(file, PollFlags::IN)], None) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
}

impl System {
    /// Asks the file system, once for each device a thread meets.
    fn of(file: &OwnedFd, stat: &Stat) -> System {
        thread_local! {
            static KNOWN: RefCell<Vec<(u64, System)>> = const { RefCell::new(Vec::new()) };
        }
        KNOWN.with_borrow_mut(|known| {
            if let Some((_, system)) = known.iter().find(|(device, _)| *device == stat.st_dev) {
                return *system;
            }
            let system = fs::fstatfs(file).map_or(System::Other, |fs| System::from_magic(fs.f_type as u64));
            if known.len() > 64 {
                known.clear();
            }
            known.push((stat.st_dev, system));
            system
        })
    }

    /// By the numbers of `linux/magic.h` (statfs(2)).
    fn from_magic(magic: u64) -> System {
        match magic {
            // ext2-4, XFS, Btrfs, tmpfs, F2FS, ramfs, ZFS, bcachefs, squashfs, ISO 9660, UDF, FAT, exFAT, NTFS3, EROFS
            0xef53 | 0x5846_5342 | 0x9123_683e | 0x0102_1994 | 0xf2f5_2010 | 0x8584_58f6 | 0x2fc1_2fc1
            | 0xca45_1a4e | 0x7371_7368 | 0x9660 | 0x1501_3346 | 0x4d44 | 0x2011_bab0 | 0x7366_746e
            | 0xe0f5_e1e2 => System::Local,
            // proc, sysfs, debugfs, tracefs, cgroup, cgroup2, securityfs, configfs, efivarfs, bpf, pstore, selinux
            0x9fa0 | 0x6265_6572 | 0x6462_6720 | 0x7472_6163 | 0x0027_e0eb | 0x6367_7270 | 0x7363_6673
            | 0x6265_6570 | 0xde5e_81e4 | 0xcafe_4a11 | 0x6165_676c | 0xf97c_ff8c => System::Invented,
            _ => System::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::ffi::OsStrExt;

    fn guarded(path: &std::path::Path) -> Guarded {
        Guarded::open(&Root::Anywhere, path.as_os_str().as_bytes(), Special::Refuse).unwrap()
    }

    #[test]
    fn a_file_that_grows_while_it_is_read_gives_no_proof() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&[7; 1000]).unwrap();
        let mut reading = guarded(file.path());
        let mut buffer = [0; 4096];
        assert_eq!(reading.read(&mut buffer), Ok(1000));
        file.write_all(b"more").unwrap();
        assert!(matches!(reading.finish(b"f"), Err(Error { cause: Cause::Changed(_), .. })));
    }

    #[test]
    fn a_pipe_is_read_when_somebody_writes_to_it() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        fs::mknodat(fs::CWD, &pipe, FileType::Fifo, fs::Mode::RUSR | fs::Mode::WUSR, 0).unwrap();
        let mut reading = Guarded::open(&Root::Anywhere, pipe.as_os_str().as_bytes(), Special::Read).unwrap();
        let writer = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(30));
            std::fs::write(pipe, "late").unwrap();
        });
        assert_eq!(reading.read(&mut [0; 16]), Ok(4));
        writer.join().unwrap();
        assert_eq!(reading.finish(b"pipe").unwrap().size, 4);
    }

    #[test]
    fn a_file_that_was_not_read_to_its_end_gives_no_proof() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&[7; 1000]).unwrap();
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
    fn a_file_rewritten_at_the_same_size_gives_no_proof() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [1; 10]).unwrap();
        let mut reading = guarded(file.path());
        reading.read(&mut [0; 16]).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::write(file.path(), [2; 10]).unwrap();
        assert!(reading.finish(b"f").is_err());
    }

    #[test]
    fn invented_files_are_read_to_their_end_whatever_their_size_says() {
        let path = std::path::Path::new("/proc/version");
        let mut reading = guarded(path);
        let mut buffer = [0; 4096];
        let count = reading.read(&mut buffer).unwrap();
        assert_eq!(buffer[..count], std::fs::read(path).unwrap());
        assert_eq!(reading.finish(b"/proc/version").unwrap().size(), count as u64);
    }

    #[test]
    fn extents_of_a_sparse_file_cover_it() {
        use std::os::unix::fs::FileExt;
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(10 << 20).unwrap();
        file.as_file().write_all_at(&[1; 4096], 4 << 20).unwrap();
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
