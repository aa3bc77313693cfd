//! Proofs of ranges and of growth, and forgeries of them.

use super::case::{Case, MIB, noise, reading, spec};
use std::ops::Range;
use truesum::Progress;
use truesum::hash::Digest;
use truesum::hash::tree::{Merkle, consistency_path, range_path};
use truesum::tree::growth::{GrowthProof, prove_growth, verify_growth};
use truesum::tree::prove::{ProofFailure, RangeProof, Row, prove, read_row, verify_proof};
use truesum::tree::store::Store;

#[test]
fn range_proof_is_verified_by_reading_only_the_range() {
    let bytes = noise(15, 5 * MIB + 77);
    let case = Case::new(&bytes);
    for name in ["sha256-tree", "md5-tree;leaf=4KiB", "blake3", "sha512-tree;leaf=2MiB"] {
        case.built(name, 4 * MIB);
        let store = case.store();
        let digest = spec(name).digest(&bytes);
        let progress = Progress::default();
        let read = read_row(case.path(), &spec(name), &reading(2, &progress)).expect("read");
        for range in [0..1, MIB - 1..MIB + 1, 5 * MIB..5 * MIB + 77, 100..4 * MIB, 2 * MIB..3 * MIB] {
            let proof =
                prove(case.path(), &spec(name), &Row::Stored(&store), range.clone(), &reading(1, &progress))
                    .expect("proven");
            assert_eq!(
                prove(case.path(), &spec(name), &read, range.clone(), &reading(1, &progress))
                    .expect("proven"),
                proof
            );
            let covered = proof.bytes();
            assert!(covered.start <= range.start && covered.end >= range.end);
            let counted = Progress::default();
            verify_proof(case.path(), &proof, &digest, &reading(1, &counted)).expect("it holds");
            assert_eq!(counted.bytes(), covered.end - covered.start, "{name} {range:?}");
            assert!(
                verify_proof(case.path(), &proof, &spec(name).digest(b"x"), &reading(1, &progress)).is_err()
            );
            let moved = RangeProof { leaves: proof.leaves.start + 1..proof.leaves.end + 1, ..proof.clone() };
            assert!(verify_proof(case.path(), &moved, &digest, &reading(1, &progress)).is_err());
            // BLAKE3 binds the position of every chunk, but the length only in the last one.
            let longer = RangeProof { size: proof.size + 1, ..proof.clone() };
            assert!(
                name == "blake3"
                    || verify_proof(case.path(), &longer, &digest, &reading(1, &progress)).is_err()
            );
            case.flip(range.start);
            assert!(verify_proof(case.path(), &proof, &digest, &reading(1, &progress)).is_err());
            case.flip(range.start);
        }
        assert!(
            prove(case.path(), &spec(name), &read, 0..bytes.len() as u64 + 1, &reading(1, &progress))
                .is_err()
        );
        assert!(prove(case.path(), &spec(name), &read, 7..7, &reading(1, &progress)).is_err());
    }
}

/// Returns a digest with one bit flipped, chosen from several digests or within one.
fn flipped(hash: &Digest) -> Digest {
    let mut bytes = hash.as_bytes().to_vec();
    bytes[3] ^= 4;
    Digest::new(&bytes)
}

