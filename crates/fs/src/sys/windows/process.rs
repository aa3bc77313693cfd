//! This process: ending it, and settings that affect all of it.
#![allow(unsafe_code)]

use std::io;
use std::path::Path;
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, PROCESS_MODE_BACKGROUND_BEGIN, SetPriorityClass, TerminateProcess,
};

/// Does nothing: a process ends with its parent only if the parent has put it into a job.
pub fn end_with_parent() {}

/// Does nothing: all threads allocate from one heap.
pub fn use_one_heap() {}

/// Does nothing: large blocks are returned at once.
pub fn return_freed_blocks(_least: u32) {}

/// Starts the background mode of this process, which lowers its I/O priority.
pub fn use_idle_io_priority() -> io::Result<()> {
    // SAFETY: the handle is that of this process.
    match unsafe { SetPriorityClass(GetCurrentProcess(), PROCESS_MODE_BACKGROUND_BEGIN) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Ends the process without unwinding, allocating or running handlers.
pub fn exit_at_once(status: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { TerminateProcess(GetCurrentProcess(), status as u32) };
    std::process::abort()
}

/// Returns whether there is a program with this path, with or without its ending `.exe`.
pub fn is_program(path: &Path) -> bool {
    let is_program = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("exe"));
    let mut extended = path.as_os_str().to_owned();
    extended.push(".exe");
    is_program && path.is_file() || Path::new(&extended).is_file()
}
