//! Compares every kernel row with independent implementations of the same algorithms, in one function.
//!
//! A process uses the rows that `TRUESUM_KERNEL` permits, so the test runs itself once for every instruction set of
//! this CPU: a plain `cargo test` covers all rows. An algorithm is added by one line in [`ORACLES`].

use crate::oracle;
use md5::digest::consts::{U1, U16, U20, U28, U32, U33, U48, U64, U65, U128};
#[cfg(target_arch = "x86_64")]
use oracle::by_older;
use oracle::{Oracle, by, output};
use std::fmt::Write;
use truesum_hash::{
    ALGORITHMS, Digest, Hasher, Spec, finish_many, hash_many, hash_many_on, kernel, update_many,
};
use truesum_test_support::thorough_or;

/// Returns the bytes that git hashes for a file.
fn as_blob(message: &[u8]) -> Vec<u8> {
    [format!("blob {}\0", message.len()).as_bytes(), message].concat()
}

const ORACLES: &[(&str, Oracle)] = &[
    ("md2", by::<md2::Md2>),
    ("md4", by::<md4::Md4>),
    ("md5", by::<md5::Md5>),
    ("sha1", by::<sha1::Sha1>),
    ("sha224", by::<sha2::Sha224>),
    ("sha256", by::<sha2::Sha256>),
    ("sha384", by::<sha2::Sha384>),
    ("sha512", by::<sha2::Sha512>),
    ("sha512-224", by::<sha2::Sha512_224>),
    ("sha512-256", by::<sha2::Sha512_256>),
    ("sha3-224", by::<sha3::Sha3_224>),
    ("sha3-256", by::<sha3::Sha3_256>),
    ("sha3-384", by::<sha3::Sha3_384>),
    ("sha3-512", by::<sha3::Sha3_512>),
    ("keccak224", by::<sha3::Keccak224>),
    ("keccak256", by::<sha3::Keccak256>),
    ("keccak384", by::<sha3::Keccak384>),
    ("keccak512", by::<sha3::Keccak512>),
    ("blake2b", |message| blake2b_simd::blake2b(message).as_bytes().to_vec()),
    ("blake2b-160", |message| blake2b_simd::Params::new().hash_length(20).hash(message).as_bytes().to_vec()),
    ("blake2s", |message| blake2s_simd::blake2s(message).as_bytes().to_vec()),
    ("blake2s-136", |message| blake2s_simd::Params::new().hash_length(17).hash(message).as_bytes().to_vec()),
    ("sm3", by::<sm3::Sm3>),
    ("ripemd160", by::<ripemd::Ripemd160>),
    ("tiger", by::<tiger::Tiger>),
    ("whirlpool", by::<whirlpool::Whirlpool>),
    ("gost94", by::<gost94::Gost94Test>),
    ("gost94-cryptopro", by::<gost94::Gost94CryptoPro>),
    ("gost12-256", by::<streebog::Streebog256>),
    ("gost12-512", by::<streebog::Streebog512>),
    ("belt-hash", by::<belt_hash::BeltHash>),
    ("bash256", by::<bash_hash::BashHash256>),
    ("bash384", by::<bash_hash::BashHash384>),
    ("bash512", by::<bash_hash::BashHash512>),
    ("kupyna224", by::<kupyna::Kupyna224>),
    ("kupyna256", by::<kupyna::Kupyna256>),
    ("kupyna384", by::<kupyna::Kupyna384>),
    ("kupyna512", by::<kupyna::Kupyna512>),
    ("tiger2", by::<tiger::Tiger2>),
    ("ripemd128", by::<ripemd::Ripemd128>),
    ("ripemd256", by::<ripemd::Ripemd256>),
    ("ripemd320", by::<ripemd::Ripemd320>),
    ("skein256", by::<skein::Skein256<U32>>),
    ("skein256-128", by::<skein::Skein256<U16>>),
    ("skein256-160", by::<skein::Skein256<U20>>),
    ("skein256-224", by::<skein::Skein256<U28>>),
    // Longer than the state.
    ("skein256-264", by::<skein::Skein256<U33>>),
    ("skein256-512", by::<skein::Skein256<U64>>),
    ("skein256-1024", by::<skein::Skein256<U128>>),
    ("skein512", by::<skein::Skein512<U64>>),
    ("skein512-128", by::<skein::Skein512<U16>>),
    ("skein512-160", by::<skein::Skein512<U20>>),
    ("skein512-224", by::<skein::Skein512<U28>>),
    ("skein512-256", by::<skein::Skein512<U32>>),
    ("skein512-384", by::<skein::Skein512<U48>>),
    ("skein512-520", by::<skein::Skein512<U65>>),
    ("skein1024", by::<skein::Skein1024<U128>>),
    ("skein1024-8", by::<skein::Skein1024<U1>>),
    ("skein1024-256", by::<skein::Skein1024<U32>>),
    ("skein1024-384", by::<skein::Skein1024<U48>>),
    ("skein1024-512", by::<skein::Skein1024<U64>>),
    ("git-blob", |message| by::<sha1::Sha1>(&as_blob(message))),
    ("git-blob-sha256", |message| by::<sha2::Sha256>(&as_blob(message))),
    ("ascon-hash256", by::<ascon_hash256::AsconHash256>),
    ("ascon-xof128", output::<ascon_xof128::AsconXof128, 32>),
    ("turboshake128", output::<turboshake::TurboShake128, 32>),
    ("turboshake256", output::<turboshake::TurboShake256, 64>),
    ("groestl224", by::<groestl::Groestl224>),
    ("groestl256", by::<groestl::Groestl256>),
    ("groestl384", by::<groestl::Groestl384>),
    ("groestl512", by::<groestl::Groestl512>),
    // For words with the most significant byte first, the crate (0.2.0) computes a different digest.
    #[cfg(target_endian = "little")]
    ("jh224", by::<jh::Jh224>),
    #[cfg(target_endian = "little")]
    ("jh256", by::<jh::Jh256>),
    #[cfg(target_endian = "little")]
    ("jh384", by::<jh::Jh384>),
    #[cfg(target_endian = "little")]
    ("jh512", by::<jh::Jh512>),
    ("shabal192", by::<shabal::Shabal192>),
    ("shabal224", by::<shabal::Shabal224>),
    ("shabal256", by::<shabal::Shabal256>),
    ("shabal384", by::<shabal::Shabal384>),
    ("shabal512", by::<shabal::Shabal512>),
    #[cfg(target_arch = "x86_64")]
    ("blake-224", by_older::<blake_hash::Blake224>),
    #[cfg(target_arch = "x86_64")]
    ("blake-256", by_older::<blake_hash::Blake256>),
    #[cfg(target_arch = "x86_64")]
    ("blake-384", by_older::<blake_hash::Blake384>),
    #[cfg(target_arch = "x86_64")]
    ("blake-512", by_older::<blake_hash::Blake512>),
];

