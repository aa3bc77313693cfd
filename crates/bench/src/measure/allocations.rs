//! Counts heap allocations.
//!
//! A program that wants its allocations measured makes [`Counting`] its global allocator; in other programs, figures of
//! allocations are absent, never zero. Counting is only active in a thread that requests it ([`during`]): for
//! everything else, each allocation costs one comparison.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// True while this thread counts.
    static COUNTING: Cell<bool> = const { Cell::new(false) };
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { allocations: 0, bytes: 0 }) };
}

/// The heap requests of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Allocations, including reallocations.
    pub allocations: u64,
    /// Bytes requested.
    pub bytes: u64,
}

/// Wraps the system's allocator (or another) and counts requests.
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: truesum_bench::allocations::Counting = truesum_bench::allocations::Counting::SYSTEM;
/// # fn main() {
/// let counts = truesum_bench::allocations::during(|| drop(vec![0u8; 100])).expect("the allocator counts");
/// assert_eq!((counts.allocations, counts.bytes), (1, 100));
/// # }
/// ```
pub struct Counting<A = System>(pub A);

impl Counting<System> {
    /// The system's allocator with counting.
    pub const SYSTEM: Counting<System> = Counting(System);
}

// Inlined, so that without counting the cost is one comparison and no saved registers.
#[inline(always)]
fn count(bytes: usize) {
    // A thread that is ending has no counters any more; its allocations belong to no measurement.
    if COUNTING.try_with(Cell::get) == Ok(true) {
        let _ = COUNTS.try_with(|counts| {
            let Counts { allocations, bytes: sum } = counts.get();
            counts.set(Counts { allocations: allocations + 1, bytes: sum + bytes as u64 });
        });
    }
}

// SAFETY: every call goes to the wrapped allocator with the caller's own arguments; counting touches a thread-local of plain
// integers, which needs no allocation.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promise.
        unsafe { self.0.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promise.
        unsafe { self.0.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: the caller's promise.
        unsafe { self.0.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.0.dealloc(block, layout) }
    }
}

/// Returns the heap requests of `operation` in this thread; `None` in a program that does not count.
pub fn during(operation: impl FnOnce()) -> Option<Counts> {
    COUNTING.set(true);
    let before = COUNTS.get();
    drop(std::hint::black_box(Box::new(0u64)));
    let start = COUNTS.get();
    operation();
    let end = COUNTS.get();
    COUNTING.set(false);
    (start != before)
        .then(|| Counts { allocations: end.allocations - start.allocations, bytes: end.bytes - start.bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_counted_only_when_requested() {
        let layout = Layout::from_size_align(100, 8).unwrap();
        // SAFETY: the layout has a nonzero size, and each block is freed with the layout it was allocated with.
        let pass = || unsafe {
            let block = Counting::SYSTEM.alloc(layout);
            assert!(!block.is_null());
            let block = Counting::SYSTEM.realloc(block, layout, 300);
            Counting::SYSTEM.dealloc(block, Layout::from_size_align(300, 8).unwrap());
            let zeros = Counting::SYSTEM.alloc_zeroed(layout);
            assert_eq!(*zeros, 0);
            Counting::SYSTEM.dealloc(zeros, layout);
        };
        let before = COUNTS.get();
        assert_eq!(during(pass), None, "the tests' own allocator does not count");
        let after = COUNTS.get();
        assert_eq!((after.allocations - before.allocations, after.bytes - before.bytes), (3, 500));
        pass();
        assert_eq!(COUNTS.get(), after, "nobody asked");
    }
}
