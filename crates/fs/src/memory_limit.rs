//! Limited address space (`ulimit -v`, `ulimit -d`): how much of it threads and buffers may use.
//!
//! A failed allocation ends the program, so memory is planned in advance: if little is left, fewer threads run, buffers
//! are small and nothing is mapped. The remainder is reserved for allocations that cannot be planned.

use crate::sys::limits::address_space_left as left;
use std::sync::OnceLock;
use std::thread::Builder;

/// The stack size of a thread: four times the measured maximum.
const STACK: usize = 512 << 10;
/// The memory of a thread with its stack, buffers and other allocations, and the same with small buffers.
const THREAD: u64 = 7 << 20;
const SMALL_THREAD: u64 = 2 << 20;
/// The address space in bytes that must be left at the start; if there is less, buffers are small.
const TIGHT: u64 = 96 << 20;
/// The memory in bytes that optional threads leave free for the buffers of reading and hashing
/// threads, which are allocated after all threads have been started.
const SPARE: u64 = 5 << 20;

/// Returns whether buffers should be small and nothing mapped. Determined once.
pub fn is_tight() -> bool {
    static IS_TIGHT: OnceLock<bool> = OnceLock::new();
    *IS_TIGHT.get_or_init(|| left().is_some_and(|left| left < TIGHT))
}

/// Returns how many of these threads fit in memory, at least one.
pub fn fitting(threads: usize) -> usize {
    let Some(left) = left() else { return threads };
    let each = if is_tight() { SMALL_THREAD } else { THREAD };
    threads.min((left / each) as usize).max(1)
}

/// Returns a builder for a thread, or `None` if there is no memory for one. Every caller can continue without it.
pub fn thread(name: &str) -> Option<Builder> {
    // Starting a thread allocates memory in ways that end the process on failure.
    let fits = left().is_none_or(|left| left >= STACK as u64 + SPARE);
    fits.then(|| Builder::new().name(name.to_owned()).stack_size(STACK))
}
