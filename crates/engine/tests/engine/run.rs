//! The run as its callers see it: every outcome exactly once, in order and correct, for any number of threads.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use truesum::FileId;
use truesum::hash::{Digest, Spec};
use truesum::{
    Cause, Config, Error, Job, Mapping, Notice, Order, Outcome, Progress, Remote, Root, Sink, Summary, Task,
    Verdict, Version, run,
};
use truesum_fs::name::{OsStrExt, OsStringExt};
use truesum_fs::system::guarantees;

#[derive(Default)]
struct Collected {
    outcomes: Vec<Outcome>,
    notices: Vec<Notice>,
    /// Fail after this many outcomes.
    fail_after: Option<usize>,
}

impl Sink for Collected {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        if self.fail_after == Some(self.outcomes.len()) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.outcomes.push(outcome);
        Ok(())
    }
    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        self.notices.push(notice);
        Ok(())
    }
}

fn specs(names: &str) -> Arc<[Spec]> {
    names.split(',').map(|name| name.parse().unwrap()).collect::<Vec<_>>().into()
}

fn in_folder(folder: &Path) -> Root {
    Root::folder(folder, false).unwrap()
}

fn run_all(config: &Config, tasks: Vec<Task>) -> (Collected, Summary) {
    let mut collected = Collected::default();
    let mut tasks = tasks.into_iter();
    let summary = run(config, &mut tasks, &Progress::default(), &mut collected).unwrap();
    (collected, summary)
}

/// Creates files with critical lengths: around blocks, slices and rounds.
fn tree(folder: &Path) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut seed = 1u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize
    };
    let mut files = BTreeMap::new();
    let lengths = [0, 1, 55, 56, 63, 64, 65, 4095, 4096, 8191, 8192, 8193, 65536, 262143, 262144, 262145];
    for i in 0..300 {
        let len = match i % 5 {
            0 => lengths[i / 5 % lengths.len()],
            4 => random() % 600_000,
            _ => random() % 9000,
        };
        let name = format!("f{i:03}");
        let data: Vec<u8> = (0..len).map(|at| (at * 31 + i * 7 + (at >> 8)) as u8).collect();
        std::fs::write(folder.join(&name), &data).unwrap();
        files.insert(name.into_bytes(), data);
    }
    files
}

#[test]
fn digests_are_correct_and_ordered_for_any_thread_count() {
    let dir = tempfile::tempdir().unwrap();
    let files = tree(dir.path());
    for names in ["sha256", "md5,crc32,sha512", "xxh3", "blake3,blake2b-128"] {
        let specs = specs(names);
        let expected: Vec<Vec<Digest>> =
            files.values().map(|data| specs.iter().map(|spec| spec.digest(data)).collect()).collect();
        for threads in [1, 2, 3, 8] {
            let config =
                Config::default().root(in_folder(dir.path())).threads(threads).mapping(Mapping::Guarded);
            let tasks =
                files.keys().map(|name| Task::File(Job::hash(OsStr::from_bytes(name), &specs))).collect();
            let (collected, summary) = run_all(&config, tasks);
            let bytes: usize = files.values().map(Vec::len).sum();
            assert_eq!((summary.files(), summary.bytes()), (files.len() as u64, bytes as u64));
            for ((outcome, name), expected) in collected.outcomes.iter().zip(files.keys()).zip(&expected) {
                assert_eq!(outcome.job.name(), name, "{names} on {threads} threads");
                assert_eq!(outcome.result.as_ref().unwrap().digests(), *expected);
            }
        }
    }
}

#[test]
fn long_task_lists_finish_in_order() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a"), "alpha").unwrap();
    std::fs::write(dir.path().join("b"), vec![7; 300_000]).unwrap();
    let specs = specs("md5");
    let expected = [specs[0].digest(b"alpha"), specs[0].digest(&vec![7; 300_000])];
    let name = |i: usize| if i.is_multiple_of(97) { b"b".to_vec() } else { b"a".to_vec() };
    for threads in [1, 4] {
        let config = Config::default().root(in_folder(dir.path())).threads(threads).mapping(Mapping::Guarded);
        let tasks = (0..40_000).map(|i| Task::File(Job::hash(OsString::from_vec(name(i)), &specs))).collect();
        let (collected, summary) = run_all(&config, tasks);
        assert_eq!(summary.files(), 40_000);
        for (i, outcome) in collected.outcomes.iter().enumerate() {
            assert_eq!(outcome.job.name(), name(i));
            assert_eq!(
                outcome.result.as_ref().unwrap().digests()[0],
                expected[usize::from(i.is_multiple_of(97))]
            );
        }
    }
}

