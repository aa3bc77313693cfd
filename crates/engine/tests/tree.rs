//! Stored trees over real files: built, interrupted, damaged, verified.
#![allow(
    clippy::single_range_in_vec_init,
    reason = "lists of ranges are what is meant, also where there is one"
)]

use std::io::Write;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use truesum::hash::tree::{Merkle, consistency_path, range_path};
use truesum::hash::{Digest, Spec};
use truesum::tree::build::{Begin, Saved, Saving, save};
use truesum::tree::combine::{Misfit, Origins, combine};
use truesum::tree::findings::findings_of;
use truesum::tree::growth::{GrowthProof, prove_growth, verify_growth};
use truesum::tree::locate::{Comparison, Difference, Judgement, Length, Shift, verify};
use truesum::tree::piece::{Piece, hash_range};
use truesum::tree::prove::{RangeProof, Refuted, Row, prove, read_row, verify_proof};
use truesum::tree::reading::Reading;
use truesum::tree::repair::{Mode, repair};
use truesum::tree::store::{GRANULE, Hints, Store, part_of};
use truesum::{Error, Mapping, Progress};

const MIB: u64 = 1 << 20;

fn spec(name: &str) -> Spec {
    name.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn reading(threads: usize, progress: &Progress) -> Reading<'_> {
    Reading { threads, mapping: Mapping::Guarded, ..Reading::new(progress) }
}

/// Random bytes that differ at every offset.
fn noise(seed: u64, len: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let word = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_F491_4F6C_DD1D).to_le_bytes()
    };
    let mut bytes: Vec<u8> = std::iter::repeat_with(word).take(len.div_ceil(8) as usize).flatten().collect();
    bytes.truncate(len as usize);
    bytes
}

struct Case {
    _folder: tempfile::TempDir,
    file: PathBuf,
    tree: PathBuf,
}

impl Case {
    fn new(bytes: &[u8]) -> Case {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, tree) = (folder.path().join("data"), folder.path().join("data.ftr"));
        std::fs::write(&file, bytes).expect("written");
        Case { _folder: folder, file, tree }
    }

    fn path(&self) -> &Path {
        &self.file
    }

    fn save(&self, name: &str, granule: u64, begin: Begin, beside: &[Spec]) -> Result<Saved, Error> {
        let saving = Saving { target: &self.tree, granule, begin, beside };
        save(self.path(), &spec(name), &saving, &reading(3, &Progress::default()))
    }

    fn built(&self, name: &str, granule: u64) -> Saved {
        self.save(name, granule, Begin::Fresh, &[]).expect("built")
    }

    fn verify(&self) -> Difference {
        let store = Store::open(&self.tree).expect("readable").expect("a stored tree");
        verify(self.path(), &store, None, &reading(2, &Progress::default())).expect("verified")
    }

    fn patch(&self, offset: u64, bytes: &[u8]) {
        let file = std::fs::OpenOptions::new().write(true).open(&self.file).expect("writable");
        file.write_all_at(bytes, offset).expect("patched");
    }

    /// Changes a byte and puts the modification time back.
    fn flip_unnoticed(&self, offset: u64) {
        let file = std::fs::File::options().read(true).write(true).open(&self.file).expect("open");
        let modified = file.metadata().and_then(|metadata| metadata.modified()).expect("a time");
        self.flip(offset);
        file.set_modified(modified).expect("put back");
    }

    fn flip(&self, offset: u64) {
        let mut byte = [0];
        let file = std::fs::File::open(&self.file).expect("readable");
        file.read_exact_at(&mut byte, offset).expect("there");
        self.patch(offset, &[byte[0] ^ 0x20]);
    }
}

