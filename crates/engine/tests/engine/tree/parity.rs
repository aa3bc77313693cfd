//! Damage repaired from the parity file of a stored tree.

use super::case::{Case, MIB, noise, reading, spec};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use truesum::tree::build::{Begin, Saving, save};
use truesum::tree::locate::Diagnosis;
use truesum::tree::parity::{Parity, parity_of};
use truesum::tree::repair::{CopyFault, GranuleRepair, Mode, repair_from_parity};
use truesum::tree::store::part_of;
use truesum::{Error, Progress};

const BLOCK: u64 = 64 << 10;
const HEADER: usize = 256;

/// A file with a tree and parity: groups of `group` blocks.
struct Protected {
    case: Case,
    bytes: Vec<u8>,
    parity: PathBuf,
}

impl Protected {
    fn new(size: u64, name: &str, percent: u32, group: u64) -> Protected {
        let bytes = noise(size + 1, size);
        let case = Case::new(&bytes);
        let saving = Saving::new(&case.tree).granule(BLOCK).parity(Some(percent)).parity_group(group * BLOCK);
        let saved =
            save(case.path(), &spec(name), &saving, &reading(2, &Progress::default())).expect("saved");
        assert_eq!(saved.found().digests(), [spec(name).digest(&bytes)]);
        assert!(!part_of(&case.tree).exists());
        let parity = parity_of(&case.tree);
        Protected { case, bytes, parity }
    }

    fn open(&self) -> Result<Parity, Error> {
        Parity::open(&self.case.store())
    }

    fn repair(&self, mode: Mode) -> Vec<GranuleRepair> {
        let (parity, progress) = (self.open().expect("usable"), Progress::default());
        let reading = reading(2, &progress);
        repair_from_parity(self.case.path(), &self.case.store(), None, &parity, mode, &reading)
            .expect("tried")
            .1
    }

    fn file(&self) -> Vec<u8> {
        std::fs::read(&self.case.file).expect("there")
    }

    /// Damages these blocks, each at one byte.
    fn damage(&self, blocks: &[u64]) {
        blocks.iter().for_each(|block| self.case.flip((block * BLOCK).min(self.bytes.len() as u64 - 1)));
    }

    fn restore(&self) {
        std::fs::write(&self.case.file, &self.bytes).expect("written");
    }

    fn damage_parity(&self, change: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = std::fs::read(&self.parity).expect("there");
        change(&mut bytes);
        std::fs::write(&self.parity, bytes).expect("written");
    }
}

/// Returns `count` different numbers below `limit`, ascending.
fn choose(seed: u64, count: u64, limit: u64) -> Vec<u64> {
    let order = noise(seed, limit * 8);
    let key = |number: &u64| {
        let at = *number as usize * 8;
        order[at..at + 8].to_vec()
    };
    let mut numbers: Vec<u64> = (0..limit).collect();
    numbers.sort_by_key(key);
    numbers.truncate(count as usize);
    numbers.sort_unstable();
    numbers
}

