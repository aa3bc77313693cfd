//! Detects whether a file is open for writing, by means of a read lease that is released immediately.
//!
//! The kernel grants a read lease (`F_SETLEASE`, fcntl(2)) only on a file that is neither open nor mapped for writing.
//! No other call provides this information without privileges. Holding the lease would block processes that open the
//! file, so it is released at once. A process that opens the file in the microsecond between is delayed by that time,
//! and the kernel requests the lease back with a signal: not SIGIO, which would end the process by default, but SIGURG,
//! which is ignored by default.
#![allow(unsafe_code)]

use crate::sys::writers::{Obstacle, Writers};
use std::ffi::c_int;
use std::fs::File;
use std::os::fd::AsRawFd;

/// The command that selects the signal for requesting a lease back; the libraries used here do not define it.
const F_SETSIG: c_int = 10;

/// Tests an open file.
pub fn writers(file: &File) -> Writers {
    let ask = |what: c_int, value: c_int| {
        // SAFETY: a system call on integers; the descriptor is open as long as the file is borrowed.
        unsafe { libc::fcntl(file.as_raw_fd(), what, value) }
    };
    // Selected before the lease exists, so that it is never requested back with SIGIO.
    if ask(F_SETSIG, libc::SIGURG) != 0 {
        return Writers::Unknown(Obstacle::FileSystem);
    }
    let lease = |kind| ask(libc::F_SETLEASE, kind);
    if lease(libc::F_RDLCK) == 0 {
        // Until this call, a process that opens the file for writing waits. If the call failed,
        // closing the file would release the lease.
        lease(libc::F_UNLCK);
        return Writers::None;
    }
    // Other errors do not answer the question, such as EINVAL if the file system has no leases.
    match rustix::io::Errno::from_io_error(&std::io::Error::last_os_error()) {
        Some(rustix::io::Errno::AGAIN) => Writers::Some,
        Some(rustix::io::Errno::ACCESS) => Writers::Unknown(Obstacle::Owner),
        _ => Writers::Unknown(Obstacle::FileSystem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;

    fn file() -> tempfile::TempPath {
        tempfile::NamedTempFile::new().expect("a file").into_temp_path()
    }

    #[test]
    fn lease_detects_writers_and_only_writers() {
        let path = file();
        let reading = File::open(&path).expect("open");
        let ask = || writers(&reading);
        if matches!(ask(), Writers::Unknown(_)) {
            return; // a file system without leases
        }
        assert_eq!(ask(), Writers::None);
        let other = File::open(&path).expect("open");
        assert_eq!(ask(), Writers::None, "readers do not count");
        let writing = OpenOptions::new().append(true).open(&path).expect("open");
        assert_eq!((ask(), writers(&other)), (Writers::Some, Writers::Some));
        drop(writing);
        assert_eq!(ask(), Writers::None);
        assert_eq!(ask(), Writers::None, "no lease is left behind");
    }

    #[test]
    fn writable_mapping_counts_after_its_descriptor_is_closed() {
        use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
        let path = file();
        let writing = OpenOptions::new().read(true).write(true).open(&path).expect("open");
        writing.set_len(4096).expect("room");
        let reading = File::open(&path).expect("open");
        if matches!(writers(&reading), Writers::Unknown(_)) {
            return;
        }
        let both = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address chosen by the kernel, with no references into it.
        let mapped =
            unsafe { mmap(std::ptr::null_mut(), 4096, both, MapFlags::SHARED, &writing, 0) }.expect("mapped");
        drop(writing);
        let requested = writers(&reading);
        // SAFETY: mapped above, and without references into it.
        unsafe { munmap(mapped, 4096) }.expect("unmapped");
        // Stacked file systems (overlayfs) map the file below.
        let stacked = rustix::fs::fstatfs(&reading).is_ok_and(|fs| fs.f_type as u64 == 0x794c_7630);
        assert_eq!(requested, if stacked { Writers::None } else { Writers::Some });
        assert_eq!(writers(&reading), Writers::None);
    }

    #[test]
    fn lease_queries_do_not_disturb_concurrent_writers() {
        let path = file();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let reading = File::open(&path).expect("open");
                    while !done.load(std::sync::atomic::Ordering::Relaxed) {
                        writers(&reading);
                    }
                });
            }
            for _ in 0..2000 {
                OpenOptions::new()
                    .write(true)
                    .open(&path)
                    .expect("a lease is released when another process opens the file");
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    }
}