#[test]
fn trees_of_every_kind_hold_the_digest_and_find_damage() {
    let sizes = [0, 1, 65_536, 100_000, MIB, MIB + 1, 3 * MIB, 5 * MIB + 77];
    let kinds = [
        ("sha256-tree", MIB),
        ("sha256-tree", 64 << 10),
        ("md5-tree;leaf=4KiB", 4 * MIB),
        ("sha512-tree;leaf=2MiB", MIB),
        ("sha512-256-tree", 2 * MIB),
        ("blake3", MIB),
        ("blake3", 16 << 10),
        ("mtsum-sha256", MIB),
        ("mtsum-v1.0-md5", MIB),
    ];
    for size in sizes {
        let bytes = noise(size + 1, size);
        let case = Case::new(&bytes);
        for (name, granule) in kinds {
            let saved = case.built(name, granule);
            assert_eq!(saved.found.digests, [spec(name).digest(&bytes)], "{name} of {size} bytes");
            assert_eq!(saved.found.size, size);
            assert!(!part_of(&case.tree).exists());
            let report = case.verify();
            assert_eq!(
                (report.judgement, report.damaged, report.blemish),
                (Judgement::Good, vec![], None),
                "{name} {size}"
            );
            for offset in [0, size / 2, size.saturating_sub(1)] {
                if size == 0 {
                    continue;
                }
                case.flip(offset);
                let report = case.verify();
                assert_eq!(report.judgement, Judgement::FileDamaged, "{name} of {size} bytes, byte {offset}");
                let [damaged] = &report.damaged[..] else { panic!("{:?}", report.damaged) };
                let store = Store::open(&case.tree).expect("readable").expect("a tree");
                let granules = 0..store.header().granules();
                let hit =
                    granules.map(|index| store.header().range(index)).find(|range| range.contains(&offset));
                assert_eq!(Some(damaged.clone()), hit, "{name} of {size} bytes, byte {offset}");
                case.flip(offset);
            }
        }
    }
}

#[test]
fn holes_and_data_give_the_same_tree() {
    let case = Case::new(b"");
    let file = std::fs::OpenOptions::new().write(true).open(&case.file).expect("writable");
    file.set_len(41 * MIB + 5).expect("grown");
    drop(file);
    let mut bytes = vec![0; (41 * MIB + 5) as usize];
    for at in [0, 7 * MIB + 3, 40 * MIB] {
        case.patch(at, b"data");
        bytes[at as usize..at as usize + 4].copy_from_slice(b"data");
    }
    for (name, granule) in
        [("sha256-tree", MIB), ("sha256-tree", 64 << 10), ("md5-tree", 8 * MIB), ("blake3", MIB)]
    {
        let saved = case.built(name, granule);
        assert_eq!(saved.found.digests, [spec(name).digest(&bytes)], "{name}");
        assert_eq!(case.verify().judgement, Judgement::Good);
    }
    case.flip(20 * MIB);
    let report = case.verify();
    assert_eq!((report.judgement, report.damaged), (Judgement::FileDamaged, vec![20 * MIB..21 * MIB]));
}

#[test]
fn plain_digests_ride_along() {
    let beside = ["sha256", "md5", "crc32", "blake3"].map(spec);
    for size in [0, 1, MIB, 40 * MIB + 9] {
        let bytes = noise(5, size);
        let case = Case::new(&bytes);
        for name in ["sha256-tree", "mtsum-md5", "mtsum-v1.0-sha256", "sha512-tree;leaf=4MiB"] {
            let progress = Progress::default();
            let saving =
                Saving { target: &case.tree, granule: GRANULE, begin: Begin::Fresh, beside: &beside };
            let saved = save(case.path(), &spec(name), &saving, &reading(3, &progress)).expect("built");
            let expected: Vec<_> =
                std::iter::once(&spec(name)).chain(&beside).map(|spec| spec.digest(&bytes)).collect();
            assert_eq!(saved.found.digests, expected, "{name} of {size} bytes");
            assert_eq!(progress.bytes(), size, "{name}: one read for all");
            assert_eq!(case.verify().judgement, Judgement::Good, "{name} of {size} bytes");
        }
    }
}

#[test]
fn a_stopped_build_goes_on_where_it_was() {
    let bytes = noise(6, 160 * MIB);
    // Small leaves, and large ones that are hashed one after the other beside a plain digest.
    for name in ["sha256-tree", "md5-tree;leaf=2MiB"] {
        stopped_and_resumed(&bytes, name);
    }
}

