//! `truesum tree` as users and clusters run it, and stored trees when the program is killed at any system call.

use crate::bytes::{flip, noise};
use crate::strace::{self, can_trace};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};

const TRUESUM: &str = env!("CARGO_BIN_EXE_truesum");

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(TRUESUM).args(args).current_dir(folder).output().unwrap()
}

/// Runs the program, expects this exit status, and returns standard output.
fn run_expecting(folder: &Path, code: i32, args: &[&str]) -> String {
    let output = run(folder, args);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{out}\n{err}");
    out
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn stored_tree_locates_damage_and_repairs_it() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, data) = (dir.path(), dir.path().join("data"));
    let bytes = noise((5 << 20) + 17);
    std::fs::write(&data, &bytes).unwrap();
    std::fs::write(folder.join("copy"), &bytes).unwrap();
    let plain = run_expecting(folder, 0, &["tree", "data"]);
    assert!(plain.starts_with("SHA256-TREE (data) = "), "{plain}");
    let both = run_expecting(folder, 0, &["tree", "--save", "-a", "md5,sha256-tree", "data"]);
    let md5 = run_expecting(folder, 0, &["hash", "--tag", "-a", "md5", "data"]);
    assert_eq!(both, format!("{md5}{plain}"), "digests in the order asked for");
    assert_eq!(run_expecting(folder, 0, &["tree", "verify", "data.ftr"]), "");
    assert_eq!(
        run_expecting(folder, 0, &["tree", "verify", "data"]),
        "",
        "the tree is found beside its file"
    );
    let lost = run(folder, &["tree", "verify", "copy"]);
    assert_eq!(lost.status.code(), Some(2));
    assert!(
        text(&lost.stderr).contains("copy.ftr: cannot read") && text(&lost.stderr).contains("tree --save")
    );
    flip(&data, 3 << 20);
    flip(&data, (5 << 20) + 16);
    let found = run_expecting(folder, 1, &["tree", "verify", "data.ftr"]);
    assert_eq!(found, "3145728 1048576 damaged\n5242880 17 damaged\n");
    let json = run_expecting(folder, 1, &["tree", "verify", "--json", "data.ftr"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["verdict"], "file damaged");
    assert_eq!(json["damaged"], serde_json::json!([[3 << 20, 1 << 20], [5 << 20, 17]]));
    assert!(
        run_expecting(folder, 1, &["tree", "verify", "--map", "--map-svg", "m.svg", "data.ftr"])
            .contains('#')
    );
    assert!(std::fs::read_to_string(folder.join("m.svg")).unwrap().contains("3145728..4194304"));
    run_expecting(folder, 1, &["tree", "verify", "--map-html", "m.html", "data.ftr"]);
    let page = std::fs::read_to_string(folder.join("m.html")).unwrap();
    assert!(page.contains(">3,145,728</a></td><td>1,048,576</td>") && page.contains("<svg"), "{page}");
    let damaged = std::fs::read(&data).unwrap();
    let plan = run_expecting(folder, 1, &["tree", "repair", "--dry-run", "--from", "copy", "data.ftr"]);
    assert!(plan.contains("3145728 1048576 would be repaired: 4096 bytes to write"), "{plan}");
    assert_eq!(std::fs::read(&data).unwrap(), damaged);
    assert_eq!(
        run_expecting(folder, 1, &["tree", "repair", "--dry-run", "--from", "copy", "data.ftr"]),
        plan
    );
    assert_eq!(std::fs::read(&data).unwrap(), damaged);
    let other = format!("sha256-tree:{}", "0".repeat(64));
    run_expecting(folder, 2, &["tree", "repair", "--digest", &other, "--from", "copy", "data.ftr"]);
    assert_eq!(std::fs::read(&data).unwrap(), damaged, "nothing is repaired by a tree that is not trusted");
    run_expecting(folder, 0, &["tree", "repair", "--from", "copy", "data.ftr"]);
    assert_eq!(std::fs::read(&data).unwrap(), bytes);
    std::fs::write(&data, &damaged).unwrap();
    let token = plain.trim().rsplit(' ').next().unwrap();
    let repaired =
        run_expecting(folder, 0, &["tree", "repair", "--from", "copy", "--digest", token, "data.ftr"]);
    assert!(repaired.contains("3145728 1048576 repaired: 4096 bytes written"), "{repaired}");
    assert_eq!(std::fs::read(&data).unwrap(), bytes);
    let foreign = vec![0; bytes.len()];
    std::fs::write(&data, &foreign).unwrap();
    run_expecting(folder, 2, &["tree", "repair", "--from", "copy", "data.ftr"]);
    run_expecting(folder, 2, &["tree", "repair", "--from", "copy", "data.ftr"]);
    assert_eq!(std::fs::read(&data).unwrap(), foreign, "it may be a different file");
    run_expecting(folder, 0, &["tree", "repair", "--most", "--from", "copy", "data.ftr"]);
    assert_eq!(std::fs::read(&data).unwrap(), bytes);
    run_expecting(folder, 2, &["tree", "verify", "--dry-run", "data.ftr"]);
    run_expecting(folder, 2, &["tree", "verify", "--most", "data.ftr"]);
    run_expecting(folder, 2, &["tree", "verify", "--digest", "nonsense", "data.ftr"]);
    run_expecting(folder, 0, &["tree", "verify", "data.ftr"]);
    flip(&folder.join("data.ftr"), 8192);
    run_expecting(folder, 2, &["tree", "verify", "data.ftr"]);
    run_expecting(folder, 2, &["tree", "repair", "--from", "copy", "data.ftr"]);
    run_expecting(folder, 2, &["tree", "verify", "copy"]);
    run_expecting(folder, 1, &["tree", "missing"]);
}

