//! Interrupted builds and verifications: resumed for the same file and tree, and for no other.

use super::case::{Case, MIB, noise, reading, spec};
use std::io::Write;
use std::sync::atomic::Ordering::Relaxed;
use truesum::tree::build::{Begin, Saving, save};
use truesum::tree::findings::findings_of;
use truesum::tree::locate::{Comparison, Diagnosis, Difference};
use truesum::tree::store::{GRANULE, part_of};
use truesum::{Error, Progress};

#[test]
fn stopped_build_is_resumed() {
    let bytes = noise(6, 160 * MIB);
    // Small leaves, and large ones that are hashed sequentially together with a plain digest.
    for name in ["sha256-tree", "md5-tree;leaf=2MiB"] {
        stopped_and_resumed(&bytes, name);
    }
}

fn stopped_and_resumed(bytes: &[u8], name: &str) {
    let case = Case::new(bytes);
    let plain_digests = [spec("sha256")];
    let progress = Progress::default();
    let saving = Saving::new(&case.tree).plain_digests(&plain_digests);
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
    let saving = saving.begin(Begin::Resume);
    let saved = save(case.path(), &spec(name), &saving, &reading(2, &again)).expect("goes on");
    assert!(saved.kept() * saved.store().header().granule() >= 70 * MIB, "{} granules kept", saved.kept());
    assert!(again.bytes() < 110 * MIB, "{} bytes read again: SHA-256 was started over", again.bytes());
    assert_eq!(saved.found().digests(), [spec(name).digest(bytes), spec("sha256").digest(bytes)]);
    let names: Vec<_> = std::fs::read_dir(case.tree.parent().expect("a folder"))
        .expect("listed")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn build_of_a_changed_file_is_not_resumed() {
    let case = Case::new(&noise(7, 8 * MIB));
    let unfinished = || {
        let progress = Progress::default();
        progress.stop();
        let saving = Saving::new(&case.tree);
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

/// Verifies with the saved progress, and stops after `stop` bytes.
fn resume_verification(case: &Case, threads: usize, stop: Option<u64>) -> (Result<Difference, Error>, u64) {
    let store = case.store();
    let comparison = Comparison::default().resume(true);
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
fn resumed_verification_reads_only_the_rest() {
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
        assert_eq!(whole.diagnosis(), Diagnosis::FileDamaged);
        let kept = findings_of(&case.tree);
        let (mut read, mut stops) = (0, 0);
        let report = loop {
            // Longer each time: leaves hashed in parallel finish together, or are started again.
            let (result, bytes) = resume_verification(&case, 2, Some((stops + 1) * 7 * MIB));
            read += bytes;
            match result {
                Ok(report) => break report,
                Err(_) => assert!(kept.exists(), "{name}"),
            }
            stops += 1;
            assert!(stops < 100, "{name} does not come on");
        };
        assert_eq!((report.diagnosis(), report.damaged()), (whole.diagnosis(), whole.damaged()), "{name}");
        if name != "mtsum-v1.0-md5" {
            assert!(stops > 0 && report.before() > 0, "{name}: {stops} stops");
            // Granules of several units that were in progress are read again.
            let twice = if granule > MIB { stops * 2 * granule } else { 0 };
            assert!(read <= size + twice, "{name}: {read} bytes read of {size}");
        }
        assert!(!kept.exists(), "{name}: it has its result");
        let (report, read) = resume_verification(&case, 2, None);
        assert_eq!(
            (report.expect("anew").before(), read),
            (0, size),
            "{name}: nothing is left to go on with"
        );
    }
}

#[test]
fn verification_is_not_resumed_for_another_file_or_tree() {
    let bytes = noise(18, 40 * MIB);
    let case = Case::new(&bytes);
    case.built("sha256-tree", MIB);
    let kept = findings_of(&case.tree);
    // On a busy machine, a verification may end before the thread that stops it runs.
    let is_stopped = || {
        let _ = std::fs::remove_file(&kept);
        resume_verification(&case, 1, Some(10 * MIB)).0.is_err()
    };
    let stopped = || {
        assert!((0..100).any(|_| is_stopped()), "stopped before its end");
        std::fs::read(&kept).expect("kept")
    };
    stopped();
    // A part that was already verified is damaged now: the changed modification time shows that it must be read again.
    case.flip(MIB);
    assert!(resume_verification(&case, 1, None).0.is_err(), "another modification time");
    case.flip(MIB);
    stopped();
    std::thread::sleep(std::time::Duration::from_millis(20));
    case.flip_unnoticed(MIB);
    assert!(resume_verification(&case, 1, None).0.is_err(), "the modification time put back");
    case.flip(MIB);
    stopped();
    let copy = case.file.with_extension("copy");
    std::fs::copy(&case.file, &copy).expect("copied");
    std::fs::rename(&copy, &case.file).expect("renamed");
    assert!(resume_verification(&case, 1, None).0.is_err(), "another inode");
    stopped();
    std::fs::OpenOptions::new().append(true).open(&case.file).expect("open").write_all(b"x").expect("longer");
    assert!(resume_verification(&case, 1, None).0.is_err(), "another size");
    std::fs::write(&case.file, &bytes).expect("as before");
    stopped();
    let tree = std::fs::read(&case.tree).expect("there");
    let mut other = tree.clone();
    *other.last_mut().expect("a byte") ^= 1;
    std::fs::write(&case.tree, &other).expect("damaged");
    assert!(resume_verification(&case, 1, None).0.is_err(), "another tree");
    std::fs::write(&case.tree, &tree).expect("whole");
    // Unless requested, no saved progress is read or written.
    let before = stopped();
    std::fs::write(&kept, b"nonsense").expect("written");
    assert_eq!(case.verify().diagnosis(), Diagnosis::Good);
    assert_eq!(std::fs::read(&kept).expect("there"), b"nonsense");
    assert!(resume_verification(&case, 1, None).0.is_err(), "damaged");
    std::fs::write(&kept, before).expect("restored");
    let (report, read) = resume_verification(&case, 1, None);
    let report = report.expect("resumed");
    assert_eq!((report.diagnosis(), report.before() + read), (Diagnosis::Good, 40 * MIB));
    assert!(report.before() >= 10 * MIB);
}