fn stopped_and_resumed(bytes: &[u8], name: &str) {
    let case = Case::new(bytes);
    let beside = [spec("sha256")];
    let progress = Progress::default();
    let saving = Saving { target: &case.tree, granule: GRANULE, begin: Begin::Fresh, beside: &beside };
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            while progress.bytes() < 110 * MIB {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            progress.stop();
        });
        save(case.path(), &spec(name), &saving, &reading(2, &progress))
    });
    assert!(result.is_err());
    assert!(!case.tree.exists() && part_of(&case.tree).exists());
    let again = Progress::default();
    let saving = Saving { begin: Begin::Resume, ..saving };
    let saved = save(case.path(), &spec(name), &saving, &reading(2, &again)).expect("goes on");
    assert!(saved.kept * saved.store.header().granule >= 70 * MIB, "{} granules kept", saved.kept);
    assert!(again.bytes() < 110 * MIB, "{} bytes read again: SHA-256 was started over", again.bytes());
    assert_eq!(saved.found.digests, [spec(name).digest(bytes), spec("sha256").digest(bytes)]);
    let names: Vec<_> = std::fs::read_dir(case.tree.parent().expect("a folder"))
        .expect("listed")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn a_build_of_a_file_that_changed_is_not_gone_on_with() {
    let case = Case::new(&noise(7, 8 * MIB));
    let unfinished = || {
        let progress = Progress::default();
        progress.stop();
        let saving = Saving { target: &case.tree, granule: GRANULE, begin: Begin::Fresh, beside: &[] };
        assert!(save(case.path(), &spec("sha256-tree"), &saving, &reading(1, &progress)).is_err());
    };
    unfinished();
    assert!(case.save("md5-tree", GRANULE, Begin::Resume, &[]).is_err(), "another algorithm");
    assert!(case.save("sha256-tree", 2 * GRANULE, Begin::Resume, &[]).is_err(), "another granule");
    std::thread::sleep(std::time::Duration::from_millis(20));
    case.flip(0);
    assert!(case.save("sha256-tree", GRANULE, Begin::Resume, &[]).is_err(), "another modification time");
    unfinished();
    std::thread::sleep(std::time::Duration::from_millis(20));
    case.flip_unnoticed(1);
    assert!(case.save("sha256-tree", GRANULE, Begin::Resume, &[]).is_err(), "the modification time put back");
    unfinished();
    let copy = case.file.with_extension("copy");
    std::fs::copy(&case.file, &copy).expect("copied");
    std::fs::rename(&copy, &case.file).expect("renamed");
    assert!(case.save("sha256-tree", GRANULE, Begin::Resume, &[]).is_err(), "another inode");
    unfinished();
    assert!(case.save("sha256-tree", GRANULE, Begin::Resume, &[]).is_ok());
}

#[test]
fn a_grown_file_is_read_from_where_it_grew() {
    let bytes = noise(8, 20 * MIB + 300);
    for (name, old) in
        [("sha256-tree", 10 * MIB + 7), ("sha256-tree", 10 * MIB), ("blake3", 3 * MIB + 1), ("md5-tree", 0)]
    {
        let case = Case::new(&bytes[..old as usize]);
        case.built(name, GRANULE);
        std::fs::write(&case.file, &bytes).expect("grown");
        let progress = Progress::default();
        let saving = Saving { target: &case.tree, granule: GRANULE, begin: Begin::Append, beside: &[] };
        let saved = save(case.path(), &spec(name), &saving, &reading(2, &progress)).expect("appended");
        assert_eq!(saved.found.digests, [spec(name).digest(&bytes)]);
        assert_eq!(progress.bytes(), bytes.len() as u64 - old / MIB * MIB);
        assert_eq!(case.verify().judgement, Judgement::Good);
        assert!(case.save(name, GRANULE, Begin::Append, &[]).is_err(), "it did not grow");
    }
}

#[test]
fn only_the_granules_said_to_have_changed_are_read() {
    let mut bytes = noise(9, 10 * MIB);
    let case = Case::new(&bytes);
    case.built("sha256-tree", GRANULE);
    for at in [3 * MIB + 5, 9 * MIB] {
        case.flip(at);
        bytes[at as usize] ^= 0x20;
    }
    let progress = Progress::default();
    let begin = Begin::Changed(vec![3 * MIB + 5..3 * MIB + 6, 9 * MIB..9 * MIB + 1]);
    let saving = Saving { target: &case.tree, granule: GRANULE, begin, beside: &[] };
    let saved = save(case.path(), &spec("sha256-tree"), &saving, &reading(2, &progress)).expect("built");
    assert_eq!(saved.found.digests, [spec("sha256-tree").digest(&bytes)]);
    assert_eq!(progress.bytes(), 2 * MIB);
    assert_eq!(case.verify().judgement, Judgement::Good);
}

