//! Limits of this process, and how much of the address space is left (`/proc/self/statm`).

use crate::sys::unix::limits::memory;
pub use crate::sys::unix::limits::{address_space_is_limited, open_files, stack};

/// Returns the remaining address space in bytes, if it is limited.
pub fn address_space_left() -> Option<u64> {
    let [all, data] = memory();
    if all.is_none() && data.is_none() {
        return None;
    }
    // The total number of pages, and those for data and stacks.
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut taken = statm.split_ascii_whitespace().map(|pages| pages.parse::<u64>().unwrap_or(0));
    let (first, sixth) = (taken.next()?, taken.nth(4)?);
    let page = rustix::param::page_size() as u64;
    let of =
        |limit: Option<u64>, pages: u64| limit.map_or(u64::MAX, |limit| limit.saturating_sub(pages * page));
    Some(of(all, first).min(of(data, sixth)))
}
