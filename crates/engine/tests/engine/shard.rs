//! Plans, parts and their merge through the library: damage of any kind never leads to a different manifest, and large
//! plans take little memory.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use truesum::hash::{Digest, Spec};
use truesum::manifest::{Entry, Time};
use truesum::shard::merge::{Fault, check_part, merge};
use truesum::shard::part::{ComputeOptions, PartStatus, compute};
use truesum::shard::plan::{Plan, Planner};
use truesum::shard::{Sizes, State, plan};
use truesum::{Error, Job, Progress, Root, Task};

fn specs(names: &[&str]) -> Vec<Spec> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

/// A directory with a plan and its parts.
struct ShardedRun {
    dir: tempfile::TempDir,
    parts: Vec<PathBuf>,
}

/// The result of a merge: entries and faults, or the reason it stopped.
type Merged = Result<(Vec<Entry>, Vec<String>), Error>;

impl ShardedRun {
    /// Plans these files with these digests and computes the parts.
    fn new(files: &[(&[u8], usize)], names: &[&str], bytes: u64) -> ShardedRun {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        std::fs::create_dir(&root).unwrap();
        let file = |name: &[u8]| {
            use truesum_fs::name::OsStrExt;
            root.join(std::ffi::OsStr::from_bytes(name))
        };
        for (at, (name, len)) in files.iter().enumerate() {
            let content: Vec<u8> = (0..*len).map(|i| (i * 7 + i / 251 + at) as u8).collect();
            std::fs::write(file(name), content).unwrap();
        }
        let specs = specs(names);
        let out = std::fs::File::create(dir.path().join("plan")).unwrap();
        let sizes = Sizes::new(bytes, 3);
        let mut planner = Planner::new(out, root.as_os_str().as_encoded_bytes(), &specs, sizes).unwrap();
        let mut tasks = files.iter().map(|(name, _)| {
            use std::os::unix::ffi::{OsStrExt, OsStringExt};
            let job = Job::hash(std::ffi::OsStr::from_bytes(name), &std::sync::Arc::from([]));
            Task::File(job.with_open(Some(file(name).into_os_string().into_vec())))
        });
        let progress = Progress::default();
        let planned = plan(&mut tasks, &Root::Anywhere, &[], &mut planner, &progress, &mut |notice| {
            panic!("{notice:?}")
        });
        assert_eq!(planned.unwrap().failed(), 0);
        planner.finish().unwrap();
        let mut divided = ShardedRun { dir, parts: Vec::new() };
        let plan = divided.plan().unwrap();
        for bundle in 0..plan.totals().bundles() as usize {
            let done = divided.compute(&plan, bundle, false);
            assert_eq!(done.status(), &PartStatus::Written);
            divided.parts.push(divided.dir.path().join(plan.part_name(bundle)));
        }
        divided
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("plan")
    }

    fn plan(&self) -> Result<Plan, Error> {
        Plan::open(&self.path())
    }

    fn compute(&self, plan: &Plan, bundle: usize, again: bool) -> truesum::shard::part::Done {
        let progress = &Progress::default();
        let computing = ComputeOptions::new(progress).outside(true).threads(1).again(again);
        compute(plan, bundle, self.dir.path(), &computing, &mut |_| {}).unwrap()
    }

    fn merged(&self) -> Merged {
        self.merged_of(&self.parts)
    }

    fn merged_of(&self, parts: &[PathBuf]) -> Merged {
        let (mut entries, mut faults) = (Vec::new(), Vec::new());
        let plan = self.plan()?;
        let mut each = |entry| {
            entries.push(entry);
            Ok(())
        };
        let merged = merge(&plan, parts, &Progress::default(), &mut each, &mut |fault: &Fault| {
            faults.push(fault.to_string());
        })?;
        assert_eq!(faults.len() as u64, merged.faults() + merged.failed());
        Ok((entries, faults))
    }

    /// Checks that a merge gives these entries, unless it fails.
    fn assert_same_or_error(&self, entries: &[Entry], what: &str) {
        if let Ok((found, faults)) = self.merged()
            && faults.is_empty()
        {
            assert_eq!(found, entries, "{what}");
        }
    }
}