#[test]
fn truncated_grown_and_shifted_files_are_told_apart() {
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
            (report.judgement, report.length),
            (Judgement::FileDamaged, Length::Truncated(len - 4 * MIB - 5))
        );
        if exact {
            assert_eq!(report.damaged, vec![4 * MIB..len]);
        }
        let report = see(&[&bytes[..], b"more"].concat());
        assert_eq!((report.judgement, report.length), (Judgement::FileDamaged, Length::Grown(4)));
        assert_eq!(report.damaged, vec![]);
        let inserted = [&bytes[..5 * MIB as usize], b"new", &bytes[5 * MIB as usize..]].concat();
        let report = see(&inserted);
        assert_eq!((report.judgement, report.length), (Judgement::FileDamaged, Length::Grown(3)));
        if exact {
            assert_eq!(report.shift, Some(Shift { from: 5 * MIB, by: 3 }));
        }
        let lost = [&bytes[..5 * MIB as usize + 9], &bytes[5 * MIB as usize + 1000..]].concat();
        let report = see(&lost);
        assert_eq!(report.length, Length::Truncated(991));
        if exact {
            assert_eq!(report.shift, Some(Shift { from: 6 * MIB, by: -991 }));
        }
        let report = see(&[]);
        assert_eq!((report.judgement, report.damaged), (Judgement::FileDamaged, vec![0..len]), "{name}");
        assert_eq!(see(&bytes).judgement, Judgement::Good);
    }
}

/// What `verify` says of a stored tree with these bytes; refusal to open it is tree damage too.
fn judged(case: &Case, place: &Path) -> Judgement {
    match Store::open(place).expect("readable") {
        Err(_) => Judgement::TreeDamaged,
        Ok(store) => match verify(case.path(), &store, None, &reading(1, &Progress::default())) {
            Ok(report) => report.judgement,
            // A tree that says of itself that it is not complete.
            Err(_) => Judgement::TreeDamaged,
        },
    }
}

#[test]
fn every_flipped_bit_and_every_truncation_of_a_tree_is_noticed() {
    for name in ["sha256-tree;leaf=4KiB", "blake3"] {
        let case = Case::new(&noise(11, 20_000));
        case.built(name, 4096);
        let tree = std::fs::read(&case.tree).expect("there");
        let place = case.tree.with_extension("damaged");
        std::fs::write(&place, &tree).expect("written");
        let file = std::fs::OpenOptions::new().write(true).open(&place).expect("writable");
        assert_eq!(judged(&case, &place), Judgement::Good);
        for bit in 0..tree.len() * 8 {
            let at = bit / 8;
            file.write_all_at(&[tree[at] ^ (1 << (bit % 8))], at as u64).expect("flipped");
            let verdict = judged(&case, &place);
            assert!(
                matches!(verdict, Judgement::TreeDamaged | Judgement::CannotTell),
                "{name}, bit {bit}: {verdict:?}"
            );
            file.write_all_at(&tree[at..=at], at as u64).expect("mended");
        }
        file.write_all_at(&[0], tree.len() as u64).expect("longer");
        assert_eq!(judged(&case, &place), Judgement::TreeDamaged);
        for len in (0..tree.len()).rev() {
            file.set_len(len as u64).expect("cut");
            assert_eq!(judged(&case, &place), Judgement::TreeDamaged, "{name}, {len} bytes");
        }
        // A damaged tree never lends its name to a damaged file, nor hides it.
        case.flip(10_000);
        file.write_all_at(&tree, 0).expect("whole again");
        assert_eq!(judged(&case, &place), Judgement::FileDamaged);
        file.write_all_at(&[tree[tree.len() - 1] ^ 1], tree.len() as u64 - 1).expect("damaged");
        assert_eq!(judged(&case, &place), Judgement::CannotTell);
    }
}

/// Verifies with what was kept, and stops after `stop` bytes.
fn go_on(case: &Case, threads: usize, stop: Option<u64>) -> (Result<Difference, Error>, u64) {
    let store = Store::open(&case.tree).expect("readable").expect("a tree");
    let comparison = Comparison { trusted: None, resume: true };
    let progress = Progress::default();
    let ended = std::sync::atomic::AtomicBool::new(false);
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Relaxed) && stop.is_some_and(|stop| progress.bytes() < stop) {
                std::thread::yield_now();
            }
            if stop.is_some() {
                progress.stop();
            }
        });
        let result = comparison.verify(case.path(), &store, &reading(threads, &progress));
        ended.store(true, Relaxed);
        result
    });
    (result, progress.bytes())
}

