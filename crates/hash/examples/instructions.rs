//! Hashes a fixed set of messages with every implementation, to count instructions: `tests/instructions.py` runs this
//! under Valgrind's callgrind, which writes a count after each `counted_call`, and identifies the counts by the lines
//! printed here: algorithm, implementation, and the divisor of the count.
//!
//! Implementations are the kernel rows that run on this CPU (`avx2 x8`: eight messages of 4 KiB), `one` for algorithms
//! without rows (one message of 64 KiB by the streaming hasher or the tree), `1000 x64` and similar for the cost of
//! that many messages of that many bytes including everything around the kernels, and `64 alone` for one short message
//! after another. Names as arguments restrict the algorithms.
use std::hint::black_box;
use truesum_hash::kernel::{self, Kernel};
use truesum_hash::{ALGORITHMS, Hasher, Spec, hash_many, update_many_on};

/// Bytes of each message of a kernel row.
const LEN: usize = 4096;

/// Bytes of the message for an algorithm without rows.
const ONE: usize = 1 << 16;

/// Many short messages: algorithm, number of messages, bytes per message.
const MANY: [(&str, usize, usize); 9] = [
    ("md5", 1000, 64),
    ("sha256", 1000, 64),
    ("sha3-256", 1000, 64),
    ("crc32", 1000, 64),
    ("xxh3", 1000, 64),
    ("blake3", 1000, 64),
    ("blake3", 64, 1000),
    ("blake3", 64, 4096),
    ("blake3", 32, 10_000),
];

fn main() {
    kernel::limit(&std::env::var("TRUESUM_CPU").unwrap_or_default()).expect("TRUESUM_CPU");
    let names: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let data = vec![0x5a_u8; 1 << 20];
    for algorithm in ALGORITHMS.iter().filter(|algorithm| wanted(algorithm.name())) {
        let spec = Spec::new(algorithm);
        for row in kernel::rows(algorithm).iter().filter_map(Kernel::runnable) {
            let slices: Vec<&[u8]> = data.chunks(LEN).take(row.lanes()).collect();
            // The length is set for algorithms that hash it first.
            let mut hashers: Vec<Hasher> = slices.iter().map(|_| spec.hasher_for_size(1 << 40)).collect();
            let mut hashers: Vec<&mut Hasher> = hashers.iter_mut().collect();
            count(
                &format!("{} x{}", row.isa(), row.lanes()),
                algorithm.name(),
                LEN * row.lanes(),
                "byte",
                &mut || update_many_on(row, &mut hashers, &slices),
            );
        }
        if kernel::rows(algorithm).is_empty() {
            count("one", algorithm.name(), ONE, "byte", &mut || {
                black_box(spec.digest(&data[..ONE]));
            });
        }
    }
    for (name, messages, len) in MANY.into_iter().filter(|(name, ..)| wanted(name)) {
        let spec: Spec = name.parse().expect("a name of the table");
        let slices: Vec<&[u8]> = data.chunks(len).take(messages).collect();
        assert_eq!(slices.len(), messages);
        count(&format!("{messages} x{len}"), name, messages, "message", &mut || {
            black_box(hash_many(&spec, &slices));
        });
    }
    for name in ["md5", "sha256", "crc32", "xxh3", "blake3"].into_iter().filter(|name| wanted(name)) {
        let mut hasher = name.parse::<Spec>().expect("a name of the table").hasher();
        count("64 alone", name, 1, "message", &mut || {
            hasher.update(&data[..64]);
            black_box(hasher.finish_reset());
        });
    }
}

/// Runs a call twice, the first time uncounted, because it detects CPU features and obtains memory from the system.
fn count(way: &str, algorithm: &str, units: usize, unit: &str, call: &mut dyn FnMut()) {
    call();
    counted_call(call);
    counted_to_here();
    println!("{algorithm}\t{way}\t{units}\t{unit}");
}

/// Callgrind finds this function by its name and starts counting here.
#[inline(never)]
fn counted_call(call: &mut dyn FnMut()) {
    call();
    black_box(0);
}

/// Callgrind writes its count here. It misses returns from functions, so this is a call.
#[inline(never)]
fn counted_to_here() {
    black_box(0);
}