#[test]
fn unordered_run_reports_every_outcome() {
    let dir = tempfile::tempdir().unwrap();
    let files = tree(dir.path());
    let specs = specs("md5");
    let config =
        Config::default().root(in_folder(dir.path())).order(Order::AsReady).mapping(Mapping::Guarded);
    let tasks = files.keys().map(|name| Task::File(Job::hash(OsStr::from_bytes(name), &specs))).collect();
    let (mut collected, _) = run_all(&config, tasks);
    collected.outcomes.sort_by(|a, b| a.job.name().cmp(b.job.name()));
    assert!(collected.outcomes.iter().map(|outcome| outcome.job.name()).eq(files.keys()));
}

// It needs a named pipe in a folder.
#[cfg(unix)]
#[test]
fn every_failure_has_its_verdict_and_the_run_continues() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("good"), "good").unwrap();
    std::fs::write(dir.path().join("bad"), "bad").unwrap();
    std::fs::create_dir(dir.path().join("folder")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        dir.path().join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let specs = specs("sha256");
    let right = specs[0].digest(b"good");
    let names = ["missing", "bad", "folder", "pipe", "../outside", "/etc/hostname", "good"];
    let tasks = names.map(|name| Task::File(Job::hash(name, &specs).with_expected(vec![right.clone()])));
    let config = Config::default().root(in_folder(dir.path())).mapping(Mapping::Guarded);
    let (collected, summary) = run_all(&config, tasks.into());
    let verdicts: Vec<Verdict> = collected.outcomes.iter().map(Outcome::verdict).collect();
    use Verdict::{Mismatch, Missing, Unreadable, Verified};
    assert_eq!(verdicts, [Missing, Mismatch, Unreadable, Unreadable, Unreadable, Unreadable, Verified]);
    assert_eq!(
        (summary.verified(), summary.mismatched(), summary.missing(), summary.unreadable(), summary.failed()),
        (1, 1, 1, 4, 6)
    );
}

#[test]
fn different_size_is_a_mismatch_even_if_the_digest_matches() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("f"), "data").unwrap();
    let specs = specs("md5");
    let job =
        |size| Job::hash("f", &specs).with_expected(vec![specs[0].digest(b"data")]).with_size(Some(size));
    let config = Config::default().root(in_folder(dir.path())).mapping(Mapping::Guarded);
    let (collected, _) = run_all(&config, vec![Task::File(job(4)), Task::File(job(5))]);
    assert_eq!(collected.outcomes[0].verdict(), Verdict::Verified);
    assert_eq!(collected.outcomes[1].verdict(), Verdict::Mismatch);
}

#[test]
fn every_expected_digest_must_match() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("f"), "data").unwrap();
    let specs = specs("md5,sha256");
    let (md5, sha256) = (specs[0].digest(b"data"), specs[1].digest(b"data"));
    let wrong = specs[1].digest(b"other");
    let config = Config::default().root(in_folder(dir.path())).mapping(Mapping::Guarded);
    for (expected, verdict) in [
        (vec![md5.clone(), sha256], Verdict::Verified),
        (vec![md5.clone(), wrong], Verdict::Mismatch),
        (vec![md5], Verdict::Mismatch),
    ] {
        let job = Job::hash("f", &specs).with_expected(expected);
        assert_eq!(run_all(&config, vec![Task::File(job)]).0.outcomes[0].verdict(), verdict);
    }
}

#[test]
fn hard_links_are_read_once_and_all_reported() {
    let dir = tempfile::tempdir().unwrap();
    let data = vec![3; 2_000_000];
    std::fs::write(dir.path().join("l0"), &data).unwrap();
    for i in 1..40 {
        std::fs::hard_link(dir.path().join("l0"), dir.path().join(format!("l{i}"))).unwrap();
    }
    let specs = specs("sha256");
    for threads in [1, 4] {
        let config = Config::default().root(in_folder(dir.path())).threads(threads).mapping(Mapping::Guarded);
        let mut tasks = (0..40).map(|i| Task::File(Job::hash(format!("l{i}"), &specs)));
        let (mut collected, progress) = (Collected::default(), Progress::default());
        let summary = run(&config, &mut tasks, &progress, &mut collected).unwrap();
        assert_eq!(summary.files(), 40);
        let reads = if guarantees().reads_hard_links_once() { 1 } else { 40 };
        assert_eq!(progress.bytes(), reads * data.len() as u64);
        let expected = specs[0].digest(&data);
        for (i, outcome) in collected.outcomes.iter().enumerate() {
            assert_eq!(outcome.job.name(), format!("l{i}").into_bytes());
            assert_eq!(outcome.result.as_ref().unwrap().digests(), std::slice::from_ref(&expected));
        }
    }
}