#[test]
fn an_interrupted_verification_reads_only_the_rest_and_finds_the_same() {
    let size = 96 * MIB + 4321;
    let bytes = noise(17, size);
    for (name, granule) in [
        ("sha256-tree", MIB),
        ("sha256-tree", 64 << 10),
        ("md5-tree", 4 * MIB),
        ("blake3", MIB),
        ("mtsum-v1.0-md5", MIB),
    ] {
        let case = Case::new(&bytes);
        case.built(name, granule);
        for at in [5, 17 * MIB + 9, 50 * MIB, 51 * MIB - 1, 96 * MIB + 4320] {
            case.flip(at);
        }
        let whole = case.verify();
        assert_eq!(whole.judgement, Judgement::FileDamaged);
        let kept = findings_of(&case.tree);
        let (mut read, mut stops) = (0, 0);
        let report = loop {
            // Longer each time: leaves that are hashed side by side end together, or are begun anew.
            let (result, bytes) = go_on(&case, 2, Some((stops + 1) * 7 * MIB));
            read += bytes;
            match result {
                Ok(report) => break report,
                Err(_) => assert!(kept.exists(), "{name}"),
            }
            stops += 1;
            assert!(stops < 100, "{name} does not come on");
        };
        assert_eq!((report.judgement, &report.damaged), (whole.judgement, &whole.damaged), "{name}");
        if name != "mtsum-v1.0-md5" {
            assert!(stops > 0 && report.before > 0, "{name}: {stops} stops");
            // Granules of several units that were under way are read again.
            let twice = if granule > MIB { stops * 2 * granule } else { 0 };
            assert!(read <= size + twice, "{name}: {read} bytes read of {size}");
        }
        assert!(!kept.exists(), "{name}: it has its result");
        let (report, read) = go_on(&case, 2, None);
        assert_eq!((report.expect("anew").before, read), (0, size), "{name}: nothing is left to go on with");
    }
}

#[test]
fn a_verification_is_not_gone_on_with_over_another_file_or_tree() {
    let bytes = noise(18, 40 * MIB);
    let case = Case::new(&bytes);
    case.built("sha256-tree", MIB);
    let kept = findings_of(&case.tree);
    let stopped = || {
        let _ = std::fs::remove_file(&kept);
        assert!(go_on(&case, 1, Some(10 * MIB)).0.is_err());
        std::fs::read(&kept).expect("kept")
    };
    stopped();
    // What was looked at is damaged now: the other modification time says that it must be looked at again.
    case.flip(MIB);
    assert!(go_on(&case, 1, None).0.is_err(), "another modification time");
    case.flip(MIB);
    stopped();
    std::thread::sleep(std::time::Duration::from_millis(20));
    case.flip_unnoticed(MIB);
    assert!(go_on(&case, 1, None).0.is_err(), "the modification time put back");
    case.flip(MIB);
    stopped();
    let copy = case.file.with_extension("copy");
    std::fs::copy(&case.file, &copy).expect("copied");
    std::fs::rename(&copy, &case.file).expect("renamed");
    assert!(go_on(&case, 1, None).0.is_err(), "another inode");
    stopped();
    std::fs::OpenOptions::new().append(true).open(&case.file).expect("open").write_all(b"x").expect("longer");
    assert!(go_on(&case, 1, None).0.is_err(), "another size");
    std::fs::write(&case.file, &bytes).expect("as before");
    stopped();
    let tree = std::fs::read(&case.tree).expect("there");
    let mut other = tree.clone();
    *other.last_mut().expect("a byte") ^= 1;
    std::fs::write(&case.tree, &other).expect("damaged");
    assert!(go_on(&case, 1, None).0.is_err(), "another tree");
    std::fs::write(&case.tree, &tree).expect("whole");
    // Without being asked to, nothing of it is read or written.
    let before = stopped();
    std::fs::write(&kept, b"nonsense").expect("written");
    assert_eq!(case.verify().judgement, Judgement::Good);
    assert_eq!(std::fs::read(&kept).expect("there"), b"nonsense");
    assert!(go_on(&case, 1, None).0.is_err(), "damaged");
    std::fs::write(&kept, before).expect("whole again");
    let (report, read) = go_on(&case, 1, None);
    let report = report.expect("gone on with");
    assert_eq!((report.judgement, report.before + read), (Judgement::Good, 40 * MIB));
    assert!(report.before >= 10 * MIB);
}

