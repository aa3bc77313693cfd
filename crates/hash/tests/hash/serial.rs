//! Algorithms without lanes compared with independent implementations, or with a literal reading of their definition:
//! every length up to 1100, lengths around the powers of two, random slices. Algorithms that programs provide are
//! compared in `oracles.rs`, those with lanes in `conformance.rs`.

use crate::definitions;
use crate::input;
use crate::long;
use crate::oracle;
use crate::slices;
use input::Random;
use md5::digest::consts::{U32, U64, U128};
#[cfg(target_arch = "x86_64")]
use oracle::by_older as by;
use oracle::{Oracle, output};
use slices::in_slices;
use truesum_hash::Spec;

/// BLAKE2X: the root, and numbered nodes of depth zero over its digest.
fn blake2xb(message: &[u8]) -> Vec<u8> {
    const TOTAL: u64 = 64;
    let root = blake2b_simd::Params::new().node_offset(TOTAL << 32).hash(message);
    let mut node = blake2b_simd::Params::new();
    node.fanout(0).max_depth(0).max_leaf_length(64).inner_hash_length(64).node_offset(TOTAL << 32);
    node.hash(root.as_bytes()).as_bytes().to_vec()
}

/// The same with 80 bytes of output: three nodes, the last of them short.
fn blake2xs_of_80(message: &[u8]) -> Vec<u8> {
    const TOTAL: u64 = 80;
    let root = blake2s_simd::Params::new().node_offset(TOTAL << 32).hash(message);
    let nodes = [32, 32, 16].iter().zip(0..).flat_map(|(len, number)| {
        let mut node = blake2s_simd::Params::new();
        node.fanout(0).max_depth(0).max_leaf_length(32).inner_hash_length(32).hash_length(*len);
        node.node_offset(TOTAL << 32 | number).hash(root.as_bytes()).as_bytes().to_vec()
    });
    nodes.collect()
}

/// Fletcher's two sums, over words of `len` bytes.
fn fletcher(message: &[u8], len: usize) -> Vec<u8> {
    let modulus = (1u128 << (8 * len)) - 1;
    let (mut low, mut high) = (0u128, 0u128);
    for word in message.chunks(len) {
        low = (low + word.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte))) % modulus;
        high = (high + low) % modulus;
    }
    let both = high << (8 * len) | low;
    both.to_be_bytes()[16 - 2 * len..].to_vec()
}

/// Returns the sum of all bytes.
fn sum(message: &[u8], len: usize) -> Vec<u8> {
    let sum: u64 = message.iter().map(|byte| u64::from(*byte)).sum();
    sum.to_be_bytes()[8 - len..].to_vec()
}

/// RFC 1071.
fn internet(message: &[u8]) -> Vec<u8> {
    let words =
        message.chunks(2).map(|word| u32::from(word[0]) << 8 | word.get(1).map_or(0, |low| u32::from(*low)));
    let sum = words.fold(0, |sum, word| (sum + word) % 0x10000 + (sum + word) / 0x10000);
    (!(sum as u16)).to_be_bytes().to_vec()
}

/// The function of the System V ABI.
fn elf(message: &[u8]) -> Vec<u8> {
    let mut hash = 0u32;
    for byte in message {
        hash = (hash << 4).wrapping_add(u32::from(*byte));
        let high = hash & 0xf000_0000;
        if high != 0 {
            hash ^= high >> 24;
        }
        hash &= !high;
    }
    hash.to_be_bytes().to_vec()
}

fn numbers(message: &[u8], start: u32, step: fn(u32, u32) -> u32) -> Vec<u8> {
    message.iter().fold(start, |hash, byte| step(hash, u32::from(*byte))).to_be_bytes().to_vec()
}