#[test]
fn growth_proof_reads_at_most_a_leaf_and_forgeries_fail() {
    const LEAF: u64 = 4096;
    let bytes = noise(19, 3 * MIB + 77);
    let name = "sha256-tree;leaf=4KiB";
    let digest = |len: u64| spec(name).digest(&bytes[..len as usize]);
    let sizes = [
        0,
        1,
        100,
        LEAF - 1,
        LEAF,
        LEAF + 1,
        2 * LEAF,
        3 * LEAF,
        3 * LEAF + 7,
        64 * LEAF,
        MIB,
        MIB + 5,
        2 * MIB + LEAF,
        3 * MIB,
        3 * MIB + 77,
    ];
    let case = Case::new(b"");
    let old_tree = case.tree.with_extension("old");
    for (at, &old_size) in sizes.iter().enumerate() {
        std::fs::write(&case.file, &bytes[..old_size as usize]).expect("written");
        case.built(name, 16 << 10);
        std::fs::rename(&case.tree, &old_tree).expect("renamed");
        let old = Store::open(&old_tree).expect("readable").expect("a tree");
        for &size in &sizes[at..] {
            let what = format!("{old_size} of {size}");
            std::fs::write(&case.file, &bytes[..size as usize]).expect("grown");
            let saved = case.built(name, 64 << 10);
            let store = saved.store();
            let progress = Progress::default();
            let proof =
                prove_growth(case.path(), &Row::Stored(store), &old, &reading(1, &progress)).expect("proven");
            let read = read_row(case.path(), &spec(name), &reading(2, &progress)).expect("read");
            assert_eq!(
                prove_growth(case.path(), &read, &old, &reading(1, &progress)).expect("proven"),
                proof,
                "{what}"
            );
            let (old_digest, new_digest) = (digest(old_size), digest(size));
            let see = |proof: &GrowthProof, old: &Digest, new: &Digest| {
                verify_growth(Some(case.path()), proof, old, new, &reading(1, &progress))
            };
            let counted = Progress::default();
            verify_growth(Some(case.path()), &proof, &old_digest, &new_digest, &reading(1, &counted))
                .expect("it holds");
            let whole = old_size > 0 && old_size % LEAF == 0;
            assert_eq!(counted.bytes() == 0, whole || size == 0, "{what}: {} bytes read", counted.bytes());
            assert!(counted.bytes() <= LEAF);
            // Hashes alone suffice if the old file consisted of whole leaves.
            assert_eq!(
                verify_growth(None, &proof, &old_digest, &new_digest, &reading(1, &progress)).is_ok(),
                whole,
                "{what}"
            );
            assert!(matches!(
                see(&proof, &flipped(&old_digest), &new_digest),
                Err(ProofFailure::OtherOld(_))
            ));
            assert!(matches!(see(&proof, &old_digest, &flipped(&new_digest)), Err(ProofFailure::Other(_))));
            let refused = |forged: GrowthProof, how: &str| {
                assert!(see(&forged, &old_digest, &new_digest).is_err(), "{what}, forged: {how}");
            };
            for index in 0..proof.path.len() {
                let mut forged = proof.clone();
                forged.path[index] = flipped(&forged.path[index]);
                refused(forged, "another hash");
                let mut forged = proof.clone();
                forged.path.remove(index);
                refused(forged, "a hash less");
                let mut forged = proof.clone();
                let mut long = forged.path[index].as_bytes().to_vec();
                long.push(0);
                forged.path[index] = Digest::new(&long);
                refused(forged, "a longer hash");
            }
            let mut forged = proof.clone();
            forged.path.push(proof.old_root.clone());
            refused(forged, "a hash more");
            refused(GrowthProof { old_root: flipped(&proof.old_root), ..proof.clone() }, "another old root");
            refused(GrowthProof { old_size: old_size + 1, ..proof.clone() }, "another old size");
            refused(GrowthProof { size: size + 1, ..proof.clone() }, "another size");
            refused(GrowthProof { spec: spec("sha256-tree"), ..proof.clone() }, "another leaf size");
            if old_size > 0 {
                // Same length, with one byte of the old part changed: no honest tree of it leads to a proof.
                case.flip(old_size - 1);
                let other = case.built(name, 64 << 10);
                let (row, changed) = (Row::Stored(other.store()), &other.found().digests()[0]);
                assert!(
                    prove_growth(case.path(), &row, &old, &reading(1, &progress)).is_err(),
                    "{what}: no beginning"
                );
                // Neither does the honest path of the changed file combined with the old root.
                let all = Merkle::new(&spec(name)).expect("a tree").leaves(size);
                let leaf = (old_size - 1) / LEAF;
                let changed_bytes = std::fs::read(&case.file).expect("there");
                let subtree = |node: Range<u64>| {
                    let tree = Merkle::new(&spec(name)).expect("a tree");
                    let end = (node.end * LEAF).min(size);
                    Ok::<_, ()>(
                        tree.subtree(&changed_bytes[(node.start * LEAF) as usize..end as usize], node.start),
                    )
                };
                let path = match whole {
                    true => consistency_path(old_size / LEAF, all, subtree),
                    false => range_path(all, leaf..leaf + 1, subtree),
                };
                let forged = GrowthProof { path: path.expect("hashed"), ..proof.clone() };
                assert!(see(&forged, &old_digest, changed).is_err(), "{what}");
                case.flip(old_size - 1);
            }
        }
        std::fs::write(&case.file, &bytes[..old_size as usize]).expect("written");
    }
    // A file that shrank did not grow, and digests that do not bind a length cannot prove growth.
    let old = Store::open(&old_tree).expect("readable").expect("a tree");
    std::fs::write(&case.file, &bytes[..MIB as usize]).expect("cut");
    let saved = case.built(name, MIB);
    let store = saved.store();
    let progress = Progress::default();
    assert!(prove_growth(case.path(), &Row::Stored(store), &old, &reading(1, &progress)).is_err());
    let saved = case.built("blake3", MIB);
    let store = saved.store();
    assert!(prove_growth(case.path(), &Row::Stored(store), store, &reading(1, &progress)).is_err());
}
