//! Detects whether a worker spends its time waiting for disks rather than hashing, so that more reads in flight would
//! help.

use crate::sys::waits::waited;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_sample_gives_no_answer() {
        assert!(!WaitCounter::start().many(SAMPLE as usize - 1));
    }
}