/// FIPS 180 (1993).
fn sha0(message: &[u8]) -> Vec<u8> {
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64) - 8, 0);
    padded.extend((8 * message.len() as u64).to_be_bytes());
    let mut state = [0x6745_2301u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in padded.chunks(64) {
        let mut words: Vec<u32> = block
            .chunks(4)
            .map(|word| word.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
            .collect();
        for at in 16..80 {
            words.push(words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16]);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (at, word) in words.iter().enumerate() {
            let (f, k) = match at / 20 {
                0 => (b & c | !b & d, 0x5a82_7999u32),
                1 => (b ^ c ^ d, 0x6ed9_eba1),
                2 => (b & c | b & d | c & d, 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6),
            };
            let sum = a.rotate_left(5).wrapping_add(f).wrapping_add(e).wrapping_add(*word).wrapping_add(k);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, sum);
        }
        for (word, add) in state.iter_mut().zip([a, b, c, d, e]) {
            *word = word.wrapping_add(add);
        }
    }
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// SP 800-185 section 6: cSHAKE of the block length, the digests of blocks, their number and the length of the digest
/// in bits.
fn parallel_hash(message: &[u8], shake: &str, digest_len: usize, block: usize) -> Vec<u8> {
    let left = |number: u64| {
        let bytes: Vec<u8> = number.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect();
        let bytes = if bytes.is_empty() { vec![0] } else { bytes };
        [&[bytes.len() as u8][..], &bytes].concat()
    };
    let right = |number: u64| {
        let mut bytes = left(number);
        bytes.rotate_left(1);
        bytes
    };
    let inner: Spec = format!("{shake}-{}", 8 * digest_len).parse().expect("a length of bits");
    let blocks: Vec<u8> =
        message.chunks(block).flat_map(|block| inner.digest(block).as_bytes().to_vec()).collect();
    let number = message.len().div_ceil(block) as u64;
    let all = [left(block as u64), blocks, right(number), right(8 * digest_len as u64)].concat();
    // cSHAKE with the function's name, by its own definition: a padded prefix, and different domain bits.
    cshake(&all, b"ParallelHash", digest_len, &left)
}

/// cSHAKE with the Keccak sponge of another library.
fn cshake(message: &[u8], name: &[u8], digest_len: usize, left: &dyn Fn(u64) -> Vec<u8>) -> Vec<u8> {
    let rate = if digest_len == 32 { 168 } else { 136 };
    let mut padded = [left(rate as u64), left(8 * name.len() as u64), name.to_vec(), left(0)].concat();
    padded.resize(padded.len().next_multiple_of(rate), 0);
    padded.extend_from_slice(message);
    padded.push(4);
    padded.resize(padded.len().next_multiple_of(rate), 0);
    *padded.last_mut().expect("a block") |= 0x80;
    let mut state = [0u64; 25];
    for block in padded.chunks(rate) {
        for (word, bytes) in state.iter_mut().zip(block.chunks(8)) {
            *word ^= bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        }
        keccak::Keccak::new().with_f1600(|permute| permute(&mut state));
    }
    state.iter().flat_map(|word| word.to_le_bytes()).take(digest_len).collect()
}

const ORACLES: &[(&str, Oracle)] = &[
    ("kt128", output::<k12::Kt128, 32>),
    ("kt256", output::<k12::Kt256, 64>),
    ("blake2bp", |message| blake2b_simd::blake2bp::blake2bp(message).as_bytes().to_vec()),
    ("blake2sp", |message| blake2s_simd::blake2sp::blake2sp(message).as_bytes().to_vec()),
    ("blake2xb", blake2xb),
    ("blake2xs-640", blake2xs_of_80),
    ("sha0", sha0),
    ("mh-sha1", definitions::mh_sha1),
    ("mh-sha256", definitions::mh_sha256),
    ("parallelhash128", |message| parallel_hash(message, "shake128", 32, 8192)),
    ("parallelhash256", |message| parallel_hash(message, "shake256", 64, 8192)),
    ("komihash", |message| komihash::komihash(message, 0).to_be_bytes().to_vec()),
    ("komihash;seed=81985529216486895", |message| {
        komihash::komihash(message, 0x0123_4567_89ab_cdef).to_be_bytes().to_vec()
    }),
    ("sum8", |message| sum(message, 1)),
    ("sum16", |message| sum(message, 2)),
    ("sum24", |message| sum(message, 3)),
    ("sum32", |message| sum(message, 4)),
    ("xor8", |message| vec![message.iter().fold(0, |all, byte| all ^ byte)]),
    ("fletcher16", |message| fletcher(message, 1)),
    ("fletcher32", |message| fletcher(message, 2)),
    ("fletcher64", |message| fletcher(message, 4)),
    ("inet16", internet),
    ("elf32", elf),
    ("djb2", |message| {
        numbers(message, 5381, |hash, byte| (hash << 5).wrapping_add(hash).wrapping_add(byte))
    }),
    ("djb2a", |message| numbers(message, 5381, |hash, byte| (hash << 5).wrapping_add(hash) ^ byte)),
    ("sdbm", |message| {
        numbers(message, 0, |hash, byte| {
            byte.wrapping_add(hash << 6).wrapping_add(hash << 16).wrapping_sub(hash)
        })
    }),
];

#[test]
fn digests_match_other_libraries_and_definitions() {
    let data = input::bytes("sm64:23", (1 << 17) + 1);
    let around = (11..=17).flat_map(|power| [(1 << power) - 1, 1 << power, (1 << power) + 1]);
    let lengths: Vec<usize> = (0..=1100).chain(around).collect();
    let random = &mut Random::new(5);
    for (name, oracle) in ORACLES {
        let spec: Spec = name.parse().unwrap_or_else(|why| panic!("{name}: {why}"));
        for &len in &lengths {
            let message = &data[..len];
            let expected = oracle(message);
            assert_eq!(spec.digest(message).as_bytes(), expected, "{name} of {len} bytes");
            assert_eq!(
                in_slices(&spec, message, random, 700).as_bytes(),
                expected,
                "{name} of {len} bytes in slices"
            );
            let mut unknown = spec.hasher();
            unknown.update(message);
            assert_eq!(unknown.finish().as_bytes(), expected, "{name} of {len} bytes, of unknown length");
        }
    }
}

/// Algorithms for which no other library is available: vectors verify the values (`vectors.rs`), and here a message in
/// slices, with and without a known length, must have the same digest as the whole message.
#[test]
fn slices_do_not_change_any_digest() {
    let data = input::bytes("sm64:29", 140_000);
    let random = &mut Random::new(6);
    let around = [4095, 4096, 4097, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073, 140_000];
    for algorithm in truesum_hash::ALGORITHMS {
        let spec = Spec::new(algorithm);
        for len in (0..300).chain([511, 512, 513, 1023, 1024, 1025]).chain(around) {
            let message = &data[..len];
            let whole = spec.digest(message);
            assert_eq!(
                in_slices(&spec, message, random, 700).as_bytes(),
                whole.as_bytes(),
                "{} of {len} bytes in slices",
                algorithm.name()
            );
        }
    }
}

/// Algorithms that count bytes, blocks or leaves, and that no program in `oracles.rs` computes.
const COUNTERS: &[&str] = &[
    "kt128",
    "kt256",
    "blake2bp",
    "blake2sp",
    "blake2xb",
    "blake2xs-640",
    "sha0",
    "mh-sha1",
    "mh-sha256",
    "parallelhash128",
    "komihash",
    "sum32",
    "fletcher16",
    "fletcher32",
    "fletcher64",
    "inet16",
];

/// Other algorithms with a counter, which are compared at other lengths in `conformance.rs`, `crc.rs` and `keyed.rs`.
const MORE_COUNTERS: &[(&str, Oracle)] = &[
    #[cfg(target_arch = "x86_64")]
    ("blake-256", by::<blake_hash::Blake256>),
    #[cfg(target_arch = "x86_64")]
    ("blake-512", by::<blake_hash::Blake512>),
    ("skein256", oracle::by::<skein::Skein256<U32>>),
    ("skein512", oracle::by::<skein::Skein512<U64>>),
    ("skein1024", oracle::by::<skein::Skein1024<U128>>),
    ("tiger2", oracle::by::<tiger::Tiger2>),
    ("ripemd128", oracle::by::<ripemd::Ripemd128>),
    ("ripemd256", oracle::by::<ripemd::Ripemd256>),
    ("sha384", oracle::by::<sha2::Sha384>),
    ("gost12-512", oracle::by::<streebog::Streebog512>),
    ("turboshake128", output::<turboshake::TurboShake128, 32>),
    ("belt-hash", oracle::by::<belt_hash::BeltHash>),
    ("groestl256", oracle::by::<groestl::Groestl256>),
    ("groestl512", oracle::by::<groestl::Groestl512>),
    ("crc64nvme", |message| crc64(&crc::CRC_64_NVME, message)),
    ("crc64xz", |message| crc64(&crc::CRC_64_XZ, message)),
];

fn crc64(parameters: &'static crc::Algorithm<u64>, message: &[u8]) -> Vec<u8> {
    crc::Crc::<u64>::new(parameters).checksum(message).to_be_bytes().to_vec()
}

/// As in `oracles.rs`, run manually, takes a quarter of an hour and nine gibibytes of memory; `TRUESUM_COUNTERS`
/// restricts the algorithms: `cargo test --release -p truesum-hash --all-features --test hash -- --ignored serial`.
#[test]
#[ignore = "hashes four gibibytes seventy times"]
fn digests_match_other_libraries_beyond_4_gib() {
    let message = long::message();
    let oracles = ORACLES.iter().filter(|(name, _)| COUNTERS.contains(name)).chain(MORE_COUNTERS);
    let wanted = std::env::var("TRUESUM_COUNTERS").unwrap_or_default();
    let mut compared = 0;
    for (name, oracle) in
        oracles.filter(|(name, _)| wanted.is_empty() || wanted.split(',').any(|one| one == *name))
    {
        let spec: Spec = name.parse().unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(long::digest(&spec, &message).as_bytes(), oracle(&message), "{name}");
        eprintln!("{name}: as the other");
        compared += 1;
    }
    assert!(compared == COUNTERS.len() + MORE_COUNTERS.len() || !wanted.is_empty() && compared > 0);
}