#[test]
fn range_proofs_verify_and_leaves_combine() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    std::fs::write(folder.join("data"), noise(3 << 20)).unwrap();
    let line = run_expecting(folder, 0, &["tree", "data"]);
    let hex = line.trim().rsplit(' ').next().unwrap();
    let proof = run_expecting(folder, 0, &["tree", "prove", "data", "--range", "1MiB..1048577"]);
    std::fs::write(folder.join("proof"), &proof).unwrap();
    let token = format!("sha256-tree:{hex}");
    for digest in [hex, &token] {
        let line = run_expecting(folder, 0, &["tree", "verify-proof", "proof", "data", "--digest", digest]);
        assert_eq!(
            line,
            "bytes 1048576..1114112 of 3145728 match the digest; the other bytes were not read\n"
        );
    }
    let other = format!("{}0", &hex[..63]);
    if other != hex {
        run_expecting(folder, 1, &["tree", "verify-proof", "proof", "data", "--digest", &other]);
    }
    run_expecting(folder, 2, &["tree", "verify-proof", "proof", "data", "--digest", "nonsense"]);
    std::fs::write(folder.join("bad"), proof.replace("\"first\"", "\"furst\"")).unwrap();
    run_expecting(folder, 2, &["tree", "verify-proof", "bad", "data", "--digest", hex]);
    for name in ["sha256-tree", "blake3", "crc32", "mtsum-sha256"] {
        let middle = if name == "mtsum-sha256" { "1572864" } else { "1MiB" };
        let first = run_expecting(
            folder,
            0,
            &["tree", "leaf", "-a", name, "data", "--range", &format!("0..{middle}")],
        );
        let second = run_expecting(
            folder,
            0,
            &["tree", "leaf", "-a", name, "data", "--range", &format!("{middle}..3MiB")],
        );
        std::fs::write(folder.join("lines"), format!("{second}{first}")).unwrap();
        let line = run_expecting(folder, 0, &["hash", "-a", name, "data"]);
        let expected = format!("{name}:{}\n", line.split(' ').next().unwrap());
        assert_eq!(run_expecting(folder, 0, &["tree", "combine", "lines"]), expected);
        std::fs::write(folder.join("lines"), format!("{second}{first}{second}")).unwrap();
        assert_eq!(run_expecting(folder, 0, &["tree", "combine", "lines"]), expected);
        std::fs::write(folder.join("lines"), second).unwrap();
        run_expecting(folder, 2, &["tree", "combine", "lines"]);
        // regression: the range was printed in leaves.
        let ran = run(folder, &["tree", "combine", "lines"]);
        let end = if name == "mtsum-sha256" { 1_572_864 } else { 1 << 20 };
        let said = format!("truesum: combine: the range 0..{end} is missing\n");
        assert_eq!(text(&ran.stderr), said, "{name}");
    }
    // The reason why there is no piece is reported as JSON, which is not accepted as a piece.
    for (status, name, range, kind) in [
        (1, "none", "0..1MiB", "missing"),
        (2, "data", "1..1MiB", "refused"),
        (2, "data", "0..9MiB", "refused"),
        (1, ".", "0..1MiB", "refused"),
    ] {
        let line = run_expecting(folder, status, &["tree", "leaf", name, "--range", range]);
        assert!(line.contains(&format!("\"failed\":\"{kind}\"")), "{line}");
        std::fs::write(folder.join("lines"), line).unwrap();
        run_expecting(folder, 2, &["tree", "combine", "lines"]);
    }
    // The only chunk of a short BLAKE3 message is its root, which cannot be divided.
    std::fs::write(folder.join("short"), [7; 1024]).unwrap();
    let line = run_expecting(folder, 2, &["tree", "leaf", "-a", "blake3", "short", "--range", "0..1024"]);
    let why = "blake3 cannot be computed for a range of a file this short; use truesum hash";
    assert!(line.contains("\"failed\":\"refused\"") && line.contains(why), "{line}");
    std::fs::write(folder.join("short"), [7; 1025]).unwrap();
    let line = run_expecting(folder, 0, &["tree", "leaf", "-a", "blake3", "short", "--range", "0..1025"]);
    std::fs::write(folder.join("lines"), line).unwrap();
    run_expecting(folder, 0, &["tree", "combine", "lines"]);
    // The file changes before the second piece is hashed.
    let first = run_expecting(folder, 0, &["tree", "leaf", "data", "--range", "0..1MiB"]);
    std::fs::write(folder.join("data"), vec![7; 3 << 20]).unwrap();
    let second = run_expecting(folder, 0, &["tree", "leaf", "data", "--range", "1MiB..3MiB"]);
    std::fs::write(folder.join("lines"), first + &second).unwrap();
    run_expecting(folder, 2, &["tree", "combine", "lines"]);
    run_expecting(folder, 0, &["tree", "combine", "--trust-origins", "lines"]);
}