const FILES: &[(&[u8], usize)] = &[
    (b"a", 0),
    (b"a\nb", 3),
    (b"b \xff", 70_000),
    (b"big", 200_001),
    (b"c", 65_536),
    (b"d", 1),
    (b"e", 2),
    (b"f", 3),
    (b"\xf0\x9f\x98\x80", 4),
];

#[test]
fn merged_parts_equal_a_single_run() {
    let set: &[&[&str]] = &[
        &["sha256"],
        &["sha256-tree"],
        &["crc32", "sha256-tree"],
        &["blake3"],
        &["blake3", "md5"],
        &["s3-etag;part=64KiB"],
        &["s3-etag;part=80KiB", "crc64"],
        &["adler32"],
    ];
    for names in set {
        let divided = ShardedRun::new(FILES, names, 1 << 16);
        let (entries, faults) = divided.merged().unwrap();
        assert_eq!((entries.len(), faults), (FILES.len(), Vec::new()), "{names:?}");
        for (entry, (name, _)) in entries.iter().zip(FILES) {
            use truesum_fs::name::OsStrExt;
            let content =
                std::fs::read(divided.dir.path().join("root").join(std::ffi::OsStr::from_bytes(name)))
                    .unwrap();
            let digests: Vec<(Spec, Digest)> =
                specs(names).into_iter().map(|spec| (spec.clone(), spec.digest(&content))).collect();
            assert_eq!((&entry.path[..], &entry.digests), (*name, &digests), "{names:?}");
        }
        let cut = divided.plan().unwrap().totals().bundles();
        let whole = if names.contains(&"md5") || *names == ["sha256"] { 6 } else { 8 };
        assert!(cut >= whole, "{names:?}: {cut} bundles");
    }
}

#[test]
fn damaged_plan_or_part_never_gives_another_manifest() {
    let some: &[(&[u8], usize)] = &[(b"a\nb", 3), (b"b \xff", 70_000), (b"d", 1), (b"e", 2)];
    let divided = ShardedRun::new(some, &["sha256-tree"], 1 << 16);
    let (entries, _) = divided.merged().unwrap();
    let mut files = divided.parts.clone();
    files.push(divided.path());
    for path in &files {
        let good = std::fs::read(path).unwrap();
        let try_this = |bytes: &[u8], what: String| {
            std::fs::write(path, bytes).unwrap();
            divided.assert_same_or_error(&entries, &what);
        };
        let shown = path.display();
        for at in 0..good.len() {
            let mut bad = good.clone();
            for change in [4, good[at]] {
                bad[at] = good[at] ^ change;
                try_this(&bad, format!("{shown}: byte {at} changed by {change}"));
            }
            try_this(&good[..at], format!("{shown}: cut at {at}"));
            let without = [&good[..at], &good[at + 1..]].concat();
            try_this(&without, format!("{shown}: without byte {at}"));
        }
        let lines: Vec<&[u8]> = good.split_inclusive(|&byte| byte == b'\n').collect();
        for one in 0..lines.len() {
            for two in 0..=lines.len() {
                let mut moved = lines.clone();
                let line = moved.remove(one);
                try_this(&moved.concat(), format!("{shown}: without line {one}"));
                moved.insert(two.min(moved.len()), line);
                try_this(&moved.concat(), format!("{shown}: line {one} at {two}"));
                let mut twice = lines.clone();
                twice.insert(two, lines[one]);
                try_this(&twice.concat(), format!("{shown}: line {one} also at {two}"));
            }
        }
        std::fs::write(path, &good).unwrap();
    }
    assert_eq!(divided.merged().unwrap().0, entries);
}

/// A part with a newly computed end line: what an attacker or a faulty program would write.
fn resealed(lines: &[String], end: &str) -> String {
    let covered = lines.concat() + end + ",\"blake3\":\"";
    let digest = "blake3".parse::<Spec>().unwrap().digest(covered.as_bytes());
    format!("{covered}{digest}\"}}\n")
}

