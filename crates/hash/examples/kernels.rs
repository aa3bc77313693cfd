//! Core cycles per byte of every kernel row with 1 to 64 messages at once, all in the cache.
//!
//! `cargo run --release --example kernels [NAME...]`. The row that serves a number of messages is starred: where another
//! column is lower, `from_busy` is wrong for this CPU. Every slice is timed between two measurements of the core's clock,
//! and does not count where those differ; each figure is the best slice.
use std::time::Instant;
use truesum_hash::kernel::{self, Kernel, Runnable};
use truesum_hash::{ALGORITHMS, Algorithm, Hasher, Spec, update_many_on};

const COUNTS: [usize; 13] = [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64];

/// Bytes of each message in one slice.
const LEN: usize = 8192;

fn main() {
    kernel::limit(&std::env::var("TRUESUM_CPU").unwrap_or_default()).expect("TRUESUM_CPU");
    let names: Vec<String> = std::env::args().skip(1).collect();
    print!("{:11} {:14}", "messages", "");
    COUNTS.iter().for_each(|count| print!("{count:>8}"));
    println!();
    for algorithm in ALGORITHMS.iter().filter(|row| names.is_empty() || names.iter().any(|n| n == row.name)) {
        for row in kernel::rows(algorithm).iter().filter_map(Kernel::runnable) {
            print!("{:11} {:14}", algorithm.name, format!("{} x{}", row.isa, row.lanes));
            for count in COUNTS {
                let picked = std::ptr::eq(kernel::pick(kernel::rows(algorithm), count).row(), row.row());
                print!("{:>7.3}{}", cycles_per_byte(algorithm, row, count), if picked { '*' } else { ' ' });
            }
            println!();
        }
    }
}

fn cycles_per_byte(algorithm: &'static Algorithm, row: Runnable, messages: usize) -> f64 {
    let spec = Spec::new(algorithm);
    // Lengths that keep the messages off power-of-two strides.
    let data: Vec<Vec<u8>> = (0..messages).map(|i| vec![i as u8; LEN + 64 * (i % 32 + 1)]).collect();
    let slices: Vec<&[u8]> = data.iter().map(|message| &message[..LEN]).collect();
    let mut hashers: Vec<Hasher> = (0..messages).map(|_| spec.hasher()).collect();
    let mut hashers: Vec<&mut Hasher> = hashers.iter_mut().collect();
    let mut best = f64::MAX;
    let mut slices_counted = 0;
    while slices_counted < 25 {
        let before = cycles_per_ns();
        let start = Instant::now();
        update_many_on(row, &mut hashers, &slices);
        let ns = start.elapsed().as_nanos() as f64;
        let after = cycles_per_ns();
        if (before / after - 1.0).abs() < 0.03 {
            best = best.min(ns * before.max(after) / (LEN * messages) as f64);
            slices_counted += 1;
        }
    }
    best
}

/// The core's clock, from a chain of multiplications (3 cycles) and exclusive ors (1), each waiting for the one before.
fn cycles_per_ns() -> f64 {
    const STEPS: u64 = 5000;
    let start = Instant::now();
    let mut x = std::hint::black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..STEPS {
        x = x.wrapping_mul(0xd134_2543_de82_ef95) ^ 0x5851_f42d_4c95_7f2d;
    }
    std::hint::black_box(x);
    (4 * STEPS) as f64 / start.elapsed().as_nanos() as f64
}
