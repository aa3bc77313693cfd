//! Detects whether a file is on a spinning disk, which is faster with one reader than with many.

use crate::sys::device;
use std::cell::RefCell;

/// Returns whether the system reports a device as a spinning disk, which not all systems do. The system is queried once
/// per device and thread.
pub fn is_spinning(device: u64) -> bool {
    thread_local! {
        static KNOWN: RefCell<Vec<(u64, bool)>> = const { RefCell::new(Vec::new()) };
    }
    KNOWN.with_borrow_mut(|known| {
        if let Some((_, spinning)) = known.iter().find(|(known, _)| *known == device) {
            return *spinning;
        }
        let spinning = device::is_spinning(device);
        if known.len() > 64 {
            known.clear();
        }
        known.push((device, spinning));
        spinning
    })
}