#[test]
fn complete_but_wrong_parts_are_detected_by_the_plan() {
    let files: &[(&[u8], usize)] = &[(b"a", 5), (b"b", 6), (b"c", 7)];
    let divided = ShardedRun::new(files, &["sha256"], 1 << 30);
    let path = &divided.parts[0];
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let (body, end) = (&lines[..4], "{\"end\":true,\"lines\":3,\"failed\":0,\"again\":0,\"bytes\":18");
    assert_eq!(resealed(body, end), text, "as it is written");
    let without: Vec<String> = [&body[..2], &body[3..]].concat();
    let swapped: Vec<String> = [0, 2, 1, 3].map(|at| body[at].clone()).into();
    let twice: Vec<String> = [0, 1, 1, 2, 3].map(|at| body[at].clone()).into();
    let with = |at: usize, from: &str, to: &str| -> Vec<String> {
        let mut changed = body.to_vec();
        assert!(changed[at].contains(from), "{}", changed[at]);
        changed[at] = changed[at].replacen(from, to, 1);
        changed
    };
    for (what, bad) in [
        (
            "a file missing",
            resealed(&without, "{\"end\":true,\"lines\":2,\"failed\":0,\"again\":0,\"bytes\":12"),
        ),
        ("files swapped", resealed(&swapped, end)),
        ("a file twice", resealed(&twice, "{\"end\":true,\"lines\":4,\"failed\":0,\"again\":0,\"bytes\":23")),
        (
            "bytes miscounted",
            resealed(body, "{\"end\":true,\"lines\":3,\"failed\":0,\"again\":0,\"bytes\":17"),
        ),
        (
            "files miscounted",
            resealed(body, "{\"end\":true,\"lines\":4,\"failed\":0,\"again\":0,\"bytes\":18"),
        ),
        ("another size", resealed(&with(2, "\"size\":6", "\"size\":7"), end)),
        ("another inode", resealed(&with(2, "\"inode\":", "\"inode\":1"), end)),
        ("another bundle", resealed(&with(0, "\"bundle\":0", "\"bundle\":1"), end)),
        ("no digest", resealed(&with(2, "\"digests\":{", "\"pieces\":{"), end)),
        ("another algorithm", resealed(&with(2, "\"sha256\":", "\"sha3-256\":"), end)),
        ("something behind", text.clone() + "\n"),
    ] {
        std::fs::write(path, bad).unwrap();
        let (_, faults) = divided.merged().unwrap();
        assert!(!faults.is_empty(), "{what}");
    }
    std::fs::write(path, &text).unwrap();
    let other = divided.dir.path().join("other");
    std::fs::write(&other, &text).unwrap();
    let parts = [path.clone(), other.clone()];
    let (_, faults) = divided.merged_of(&parts).unwrap();
    assert!(matches!(&faults[..], [fault] if fault.contains("has two parts")), "{faults:?}");
    let digest = text.find("\"sha256\":\"").unwrap() + 10;
    let mut lie = body.to_vec();
    let hex = text[digest..digest + 64].to_owned();
    let flipped = if hex.starts_with('0') { hex.replacen('0', "1", 1) } else { format!("0{}", &hex[1..]) };
    lie[1] = lie[1].replacen(&hex, &flipped, 1);
    std::fs::write(&other, resealed(&lie, end)).unwrap();
    let (_, faults) = divided.merged_of(&parts).unwrap();
    assert!(matches!(&faults[..], [fault] if fault.contains("contradict each other")), "{faults:?}");
    let (_, faults) = divided.merged_of(&[]).unwrap();
    assert_eq!(faults, ["bundle 0: its part is missing"]);
    // A worker that finds the forged part in place of its own keeps both.
    std::fs::rename(&other, path).unwrap();
    let plan = divided.plan().unwrap();
    assert_eq!(divided.compute(&plan, 0, false).status(), &PartStatus::Identical);
    let done = divided.compute(&plan, 0, true);
    let PartStatus::Contradicts(beside) = done.status() else { panic!("not reported") };
    assert_eq!(std::fs::read_to_string(beside).unwrap(), text);
    assert_ne!(std::fs::read_to_string(path).unwrap(), text);
}

