//! A literal implementation of the specification, compared with the library for random lengths and leaf sizes.

use crate::input::{self, Random};
use truesum_hash::tree::Plan;
use truesum_hash::{Digest, Spec};

fn spec(name: &str) -> Spec {
    name.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn tree_hash(base: &Spec, leaves: &[&[u8]], leaf_prefix: &[u8], node_prefix: &[u8]) -> Digest {
    match leaves {
        [leaf] => base.digest(&[leaf_prefix, leaf].concat()),
        _ => {
            let mut left = 1;
            while left * 2 < leaves.len() {
                left *= 2;
            }
            let (l, r) = leaves.split_at(left);
            let l = tree_hash(base, l, leaf_prefix, node_prefix);
            let r = tree_hash(base, r, leaf_prefix, node_prefix);
            base.digest(&[node_prefix, l.as_bytes(), r.as_bytes()].concat())
        }
    }
}

fn leaves(data: &[u8], size: usize) -> Vec<&[u8]> {
    if data.is_empty() { vec![data] } else { data.chunks(size).collect() }
}

fn sealed(hash: &str, data: &[u8], log2: u8) -> Digest {
    let base = spec(hash);
    let root = tree_hash(&base, &leaves(data, 1 << log2), &[0], &[1]);
    let mut name = hash.as_bytes().to_vec();
    name.resize(16, 0);
    let len = (data.len() as u64).to_le_bytes();
    base.digest(&[&[2][..], b"ftree-1\0", &name, &[log2], &[0; 7], &len, root.as_bytes()].concat())
}

/// Returns the digest of `data` fed in random slices, with some runs of zeros fed as such.
fn digest_in_slices(spec: &Spec, data: &[u8], random: &mut Random) -> Digest {
    let mut hasher = spec.hasher_for_size(data.len() as u64);
    let mut rest = data;
    while !rest.is_empty() {
        let longest = [10, 5_000, 100_000, 3_000_000][random.below(4) as usize];
        let (slice, after) = rest.split_at(rest.len().min(1 + random.below(longest) as usize));
        let zeros = slice.iter().all(|&byte| byte == 0);
        if zeros {
            hasher.update_zeros(slice.len() as u64)
        } else {
            hasher.update(slice)
        }
        rest = after;
    }
    assert!(hasher.is_complete());
    hasher.finish()
}

fn with_holes(random: &mut Random, len: u64) -> Vec<u8> {
    let mut data = input::bytes("sm64:3", len);
    for _ in 0..random.below(3) {
        let start = random.below(len + 1) as usize;
        let end = (start + random.below(2_000_000) as usize).min(data.len());
        data[start..end].fill(0);
    }
    data
}

#[test]
fn trees_of_random_lengths_match_the_naive_definition() {
    let mut random = Random::new(1);
    let hashes = ["sha256", "md5", "sha512", "sha3-256", "blake2b-160", "tiger"];
    for round in 0..120 {
        let log2 = 12 + random.below(9) as u8;
        let longest = [100, 200_000, 5_000_000][round % 3];
        let near = (1 + random.below(4)) * (1 << log2) + random.below(3) - 1;
        let len = if random.below(4) == 0 { near } else { random.below(longest) };
        let data = with_holes(&mut random, len);
        let hash = hashes[random.below(hashes.len() as u64) as usize];
        let name = format!("{hash}-tree;leaf={}", 1u64 << log2);
        let expected = sealed(hash, &data, log2);
        assert_eq!(digest_in_slices(&spec(&name), &data, &mut random), expected, "{name} of {len} bytes");
        let plan = Plan::with_granule(&spec(&name), len, 1 << (12 + random.below(10))).expect("a tree");
        let zeros = plan.zeros().expect("these trees know their zeros");
        let mut fold = plan.fold();
        while fold.next() < plan.pieces() {
            let run = (fold.next()..plan.pieces()).take_while(|&index| {
                let piece = plan.piece(index);
                let full = plan.piece(0);
                piece.end - piece.start == full.end
                    && data[piece.start as usize..piece.end as usize].iter().all(|&byte| byte == 0)
            });
            let run = run.count() as u64;
            if run > 0 && len > plan.piece(0).end {
                fold.push_zeros(&zeros, run);
                continue;
            }
            let piece = plan.piece(fold.next());
            fold.push(plan.hash_piece(fold.next(), &data[piece.start as usize..piece.end as usize]));
        }
        assert_eq!(fold.finish(), Some(expected), "{name} of {len} bytes, planned");
    }
}

#[test]
fn checksums_and_blake3_of_random_lengths_match() {
    let mut random = Random::new(7);
    for name in ["crc32", "crc32c", "crc64nvme", "crc64xz", "crc", "adler32", "blake3"] {
        for _ in 0..20 {
            let len = random.below(3_000_000);
            let data = with_holes(&mut random, len);
            let plan =
                Plan::with_granule(&spec(name), len, 1 << (12 + random.below(8))).expect("these are cut");
            let zeros = plan.zeros();
            let mut fold = plan.fold();
            while fold.next() < plan.pieces() {
                let piece = plan.piece(fold.next());
                let data = &data[piece.start as usize..piece.end as usize];
                match &zeros {
                    Some(zeros) if piece.end < len && data.iter().all(|&byte| byte == 0) => {
                        fold.push_zeros(zeros, 1)
                    }
                    _ => fold.push(plan.hash_piece(fold.next(), data)),
                }
            }
            if name == "blake3" && plan.pieces() == 1 {
                assert_eq!(fold.finish(), None);
                assert!(Plan::new(&spec(name), len.min(1 << 20)).is_none());
                continue;
            }
            assert_eq!(fold.finish(), Some(spec(name).digest(&data)), "{name} of {len} bytes");
        }
    }
    // A terabyte of zeros in one step.
    let plan = Plan::new(&spec("crc32"), 1 << 40).expect("a CRC is cut");
    let mut fold = plan.fold();
    fold.push_zeros(&plan.zeros().expect("zeros"), plan.pieces());
    let mut doubled = spec("crc32").digest(&[0; 1 << 20]);
    for level in 0..20 {
        let plan =
            Plan::with_granule(&spec("crc32"), 2 << (20 + level), 1 << (20 + level)).expect("a CRC is cut");
        let mut fold = plan.fold();
        fold.push(doubled.clone());
        fold.push(doubled);
        doubled = fold.finish().expect("both came");
    }
    assert_eq!(fold.finish(), Some(doubled));
}

#[test]
fn glacier_and_etags_of_random_lengths_match() {
    let mut random = Random::new(2);
    for _ in 0..40 {
        let len = random.below(6 << 20);
        let data = with_holes(&mut random, len);
        let glacier = tree_hash(&spec("sha256"), &leaves(&data, 1 << 20), &[], &[]);
        assert_eq!(digest_in_slices(&spec("glacier"), &data, &mut random), glacier, "{len}");
        let part = 1024 + random.below(2 << 20) as usize;
        let parts: Vec<Digest> = leaves(&data, part).iter().map(|part| spec("md5").digest(part)).collect();
        let list: Vec<u8> = parts.iter().flat_map(|part| part.as_bytes()).copied().collect();
        let etag = format!("{}-{}", spec("md5").digest(&list), parts.len());
        assert_eq!(
            digest_in_slices(&spec(&format!("s3-etag;part={part}")), &data, &mut random).to_hex(),
            etag,
            "{len} {part}"
        );
    }
}

#[test]
fn mtsum_of_known_and_unknown_length_agree() {
    let mut random = Random::new(3);
    for name in ["mtsum-md5", "mtsum-v1.0-sha256", "mtsum-mpi-sha512", "mtsum-tiger"] {
        for len in [0, 1, 2, 3, 1000, 70_001] {
            let data = input::bytes("sm64:4", len);
            let mut unknown = spec(name).hasher();
            data.chunks(999).for_each(|slice| unknown.update(slice));
            let expected = unknown.finish();
            assert_eq!(digest_in_slices(&spec(name), &data, &mut random), expected, "{name} of {len} bytes");
            let [many] = truesum_hash::hash_many(&spec(name), &[&data]).try_into().expect("one message");
            assert_eq!(many, expected);
        }
    }
}

#[test]
fn long_runs_of_zeros_are_free() {
    let hasher_of = |zeros: u64| {
        let mut hasher = spec("sha256-tree").hasher();
        hasher.update(b"head");
        hasher.update_zeros(zeros);
        hasher.update(b"tail");
        hasher
    };
    // 2^60 bytes, which could never be fed.
    let digest = hasher_of(1 << 60).finish();
    assert_ne!(digest, hasher_of((1 << 60) + 1).finish());
    let mut short = input::bytes("zero", 300_000 + 8);
    short[..4].copy_from_slice(b"head");
    short[300_004..].copy_from_slice(b"tail");
    assert_eq!(hasher_of(300_000).finish(), sealed("sha256", &short, 16));
}
