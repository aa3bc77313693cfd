//! The clocks used for measurements: the core's own, and processor time of a thread or process.

use std::hint::black_box;
use std::time::Instant;

/// Returns the clock of the core this thread runs on, in Hz, from a chain of dependent additions and exclusive ors,
/// each of which takes one cycle on every processor of the last twenty years.
pub fn core_clock() -> f64 {
    const STEPS: u32 = 4096;
    let (a, b) = (black_box(0x9e37_79b9_7f4a_7c15_u64), black_box(0xd134_2543_de82_ef95_u64));
    let mut best = f64::INFINITY;
    // The shortest of a few: an interrupt can only make a chain longer.
    for _ in 0..4 {
        let mut x = black_box(1u64);
        let start = Instant::now();
        for _ in 0..STEPS {
            x = x.wrapping_add(a) ^ b;
        }
        black_box(x);
        best = best.min(start.elapsed().as_secs_f64());
    }
    f64::from(2 * STEPS) / best
}

/// Returns the processor seconds used by this thread.
pub fn thread_seconds() -> f64 {
    #[cfg(unix)]
    {
        read(rustix::time::ClockId::ThreadCPUTime)
    }
    #[cfg(windows)]
    {
        let (user, kernel) = super::times::of_thread();
        user + kernel
    }
}

/// Returns the processor seconds used by this process, all threads.
pub fn process_seconds() -> f64 {
    #[cfg(unix)]
    {
        read(rustix::time::ClockId::ProcessCPUTime)
    }
    #[cfg(windows)]
    {
        super::times::of_process()
    }
}

#[cfg(unix)]
fn read(clock: rustix::time::ClockId) -> f64 {
    let time = rustix::time::clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_clock_is_plausible() {
        let clock = core_clock();
        // Only a plausibility check: other processes may take most of the processor during the measurement.
        assert!((1e6..2e10).contains(&clock), "{clock}");
    }

    #[test]
    fn processor_time_grows_with_work() {
        let (thread, process) = (thread_seconds(), process_seconds());
        let mut x = 1u64;
        while thread_seconds() - thread < 0.01 {
            x = black_box(x.wrapping_mul(3));
        }
        assert!(process_seconds() - process >= 0.01);
    }
}