#[test]
fn a_digest_that_is_trusted_decides_whose_tree_it_is() {
    let bytes = noise(12, MIB + 9);
    let case = Case::new(&bytes);
    case.built("sha256-tree", GRANULE);
    let store = Store::open(&case.tree).expect("readable").expect("a tree");
    let verdict = |trusted| {
        verify(case.path(), &store, Some(&trusted), &reading(1, &Progress::default()))
            .expect("verified")
            .judgement
    };
    assert_eq!(verdict(spec("sha256-tree").digest(&bytes)), Judgement::Good);
    assert_eq!(verdict(spec("sha256-tree").digest(b"another")), Judgement::OtherTree);
}

#[test]
fn planted_damage_is_found_exactly() {
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
        let found = case.verify().damaged;
        let granules = |range: &Range<u64>| (range.start / MIB..range.end / MIB).collect::<Vec<u64>>();
        let found: Vec<u64> = found.iter().flat_map(granules).collect();
        assert_eq!(found, planted.iter().flat_map(granules).collect::<Vec<u64>>());
        for range in flipped {
            case.patch(range.start, &bytes[range.start as usize..range.end as usize]);
        }
    }
    assert_eq!(case.verify().judgement, Judgement::Good);
}

#[test]
fn repair_restores_bit_for_bit_and_touches_nothing_else() {
    let bytes = noise(14, 20 * MIB + 999);
    let case = Case::new(&bytes);
    case.built("sha256-tree", GRANULE);
    let copy = case.file.with_extension("copy");
    let mut other = bytes.clone();
    // The copy has damage of its own.
    other[11 * MIB as usize] ^= 1;
    std::fs::write(&copy, &other).expect("written");
    let store = || Store::open(&case.tree).expect("readable").expect("a tree");
    let mend = |mode| {
        let progress = Progress::default();
        repair(case.path(), &store(), None, &copy, mode, &reading(2, &progress)).expect("tried")
    };
    for at in [5, 3 * MIB + 4096 * 7, 20 * MIB + 998] {
        case.flip(at);
    }
    let other = spec("sha256-tree").digest(b"another");
    let progress = Progress::default();
    let (report, mends) =
        repair(case.path(), &store(), Some(&other), &copy, Mode::Write, &reading(2, &progress))
            .expect("tried");
    assert_eq!((report.judgement, mends), (Judgement::OtherTree, vec![]));
    let damaged = std::fs::read(&case.file).expect("there");
    let (report, plan) = mend(Mode::DryRun);
    assert_eq!(report.judgement, Judgement::FileDamaged);
    assert_eq!(
        plan.iter().map(|mend| (mend.possible, mend.writes)).collect::<Vec<_>>(),
        [(true, 4096), (true, 4096), (true, 999)]
    );
    assert_eq!(std::fs::read(&case.file).expect("there"), damaged, "a dry run writes nothing");
    assert_eq!(mend(Mode::Write).1, plan);
    assert_eq!(std::fs::read(&case.file).expect("there"), bytes);
    // Where both are damaged, nothing is written.
    case.flip(11 * MIB + 5);
    case.flip(1);
    let (_, mends) = mend(Mode::Write);
    assert_eq!(mends.iter().map(|mend| mend.possible).collect::<Vec<_>>(), [true, false]);
    let report = case.verify();
    assert_eq!(report.damaged, vec![11 * MIB..12 * MIB]);
    case.flip(11 * MIB + 5);
    assert_eq!(std::fs::read(&case.file).expect("there"), bytes);
    // A truncated file gets its end back.
    std::fs::write(&copy, &bytes).expect("written");
    std::fs::write(&case.file, &bytes[..7 * MIB as usize + 1]).expect("cut");
    let (report, _) = mend(Mode::Write);
    assert!(report.can_be_mended());
    assert_eq!(std::fs::read(&case.file).expect("there"), bytes);
}

