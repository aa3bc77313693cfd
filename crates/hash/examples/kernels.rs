//! Cycles per byte of every kernel row, many messages in the cache: `cargo run --release --example kernels [NAME...]`.
use std::time::Instant;
use truesum_hash::{ALGORITHMS, Hasher, Spec, kernel, update_many};

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    for row in ALGORITHMS.iter().filter(|row| names.is_empty() || names.iter().any(|name| name == row.name)) {
        let spec = Spec::new(row);
        for messages in [1usize, 2, 4, 8, 16, 32] {
            let data: Vec<Vec<u8>> = (0..messages).map(|i| vec![i as u8; 16384 + 64 * i]).collect();
            let slices: Vec<&[u8]> = data.iter().map(|d| &d[..16384]).collect();
            let mut hashers: Vec<Hasher> = (0..messages).map(|_| spec.hasher()).collect();
            let mut hashers: Vec<&mut Hasher> = hashers.iter_mut().collect();
            let mut best = f64::MAX;
            for _ in 0..30 {
                let clock = cycles_per_ns();
                let start = Instant::now();
                for _ in 0..8 {
                    update_many(&mut hashers, &slices);
                }
                let ns = start.elapsed().as_nanos() as f64 / 8.0;
                best = f64::min(best, ns * clock / (16384 * messages) as f64);
            }
            let k = kernel::rows(row);
            let used = if k.is_empty() {
                "library".to_owned()
            } else {
                let k = kernel::pick(k, messages);
                format!("{} x{}", k.isa, k.lanes)
            };
            println!("{:12} {messages:3} messages {best:6.3} cycles/byte  {used}", row.name);
        }
    }
}

/// The core's clock, from a chain of additions, each waiting for the one before.
fn cycles_per_ns() -> f64 {
    let start = Instant::now();
    let mut x = std::hint::black_box(1u64);
    for _ in 0..2000 {
        for _ in 0..10 {
            // SAFETY-free dependency chain: rotate keeps LLVM from folding.
            x = x.rotate_left(1);
            x = std::hint::black_box(x);
        }
    }
    20000.0 / start.elapsed().as_nanos() as f64
}