/// Algorithms without such an implementation: other programs (`oracles.rs`) and vectors verify the portable row, and
/// all rows are compared with that one here.
const COMPARED_WITH_PORTABLE: &[&str] = &[
    "sha0",
    "has160",
    "snefru128",
    "snefru256",
    "edonr256",
    "edonr512",
    "whirlpool-0",
    "whirlpool-t",
    "cshake128",
    "cshake256",
    #[cfg(not(target_arch = "x86_64"))]
    "blake-224",
    #[cfg(not(target_arch = "x86_64"))]
    "blake-256",
    #[cfg(not(target_arch = "x86_64"))]
    "blake-384",
    #[cfg(not(target_arch = "x86_64"))]
    "blake-512",
];

/// Messages of each algorithm that are hashed in lanes and compared one by one.
const CASES: usize = 100_000;

/// Returns the value of `TRUESUM_CASES` (an emulated machine takes an hour for all cases), otherwise all in the
/// complete suite and a tenth elsewhere.
fn cases() -> usize {
    let Ok(text) = std::env::var("TRUESUM_CASES") else { return thorough_or(CASES, CASES / 10) };
    text.parse().expect("TRUESUM_CASES is a number")
}

/// The power of two around which the longest messages lie: smaller if there are fewer cases.
fn longest() -> u32 {
    if cases() < CASES { 14 } else { 20 }
}

/// A generator of pseudorandom numbers that are the same in every run (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 16) as usize % limit
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len.div_ceil(8)).flat_map(|_| self.next().to_le_bytes()).take(len).collect()
    }
}

