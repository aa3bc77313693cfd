//! The n-th system call fails, or kills the program, for every n: a digest is never shown of a file that could not be
//! read, and a manifest is always the old one or the new one, byte for byte. Needs strace.

#[path = "shared/strace.rs"]
mod strace;

use std::process::Command;
use strace::{can_trace, run};

const TRUESUM: &str = env!("CARGO_BIN_EXE_truesum");

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_read_error_at_any_read_leaves_no_digest() {
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
                let args = ["hash", "--no-progress", "-j", threads, "-a", algorithms, "data", "good"];
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
            // Pages in memory may be mapped and not read at all.
            assert!(faults > 0 || len > 4 << 20, "{len} bytes on {threads} threads: no read was seen");
        }
    }
}

#[test]
fn why_a_folder_cannot_be_read_is_asked_and_not_guessed() {
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
fn a_read_error_in_any_way_of_reading_leaves_no_digest_and_no_tree() {
    if !can_trace() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let data: Vec<u8> = (0..10_000_000u32).map(|i| (i ^ (i >> 9)) as u8).collect();
    let path = dir.path().join("data");
    std::fs::write(&path, data).unwrap();
    // Pages in memory that cannot be mapped, and pages that seem not to be in memory.
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
            let args = [args, &["-p", "2", "data"]].concat();
            let args: Vec<&str> =
                args.iter().map(|arg| if args[0] == "hash" && *arg == "-p" { "-j" } else { arg }).collect();
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
fn interrupted_reads_are_made_again() {
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
fn killed_before_any_system_call_the_manifest_is_the_old_or_the_new_one() {
    if !can_trace() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let tree = dir.path().join("tree");
    std::fs::create_dir(&tree).unwrap();
    for i in 0..3 {
        std::fs::write(tree.join(format!("f{i}")), format!("content {i}")).unwrap();
    }
    let manifest = dir.path().join("SUMS");
    let make = ["hash", "--no-progress", "-j", "1", "--root", "tree", "-o", "SUMS", "tree"];
    std::fs::write(&manifest, "the old one\n").unwrap();
    assert!(Command::new(TRUESUM).args(make).current_dir(dir.path()).status().unwrap().success());
    let new = std::fs::read(&manifest).unwrap();
    assert_eq!(new.iter().filter(|&&byte| byte == b'\n').count(), 3);
    let (mut old_seen, mut new_seen) = (0, 0);
    for n in 1.. {
        std::fs::write(&manifest, "the old one\n").unwrap();
        let inject = format!("inject=all:signal=SIGKILL:when={n}");
        let output = run(dir.path(), &["-e", &inject], &make);
        let found = std::fs::read(&manifest).unwrap();
        if found == b"the old one\n" {
            old_seen += 1;
            assert!(!output.status.success());
        } else {
            new_seen += 1;
            assert_eq!(found, new, "killed before system call {n}: neither the old manifest nor the new one");
        }
        // What a killed run left behind does not get into the next manifest, nor disturb it.
        let left = std::fs::read_dir(&tree).unwrap().count();
        assert_eq!(left, 3, "something was left in the tree");
        if output.status.success() {
            break;
        }
        assert!(n < 5000, "system calls without end");
    }
    assert!(old_seen > 20 && new_seen > 1, "{old_seen} times the old one, {new_seen} times the new one");
}

#[test]
fn a_failing_write_sync_or_rename_keeps_the_old_manifest() {
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
            std::fs::write(&manifest, "the old one\n").unwrap();
            let inject = format!("inject={calls}:error={error}:when={n}");
            let args = ["hash", "--no-progress", "-j", "1", "-o", "SUMS", "f"];
            let output = run(dir.path(), &["-e", &format!("trace={calls}"), "-e", &inject], &args);
            let found = std::fs::read(&manifest).unwrap();
            if output.status.success() {
                assert!(text(&found).ends_with("  f\n"));
                break;
            }
            let is_old = found == b"the old one\n";
            // A folder that cannot be flushed after the rename is told, with the new manifest in place.
            assert!(is_old || (calls == "fsync" && n == 2), "{calls} {n}: {}", text(&output.stderr));
            assert!(n < 300, "{calls} without end");
        }
    }
}
