//! What a run has done so far: counters that workers bump and one drawing thread reads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Shared counters of a run. All are exact at its end and a moment old before.
#[derive(Default)]
pub struct Progress {
    bytes: AtomicU64,
    files: AtomicU64,
    total_bytes: AtomicU64,
    total_files: AtomicU64,
    stop: Arc<AtomicBool>,
    current: Mutex<Vec<u8>>,
}

impl Progress {
    /// Bytes hashed so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// Files finished so far.
    pub fn files(&self) -> u64 {
        self.files.load(Relaxed)
    }

    /// Bytes and files in all, once they are known.
    pub fn totals(&self) -> Option<(u64, u64)> {
        let files = self.total_files.load(Relaxed);
        (files > 0).then(|| (self.total_bytes.load(Relaxed), files))
    }

    /// The file that was begun last.
    pub fn current(&self) -> Vec<u8> {
        self.current.lock().map(|name| name.clone()).unwrap_or_default()
    }

    /// Asks the run to end soon; what was finished is still reported.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// The flag that [`Progress::stop`] sets, for signal handlers.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// Whether the run was asked to end.
    pub fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    pub(crate) fn add_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Relaxed);
    }

    pub(crate) fn add_file(&self) {
        self.files.fetch_add(1, Relaxed);
    }

    pub(crate) fn set_totals(&self, bytes: u64, files: u64) {
        self.total_bytes.store(bytes, Relaxed);
        self.total_files.store(files, Relaxed);
    }

    /// Notes the file being read; skipped when the drawing thread is just looking.
    pub(crate) fn set_current(&self, name: &[u8]) {
        if let Ok(mut current) = self.current.try_lock() {
            current.clear();
            current.extend_from_slice(name);
        }
    }
}