#[test]
fn withheld_lines_are_not_read_and_fail() {
    let withholding = |divided: &ShardedRun, bundle: usize, lines: std::ops::Range<usize>, again: bool| {
        let plan = divided.plan().unwrap();
        let mut reported = Vec::new();
        let progress = Progress::default();
        let withheld = std::slice::from_ref(&lines);
        let computing =
            ComputeOptions::new(&progress).outside(true).threads(1).again(again).withheld(withheld);
        let done = compute(&plan, bundle, divided.dir.path(), &computing, &mut |error| {
            reported.push(error.name().to_vec());
        });
        (done.unwrap(), reported)
    };
    let remove = |divided: &ShardedRun, bundle: usize| {
        std::fs::remove_file(&divided.parts[bundle]).unwrap();
    };
    // Three files per bundle; the large file has a bundle for each of its ranges.
    let divided = ShardedRun::new(FILES, &["sha256-tree"], 1 << 17);
    let (whole, _) = divided.merged().unwrap();
    let plan = divided.plan().unwrap();
    assert_eq!((plan.lines_of(0), plan.first_name(0).unwrap()), (3, b"a".to_vec()));

    // A complete part stays, whatever another attempt skips.
    let (done, reported) = withholding(&divided, 0, 1..2, false);
    assert_eq!((done.status(), done.counts().failed(), reported.len()), (&PartStatus::Identical, 0, 0));
    let (done, reported) = withholding(&divided, 0, 1..2, true);
    assert_eq!((done.status(), reported), (&PartStatus::Kept(1), vec![b"a\nb".to_vec()]));

    // Without a part, skipped files are not read: this one does not even exist.
    let unreadable = divided.dir.path().join("root/a\nb");
    let content = std::fs::read(&unreadable).unwrap();
    std::fs::remove_file(&unreadable).unwrap();
    remove(&divided, 0);
    let (done, reported) = withholding(&divided, 0, 1..2, false);
    assert_eq!(
        (done.status(), done.counts().failed(), done.counts().bytes()),
        (&PartStatus::Written, 1, 70_000)
    );
    assert_eq!(reported, [b"a\nb".to_vec()]);
    let mut kinds = Vec::new();
    let held = check_part(&plan, 0, &divided.parts[0], &mut |name, failure| {
        kinds.push((name.to_vec(), failure.kind().to_owned(), failure.again()));
    });
    assert_eq!(
        held.unwrap(),
        (done.counts(), done.digest().to_owned()),
        "what it message is what stands there"
    );
    assert_eq!(kinds, [(b"a\nb".to_vec(), "refused".to_owned(), false)]);
    let (entries, faults) = divided.merged().unwrap();
    assert_eq!((entries.len(), faults.len()), (whole.len() - 1, 1), "{faults:?}");
    assert!(faults[0].contains("not attempted again"), "{faults:?}");
    // A part with failures is replaced by the next attempt.
    let (done, _) = withholding(&divided, 0, 0..3, false);
    assert_eq!((done.status(), done.counts().failed(), done.counts().bytes()), (&PartStatus::Written, 3, 0));
    std::fs::write(&unreadable, content).unwrap();

    // A range is the only line of its bundle.
    remove(&divided, 1);
    let (done, reported) = withholding(&divided, 1, 0..1, false);
    assert_eq!((done.counts().lines(), done.counts().failed(), reported), (1, 1, vec![b"big".to_vec()]));
    let (_, faults) = divided.merged().unwrap();
    assert!(
        faults.iter().any(|fault| fault.starts_with("big:") && fault.contains("not attempted again")),
        "{faults:?}"
    );
    // Lines outside all bundles belong to no part.
    remove(&divided, 1);
    assert_eq!(withholding(&divided, 1, 1..9, false).0.status(), &PartStatus::Written);
}

#[test]
fn invalid_part_is_not_accepted() {
    let divided = ShardedRun::new(&FILES[..2], &["sha256"], 1 << 30);
    let (plan, path) = (divided.plan().unwrap(), &divided.parts[0]);
    let held = || check_part(&plan, 0, path, &mut |_, _| panic!("nothing failed"));
    let (counts, digest) = held().unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    assert_eq!((counts.lines(), counts.bytes()), (2, 3));
    assert!(text.ends_with(&format!("\"{digest}\"}}\n")));
    std::fs::write(path, text.replacen("\"lines\":2", "\"lines\":3", 1)).unwrap();
    assert!(held().unwrap_err().to_string().contains("line 4: expected the last line of this part here"));
    std::fs::remove_file(path).unwrap();
    assert!(held().unwrap_err().to_string().contains("No such file"));
}

