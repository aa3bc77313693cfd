//! The n-th system call fails or kills the program, for every n: no digest is printed for a file that could not be
//! read, and a manifest is always the old one or the new one, byte for byte. Needs strace.

use crate::strace::{can_trace, run};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use truesum_fs::system::guarantees;

/// An earlier manifest, because other files are not replaced.
const OLD_MANIFEST: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  old\n";
const TRUESUM: &str = env!("CARGO_BIN_EXE_truesum");

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn read_error_at_any_read_leaves_no_digest() {
    if !can_trace() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("good"), "good").unwrap();
    let slice = 1 << 18;
    for len in [0, 1, slice - 1, slice, slice + 1, 3 * slice, 6 << 20] {
        std::fs::write(dir.path().join("data"), vec![0xa5; len]).unwrap();
        for (threads, algorithms) in
            [("1", "sha256"), ("2", "md5,crc32"), ("8", "blake3"), ("2", "sha256-tree")]
        {
            let path = dir.path().join("data");
            let path = path.to_str().unwrap();
            let mut faults = 0;
            for n in 1.. {
                let inject = format!("inject=read,pread64:error=EIO:when={n}");
                let strace = ["-P", path, "-e", "trace=read,pread64", "-e", &inject];
                let args = ["hash", "--progress=never", "-j", threads, "-a", algorithms, "data", "good"];
                let output = run(dir.path(), &strace, &args);
                let (out, err) = (text(&output.stdout), text(&output.stderr));
                assert!(out.contains("  good\n"), "the other file is hashed all the same: {out}{err}");
                if output.status.code() == Some(0) {
                    assert!(out.contains("  data\n"), "{out}");
                    break;
                }
                faults += 1;
                assert_eq!(output.status.code(), Some(1), "read {n} of {len} bytes: {err}");
                assert!(!out.contains("data"), "a digest of a file that could not be read: {out}");
                assert!(err.contains("data") && err.contains("Input/output error"), "{err}");
                assert!(n < 200, "reads without end");
            }
            // Pages in memory may be mapped instead of read.
            assert!(faults > 0 || len > 4 << 20, "{len} bytes on {threads} threads: no read was seen");
        }
    }
}

#[test]
fn folder_read_error_shows_the_actual_cause() {
    if !can_trace() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("folder");
    std::fs::create_dir(&folder).unwrap();
    let folder = folder.display().to_string();
    let program = dir.path().join("md5sum");
    std::os::unix::fs::symlink(TRUESUM, &program).unwrap();
    for (fault, reason) in
        [("read:error=EIO:when=4000", "Is a directory"), ("read:error=EIO", "Input/output error")]
    {
        let output = Command::new("strace")
            .args(["-f", "-qq", "-o", "/dev/null", "-P", &folder, "-e", "trace=read"])
            .args(["-e", &format!("inject={fault}")])
            .arg(&program)
            .arg("folder")
            .current_dir(dir.path())
            .output()
            .expect("strace runs");
        assert_eq!(text(&output.stderr), format!("md5sum: folder: {reason}\n"));
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn read_error_in_any_read_method_leaves_no_digest_and_no_tree() {
    if !can_trace() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let data: Vec<u8> = (0..10_000_000u32).map(|i| (i ^ (i >> 9)) as u8).collect();
    let path = dir.path().join("data");
    std::fs::write(&path, data).unwrap();
    // Pages in memory that cannot be mapped, and pages that are reported as not in memory.
    for way in ["inject=mmap:error=ENODEV", "inject=preadv2:error=EAGAIN"] {
        let strace = |fault: &str| {
            let path = path.to_str().unwrap();
            ["-P", path, "-e", "trace=mmap,preadv2,read,pread64", "-e", way, "-e", fault].map(str::to_owned)
        };
        for args in [
            &["hash", "--tag", "-a", "crc32"][..],
            &["hash", "--tag", "-a", "sha256-tree,md5-tree"],
            &["hash", "--tag", "-a", "s3-etag;part=1MiB"],
            &["hash", "--tag", "-a", "mtsum-md5"],
            &["hash", "--tag", "-a", "sha256,md5"],
            &["hash", "--tag", "-a", "mtsum-md5,sha256"],
            &["tree", "--save", "-a", "sha256-tree"],
            &["tree", "--save", "-a", "sha256-tree,md5"],
            &["tree", "--save", "-a", "mtsum-md5,md5"],
        ] {
            let args = [args, &["-j", "2", "data"]].concat();
            let mut faults = 0;
            for n in (1..).step_by(4) {
                let _ = std::fs::remove_file(dir.path().join("data.ftr"));
                let strace = strace(&format!("inject=read,pread64:error=EIO:when={n}"));
                let strace: Vec<&str> = strace.iter().map(String::as_str).collect();
                let output = run(dir.path(), &strace, &args);
                let (out, err) = (text(&output.stdout), text(&output.stderr));
                if output.status.code() == Some(0) {
                    assert!(out.contains("(data) = "), "{args:?}: {out}");
                    break;
                }
                faults += 1;
                assert!(err.contains("data") && err.contains("Input/output error"), "{args:?}, {n}: {err}");
                assert!(!out.contains("data"), "{args:?}: a digest of a file that could not be read: {out}");
                assert!(!dir.path().join("data.ftr").exists(), "{args:?}: a tree of it");
                assert!(n < 400, "{args:?}: reads without end");
            }
            assert!(faults > 0, "{args:?} {way}: no read was seen");
        }
    }
}

#[test]
fn interrupted_reads_are_retried() {
    if !can_trace() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("data"), vec![1; 1_000_000]).unwrap();
    let plain = Command::new(TRUESUM).args(["hash", "data"]).current_dir(dir.path()).output().unwrap();
    let path = dir.path().join("data");
    let strace = [
        "-P",
        path.to_str().unwrap(),
        "-e",
        "trace=read,openat",
        "-e",
        "inject=read,openat:error=EINTR:when=1+2",
    ];
    let output = run(dir.path(), &strace, &["hash", "data"]);
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.stdout, plain.stdout);
}

