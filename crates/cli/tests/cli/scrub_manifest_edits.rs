//! `scrub --manifests` with edited, renamed and damaged files and manifests.

use crate::program::{Folder, set_mtime};
use crate::scrub_manifests::{CHANGED, assert_ran, collection, list, scrub, verified, write};
use std::fs;
use std::time::{Duration, UNIX_EPOCH};

/// A policy that accepts everything that can be accepted.
const ACCEPT: [&str; 3] = ["-q", "--accept", "new,modified,moved,restored,missing"];

#[test]
fn damaged_file_that_was_renamed_is_not_accepted_as_a_missing_and_a_new_one() {
    // Regression: `--accept missing` removed the entry of the file, and its damaged content was recorded as a new file.
    let folder = verified();
    write(&folder, "d/plain/b", "cOntent of plain/b", 1000);
    fs::rename(folder.path("d/plain/b"), folder.path("d/plain/z")).unwrap();
    list(&folder, "d/plain/SHA256SUMS", &["a", "c", "z"], 2000);
    for _ in 0..3 {
        assert_ran(&scrub(&folder, &ACCEPT), 1, &["moved-modified\tplain/z\tplain/b"]);
    }
    let status = folder.run(&["scrub", "--status", "d"]);
    assert!(status.code == Some(1) && status.out().contains("corrupt\tplain/b\n"), "{}", status.out());
    // Nor is it forgotten when a program changes its time, so that it cannot be recognized any more.
    set_mtime(&folder, "d/plain/z", UNIX_EPOCH + Duration::from_secs(1500));
    assert_ran(&scrub(&folder, &ACCEPT), 1, &["missing\tplain/b"]);
    assert_eq!(folder.run(&["scrub", "--forget", "plain/z", "d"]).code, Some(0));
    set_mtime(&folder, "d/plain/z", UNIX_EPOCH + Duration::new(1000, 123_456_789));
    // Neither is a file whose damage was reported before.
    write(&folder, "d/two/y", "cOntent of two/y", 1000);
    let moved = "moved-modified\tplain/z\tplain/b";
    assert_ran(&scrub(&folder, &[&ACCEPT[..], &["--all"]].concat()), 1, &["corrupt\ttwo/y", moved]);
    fs::rename(folder.path("d/two/y"), folder.path("d/two/z")).unwrap();
    list(&folder, "d/two/MD5SUMS", &["x", "z"], 2000);
    for _ in 0..2 {
        assert_ran(&scrub(&folder, &ACCEPT), 1, &["moved-modified\ttwo/z\ttwo/y", moved]);
    }
    write(&folder, "d/two/z", "content of two/y", 1000);
    list(&folder, "d/two/MD5SUMS", &["x", "z"], 3000);
    assert_ran(&scrub(&folder, &[]), 1, &["moved\ttwo/z\ttwo/y\trecorded", moved]);
    write(&folder, "d/plain/z", "content of plain/b", 1000);
    list(&folder, "d/plain/SHA256SUMS", &["a", "c", "z"], 3000);
    assert_ran(&scrub(&folder, &[]), 0, &["moved\tplain/z\tplain/b\trecorded"]);
    // The new entry has no digest of the same algorithm, so it may be that of the missing file.
    write(&folder, "d/plain/z", "cOntent of plain/b", 1000);
    fs::rename(folder.path("d/plain/z"), folder.path("d/plain/y")).unwrap();
    list(&folder, "d/plain/SHA256SUMS", &["a", "c"], 4000);
    list(&folder, "d/plain/MD5SUMS", &["y"], 4000);
    for _ in 0..3 {
        assert_ran(&scrub(&folder, &ACCEPT), 1, &["missing\tplain/z"]);
    }
}