#[test]
fn growth_proof_distinguishes_appending_from_changes() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, data) = (dir.path(), dir.path().join("data"));
    let bytes = noise(3 << 20);
    let digest = || run_expecting(folder, 0, &["tree", "data"]).trim().rsplit(' ').next().unwrap().to_owned();
    let zero = "0".repeat(64);
    for (old_size, whole) in [(1 << 20, true), ((1 << 20) + 5, false)] {
        std::fs::write(&data, &bytes[..old_size]).unwrap();
        run_expecting(folder, 0, &["tree", "--save", "data"]);
        let old = digest();
        std::fs::write(&data, &bytes).unwrap();
        // The stored tree is the old one, so the file is read.
        let read = run_expecting(folder, 0, &["tree", "prove", "data", "--grown-from", "data.ftr"]);
        std::fs::rename(folder.join("data.ftr"), folder.join("old.ftr")).unwrap();
        run_expecting(folder, 0, &["tree", "--save", "data"]);
        let proof = run_expecting(folder, 0, &["tree", "prove", "data", "--grown-from", "old.ftr"]);
        assert_eq!(proof, read);
        std::fs::write(folder.join("proof"), &proof).unwrap();
        let (new, token) = (digest(), format!("sha256-tree:{old}"));
        let check = ["tree", "verify-proof", "proof", "data", "--digest", &new, "--grown-from", &token];
        let said = run_expecting(folder, 0, &check);
        let begin =
            format!("the digests prove that the first {old_size} of 3145728 bytes are the old file; ");
        assert!(
            said.starts_with(&begin) && said.ends_with(" of the file were read\n")
                || said.ends_with("no byte of the file was read\n"),
            "{said}"
        );
        let alone = ["tree", "verify-proof", "proof", "--digest", &new, "--grown-from", &token];
        run_expecting(folder, if whole { 0 } else { 2 }, &alone);
        run_expecting(
            folder,
            1,
            &["tree", "verify-proof", "proof", "data", "--digest", &new, "--grown-from", &zero],
        );
        run_expecting(
            folder,
            1,
            &["tree", "verify-proof", "proof", "data", "--digest", &zero, "--grown-from", &old],
        );
        run_expecting(folder, 2, &["tree", "verify-proof", "proof", "data", "--digest", &new]);
        let other = format!("md5-tree:{old}");
        run_expecting(
            folder,
            2,
            &["tree", "verify-proof", "proof", "data", "--digest", &new, "--grown-from", &other],
        );
        std::fs::write(folder.join("bad"), proof.replace("old_root", "root")).unwrap();
        run_expecting(
            folder,
            2,
            &["tree", "verify-proof", "bad", "data", "--digest", &new, "--grown-from", &old],
        );
        flip(&data, 17);
        run_expecting(folder, 1, &["tree", "prove", "data", "--tree", "old.ftr", "--grown-from", "old.ftr"]);
        run_expecting(folder, 0, &["tree", "--save", "data"]);
        let refused = run(folder, &["tree", "prove", "data", "--grown-from", "old.ftr"]);
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0));
        assert!(
            text(&refused.stderr).contains("the file does not begin with the content of the old file"),
            "{}",
            text(&refused.stderr)
        );
    }
    let range = run_expecting(folder, 0, &["tree", "prove", "data", "--range", "0..1"]);
    std::fs::write(folder.join("proof"), range).unwrap();
    run_expecting(
        folder,
        2,
        &["tree", "verify-proof", "proof", "data", "--digest", &zero, "--grown-from", &zero],
    );
    run_expecting(folder, 2, &["tree", "verify-proof", "proof", "--digest", &zero]);
    run_expecting(folder, 2, &["tree", "prove", "data"]);
    run_expecting(folder, 2, &["tree", "prove", "data", "--range", "0..1", "--grown-from", "old.ftr"]);
}