#[test]
fn signal_during_handler_setup_ends_the_run() {
    if !can_trace() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut calls = traced_calls(dir.path(), &["-"], ("rt_sigaction", "SIGINT"));
    calls.retain(|(name, _)| name.starts_with("rt_sig"));
    assert!(calls.len() > 5, "SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGALRM: {calls:?}");
    for (name, count) in calls {
        let mut strace = Command::new("strace");
        strace.args(["-qq", "-o", "/dev/null", "-e", &format!("trace={name}")]);
        strace.args(["-e", &format!("inject={name}:signal=SIGINT:when={count}"), TRUESUM, "-"]);
        strace.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = strace.current_dir(dir.path()).spawn().unwrap();
        let begun = Instant::now();
        let status = loop {
            match child.try_wait().unwrap() {
                Some(status) => break Some(status),
                None if begun.elapsed() > Duration::from_secs(60) => break None,
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        // Closes standard input, so that the program can end.
        drop(child.stdin.take());
        let _ = child.wait();
        let code = status.and_then(|status| status.code());
        assert_eq!(code, Some(130), "SIGINT at {name} {count}: {status:?}");
    }
}

/// Returns the system calls of the main thread, which writes the manifest; each with its number among the calls of the
/// same name, as strace counts them. The calls before the call `first` that names `mark` are omitted, because nothing
/// can be lost before it, unless `TRUESUM_KILLS` is `all`.
fn traced_calls(folder: &Path, args: &[&str], (first, mark): (&str, &str)) -> Vec<(String, usize)> {
    let trace = tempfile::NamedTempFile::new().unwrap();
    let output = Command::new("strace")
        .args(["-qq", "-o", trace.path().to_str().unwrap(), TRUESUM])
        .args(args)
        .current_dir(folder)
        .output()
        .expect("strace runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines = text(&std::fs::read(trace.path()).unwrap());
    let all = std::env::var("TRUESUM_KILLS").as_deref() == Ok("all");
    let (mut counts, mut begun, mut calls) = (std::collections::BTreeMap::new(), all, Vec::new());
    for line in lines.lines() {
        let Some((name, rest)) = line.split_once('(') else { continue };
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            continue;
        }
        let count = counts.entry(name.to_owned()).or_insert(0);
        *count += 1;
        begun |= name == first && rest.contains(mark);
        if begun {
            calls.push((name.to_owned(), *count));
        }
    }
    calls
}

/// Kills a run at each call in turn. Afterwards the manifest must be the old one or the new one, and the folder must
/// contain only the manifest and `tree`, except for a temporary file that walks recognize if the run was killed just
/// before the rename.
fn kill_at_every_call(folder: &Path, args: &[&str], calls: &[(String, usize)], old: &[u8], reset: &dyn Fn()) {
    let manifest = folder.join("SUMS");
    reset();
    let made = Command::new(TRUESUM).args(args).current_dir(folder).output().unwrap();
    assert!(made.status.success(), "{}", text(&made.stderr));
    let new = std::fs::read(&manifest).unwrap();
    assert_ne!(old, new);
    let files = std::fs::read_dir(folder.join("tree")).unwrap().count();
    let (mut old_seen, mut new_seen, mut left) = (0, 0, 0);
    for (name, count) in calls {
        reset();
        let inject = format!("inject={name}:signal=SIGKILL:when={count}");
        // Other threads are not traced: their calls are counted separately, and the first one of all would end the run.
        let output = Command::new("strace")
            .args(["-qq", "-o", "/dev/null", "-e", &inject, TRUESUM])
            .args(args)
            .current_dir(folder)
            .output()
            .expect("strace runs");
        let found = std::fs::read(&manifest).unwrap();
        match () {
            () if found == old => old_seen += 1,
            () if found == new => new_seen += 1,
            () => panic!("killed before {name} {count}: neither the old manifest nor the new one"),
        }
        assert!(found == new || !output.status.success(), "{name} {count}: done, and nothing written");
        assert_eq!(
            std::fs::read_dir(folder.join("tree")).unwrap().count(),
            files,
            "something was left in the tree"
        );
        for entry in std::fs::read_dir(folder).unwrap() {
            let other = entry.unwrap().file_name().into_string().unwrap();
            if !["SUMS", "tree"].contains(&&other[..]) {
                left += 1;
                let listed = Command::new(TRUESUM).args(["hash", "."]).current_dir(folder).output().unwrap();
                assert!(!text(&listed.stdout).contains(&other), "{other} is taken for content");
                std::fs::remove_file(folder.join(other)).unwrap();
            }
        }
    }
    assert!(old_seen > 20 && new_seen > 1, "{old_seen} times the old one, {new_seen} times the new one");
    assert!(left <= 1 || !guarantees().leaves_nothing_when_killed(), "{left} times another file was left");
}

#[test]
fn hash_killed_at_any_call_leaves_old_or_new_manifest() {
    if !can_trace() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let tree = dir.path().join("tree");
    std::fs::create_dir(&tree).unwrap();
    for i in 0..3 {
        std::fs::write(tree.join(format!("f{i}")), format!("content {i}")).unwrap();
    }
    let make = ["hash", "--progress=never", "-j", "1", "--root", "tree", "-o", "SUMS", "tree"];
    let reset = || std::fs::write(dir.path().join("SUMS"), OLD_MANIFEST).unwrap();
    reset();
    let calls = traced_calls(dir.path(), &make, ("openat", dir.path().to_str().unwrap()));
    kill_at_every_call(dir.path(), &make, &calls, OLD_MANIFEST.as_bytes(), &reset);
}

#[test]
fn update_killed_at_any_call_leaves_old_or_new_manifest() {
    if !can_trace() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let tree = dir.path().join("tree");
    std::fs::create_dir(&tree).unwrap();
    for name in ["kept", "written", "gone"] {
        std::fs::write(tree.join(name), name).unwrap();
    }
    let manifest = dir.path().join("SUMS");
    let make = ["hash", "--root", "tree", "-o", "SUMS", "tree"];
    assert!(Command::new(TRUESUM).args(make).current_dir(dir.path()).status().unwrap().success());
    let old = std::fs::read(&manifest).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    std::fs::write(tree.join("written"), "anew").unwrap();
    std::fs::remove_file(tree.join("gone")).unwrap();
    std::fs::write(tree.join("fresh"), "fresh").unwrap();
    // The new files must be newer than the manifest.
    let before = std::fs::metadata(&manifest).unwrap().modified().unwrap();
    let reset = || {
        std::fs::write(&manifest, &old).unwrap();
        std::fs::File::options().write(true).open(&manifest).unwrap().set_modified(before).unwrap();
    };
    let update = ["update", "--progress=never", "-j", "1", "--refresh", "--prune", "SUMS", "tree"];
    let calls = traced_calls(dir.path(), &update, ("openat", "\"SUMS\""));
    kill_at_every_call(dir.path(), &update, &calls, &old, &reset);
}

#[test]
fn failed_write_sync_or_rename_keeps_the_old_manifest() {
    if !can_trace() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("f"), "content").unwrap();
    let manifest = dir.path().join("SUMS");
    for (calls, error) in [
        ("write", "ENOSPC"),
        ("write", "EIO"),
        ("fsync", "EIO"),
        ("rename,renameat,renameat2", "EIO"),
        ("openat", "EMFILE"),
    ] {
        for n in 1.. {
            std::fs::write(&manifest, OLD_MANIFEST).unwrap();
            let inject = format!("inject={calls}:error={error}:when={n}");
            let args = ["hash", "--progress=never", "-j", "1", "-o", "SUMS", "f"];
            let output = run(dir.path(), &["-e", &format!("trace={calls}"), "-e", &inject], &args);
            let found = std::fs::read(&manifest).unwrap();
            if output.status.success() {
                assert!(text(&found).ends_with("  f\n"));
                break;
            }
            let is_old = found == OLD_MANIFEST.as_bytes();
            // If the folder cannot be synced after the rename, this is reported, and the new manifest is in place.
            assert!(is_old || (calls == "fsync" && n == 2), "{calls} {n}: {}", text(&output.stderr));
            assert!(n < 300, "{calls} without end");
        }
    }
}