#[test]
fn own_output_of_the_run_is_skipped() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("f"), "data").unwrap();
    std::fs::write(dir.path().join("SHA256SUMS"), "half").unwrap();
    let own = vec![FileId::at(dir.path().join("SHA256SUMS")).unwrap()];
    let config = Config::default().root(in_folder(dir.path())).own(own).mapping(Mapping::Guarded);
    let specs = specs("sha256");
    let tasks = ["SHA256SUMS", "f"].map(|name| Task::File(Job::hash(name, &specs)));
    let (collected, summary) = run_all(&config, tasks.into());
    assert_eq!(summary.files(), 1);
    assert!(matches!(&collected.notices[..], [Notice::Own(name)] if name == Path::new("SHA256SUMS")));
}

#[test]
fn holes_are_not_read_and_count_as_zeros() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sparse");
    let mut file = std::fs::File::create(&path).unwrap();
    let mut expected = vec![0; 12 << 20];
    expected[..5].copy_from_slice(b"begin");
    expected[7 << 20..(7 << 20) + 3].copy_from_slice(b"mid");
    file.write_all(b"begin").unwrap();
    truesum_fs::data::FileExt::write_all_at(&file, b"mid", 7 << 20).unwrap();
    file.set_len(12 << 20).unwrap();
    drop(file);
    let specs = specs("sha256,crc32,md5");
    let config = Config::default().root(in_folder(dir.path())).mapping(Mapping::Guarded);
    let (collected, summary) = run_all(&config, vec![Task::File(Job::hash("sparse", &specs))]);
    let digests: Vec<Digest> = specs.iter().map(|spec| spec.digest(&expected)).collect();
    assert_eq!(collected.outcomes[0].result.as_ref().unwrap().digests(), digests);
    assert_eq!(summary.bytes(), 12 << 20);
}

#[test]
fn sink_error_ends_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let files = tree(dir.path());
    let specs = specs("sha256");
    for threads in [1, 4] {
        let config = Config::default().root(in_folder(dir.path())).threads(threads).mapping(Mapping::Guarded);
        let mut tasks = files
            .keys()
            .cycle()
            .take(100_000)
            .map(|name| Task::File(Job::hash(OsStr::from_bytes(name), &specs)));
        let mut collected = Collected { fail_after: Some(10), ..Collected::default() };
        let error = run(&config, &mut tasks, &Progress::default(), &mut collected).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        assert_eq!(collected.outcomes.len(), 10);
    }
}

#[test]
fn stopped_run_reports_no_partial_results() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("big"), vec![1; 50 << 20]).unwrap();
    let specs = specs("sha256");
    let config = Config::default().root(in_folder(dir.path())).mapping(Mapping::Guarded);
    let progress = Progress::default();
    progress.stop();
    let mut collected = Collected::default();
    let mut tasks = std::iter::once(Task::File(Job::hash("big", &specs)));
    let summary = run(&config, &mut tasks, &progress, &mut collected).unwrap();
    assert!(summary.interrupted() && collected.outcomes.is_empty());
}

#[test]
fn files_rewritten_during_the_run_are_never_mixed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let states: Vec<Vec<u8>> = (0..4u8).map(|i| vec![i; 700_000 + 1000 * usize::from(i)]).collect();
    std::fs::write(&path, &states[0]).unwrap();
    let specs = specs("sha256");
    let right: Vec<Digest> = states.iter().map(|state| specs[0].digest(state)).collect();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for state in states.iter().cycle() {
                if done.load(std::sync::atomic::Ordering::Relaxed) {
                    break;
                }
                // In place, so that a reader sees old and new bytes of the same file.
                let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
                file.set_len(state.len() as u64).unwrap();
                file.write_all(state).unwrap();
                drop(file);
                // Timestamps have the resolution of the kernel's tick: a change within one tick would go unnoticed.
                std::thread::sleep(std::time::Duration::from_millis(12));
            }
        });
        let config = Config::default().root(in_folder(dir.path())).mapping(Mapping::Guarded);
        let results: Vec<(bool, Verdict)> = (0..300)
            .map(|_| {
                let (collected, _) = run_all(&config, vec![Task::File(Job::hash("f", &specs))]);
                let outcome = &collected.outcomes[0];
                let is_right = outcome.result.as_ref().is_ok_and(|found| right.contains(&found.digests()[0]));
                (is_right, outcome.verdict())
            })
            .collect();
        // Before anything is asserted: otherwise, the other thread would never end after a failure.
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        for (is_right, verdict) in results {
            // A write that began before the file was opened is noticed only where writers are (docs/guarantees.md).
            let is_noticed = is_right || verdict == Verdict::Changed;
            assert!(is_noticed || !guarantees().notices_writers(), "a digest of no state the file ever had");
        }
    });
}

