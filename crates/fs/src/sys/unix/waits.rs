//! Counts how often the calling thread waited (getrusage(2)).

/// Returns the number of voluntary context switches of this thread. A read of cached pages causes none, a read that
/// waits for a disk or a network causes one.
#[cfg(not(target_os = "macos"))]
#[allow(unsafe_code)]
pub fn waited() -> i64 {
    // SAFETY: an all-zero rusage is valid, and the call writes only to it.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &mut usage);
        usage.ru_nvcsw
    }
}

/// Returns 0: macOS counts only for all threads together.
#[cfg(target_os = "macos")]
pub fn waited() -> i64 {
    0
}

#[cfg(all(test, not(target_os = "macos")))]
mod tests {
    use crate::waits::WaitCounter;

    #[test]
    fn sleeping_thread_is_counted_as_waiting() {
        const SAMPLE: usize = 64;
        let mut waits = WaitCounter::start();
        std::hint::black_box((0..100_000u64).sum::<u64>());
        assert!(!waits.many(SAMPLE));
        for _ in 0..SAMPLE {
            std::thread::sleep(std::time::Duration::from_micros(50));
        }
        assert!(waits.many(SAMPLE));
    }
}
