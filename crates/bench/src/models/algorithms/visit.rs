//! One visit of one point: seconds and allocations per message.

use super::points::{Call, Point};
use crate::measure::{self, Samples};
use std::hint::black_box;
use std::sync::Barrier;
use std::time::{Duration, Instant};
use truesum_hash::{Spec, hash_many, hash_many_on};

/// Samples per visit.
pub(super) const SAMPLES: usize = 4;

/// Visits one point once: returns seconds and allocations per message.
pub(super) fn visit(point: &Point, data: &[u8], slot: Duration) -> Samples {
    let spec = &point.spec;
    let message = &data[..point.bytes];
    if point.threads > 1 {
        return in_threads(spec, message, point.threads, slot);
    }
    let mut reused = spec.hasher();
    let stride = point.bytes + 64;
    let many: Vec<&[u8]> = (0..point.messages()).map(|i| &data[i * stride..][..point.bytes]).collect();
    let mut samples = match point.call {
        Call::New => measure::samples(slot, SAMPLES, || {
            let mut hasher = spec.hasher();
            hasher.update(black_box(message));
            black_box(hasher.finish());
        }),
        Call::Reused => measure::samples(slot, SAMPLES, || {
            reused.update(black_box(message));
            black_box(reused.finish_reset());
        }),
        Call::OneShot => measure::samples(slot, SAMPLES, || {
            black_box(spec.digest(black_box(message)));
        }),
        Call::Batch => measure::samples(slot, SAMPLES, || {
            black_box(hash_many(spec, black_box(&many)));
        }),
        Call::Row(row) => measure::samples(slot, SAMPLES, || {
            black_box(hash_many_on(row, spec, black_box(&many)));
        }),
    };
    let messages = many.len() as f64;
    samples.seconds.iter_mut().for_each(|seconds| *seconds /= messages);
    samples.allocations = samples.allocations.map(|(count, bytes)| (count / messages, bytes / messages));
    samples
}

/// Measures several threads, started together, each with its own hasher over the same bytes.
///
/// The seconds of a sample are the total time divided by the number of messages of all threads.
fn in_threads(spec: &Spec, message: &[u8], threads: usize, slot: Duration) -> Samples {
    let mut hasher = spec.hasher();
    hasher.update(message);
    black_box(hasher.finish_reset());
    let start = Instant::now();
    hasher.update(message);
    black_box(hasher.finish_reset());
    let one = start.elapsed().as_nanos().max(1);
    let repeat = ((slot / SAMPLES as u32).as_nanos() / one).clamp(1, 1 << 20) as usize;
    let barrier = Barrier::new(threads + 1);
    let mut samples = Samples::default();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut hasher = spec.hasher();
                for _ in 0..SAMPLES {
                    barrier.wait();
                    for _ in 0..repeat {
                        hasher.update(black_box(message));
                        black_box(hasher.finish_reset());
                    }
                    barrier.wait();
                }
            });
        }
        for _ in 0..SAMPLES {
            barrier.wait();
            let start = Instant::now();
            barrier.wait();
            samples.seconds.push(start.elapsed().as_secs_f64() / (repeat * threads) as f64);
        }
    });
    samples
}
