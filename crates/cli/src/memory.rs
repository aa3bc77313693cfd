//! Out of memory: the program prints one line and exits with a documented status, whereas Rust's
//! library would abort as if by an internal error.
//!
//! Stable Rust provides no hook for failed allocations, so the allocator itself ends the program.
//! The engine plans for limited address space by starting fewer threads and using smaller buffers.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use truesum_fs::{data, limits, process, standard};

/// The system's allocator, which ends the program on failure.
struct CheckedAllocator<A>(A);

#[cfg(not(feature = "bench"))]
#[global_allocator]
static ALLOCATOR: CheckedAllocator<std::alloc::System> = CheckedAllocator(std::alloc::System);

/// Counts the allocations of a thread when a benchmark requests it; otherwise this is a comparison,
/// which builds without `bench` avoid.
#[cfg(feature = "bench")]
#[global_allocator]
static ALLOCATOR: CheckedAllocator<truesum_bench::allocations::Counting> =
    CheckedAllocator(truesum_bench::allocations::Counting::SYSTEM);

// SAFETY: every call is forwarded to the wrapped allocator with the same arguments, and the result
// is returned unchanged.
unsafe impl<A: GlobalAlloc> GlobalAlloc for CheckedAllocator<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: guaranteed by the caller.
        require_memory(unsafe { self.0.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: guaranteed by the caller.
        require_memory(unsafe { self.0.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: guaranteed by the caller.
        require_memory(unsafe { self.0.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: guaranteed by the caller.
        unsafe { self.0.dealloc(block, layout) }
    }
}

fn require_memory(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        exhausted();
    }
    block
}

/// The name of the program that this one replaces, if any.
static APPLET_NAME: OnceLock<&'static str> = OnceLock::new();

/// Records that the program runs under the name of another one, which has its own messages and exit
/// status.
pub fn set_applet_name(name: &'static str) {
    let _ = APPLET_NAME.set(name);
}

/// Ends the program. This neither allocates nor unwinds nor waits. Buffered output is lost, because
/// the allocating thread may be using the buffer, and the exit status reports the failure.
#[cold]
fn exhausted() -> ! {
    static REPORTED: AtomicBool = AtomicBool::new(false);
    if REPORTED.swap(true, SeqCst) {
        // Another thread is printing the message and will end this one.
        process::wait_for_end();
    }
    truesum::write::remove_temporaries();
    let print = |words: &str| {
        let _ = data::write(&standard::stderr(), words.as_bytes());
    };
    let status = match APPLET_NAME.get() {
        Some(name) => {
            print(name);
            print(": memory exhausted\n");
            1
        }
        None => {
            print("truesum: out of memory: use fewer threads (-j 1), or raise the limit (ulimit -v)\n");
            2
        }
    };
    process::exit_at_once(status)
}

/// The number of bytes of stack that the first thread may need.
const STACK: usize = 512 << 10;

/// The least size of the blocks that buffer the data of large files. Smaller ones are allocated more often than returning
/// them to the system is worth.
const BUFFER: u32 = 1 << 20;

/// Bounds the memory that the allocator keeps, and prepares for limited address space.
pub fn prepare() {
    process::return_freed_blocks(BUFFER);
    if !limits::address_space_is_limited() {
        return;
    }
    process::use_one_heap();
    // The stack grows on use, and if it cannot, the program crashes; so let it grow now. An
    // allocation of the same size first tests whether there is enough memory and prints a message
    // if there is not.
    drop(std::hint::black_box(Vec::<u8>::with_capacity(STACK + (STACK >> 2))));
    if limits::stack().is_none_or(|most| most >= 4 * STACK as u64) {
        grow_stack();
    }
}

/// Runs the program. If the first thread's stack is limited (`ulimit -s`), it runs on a separate
/// thread with a sufficient stack.
pub fn on_enough_stack<T: Send + 'static>(program: fn() -> T) -> T {
    const SUFFICIENT: usize = 4 * STACK;
    let limited = limits::stack().is_some_and(|most| most < SUFFICIENT as u64);
    let thread = || std::thread::Builder::new().stack_size(SUFFICIENT).spawn(program);
    match limited.then(thread) {
        Some(Ok(thread)) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        _ => program(),
    }
}

#[inline(never)]
fn grow_stack() {
    std::hint::black_box(&mut [0_u8; STACK]);
}
