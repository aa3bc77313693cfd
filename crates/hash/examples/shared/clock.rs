//! The core's clock, by which times become cycles.

use std::time::Instant;

/// The core's clock, from a chain of multiplications (3 cycles) and exclusive ors (1), each waiting for the one before.
pub fn cycles_per_ns() -> f64 {
    const STEPS: u64 = 5000;
    let start = Instant::now();
    let mut x = std::hint::black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..STEPS {
        x = x.wrapping_mul(0xd134_2543_de82_ef95) ^ 0x5851_f42d_4c95_7f2d;
    }
    std::hint::black_box(x);
    (4 * STEPS) as f64 / start.elapsed().as_nanos() as f64
}

/// The fewest cycles a byte of each of these, which take turns: each slice is timed between two measurements of the clock, and
/// does not count where those differ.
pub fn fewest(bytes: usize, slices: usize, turns: &mut [&mut dyn FnMut()]) -> Vec<f64> {
    let mut best = vec![f64::MAX; turns.len()];
    let mut counted = vec![0; turns.len()];
    while counted.iter().any(|&count| count < slices) {
        for (at, turn) in turns.iter_mut().enumerate() {
            let before = cycles_per_ns();
            let start = Instant::now();
            turn();
            let ns = start.elapsed().as_nanos() as f64;
            let after = cycles_per_ns();
            if (before / after - 1.0).abs() < 0.03 {
                best[at] = best[at].min(ns * before.max(after) / bytes as f64);
                counted[at] += 1;
            }
        }
    }
    best
}