#[test]
fn damage_is_repaired_up_to_the_limit_of_each_group_and_not_beyond() {
    // Groups of 10 blocks with 3 parity blocks each, and a last group of 4 and a half with 2.
    let case = Protected::new(34 * BLOCK + BLOCK / 2, "sha256-tree", 30, 10);
    for seed in 0..12 {
        let groups = [(0, 10, 3), (10, 10, 3), (20, 10, 3), (30, 5, 2)];
        let lost: Vec<Vec<u64>> = groups
            .iter()
            .map(|&(first, blocks, parity)| {
                let count = noise(seed * 4 + first, 1)[0] as u64 % (parity + 2);
                choose(seed + first, count, blocks).iter().map(|block| first + block).collect()
            })
            .collect();
        case.damage(&lost.concat());
        let damaged = case.file();
        let plan = case.repair(Mode::DryRun);
        assert_eq!(case.file(), damaged, "a dry run writes nothing");
        assert_eq!(case.repair(Mode::Write), plan);
        let missing: u64 = lost
            .iter()
            .zip(groups)
            .map(|(lost, (_, _, parity))| (lost.len() as u64).saturating_sub(parity))
            .sum();
        for repair in &plan {
            let block = repair.range().start / BLOCK;
            let (lost, (_, _, parity)) =
                lost.iter().zip(groups).find(|(lost, _)| lost.contains(&block)).expect("it was damaged");
            let repairable = lost.len() as u64 <= parity;
            assert_eq!(repair.possible(), repairable, "block {block} of {lost:?}");
            if !repairable {
                assert_eq!(repair.fault(), CopyFault::TooDamaged(lost.len() as u64 - parity));
            }
        }
        let open = case.open().expect("usable");
        assert_eq!(
            open.missing(case.case.verify().damaged(), &Progress::default()).expect("examined"),
            missing
        );
        let expected = if missing == 0 { Diagnosis::Good } else { Diagnosis::FileDamaged };
        assert_eq!(case.case.verify().diagnosis(), expected);
        assert_eq!(case.file() == case.bytes, missing == 0);
        case.restore();
    }
}

#[test]
fn files_of_every_size_and_kind_of_tree_are_repaired() {
    let sizes = [0, 1, 63, 64, 65, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK, 17 * BLOCK + 999];
    let kinds = ["sha256-tree", "blake3", "md5-tree;leaf=4KiB"];
    for (size, name) in sizes.into_iter().flat_map(|size| kinds.map(|name| (size, name))) {
        let case = Protected::new(size, name, 1, 4);
        if size == 0 {
            assert!(case.repair(Mode::Write).is_empty());
            continue;
        }
        for offset in [0, size / 2, size - 1] {
            case.case.flip(offset);
            // One byte is more than half of the shortest file.
            let repairs = case.repair(Mode::Most);
            assert!(repairs.len() == 1 && repairs[0].possible(), "{name} of {size} bytes: {repairs:?}");
            assert_eq!(case.file(), case.bytes, "{name} of {size} bytes, byte {offset}");
        }
        // The end of a truncated file is restored.
        std::fs::write(&case.case.file, &case.bytes[..case.bytes.len() - 1]).expect("cut");
        case.repair(Mode::Write);
        assert_eq!(case.file(), case.bytes, "{name} of {size} bytes, truncated");
    }
    // Leaves that are larger than a unit are hashed sequentially, next to parity.
    let case = Protected::new(6 * MIB + 5, "md5-tree;leaf=2MiB", 10, 64);
    case.damage(&[40]);
    assert!(case.repair(Mode::Write)[0].possible());
    assert_eq!(case.file(), case.bytes);
    let mtsum = Case::new(b"bytes");
    let saving = Saving::new(&mtsum.tree).parity(Some(5));
    let refusal = save(mtsum.path(), &spec("mtsum-sha256"), &saving, &reading(1, &Progress::default()));
    assert_eq!(refusal.expect_err("refused").kind(), truesum::Kind::Undivided);
}