/// Returns a state that no file has.
fn state(at: u64) -> State {
    let time = Time { seconds: 1_700_000_000 + at as i64, nanos: 5 };
    State { size: at % 100_000, mtime: time, ctime: time, inode: at, version: None, copied: false }
}

/// Returns the peak memory of this process, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Writes a plan of files that do not exist, and returns it.
fn simulated_plan(folder: &Path, files: u64) -> Plan {
    let path = folder.join("plan");
    let out = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    let sizes = Sizes::default();
    let mut planner = Planner::new(out, b"/data", &specs(&["sha256"]), sizes).unwrap();
    for at in 0..files {
        planner.add(format!("project/run-{:05}/sample-{at:09}.nc", at / 1000).as_bytes(), state(at)).unwrap();
    }
    assert!(!planner.may_repeat());
    planner.finish().unwrap();
    Plan::open(&path).unwrap()
}

/// Writes the parts of such a plan from its lines alone.
fn simulated_parts(plan: &Plan, folder: &Path) -> Vec<PathBuf> {
    let text = std::io::BufReader::new(std::fs::File::open(folder.join("plan")).unwrap());
    let mut lines = text.lines().skip(1);
    let mut parts = Vec::new();
    let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let blake3: Spec = "blake3".parse().unwrap();
    for bundle in 0..plan.totals().bundles() as usize {
        let mut part =
            format!("{{\"schema\":\"truesum-part/1\",\"plan\":\"{}\",\"bundle\":{bundle}}}\n", plan.id())
                .into_bytes();
        let (mut count, mut bytes) = (0u64, 0);
        while bytes < plan.bytes_of(bundle) || count == 0 {
            let line = lines.next().unwrap().unwrap();
            let open = line.strip_suffix('}').unwrap();
            writeln!(part, "{open},\"digests\":{{\"sha256\":\"{hex}\"}}}}").unwrap();
            let size = line.split("\"size\":").nth(1).unwrap().split(',').next().unwrap();
            bytes += size.parse::<u64>().unwrap();
            count += 1;
        }
        write!(
            part,
            "{{\"end\":true,\"lines\":{count},\"failed\":0,\"again\":0,\"bytes\":{bytes},\"blake3\":\""
        )
        .unwrap();
        let digest = blake3.digest(&part);
        writeln!(part, "{digest}\"}}").unwrap();
        let path = folder.join(plan.part_name(bundle));
        std::fs::write(&path, part).unwrap();
        parts.push(path);
    }
    parts
}

#[test]
#[ignore = "minutes without optimization, and gigabytes of disk; cargo test --release -p truesum --test engine -- --ignored --nocapture shard"]
fn ten_million_files_are_planned_in_bounded_memory() {
    let dir =
        tempfile::tempdir_in(std::env::var_os("TRUESUM_SCALE_DIR").unwrap_or("/var/tmp".into())).unwrap();
    for files in [1_000_000, 10_000_000] {
        let began = std::time::Instant::now();
        let plan = simulated_plan(dir.path(), files);
        println!("plan of {files}: {:.1} s, peak {} MiB", began.elapsed().as_secs_f64(), peak() >> 10);
        assert_eq!(plan.totals().files(), files);
    }
    assert!(peak() < 300 << 10, "{} KiB", peak());
}

#[test]
#[ignore = "minutes without optimization, and gigabytes of disk; run like the test above"]
fn million_lines_are_merged_in_bounded_memory() {
    let dir =
        tempfile::tempdir_in(std::env::var_os("TRUESUM_SCALE_DIR").unwrap_or("/var/tmp".into())).unwrap();
    let plan = simulated_plan(dir.path(), 1_000_000);
    let parts = simulated_parts(&plan, dir.path());
    println!("{} parts; peak before {} MiB", parts.len(), peak() >> 10);
    let began = std::time::Instant::now();
    let mut entries = 0u64;
    let mut each = |_| {
        entries += 1;
        Ok(())
    };
    let merged =
        merge(&plan, &parts, &Progress::default(), &mut each, &mut |fault| panic!("{fault}")).unwrap();
    println!("merged in {:.2} s, peak {} MiB", began.elapsed().as_secs_f64(), peak() >> 10);
    assert!(peak() < 200 << 10, "{} KiB", peak());
    assert_eq!((merged.files(), entries), (1_000_000, 1_000_000));
}
