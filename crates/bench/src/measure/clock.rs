//! The clocks used for measurements: the core's own, and the time of a thread or process.

use std::hint::black_box;
use std::time::Instant;
pub use truesum_fs::usage::{process_seconds, thread_seconds, thread_user_seconds};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_clock_is_plausible() {
        let clock = core_clock();
        // Only a plausibility check: other processes may take most of the processor during the measurement.
        assert!((1e6..2e10).contains(&clock), "{clock}");
    }
}
