//! Detects whether a worker spends its time waiting for disks rather than hashing, so that more reads in flight would
//! help.

/// Counts how often the calling thread had to wait.
pub struct WaitCounter {
    before: i64,
    files: u32,
}

/// The number of files over which waits are counted.
const SAMPLE: u32 = 64;

impl WaitCounter {
    /// Starts to count the waits of the calling thread.
    pub fn start() -> WaitCounter {
        WaitCounter { before: waited(), files: 0 }
    }

    /// Records finished files. Returns true if every second one of the last sample had to wait.
    pub fn many(&mut self, files: usize) -> bool {
        self.files += files as u32;
        if self.files < SAMPLE {
            return false;
        }
        let now = waited();
        let many = now - self.before > i64::from(self.files / 2);
        (self.before, self.files) = (now, 0);
        many
    }
}

/// Returns the number of voluntary context switches of this thread (getrusage(2)). A read of cached
/// pages causes none, a read that waits for a disk or a network causes one.
#[allow(unsafe_code)]
fn waited() -> i64 {
    // SAFETY: an all-zero rusage is valid, and the call writes only to it.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &mut usage);
        usage.ru_nvcsw
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeping_thread_is_counted_as_waiting() {
        let mut waits = WaitCounter::start();
        std::hint::black_box((0..100_000u64).sum::<u64>());
        assert!(!waits.many(SAMPLE as usize));
        for _ in 0..SAMPLE {
            std::thread::sleep(std::time::Duration::from_micros(50));
        }
        assert!(waits.many(SAMPLE as usize));
        assert!(!waits.many(1), "a sample is needed");
    }
}
