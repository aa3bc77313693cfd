//! The output of `truesum shard`, one scenario per test: exact output and exit status.

use crate::program::{ABC, Folder, RunResult};
use std::os::unix::fs::{MetadataExt, symlink};

/// SHA-256 of `b`, by sha256sum.
const B: &str = "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d";

fn result_of(ran: &RunResult) -> (String, &str, Option<i32>) {
    (ran.out(), &ran.err, ran.code)
}

/// Returns a folder `d` with two files, and its plan.
fn folder_with_plan() -> Folder {
    let folder = Folder::with(&[("d/a", "abc"), ("d/s/b", "b")]);
    let ran = folder.run(&["shard", "plan", "-o", "plan", "--root", "d", "--bundle-files", "1", "d"]);
    let message = "truesum: 2 bundles, 2 files, 4 B, written to plan\n";
    assert_eq!(result_of(&ran), ("2\n".to_owned(), message, Some(0)));
    folder
}

/// Returns the line of a plan for a file.
fn line(folder: &Folder, name: &str) -> String {
    let found = std::fs::metadata(folder.path(format!("d/{name}"))).unwrap();
    let time = |seconds: i64, nanos: i64| {
        let date = std::process::Command::new("date")
            .args(["-u", "-d", &format!("@{seconds}"), "+%Y-%m-%dT%H:%M:%S"])
            .output()
            .unwrap();
        format!("{}.{nanos:09}Z", String::from_utf8(date.stdout).unwrap().trim())
    };
    let (mtime, ctime) = (time(found.mtime(), found.mtime_nsec()), time(found.ctime(), found.ctime_nsec()));
    format!(
        "{{\"path\":\"{name}\",\"size\":{},\"mtime\":\"{mtime}\",\"ctime\":\"{ctime}\",\"inode\":{}",
        found.len(),
        found.ino()
    )
}

/// Returns the digest at the end of the first line that has one.
fn sealed(text: &str) -> String {
    let line = text.lines().last().unwrap();
    line[line.len() - 66..line.len() - 2].to_owned()
}

/// Returns the path of a part.
fn part(folder: &Folder, bundle: usize) -> String {
    let id = sealed(&String::from_utf8(folder.read("plan")).unwrap());
    format!("plan.parts/{}-{bundle:06}.jsonl", &id[..8])
}