#[test]
fn damaged_parity_file_is_detected_and_never_used() {
    let case = Protected::new(10 * BLOCK, "sha256-tree", 20, 10);
    let good = std::fs::read(&case.parity).expect("there");
    let restore = || std::fs::write(&case.parity, &good).expect("written");
    // Either header suffices.
    for at in 0..HEADER {
        case.damage_parity(|bytes| bytes[at] ^= 1);
        assert!(case.open().is_ok(), "byte {at} of the first header");
        case.damage_parity(|bytes| {
            let second = bytes.len() - HEADER + at;
            bytes[second] ^= 0x80;
        });
        assert!(case.open().is_err(), "byte {at} of both headers");
        restore();
    }
    // A damaged parity block is not used: one of two is left.
    for at in [HEADER, HEADER + 7777, HEADER + BLOCK as usize - 1, HEADER + BLOCK as usize + 31] {
        case.damage_parity(|bytes| bytes[at] ^= 4);
        case.damage(&[3]);
        assert!(case.repair(Mode::Write)[0].possible(), "byte {at}");
        assert_eq!(case.file(), case.bytes);
        case.damage(&[3, 8]);
        let repairs = case.repair(Mode::Write);
        assert!(repairs.iter().all(|repair| repair.fault() == CopyFault::TooDamaged(1)), "{repairs:?}");
        assert!(repairs.iter().all(|repair| !repair.possible()));
        case.restore();
        restore();
    }
    // The parity blocks of a truncated file that remain are used.
    case.damage(&[3]);
    case.damage_parity(|bytes| bytes.truncate(HEADER + BLOCK as usize + 32 + 5));
    assert!(case.repair(Mode::Write)[0].possible());
    assert_eq!(case.file(), case.bytes);
    for len in [0, 1, HEADER - 1] {
        case.damage_parity(|bytes| bytes.truncate(len));
        assert!(case.open().is_err(), "{len} bytes");
    }
    std::fs::write(&case.parity, noise(1, 5000)).expect("written");
    assert!(case.open().is_err());
    // Parity of another file or division.
    let other = Protected::new(10 * BLOCK + 1, "sha256-tree", 20, 10);
    std::fs::copy(&other.parity, &case.parity).expect("copied");
    assert!(case.open().expect_err("refused").to_string().contains("another stored tree"));
    std::fs::remove_file(&case.parity).expect("removed");
    assert!(case.open().expect_err("refused").is_missing());
}

#[test]
fn hostile_parity_file_writes_nothing_that_the_tree_does_not_verify() {
    let case = Protected::new(10 * BLOCK, "sha256-tree", 20, 10);
    let (first, end) = (HEADER, HEADER + BLOCK as usize);
    // A wrong parity block with a matching digest.
    case.damage_parity(|bytes| {
        bytes[first + 100] ^= 1;
        let block = [&0_u64.to_le_bytes()[..], &bytes[first..end]].concat();
        bytes[end..end + 32].copy_from_slice(spec("blake3").digest(&block).as_bytes());
    });
    case.damage(&[3, 8]);
    let damaged = case.file();
    let repairs = case.repair(Mode::Most);
    assert!(repairs.iter().all(|repair| !repair.possible() && repair.fault() == CopyFault::WrongParity));
    assert_eq!(case.file(), damaged);
    // Headers with matching digests that request too much memory, or describe no division.
    let header = std::fs::read(&case.parity).expect("there")[..HEADER].to_vec();
    for (at, value) in [
        (12, 0_u64.to_le_bytes()),
        (12, 101_u64.to_le_bytes()),
        (16, (u32::MAX as u64).to_le_bytes()),
        (24, u64::MAX.to_le_bytes()),
        (32, 0_u64.to_le_bytes()),
        (32, (1_u64 << 62).to_le_bytes()),
        (20, u64::MAX.to_le_bytes()),
    ] {
        let mut header = header.clone();
        header[at..at + 4].copy_from_slice(&value[..4]);
        if at >= 24 {
            header[at..at + 8].copy_from_slice(&value);
        }
        let digest = spec("blake3").digest(&header[..HEADER - 32]);
        header[HEADER - 32..].copy_from_slice(digest.as_bytes());
        case.damage_parity(|bytes| {
            let second = bytes.len() - HEADER;
            bytes[..HEADER].copy_from_slice(&header);
            bytes[second..].copy_from_slice(&header);
        });
        assert!(case.open().is_err(), "{value:?} at {at}");
    }
}