#[test]
fn proofs_of_ranges_are_checked_by_reading_only_the_range() {
    let bytes = noise(15, 5 * MIB + 77);
    let case = Case::new(&bytes);
    for name in ["sha256-tree", "md5-tree;leaf=4KiB", "blake3", "sha512-tree;leaf=2MiB"] {
        case.built(name, 4 * MIB);
        let store = Store::open(&case.tree).expect("readable").expect("a tree");
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
            // BLAKE3 binds the place of every chunk, the length only in the last one.
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

/// One bit of a digest, or of one of some, flipped.
fn flipped(hash: &Digest) -> Digest {
    let mut bytes = hash.as_bytes().to_vec();
    bytes[3] ^= 4;
    Digest::new(&bytes)
}

#[test]
fn growth_is_proven_by_reading_at_most_a_leaf_and_forgeries_are_refused() {
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
            let store = case.built(name, 64 << 10).store;
            let progress = Progress::default();
            let proof = prove_growth(case.path(), &Row::Stored(&store), &old, &reading(1, &progress))
                .expect("proven");
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
            // Hashes alone are enough where the old file was of whole leaves.
            assert_eq!(
                verify_growth(None, &proof, &old_digest, &new_digest, &reading(1, &progress)).is_ok(),
                whole,
                "{what}"
            );
            assert!(matches!(see(&proof, &flipped(&old_digest), &new_digest), Err(Refuted::OtherOld(_))));
            assert!(matches!(see(&proof, &old_digest, &flipped(&new_digest)), Err(Refuted::Other(_))));
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
                // The same length, one byte of the old part another: no honest tree of it leads to a proof.
                case.flip(old_size - 1);
                let other = case.built(name, 64 << 10);
                let (row, changed) = (Row::Stored(&other.store), &other.found.digests[0]);
                assert!(
                    prove_growth(case.path(), &row, &old, &reading(1, &progress)).is_err(),
                    "{what}: no beginning"
                );
                // Nor does the honest path of the changed file with the old root beside it.
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
    // What shrank did not grow, and digests that do not bind a length prove nothing of the kind.
    let old = Store::open(&old_tree).expect("readable").expect("a tree");
    std::fs::write(&case.file, &bytes[..MIB as usize]).expect("cut");
    let store = case.built(name, MIB).store;
    let progress = Progress::default();
    assert!(prove_growth(case.path(), &Row::Stored(&store), &old, &reading(1, &progress)).is_err());
    let store = case.built("blake3", MIB).store;
    assert!(prove_growth(case.path(), &Row::Stored(&store), &store, &reading(1, &progress)).is_err());
}

#[test]
fn a_tree_takes_the_place_of_no_other_file() {
    let case = Case::new(&noise(19, 2 * MIB));
    let (target, part) = (case.tree.clone(), part_of(&case.tree));
    let flat = target.with_extension("ftr.flat");
    let elsewhere = case.file.with_extension("precious");
    let beside = [spec("sha256")];
    let save = || {
        let saving = Saving { target: &target, granule: MIB, begin: Begin::Fresh, beside: &beside };
        save(case.path(), &spec("sha256-tree"), &saving, &reading(1, &Progress::default()))
    };
    type Lay = fn(&Path, &Path);
    let lays: [(&Path, Lay); 4] = [
        (&target, |place, _| std::fs::write(place, "a document").expect("written")),
        (&part, |place, _| std::fs::write(place, "a document").expect("written")),
        (&part, |place, elsewhere| std::os::unix::fs::symlink(elsewhere, place).expect("linked")),
        (&part, |place, elsewhere| std::fs::hard_link(elsewhere, place).expect("linked")),
    ];
    for (place, lay) in lays {
        std::fs::write(&elsewhere, "precious").expect("written");
        lay(place, &elsewhere);
        let before = std::fs::read(place).expect("there");
        let refusal = save().expect_err("refused").to_string();
        assert!(refusal.contains(&*place.to_string_lossy()), "{refusal}");
        assert_eq!(std::fs::read(place).expect("there"), before);
        assert_eq!(std::fs::read(&elsewhere).expect("there"), b"precious");
        std::fs::remove_file(place).expect("removed");
        let _ = std::fs::remove_file(&part);
    }
    std::fs::write(&flat, "a document").expect("written");
    save().expect("saved");
    assert_eq!(std::fs::read(&flat).expect("there"), b"a document");
    // Its own trees it replaces, damaged ones too.
    let mut bytes = std::fs::read(&target).expect("there");
    bytes[0] ^= 1;
    std::fs::write(&target, bytes).expect("written");
    save().expect("saved");
}

#[test]
fn pieces_of_two_states_of_a_file_make_no_digest() {
    let bytes = noise(17, 2 * MIB);
    let case = Case::new(&bytes);
    let piece = |range| {
        hash_range(case.path(), &spec("sha256-tree"), range, &reading(1, &Progress::default()))
            .expect("hashed")
    };
    let first = piece(0..MIB);
    // Another content of the same size, with the time of the old one: as `cp -p` and `rsync --inplace -t` write it.
    let written = std::fs::metadata(&case.file).expect("there").modified().expect("a time");
    let file = std::fs::OpenOptions::new().write(true).open(&case.file).expect("opened");
    file.write_all_at(&noise(18, 2 * MIB), 0).expect("written");
    file.set_modified(written).expect("set");
    drop(file);
    let second = piece(MIB..2 * MIB);
    let found = combine(vec![first.clone(), second.clone()], Origins::One);
    assert!(
        matches!(found, Err(Misfit::Moved(_, ref path, _)) if path == case.file.as_os_str().as_encoded_bytes()),
        "{found:?}"
    );
    // The same bytes in another file are another state, too.
    std::fs::rename(&case.file, case.file.with_extension("old")).expect("renamed");
    std::fs::write(&case.file, &bytes).expect("written");
    let found = combine(vec![first, piece(MIB..2 * MIB)], Origins::One);
    assert!(matches!(found, Err(Misfit::Moved(..))), "{found:?}");
}

#[test]
fn pieces_from_many_workers_combine_and_others_do_not() {
    let bytes = noise(16, 6 * MIB + 4321);
    let len = bytes.len() as u64;
    let case = Case::new(&bytes);
    let progress = Progress::default();
    let cases: [(&str, &[u64]); 8] = [
        ("sha256-tree", &[0, 65_536, 3 * MIB, 3 * MIB + 65_536, len]),
        ("sha256-tree", &[0, len]),
        ("blake3", &[0, 1024, 2 * MIB, len]),
        ("blake3", &[0, len]),
        ("glacier", &[0, 2 * MIB, 5 * MIB, len]),
        ("crc32", &[0, 1, 1_000_003, len]),
        ("s3-etag;part=1MiB", &[0, 4 * MIB, len]),
        ("mtsum-md5", &[0, len / 2, len]),
    ];
    for (name, cuts) in cases {
        let part = |range: Range<u64>| {
            hash_range(case.path(), &spec(name), range, &reading(2, &progress)).expect("hashed")
        };
        let mut parts: Vec<Piece> = cuts.windows(2).map(|pair| part(pair[0]..pair[1])).collect();
        parts.reverse();
        let digest = Ok(spec(name).digest(&bytes));
        assert_eq!(combine(parts.clone(), Origins::One), digest, "{name}");
        let mut doubled = parts.clone();
        doubled.push(parts[0].clone());
        assert_eq!(combine(doubled.clone(), Origins::One), digest, "{name}: a piece that came twice");
        let range = doubled[0].range.clone();
        let mut other = doubled[0].levels[0].1.as_bytes().to_vec();
        other[0] ^= 1;
        doubled[0].levels[0].1 = Digest::new(&other);
        assert_eq!(combine(doubled, Origins::One), Err(Misfit::Contradiction(range)));
        assert!(combine(parts[1..].to_vec(), Origins::One).is_err());
        if parts.len() > 1 {
            let mut other = parts.clone();
            other[0].size += 1;
            assert!(combine(other, Origins::One).is_err());
            for change in [
                |state: &mut Hints| state.mtime += 1,
                |state: &mut Hints| state.ctime -= 1,
                |state: &mut Hints| state.inode += 1,
            ] {
                let mut other = parts.clone();
                change(&mut other[1].origin.as_mut().expect("stamped").state);
                assert!(matches!(combine(other.clone(), Origins::One), Err(Misfit::Moved(..))), "{name}");
                assert_eq!(combine(other, Origins::Trusted), digest);
            }
            let mut elsewhere = parts.clone();
            let origin = elsewhere[1].origin.as_mut().expect("stamped");
            (origin.path, origin.state.device) = (b"/another/mount".to_vec(), !0);
            assert_eq!(combine(elsewhere, Origins::One), digest, "{name}: by another machine");
        }
        let mut other = parts.clone();
        other[0].origin = None;
        assert!(matches!(combine(other.clone(), Origins::One), Err(Misfit::Unstamped(_))), "{name}");
        assert_eq!(combine(other, Origins::Trusted), digest);
        let mut other = parts.clone();
        other[0].levels.pop();
        assert!(combine(other, Origins::One).is_err());
    }
    assert!(
        hash_range(case.path(), &spec("sha256-tree"), 1..len, &reading(1, &progress)).is_err(),
        "not at a leaf"
    );
    assert!(hash_range(case.path(), &spec("sha256"), 0..len, &reading(1, &progress)).is_err(), "a chain");
    assert!(combine(Vec::new(), Origins::One).is_err());
}