#[test]
fn renamed_file_whose_manifest_is_right_is_corrupt_under_its_new_name() {
    // Regression: the old name was reported as missing, too, until the user removed its entry.
    let folder = verified();
    write(&folder, "d/plain/b", "cOntent of plain/b", 1000);
    fs::rename(folder.path("d/plain/b"), folder.path("d/plain/z")).unwrap();
    let listed = String::from_utf8(folder.read("d/plain/SHA256SUMS")).unwrap();
    write(&folder, "d/plain/SHA256SUMS", &listed.replace("  b\n", "  z\n"), 2000);
    let moved = "moved\tplain/z\tplain/b\trecorded";
    assert_ran(&scrub(&folder, &[]), 1, &["corrupt\tplain/z", moved]);
    assert_ran(&scrub(&folder, &ACCEPT), 1, &["corrupt\tplain/z"]);
    write(&folder, "d/plain/z", "content of plain/b", 1000);
    assert_ran(&scrub(&folder, &["--all"]), 0, &["ok\tplain/z\tintact again"]);
}

#[test]
fn known_damage_is_reported_at_once_after_its_entry_was_forgotten() {
    // Regression: a forgotten file that is listed again was read within the days of `--within`, as in the first run.
    for (forgotten, renamed) in [("plain/b", None), ("plain", None), (".", None), ("plain", Some("renamed"))]
    {
        let folder = verified();
        write(&folder, "d/plain/b", "cOntent of plain/b", 1000);
        assert_eq!(scrub(&folder, &["-q", "--all"]).code, Some(1));
        if let Some(renamed) = renamed {
            fs::rename(folder.path("d/plain"), folder.path(format!("d/{renamed}"))).unwrap();
        }
        assert_eq!(folder.run(&["scrub", "--forget", forgotten, "d"]).code, Some(0));
        let line = format!("corrupt\t{}/b", renamed.unwrap_or("plain"));
        for _ in 0..3 {
            assert_ran(&scrub(&folder, &ACCEPT), 1, &[&line]);
        }
    }
}

#[test]
fn file_that_was_edited_before_it_was_recorded_is_accepted_with_its_manifest() {
    // Regression: it was corrupt forever, because its modification time had not changed since it was recorded.
    let folder = collection();
    write(&folder, "d/two/x", "edited", 2000);
    let stale = |names| format!("changed\ttwo/x\tcannot accept: two/{names} of it");
    let both = stale("MD5SUMS and 1 other manifest have other digests");
    assert_ran(&scrub(&folder, &["-q"]), 1, &[&both]);
    // Damage of other files remains corruption, and so does this one after it was found intact.
    list(&folder, "d/two/SHA256SUMS", &["x"], 3000);
    assert_ran(&scrub(&folder, &ACCEPT), 1, &[&stale("MD5SUMS has other digests")]);
    list(&folder, "d/two/MD5SUMS", &["x", "y"], 3000);
    assert_ran(&scrub(&folder, &["--all"]), 0, &["changed\ttwo/x\trecorded"]);
    write(&folder, "d/two/x", "Edited", 2000);
    list(&folder, "d/two/SHA256SUMS", &["x"], 4000);
    list(&folder, "d/two/MD5SUMS", &["x", "y"], 4000);
    for _ in 0..2 {
        assert_ran(&scrub(&folder, &ACCEPT), 1, &["corrupt\ttwo/x"]);
    }
}

#[test]
fn new_manifest_that_was_seen_before_the_others_were_updated_does_not_block_the_update() {
    // Regression: its modification time was recorded although its entries were not, so it never counted as updated.
    let folder = verified();
    write(&folder, "d/two/y", "edited", 2000);
    list(&folder, "d/two/SHA256SUMS", &["x", "y"], 2000);
    list(&folder, "d/two/SHA1SUMS", &["x", "y"], 2000);
    let stale = "changed\ttwo/y\tcannot accept: two/MD5SUMS has other digests of it";
    for _ in 0..2 {
        assert_ran(&scrub(&folder, &["-q"]), 1, &[stale]);
    }
    list(&folder, "d/two/MD5SUMS", &["x", "y"], 3000);
    assert_ran(&scrub(&folder, &[]), 0, &["changed\ttwo/y\trecorded"]);
    // From now on, its modification time is known.
    let listed = String::from_utf8(folder.read("d/two/SHA1SUMS")).unwrap();
    let digest = listed.split(' ').next().unwrap();
    write(&folder, "d/two/SHA1SUMS", &listed.replace(digest, &"0".repeat(40)), 2000);
    assert_ran(
        &scrub(&folder, &[]),
        1,
        &[&format!("corrupt\ttwo/SHA1SUMS\tcannot accept: its digests of two/x {CHANGED}")],
    );
}

