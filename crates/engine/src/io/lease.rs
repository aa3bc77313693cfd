//! Asking whether anybody has a file open for writing: a read lease, given back at once.
//!
//! The kernel grants a read lease (`F_SETLEASE`, fcntl(2)) only on a file that nobody has open or mapped for writing, which no
//! other call tells without privilege. Holding it would make others wait who open the file; so it is not held. Who opens the
//! file in the microsecond between sees it opened that much later, and the kernel asks for the lease back by a signal: not by
//! SIGIO, whose default ends the process, but by SIGURG, which is ignored by default.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Which signal asks for a lease back: not among the names that the library has.
const F_SETSIG: c_int = 10;

/// Who has a file open for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writers {
    /// Nobody, in this moment.
    None,
    /// Somebody; this process counts.
    Some,
    /// The system does not say: the file is another user's, or its file system knows no leases.
    Untold,
}

/// Asks about an open file.
pub(crate) fn writers(file: BorrowedFd<'_>) -> Writers {
    let ask = |what: c_int, value: c_int| {
        // SAFETY: a system call on integers; the descriptor is open as long as it is borrowed.
        unsafe { libc::fcntl(file.as_raw_fd(), what, value) }
    };
    if ask(F_SETSIG, libc::SIGURG) != 0 {
        return Writers::Untold;
    }
    let lease = |kind| ask(libc::F_SETLEASE, kind);
    if lease(libc::F_RDLCK) == 0 {
        lease(libc::F_UNLCK);
        return Writers::None;
    }
    match rustix::io::Errno::from_io_error(&std::io::Error::last_os_error()) {
        Some(rustix::io::Errno::AGAIN) => Writers::Some,
        _ => Writers::Untold,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{File, OpenOptions};
    use std::os::fd::AsFd;

    fn file() -> tempfile::TempPath {
        tempfile::NamedTempFile::new().expect("a file").into_temp_path()
    }

    #[test]
    fn whoever_can_write_is_seen_and_nobody_else() {
        let path = file();
        let reading = File::open(&path).expect("open");
        let ask = || writers(reading.as_fd());
        if ask() == Writers::Untold {
            return; // a file system without leases
        }
        assert_eq!(ask(), Writers::None);
        let other = File::open(&path).expect("open");
        assert_eq!(ask(), Writers::None, "readers do not count");
        let writing = OpenOptions::new().append(true).open(&path).expect("open");
        assert_eq!((ask(), writers(other.as_fd())), (Writers::Some, Writers::Some));
        drop(writing);
        assert_eq!(ask(), Writers::None);
        assert_eq!(ask(), Writers::None, "no lease is left behind");
    }

    #[test]
    fn a_mapping_counts_when_its_descriptor_is_closed() {
        use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
        let path = file();
        let writing = OpenOptions::new().read(true).write(true).open(&path).expect("open");
        writing.set_len(4096).expect("room");
        let reading = File::open(&path).expect("open");
        if writers(reading.as_fd()) == Writers::Untold {
            return;
        }
        let both = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice, of which nothing refers to anything.
        let mapped =
            unsafe { mmap(std::ptr::null_mut(), 4096, both, MapFlags::SHARED, &writing, 0) }.expect("mapped");
        drop(writing);
        let asked = writers(reading.as_fd());
        // SAFETY: mapped above, and nothing refers to it.
        unsafe { munmap(mapped, 4096) }.expect("unmapped");
        // Stacked file systems (overlayfs) map the file below.
        let stacked = rustix::fs::fstatfs(&reading).is_ok_and(|fs| fs.f_type as u64 == 0x794c_7630);
        assert_eq!(asked, if stacked { Writers::None } else { Writers::Some });
        assert_eq!(writers(reading.as_fd()), Writers::None);
    }

    #[test]
    fn asking_while_others_open_for_writing_harms_neither() {
        let path = file();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let reading = File::open(&path).expect("open");
                    while !done.load(std::sync::atomic::Ordering::Relaxed) {
                        writers(reading.as_fd());
                    }
                });
            }
            for _ in 0..2000 {
                OpenOptions::new()
                    .write(true)
                    .open(&path)
                    .expect("a lease is given back when it is asked for");
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    }
}