#[test]
fn tree_digests_in_a_manifest_are_checked() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    std::fs::write(folder.join("data"), noise(1 << 20)).unwrap();
    let names = "sha256-tree,sha256-tree;leaf=4KiB,mtsum-md5,s3-etag,glacier";
    let lines = run_expecting(folder, 0, &["tree", "-a", names, "data"]);
    assert_eq!(lines.lines().count(), 5, "{lines}");
    std::fs::write(folder.join("SUMS"), &lines).unwrap();
    run_expecting(folder, 0, &["check", "SUMS"]);
    flip(&folder.join("data"), 9);
    run_expecting(folder, 1, &["check", "SUMS"]);
}

#[test]
fn pipes_have_trees_unless_the_size_is_needed_first() {
    use std::io::Write;
    let run = |name: &str| {
        let mut child = Command::new(TRUESUM)
            .args(["hash", "-a", name, "-"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // The program may have rejected its arguments and exited.
        let _ = child.stdin.take().unwrap().write_all(b"abc");
        child.wait_with_output().unwrap()
    };
    assert_eq!(run("sha256-tree").status.code(), Some(0));
    let refused = run("mtsum-sha256");
    assert_eq!((refused.status.code(), text(&refused.stdout).as_str()), (Some(1), ""));
    assert!(text(&refused.stderr).contains("requires the size in advance"), "{}", text(&refused.stderr));
}

#[test]
fn mtsum_applet_output_matches_mtsum() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let mtsum = folder.join("mtsum");
    std::os::unix::fs::symlink(TRUESUM, &mtsum).unwrap();
    std::fs::write(folder.join("a"), "a").unwrap();
    let run = |args: &[&str]| Command::new(&mtsum).args(args).current_dir(folder).output().unwrap();
    // As printed by mtsum 1.1.0.
    for (args, line) in [
        (&["a"][..], "bfcb8116f5723b7b033ce9c0eb408d11dc1d90bc7872f47143a578755604dfb3\n"),
        (
            &["-p", "2", "-a", "sha256", "a"],
            "bfcb8116f5723b7b033ce9c0eb408d11dc1d90bc7872f47143a578755604dfb3\n",
        ),
    ] {
        let output = run(args);
        assert_eq!(
            (text(&output.stdout).as_str(), output.status.code()),
            (line, Some(0)),
            "{}",
            text(&output.stderr)
        );
    }
    let output = run(&["--verbose", "a"]);
    let out = text(&output.stdout);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[..3], ["Algorithm: sha256", "Number of processors: 8", "File size: 1 bytes"]);
    assert!(lines[4].ends_with(" GB/s)"), "{out}");
    assert!(text(&run(&["-g", "a"]).stdout).starts_with("digraph"));
    assert_eq!(run(&["missing"]).status.code(), Some(1));
    assert_eq!(run(&["."]).status.code(), Some(1), "the original never ends on a folder");
    assert_ne!(run(&["-a", "crc32", "a"]).status.code(), Some(0));
}

/// Runs under strace with these injections.
fn injected(folder: &Path, injections: &[&str], args: &[&str]) -> Output {
    let words: Vec<String> =
        injections.iter().flat_map(|what| ["-e".to_owned(), format!("inject={what}")]).collect();
    strace::run(folder, &words, args)
}

#[test]
fn interrupted_repair_reports_what_it_wrote() {
    if !can_trace() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (folder, data) = (dir.path(), dir.path().join("data"));
    let bytes = noise(3 << 20);
    std::fs::write(&data, &bytes).unwrap();
    std::fs::write(folder.join("copy"), &bytes).unwrap();
    run_expecting(folder, 0, &["tree", "--save", "--format", "obao4", "data"]);
    run_expecting(folder, 0, &["tree", "--save", "data"]);
    for (list, injection, status, why) in [
        ("data.obao4", "pwrite64:signal=INT:when=1", 130, "cannot read: interrupted"),
        ("data.obao4", "pwrite64:error=ENOSPC:when=2", 2, "cannot write: No space left on device"),
        ("data.ftr", "pwrite64:error=ENOSPC:when=2", 2, "cannot write: No space left on device"),
    ] {
        std::fs::write(&data, &bytes).unwrap();
        flip(&data, 5);
        flip(&data, (2 << 20) + 5);
        let repair = ["tree", "repair", "--from", "copy", list];
        let ran = injected(folder, &[injection], &repair);
        let said = format!(
            "truesum: data: {why}; 4096 bytes were already written (to continue, run the same command again)\n"
        );
        assert!(text(&ran.stderr).starts_with(&said), "{list}: {}", text(&ran.stderr));
        assert_eq!(ran.status.code().or(ran.status.signal().map(|signal| 128 + signal)), Some(status));
        run_expecting(folder, 0, &repair);
        assert_eq!(std::fs::read(&data).unwrap(), bytes);
    }
}

