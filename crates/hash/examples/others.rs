//! What one message and full lanes cost here, and one message by other libraries: bytes of a message of 1 MiB in cache for each
//! microsecond of processor time (MB/s), the best of several calls in turn. Names as arguments leave the others out.
//!
//! `benchmarks/others.py` adds what RHash's library does, and writes the table of benchmarks/RESULTS.md.

use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;
use truesum_hash::kernel::{self, Kernel};
use truesum_hash::{ALGORITHMS, Hasher, Spec, update_many_on};

const LEN: usize = 1 << 20;
/// Calls of each, in turn with the others of its line.
const CALLS: usize = 7;

/// A library's hash of one message.
type Other = fn(&[u8]);

fn by<D: md5::Digest>(message: &[u8]) {
    black_box(D::digest(black_box(message)));
}

fn by_older<D: blake_hash::digest::Digest>(message: &[u8]) {
    black_box(D::digest(black_box(message)));
}

const OTHERS: &[(&str, Other)] = &[
    ("md2", by::<md2::Md2>),
    ("md4", by::<md4::Md4>),
    ("md5", by::<md5::Md5>),
    ("sha1", by::<sha1::Sha1>),
    ("sha256", by::<sha2::Sha256>),
    ("sha512", by::<sha2::Sha512>),
    ("sha3-256", by::<sha3::Sha3_256>),
    ("sha3-512", by::<sha3::Sha3_512>),
    ("blake2b", |message| drop(black_box(blake2b_simd::blake2b(black_box(message))))),
    ("blake2s", |message| drop(black_box(blake2s_simd::blake2s(black_box(message))))),
    ("blake-256", by_older::<blake_hash::Blake256>),
    ("blake-512", by_older::<blake_hash::Blake512>),
    ("sm3", by::<sm3::Sm3>),
    ("ripemd128", by::<ripemd::Ripemd128>),
    ("ripemd160", by::<ripemd::Ripemd160>),
    ("ripemd320", by::<ripemd::Ripemd320>),
    ("tiger", by::<tiger::Tiger>),
    ("whirlpool", by::<whirlpool::Whirlpool>),
    ("gost94", by::<gost94::Gost94Test>),
    ("gost12-256", by::<streebog::Streebog256>),
    ("skein512", by::<skein::Skein512<md5::digest::consts::U64>>),
    ("skein1024", by::<skein::Skein1024<md5::digest::consts::U128>>),
    ("ascon-hash256", by::<ascon_hash256::AsconHash256>),
    ("groestl256", by_older::<groestl_aesni::Groestl256>),
    ("groestl512", by_older::<groestl_aesni::Groestl512>),
    ("komihash", |message| drop(black_box(komihash::komihash(black_box(message), 0)))),
    ("farmhash64", |message| drop(black_box(farmhash::fingerprint64(black_box(message))))),
];

/// Nanoseconds of this thread's processor time.
fn now() -> i64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let data: Vec<u8> = (0..LEN as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    println!("algorithm\tone\tlanes\tmessages\tlibrary");
    for algorithm in
        ALGORITHMS.iter().filter(|row| names.is_empty() || names.iter().any(|name| name == row.name))
    {
        let spec = Spec::new(algorithm);
        let widest = kernel::rows(algorithm).iter().filter_map(Kernel::runnable).max_by_key(|row| row.lanes);
        let other = OTHERS.iter().find(|(name, _)| *name == algorithm.name).map(|(_, other)| other);
        // Lanes in slices that fit the second-level cache, as files are read.
        let slice = &data[..LEN / 32];
        let mut best = [i64::MAX; 3];
        let mut keep = |place: usize, call: &mut dyn FnMut()| {
            let start = now();
            call();
            best[place] = best[place].min(now() - start);
        };
        for _ in 0..CALLS {
            keep(0, &mut || drop(black_box(spec.digest(black_box(&data)))));
            if let Some(row) = widest {
                let mut hashers: Vec<Hasher> =
                    (0..row.lanes).map(|_| spec.hasher_for_size(1 << 40)).collect();
                let mut hashers: Vec<&mut Hasher> = hashers.iter_mut().collect();
                keep(1, &mut || update_many_on(row, &mut hashers, &vec![slice; row.lanes]));
            }
            if let Some(other) = other {
                keep(2, &mut || other(&data));
            }
        }
        let rate = |place: usize, bytes: usize| match best[place] {
            i64::MAX => "-".to_owned(),
            time => format!("{:.0}", bytes as f64 * 1000.0 / time as f64),
        };
        let lanes = widest.map_or(1, |row| row.lanes);
        println!(
            "{}\t{}\t{}\t{lanes}\t{}",
            algorithm.name,
            rate(0, LEN),
            rate(1, slice.len() * lanes),
            rate(2, LEN)
        );
    }
}
