//! This process: its end, and settings that concern all of it.
#![allow(unsafe_code)]

use windows_sys::Win32::System::Threading::{GetCurrentProcess, TerminateProcess};

/// Does nothing: a process ends with its parent only if the parent has put it into a job.
pub fn end_with_parent() {}

/// Does nothing: all threads allocate from one heap.
pub fn use_one_heap() {}

/// Ends the process without unwinding, allocating or running handlers.
pub fn exit_at_once(status: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { TerminateProcess(GetCurrentProcess(), status as u32) };
    std::process::abort()
}
