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

/// The core's clock, from a chain of multiplications (3 cycles) and additions (1), each waiting for the one before.
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
