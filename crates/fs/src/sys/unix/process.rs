//! This process: ending it, and settings that affect all of it.
#![allow(unsafe_code)]

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Makes the system end this process when its parent process ends (prctl(2), procctl(2)).
#[cfg(not(target_os = "macos"))]
pub fn end_with_parent() {
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM));
}

/// Does nothing: macOS cannot do this.
#[cfg(target_os = "macos")]
pub fn end_with_parent() {}

/// Makes all threads allocate from one heap. Only glibc has one for each thread.
pub fn use_one_heap() {
    #[cfg(target_env = "gnu")]
    // SAFETY: sets a number.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Returns large blocks to the system as soon as they are freed. Only glibc has the setting.
pub fn return_freed_blocks(least: u32) {
    #[cfg(target_env = "gnu")]
    // SAFETY: sets a number.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, least.min(1 << 25) as libc::c_int);
    }
    #[cfg(not(target_env = "gnu"))]
    let _ = least;
}

/// Gives this thread, and those that it starts, the idle class of I/O priorities (ioprio_set(2)).
#[cfg(target_os = "linux")]
pub fn use_idle_io_priority() -> io::Result<()> {
    const WHO_PROCESS: libc::c_int = 1;
    const CLASS_IDLE: libc::c_int = 3 << 13;
    // SAFETY: passes three numbers.
    match unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, 0, CLASS_IDLE) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Fails: FreeBSD has no I/O priorities, and those of macOS are not used yet.
#[cfg(not(target_os = "linux"))]
pub fn use_idle_io_priority() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Ends the process without unwinding, allocating or running handlers.
pub fn exit_at_once(status: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(status) }
}

/// Returns whether a path is that of an executable file.
pub fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|stat| stat.is_file() && stat.permissions().mode() & 0o111 != 0)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn threads_inherit_the_idle_class() {
        let class = || {
            // SAFETY: passes two numbers.
            let priority = unsafe { libc::syscall(libc::SYS_ioprio_get, 1, 0) };
            priority >> 13
        };
        // In a thread of its own, because other tests run in this process.
        let (own, inherited) = std::thread::spawn(move || {
            use_idle_io_priority().expect("allowed for every process");
            (class(), std::thread::spawn(class).join().expect("no panic"))
        })
        .join()
        .expect("no panic");
        assert_eq!((own, inherited), (3, 3));
    }
}