/// Checks one algorithm on the rows of this process.
fn assert_conforms(name: &str, cases: usize, oracle: &dyn Fn(&[u8]) -> Vec<u8>) {
    let spec: Spec = name.parse().expect("a name of the table");
    let random = &mut Random(0x9e37_79b9_7f4a_7c15);
    let data = random.bytes((1 << 20) + 65);
    let expect = |message: &[u8], digest: &Digest, what: &str| {
        assert_eq!(digest.as_bytes(), oracle(message), "{name}: {what}, {} bytes", message.len());
    };

    for len in 0..=1100 {
        expect(&data[..len], &spec.digest(&data[..len]), "one message");
    }
    for len in (11..=longest()).flat_map(|k| [(1 << k) - 1, 1 << k, (1 << k) + 1]) {
        expect(&data[..len], &spec.digest(&data[..len]), "one message");
    }
    for start in 0..64 {
        let message = &data[start..start + 300 + start];
        expect(message, &spec.digest(message), "a message that starts off alignment");
    }
    for _ in 0..100 {
        let message = &data[..random.below(5000)];
        let mut hasher = spec.hasher();
        let mut rest = message;
        while !rest.is_empty() {
            let (slice, others) = rest.split_at(1 + random.below(rest.len().min(700)));
            hasher.update(slice);
            rest = others;
        }
        expect(message, &hasher.finish(), "random slices");
    }
    lanes_join_and_leave(&spec, random, &data, &expect);

    let lens: Vec<usize> =
        (0..cases).map(|case| if case % 50 == 0 { random.below(700) } else { random.below(150) }).collect();
    let starts: Vec<usize> = lens.iter().map(|len| random.below(data.len() - len)).collect();
    let messages: Vec<&[u8]> =
        starts.iter().zip(&lens).map(|(start, len)| &data[*start..start + len]).collect();
    for (message, digest) in messages.iter().zip(hash_many(&spec, &messages)) {
        expect(message, &digest, "many messages");
    }
}

/// Hashes messages of unequal lengths in 1 to 2N lanes, in random slices; new messages join when others are finished.
fn lanes_join_and_leave(
    spec: &Spec,
    random: &mut Random,
    data: &[u8],
    expect: &dyn Fn(&[u8], &Digest, &str),
) {
    struct Open<'a> {
        hasher: Hasher,
        message: &'a [u8],
        fed: usize,
    }
    let widest =
        kernel::rows(spec.algorithm()).iter().filter(|row| row.supported()).map(|row| row.lanes()).max();
    for lanes in 1..=2 * widest.unwrap_or(1) {
        let mut to_come = 2 * lanes;
        let mut open: Vec<Open> = Vec::new();
        loop {
            while open.len() < lanes && to_come > 0 {
                let (start, len) = (random.below(5000), random.below(1200));
                let hasher = spec.hasher_for_size(len as u64);
                open.push(Open { hasher, message: &data[start..start + len], fed: 0 });
                to_come -= 1;
            }
            if open.is_empty() {
                break;
            }
            let slices: Vec<&[u8]> = open
                .iter_mut()
                .map(|one| {
                    let slice = &one.message[one.fed..];
                    let slice = &slice[..random.below(500).min(slice.len())];
                    one.fed += slice.len();
                    slice
                })
                .collect();
            let mut hashers: Vec<&mut Hasher> = open.iter_mut().map(|one| &mut one.hasher).collect();
            update_many(&mut hashers, &slices);
            let (mut done, others): (Vec<Open>, Vec<Open>) =
                open.into_iter().partition(|one| one.fed == one.message.len());
            let mut hashers: Vec<&mut Hasher> = done.iter_mut().map(|one| &mut one.hasher).collect();
            let digests = finish_many(&mut hashers);
            for (one, digest) in done.iter().zip(&digests) {
                expect(one.message, digest, "a message that joined and left");
            }
            open = others;
        }
    }
}

/// Runs `test` of this test binary with this environment variable.
fn run_with(test: &str, name: &str, value: &str) {
    let output = std::process::Command::new(std::env::current_exe().expect("the path of this test"))
        .args([&format!("conformance::{test}"), "--exact", "--nocapture"])
        .env(name, value)
        .output()
        .expect("the test runs itself");
    let mut text = String::new();
    let _ = write!(
        text,
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success() && text.contains("1 passed"), "{name}={value}:\n{text}");
}

/// Returns whether the requested instruction set provides rows for this algorithm: portable rows are tested under their
/// own name.
fn is_other(name: &str) -> bool {
    let rows = kernel::rows(name.parse::<Spec>().expect("a name of the table").algorithm());
    rows.is_empty() || kernel::forced().is_none_or(|isa| rows.iter().any(|row| row.isa() == isa))
}

#[test]
fn kernels_of_this_process_conform() {
    let class = cpu_class();
    kernel::check_forced().expect("TRUESUM_KERNEL");
    let cases = if class.is_some() { cases() / 10 } else { cases() };
    for (name, oracle) in ORACLES.iter().filter(|(name, _)| is_other(name)) {
        assert_conforms(name, cases, oracle);
    }
    let havals = ALGORITHMS.iter().map(|row| row.name()).filter(|name| name.starts_with("haval"));
    for name in COMPARED_WITH_PORTABLE.iter().copied().chain(havals).filter(|name| is_other(name)) {
        let spec: Spec = name.parse().expect("a name of the table");
        let row =
            kernel::rows(spec.algorithm()).last().and_then(|row| row.runnable()).expect("a portable row");
        let alone = |message: &[u8]| {
            let digests = hash_many_on(row, &spec, &[message]).expect("a row of this algorithm");
            digests[0].as_bytes().to_vec()
        };
        assert_conforms(name, cases / 20, &alone);
    }
}