#[test]
fn interrupted_verification_is_resumed_after_any_signal() {
    const VERIFY: [&str; 6] = ["tree", "verify", "--resume", "-j", "1", "data.ftr"];
    const FOUND: &str = "1048576 1048576 damaged\n6291456 1048576 damaged\n";
    if !can_trace() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (folder, data, kept) = (dir.path(), dir.path().join("data"), dir.path().join("data.ftr.verify"));
    std::fs::write(&data, noise(8 << 20)).unwrap();
    run_expecting(folder, 0, &["tree", "--save", "data"]);
    flip(&data, 1 << 20);
    flip(&data, 6 << 20);
    assert_eq!(run_expecting(folder, 1, &["tree", "verify", "data.ftr"]), FOUND);
    assert!(!kept.exists(), "only when asked");
    // The granules of each window are read by one call, after the calls that read the beginning of the tree.
    let interrupted = |at: usize, kill: &str| {
        let _ = std::fs::remove_file(&kept);
        let at = format!("pread64:signal=SIGINT:when={at}");
        injected(folder, &[&at, kill], &VERIFY)
    };
    let none = "renameat:signal=SIGKILL:when=99";
    let going = || run_expecting(folder, 1, &["tree", "verify", "--resume", "--json", "data.ftr"]);
    let (at, state) = (6..20)
        .find_map(|at| {
            let output = interrupted(at, none);
            assert!(output.status.code().is_some_and(|code| code == 130 || code == 1), "{output:?}");
            let state = std::fs::read(&kept).ok()?;
            let json: serde_json::Value = serde_json::from_str(&going()).unwrap();
            assert!(!kept.exists(), "removed with the result");
            (json["compared_before"] == 4 << 20).then_some((at, state))
        })
        .expect("a call in the middle");
    // Damage found before the interruption, in the second granule, is reported by the resumed run.
    std::fs::write(&kept, &state).unwrap();
    let output = run(folder, &VERIFY);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(1), FOUND));
    let said = text(&output.stderr);
    assert!(said.contains("4,194,304 bytes were compared before the interruption"), "{said}");
    for n in 1.. {
        std::fs::write(&kept, &state).unwrap();
        let killed = injected(folder, &[&format!("all:signal=SIGKILL:when={n}")], &VERIFY);
        assert_eq!(run_expecting(folder, 1, &VERIFY), FOUND, "killed at call {n}");
        assert!(!kept.exists());
        if killed.status.code() == Some(1) {
            assert!(n > 15, "{n} calls of one kind");
            break;
        }
        assert!(n < 2000, "system calls without end");
    }
    for call in ["openat", "write", "fsync", "renameat", "unlink"] {
        for n in 1..30 {
            interrupted(at, &format!("{call}:signal=SIGKILL:when={n}"));
            assert_eq!(
                run_expecting(folder, 1, &VERIFY),
                FOUND,
                "killed at {call} {n} while it was interrupted"
            );
        }
    }
    // Damaged or outdated progress is not used, and no progress is mentioned unless requested.
    std::fs::write(&kept, &state[..state.len() - 1]).unwrap();
    assert!(
        text(&run(folder, &VERIFY).stderr)
            .contains("data.ftr.verify: cannot resume the verification: it is damaged")
    );
    run_expecting(folder, 2, &VERIFY);
    std::fs::write(&kept, &state).unwrap();
    let plain = run(folder, &["tree", "verify", "data.ftr"]);
    assert_eq!(text(&plain.stdout), FOUND);
    assert!(text(&plain.stderr).contains("continue it with --resume"), "{}", text(&plain.stderr));
    flip(&data, 0);
    run_expecting(folder, 2, &VERIFY);
    std::fs::remove_file(&kept).unwrap();
    let all = run_expecting(folder, 1, &VERIFY);
    assert_eq!(all, "0 2097152 damaged\n6291456 1048576 damaged\n");
}

#[test]
fn tree_save_killed_at_any_call_leaves_old_or_new_tree() {
    if !can_trace() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (folder, data, tree) = (dir.path(), dir.path().join("data"), dir.path().join("data.ftr"));
    std::fs::write(&data, noise(3 << 20)).unwrap();
    run_expecting(folder, 0, &["tree", "--save", "data"]);
    let old = std::fs::read(&tree).unwrap();
    flip(&data, 1 << 20);
    let (mut old_seen, mut new_seen) = (0, 0);
    // The calls of each kind are counted separately; files are also closed after the new tree has its name.
    for calls in ["all", "close"] {
        for n in 1.. {
            std::fs::write(&tree, &old).unwrap();
            let inject = format!("{calls}:signal=SIGKILL:when={n}");
            let save = ["tree", "--save", "-j", "1", "-a", "sha256-tree,md5", "data"];
            let output = injected(folder, &[&inject], &save);
            let killed = !output.status.success();
            if std::fs::read(&tree).unwrap() == old {
                old_seen += 1;
                assert!(killed);
            } else {
                new_seen += 1;
                run_expecting(folder, 0, &["tree", "verify", "data.ftr"]);
            }
            // Resuming completes the tree, whatever was left behind.
            run_expecting(
                folder,
                0,
                &["tree", "--save", "--resume", "-j", "1", "-a", "sha256-tree,md5", "data"],
            );
            run_expecting(folder, 0, &["tree", "verify", "data.ftr"]);
            if !killed {
                break;
            }
            assert!(n < 3000, "system calls without end");
        }
    }
    assert!(old_seen > 20 && new_seen > 1, "{old_seen} times the old tree, {new_seen} times a new one");
    let mut left: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["data", "data.ftr"]);
}

