//! This process: ending it, and settings that affect all of it.

use crate::sys::process;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Makes the system end this process when its parent process ends. Systems without this feature ignore the request.
pub fn end_with_parent() {
    process::end_with_parent();
}

/// Makes all threads allocate from one heap, before other threads exist: glibc reserves 64 MiB of address space for each
/// further heap.
pub fn use_one_heap() {
    process::use_one_heap();
}

/// Makes the allocator return freed blocks of at least `least` bytes to the system at once. By default, glibc keeps a few
/// mebibytes of them in a separate heap for each thread, so that memory depends on which thread freed a block.
pub fn return_freed_blocks(least: u32) {
    process::return_freed_blocks(least);
}

/// Makes the system read and write for this process only while no other one does, where it supports priorities. Must be
/// called before other threads are started.
///
/// # Errors
/// Fails if the system has no such priority.
pub fn use_idle_io_priority() -> io::Result<()> {
    process::use_idle_io_priority()
}

/// Ends the process without unwinding, allocating or running handlers.
pub fn exit_at_once(status: i32) -> ! {
    process::exit_at_once(status)
}

/// Returns whether a path is that of a program: an executable file, on Windows with or without its ending `.exe`.
pub fn is_program(path: &Path) -> bool {
    process::is_program(path)
}

/// Waits until another thread ends the process. It does not allocate.
pub fn wait_for_end() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}