#[test]
fn every_instruction_set_of_this_cpu_conforms() {
    if kernel::forced().is_some() || cpu_class().is_some() {
        return;
    }
    let mut sets: Vec<&str> = Vec::new();
    for row in ALGORITHMS.iter().flat_map(kernel::rows).filter(|row| row.supported()) {
        if !sets.contains(&row.isa()) {
            sets.push(row.isa());
        }
    }
    assert!(sets.contains(&"portable"));
    for isa in sets {
        run_with("kernels_of_this_process_conform", "TRUESUM_KERNEL", isa);
    }
}

/// Classes of machines by their CPU features, and the instruction sets of their rows.
#[cfg(target_arch = "aarch64")]
const CLASSES: &[(&str, &[&str])] = &[
    ("neon", &["portable", "neon"]),
    ("sha2", &["portable", "neon", "sha2"]),
    ("sha2,sha3", &["portable", "neon", "sha2", "sha512", "sha3"]),
];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const CLASSES: &[(&str, &[&str])] = &[];
#[cfg(target_arch = "x86_64")]
const CLASSES: &[(&str, &[&str])] = &[
    ("sse2", &["portable", "sse2"]),
    ("sha", &["portable", "sse2", "sha-ni"]),
    ("avx2", &["portable", "sse2", "avx2"]),
    ("avx2,sha", &["portable", "sse2", "avx2", "sha-ni"]),
    ("avx512", &["portable", "sse2", "avx2", "avx512"]),
    ("avx512,sha", &["portable", "sse2", "avx2", "avx512", "sha-ni"]),
];

/// Restricts the CPU features to those that the environment names, and returns them.
fn cpu_class() -> Option<String> {
    let list = std::env::var("TRUESUM_CPU").ok()?;
    kernel::limit(&list).expect("TRUESUM_CPU");
    Some(list)
}

#[test]
fn cpu_class_runs_exactly_its_kernels() {
    let Some(class) = cpu_class() else { return };
    let (_, sets) = CLASSES.iter().find(|(name, _)| *name == class).expect("a class of the table");
    for algorithm in ALGORITHMS.iter().filter(|row| !kernel::rows(row).is_empty()) {
        let rows = kernel::rows(algorithm);
        for row in rows.iter().filter(|row| sets.contains(&row.isa())) {
            // Rows for finer features than a class has are all AVX-512 rows.
            assert!(
                row.supported() || row.isa() == "avx512",
                "{class}: {} {} x{}",
                algorithm.name(),
                row.isa(),
                row.lanes()
            );
        }
        for count in 1..=64 {
            let row = kernel::pick(rows, count);
            assert!(
                sets.contains(&row.isa()),
                "{class}: {} {} x{}",
                algorithm.name(),
                row.isa(),
                row.lanes()
            );
        }
    }
    let sha256 = kernel::rows("sha256".parse::<Spec>().expect("a name of the table").algorithm());
    let has_instructions = class.split(',').any(|name| matches!(name, "sha" | "sha2"));
    assert_eq!(matches!(kernel::pick(sha256, 1).isa(), "sha-ni" | "sha2"), has_instructions);
}

#[test]
fn every_cpu_class_conforms() {
    if kernel::forced().is_some() || cpu_class().is_some() {
        return;
    }
    let here = kernel::features();
    for (class, _) in CLASSES.iter().filter(|(class, _)| class.split(',').all(|name| here.contains(&name))) {
        run_with("cpu_class_runs_exactly_its_kernels", "TRUESUM_CPU", class);
        run_with("kernels_of_this_process_conform", "TRUESUM_CPU", class);
    }
}

#[test]
fn every_algorithm_with_several_kernels_has_an_oracle() {
    // The XOFs share every row with SHA-3; their lengths are compared with vectors.
    for row in ALGORITHMS.iter().filter(|row| kernel::rows(row).len() > 1 && !row.name().starts_with("shake"))
    {
        let by_portable = COMPARED_WITH_PORTABLE.contains(&row.name()) || row.name().starts_with("haval");
        assert!(
            by_portable || ORACLES.iter().any(|(name, _)| *name == row.name()),
            "{} has no oracle",
            row.name()
        );
    }
}

#[test]
fn bit_lengths_beyond_32_bits_are_padded_correctly() {
    let zeros = vec![0; (1 << 29) + 5];
    for (name, oracle) in ORACLES.iter().filter(|(name, _)| matches!(*name, "md5" | "sha1" | "sha256")) {
        let spec: Spec = name.parse().expect("a name of the table");
        let mut hasher = spec.hasher();
        hasher.update_zeros(zeros.len() as u64);
        assert_eq!(hasher.finish().as_bytes(), oracle(&zeros), "{name}");
    }
}