#[test]
fn file_truncated_or_grown_while_read_is_reported_as_changed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let config = Config::default().root(in_folder(dir.path())).mapping(Mapping::Guarded);
    let (mut caught, mut tried) = (0, 0);
    // In slices, read ahead, in windows of small pieces for one and two digests, as leaves in parallel, as leaves in
    // order.
    for (size, names) in [
        (3 << 20, "sha256"),
        (24 << 20, "sha256,md5"),
        (64 << 20, "crc32"),
        (64 << 20, "sha256-tree,md5-tree"),
        (64 << 20, "s3-etag;part=1MiB"),
        (64 << 20, "mtsum-md5"),
        (24 << 20, "mtsum-sha256,sha256"),
    ] {
        let data: Vec<u8> = (0..size as u32).map(|i| (i ^ (i >> 9)).wrapping_mul(97) as u8).collect();
        let specs = specs(names);
        let right: Vec<Digest> = specs
            .iter()
            .map(|spec| {
                let mut hasher = spec.hasher_for_size(size as u64);
                hasher.update(&data);
                hasher.finish()
            })
            .collect();
        for len in [0, size / 2 + 77, size + 1] {
            std::fs::write(&path, &data).unwrap();
            let (progress, mut collected) = (Progress::default(), Collected::default());
            let ended = std::sync::atomic::AtomicBool::new(false);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    while progress.bytes() < 1 << 20 && !ended.load(std::sync::atomic::Ordering::Relaxed) {
                        std::thread::yield_now();
                    }
                    // Only after that: a file that is open for writing is not started with.
                    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
                    file.set_len(len as u64).unwrap();
                });
                let mut tasks = std::iter::once(Task::File(Job::hash("f", &specs)));
                run(&config, &mut tasks, &progress, &mut collected).unwrap();
                ended.store(true, std::sync::atomic::Ordering::Relaxed);
            });
            tried += 1;
            match &collected.outcomes[0].result {
                Ok(found) => {
                    assert_eq!(found.digests(), right, "{names}: the change came too late, or it is reported")
                }
                Err(error) => {
                    assert_eq!(collected.outcomes[0].verdict(), Verdict::Changed, "{names}: {error}");
                    caught += 1;
                }
            }
        }
    }
    assert!(2 * caught > tried, "{caught} of {tried} changes came in time");
}

/// Objects in memory.
#[derive(Debug, Default)]
struct Objects {
    objects: BTreeMap<Vec<u8>, Arc<[u8]>>,
    /// The number of objects being opened now, and the maximum so far.
    opening: Mutex<(usize, usize)>,
    /// Objects that cannot be read beyond this offset.
    broken: Option<u64>,
    /// Stops the run when this object is opened.
    stopped_by: Option<Vec<u8>>,
}

#[derive(Debug)]
struct Object(Arc<[u8]>, Option<u64>);

impl Version for Object {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }
    fn tag(&self) -> &str {
        "v1"
    }
    fn number(&self) -> u64 {
        1
    }
    fn modified(&self) -> i64 {
        7
    }
    fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), Error> {
        let end = offset + buffer.len() as u64;
        if self.1.is_some_and(|broken| end > broken) {
            return Err(Error::new(b"elsewhere", "read", Cause::Changed("it was overwritten".to_owned())));
        }
        buffer.copy_from_slice(&self.0[offset as usize..end as usize]);
        Ok(())
    }
}

impl Remote for Objects {
    fn name(&self) -> String {
        "memory://".to_owned()
    }
    fn connections(&self) -> usize {
        8
    }
    fn list(&self, specs: &Arc<[Spec]>, _: &Progress) -> Box<dyn Iterator<Item = Task> + Send> {
        let job = |name: &Vec<u8>| Task::File(Job::hash(OsString::from_vec(name.clone()), specs));
        Box::new(self.objects.keys().map(job).collect::<Vec<_>>().into_iter())
    }
    fn open(&self, job: &Job, progress: &Progress) -> Result<Box<dyn Version>, Error> {
        let mut opening = self.opening.lock().unwrap();
        opening.0 += 1;
        opening.1 = opening.1.max(opening.0);
        drop(opening);
        std::thread::sleep(Duration::from_millis(3));
        self.opening.lock().unwrap().0 -= 1;
        if self.stopped_by.as_deref() == Some(job.name()) {
            progress.stop();
            return Err(Error::interrupted(job.name()));
        }
        self.version(job.name(), progress)
    }
    fn version(&self, name: &[u8], _: &Progress) -> Result<Box<dyn Version>, Error> {
        match self.objects.get(name) {
            Some(bytes) => Ok(Box::new(Object(bytes.clone(), self.broken))),
            None => Err(Error::io(name, "read", io::Error::from(io::ErrorKind::NotFound))),
        }
    }
}

