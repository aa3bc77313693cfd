//! Address space, where it is limited (`ulimit -v`, `ulimit -d`): what threads and buffers may take of it.
//!
//! Memory that is refused ends a program, so it is planned for: where little is left, fewer threads run, buffers are small and
//! nothing is mapped. What is left besides is for what nobody can plan.

use rustix::process::{Resource, getrlimit};
use std::sync::OnceLock;
use std::thread::Builder;

/// Stack of a thread: four times what the deepest of them was measured to need.
const STACK: usize = 512 << 10;
/// What a thread takes with its stack, its buffers and what it allocates besides, and with small buffers.
const THREAD: u64 = 7 << 20;
const SMALL_THREAD: u64 = 2 << 20;
/// Where less than this is left at first, buffers are small.
const TIGHT: u64 = 96 << 20;
/// What is left alone by threads that are of use and not needed: the buffers of those that read and of those that hash beside them,
/// which are taken after all were started.
const SPARE: u64 = 5 << 20;

/// Bytes of address space that are left, where they are limited.
fn left() -> Option<u64> {
    let [all, data] = [Resource::As, Resource::Data].map(|kind| getrlimit(kind).current);
    if all.is_none() && data.is_none() {
        return None;
    }
    // Pages in all, and those of data and stacks.
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut taken = statm.split_ascii_whitespace().map(|pages| pages.parse::<u64>().unwrap_or(0));
    let (first, sixth) = (taken.next()?, taken.nth(4)?);
    let page = rustix::param::page_size() as u64;
    let of =
        |limit: Option<u64>, pages: u64| limit.map_or(u64::MAX, |limit| limit.saturating_sub(pages * page));
    Some(of(all, first).min(of(data, sixth)))
}

/// Whether buffers should be small and nothing mapped. Asked once.
pub(crate) fn is_tight() -> bool {
    static IS: OnceLock<bool> = OnceLock::new();
    *IS.get_or_init(|| left().is_some_and(|left| left < TIGHT))
}

/// How many of these threads there is room for, at least one.
pub(crate) fn fitting(threads: usize) -> usize {
    let Some(left) = left() else { return threads };
    let each = if is_tight() { SMALL_THREAD } else { THREAD };
    threads.min((left / each) as usize).max(1)
}

/// A thread to be started; none where there is no room for it. Nobody needs more than the one thread there is.
pub fn thread(name: &str) -> Option<Builder> {
    // Starting one asks for memory in ways that end the process where it is refused.
    let fits = left().is_none_or(|left| left >= STACK as u64 + SPARE);
    fits.then(|| Builder::new().name(name.to_owned()).stack_size(STACK))
}
