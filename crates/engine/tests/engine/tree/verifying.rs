//! What a tree reports about a file: where it is damaged, truncated, grown or shifted, and whether the tree itself can
//! be trusted.

use super::case::{Case, MIB, noise, reading, spec};
use std::ops::Range;
use std::path::Path;
use truesum::Progress;
use truesum::tree::locate::{Diagnosis, Length, verify};
use truesum::tree::store::{GRANULE, Store};
use truesum_fs::data::FileExt;

#[test]
fn truncated_grown_and_shifted_files_are_distinguished() {
    let bytes = noise(10, 9 * MIB + 12_345);
    let case = Case::new(&bytes);
    let len = bytes.len() as u64;
    for name in ["sha256-tree", "blake3", "mtsum-md5"] {
        case.built(name, GRANULE);
        let exact = name != "mtsum-md5";
        let see = |bytes: &[u8]| {
            std::fs::write(&case.file, bytes).expect("written");
            case.verify()
        };
        let report = see(&bytes[..4 * MIB as usize + 5]);
        assert_eq!(
            (report.diagnosis(), report.length()),
            (Diagnosis::FileDamaged, Length::Truncated(len - 4 * MIB - 5))
        );
        if exact {
            assert_eq!(report.damaged(), vec![4 * MIB..len]);
        }
        let report = see(&[&bytes[..], b"more"].concat());
        assert_eq!((report.diagnosis(), report.length()), (Diagnosis::FileDamaged, Length::Grown(4)));
        assert_eq!(report.damaged(), vec![]);
        let inserted = [&bytes[..5 * MIB as usize], b"new", &bytes[5 * MIB as usize..]].concat();
        let report = see(&inserted);
        assert_eq!((report.diagnosis(), report.length()), (Diagnosis::FileDamaged, Length::Grown(3)));
        if exact {
            assert_eq!(report.shift().map(|shift| (shift.from(), shift.by())), Some((5 * MIB, 3)));
        }
        let lost = [&bytes[..5 * MIB as usize + 9], &bytes[5 * MIB as usize + 1000..]].concat();
        let report = see(&lost);
        assert_eq!(report.length(), Length::Truncated(991));
        if exact {
            assert_eq!(report.shift().map(|shift| (shift.from(), shift.by())), Some((6 * MIB, -991)));
        }
        let report = see(&[]);
        assert_eq!(
            (report.diagnosis(), report.damaged()),
            (Diagnosis::FileDamaged, std::slice::from_ref(&(0..len))),
            "{name}"
        );
        assert_eq!(see(&bytes).diagnosis(), Diagnosis::Good);
    }
}

/// Returns what `verify` reports for a stored tree with these bytes; a tree that cannot be opened counts as damaged.
fn diagnosis(case: &Case, place: &Path) -> Diagnosis {
    match Store::open(place).expect("readable") {
        Err(_) => Diagnosis::TreeDamaged,
        Ok(store) => match verify(case.path(), &store, None, &reading(1, &Progress::default())) {
            Ok(report) => report.diagnosis(),
            // A tree that is marked as incomplete.
            Err(_) => Diagnosis::TreeDamaged,
        },
    }
}

#[test]
fn every_bit_flip_and_truncation_of_a_tree_is_detected() {
    for name in ["sha256-tree;leaf=4KiB", "blake3"] {
        let case = Case::new(&noise(11, 20_000));
        case.built(name, 4096);
        let tree = std::fs::read(&case.tree).expect("there");
        let place = case.tree.with_extension("damaged");
        std::fs::write(&place, &tree).expect("written");
        let file = std::fs::OpenOptions::new().write(true).open(&place).expect("writable");
        assert_eq!(diagnosis(&case, &place), Diagnosis::Good);
        for bit in 0..tree.len() * 8 {
            let at = bit / 8;
            file.write_all_at(&[tree[at] ^ (1 << (bit % 8))], at as u64).expect("flipped");
            let verdict = diagnosis(&case, &place);
            assert!(
                matches!(verdict, Diagnosis::TreeDamaged | Diagnosis::CannotTell),
                "{name}, bit {bit}: {verdict:?}"
            );
            file.write_all_at(&tree[at..=at], at as u64).expect("mended");
        }
        file.write_all_at(&[0], tree.len() as u64).expect("longer");
        assert_eq!(diagnosis(&case, &place), Diagnosis::TreeDamaged);
        for len in (0..tree.len()).rev() {
            file.set_len(len as u64).expect("cut");
            assert_eq!(diagnosis(&case, &place), Diagnosis::TreeDamaged, "{name}, {len} bytes");
        }
        // A damaged tree is never reported as a damaged file, and never hides one.
        case.flip(10_000);
        file.write_all_at(&tree, 0).expect("restored");
        assert_eq!(diagnosis(&case, &place), Diagnosis::FileDamaged);
        file.write_all_at(&[tree[tree.len() - 1] ^ 1], tree.len() as u64 - 1).expect("damaged");
        assert_eq!(diagnosis(&case, &place), Diagnosis::CannotTell);
    }
}

#[test]
fn trusted_digest_decides_whether_the_tree_belongs_to_the_file() {
    let bytes = noise(12, MIB + 9);
    let case = Case::new(&bytes);
    case.built("sha256-tree", GRANULE);
    let store = case.store();
    let verdict = |trusted| {
        verify(case.path(), &store, Some(&trusted), &reading(1, &Progress::default()))
            .expect("verified")
            .diagnosis()
    };
    assert_eq!(verdict(spec("sha256-tree").digest(&bytes)), Diagnosis::Good);
    assert_eq!(verdict(spec("sha256-tree").digest(b"another")), Diagnosis::OtherTree);
}

#[test]
fn planted_damage_is_located_exactly() {
    let size = 1 << 30;
    let bytes = noise(13, size);
    let case = Case::new(&bytes);
    case.built("sha256-tree", GRANULE);
    let mut at = 77;
    for count in [1, 2, 5, 20] {
        let mut planted: Vec<Range<u64>> = Vec::new();
        let mut flipped = Vec::new();
        while flipped.len() < count {
            at = (at * 6_364_136_223 + 1_442_695) % size;
            let len = 1 + at % 3000;
            let end = (at + len).min(size);
            case.patch(at, &bytes[at as usize..end as usize].iter().map(|byte| !byte).collect::<Vec<u8>>());
            planted.extend((at / MIB..=(end - 1) / MIB).map(|granule| granule * MIB..(granule + 1) * MIB));
            flipped.push(at..end);
        }
        planted.sort_by_key(|range| range.start);
        planted.dedup();
        let report = case.verify();
        let granules = |range: &Range<u64>| (range.start / MIB..range.end / MIB).collect::<Vec<u64>>();
        let found: Vec<u64> = report.damaged().iter().flat_map(granules).collect();
        assert_eq!(found, planted.iter().flat_map(granules).collect::<Vec<u64>>());
        for range in flipped {
            case.patch(range.start, &bytes[range.start as usize..range.end as usize]);
        }
    }
    assert_eq!(case.verify().diagnosis(), Diagnosis::Good);
}