#[test]
fn stored_tree_is_not_extended_by_another_file() {
    // regression: `--append` and `--since` on a rotated log printed and stored a digest that belongs to no file, with exit status 0.
    let dir = tempfile::tempdir().unwrap();
    let (folder, data) = (dir.path(), dir.path().join("data"));
    let (old, other) = (noise(3_000_000), noise(4_000_001)[1..].to_vec());
    std::fs::write(folder.join("changed"), "0 4096\n").unwrap();
    let stored = |content: &[u8]| {
        let _ = std::fs::remove_file(&data);
        std::fs::write(&data, content).unwrap();
        run_expecting(folder, 0, &["tree", "--save", "data"]);
    };
    let refused = |words: &[&str], why: &str| {
        let tree = std::fs::read(folder.join("data.ftr")).unwrap();
        let ran = run(folder, &[&["tree", "--save", "data"], words].concat());
        assert_eq!((ran.status.code(), text(&ran.stdout)), (Some(2), String::new()), "{words:?}");
        assert!(text(&ran.stderr).contains(why), "{words:?}: {}", text(&ran.stderr));
        assert!(std::fs::read(folder.join("data.ftr")).unwrap() == tree, "the stored tree changed");
    };
    for (options, content) in
        [(&["--append"][..], &other[..]), (&["--since", "changed"], &other[..3_000_000])]
    {
        // The file is renamed, and another file is created with its name.
        stored(&old);
        std::fs::rename(&data, folder.join("data.1")).unwrap();
        std::fs::write(&data, content).unwrap();
        refused(options, "the inode number differs");
        // The same with --trust-prefix: the new file must still extend the old one.
        refused(&[options, &["--trust-prefix"]].concat(), "do not match the stored tree");
        // The file is truncated and written anew (copytruncate).
        stored(&old);
        std::fs::write(&data, content).unwrap();
        refused(options, "do not match the stored tree");
    }
    // A copy of the old file that has grown.
    stored(&old);
    std::fs::rename(&data, folder.join("data.1")).unwrap();
    std::fs::write(&data, [&old[..], b"more"].concat()).unwrap();
    refused(&["--append"], "the inode number differs");
    let grown = run_expecting(folder, 0, &["tree", "--save", "--append", "--trust-prefix", "data"]);
    assert_eq!(grown, run_expecting(folder, 0, &["tree", "data"]));
    // If plain digests are requested too, the complete file is read.
    stored(&old);
    std::fs::write(&data, [&old[..], b"more"].concat()).unwrap();
    let both = run_expecting(folder, 0, &["tree", "--save", "--append", "-a", "sha256-tree,sha256", "data"]);
    assert_eq!(both, run_expecting(folder, 0, &["tree", "-a", "sha256-tree,sha256", "data"]));
}

#[test]
fn trusted_part_of_a_stored_tree_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, data) = (dir.path(), dir.path().join("data"));
    let bytes = noise(3 << 20);
    std::fs::write(&data, &bytes[..2 << 20]).unwrap();
    run_expecting(folder, 0, &["tree", "--save", "data"]);
    std::fs::write(&data, &bytes).unwrap();
    let grown = run(folder, &["tree", "--save", "--append", "data"]);
    let extended = "stored tree of data extended: sha256-tree ";
    assert!(text(&grown.stdout).starts_with(extended), "{}", text(&grown.stdout));
    let note = "truesum: note: data: 2,097,152 of 3,145,728 bytes were read; the hashes of the other bytes were taken from the stored tree (to read everything: truesum tree verify TREE)\n";
    assert_eq!((grown.status.code(), text(&grown.stderr)), (Some(0), note.to_owned()));
    for (list, why) in [
        (
            "3145728 1\n",
            "the range at offset 3145728, length 1, extends beyond the end of the file (3145728 bytes)",
        ),
        (
            "0 1\n1 3145728\n",
            "the range at offset 1, length 3145728, extends beyond the end of the file (3145728 bytes)",
        ),
    ] {
        std::fs::write(folder.join("changed"), list).unwrap();
        let refused = run(folder, &["tree", "--save", "--since", "changed", "data"]);
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0), "{list}");
        assert!(text(&refused.stderr).contains(why), "{}", text(&refused.stderr));
    }
    flip(&data, 5);
    std::fs::write(folder.join("changed"), "5 1\n").unwrap();
    let changed = run(folder, &["tree", "--save", "--since", "changed", "--trust-prefix", "data"]);
    assert!(text(&changed.stderr).contains("2,097,152 of 3,145,728 bytes were read"));
    assert_eq!(text(&changed.stdout), run_expecting(folder, 0, &["tree", "data"]));
}

