//! Limits of this process.
#![allow(unsafe_code)]

use windows_sys::Win32::System::Threading::GetCurrentThreadStackLimits;

/// Returns the maximum number of open handles of a process.
pub fn open_files() -> u64 {
    1 << 24
}

/// Returns the maximum size in bytes of this thread's stack.
pub fn stack() -> Option<u64> {
    let (mut low, mut high) = (0, 0);
    // SAFETY: the call writes only to the two numbers.
    unsafe { GetCurrentThreadStackLimits(&mut low, &mut high) };
    Some((high - low) as u64)
}

/// Returns `None`: the address space is not limited.
pub fn address_space_left() -> Option<u64> {
    None
}

/// Returns false: the address space is not limited.
pub fn address_space_is_limited() -> bool {
    false
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_stack_of_a_thread_has_the_size_that_it_was_given() {
        let thread = std::thread::Builder::new().stack_size(3 << 20).spawn(super::stack);
        let size = thread.unwrap().join().unwrap().unwrap();
        assert!((3 << 20..4 << 20).contains(&size), "{size}");
    }
}