#[test]
fn build_with_parity_that_fails_leaves_no_files() {
    let case = Case::new(&noise(3, 64 * MIB));
    let names = || std::fs::read_dir(case.tree.parent().expect("a folder")).expect("listed").count();
    let saving = Saving::new(&case.tree).parity(Some(5)).parity_group(16 * MIB);
    let progress = Progress::default();
    progress.stop();
    assert!(save(case.path(), &spec("sha256-tree"), &saving, &reading(2, &progress)).is_err());
    assert_eq!(names(), 1, "stopped");
    let (progress, done) = (Progress::default(), AtomicBool::new(false));
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            // The file grows from its first read to the end of the run.
            while !done.load(Relaxed) {
                if progress.bytes() > 0 {
                    let mut file = std::fs::File::options().append(true).open(&case.file).expect("open");
                    std::io::Write::write_all(&mut file, b"more").expect("appended");
                }
                std::thread::yield_now();
            }
        });
        let result = save(case.path(), &spec("sha256-tree"), &saving, &reading(2, &progress));
        done.store(true, Relaxed);
        result
    });
    assert_eq!(result.expect_err("the file changed").kind(), truesum::Kind::Changed);
    assert_eq!(names(), 1, "changed");
    std::fs::write(parity_of(&case.tree), "a document").expect("written");
    assert!(save(case.path(), &spec("sha256-tree"), &saving, &reading(2, &Progress::default())).is_err());
    assert_eq!(std::fs::read(parity_of(&case.tree)).expect("there"), b"a document");
    let resumed = saving.begin(Begin::Resume);
    assert!(save(case.path(), &spec("sha256-tree"), &resumed, &reading(2, &Progress::default())).is_err());
}

#[test]
fn parity_is_not_replaced_if_its_tree_cannot_be_stored() {
    // regression: the parity file got its name first, so that a failure left new parity next to the old tree.
    let case = Protected::new(10 * BLOCK, "sha256-tree", 20, 10);
    let old = std::fs::read(&case.parity).expect("there");
    case.damage(&[3]);
    let (tree, away) = (&case.case.tree, case.case.tree.with_extension("away"));
    let saving = Saving::new(tree).granule(BLOCK).parity(Some(20)).parity_group(10 * BLOCK);
    // A directory with the name of the tree cannot be replaced by a file.
    std::fs::rename(tree, &away).expect("renamed");
    std::fs::create_dir(tree).expect("created");
    let progress = Progress::default();
    assert!(save(case.case.path(), &spec("sha256-tree"), &saving, &reading(2, &progress)).is_err());
    assert!(std::fs::read(&case.parity).expect("there") == old);
    std::fs::remove_dir(tree).and_then(|()| std::fs::rename(&away, tree)).expect("put back");
    assert!(case.repair(Mode::Write)[0].possible());
    assert_eq!(case.file(), case.bytes);
}

#[test]
fn parity_file_with_a_damaged_magic_number_is_replaced() {
    // regression: it was not recognized, so that new parity could not be stored.
    let case = Protected::new(3 * BLOCK, "sha256-tree", 20, 10);
    let saving = Saving::new(&case.case.tree).granule(BLOCK).parity(Some(20));
    let save = || save(case.case.path(), &spec("sha256-tree"), &saving, &reading(2, &Progress::default()));
    case.damage_parity(|bytes| bytes[..HEADER].fill(0));
    save().expect("recognized by the second header");
    assert!(case.open().is_ok());
    case.damage_parity(|bytes| {
        bytes[3] ^= 1;
        bytes.truncate(1000);
    });
    save().expect("recognized by the rest of the magic number");
    assert!(case.open().is_ok());
}

#[test]
fn stopped_repair_ends_and_writes_nothing() {
    // regression: a group was restored to its end after the run was stopped.
    let case = Protected::new(40 * BLOCK, "sha256-tree", 20, 40);
    case.damage(&[3, 9, 17]);
    let (damaged, progress) = (case.file(), Progress::default());
    let (parity, store) = (case.open().expect("usable"), case.case.store());
    let found = case.case.verify();
    progress.stop();
    let stopped = parity.missing(found.damaged(), &progress).expect_err("stopped");
    assert_eq!(stopped.kind(), truesum::Kind::Interrupted);
    let stopped =
        repair_from_parity(case.case.path(), &store, None, &parity, Mode::Write, &reading(2, &progress));
    assert_eq!(stopped.expect_err("stopped").kind(), truesum::Kind::Interrupted);
    assert_eq!(case.file(), damaged);
}

