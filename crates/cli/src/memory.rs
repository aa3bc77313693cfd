//! Memory that cannot be had: one line in the program's own words and an exit status of the table, where Rust's library would
//! abort as by a fault of its own.
//!
//! Stable Rust calls nobody when an allocation fails, so the allocator itself ends the program. What can be planned for, the
//! engine plans: where the address space is limited, it starts fewer threads and takes smaller buffers.

#![allow(unsafe_code)]

use rustix::process::{Resource, getrlimit};
use std::alloc::{GlobalAlloc, Layout};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// The system's allocator, or nothing comes back from it.
struct Granted<A>(A);

#[cfg(not(feature = "bench"))]
#[global_allocator]
static ALLOCATOR: Granted<std::alloc::System> = Granted(std::alloc::System);

/// Counts what a thread allocates while a run asks what a call costs; to all else it is a comparison, which the program without
/// `bench` is spared.
#[cfg(feature = "bench")]
#[global_allocator]
static ALLOCATOR: Granted<truesum_bench::allocations::Counting> =
    Granted(truesum_bench::allocations::Counting::SYSTEM);

// SAFETY: every call goes to the wrapped allocator with the caller's own arguments, and what comes back is handed on.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Granted<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        granted(unsafe { self.0.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        granted(unsafe { self.0.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        granted(unsafe { self.0.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.0.dealloc(block, layout) }
    }
}

fn granted(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        exhausted();
    }
    block
}

/// The other program that this one is, if it is.
static STANDS_FOR: OnceLock<&'static str> = OnceLock::new();

/// Notes that the program stands for another one, which has its own words and exit status.
pub fn stand_for(name: &'static str) {
    let _ = STANDS_FOR.set(name);
}

/// Ends the program. Nothing here allocates, unwinds or waits; buffered output is lost, for it may be in use by whoever
/// allocates, and the exit status says so.
#[cold]
fn exhausted() -> ! {
    static TOLD: AtomicBool = AtomicBool::new(false);
    if TOLD.swap(true, SeqCst) {
        // Another thread is telling, and ends this one.
        loop {
            // SAFETY: waits for a signal.
            unsafe { libc::pause() };
        }
    }
    truesum::write::remove_temporaries();
    let tell = |words: &str| {
        let _ = rustix::io::write(rustix::stdio::stderr(), words.as_bytes());
    };
    let status = match STANDS_FOR.get() {
        Some(name) => {
            tell(name);
            tell(": memory exhausted\n");
            1
        }
        None => {
            tell("truesum: out of memory: use fewer threads (-j 1), or raise the limit (ulimit -v)\n");
            2
        }
    };
    // SAFETY: ends the process.
    unsafe { libc::_exit(status) }
}

/// What the first thread's stack may come to need, and what else a small run takes.
const STACK: usize = 512 << 10;

/// Makes the most of an address space that is limited.
pub fn prepare() {
    let limits = [Resource::As, Resource::Data].map(|kind| getrlimit(kind).current);
    if limits == [None, None] {
        return;
    }
    // One heap for all threads: each of its own would take 64 MiB of the space, whatever it uses.
    #[cfg(target_env = "gnu")]
    // SAFETY: sets a number, before there are other threads.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
    // The stack grows when it is used, and where it cannot, the program dies by a fault: so it grows now. That there is room
    // is asked by taking as much, which is said in words where it fails.
    drop(std::hint::black_box(Vec::<u8>::with_capacity(STACK + (STACK >> 2))));
    if getrlimit(Resource::Stack).current.is_none_or(|most| most >= 4 * STACK as u64) {
        grow();
    }
}

/// Runs the program. Where the first thread's stack is limited (`ulimit -s`), it runs on a thread of its own, whose stack is not.
pub fn on_enough_stack<T: Send + 'static>(program: fn() -> T) -> T {
    const ENOUGH: usize = 4 * STACK;
    let limited = getrlimit(Resource::Stack).current.is_some_and(|most| most < ENOUGH as u64);
    let thread = || std::thread::Builder::new().stack_size(ENOUGH).spawn(program);
    match limited.then(thread) {
        Some(Ok(thread)) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        _ => program(),
    }
}

#[inline(never)]
fn grow() {
    std::hint::black_box(&mut [0_u8; STACK]);
}
