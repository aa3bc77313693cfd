//! Asking whether anybody has a file open for writing: a read lease, given back at once.
//!
//! The kernel grants a read lease (`F_SETLEASE`, fcntl(2)) only on a file that nobody has open or mapped for writing, which no
//! other call tells without privilege. Holding it would make others wait who open the file; so it is not held. Somebody
//! who opens the file in the microsecond between sees it opened that much later.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr;
use std::sync::OnceLock;

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
    static READY: OnceLock<bool> = OnceLock::new();
    if !*READY.get_or_init(outlive_sigio) {
        return Writers::Untold;
    }
    let lease = |kind: c_int| {
        // SAFETY: a system call on integers; the descriptor is open as long as it is borrowed.
        unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, kind) }
    };
    if lease(libc::F_RDLCK) == 0 {
        lease(libc::F_UNLCK);
        return Writers::None;
    }
    match rustix::io::Errno::from_io_error(&std::io::Error::last_os_error()) {
        Some(rustix::io::Errno::AGAIN) => Writers::Some,
        _ => Writers::Untold,
    }
}

/// Lets the process outlive the signal by which the kernel asks for a lease back, whose default is to end it. A handler that
/// is there stays: it is called in vain. One that does nothing is better than ignoring the signal: programs that are
/// started inherit what is ignored. False where the system refuses.
fn outlive_sigio() -> bool {
    extern "C" fn nothing(_: c_int) {}
    // SAFETY: an all-zero sigaction is valid, and the handler does nothing.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGIO, ptr::null(), &mut action) != 0 {
            return false;
        }
        if action.sa_sigaction != libc::SIG_DFL {
            return true;
        }
        action.sa_sigaction = nothing as *const () as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(libc::SIGIO, &action, ptr::null_mut()) == 0
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
            unsafe { mmap(ptr::null_mut(), 4096, both, MapFlags::SHARED, &writing, 0) }.expect("mapped");
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
