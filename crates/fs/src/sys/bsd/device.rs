//! The kind of a disk.

/// Returns false: no call without privileges reports this. Only the speed depends on it.
pub fn is_spinning(_device: u64) -> bool {
    false
}