#[test]
fn damage_is_repaired_from_parity_without_a_copy() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, data) = (dir.path(), dir.path().join("a file"));
    let bytes = noise((5 << 20) + 17);
    std::fs::write(&data, &bytes).unwrap();
    let args = ["tree", "--save", "--parity", "30%", "-a", "md5,sha256-tree", "a file"];
    let digests = run_expecting(folder, 0, &args);
    assert_eq!(digests, run_expecting(folder, 0, &["hash", "--tag", "-a", "md5,sha256-tree", "a file"]));
    flip(&data, 3 << 20);
    flip(&data, (5 << 20) + 16);
    let found = run(folder, &["tree", "verify", "a file.ftr"]);
    assert_eq!(found.status.code(), Some(1));
    let hint = "hint: to repair the damaged ranges from the parity file: truesum tree repair 'a file.ftr'\n";
    assert!(text(&found.stderr).ends_with(hint), "{}", text(&found.stderr));
    let damaged = std::fs::read(&data).unwrap();
    let plan = run_expecting(folder, 1, &["tree", "repair", "-n", "a file.ftr"]);
    assert!(plan.contains("3145728 1048576 would be repaired: 4096 bytes to write\n"), "{plan}");
    assert_eq!(std::fs::read(&data).unwrap(), damaged);
    let done = run_expecting(folder, 0, &["tree", "repair", "a file.ftr"]);
    assert!(done.contains("5242880 17 repaired: 17 bytes written\n"), "{done}");
    assert_eq!(std::fs::read(&data).unwrap(), bytes);
    // More than 2 of 6 blocks are damaged.
    [1, 1 << 20, 4 << 20].iter().for_each(|&at| flip(&data, at));
    let found = run(folder, &["tree", "verify", "a file"]);
    assert!(text(&found.stderr).contains("1 parity block is missing to repair all ranges"));
    let damaged = std::fs::read(&data).unwrap();
    let tried = run_expecting(folder, 1, &["tree", "repair", "a file.ftr", "a file"]);
    let rows = ["0 2097152", "4194304 1048576"];
    let rows = rows.map(|row| format!("{row} cannot be repaired: 1 parity block is missing\n"));
    assert_eq!(tried, rows.concat(), "one line for adjacent blocks");
    assert_eq!(std::fs::read(&data).unwrap(), damaged);
    let json = run_expecting(folder, 1, &["tree", "verify", "--json", "a file"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let parity = serde_json::json!({"file": "a file.ftr.parity", "usable": true, "missing_blocks": 1});
    assert_eq!((&json["parity"], &json["unreadable"]), (&parity, &serde_json::json!([])));
    // A parity file of an earlier state is not used.
    let stored = run(folder, &["tree", "--save", "a file"]);
    assert!(
        text(&stored.stderr)
            .ends_with("belongs to another stored tree; to store parity of this state, use --parity again\n"),
        "{}",
        text(&stored.stderr)
    );
    flip(&data, 9);
    let found = run(folder, &["tree", "verify", "a file"]);
    assert!(
        text(&found.stderr)
            .contains("a file.ftr.parity: cannot use: the parity file belongs to another stored tree")
    );
    assert!(!text(&found.stderr).contains("hint"), "{}", text(&found.stderr));
    run_expecting(folder, 2, &["tree", "repair", "a file.ftr"]);
    std::fs::remove_file(folder.join("a file.ftr.parity")).unwrap();
    let tried = run(folder, &["tree", "repair", "a file.ftr"]);
    assert_eq!(tried.status.code(), Some(2));
    assert!(
        text(&tried.stderr).contains("truesum tree repair --from COPY 'a file.ftr'"),
        "{}",
        text(&tried.stderr)
    );
    for wrong in ["0", "101%", "5.5%", "-1", "%"] {
        run_expecting(folder, 2, &["tree", "--save", &format!("--parity={wrong}"), "a file"]);
    }
    run_expecting(folder, 2, &["tree", "--parity", "5%", "a file"]);
    run_expecting(folder, 2, &["tree", "--save", "--resume", "--parity", "5%", "a file"]);
    run_expecting(folder, 0, &["torrent", "create", "-o", "t.torrent", "a file"]);
    run_expecting(folder, 2, &["tree", "repair", "t.torrent"]);
}

#[test]
fn parity_file_given_as_the_copy_is_used_as_parity() {
    // regression: it was taken for a copy, so that nothing could be repaired.
    let dir = tempfile::tempdir().unwrap();
    let (folder, data) = (dir.path(), dir.path().join("f"));
    let bytes = noise((3 << 20) + 5);
    std::fs::write(&data, &bytes).unwrap();
    run_expecting(folder, 0, &["tree", "--save", "--parity", "30%", "f"]);
    // The note is only for a tree that the parity file does not belong to.
    assert_eq!(text(&run(folder, &["tree", "--save", "f"]).stderr), "");
    std::fs::rename(folder.join("f.ftr.parity"), folder.join("away")).unwrap();
    flip(&data, 9);
    run_expecting(folder, 0, &["tree", "repair", "--from", "away", "f.ftr"]);
    assert_eq!(std::fs::read(&data).unwrap(), bytes);
    std::fs::write(folder.join("f.ftr.parity"), "other").unwrap();
    let refused = run(folder, &["tree", "repair", "--from", "f.ftr.parity", "f.ftr"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("not a parity file"), "{}", text(&refused.stderr));
}

#[test]
fn parity_of_a_private_file_is_private() {
    // regression: the parity of a file with one block is its content, and everyone could read it.
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mode = |name: &str| std::fs::metadata(path(name)).unwrap().permissions().mode() & 0o777;
    for (name, mode) in [("secret", 0o600), ("group", 0o640), ("public", 0o644)] {
        std::fs::write(path(name), "abc").unwrap();
        std::fs::set_permissions(path(name), Permissions::from_mode(mode)).unwrap();
        run_expecting(folder.path(), 0, &["tree", "--save", "--parity", "5%", name]);
    }
    // The parity of a file may belong to another group than the file.
    assert_eq!((mode("secret.ftr.parity"), mode("group.ftr.parity")), (0o600, 0o600));
    assert_eq!(mode("public.ftr.parity"), mode("public.ftr"));
}

#[test]
fn grown_file_of_a_single_granule_is_damaged() {
    // regression: the complete file was hashed, so that the file or the tree could have been damaged.
    for algorithm in ["blake3", "sha256-tree"] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "abc").unwrap();
        run_expecting(folder.path(), 0, &["tree", "--save", "-a", algorithm, "a"]);
        std::fs::write(folder.path().join("a"), "abcd").unwrap();
        let found = run(folder.path(), &["tree", "verify", "a.ftr"]);
        let printed = text(&found.stdout) + &text(&found.stderr);
        assert_eq!(found.status.code(), Some(1), "{algorithm}: {printed}");
        assert!(printed.contains("grown: 1 byte longer"), "{algorithm}: {printed}");
    }
}