/// GF(2^16) as `docs/spec/parity.md` defines it, without tables of logarithms.
struct Field {
    /// The label of each polynomial, and the polynomial of each label.
    labels: Vec<u16>,
    polynomials: Vec<u16>,
}

impl Field {
    fn new() -> Field {
        const BASIS: [u16; 16] = [
            0x0001, 0xACCA, 0x3C0E, 0x163E, 0xC582, 0xED2E, 0x914C, 0x4012, 0x6C98, 0x10D8, 0x6A72, 0xB900,
            0xFDB8, 0xFB34, 0xFF38, 0x991E,
        ];
        let of =
            |label: u32| (0..16).filter(|bit| label >> bit & 1 == 1).fold(0, |sum, bit| sum ^ BASIS[bit]);
        let polynomials: Vec<u16> = (0..1 << 16).map(of).collect();
        let mut labels = vec![0; 1 << 16];
        for (label, &polynomial) in polynomials.iter().enumerate() {
            labels[usize::from(polynomial)] = label as u16;
        }
        Field { labels, polynomials }
    }

    fn multiply(&self, a: u16, b: u16) -> u16 {
        let (mut a, b) = (u32::from(self.polynomials[usize::from(a)]), self.polynomials[usize::from(b)]);
        let mut product = 0;
        for bit in 0..16 {
            product ^= if b >> bit & 1 == 1 { a } else { 0 };
            a = (a << 1) ^ if a & 0x8000 != 0 { 0x1002D } else { 0 };
        }
        self.labels[product as usize]
    }

    /// Returns `a / b`: `a` times `b` to the power of 2^16 - 2.
    fn divide(&self, a: u16, b: u16) -> u16 {
        let (mut square, mut result) = (b, a);
        for _ in 1..16 {
            square = self.multiply(square, square);
            result = self.multiply(result, square);
        }
        result
    }

    /// Returns the value at `x` of the polynomial of the lowest degree with these values at `first`, `first + 1` and so on.
    fn interpolate(&self, first: u16, values: &[u16], x: u16) -> u16 {
        let points = first..first + values.len() as u16;
        points.clone().zip(values).fold(0, |sum, (point, &value)| {
            let others = points.clone().filter(|&other| other != point);
            sum ^ others.fold(value, |term, other| self.divide(self.multiply(term, x ^ other), point ^ other))
        })
    }
}

#[test]
fn parity_blocks_are_those_of_the_specification() {
    let case = Protected::new(9 * BLOCK - 77, "sha256-tree", 35, 7);
    let mut padded = case.bytes.clone();
    padded.resize(9 * BLOCK as usize, 0);
    let parity = std::fs::read(&case.parity).expect("there");
    let element = |bytes: &[u8], index: usize| {
        let at = index / 32 * 64 + index % 32;
        u16::from_le_bytes([bytes[at], bytes[at + 32]])
    };
    let field = Field::new();
    let mut number = 0;
    for (group, count) in [(&padded[..7 * BLOCK as usize], 3_u16), (&padded[7 * BLOCK as usize..], 1)] {
        let blocks: Vec<&[u8]> = group.chunks(BLOCK as usize).collect();
        let width = count.next_power_of_two();
        for row in 0..count {
            let at = HEADER + number * (BLOCK as usize + 32);
            number += 1;
            for index in [0, 1, 33, 5000, BLOCK as usize / 2 - 1] {
                let expected = blocks.chunks(width.into()).zip(1..).fold(0, |sum, (chunk, place)| {
                    let mut values: Vec<u16> = chunk.iter().map(|block| element(block, index)).collect();
                    values.resize(width.into(), 0);
                    sum ^ field.interpolate(place * width, &values, row)
                });
                assert_eq!(
                    element(&parity[at..], index),
                    expected,
                    "block {row} of {count}, element {index}"
                );
            }
        }
    }
    assert_eq!(parity.len(), 2 * HEADER + number * (BLOCK as usize + 32));
}
