//! What a run has done so far: counters that whoever reads files bumps and one drawing thread reads.

use crate::stop::Stop;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Shared counters of a run. All are exact at its end and a moment old before.
#[derive(Default)]
pub struct Progress {
    bytes: AtomicU64,
    files: AtomicU64,
    untold: AtomicU64,
    found_bytes: AtomicU64,
    found_files: AtomicU64,
    /// Whether some files were found without their sizes.
    unsized_files: AtomicBool,
    /// Whether no more files are to be found.
    all_found: AtomicBool,
    /// Bytes of the manifests opened so far, and bytes read of them.
    listed: AtomicU64,
    list_read: AtomicU64,
    stop: Stop,
    current: Mutex<Vec<u8>>,
}

impl Progress {
    /// Bytes hashed so far; at the end of a run that was stopped, those that were read and not hashed too.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// Files finished so far.
    pub fn files(&self) -> u64 {
        self.files.load(Relaxed)
    }

    /// Files written so recently that a write may have been under way while they were read, of which the system does not
    /// tell whether somebody has them open for writing.
    pub fn untold(&self) -> u64 {
        self.untold.load(Relaxed)
    }

    /// Files found so far, done or to do. It grows while a walk finds more.
    pub fn found(&self) -> u64 {
        self.found_files.load(Relaxed)
    }

    /// Bytes and files in all, once all files were found. The bytes are 0 where the sizes of so many files were not asked.
    pub fn totals(&self) -> Option<(u64, u64)> {
        let all_found = self.all_found.load(Relaxed) && self.found() > 0;
        all_found.then(|| (self.found_bytes().unwrap_or(0), self.found()))
    }

    /// Bytes of the manifests opened so far, and bytes read of them: how far a check is that does not know its files yet. The
    /// files are at most some thousand entries behind.
    pub fn listed(&self) -> (u64, u64) {
        (self.listed.load(Relaxed), self.list_read.load(Relaxed))
    }

    /// The file that was begun last.
    pub fn current(&self) -> PathBuf {
        OsString::from_vec(self.current.lock().map(|name| name.clone()).unwrap_or_default()).into()
    }

    /// Asks the run to end soon: what was finished is still handed out, what was not is counted
    /// ([`Summary::unreached`](crate::Summary::unreached)). A thread that waits for a pipe or a terminal is woken.
    pub fn stop(&self) {
        self.stop.ask();
    }

    /// The flag that [`Progress::stop`] sets, for signal handlers. By itself it wakes nobody: see [`Progress::bell`].
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stop.flag()
    }

    /// The end of a pipe of which a byte wakes the threads that wait for input, for a signal handler to write to after it
    /// has set the flag. It never blocks.
    ///
    /// # Errors
    /// The system's: no pipe can be had.
    pub fn bell(&self) -> io::Result<OwnedFd> {
        self.stop.bell()
    }

    /// Whether the run was asked to end.
    pub fn stopped(&self) -> bool {
        self.stop.asked()
    }

    /// What tells that the run was asked to end.
    pub(crate) fn until(&self) -> Stop {
        self.stop.clone()
    }

    /// Counts bytes that were hashed.
    pub fn add_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Relaxed);
    }

    pub(crate) fn add_listed(&self, bytes: u64) {
        self.listed.fetch_add(bytes, Relaxed);
    }

    pub(crate) fn add_list_read(&self, bytes: u64) {
        self.list_read.fetch_add(bytes, Relaxed);
    }

    pub(crate) fn add_untold(&self) {
        self.untold.fetch_add(1, Relaxed);
    }

    /// Counts a file that is done.
    pub fn add_file(&self) {
        self.files.fetch_add(1, Relaxed);
    }

    /// Notes how many files were found so far, and whether these are all.
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

    /// Notes the file being read; skipped when the drawing thread is just looking.
    pub fn set_current(&self, name: &[u8]) {
        if let Ok(mut current) = self.current.try_lock() {
            current.clear();
            current.extend_from_slice(name);
        }
    }
}