#[test]
fn manifest_with_a_wrong_digest_is_to_blame_even_if_no_other_has_the_same_algorithm() {
    // Regression: the file was corrupt, and remained so after the manifest had been repaired.
    for is_read in [true, false] {
        let folder = collection();
        let good = folder.read("d/two/MD5SUMS");
        let wrong = String::from_utf8(good.clone()).unwrap();
        let digest = wrong.split(' ').next().unwrap();
        write(&folder, "d/two/MD5SUMS", &wrong.replace(digest, &"0".repeat(32)), 1000);
        let why = format!("changed\ttwo/MD5SUMS\tcannot accept: its digests of two/x {CHANGED}");
        match is_read {
            true => assert_ran(&scrub(&folder, &["-q", "--all"]), 1, &[&why]),
            // Only recorded, and not read.
            false => assert_ran(&scrub(&folder, &["-q", "--within", "1000d"]), 0, &[]),
        }
        let mtime = if is_read { 2000 } else { 1000 };
        write(&folder, "d/two/MD5SUMS", std::str::from_utf8(&good).unwrap(), mtime);
        let ran = scrub(&folder, &["-q"]);
        assert_eq!((ran.code, ran.out()), (Some(0), String::new()), "{is_read}");
        assert_ran(&scrub(&folder, &["--all"]), 0, &[]);
        write(&folder, "d/two/x", "damaged", 1000);
        assert_ran(&scrub(&folder, &["--all"]), 1, &["corrupt\ttwo/x"]);
    }
}

#[test]
fn hints_name_a_command_for_collections_and_are_true_after_later_edits() {
    let folder = verified();
    write(&folder, "d/plain/b", "cOntent of plain/b", 1000);
    assert_eq!(scrub(&folder, &["-q", "--all"]).code, Some(1));
    // The file remains corrupt when its modification time changes.
    write(&folder, "d/plain/b", "another", 5000);
    let ran = scrub(&folder, &["-q"]);
    let hint = "hint: corrupt: the modification time did not change with the content, ";
    let forget = "truesum scrub --forget plain/b d\n";
    assert!(ran.err.contains(hint) && ran.err.contains(forget), "{}", ran.err);
    let mut state = folder.read("d/.truesum-state");
    let middle = state.len() / 2;
    state[middle] ^= 1;
    folder.write("d/.truesum-state", state);
    let restart = "hint: the digests are in the manifests; to start again: rm d/.truesum-state && truesum scrub --manifests --all d\n";
    for words in [
        &["scrub", "--manifests", "d"][..],
        &["scrub", "--status", "d"],
        &["scrub", "--forget", "plain", "d"],
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.ends_with(restart), "{}", ran.err);
    }
    fs::remove_file(folder.path("d/.truesum-state")).unwrap();
    assert_ran(
        &scrub(&folder, &["-q", "--all"]),
        1,
        &["changed\tplain/b\tcannot accept: plain/SHA256SUMS has other digests of it"],
    );
}

#[test]
fn bag_that_is_the_collection_can_be_forgotten() {
    // Regression: only the entry of the folder was removed, and not those of the manifests and files in it.
    let folder = Folder::with(&[("d/p", "p"), ("d/q", "q")]);
    assert_eq!(folder.run(&["bag", "create", "-q", "--in-place", "d"]).code, Some(0));
    assert_eq!(scrub(&folder, &["-q", "--all"]).code, Some(0));
    assert_eq!(folder.run(&["scrub", "--forget", ".", "d"]).code, Some(0));
    let status = folder.run(&["scrub", "--status", "d"]).out();
    assert!(status.contains("manifests and bags: 0\n") && status.contains("recorded: 0 files"), "{status}");
    let ran = scrub(&folder, &[]);
    assert!(ran.code == Some(0) && ran.err.contains("5 files recorded, 5 read"), "{}", ran.err);
}