fn objects() -> Objects {
    let of_length = |len: usize| (0..len).map(|i| (i ^ (i >> 9)).wrapping_mul(97) as u8).collect();
    let mut objects: BTreeMap<Vec<u8>, Arc<[u8]>> =
        (0..200).map(|i| (format!("{i:03}").into_bytes(), of_length(i * 77))).collect();
    for (name, len) in [("000-large", (9 << 20) + 5), ("100-large", 5 << 20), ("150-small", 4 << 20)] {
        objects.insert(name.into(), of_length(len));
    }
    Objects { objects, ..Objects::default() }
}

#[test]
fn objects_are_opened_by_many_connections_and_hashed_in_order() {
    for (names, threads) in [("sha256", 1), ("md5,crc32", 2), ("blake3", 3), ("sha256-tree,blake3", 0)] {
        let remote = Arc::new(objects());
        let specs = specs(names);
        let config = Config::default().threads(threads).remote(Some(remote.clone()));
        let tasks = remote.list(&specs, &Progress::default()).collect();
        let (collected, summary) = run_all(&config, tasks);
        let found: Vec<(Vec<u8>, Vec<Digest>)> = collected
            .outcomes
            .into_iter()
            .map(|outcome| (outcome.job.name().to_vec(), outcome.result.unwrap().into_digests()))
            .collect();
        let digests = |bytes: &[u8]| specs.iter().map(|spec| spec.digest(bytes)).collect();
        let expected: Vec<(Vec<u8>, Vec<Digest>)> =
            remote.objects.iter().map(|(name, bytes)| (name.clone(), digests(bytes))).collect();
        assert!(found == expected, "{names} on {threads} threads");
        assert_eq!((summary.files(), summary.unreadable()), (203, 0));
        let most = remote.opening.lock().unwrap().1;
        assert!((2..=8).contains(&most), "{most} at the same time");
    }
}

#[test]
fn objects_that_cannot_be_read_fail_with_their_name_and_cause() {
    let remote = Arc::new(Objects { broken: Some(5000), ..objects() });
    let config = Config::default().remote(Some(remote.clone()));
    for names in ["md5", "blake3", "sha1,sha256"] {
        let specs = specs(names);
        let mut tasks: Vec<Task> = remote.list(&specs, &Progress::default()).collect();
        tasks.push(Task::File(Job::hash("missing", &specs)));
        let (collected, _) = run_all(&config, tasks);
        assert_eq!(collected.outcomes.len(), 204);
        for Outcome { job, result } in collected.outcomes {
            let is_short = remote.objects.get(job.name()).map(|bytes| bytes.len() <= 5000);
            match (result, is_short) {
                (Ok(found), Some(true)) => assert_eq!(found.size(), remote.objects[job.name()].len() as u64),
                (Err(error), Some(false)) => {
                    assert!(
                        error.name() == job.name() && matches!(error.cause(), Cause::Changed(_)),
                        "{error:?}"
                    );
                }
                (Err(error), None) => assert!(error.is_missing(), "{error:?}"),
                (result, _) => panic!("{:?}: {result:?}", job.name()),
            }
        }
    }
}

#[test]
fn objects_whose_requests_a_stop_interrupted_are_not_failures() {
    let remote = Arc::new(Objects { stopped_by: Some(b"120".to_vec()), ..objects() });
    let config = Config::default().remote(Some(remote.clone()));
    let tasks = remote.list(&specs("sha256"), &Progress::default());
    let (mut collected, progress) = (Collected::default(), Progress::default());
    let summary = run(&config, &mut { tasks }, &progress, &mut collected).unwrap();
    assert!(summary.interrupted() && summary.unreadable() == 0);
    assert!(collected.outcomes.iter().all(|outcome| outcome.result.is_ok()));
    assert_eq!(summary.unreached(), 203 - collected.outcomes.len() as u64);
    assert!(summary.unreached() >= 1);
}
