//! Trees of every kind, with additional digests, of a whole file or of the changed parts; and what they replace.

use super::case::{Case, MIB, noise, reading, spec};
use std::path::Path;
use truesum::Progress;
use truesum::tree::build::{Begin, Saving, save};
use truesum::tree::locate::Diagnosis;
use truesum::tree::store::{GRANULE, part_of};

#[test]
fn trees_of_every_kind_have_the_digest_and_locate_damage() {
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
            assert_eq!(saved.found().digests(), [spec(name).digest(&bytes)], "{name} of {size} bytes");
            assert_eq!(saved.found().size(), size);
            assert!(!part_of(&case.tree).exists());
            let report = case.verify();
            assert_eq!(
                (report.diagnosis(), report.damaged(), report.blemish()),
                (Diagnosis::Good, &[][..], None),
                "{name} {size}"
            );
            for offset in [0, size / 2, size.saturating_sub(1)] {
                if size == 0 {
                    continue;
                }
                case.flip(offset);
                let report = case.verify();
                assert_eq!(
                    report.diagnosis(),
                    Diagnosis::FileDamaged,
                    "{name} of {size} bytes, byte {offset}"
                );
                let [damaged] = report.damaged() else { panic!("{:?}", report.damaged()) };
                let store = case.store();
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
        assert_eq!(saved.found().digests(), [spec(name).digest(&bytes)], "{name}");
        assert_eq!(case.verify().diagnosis(), Diagnosis::Good);
    }
    case.flip(20 * MIB);
    let report = case.verify();
    assert_eq!((report.diagnosis(), report.damaged()), (Diagnosis::FileDamaged, &[20 * MIB..21 * MIB][..]));
}

#[test]
fn plain_digests_are_computed_in_the_same_read() {
    let plain_digests = ["sha256", "md5", "crc32", "blake3"].map(spec);
    for size in [0, 1, MIB, 40 * MIB + 9] {
        let bytes = noise(5, size);
        let case = Case::new(&bytes);
        for name in ["sha256-tree", "mtsum-md5", "mtsum-v1.0-sha256", "sha512-tree;leaf=4MiB"] {
            let progress = Progress::default();
            let saving = Saving::new(&case.tree).plain_digests(&plain_digests);
            let saved = save(case.path(), &spec(name), &saving, &reading(3, &progress)).expect("built");
            let expected: Vec<_> =
                std::iter::once(&spec(name)).chain(&plain_digests).map(|spec| spec.digest(&bytes)).collect();
            assert_eq!(saved.found().digests(), expected, "{name} of {size} bytes");
            assert_eq!(progress.bytes(), size, "{name}: one read for all");
            assert_eq!(case.verify().diagnosis(), Diagnosis::Good, "{name} of {size} bytes");
        }
    }
}

#[test]
fn grown_file_is_read_only_from_its_old_end() {
    let bytes = noise(8, 20 * MIB + 300);
    for (name, old) in
        [("sha256-tree", 10 * MIB + 7), ("sha256-tree", 10 * MIB), ("blake3", 3 * MIB + 1), ("md5-tree", 0)]
    {
        let case = Case::new(&bytes[..old as usize]);
        case.built(name, GRANULE);
        std::fs::write(&case.file, &bytes).expect("grown");
        let progress = Progress::default();
        let saving = Saving::new(&case.tree).begin(Begin::Append);
        let saved = save(case.path(), &spec(name), &saving, &reading(2, &progress)).expect("appended");
        assert_eq!(saved.found().digests(), [spec(name).digest(&bytes)]);
        // From the last complete granule on, the rest was an incomplete granule both before and after.
        let compared = old - (old / MIB).saturating_sub(1) * MIB;
        assert_eq!(progress.bytes(), bytes.len() as u64 - old / MIB * MIB + compared);
        assert_eq!(saved.unread(), (old / MIB).saturating_sub(1) * MIB);
        assert_eq!(case.verify().diagnosis(), Diagnosis::Good);
        let again = case.save(name, GRANULE, Begin::Append, &[]).expect("nothing was appended");
        assert_eq!(again.found().digests(), [spec(name).digest(&bytes)]);
        case.flip(5);
        let changed = case.save(name, GRANULE, Begin::Append, &[]);
        assert!(changed.is_err(), "it changed and did not grow");
    }
}

#[test]
fn only_changed_granules_are_read() {
    let mut bytes = noise(9, 10 * MIB);
    let case = Case::new(&bytes);
    case.built("sha256-tree", GRANULE);
    for at in [3 * MIB + 5, 9 * MIB] {
        case.flip(at);
        bytes[at as usize] ^= 0x20;
    }
    let progress = Progress::default();
    let begin = Begin::Changed(vec![3 * MIB + 5..3 * MIB + 6, 9 * MIB..9 * MIB + 1]);
    let saving = Saving::new(&case.tree).begin(begin);
    let saved = save(case.path(), &spec("sha256-tree"), &saving, &reading(2, &progress)).expect("built");
    assert_eq!(saved.found().digests(), [spec("sha256-tree").digest(&bytes)]);
    assert_eq!((progress.bytes(), saved.unread()), (3 * MIB, 7 * MIB));
    assert_eq!(case.verify().diagnosis(), Diagnosis::Good);
}

#[test]
fn tree_does_not_replace_other_files() {
    let case = Case::new(&noise(19, 2 * MIB));
    let (target, part) = (case.tree.clone(), part_of(&case.tree));
    let flat = target.with_extension("ftr.flat");
    let elsewhere = case.file.with_extension("precious");
    let plain_digests = [spec("sha256")];
    let save = || {
        let saving = Saving::new(&target).granule(MIB).plain_digests(&plain_digests);
        save(case.path(), &spec("sha256-tree"), &saving, &reading(1, &Progress::default()))
    };
    type Lay = fn(&Path, &Path);
    let lays: [(&Path, Lay); 4] = [
        (&target, |place, _| std::fs::write(place, "a document").expect("written")),
        (&part, |place, _| std::fs::write(place, "a document").expect("written")),
        (&part, |place, elsewhere| truesum_fs::write::symlink(elsewhere, place).expect("linked")),
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
    // It replaces its own trees, including damaged ones.
    let mut bytes = std::fs::read(&target).expect("there");
    bytes[0] ^= 1;
    std::fs::write(&target, bytes).expect("written");
    save().expect("saved");
}
