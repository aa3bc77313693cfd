//! The progress of a run: counters that are increased by readers and displayed by one other thread.

use std::ffi::OsString;
use std::io;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};
#[cfg(test)]
use truesum_fs::file_id::FileId;
use truesum_fs::name::OsStringExt;
use truesum_fs::read::Guarded;
use truesum_fs::stop::{Stop, Waker};

/// The maximum time for which a thread sleeps without testing whether the run was stopped.
const LONGEST_SLEEP: Duration = Duration::from_millis(100);

/// The way in which work ended that [`Progress::stop`] can end early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Completion<T> {
    /// All of it was done.
    Complete(T),
    /// The run was stopped before its end.
    Stopped,
}

/// Shared counters of a run. All of them are exact at the end of the run and slightly outdated before.
#[derive(Default)]
pub struct Progress {
    bytes: AtomicU64,
    files: AtomicU64,
    writers_unknown: AtomicU64,
    found_bytes: AtomicU64,
    found_files: AtomicU64,
    /// Whether some files were found without their sizes.
    unsized_files: AtomicBool,
    /// Whether all files have been found.
    all_found: AtomicBool,
    /// The total size of the manifests opened so far, and the number of bytes read of them.
    listed: AtomicU64,
    list_read: AtomicU64,
    stop: Stop,
    rate: OnceLock<(NonZeroU64, Instant)>,
    current: Mutex<Vec<u8>>,
    /// The file and offset of each read.
    #[cfg(test)]
    reads: Mutex<Vec<(FileId, u64)>>,
}

impl Progress {
    /// Returns the bytes hashed so far. At the end of a run that was stopped, bytes that were read but not hashed are
    /// included.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// Returns the number of files finished so far.
    pub fn files(&self) -> u64 {
        self.files.load(Relaxed)
    }

    /// Returns the number of files modified so recently that a write may have been in progress while they were read,
    /// for which the system does not report whether they are open for writing.
    pub fn writers_unknown(&self) -> u64 {
        self.writers_unknown.load(Relaxed)
    }

    /// Returns the number of files found so far, finished or not. It grows during a walk.
    pub fn found(&self) -> u64 {
        self.found_files.load(Relaxed)
    }

    /// Returns the total bytes and files, once all files have been found. The bytes are 0 if there are too many files
    /// to determine their sizes.
    pub fn totals(&self) -> Option<(u64, u64)> {
        let all_found = self.all_found.load(Relaxed) && self.found() > 0;
        all_found.then(|| (self.found_bytes().unwrap_or(0), self.found()))
    }

    /// Returns the total size of the manifests opened so far and the number of bytes read of them: the progress of a
    /// check that does not know its files yet. The files are at most a few thousand entries behind.
    pub fn listed(&self) -> (u64, u64) {
        (self.listed.load(Relaxed), self.list_read.load(Relaxed))
    }

    /// Returns the file that was started last.
    pub fn current(&self) -> PathBuf {
        OsString::from_vec(self.current.lock().map(|name| name.clone()).unwrap_or_default()).into()
    }

    /// Makes the run end soon. Finished results are still passed on, and the remaining files are counted
    /// ([`Summary::unreached`](crate::Summary::unreached)). A thread that waits for a pipe or a terminal is woken.
    pub fn stop(&self) {
        self.stop.request();
    }

    /// Returns the flag that [`Progress::stop`] sets, for signal handlers. The flag alone does not wake any thread; see
    /// [`Progress::waker`].
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stop.flag()
    }

    /// Returns a value that wakes threads waiting for input. A signal handler uses it after it has set the flag.
    ///
    /// # Errors
    /// Returns the system's error if no pipe can be created.
    pub fn waker(&self) -> io::Result<Waker> {
        self.stop.waker()
    }

    /// Returns whether the run was stopped.
    pub fn stopped(&self) -> bool {
        self.stop.requested()
    }

    /// Returns the signal with which waiting for other processes ends when the run is stopped.
    pub fn stop_signal(&self) -> &Stop {
        &self.stop
    }

    /// Limits the number of bytes that are hashed per second from now on, on average. A second limit is ignored.
    pub fn limit_rate(&self, bytes_per_second: NonZeroU64) {
        let _ = self.rate.set((bytes_per_second, Instant::now()));
    }

    /// Counts bytes that were hashed, and waits if there is a limit for their rate and it would be exceeded.
    pub fn add_bytes(&self, bytes: u64) {
        let all = self.bytes.fetch_add(bytes, Relaxed) + bytes;
        let Some((rate, since)) = self.rate.get() else { return };
        let due = Duration::from_secs_f64(all as f64 / rate.get() as f64);
        while let Some(left) = due.checked_sub(since.elapsed()).filter(|left| !left.is_zero()) {
            if self.stopped() {
                return;
            }
            std::thread::sleep(left.min(LONGEST_SLEEP));
        }
    }

    /// Records a read or mapping of a file at this offset, for tests of the order of reads. Otherwise it does nothing.
    pub(crate) fn note_read(&self, _file: &Guarded, _offset: u64) {
        #[cfg(test)]
        if let Ok(mut reads) = self.reads.lock() {
            reads.push((FileId::from(_file.stat()), _offset));
        }
    }

    /// Returns the file and offset of each read so far, in order.
    #[cfg(test)]
    pub(crate) fn take_reads(&self) -> Vec<(FileId, u64)> {
        std::mem::take(&mut *self.reads.lock().expect("no panic"))
    }

    pub(crate) fn add_listed(&self, bytes: u64) {
        self.listed.fetch_add(bytes, Relaxed);
    }

    pub(crate) fn add_list_read(&self, bytes: u64) {
        self.list_read.fetch_add(bytes, Relaxed);
    }

    pub(crate) fn add_writers_unknown(&self) {
        self.writers_unknown.fetch_add(1, Relaxed);
    }

    /// Counts a finished file.
    pub fn add_file(&self) {
        self.files.fetch_add(1, Relaxed);
    }

    /// Sets the number of files found so far, and whether these are all.
    pub fn set_found(&self, files: u64, all: bool) {
        self.found_files.store(files, Relaxed);
        self.all_found.store(all, Relaxed);
    }

    /// Returns the bytes of the files found so far; `None` if the sizes of some are not known.
    pub fn found_bytes(&self) -> Option<u64> {
        (!self.unsized_files.load(Relaxed)).then(|| self.found_bytes.load(Relaxed))
    }

    /// Adds the bytes of files that were found; `None` if they are not known.
    pub fn add_found_bytes(&self, bytes: Option<u64>) {
        let add = |sum: u64, bytes: u64| Some(sum.saturating_add(bytes));
        match bytes {
            Some(bytes) => drop(self.found_bytes.fetch_update(Relaxed, Relaxed, |sum| add(sum, bytes))),
            None => self.unsized_files.store(true, Relaxed),
        }
    }

    /// Sets the file being read; skipped if the display is reading it at this moment.
    pub fn set_current(&self, name: &[u8]) {
        if let Ok(mut current) = self.current.try_lock() {
            current.clear();
            current.extend_from_slice(name);
        }
    }
}
