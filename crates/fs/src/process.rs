//! This process: its end, and settings that concern all of it.
#![allow(unsafe_code)]

/// Makes the system end this process when its parent process ends. Kernels without this feature ignore the request.
pub fn end_with_parent() {
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM));
}

/// Makes all threads allocate from one heap, before other threads exist: a heap per thread would reserve 64 MiB of
/// address space each.
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

/// Waits until another thread ends the process.
pub fn wait_for_end() -> ! {
    loop {
        // SAFETY: waits for a signal.
        unsafe { libc::pause() };
    }
}