#[test]
fn parity_file_belongs_to_its_file_in_other_commands() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    std::fs::create_dir(folder.join("d")).unwrap();
    std::fs::write(folder.join("d/data"), noise(3 << 20)).unwrap();
    run_expecting(folder, 0, &["hash", "-o", "M", "d"]);
    run_expecting(folder, 0, &["tree", "--save", "--parity", "5", "d/data"]);
    for args in [&["check", "M"][..], &["check", "--json", "M"], &["audit", "M"]] {
        let ran = run(folder, args);
        assert_eq!(ran.status.code(), Some(0), "{args:?}: {}", text(&ran.stderr));
        assert!(!(text(&ran.stdout) + &text(&ran.stderr)).contains("not in the manifest"), "{args:?}");
    }
}

#[test]
fn parity_file_is_not_repaired_as_the_file_of_its_tree() {
    // regression: --most overwrote the parity file with the content of a copy.
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    std::fs::write(folder.join("f"), vec![7; 2 << 20]).unwrap();
    run_expecting(folder, 0, &["tree", "--save", "--parity", "50%", "f"]);
    let parity = std::fs::read(folder.join("f.ftr.parity")).unwrap();
    for from in [&[][..], &["--from", "f"]] {
        let args = [&["tree", "repair", "--most", "f.ftr", "f.ftr.parity"], from].concat();
        let ran = run(folder, &args);
        assert_eq!(ran.status.code(), Some(2), "{}", text(&ran.stderr));
        assert!(text(&ran.stderr).contains("it is the parity file of the tree"), "{}", text(&ran.stderr));
        assert_eq!(std::fs::read(folder.join("f.ftr.parity")).unwrap(), parity);
    }
}

#[test]
#[cfg(unix)]
fn symbolic_link_in_the_place_of_a_tree_is_kept() {
    // regression: the link was replaced with the tree.
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    std::fs::write(folder.join("f"), "data").unwrap();
    for target in ["elsewhere", "f"] {
        std::os::unix::fs::symlink(target, folder.join("f.ftr")).unwrap();
        let ran = run(folder, &["tree", "--save", "f"]);
        assert_eq!(ran.status.code(), Some(2), "{}", text(&ran.stderr));
        assert!(text(&ran.stderr).contains("it is a symbolic link"), "{}", text(&ran.stderr));
        assert!(folder.join("f.ftr").is_symlink() && !folder.join("f.ftr.part").exists());
        std::fs::remove_file(folder.join("f.ftr")).unwrap();
    }
    assert_eq!(std::fs::read(folder.join("f")).unwrap(), b"data");
}