#[test]
fn plan_and_parts_merge_into_one_manifest() {
    let folder = folder_with_plan();
    let plan = String::from_utf8(folder.read("plan")).unwrap();
    let root = folder.path("d").canonicalize().unwrap();
    let head = format!(
        "{{\"schema\":\"truesum-plan/1\",\"root\":\"{}\",\"algorithms\":[\"sha256\"]}}\n",
        root.display()
    );
    let lines = ["a", "s/b"].map(|name| line(&folder, name) + "}\n");
    let b3 = |text: &str| {
        let ran = folder.feed(&["hash", "-a", "blake3", "--raw", "-"], text.as_bytes());
        ran.out.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let mut offset = head.len();
    let mut index = String::new();
    for (number, (line, bytes)) in lines.iter().zip([3, 1]).enumerate() {
        let len = line.len();
        index += &format!(
            "{{\"bundle\":{number},\"offset\":{offset},\"length\":{len},\"lines\":1,\"bytes\":{bytes},\"blake3\":\"{}\"}}\n",
            b3(line)
        );
        offset += len;
    }
    let end =
        format!("{{\"end\":true,\"index\":{offset},\"bundles\":2,\"files\":2,\"bytes\":4,\"blake3\":\"");
    let id = b3(&format!("{head}{index}{end}"));
    assert_eq!(plan, format!("{head}{}{index}{end}{id}\"}}\n", lines.concat()));

    let ran = folder.run(&["shard", "run", "plan", "1"]);
    let message = "truesum: bundle 1: 1 file or range, 1 B\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(0)));
    let ran = folder.run(&["shard", "merge", "plan", "-o", "M"]);
    let message = "truesum: bundle 0: its part is missing\n\
                truesum: M: not written: there is 1 error in the parts\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(1)));
    assert!(!folder.path("M").exists());
    let ran = folder.run(&["shard", "run", "plan", "0..2"]);
    let message = "truesum: bundle 0: 1 file or range, 3 B\n\
                truesum: bundle 1: 1 file or range, 1 B; the part already exists\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(0)));
    let head = format!("{{\"schema\":\"truesum-part/1\",\"plan\":\"{id}\",\"bundle\":0}}\n");
    let came = format!("{},\"digests\":{{\"sha256\":\"{ABC}\"}}}}\n", line(&folder, "a"));
    let end = "{\"end\":true,\"lines\":1,\"failed\":0,\"again\":0,\"bytes\":3,\"blake3\":\"";
    let text = format!("{head}{came}{end}");
    let text = format!("{text}{}\"}}\n", b3(&text));
    assert_eq!(String::from_utf8(folder.read(part(&folder, 0))).unwrap(), text);
    for (words, text, check) in [
        (&[][..], format!("{ABC}  d/a\n{B}  d/s/b\n"), &["check", "M"][..]),
        (&["--keep-names"], format!("{ABC}  a\n{B}  s/b\n"), &["check", "--root", "d", "M"]),
    ] {
        std::fs::remove_file(folder.path("M")).ok();
        let ran = folder.run(&[&["shard", "merge", "plan", "-o", "M"], words].concat());
        let message = "truesum: 2 files, 4 B, from 2 parts, listed in M\n";
        assert_eq!(result_of(&ran), (String::new(), message, Some(0)));
        assert_eq!(String::from_utf8(folder.read("M")).unwrap(), text);
        assert_eq!(folder.run(check).code, Some(0));
    }
}

#[test]
fn shard_outputs_replace_no_inputs_and_pipes_never_block() {
    let folder = folder_with_plan();
    folder.write("victim", "kept");
    std::fs::create_dir(folder.path("plan.parts")).unwrap();
    let first = folder.path(part(&folder, 0));
    symlink(folder.path("victim"), &first).unwrap();
    let ran = folder.run(&["shard", "run", "-q", "plan", "0"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("the existing file is not a regular file"), "{}", ran.err);
    assert_eq!(folder.read("victim"), b"kept");
    std::fs::remove_file(&first).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&first).status().unwrap();
    assert!(made.success());
    assert_eq!(folder.run(&["shard", "run", "-q", "plan", "0"]).code, Some(2));
    let ran = folder.run(&["shard", "merge", "-q", "plan", "-o", "M"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("not a regular file"), "{}", ran.err);
    std::fs::remove_file(&first).unwrap();
    assert_eq!(folder.run(&["shard", "run", "-q", "plan", "0..2"]).code, Some(0));

    symlink("d/a", folder.path("to_a")).unwrap();
    let a_part = part(&folder, 1);
    for (output, why) in [
        ("plan", "-o: plan is the plan"),
        (&a_part, "is a part"),
        ("d/a", "d/a: not written: it is one of the planned files"),
        ("to_a", "to_a: not written: it is one of the planned files"),
    ] {
        let before = folder.read(output);
        let ran = folder.run(&["shard", "merge", "-q", "plan", "-o", output]);
        assert_eq!(ran.code, Some(2), "{output}: {}", ran.err);
        assert!(ran.err.contains(why) || ran.err.contains("is not replaced"), "{output}: {}", ran.err);
        assert_eq!(folder.read(output), before);
    }
    assert_eq!(folder.run(&["shard", "merge", "-q", "plan", "-o", "d/M"]).code, Some(0));
}

#[test]
fn file_changed_since_planning_fails() {
    let folder = folder_with_plan();
    folder.write("d/s/b", "c");
    let ran = folder.run(&["shard", "run", "plan", "0..2"]);
    let (out, err, code) = result_of(&ran);
    assert_eq!((out.as_str(), code), ("", Some(1)));
    assert!(
        err.contains("truesum: s/b: cannot read: changed since the plan was written (the modification time"),
        "{err}"
    );
    assert!(err.ends_with("truesum: bundle 1: 0 files or ranges, 0 B; 1 FAILED\n"), "{err}");
    let text = String::from_utf8(folder.read(part(&folder, 1))).unwrap();
    assert!(
        text.contains(",\"failed\":\"changed\",\"reason\":\"changed since the plan was written"),
        "{text}"
    );
    assert!(
        text.contains(",\"errno\":null,\"again\":false}\n{\"end\":true,\"lines\":1,\"failed\":1,"),
        "{text}"
    );
    let ran = folder.run(&["shard", "merge", "plan", "-o", "M"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("truesum: s/b: changed: changed since the plan was written"), "{}", ran.err);
    assert!(!folder.path("M").exists());
    let ran = folder.run(&["shard", "merge", "plan", "-o", "M", "--partial"]);
    assert_eq!((ran.code, String::from_utf8(folder.read("M")).unwrap()), (Some(1), format!("{ABC}  d/a\n")));
    assert!(ran.err.ends_with("truesum: 1 file is missing from M\n"), "{}", ran.err);
    // A missing file and a different size are reported differently.
    std::fs::remove_file(folder.path("d/s/b")).unwrap();
    let ran = folder.run(&["shard", "run", "-q", "plan", "1"]);
    assert_eq!((&ran.err[..], ran.code), ("truesum: s/b: cannot open: No such file or directory\n", Some(1)));
    folder.write("d/s/b", "longer");
    let ran = folder.run(&["shard", "run", "-q", "plan", "1"]);
    assert!(ran.err.contains("(the size differs)"), "{}", ran.err);
}

#[test]
fn ranges_of_a_large_file_are_separate_bundles() {
    let folder = Folder::new();
    folder.write("big", crate::bytes::noise(300_000));
    folder.write("small", "abc");
    let words = ["-a", "sha256-tree,crc32c", "--bundle-bytes", "64KiB", "big", "small"];
    let ran = folder.run(&[&["shard", "plan", "-q", "-o", "plan"], &words[..]].concat());
    assert_eq!(result_of(&ran), ("6\n".to_owned(), "", Some(0)));
    let plan = String::from_utf8(folder.read("plan")).unwrap();
    for range in ["[0,65536]", "[65536,131072]", "[262144,300000]"] {
        assert!(plan.contains(&format!(",\"range\":{range}}}\n")), "{plan}");
    }
    assert_eq!(folder.run(&["shard", "run", "-q", "plan", "5", "4", "0..4"]).code, Some(0));
    let ran = folder.run(&["shard", "merge", "-q", "--tag", "plan", "-o", "M"]);
    assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
    let local = folder.run(&["hash", "-a", "sha256-tree,crc32c", "--tag", "big", "small"]);
    assert_eq!(folder.read("M"), local.out);
    // A file with a plain digest cannot be divided, so it is one bundle.
    let ran = folder.run(&[
        "shard",
        "plan",
        "-q",
        "-o",
        "flat",
        "-a",
        "sha256",
        "--bundle-bytes",
        "64KiB",
        "big",
        "small",
    ]);
    assert_eq!(ran.out(), "2\n");
    // The content of one range changes, but not the size.
    folder.write("big", vec![7; 300_000]);
    let ran = folder.run(&["shard", "run", "-q", "--again", "plan", "2"]);
    assert_eq!(ran.code, Some(1), "what could not be compared was not: {}", ran.err);
    std::fs::remove_file(folder.path(part(&folder, 2))).unwrap();
    let ran = folder.run(&["shard", "run", "-q", "plan", "2"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("big: cannot read: changed since the plan was written"), "{}", ran.err);
    let ran = folder.run(&["shard", "merge", "plan", "-o", "N"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("truesum: big: changed:"), "{}", ran.err);
}

#[test]
fn invalid_shard_commands_are_reported_and_write_nothing() {
    let folder = folder_with_plan();
    symlink("nowhere", folder.path("d/dangling")).unwrap();
    folder.pipe("d/pipe");
    folder.write("bad", "{}\n");
    folder.write("list", "d\0d/a\0");
    for (words, code, message) in [
        (&["plan", "-o", "p"][..], 2, "workers cannot read standard input\nhint: specify files and folders"),
        (&["plan", "-o", "p", "--special", "d"], 2, "--special: a plan can contain only regular files"),
        (
            &["plan", "-o", "p", "d", "d/a"],
            2,
            "p: not written: d/a occurs twice\nhint: specify folders that do not overlap",
        ),
        (&["plan", "-o", "p", "--files0-from", "list"], 2, "p: not written: d/a occurs twice"),
        (
            &["plan", "-o", "p", "nope"],
            1,
            "nope: cannot open: No such file or directory\ntruesum: p: not written: 1 file or folder",
        ),
        (&["plan", "-o", "p", "--include", "*.c", "d"], 2, "p: not written: there are no files for the plan"),
        (&["plan", "-o", "p", "--root", "nope", "d"], 2, "nope: cannot open: No such file or directory"),
        (&["plan", "-o", "no/p", "d"], 2, "no/p: cannot write: No such file or directory"),
        (&["run", "plan"], 2, "no bundle given\nhint: specify bundle numbers (0..N for all)"),
        (&["run", "plan", "2"], 2, "no bundle 2: bundles are numbered from 0, and the plan has 2"),
        (&["run", "plan", "0..9"], 2, "no bundle 2"),
        (
            &["run", "plan", "5", "--of", "4"],
            2,
            "--of 4: there is no worker 5; workers are numbered from 0 to 3",
        ),
        (
            &["run", "plan", "--index-from-env"],
            2,
            "none of these environment variables is set: SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX",
        ),
        (&["run", "nope", "0"], 2, "nope: cannot open: No such file or directory"),
        (
            &["run", "bad", "0"],
            2,
            "bad: cannot use: damaged, or not a plan (its last line is not the last line of a plan)",
        ),
        (&["run", "plan", "0", "--root", "nope"], 4, "nope: cannot open: No such file or directory"),
        (&["merge", "bad", "-o", "M"], 2, "bad: cannot use: damaged, or not a plan"),
        (&["merge", "plan", "-o", "M"], 2, "plan.parts: cannot list: No such file or directory"),
        (
            &["merge", "plan", "bad", "-o", "M"],
            1,
            "bad: not a part of this plan: its first line is not the first line of a part file\nhint: remove the parts of other plans, and use a separate folder",
        ),
        (&["merge", "plan", "nope", "-o", "M"], 1, "nope: cannot read: No such file or directory"),
        (
            &["merge", "plan", "-t", "torrent", "-o", "M"],
            2,
            "-t torrent: not available for shard merge, because pieces span files",
        ),
        (
            &["merge", "plan", "-t", "gnu", "-o", "MD5SUMS"],
            2,
            "-t gnu: the name MD5SUMS does not indicate that the digests are sha256",
        ),
    ] {
        let _ = std::fs::remove_dir_all(folder.path("plan.parts"));
        let ran = folder.run(&[&["shard"], words].concat());
        assert_eq!(ran.code, Some(code), "{words:?}: {}", ran.err);
        assert!(ran.err.contains(message), "{words:?}: {}", ran.err);
        assert_eq!(ran.out(), "", "{words:?}");
        assert!(!folder.path("p").exists() && !folder.path("M").exists(), "{words:?}");
    }
    let ran = folder.run(&["shard", "plan", "-v", "-o", "p", "d"]);
    assert!(ran.err.contains("note: d/dangling: broken symbolic link\n"), "{}", ran.err);
    assert!(ran.err.contains("note: d/pipe: named pipe, not included in the plan\n"), "{}", ran.err);
    assert_eq!(ran.code, Some(0));
}

#[test]
fn part_of_another_plan_is_rejected() {
    let folder = folder_with_plan();
    assert_eq!(folder.run(&["shard", "run", "-q", "plan", "0..2"]).code, Some(0));
    let ran = folder.run(&["shard", "plan", "-q", "-o", "other", "--root", "d", "-a", "md5", "d"]);
    assert_eq!(ran.out(), "1\n");
    assert_eq!(folder.run(&["shard", "run", "-q", "other", "0", "-o", "plan.parts"]).code, Some(0));
    let ran = folder.run(&["shard", "merge", "plan", "-o", "M"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("not a part of this plan: it belongs to another plan\n"), "{}", ran.err);
    // Each part can be named explicitly.
    let (one, two) = (part(&folder, 0), part(&folder, 1));
    assert_eq!(folder.run(&["shard", "merge", "plan", &two, &one, "-o", "M"]).code, Some(0));
    let ran = folder.run(&["shard", "merge", "plan", &two, &one, &one, "-o", "M2"]);
    let message = format!("truesum: bundle 0 has two parts: {one} and {one}\n");
    assert!(ran.code == Some(1) && ran.err.contains(&message), "{}", ran.err);
}

#[test]
fn plan_from_a_manifest_supports_any_name() {
    let folder = Folder::new();
    let names: [&[u8]; 5] = [b"d/a\nb", b"d/\xff\xfe", b"d/ \\x", b"d/-", b"d/z"];
    for name in names {
        folder.write(name, name);
    }
    assert_eq!(folder.run(&["hash", "-q", "-a", "md5,sha256", "--tag", "-o", "d/M", "d"]).code, Some(0));
    let ran = folder.run(&["shard", "plan", "-q", "-o", "plan", "--manifest", "d/M", "--bundle-files", "2"]);
    assert_eq!(result_of(&ran), ("3\n".to_owned(), "", Some(0)));
    // The plan is run for a copy of the folder under another name, as on another machine.
    std::fs::rename(folder.path("d"), folder.path("e")).unwrap();
    assert_eq!(folder.run(&["shard", "run", "-q", "plan", "0..3"]).code, Some(4));
    assert_eq!(folder.run(&["shard", "run", "-q", "plan", "0..3", "--root", "e"]).code, Some(0));
    // regression: the names in the manifest were relative to another folder than its own.
    let ran = folder.run(&["shard", "merge", "-q", "plan", "-o", "e/N"]);
    assert!(ran.code == Some(2) && ran.err.contains("e/N: not written: 5 files are outside "), "{}", ran.err);
    assert!(ran.err.contains("use --keep-names") && !folder.path("e/N").exists(), "{}", ran.err);
    assert_eq!(folder.run(&["shard", "merge", "-q", "--keep-names", "plan", "-o", "e/N"]).code, Some(0));
    assert_eq!(
        folder
            .run(&["hash", "-q", "--root", "e", "-o", "L", "--exclude", "[MN]", "--no-stored-rules", "e"])
            .code,
        Some(0)
    );
    assert_eq!(folder.read("e/N"), folder.read("L"));
    folder.write("e/evil", format!("{ABC}  ../L\n"));
    let ran = folder.run(&["shard", "plan", "-o", "p", "--manifest", "e/evil"]);
    assert!(
        ran.code == Some(1) && ran.err.contains("../L: cannot plan: the name leads out of the folder"),
        "{}",
        ran.err
    );
}

#[test]
fn merge_reports_a_format_that_cannot_store_the_digests() {
    let folder = folder_with_plan();
    assert_eq!(folder.run(&["shard", "run", "-q", "plan", "0..2"]).code, Some(0));
    for words in [
        &["shard", "merge", "plan", "-t", "sfv", "-o", "M"][..],
        &["shard", "merge", "--partial", "plan", "-t", "sfv", "-o", "M"],
    ] {
        let ran = folder.run(words);
        let message = "truesum: M: not written: 2 files would be missing from it\nhint: to store all entries, use --json\n";
        assert!(ran.code == Some(1) && ran.err.ends_with(message), "{}", ran.err);
        assert!(!folder.path("M").exists());
    }
}

#[test]
fn plan_does_not_replace_a_file_in_its_manifest() {
    let folder = folder_with_plan();
    let before = folder.read("plan");
    assert_eq!(folder.run(&["hash", "-q", "-o", "SUMS", "plan", "d/a"]).code, Some(0));
    let ran = folder.run(&["shard", "plan", "-q", "-o", "plan", "--manifest", "SUMS"]);
    let message = "truesum: plan: not written: it is listed in SUMS\n\
                hint: use another name for the plan, or remove that line from the manifest\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(2)));
    assert_eq!(folder.read("plan"), before);
    assert_eq!(folder.run(&["shard", "plan", "-q", "-o", "p", "--manifest", "SUMS"]).code, Some(0));
}

#[test]
fn files_outside_the_planned_root_are_read_only_on_request() {
    let folder = Folder::with(&[("d/a", "abc"), ("out", "secret")]);
    std::os::unix::fs::symlink("../out", folder.path("d/link")).unwrap();
    for (requested, bundle) in
        [(&["d", "out"][..], "leads out"), (&["--follow", "d"], "leads out"), (&["d"], "")]
    {
        std::fs::remove_dir_all(folder.path("plan.parts")).ok();
        let plan = [&["shard", "plan", "-q", "-o", "plan", "--root", "d"], requested].concat();
        assert_eq!(folder.run(&plan).code, Some(0));
        let ran = folder.run(&["shard", "run", "-q", "plan", "0"]);
        let code = if bundle.is_empty() { 0 } else { 1 };
        assert_eq!(ran.code, Some(code), "{requested:?} {}", ran.err);
        assert!(
            ran.err.contains(bundle) && ran.err.contains("--allow-outside") != bundle.is_empty(),
            "{}",
            ran.err
        );
        let ran = folder.run(&["shard", "run", "-q", "--allow-outside", "plan", "0"]);
        assert_eq!(ran.code, Some(0), "{requested:?} {}", ran.err);
        let is_named = requested.contains(&"out");
        let ran = folder.run(&["shard", "merge", "-q", "--keep-names", "plan", "-o", "M"]);
        assert_eq!(ran.code, Some(if is_named { 2 } else { 0 }), "{requested:?} {}", ran.err);
        assert_eq!(ran.err.contains("1 file is outside "), is_named, "{requested:?} {}", ran.err);
        let merge =
            ["shard", "merge", "-q", "--allow-outside", "plan", "-o", if is_named { "out" } else { "M" }];
        let ran = folder.run(&merge);
        assert!(!is_named || ran.err.contains("is not replaced"), "{}", ran.err);
        assert_eq!((ran.code, &folder.read("out")[..]), (Some(if is_named { 2 } else { 0 }), &b"secret"[..]));
    }
    // The path may be spelled differently.
    let within = folder.path("d").into_os_string().into_string().unwrap();
    let out = folder.path("out").into_os_string().into_string().unwrap();
    for (requested, says) in [(&[within.as_str()][..], false), (&[&within, &out], true)] {
        std::fs::remove_dir_all(folder.path("plan.parts")).ok();
        let root: &[&str] = if says { &["--root", "d"] } else { &[] };
        let ran = folder.run(&[&["shard", "plan", "-o", "plan"], root, requested].concat());
        assert_eq!((ran.code, ran.err.contains("--allow-outside")), (Some(0), says), "{}", ran.err);
        let ran = folder.run(&["shard", "run", "plan", "0"]);
        assert_eq!(ran.code, Some(i32::from(says)), "{}", ran.err);
    }
}

#[test]
fn replan_reads_only_changed_files() {
    let folder = Folder::new();
    for at in 0..9 {
        folder.write(format!("d/{at}"), format!("content {at}"));
    }
    let noise = crate::bytes::noise(300_000);
    folder.write("d/big", &noise);
    let algorithm = ["-a", "sha256-tree,crc32"];
    let words = [
        "shard",
        "plan",
        "-q",
        "-o",
        "plan",
        "--root",
        "d",
        "--bundle-files",
        "4",
        "--bundle-bytes",
        "64KiB",
    ];
    assert_eq!(folder.run(&[&words[..], &algorithm, &["d"]].concat()).out(), "8\n");
    // All bundles except the last range of the large file.
    let whole = ["shard", "run", "-q", "plan"];
    assert_eq!(folder.run(&[&whole[..], &["0..7"]].concat()).code, Some(0));
    folder.write("d/5", "changed");
    assert_eq!(folder.run(&[&whole[..], &["0..7", "--again"]].concat()).code, Some(1));
    let ran = folder.run(&["shard", "replan", "plan", "-o", "plan2", "--bundle-bytes", "64KiB"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains(", 10 files, "), "{}", ran.err);
    assert!(ran.err.ends_with(" reused, 1 file changed\n"), "{}", ran.err);
    let bundles: usize = ran.out().trim().parse().unwrap();
    let lines = |name: &str| {
        let text = String::from_utf8(folder.read(name)).unwrap();
        text.lines().filter(|line| line.starts_with("{\"path\"")).count()
    };
    assert_eq!(lines("plan2"), lines("plan"));
    let ran = folder.run(&["shard", "run", "plan2", &format!("0..{bundles}")]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(ran.err.matches("part already exists").count(), bundles - 2, "{}", ran.err);
    assert_eq!(
        folder.run(&["shard", "merge", "-q", "--tag", "--keep-names", "plan2", "-o", "M"]).code,
        Some(0)
    );
    let local = folder.run(&[&["hash", "--tag", "--root", "d"][..], &algorithm, &["d"]].concat()).out;
    assert_eq!(String::from_utf8(folder.read("M")), String::from_utf8(local));
    // A damaged part is not reused, and a change within the large file makes all its ranges new.
    let id = sealed(&String::from_utf8(folder.read("plan2")).unwrap());
    let first = format!("plan2.parts/{}-000000.jsonl", &id[..8]);
    let damaged = [&folder.read(&first)[..], b"x"].concat();
    folder.write(&first, damaged);
    folder.write("d/big", vec![7; 200_000]);
    let ran = folder.run(&["shard", "replan", "-q", "plan2", "-o", "plan3", "--bundle-bytes", "64KiB"]);
    let bundles: usize = ran.out().trim().parse().unwrap();
    let ran = folder.run(&["shard", "run", "plan3", &format!("0..{bundles}")]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // All except the one with the damaged part and the four ranges.
    assert_eq!(ran.err.matches("part already exists").count(), bundles - 5, "{}", ran.err);
    assert_eq!(
        folder.run(&["shard", "merge", "-q", "plan3", "--tag", "--keep-names", "-o", "M3"]).code,
        Some(0)
    );
    let local = folder.run(&[&["hash", "--tag", "--root", "d"][..], &algorithm, &["d"]].concat()).out;
    assert_eq!(String::from_utf8(folder.read("M3")), String::from_utf8(local));
    std::fs::remove_file(folder.path("d/5")).unwrap();
    let ran = folder.run(&["shard", "replan", "plan3", "-o", "plan4"]);
    let message = "truesum: 5: cannot open: No such file or directory\n\
                truesum: plan4: not written: 1 file would be missing from it\n\
                hint: to write an incomplete plan, use --partial\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(1)));
    assert!(!folder.path("plan4").exists() && !folder.path("plan4.parts").exists());
    let ran = folder.run(&["shard", "replan", "plan3", "-o", "plan3"]);
    assert!(ran.code == Some(2) && ran.err.contains("-o: plan3 is the plan"), "{}", ran.err);
}

#[test]
fn copies_are_recognized_by_size_and_time() {
    let folder = Folder::new();
    folder.write("d/a", "abc");
    folder.write("d/big", crate::bytes::noise(200_000));
    let copied =
        std::process::Command::new("cp").args(["-a", "d", "copy"]).current_dir(folder.root()).status();
    assert!(copied.unwrap().success());
    let words = ["-a", "sha256-tree", "--bundle-bytes", "128KiB", "--root", "d", "d"];
    assert_eq!(folder.run(&[&["shard", "plan", "-q", "-o", "all"], &words[..]].concat()).out(), "3\n");
    let ran = folder.run(&["shard", "run", "-q", "all", "0..3", "--root", "copy"]);
    assert!(ran.code == Some(1) && ran.err.contains("(the inode number differs)"), "{}", ran.err);
    let plan = ["shard", "plan", "-q", "-o", "plan", "--identity", "mtime,size"];
    assert_eq!(folder.run(&[&plan[..], &words].concat()).out(), "3\n");
    let text = String::from_utf8(folder.read("plan")).unwrap();
    assert!(text.contains("{\"path\":\"a\",\"size\":3,\"mtime\":\"") && !text.contains("inode"), "{text}");
    assert_eq!(folder.run(&["shard", "run", "-q", "plan", "0", "1"]).code, Some(0));
    assert_eq!(folder.run(&["shard", "run", "-q", "plan", "2", "--root", "copy"]).code, Some(0));
    assert_eq!(folder.run(&["shard", "merge", "-q", "plan", "-o", "M"]).code, Some(0));
    assert_eq!(folder.read("M"), folder.run(&["hash", "-a", "sha256-tree", "--tag", "d"]).out);
    // A file of the same size that was modified later, and one of another size.
    folder.write("copy/a", "abd");
    folder.write("copy/big", "");
    let ran = folder.run(&["shard", "run", "-q", "plan", "0..3", "-o", "parts", "--root", "copy"]);
    assert!(
        ran.code == Some(1)
            && ran.err.contains("a: cannot read: changed since the plan was written (the modification time"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("big: cannot read: changed since the plan was written (the size differs)"),
        "{}",
        ran.err
    );
    // A new plan for the changed copy keeps the identity.
    let ran = folder.run(&["shard", "replan", "-q", "plan", "-o", "plan2", "--root", "copy"]);
    assert_eq!(ran.out(), "2\n", "{}", ran.err);
    assert!(!String::from_utf8(folder.read("plan2")).unwrap().contains("inode"));
    for (given, ok) in [("size,mtime,ctime,inode", true), ("size", false), ("mtime", false), ("", false)] {
        let ran = folder.run(&["shard", "plan", "-q", "-o", "p", "--identity", given, "d"]);
        assert_eq!(ran.code == Some(0), ok, "{given}: {}", ran.err);
    }
}

/// As shown in docs/scale.md.
#[test]
fn manifest_is_verified_by_shards() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/s/b", "b"), ("d/s/c", "c")]);
    assert_eq!(folder.run(&["hash", "-q", "-o", "d/SHA256SUMS", "d"]).code, Some(0));
    let verify = |plan: &str| {
        let found = format!("{plan}.found");
        let words = ["shard", "plan", "-q", "-o", plan, "--bundle-files", "1", "--manifest", "d/SHA256SUMS"];
        assert_eq!(folder.run(&words).out(), "3\n");
        folder.run(&["shard", "run", "-q", plan, "0..3"]);
        folder.run(&["shard", "merge", "-q", "--keep-names", "--partial", plan, "-o", &found]);
        folder.run(&["diff", "d/SHA256SUMS", &found])
    };
    assert_eq!(verify("p1").code, Some(0));
    folder.write("d/s/b", "x");
    let ran = verify("p2");
    assert!(ran.code == Some(1) && ran.out().contains("s/b"), "{}", ran.out());
}
