//! This process: its end, and settings that concern all of it.
#![allow(unsafe_code)]

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

/// Ends the process without unwinding, allocating or running handlers.
pub fn exit_at_once(status: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(status) }
}