#[test]
fn files_that_may_be_manifests_are_named_and_counted() {
    let folder = verified();
    for name in ["clip.mhl", "a.torrent"] {
        folder.write(format!("d/plain/{name}"), "");
    }
    let ran = scrub(&folder, &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let note = "note: 2 files that may be manifests are not used, such as d/plain/";
    assert!(
        ran.err.contains(note) && ran.err.contains("; 2 files that may be manifests NOT used; "),
        "{}",
        ran.err
    );
    assert!(scrub(&folder, &["--json"]).out().contains("\"skipped\":2,"));
    // regression: every run reported a list of pieces as unreadable.
    folder.write(
        "d/plain/p.md5",
        "900150983cd24fb0d6963f7d28e17f72  a offset 0-2\nd41d8cd98f00b204e9800998ecf8427e  a offset 3-4\n",
    );
    let ran = scrub(&folder, &["--json"]);
    assert!(ran.code == Some(0) && ran.out().contains("\"skipped\":3,"), "{}{}", ran.out(), ran.err);
}

#[test]
fn wrong_entries_of_a_manifest_are_counted_once() {
    // Regression: the history and the summary counted every wrong entry as a failure, and `--status` did not.
    let folder = verified();
    let listed = String::from_utf8(folder.read("d/plain/SHA256SUMS")).unwrap();
    let listed: String = listed.lines().map(|line| format!("0000{}\n", &line[4..])).collect();
    write(&folder, "d/plain/SHA256SUMS", &listed, 2000);
    let ran = scrub(&folder, &[]);
    assert_eq!((ran.code, ran.out().lines().count()), (Some(1), 3), "{}", ran.out());
    assert!(ran.err.contains("ok, 1 CHANGED; "), "{}", ran.err);
    assert!(folder.run(&["scrub", "--log", "d"]).out().contains("\t1 failure\t"));
    assert!(folder.run(&["scrub", "--status", "d"]).out().contains("open failures: 1\n"));
}

#[test]
fn modified_file_that_is_read_as_a_due_one_is_not_left_for_later() {
    // Regression: the summary counted it as deferred, although it was read and recorded.
    let folder = verified();
    write(&folder, "d/plain/b", "edited", 2000);
    write(&folder, "d/plain/c", "edited, too", 2000);
    list(&folder, "d/plain/SHA256SUMS", &["a", "b", "c"], 2000);
    let mut changed = 0;
    while changed < 2 {
        let ran = scrub(&folder, &["--max-bytes", "1"]);
        changed += ran.out().matches("changed\t").count();
        let left = ran.err.contains("new or modified file left for later runs");
        assert_eq!((ran.code, left), (Some(0), changed == 1), "{}", ran.err);
    }
}

#[cfg(unix)]
#[test]
fn listed_file_that_was_replaced_by_a_pipe_is_unreadable_with_a_reason() {
    // Regression: it was missing, without a reason.
    let folder = verified();
    fs::remove_file(folder.path("d/plain/b")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(folder.path("d/plain/b")).status().unwrap();
    assert!(made.success());
    for _ in 0..2 {
        let line = "unreadable\tplain/b\tcannot read: not a regular file, but a named pipe";
        assert_ran(&scrub(&folder, &ACCEPT), 1, &[line]);
    }
    fs::remove_file(folder.path("d/plain/b")).unwrap();
    fs::create_dir(folder.path("d/plain/b")).unwrap();
    assert_ran(
        &scrub(&folder, &ACCEPT),
        1,
        &["unreadable\tplain/b\tcannot read: not a regular file, but a directory"],
    );
}

#[test]
fn entries_of_a_renamed_file_can_be_updated_one_manifest_after_the_other() {
    // Regression: the new name was recorded in one run, the old one was removed in another, and damage in between was
    // accepted, or a renamed file remained missing.
    let folder = collection();
    list(&folder, "d/plain/MD5SUMS", &["a", "b", "c"], 1000);
    assert_ran(&scrub(&folder, &["--all"]), 0, &[]);
    fs::rename(folder.path("d/plain/c"), folder.path("d/plain/y")).unwrap();
    list(&folder, "d/plain/SHA256SUMS", &["a", "b", "y"], 2000);
    assert_ran(&scrub(&folder, &["-q"]), 1, &["missing\tplain/c"]);
    list(&folder, "d/plain/MD5SUMS", &["a", "b", "y"], 2000);
    assert_ran(&scrub(&folder, &[]), 0, &["moved\tplain/y\tplain/c\trecorded"]);
    write(&folder, "d/plain/b", "cOntent of plain/b", 1000);
    fs::rename(folder.path("d/plain/b"), folder.path("d/plain/z")).unwrap();
    let damaged = "moved-modified\tplain/z\tplain/b";
    for (manifest, mtime) in [("SHA256SUMS", 3000), ("MD5SUMS", 4000)] {
        list(&folder, &format!("d/plain/{manifest}"), &["a", "y", "z"], mtime);
        for _ in 0..2 {
            assert_ran(&scrub(&folder, &ACCEPT), 1, &[damaged]);
        }
    }
}

#[test]
fn corrupt_file_is_not_forgotten_with_its_only_manifest() {
    // Regression: a manifest of the damaged file, or of the file under another name, was recorded instead.
    for is_renamed in [false, true] {
        let folder = verified();
        write(&folder, "d/plain/b", "cOntent of plain/b", 1000);
        assert_ran(&scrub(&folder, &["-q", "--all"]), 1, &["corrupt\tplain/b"]);
        let (name, line) = match is_renamed {
            true => ("z", "moved-modified\tplain/z\tplain/b"),
            false => ("b", "corrupt\tplain/b"),
        };
        fs::rename(folder.path("d/plain/b"), folder.path(format!("d/plain/{name}"))).unwrap();
        list(&folder, "d/plain/SHA256SUMS", &["a", "c", name], 2000);
        assert_ran(&scrub(&folder, &ACCEPT), 1, &[line]);
        list(&folder, "d/plain/SHA1SUMS", &["a", "c", name], 3000);
        fs::remove_file(folder.path("d/plain/SHA256SUMS")).unwrap();
        assert_eq!(folder.run(&["scrub", "--forget", "plain/SHA256SUMS", "d"]).code, Some(0));
        // Without a common algorithm, the new name may be that of another file.
        let line = if is_renamed { "missing\tplain/b" } else { line };
        for _ in 0..2 {
            assert_ran(&scrub(&folder, &ACCEPT), 1, &[line]);
        }
        assert_eq!(folder.run(&["scrub", "--forget", "plain/b", "d"]).code, Some(0));
        assert_eq!(scrub(&folder, &["-q", "--all"]).code, Some(0));
    }
}

#[test]
fn files_of_a_renamed_folder_are_not_confused_if_their_sizes_and_times_are_equal() {
    // regression: each new file was reported as a modified version of the other missing one.
    let folder = Folder::new();
    for name in ["p/a", "p/b"] {
        write(&folder, name, &name[2..], 1_000_000);
    }
    list(&folder, "p/SHA256SUMS", &["a", "b"], 1_000_000);
    let run =
        |words: &[&str]| folder.run(&[&["scrub", "--manifests", "--all", "-q"][..], words, &["."]].concat());
    assert_eq!(run(&[]).code, Some(0));
    fs::rename(folder.path("p"), folder.path("q")).unwrap();
    let ran = run(&[]);
    assert!(ran.code == Some(1) && !ran.out().contains("moved-modified"), "{}", ran.out());
    assert!(ran.out().contains("missing\tp/a") && ran.out().contains("missing\tp/b"), "{}", ran.out());
    assert_eq!(folder.run(&["scrub", "--forget", "p", "."]).code, Some(0));
    assert_eq!(run(&[]).code, Some(0));
}
